//! What is drawn of a comparison: ratios over nodes and over block sizes, speeds, what units did, and spectra.

use std::collections::BTreeSet;

use earth_fft::request::{Algorithm, Use};

use super::report::{About, Equal, Report, Row, Side, Spread};
use crate::figure::{Axis, Bars, Body, Dot, Figure, Kind, Layout, Line, Panel, Plot, Scale, Stroke};
use crate::numbers::short;

/// SPN's lines and DUAL's.
const CONFIGS: [&str; 2] = ["SPN", "DUAL"];

/// A program of which one line is drawn: of the block sizes of the sender-initiated FFT the middle one.
struct Drawn {
    algorithm: Algorithm,
    block: Option<usize>,
    colour: usize,
}

impl Drawn {
    /// Those that were compared.
    fn of(report: &Report) -> Vec<Self> {
        let all = [Algorithm::Sender, Algorithm::Receiver, Algorithm::ReceiverShared, Algorithm::Grouped];
        let drawn = |(colour, algorithm)| {
            let rows = report.rows.iter().filter(|row| row.algorithm == algorithm);
            let blocks: Vec<_> = rows.map(|row| row.block).collect::<BTreeSet<_>>().into_iter().collect();
            let &block = blocks.get(blocks.len() / 2)?;
            Some(Self { algorithm, block, colour })
        };
        all.into_iter().enumerate().filter_map(drawn).collect()
    }

    /// The program's name, with its block size.
    fn name(&self) -> String {
        let Self { algorithm, block, .. } = self;
        block.map_or(algorithm.to_string(), |block| format!("{algorithm}, blocks of {block}"))
    }

    /// Its rows, by the number of nodes.
    fn rows<'a>(&self, report: &'a Report, equal: Equal) -> Vec<&'a Row> {
        let mut rows = report.rows_at(equal);
        rows.retain(|row| (row.algorithm, row.block) == (self.algorithm, self.block));
        rows.sort_by_key(|row| row.dual.nodes);
        rows
    }

    fn line(&self, stroke: Stroke, dots: impl Iterator<Item = Dot>) -> Line {
        Line { key: self.name(), colour: self.colour, stroke, dots: dots.collect() }
    }
}

/// The median, with a whisker over the middle half.
fn dot(x: usize, y: Spread) -> Dot {
    Dot { x: x as f64, y: y.median, middle: Some([y.q1, y.q3]) }
}

/// Lines with logarithmic axes.
fn plot([across, up]: [&str; 2], level: Option<f64>, lines: Vec<Line>) -> Body {
    Body::Plot(Plot {
        across: Axis::new(across, Scale::Doublings, short),
        up: Axis::new(up, Scale::Decades, short),
        level,
        dashes: lines.iter().any(|line| line.stroke == Stroke::Dashed).then_some(CONFIGS),
        panels: vec![Panel { title: String::new(), lines }],
    })
}

fn figure(name: String, title: String, caption: String, body: Body) -> Figure {
    Figure { name, title, caption, layout: &Layout::SMALL, body }
}

/// What both sides have, in the words of a caption.
pub(super) fn sides(equal: Equal) -> &'static str {
    match equal {
        Equal::Nodes => "P nodes of each, so DUAL has twice the threads.",
        Equal::Cores => "P nodes of DUAL against 2P of SPN, so as many threads.",
    }
}

/// The ratios, over nodes and over block sizes.
pub(super) fn ratios(report: &Report) -> Vec<Figure> {
    let ways = [Equal::Nodes, Equal::Cores];
    let mut figures: Vec<_> = ways.iter().map(|&equal| ratio_over_nodes(report, equal)).collect();
    figures.extend(ways.iter().filter_map(|&equal| ratio_over_blocks(report, equal)));
    figures
}

fn pairs_drawn(report: &Report) -> String {
    format!(
        "Medians of {} pairs of runs in turn, whiskers over the middle half; both axes are logarithmic.",
        report.pairs
    )
}

fn ratio_over_nodes(report: &Report, equal: Equal) -> Figure {
    let line = |drawn: &Drawn| {
        let rows = drawn.rows(report, equal).into_iter();
        drawn.line(Stroke::Solid, rows.map(|row| dot(row.dual.nodes, row.ratio)))
    };
    figure(
        format!("ratio-nodes-{equal}"),
        format!("Over nodes, at equal {equal}"),
        format!("{} {}", sides(equal), pairs_drawn(report)),
        plot(
            ["nodes P (of DUAL)", "time of DUAL / SPN"],
            Some(1.0),
            Drawn::of(report).iter().map(line).collect(),
        ),
    )
}

/// Of the sender-initiated FFT; nothing if there are no two block sizes.
fn ratio_over_blocks(report: &Report, equal: Equal) -> Option<Figure> {
    let mut rows = report.rows_at(equal);
    rows.retain(|row| row.algorithm == Algorithm::Sender);
    let blocks: BTreeSet<_> = rows.iter().filter_map(|row| row.block).collect();
    let nodes: BTreeSet<_> = rows.iter().map(|row| row.dual.nodes).collect();
    if blocks.len() < 2 {
        return None;
    }
    let line = |(colour, nodes): (usize, usize)| {
        let rows = rows.iter().filter(|row| row.dual.nodes == nodes);
        let mut dots: Vec<_> = rows.filter_map(|row| Some(dot(row.block?, row.ratio))).collect();
        dots.sort_by(|a, b| a.x.total_cmp(&b.x));
        Line { key: format!("P = {nodes}"), colour, stroke: Stroke::Solid, dots }
    };
    Some(figure(
        format!("ratio-blocks-{equal}"),
        format!("Over block sizes, at equal {equal}"),
        format!("The sender-initiated FFT. {} {}", sides(equal), pairs_drawn(report)),
        plot(
            ["points a block B", "time of DUAL / SPN"],
            Some(1.0),
            nodes.into_iter().enumerate().map(line).collect(),
        ),
    ))
}

/// The speeds, a figure a subject: what has another number of points runs no race with it.
pub(super) fn speeds(report: &Report) -> Vec<Figure> {
    let speed = |(subject, about): (usize, &About)| {
        let mut lines = Vec::new();
        for drawn in Drawn::of(report) {
            let mut rows = drawn.rows(report, Equal::Nodes);
            rows.retain(|row| row.subject == subject);
            if !rows.is_empty() {
                let dots = |side: fn(&Row) -> &Side| {
                    rows.iter().map(move |row| dot(row.dual.nodes, rate(side(row))))
                };
                lines.push(drawn.line(Stroke::Solid, dots(|row| &row.spn)));
                lines.push(drawn.line(Stroke::Dashed, dots(|row| &row.dual)));
            }
        }
        figure(
            format!("speed-{subject}"),
            format!("GFLOPS over nodes: {}", about.name),
            format!(
                "5 N log2 N operations, whatever the program really does, over the time of the whole transform, reordering \
                 included. Medians of {} runs, whiskers over the middle half; both axes are logarithmic.",
                report.pairs
            ),
            plot(["nodes P", "GFLOPS"], None, lines),
        )
    };
    report.subjects.iter().enumerate().map(speed).collect()
}

/// The rate: what takes the most time is the slowest.
fn rate(side: &Side) -> Spread {
    let Side { seconds, gflops, .. } = side;
    let at = |time: f64| gflops * seconds.median / time;
    Spread {
        min: at(seconds.max),
        q1: at(seconds.q3),
        median: *gflops,
        q3: at(seconds.q1),
        max: at(seconds.min),
    }
}

/// What the units of machines did, a figure a number of nodes.
pub(super) fn units(report: &Report) -> Vec<Figure> {
    let nodes: BTreeSet<_> = report.rows_at(Equal::Nodes).iter().map(|row| row.dual.nodes).collect();
    nodes.into_iter().map(|nodes| units_at(report, nodes)).collect()
}

fn units_at(report: &Report, nodes: usize) -> Figure {
    let (mut bars, mut is_crowded) = (Vec::new(), false);
    for drawn in Drawn::of(report) {
        for row in drawn.rows(report, Equal::Nodes).into_iter().filter(|row| row.dual.nodes == nodes) {
            is_crowded |= row.is_crowded(report.machine.usable_cores);
            for ((_, side), config) in row.sides().into_iter().zip(CONFIGS) {
                let Use { eu_busy, eu_idle, su_busy, su_idle } = side.units;
                bars.push((
                    format!("{} {config}", drawn.algorithm),
                    vec![eu_busy, eu_idle, su_busy, su_idle],
                ));
            }
        }
    }
    let kind = |(key, colour, is_faint)| Kind { key, colour, is_faint };
    let kinds = [
        ("EU busy, and SU where it shares the thread", 0, false),
        ("EU idle", 0, true),
        ("SU busy", 1, false),
        ("SU idle", 1, true),
    ];
    let turns = if is_crowded {
        " Where there are more units than cores, a thread takes several in turn; its time counts as that of EUs."
    } else {
        ""
    };
    figure(
        format!("units-{nodes}"),
        if nodes == 1 { "On one node".to_owned() } else { format!("On {nodes} nodes") },
        format!(
            "By the units' own clocks, mean of {} timed runs, summed over all units of a machine: 100% is the time that all its \
             threads had.{turns}",
            report.pairs
        ),
        Body::Bars(Bars {
            name: "share of the time of all units".to_owned(),
            kinds: kinds.map(kind).into(),
            bars,
        }),
    )
}

/// Columns that a curve has at most: what is narrower than a pixel is not seen.
const MOST_COLUMNS: usize = Layout::SMALL.width as usize;

/// The amplitudes of frequencies from one step on to half the rate, which is as many cycles a unit as 1/2.
pub(super) fn spectrum(about: &About) -> Figure {
    let About { name, unit, amplitudes, strongest_period, .. } = about;
    // The strongest of what falls into a column, so that no line is averaged away.
    let width = amplitudes.len().div_ceil(MOST_COLUMNS).max(1);
    let column = |(column, bins): (usize, &[f64])| {
        let bin = column * width + bins.len().div_ceil(2);
        let strongest = bins.iter().copied().fold(0.0, f64::max);
        Dot::at(bin as f64 / (2 * amplitudes.len()) as f64, strongest)
    };
    let dots = amplitudes.chunks(width).enumerate().map(column).collect();
    let line = Line { key: String::new(), colour: 0, stroke: Stroke::Curve, dots };
    let period = strongest_period
        .map_or(String::new(), |period| format!(" The strongest line: one turn in {period:.1} {unit}s."));
    figure(
        "spectrum".to_owned(),
        name.clone(),
        format!(
            "The amplitude of the wave that would give each value, as the row measured first found it; the line at zero, which \
             is the mean, is left out.{period}"
        ),
        Body::Plot(Plot {
            across: Axis::new(format!("frequency in cycles a {unit}"), Scale::Linear, short),
            up: Axis::new("amplitude", Scale::FromZero, short),
            level: None,
            dashes: None,
            panels: vec![Panel { title: String::new(), lines: vec![line] }],
        }),
    )
}

#[cfg(test)]
mod tests {
    use earth_fft::Shape;

    use super::*;

    #[test]
    fn a_narrow_line_of_a_long_spectrum_is_drawn_to_its_height() {
        let mut about = About::of("x".to_owned(), 200_000, Shape::Line(200_000), "f64", "year");
        about.amplitudes = vec![0.0; 100_000];
        about.amplitudes[70_001] = 8.0;
        let svg = spectrum(&about).inline();
        let curve = svg.lines().find(|line| line.contains("#3987C8")).unwrap();
        let points = curve.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
        let ys: Vec<i32> =
            points.split_whitespace().map(|at| at.split(',').nth(1).unwrap().parse().unwrap()).collect();
        assert!(ys.len() <= MOST_COLUMNS && ys.iter().min() < Some(&60), "{}", ys.len());
        assert!(svg.contains("frequency in cycles a year"));
        about.amplitudes = vec![0.0];
        assert!(spectrum(&about).inline().starts_with("<svg"));
    }
}
