//! Evaluation of a study's rows: profiles of speed over N, bands of N, speed-ups, speed functions.

use earth_papers::partition::{Grouping, flops};
use earth_report::numbers::{gflops, mean};

use super::choice::GroupingSpeed;
use super::rows::further::{Efforts, Lengths, Transposes};
use super::rows::{Conditions, Method, Methods, Published};
use crate::pfft::measure::{Profile, SpeedUp, Variation, count_clearly, null_band, variations};

/// Results of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// Conditions under which all rows were measured.
    pub conditions: Conditions,
    /// All requested N.
    pub sizes: Vec<usize>,
    /// Greatest N of the sizes in steps.
    pub steps_to: usize,
    /// Results of each kernel, in the order of the request.
    pub kernels: Vec<KernelFindings>,
    /// Deviation of padding as published from the transform.
    pub published: Option<Published>,
    /// Times of transposes by blocks, by N.
    pub transposes: Vec<Transposes>,
    /// Difference between this study's conditions and the conditions of rows that were used by force.
    pub differs: Option<String>,
    /// Number of steps that are not done yet.
    pub left_out: usize,
    /// Time that the finished steps took, in seconds.
    pub took: f64,
}

/// Results of one kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelFindings {
    /// Name of the kernel on the command line.
    pub kernel: String,
    /// Version that a library reports.
    pub version: Option<String>,
    /// Speeds of PFFT-LB with each grouping.
    pub preferences: Vec<GroupingSpeed>,
    /// Grouping of all other rows, once it is chosen.
    pub grouping: Option<Grouping>,
    /// Greatest N of the sizes in steps.
    pub steps_to: usize,
    /// Times of all methods, by N.
    pub rows: Vec<Methods>,
    /// Times of the library's own transform by planning effort, by N.
    pub efforts: Vec<Efforts>,
    /// Times of rows of the paper's example and of longer rows.
    pub lengths: Option<Lengths>,
}

/// Range of sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Band {
    /// Name in tables.
    pub name: String,
    /// Least N of the band.
    pub from: usize,
    /// Greatest N of the band.
    pub to: usize,
}

impl Band {
    /// Returns whether `n` is in the band.
    pub fn has(&self, n: usize) -> bool {
        (self.from..=self.to).contains(&n)
    }

    /// Returns the band of every N.
    pub fn all() -> Self {
        Self { name: "all N".to_owned(), from: 0, to: usize::MAX }
    }

    /// Returns the three bands of the paper.
    pub fn papers() -> [Self; 3] {
        let band = |name: &str, from, to| Self { name: name.to_owned(), from, to };
        [
            band("N ≤ 10000", 0, 10_000),
            band("10000 < N ≤ 33000", 10_001, 33_000),
            band("N > 33000", 33_001, usize::MAX),
        ]
    }
}

/// Returns the bands of a study: all N in steps, the paper's bands, and the thirds of the N in steps if there
/// are at least three.
pub fn bands(sizes: &[usize], steps_to: usize) -> Vec<Band> {
    let sizes: Vec<_> = sizes.iter().copied().filter(|&n| n <= steps_to).collect();
    let named = |from, to| Band { name: format!("N = {from} to {to}"), from, to };
    let mut bands = Vec::new();
    bands.extend(sizes.first().zip(sizes.last()).map(|(&from, &to)| named(from, to)));
    bands.extend(Band::papers());
    if sizes.len() >= 3 {
        let thirds = [0, 1, 2].map(|third| &sizes[sizes.len() * third / 3..sizes.len() * (third + 1) / 3]);
        bands.extend(thirds.into_iter().filter_map(|third| Some(named(*third.first()?, *third.last()?))));
    }
    bands
}

/// Returns the name of a kernel for use in file names.
pub fn slug(kernel: &str) -> String {
    let name = kernel.rsplit(['/', '\\']).next().unwrap_or(kernel);
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect()
}

impl Study {
    /// Returns the results of FFTW 3, which is recognized by the name of the kernel or of its file.
    pub fn fftw(&self) -> Option<&KernelFindings> {
        self.named("fftw")
    }

    /// Returns the results of MKL, which is recognized by the name of the kernel or of its file.
    pub fn mkl(&self) -> Option<&KernelFindings> {
        self.named("mkl")
    }

    /// Returns the results of FFTW 2.
    pub fn fftw2(&self) -> Option<&KernelFindings> {
        self.kernels.iter().find(|found| found.kernel == "fftw2" && !found.rows.is_empty())
    }

    /// Returns the means of methods, and the means of points of speed functions, each with the half width of
    /// its interval.
    pub fn means(&self) -> [Vec<[f64; 2]>; 2] {
        let rows = || self.kernels.iter().flat_map(|found| &found.rows);
        let timed = rows().flat_map(|row| &row.methods).flat_map(|timed| [timed.time, timed.again]);
        let sampled = rows().flat_map(|row| &row.speeds);
        let sampled = sampled.flat_map(|point| point.seconds.iter().zip(&point.half_widths));
        [
            timed.map(|time| [time.mean, time.half_width]).collect(),
            sampled.map(|(&seconds, &half_width)| [seconds, half_width]).collect(),
        ]
    }

    fn named(&self, name: &str) -> Option<&KernelFindings> {
        let is_named = |kernel: &str| kernel != "fftw2" && slug(kernel).contains(name);
        self.kernels.iter().find(|found| is_named(&found.kernel) && !found.rows.is_empty())
    }
}

impl KernelFindings {
    /// Returns the speed of a method in Gflop/s, 5 N² log2 N² operations over the time, by N.
    pub fn profile(&self, method: Method) -> Vec<(usize, f64)> {
        let speed = |row: &Methods| Some((row.n, gflops(row.n * row.n, row.timed(method)?.time.mean)));
        self.rows.iter().filter_map(speed).collect()
    }

    /// Returns the band of the N in steps.
    pub fn in_steps(&self) -> Band {
        Band { name: "N in steps".to_owned(), from: 0, to: self.steps_to }
    }

    /// Returns the average, the peak and the variation of a method's speed over the N in steps.
    pub fn figures(&self, method: Method) -> Option<Profile> {
        self.figures_in(method, &self.in_steps())
    }

    /// Returns the average, the peak and the variation of a method's speed over the N of a band.
    pub fn figures_in(&self, method: Method, band: &Band) -> Option<Profile> {
        let profile: Vec<_> = self.profile(method).into_iter().filter(|&(n, _)| band.has(n)).collect();
        Profile::of(&profile)
    }

    /// Returns the average, the peak and the variation of the library's own transform over N, by an effort.
    pub fn figures_by(&self, effort: &str) -> Option<Profile> {
        let speed = |row: &Efforts| Some((row.n, gflops(row.n * row.n, row.plan(effort)?.time.mean)));
        Profile::of(&self.efforts.iter().filter_map(speed).collect::<Vec<_>>())
    }

    /// Returns the time that all rows took, in seconds.
    pub fn took(&self) -> f64 {
        let rows = self.rows.iter().map(|row| row.took).chain(self.efforts.iter().map(|row| row.took));
        rows.chain(self.lengths.iter().map(|row| row.took)).sum()
    }

    /// Returns the speeds of two methods at each N of a band.
    pub fn pairs(&self, method: Method, over: Method, band: &Band) -> Vec<(usize, (f64, f64))> {
        let speed = |row: &Methods, method| Some(gflops(row.n * row.n, row.timed(method)?.time.mean));
        let rows = self.rows.iter().filter(|row| band.has(row.n));
        rows.filter_map(|row| Some((row.n, (speed(row, method)?, speed(row, over)?)))).collect()
    }

    /// Returns the speed-up of a method over another one.
    pub fn speed_up(&self, method: Method, over: Method, band: &Band) -> Option<SpeedUp> {
        let pairs: Vec<_> = self.pairs(method, over, band).into_iter().map(|(_, pair)| pair).collect();
        SpeedUp::of(&pairs)
    }

    /// Returns the null band: a ratio of two times within this factor of 1 cannot be distinguished from 1. It
    /// is the 95th percentile of the ratios of each method to itself at each N, and of PFFT-LB to the same
    /// planned again. Each ratio is inverted if it is below 1.
    pub fn null_band(&self) -> f64 {
        let timed = self.rows.iter().flat_map(|row| &row.methods);
        let itself = timed.map(|timed| timed.time.mean / timed.again.mean);
        let planned_again = self
            .rows
            .iter()
            .filter_map(|row| Some(row.timed(Method::LbAgain)?.time.mean / row.timed(Method::Lb)?.time.mean));
        null_band(itself.chain(planned_again))
    }

    /// Returns the number of N at which a method is clearly faster than another one, the number at which it
    /// is clearly slower, and the number at which both were measured. Clearly means that the intervals are
    /// disjoint and the ratio is outside the [null band](Self::null_band).
    pub fn clearly(&self, method: Method, over: Method) -> [usize; 3] {
        self.clearly_in(method, over, &Band::all())
    }

    /// Returns the numbers of [`clearly`](Self::clearly) in a band of N.
    pub fn clearly_in(&self, method: Method, over: Method, band: &Band) -> [usize; 3] {
        let rows = self.rows.iter().filter(|row| band.has(row.n));
        let both = rows.filter_map(|row| Some([row.timed(method)?.time, row.timed(over)?.time]));
        count_clearly(both, self.null_band())
    }

    /// Returns whether the baseline is the library's own transform.
    pub fn is_by_library(&self) -> bool {
        self.rows.iter().filter_map(|row| row.timed(Method::Basic)).any(|timed| timed.by_library)
    }

    /// Returns the mean speed of the groups in Gflop/s, over the rows as a share of N, for each length that
    /// is an N of the study.
    pub fn surface(&self, pad: &str) -> Vec<(usize, Vec<(f64, f64)>)> {
        let of = |row: &Methods| {
            let mut line: Vec<_> = row
                .speeds
                .iter()
                .filter(|point| point.pad == pad && point.length == row.n)
                .map(|point| {
                    (point.rows as f64 / row.n as f64, group_gflops(point.rows, point.length, &point.seconds))
                })
                .collect();
            line.sort_by(|a, b| a.0.total_cmp(&b.0));
            (row.n, line)
        };
        self.rows.iter().map(of).filter(|(_, line)| !line.is_empty()).collect()
    }

    /// Returns the mean width of the variations of the speed functions: along the rows at each N, and along
    /// the lengths at the balanced share. Returns `None` if there are no variations.
    pub fn widths_of_surface(&self) -> Option<[f64; 2]> {
        let mut surface = self.surface("none");
        surface.retain(|(n, _)| *n <= self.steps_to);
        // Rows are distinguished and ordered by millionths of N.
        let along = surface.iter().flat_map(|(_, line)| {
            let line: Vec<_> = line.iter().map(|&(share, speed)| ((share * 1e6) as usize, speed)).collect();
            variations(&line)
        });
        let balanced: Vec<_> = self
            .rows
            .iter()
            .filter(|row| row.n <= self.steps_to)
            .filter_map(|row| {
                let share = row.n / row.groups;
                let near = row.speeds.iter().filter(|point| point.pad == "none" && point.length == row.n);
                let point = near.min_by_key(|point| point.rows.abs_diff(share))?;
                Some((row.n, group_gflops(point.rows, point.length, &point.seconds)))
            })
            .collect();
        let widths = [
            mean(along.map(|variation| variation.width())),
            mean(variations(&balanced).iter().map(Variation::width)),
        ];
        widths.iter().all(|width| !width.is_nan()).then_some(widths)
    }
}

/// Returns the mean speed of groups, in Gflop/s.
fn group_gflops(rows: usize, length: usize, seconds: &[f64]) -> f64 {
    mean(seconds.iter().map(|seconds| flops(rows, length) / seconds / 1e9))
}

#[cfg(test)]
#[path = "findings_tests.rs"]
mod tests;
