//! Tables of the page, and the values that its template is filled with.

use earth_report::document::{Content, Document};
use earth_report::numbers::{percent, ratio, short};
use earth_report::statements::Row;

use super::assumed::Assumed;
use super::assumed::LIBRARIES;
use super::blocks::{self, PAPERS, SIDES, SQUARES};
use super::dealing::{Gain, KNOWN, PARTIAL_WIDTH, POINTS, ROWS, WIDTHS, width_of};
use super::figures::{self, PAPERS_SPEED_UPS, setting};
use super::machine::WAYS;
use super::report::{Conditional, Report, lines};
use super::variations::{average_to_peak, width};
use crate::pfft::study::{Band, KernelFindings, Method, best};

/// Average speeds in the paper, as fractions of the peaks.
const AVERAGES: [(&str, f64); 3] = [("FFTW-2.1.5", 0.40), ("FFTW-3.3.7", 0.30), ("MKL", 0.24)];

impl Report {
    /// Makes the document: simulated results, and the verdicts derived from them.
    pub fn document(&self) -> Document {
        let [fftw, mkl] = LIBRARIES.map(|library| library.width);
        let first = &self.conditional[..self.conditional.len().min(1)];
        let asked = first.iter().flat_map(|of| &of.statements);
        let conditions = || self.conditional.iter().map(|of| condition(of.common));
        let machines = self.conditional.iter().flat_map(|of| {
            let share = (100.0 * of.common).round();
            let plot = figures::speed_ups(of);
            let content = Content::default().text("share", share);
            content.plot(format!("machine-{share}"), plot).fill(include_str!("machine.md"))
        });
        Content::default()
            .text("command", &self.command)
            .text("alone", self.gain(0.0, 4, fftw))
            .text("alone-mkl", self.gain(0.0, 2, mkl))
            .text("common", self.gain(0.9, 4, fftw))
            .text("common-mkl", self.gain(0.9, 2, mkl))
            .text("groups", self.best_groups())
            .text("few", self.partial(2))
            .text("few-of-four", self.partial(4))
            .text("least-block", ratio(self.blocks().fold(f64::INFINITY, f64::min)))
            .text("most-block", ratio(self.blocks().fold(0.0, f64::max)))
            .text("widest", WIDTHS[WIDTHS.len() - 1])
            .rows("widths", AVERAGES.map(|(name, average)| width_row(name, average)))
            .text("rows", ROWS)
            .text("points", POINTS)
            .text("seeds", self.extent.seeds)
            .rows("dealing", lines(&self.made.by_width).map(dealing_row))
            .plot("dealing", figures::by_width(&self.made.by_width))
            .text("partial-width", PARTIAL_WIDTH)
            .texts("known", KNOWN)
            .rows("partial", lines(&self.made.by_points).map(partial_row))
            .plot("partial", figures::by_points(&self.made.by_points))
            .text("sizes", self.extent.sizes)
            .texts("ways", WAYS.map(|(groups, threads)| format!("({groups}, {threads})")))
            .rows("groupings", self.found().map(|(of, found)| grouping_row(of, found)))
            .rows("speed-ups", self.found().flat_map(|(of, found)| speed_up_rows(of, found)))
            .parts("machines", machines)
            .texts("conditions", conditions())
            .rows("verdicts", asked.enumerate().map(|(at, row)| self.verdict_row(at, row)))
            .text("papers", PAPERS)
            .texts("sides", SIDES)
            .rows("blocks", SQUARES.map(|n| self.block_row(n)))
            .plot("blocks", figures::blocks(&self.made.transposed))
            .text("least", SIDES[0])
            .text("most", SIDES[SIDES.len() - 1])
            .paper(&self.paper, include_str!("page.md"))
    }

    /// Returns the groups that PFFT-LB chooses with each library, at the assumed share.
    fn best_groups(&self) -> String {
        let base = Assumed::default().common;
        let of = self.conditional.iter().find(|of| of.common.total_cmp(&base).is_eq());
        let chosen = of.iter().flat_map(|of| &of.study.kernels).filter_map(|found| {
            let best = best(&found.preferences)?;
            Some(format!("({}, {}) with {}", best.groups, best.threads, found.kernel))
        });
        chosen.collect::<Vec<_>>().join(" and ")
    }

    /// Returns the gain by 5 points of each function.
    fn partial(&self, groups: usize) -> String {
        let is_it = |gain: &&Gain| (gain.groups, gain.known) == (groups, 5);
        ratio(self.made.partial.iter().find(is_it).map_or(f64::NAN, |gain| gain.mean))
    }

    /// Yields the time with blocks of 64 over the time with the best blocks, for each square.
    fn blocks(&self) -> impl Iterator<Item = f64> {
        blocks::best(&self.made.transposed).into_iter().map(|(_, ratio)| ratio)
    }

    /// Returns the mean gain over equal shares, by the common share of the variance, the groups and the
    /// width.
    fn gain(&self, common: f64, groups: usize, width: f64) -> String {
        let is_it = |gain: &&Gain| {
            (gain.groups, gain.together) == (groups, 1)
                && gain.common.total_cmp(&common).is_eq()
                && gain.width.total_cmp(&width).is_eq()
        };
        format!("{:.1}", self.made.by_width.iter().find(is_it).map_or(f64::NAN, |gain| gain.mean))
    }

    /// Lists the findings with each kernel, under each condition.
    fn found(&self) -> impl Iterator<Item = (&Conditional, &KernelFindings)> {
        self.conditional.iter().flat_map(|of| of.study.kernels.iter().map(move |found| (of, found)))
    }

    /// Makes a row with the verdicts of all conditions side by side.
    fn verdict_row(&self, at: usize, row: &Row) -> Vec<String> {
        let verdicts = self.conditional.iter().map(|of| of.statements[at].verdict.words().to_owned());
        [row.number.to_string(), row.cited()].into_iter().chain(verdicts).collect()
    }

    fn block_row(&self, n: usize) -> Vec<String> {
        let of = self.made.transposed.iter().filter(|of| of.n == n);
        std::iter::once(n.to_string()).chain(of.map(|of| format!("{:.1}", of.cycles()))).collect()
    }
}

/// Names a condition.
fn condition(common: f64) -> String {
    if common == 0.0 {
        "each point varies by itself".to_owned()
    } else {
        format!("{} is common to a length", percent(common))
    }
}

fn width_row(name: &str, average: f64) -> [String; 4] {
    let width = width(average);
    [name.to_owned(), percent(average), short(width), percent(average_to_peak(width))]
}

fn dealing_row(line: &[Gain]) -> [String; 6] {
    let at = |width: f64| {
        let gain = line.iter().find(|gain| gain.width.total_cmp(&width).is_eq());
        gain.map_or_else(|| "-".to_owned(), |gain| ratio(gain.mean))
    };
    let reaches = |target| width_of(line, target).map_or_else(|| "none".to_owned(), short);
    let [fftw, mkl] = PAPERS_SPEED_UPS.map(reaches);
    let [at_fftw, at_mkl] = LIBRARIES.map(|library| at(library.width));
    let Gain { groups, common, together, .. } = line[0];
    [setting(common, together), groups.to_string(), mkl, fftw, at_fftw, at_mkl]
}

fn partial_row(line: &[Gain]) -> Vec<String> {
    let first = [setting(line[0].common, line[0].together), line[0].groups.to_string()];
    first.into_iter().chain(line.iter().map(|gain| ratio(gain.mean))).collect()
}

fn grouping_row(of: &Conditional, found: &KernelFindings) -> Vec<String> {
    let chosen = best(&found.preferences).map(|best| format!("({}, {})", best.groups, best.threads));
    let speeds = found.preferences.iter().map(|way| ratio(way.mean_gflops));
    let first = [condition(of.common), found.kernel.clone()];
    first.into_iter().chain(speeds).chain([chosen.unwrap_or_default()]).collect()
}

/// Returns the paper's means and greatest ratios, by library.
fn papers(kernel: &str, method: Method) -> &'static str {
    match (kernel, method) {
        ("fftw", Method::Fpm) => "1.9, at most 6.8",
        ("fftw", Method::FpmPad) => "2, at most 9.4",
        ("mkl", Method::Fpm) => "1.3, at most 2",
        ("mkl", Method::FpmPad) => "1.4, at most 5.9",
        _ => "-",
    }
}

fn speed_up_rows(of: &Conditional, found: &KernelFindings) -> Vec<Vec<String>> {
    let row = |method: Method| {
        let by = |band: &Band| found.speed_up(method, Method::Basic, band);
        let all = by(&Band::all())?;
        let first = [condition(of.common), found.kernel.clone(), method.to_string()];
        let figures = [all.mean_of_ratios, all.most].map(ratio);
        let bands = Band::papers()
            .map(|band| by(&band).map_or_else(|| "-".to_owned(), |by| ratio(by.mean_of_ratios)));
        let papers = papers(&found.kernel, method).to_owned();
        Some(first.into_iter().chain(figures).chain(bands).chain([papers]).collect())
    };
    [Method::Lb, Method::Fpm, Method::FpmPad].into_iter().filter_map(row).collect()
}
