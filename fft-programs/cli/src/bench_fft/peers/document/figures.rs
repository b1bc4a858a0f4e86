//! Figures: ratios and speeds over the size, the roofline, and the growth of times.

use earth_report::figure::{Axis, Figure, Layout, Line, Plot, Scale, Stroke};
use earth_report::numbers::{extent, power, short};
use earth_report::spread::Spread;

use super::super::class::Class;
use super::super::report::{Entry, Report, Row};
use super::super::roof::Rates;

/// Kinds of figures, by the family of sizes and the number of dimensions.
const KINDS: [Kind; 8] = [
    Kind { name: "series", what: "Series", across: SERIES, dimensions: 1, family: Family::Other },
    Kind {
        name: "mixed",
        what: "Series with factors 2, 3, 5 and 7",
        across: SERIES,
        dimensions: 1,
        family: Family::Mixed,
    },
    Kind {
        name: "primes",
        what: "Prime numbers of points",
        across: SERIES,
        dimensions: 1,
        family: Family::Primes,
    },
    Kind { name: "matrices", what: "Matrices", across: MATRICES, dimensions: 2, family: Family::Other },
    Kind { name: "cubes", what: "Cubes", across: CUBES, dimensions: 3, family: Family::Other },
    Kind {
        name: "filtered-series",
        what: "Filtered series",
        across: SERIES,
        dimensions: 1,
        family: Family::Filtered,
    },
    Kind {
        name: "filtered-matrices",
        what: "Filtered matrices",
        across: MATRICES,
        dimensions: 2,
        family: Family::Filtered,
    },
    Kind {
        name: "filtered-cubes",
        what: "Filtered cubes",
        across: CUBES,
        dimensions: 3,
        family: Family::Filtered,
    },
];

/// Sizes whose times are one line of a figure.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    Mixed,
    Primes,
    Filtered,
    Other,
}

impl Family {
    fn of(class: Class) -> Self {
        match class {
            Class::SeriesMixed => Self::Mixed,
            Class::SeriesPrime => Self::Primes,
            class if class.is_filter() => Self::Filtered,
            _ => Self::Other,
        }
    }
}

/// Horizontal axes by the number of dimensions.
const SERIES: &str = "points N";
const MATRICES: &str = "side: square root of the points";
const CUBES: &str = "side: cube root of the points";

struct Kind {
    name: &'static str,
    what: &'static str,
    across: &'static str,
    dimensions: u8,
    family: Family,
}

impl Kind {
    /// Returns the rows in ascending order, each with its horizontal position. Sizes of two classes appear
    /// twice.
    fn rows<'a>(&self, report: &'a Report) -> Vec<(f64, &'a Row)> {
        let place = |row: &Row| (row.points as f64).powf(1.0 / f64::from(self.dimensions));
        let mut rows: Vec<_> = report
            .rows
            .iter()
            .filter(|row| row.batch == 1 && Family::of(row.class) == self.family)
            .filter(|row| row.lengths.len() == usize::from(self.dimensions))
            .map(|row| (place(row), row))
            .collect();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        rows
    }
}

/// Returns all figures of a report that has rows.
pub(super) fn figures(report: &Report) -> Vec<Figure> {
    let kinds = || KINDS.iter().filter(|kind| !kind.rows(report).is_empty());
    let mut figures: Vec<_> = kinds().map(|kind| ratios(report, kind)).collect();
    figures.extend(kinds().map(|kind| speeds(report, kind)));
    figures.push(roofline(report));
    figures.extend(kinds().map(|kind| growth(report, kind)));
    for figure in &mut figures {
        figure.name.insert_str(0, &report.prefix());
    }
    figures
}

/// Returns a line for each contestant, with `value` of each row and its entry.
fn everybody(report: &Report, rows: &[(f64, &Row)], value: impl Fn(&Row, &Entry) -> Spread) -> Vec<Line> {
    let line = |(color, name)| {
        Line::new(name, color, rows.iter().map(|(x, row)| (*x, value(row, &row.entries[color]))))
    };
    report.names().enumerate().map(line).collect()
}

fn axes([across, up]: [(&str, Scale); 2]) -> [Axis; 2] {
    [across, up]
        .map(|(name, scale)| Axis::new(name, scale, if scale == Scale::Doublings { power } else { short }))
}

fn figure(name: String, title: String, caption: String, plot: Plot) -> Figure {
    Figure { name, title, caption, plot: plot.sized(Layout::SMALL) }
}

fn ratios(report: &Report, kind: &Kind) -> Figure {
    let rows = kind.rows(report);
    let line = |key, color, of: fn(&Row) -> Spread| {
        Line::new(key, color, rows.iter().map(move |(x, row)| (*x, of(row))))
    };
    let whole = |row: &Row| Spread { q1: row.null.min, q3: row.null.max, ..row.null };
    let axes = axes([(kind.across, Scale::Doublings), ("time of peer / ours", Scale::Decades)]);
    let lines = [line("better peer / ours", 0, |row| row.ratio), line("ours / ours", 5, whole)];
    figure(
        format!("ratio-{}", kind.name),
        format!("{}: the better peer's time over ours", kind.what),
        format!(
            "Above 1 ours is faster. Dots are medians of {} rounds, with whiskers over the middle half. For ours against \
             itself, the null band, whiskers are over all rounds. Both axes are logarithmic.",
            report.rounds
        ),
        Plot::one(axes, lines).of_ratios(),
    )
}

fn speeds(report: &Report, kind: &Kind) -> Figure {
    let lines = everybody(report, &kind.rows(report), |_, entry| entry.seconds.rate(entry.gflops));
    figure(
        format!("speed-{}", kind.name),
        format!("{}: GFLOPS", kind.what),
        format!(
            "5 N log2 N operations for N points, whatever the plan really does, over the time. Real numbers \
             take half of these operations, and a filter has two transforms. Medians of {} rounds, whiskers over the middle half. The \
             lower axis is logarithmic.",
            report.rounds
        ),
        Plot::one(axes([(kind.across, Scale::Doublings), ("GFLOPS", Scale::FromZero)]), lines),
    )
}

/// Returns the operations for each byte of the least traffic, which reads and writes each element once. Real
/// numbers halve both operations and bytes. A filter of real numbers has two transforms, and reads its
/// spectrum, too.
fn intensity(report: &Report, row: &Row) -> f64 {
    let point = if report.precision == "f32" { 8.0 } else { 16.0 };
    let n = row.points as f64;
    if row.class.is_filter() { 2.0 * 2.5 * n.log2() / (1.5 * point) } else { 5.0 * n.log2() / (2.0 * point) }
}

/// Returns the roof of a number of threads from one intensity to another, with its bend.
fn roof(rates: &Rates, [low, high]: [f64; 2], color: usize) -> Line {
    let bend = rates.gflops / rates.gigabytes;
    let from = low.min(0.5 * bend);
    let threads =
        if rates.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", rates.threads) };
    let dots = [from, bend, high.max(2.0 * bend)].map(|x| (x, rates.most(x)));
    Line::new(format!("roof of {threads}"), color, dots).drawn(Stroke::Curve)
}

fn roofline(report: &Report) -> Figure {
    let rows: Vec<_> = report.rows.iter().map(|row| (intensity(report, row), row)).collect();
    let ends = extent(rows.iter().map(|(x, _)| *x));
    let roofs = report.roof.rates.iter().zip([5, 6]).map(|(rates, color)| roof(rates, ends, color));
    let mut lines: Vec<_> = roofs.collect();
    // Single dots, since a series and a matrix may have equal intensity.
    for (color, name) in report.names().enumerate() {
        let dots = rows.iter().map(|(x, row)| (*x, row.entries[color].gflops));
        lines.extend(
            dots.enumerate().map(|(at, dot)| Line::new(if at == 0 { name } else { "" }, color, [dot])),
        );
    }
    let axes = axes([("operations a byte of least traffic", Scale::Decades), ("GFLOPS", Scale::Decades)]);
    figure(
        "roofline".to_owned(),
        "Roofline".to_owned(),
        format!(
            "Across: 5 log2 N operations a point over the bytes of reading and writing it once, the least that a transform \
             larger than the caches can do. A filter has two transforms, and also reads the spectrum of its kernel. Up: the rate. The roofs are the highest measured rates of {} \
             multiply-adds in registers, and of memory read and written. Sizes that fit into a cache may pass the slope, since \
             they need not go to memory. Both axes are logarithmic.",
            report.roof.instructions
        ),
        Plot::one(axes, lines),
    )
}

fn growth(report: &Report, kind: &Kind) -> Figure {
    let time = |row: &Row, entry: &Entry| {
        let n = row.points as f64;
        entry.seconds.map(|time| 1e9 * time / (n * n.log2()))
    };
    let lines = everybody(report, &kind.rows(report), time);
    figure(
        format!("growth-{}", kind.name),
        format!("{}: time over N log2 N", kind.what),
        format!(
            "Level where the time grows as the operations do; it rises where points no longer fit into a cache. Medians of \
             {} rounds, whiskers over the middle half. Both axes are logarithmic.",
            report.rounds
        ),
        Plot::one(axes([(kind.across, Scale::Doublings), ("ns / (N log2 N)", Scale::Decades)]), lines),
    )
}
