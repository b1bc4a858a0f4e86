//! The paper's computer as a simulated machine: 36 nodes that transform squares without data.
//!
//! The programs are this project's, with a barrier after each step as in the paper's. Transposes,
//! distribution and messages cost what the [profile](profile) says. The rows of each group cost what its
//! function says, in thousandths of their cost at the library's peak ([`Shares::paces`]). The library's own
//! transform on all cores is not one of our programs: it takes its operations at its published peak, times
//! its own slowness at N.
//!
//! *Conditions.* Peaks and averages are published. The widths are fitted to them
//! ([`variations`](super::variations)). [`Assumed`] has the estimates. Two more assumptions have no number:
//! the groups' functions vary as widely as the library's own transform, and widths do not change with N. The
//! paper contradicts the last one, so statements on bands of N and on peaks are not judged here. Padding is
//! as published, for its time only: it computes a different transform.
//!
//! The groups are chosen as in the paper, by PFFT-LB over all N; then PFFT-FPM and PFFT-FPM-PAD are run.

use std::num::NonZeroUsize;

use earth::Machine;
use earth::simulated::{NetworkKind, NetworkProfile, Operations, Profile};
use earth_fft::computer::Computer;
use earth_fft::{Problem, TransformError};
use earth_papers::partition::{Grouping, Point, balanced, flops};
use earth_papers::{Grouped, Shares};

use super::assumed::{Assumed, CLOCK, CORES, LIBRARIES, Library};
use super::dealing::{fastest, on_all_cores};
use super::variations::{GRID, Group, LIBRARY, Variations};
use crate::pfft::study::{
    Conditions, GroupingTime, Groupings, KernelFindings, Method, Methods, SCHEMA, Sampled, Study, Timed,
    best, preferences,
};

/// Greatest N, and the longest row that padding may choose.
const MOST: usize = 64_000;

/// Groupings (p, t) that the paper tried.
pub(super) const WAYS: [(usize, usize); 5] = [(2, 18), (4, 9), (6, 6), (9, 4), (12, 3)];

/// Number of row blocks of all cores where methods are compared; where groupings are compared, each core has
/// one.
const BLOCKS: usize = 2 * CORES;

/// Returns the costs of the machine, with rows at a library's peak.
pub(super) fn profile(library: &Library, assumed: &Assumed) -> Profile {
    let mut profile = Profile::free();
    profile.name = format!("36 cores, {}", library.name);
    profile.clock_mhz = 1e3 * CLOCK;
    let each = assumed.operation.round() as u64;
    profile.spn = Operations {
        dispatch: each,
        sync: each,
        word: each,
        block: each,
        spawn: each,
        frame: each,
        send_word: each,
        send_block: each,
        receive_word: each,
        receive_block: each,
        ..Operations::default()
    };
    let interface = assumed.operation;
    profile.network = NetworkProfile { kind: NetworkKind::Ideal, interface, ..profile.network };
    let row = 5.0 * CLOCK * CORES as f64 / library.peak;
    profile.work.kernels = [("row-fft".to_owned(), row), ("copy".to_owned(), assumed.copy)].into();
    profile
}

/// Squares transformed with one library.
struct Squares<'a> {
    library: &'a Library,
    profile: Profile,
    /// Width of the variations.
    width: f64,
    variations: Variations,
}

impl Squares<'_> {
    /// Returns the time of rows relative to their time at the peak.
    fn slowness(&self, group: Group, rows: usize, length: usize) -> f64 {
        1.0 + self.width * self.variations.slowness(group, rows, length)
    }

    /// Returns the time of a group for rows, in seconds.
    fn of_group(&self, group: Group, rows: usize, length: usize) -> f64 {
        let peak = 1e9 * self.library.peak / group.0 as f64;
        flops(rows, length) / peak * self.slowness(group, rows, length)
    }

    /// Runs our program, with each group's rows slower than at the peak by its factor, and returns the
    /// seconds. `blocks` is the number of row blocks of all cores together for equal shares.
    fn ours(
        &self,
        threads: usize,
        rows: &[usize],
        slowness: &[f64],
        blocks: usize,
    ) -> Result<f64, TransformError> {
        let n: usize = rows.iter().sum();
        let block = n.div_ceil(blocks);
        // A function belongs to a whole group, whose threads have equal work. The first node has the most row
        // blocks.
        let pace = |(&rows, slowness): (&usize, &f64)| {
            let starts = (0..rows).step_by(block).step_by(threads);
            let of_first: usize = starts.map(|start| block.min(rows - start)).sum();
            let even = rows as f64 / (threads * of_first.max(1)) as f64;
            (1e3 * slowness * even).round() as u32
        };
        let paces = rows.iter().zip(slowness).map(pace).collect();
        let shares = Shares { paces, barrier: true, ..Shares::of_square(threads, rows.to_vec()) };
        let planner = earth_papers::planner()
            .phantom()
            .with(Grouped::new().shares(shares).block(NonZeroUsize::new(block)));
        let plan = planner.plan::<f64>(&Problem::complex(&[n, n]))?;
        let run = plan.run_phantom_on(&mut Machine::simulated(&self.profile).nodes(CORES))?;
        Ok(run.cycles.unwrap_or_default() as f64 / (1e9 * CLOCK))
    }

    /// Returns the seconds of our program with rows of N points.
    fn dealt(&self, threads: usize, rows: &[usize], blocks: usize) -> Result<f64, TransformError> {
        let n = rows.iter().sum();
        self.ours(threads, rows, &each(rows, |group, rows| self.slowness(group, rows, n)), blocks)
    }

    /// Runs PFFT-LB with all groupings.
    fn groupings(&self, n: usize) -> Result<Groupings, TransformError> {
        let way = |(groups, threads)| {
            let time = point(self.dealt(threads, &balanced(n, groups), CORES)?);
            Ok(GroupingTime { groups, threads, time })
        };
        let ways = WAYS.into_iter().map(way).collect::<Result<_, TransformError>>()?;
        Ok(Groupings { kernel: self.library.name.to_owned(), version: None, n, ways, took: 0.0 })
    }

    /// Returns the rows of PFFT-FPM: the rows of PFFT-LB, unless others are faster.
    fn fpm(&self, n: usize, groups: usize) -> Vec<usize> {
        let slowest = |rows: &[usize]| {
            each(rows, |group, rows| self.of_group(group, rows, n)).into_iter().fold(0.0, f64::max)
        };
        let equal = balanced(n, groups);
        let known: Vec<_> = (GRID..=n).step_by(GRID).collect();
        let found = fastest(n, groups, &known, |group, rows| self.of_group((groups, group), rows, n));
        found.filter(|found| slowest(found) < slowest(&equal)).unwrap_or(equal)
    }

    /// Returns a group's padded length of rows of N points, and the time of the padded rows relative to rows
    /// of N at the peak.
    fn padded(&self, group: Group, rows: usize, n: usize) -> (usize, f64) {
        let one = flops(1, n);
        let mut best = (n, f64::INFINITY);
        for length in (n..=MOST.max(n)).step_by(GRID) {
            let longer = flops(1, length) / one;
            if longer >= best.1 {
                break;
            }
            let slowness = longer * self.slowness(group, rows, length);
            if slowness < best.1 {
                best = (length, slowness);
            }
        }
        best
    }

    /// Runs all methods with these groups.
    fn methods(&self, n: usize, Grouping { groups, threads }: Grouping) -> Result<Methods, TransformError> {
        let (lb, fpm) = (balanced(n, groups), self.fpm(n, groups));
        let padded = each(&fpm, |group, rows| self.padded(group, rows, n)).into_iter();
        let padded = padded.map(|(length, slowness)| (if length == n { 0 } else { length }, slowness));
        let (through, slowness): (Vec<_>, Vec<_>) = padded.unzip();
        let timed = |method, seconds, rows: &[usize], through| Timed {
            method,
            by_library: method == Method::Basic,
            time: point(seconds),
            again: point(seconds),
            rows: rows.to_vec(),
            apart: false,
            through,
            error: 0.0,
        };
        let sampled = |rows| Sampled {
            pad: "none".to_owned(),
            rows,
            length: n,
            seconds: (0..groups).map(|group| self.of_group((groups, group), rows, n)).collect(),
            half_widths: vec![0.0; groups],
            again: Vec::new(),
            again_half_widths: Vec::new(),
        };
        Ok(Methods {
            kernel: self.library.name.to_owned(),
            version: None,
            n,
            groups,
            threads,
            methods: vec![
                timed(Method::Basic, 2.0 * self.of_group(LIBRARY, n, n), &[], Vec::new()),
                timed(Method::Lb, self.dealt(threads, &lb, BLOCKS)?, &lb, Vec::new()),
                timed(Method::Fpm, self.dealt(threads, &fpm, BLOCKS)?, &fpm, Vec::new()),
                timed(Method::FpmPad, self.ours(threads, &fpm, &slowness, BLOCKS)?, &fpm, through),
            ],
            speeds: (GRID..=n).step_by(GRID).map(sampled).collect(),
            notes: Vec::new(),
            took: 0.0,
        })
    }
}

/// Computes a value for each group and its rows.
fn each<T>(rows: &[usize], of: impl Fn(Group, usize) -> T) -> Vec<T> {
    rows.iter().enumerate().map(|(group, &share)| of((rows.len(), group), share)).collect()
}

/// Makes a time without noise.
fn point(mean: f64) -> Point {
    Point { mean, half_width: 0.0, repetitions: 1, normality: None }
}

/// Returns `number` approximately equally spaced sizes N. If `number` is at least 2, they include 128 and
/// 64000.
pub(super) fn sizes(number: usize) -> Vec<usize> {
    let last = MOST / GRID - 1;
    (0..number).map(|at| GRID * (1 + at * last / (number - 1).max(1))).collect()
}

/// Simulates the study on a computer like the paper's.
///
/// # Errors
///
/// Returns the error of a program.
pub(super) fn study(assumed: &Assumed, sizes: &[usize]) -> Result<Study, TransformError> {
    let found = |(seed, library): (usize, &Library)| {
        let variations = Variations { seed: seed as u64, common: assumed.common, together: 1 };
        let (profile, width) = (profile(library, assumed), library.width * assumed.width);
        let squares = Squares { library, profile, width, variations };
        let rows = on_all_cores(sizes.len(), |at| squares.groupings(sizes[at]));
        let rows = rows.into_iter().collect::<Result<Vec<_>, _>>()?;
        let preferences = preferences(&rows.iter().collect::<Vec<_>>());
        let grouping = best(&preferences);
        let of = |at: usize| grouping.map(|grouping| squares.methods(sizes[at], grouping));
        let rows = on_all_cores(sizes.len(), of).into_iter().flatten().collect::<Result<_, _>>()?;
        Ok(KernelFindings {
            kernel: library.name.to_owned(),
            version: None,
            preferences,
            grouping,
            steps_to: MOST,
            rows,
            efforts: Vec::new(),
            lengths: None,
        })
    };
    Ok(Study {
        conditions: conditions(),
        sizes: sizes.to_vec(),
        steps_to: MOST,
        kernels: LIBRARIES.iter().enumerate().map(found).collect::<Result<_, TransformError>>()?,
        published: None,
        transposes: Vec::new(),
        differs: None,
        left_out: 0,
        took: 0.0,
    })
}

/// Returns the paper's conditions.
fn conditions() -> Conditions {
    Conditions {
        schema: SCHEMA,
        computer: Computer {
            architecture: "x86_64".to_owned(),
            processor: Some("Intel Xeon E5-2699 v3, twice, simulated".to_owned()),
            cores: Some(CORES),
            usable_cores: CORES,
            caches: Vec::new(),
            family: "simulated".to_owned(),
            system: None,
        },
        precision: "f64".to_owned(),
        config: "spn".to_owned(),
        cores: CORES,
        effort: "estimate".to_owned(),
        planning: false,
        as_published: true,
        repetitions: 1,
        point_seconds: 0.0,
        speed_seconds: 0.0,
        measure_to: 0,
        patient_to: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squares(common: f64) -> Squares<'static> {
        let library = &LIBRARIES[0];
        Squares {
            library,
            profile: profile(library, &Assumed::default()),
            width: library.width,
            variations: Variations { seed: 1, common, together: 1 },
        }
    }

    /// The slowest group decides: its rows twice, both transposes, which all cores share, and messages.
    #[test]
    fn a_square_takes_what_its_slowest_group_takes() {
        let squares = squares(0.0);
        let n = 9216;
        let rows = 2.0 * flops(n, n) / (1e9 * squares.library.peak);
        let moved = 2.0 * (n * n) as f64 * Assumed::default().copy / (CORES as f64 * 1e9 * CLOCK);
        for slowness in [[1.0, 1.0], [5.0, 3.0], [1.0, 7.9]] {
            let seconds = squares.ours(18, &[n / 2; 2], &slowness, BLOCKS).unwrap();
            let expected = rows * slowness[0].max(slowness[1]) + moved;
            let ratio = seconds / expected;
            assert!((0.99..1.03).contains(&ratio), "{slowness:?}: {seconds} s, not {expected} s");
        }
        // Unequal shares take the larger share's time, even if its threads have unequal numbers of row
        // blocks.
        for share in [0.75, 0.6] {
            let most = (share * n as f64) as usize;
            let seconds = squares.ours(18, &[n - most, most], &[1.0, 1.0], BLOCKS).unwrap();
            let ratio = seconds / (2.0 * share * rows + moved);
            assert!((0.99..1.1).contains(&ratio), "{share}: {ratio}");
        }
    }

    #[test]
    fn padding_takes_the_cheapest_length() {
        let squares = squares(0.5);
        let (n, of) = (5120, (4, 3));
        let cost = |length: usize| flops(1, length) * squares.slowness(of, 1280, length) / flops(1, n);
        let least = (n..=MOST).step_by(GRID).min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap();
        let (length, slowness) = squares.padded(of, 1280, n);
        assert_eq!(length, least);
        assert!(length > n && (slowness / cost(length) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn dealing_is_never_worse_than_equal_shares() {
        let squares = squares(0.5);
        assert_eq!(squares.fpm(128, 2), [64, 64], "the grid has no other shares but all and nothing");
        let (n, groups) = (10_368, 4);
        let rows = squares.fpm(n, groups);
        let slowest = |rows: &[usize]| {
            each(rows, |group, rows| squares.of_group(group, rows, n)).into_iter().fold(0.0, f64::max)
        };
        assert!(
            rows.iter().sum::<usize>() == n && slowest(&rows) < slowest(&balanced(n, groups)),
            "{rows:?}"
        );
    }

    #[test]
    fn a_study_is_the_same_twice() {
        let run = || study(&Assumed::default(), &sizes(3)).unwrap();
        let found = run();
        assert_eq!(found, run());
        assert_eq!(found.sizes, [128, 32_000, 64_000]);
        for kernel in &found.kernels {
            assert_eq!((kernel.rows.len(), kernel.preferences.len(), kernel.is_by_library()), (3, 5, true));
            let fastest = kernel.rows[1].timed(Method::FpmPad).unwrap().time.mean;
            assert!(
                fastest < kernel.rows[1].timed(Method::Fpm).unwrap().time.mean,
                "padding finds a better length"
            );
        }
    }
}
