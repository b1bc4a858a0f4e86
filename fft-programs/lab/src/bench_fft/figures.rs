//! What is drawn: ratios and speeds over the size, the roofline, and how times grow.

use super::report::{Entry, Report, Row};
use super::roof::Rates;
use crate::figure::{Axis, Dot, Figure, Layout, Line, Panel, Plot, Scale, Stroke};
use crate::numbers::{extent, power, short};
use crate::spread::Spread;

/// By the number of dimensions.
const KINDS: [Kind; 3] = [
    Kind { name: "series", what: "Series", across: "points N", dimensions: 1 },
    Kind { name: "matrices", what: "Matrices", across: "side: square root of the points", dimensions: 2 },
    Kind { name: "cubes", what: "Cubes", across: "side: cube root of the points", dimensions: 3 },
];

struct Kind {
    name: &'static str,
    what: &'static str,
    across: &'static str,
    dimensions: u8,
}

impl Kind {
    /// Its rows, the smallest first, each with its place across. Sizes that are in two classes are there twice.
    fn rows<'a>(&self, report: &'a Report) -> Vec<(f64, &'a Row)> {
        let place = |row: &Row| (row.points as f64).powf(1.0 / f64::from(self.dimensions));
        let mut rows: Vec<_> = report
            .rows
            .iter()
            .filter(|row| row.lengths.len() == usize::from(self.dimensions))
            .map(|row| (place(row), row))
            .collect();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        rows
    }
}

/// All figures of a report that has rows.
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

/// The median, with a whisker over the middle half.
fn dot(x: f64, y: Spread) -> Dot {
    Dot { x, y: y.median, middle: Some([y.q1, y.q3]) }
}

/// Everybody's values of a row, by a function of the entry.
fn everybody(report: &Report, rows: &[(f64, &Row)], value: impl Fn(&Row, &Entry) -> Spread) -> Vec<Line> {
    let names = std::iter::once("earth").chain(report.peers.iter().map(|peer| &*peer.name));
    let line = |(colour, name): (usize, &str)| Line {
        key: name.to_owned(),
        colour,
        stroke: Stroke::Solid,
        dots: rows.iter().map(|(x, row)| dot(*x, value(row, &row.entries[colour]))).collect(),
    };
    names.enumerate().map(line).collect()
}

fn figure(
    name: String,
    title: String,
    caption: String,
    axes: [Axis; 2],
    level: Option<f64>,
    lines: Vec<Line>,
) -> Figure {
    let [across, up] = axes;
    let panels = vec![Panel { title: String::new(), lines }];
    let plot = Plot { across, up, level, dashes: None, panels };
    Figure { name, title, caption, layout: Layout::SMALL, plot }
}

fn ratios(report: &Report, kind: &Kind) -> Figure {
    let rows = kind.rows(report);
    let line = |key: &str, colour, of: fn(&Row) -> Spread| Line {
        key: key.to_owned(),
        colour,
        stroke: Stroke::Solid,
        dots: rows.iter().map(|(x, row)| dot(*x, of(row))).collect(),
    };
    let whole = |row: &Row| Spread { q1: row.null.min, q3: row.null.max, ..row.null };
    figure(
        format!("ratio-{}", kind.name),
        format!("{}: the better peer's time over ours", kind.what),
        format!(
            "Above 1 ours is faster. Medians of {} rounds, whiskers over the middle half; of ours against itself, which is \
             the null band, over all rounds. Both axes are logarithmic.",
            report.rounds
        ),
        [
            Axis::new(kind.across, Scale::Doublings, power),
            Axis::new("time of peer / ours", Scale::Decades, short),
        ],
        Some(1.0),
        vec![line("better peer / ours", 0, |row| row.ratio), line("ours / ours", 5, whole)],
    )
}

fn speeds(report: &Report, kind: &Kind) -> Figure {
    let rows = kind.rows(report);
    let rate = |_: &Row, entry: &Entry| {
        let at = |time: f64| entry.gflops * entry.seconds.median / time;
        let Spread { min, q1, q3, max, .. } = entry.seconds;
        Spread { min: at(max), q1: at(q3), median: entry.gflops, q3: at(q1), max: at(min) }
    };
    figure(
        format!("speed-{}", kind.name),
        format!("{}: GFLOPS", kind.what),
        format!(
            "5 N log2 N operations for N points, whatever is really done, over the time. Medians of {} rounds, whiskers over \
             the middle half. The lower axis is logarithmic.",
            report.rounds
        ),
        [Axis::new(kind.across, Scale::Doublings, power), Axis::new("GFLOPS", Scale::FromZero, short)],
        None,
        everybody(report, &rows, rate),
    )
}

/// Operations for each byte that a transform cannot but read and write: each element once. Real numbers take half as many
/// operations and bytes.
fn intensity(report: &Report, row: &Row) -> f64 {
    let point = if report.precision == "f32" { 8.0 } else { 16.0 };
    let n = row.points as f64;
    5.0 * n.log2() / (2.0 * point)
}

/// The roof of so many threads from one intensity to another, with its bend.
fn roof(rates: &Rates, [low, high]: [f64; 2], colour: usize) -> Line {
    let bend = rates.gflops / rates.gigabytes;
    let from = low.min(0.5 * bend);
    let at = |x: f64| Dot::at(x, rates.most(x));
    let threads =
        if rates.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", rates.threads) };
    Line {
        key: format!("roof of {threads}"),
        colour,
        stroke: Stroke::Curve,
        dots: vec![at(from), at(bend), at(high.max(2.0 * bend))],
    }
}

fn roofline(report: &Report) -> Figure {
    let rows: Vec<_> = report.rows.iter().map(|row| (intensity(report, row), row)).collect();
    let ends = extent(rows.iter().map(|(x, _)| *x));
    let mut lines: Vec<_> =
        report.roof.rates.iter().zip([5, 6]).map(|(rates, colour)| roof(rates, ends, colour)).collect();
    // Dots alone: what has the same intensity may be a series or a matrix.
    for (colour, name) in
        std::iter::once("earth").chain(report.peers.iter().map(|peer| &*peer.name)).enumerate()
    {
        for (place, (x, row)) in rows.iter().enumerate() {
            let key = if place == 0 { name.to_owned() } else { String::new() };
            let dots = vec![Dot::at(*x, row.entries[colour].gflops)];
            lines.push(Line { key, colour, stroke: Stroke::Solid, dots });
        }
    }
    figure(
        "roofline".to_owned(),
        "Roofline".to_owned(),
        format!(
            "Across: 5 log2 N operations a point over the bytes of reading and writing it once, the least that a transform \
             larger than the caches can do. Up: the rate. The roofs are what this computer did at most of {} \
             multiply-adds in registers, and of memory read and written. What fits into a cache may pass the slope, since \
             it need not go to memory. Both axes are logarithmic.",
            report.roof.instructions
        ),
        [
            Axis::new("operations a byte of least traffic", Scale::Decades, short),
            Axis::new("GFLOPS", Scale::Decades, short),
        ],
        None,
        lines,
    )
}

fn growth(report: &Report, kind: &Kind) -> Figure {
    let rows = kind.rows(report);
    let time = |row: &Row, entry: &Entry| {
        let n = row.points as f64;
        let each = |time: f64| 1e9 * time / (n * n.log2());
        let Spread { min, q1, median, q3, max } = entry.seconds;
        Spread { min: each(min), q1: each(q1), median: each(median), q3: each(q3), max: each(max) }
    };
    figure(
        format!("growth-{}", kind.name),
        format!("{}: time over N log2 N", kind.what),
        format!(
            "Level where the time grows as the operations do; it rises where points no longer fit into a cache. Medians of \
             {} rounds, whiskers over the middle half. Both axes are logarithmic.",
            report.rounds
        ),
        [
            Axis::new(kind.across, Scale::Doublings, power),
            Axis::new("ns / (N log2 N)", Scale::Decades, short),
        ],
        None,
        everybody(report, &rows, time),
    )
}
