//! Figures of a comparison: ratios over nodes and over block sizes, speeds, use of the units, and spectra.

use std::collections::BTreeSet;

use earth_report::figure::{Axis, Figure, Layout, Line, Plot, Scale, Stroke};
use earth_report::numbers::{percent, short};
use earth_report::spread::Spread;

use super::report::{Equal, Report, Row, Side, SubjectInfo, UnitTimes};

/// Names of the lines of the two configurations.
const CONFIGS: [&str; 2] = ["SPN", "DUAL"];

/// Program that is drawn as one line. For the sender-initiated FFT it has the middle block size.
struct Drawn {
    algorithm: &'static str,
    block: Option<usize>,
    color: usize,
}

impl Drawn {
    /// Lists the programs that were compared.
    fn of(report: &Report) -> Vec<Self> {
        let all = ["sender", "receiver", "receiver-shared", "grouped"];
        let drawn = |(color, algorithm)| {
            let rows = report.rows.iter().filter(|row| row.algorithm == algorithm);
            let blocks: Vec<_> = rows.map(|row| row.block).collect::<BTreeSet<_>>().into_iter().collect();
            let &block = blocks.get(blocks.len() / 2)?;
            Some(Self { algorithm, block, color })
        };
        all.into_iter().enumerate().filter_map(drawn).collect()
    }

    /// Returns the program's name, with its block size.
    fn name(&self) -> String {
        let Self { algorithm, block, .. } = self;
        block.map_or(algorithm.to_string(), |block| format!("{algorithm}, blocks of {block}"))
    }

    /// Returns the program's rows, by number of nodes.
    fn rows<'a>(&self, report: &'a Report, equal: Equal) -> Vec<&'a Row> {
        let mut rows = report.rows_at(equal);
        rows.retain(|row| (row.algorithm, row.block) == (self.algorithm, self.block));
        rows.sort_by_key(|row| row.dual.nodes);
        rows
    }

    fn line(&self, dots: impl IntoIterator<Item = (f64, Spread)>) -> Line {
        Line::new(self.name(), self.color, dots)
    }
}

/// Makes a plot of lines with logarithmic axes.
fn plot([across, up]: [&str; 2], lines: Vec<Line>) -> Plot {
    let dashes = lines.iter().any(|line| line.stroke == Stroke::Dashed).then_some(CONFIGS);
    let axes = [Axis::new(across, Scale::Doublings, short), Axis::new(up, Scale::Decades, short)];
    Plot::one(axes, lines).dashed(dashes)
}

fn figure(name: String, title: String, caption: String, plot: Plot) -> Figure {
    Figure { name, title, caption, plot: plot.sized(Layout::SMALL) }
}

/// Describes both sides in the words of a caption.
pub(super) fn sides(equal: Equal) -> &'static str {
    match equal {
        Equal::Nodes => "P nodes each, so DUAL has twice the threads.",
        Equal::Cores => "P nodes of DUAL against 2P nodes of SPN, so equal threads.",
    }
}

/// Plots the ratios, over nodes and over block sizes.
pub(super) fn ratios(report: &Report) -> Vec<Figure> {
    let ways = [Equal::Nodes, Equal::Cores];
    let mut figures: Vec<_> = ways.iter().map(|&equal| ratio_over_nodes(report, equal)).collect();
    figures.extend(ways.iter().filter_map(|&equal| ratio_over_blocks(report, equal)));
    figures
}

fn pairs_drawn(report: &Report) -> String {
    format!(
        "Medians of {} pairs of alternating runs; whiskers span the middle half. Both axes are logarithmic.",
        report.pairs
    )
}

fn ratio_over_nodes(report: &Report, equal: Equal) -> Figure {
    let line = |drawn: &Drawn| {
        let rows = drawn.rows(report, equal).into_iter();
        drawn.line(rows.map(|row| (row.dual.nodes as f64, row.ratio)))
    };
    figure(
        format!("ratio-nodes-{equal}"),
        format!("Over nodes, at equal {equal}"),
        format!("{} {}", sides(equal), pairs_drawn(report)),
        plot(["nodes P (of DUAL)", "time of DUAL / SPN"], Drawn::of(report).iter().map(line).collect())
            .of_ratios(),
    )
}

/// Plots the ratios of the sender-initiated FFT; `None` if there are fewer than two block sizes.
fn ratio_over_blocks(report: &Report, equal: Equal) -> Option<Figure> {
    let mut rows = report.rows_at(equal);
    rows.retain(|row| row.algorithm == "sender");
    let blocks: BTreeSet<_> = rows.iter().filter_map(|row| row.block).collect();
    let nodes: BTreeSet<_> = rows.iter().map(|row| row.dual.nodes).collect();
    if blocks.len() < 2 {
        return None;
    }
    let line = |(color, nodes): (usize, usize)| {
        let rows = rows.iter().filter(|row| row.dual.nodes == nodes);
        let mut dots: Vec<_> = rows.filter_map(|row| Some((row.block? as f64, row.ratio))).collect();
        dots.sort_by(|a, b| a.0.total_cmp(&b.0));
        Line::new(format!("P = {nodes}"), color, dots)
    };
    Some(figure(
        format!("ratio-blocks-{equal}"),
        format!("Over block sizes, at equal {equal}"),
        format!("The sender-initiated FFT. {} {}", sides(equal), pairs_drawn(report)),
        plot(["points a block B", "time of DUAL / SPN"], nodes.into_iter().enumerate().map(line).collect())
            .of_ratios(),
    ))
}

/// Plots the speeds, one figure per subject, because speeds of different numbers of points are not compared.
pub(super) fn speeds(report: &Report) -> Vec<Figure> {
    let speed = |(subject, about): (usize, &SubjectInfo)| {
        let mut lines = Vec::new();
        for drawn in Drawn::of(report) {
            let mut rows = drawn.rows(report, Equal::Nodes);
            rows.retain(|row| row.subject == subject);
            if !rows.is_empty() {
                let line = |side: fn(&Row) -> &Side| {
                    let rate = |side: &Side| side.seconds.rate(side.gflops);
                    drawn.line(rows.iter().map(|row| (row.dual.nodes as f64, rate(side(row)))))
                };
                lines.push(line(|row| &row.spn));
                lines.push(line(|row| &row.dual).drawn(Stroke::Dashed));
            }
        }
        figure(
            format!("speed-{subject}"),
            format!("GFLOPS over nodes: {}", about.name),
            format!(
                "Nominal 5 N log2 N operations over the time of the whole transform, reordering \
                 included. Medians of {} runs; whiskers span the middle half. Both axes are logarithmic.",
                report.pairs
            ),
            plot(["nodes P", "GFLOPS"], lines),
        )
    };
    report.subjects.iter().enumerate().map(speed).collect()
}

/// Plots the use of the machines' units, one figure per number of nodes.
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
                let UnitTimes { eu_busy, eu_idle, su_busy, su_idle } = side.units;
                bars.push((format!("{} {config}", drawn.algorithm), [eu_busy, eu_idle, su_busy, su_idle]));
            }
        }
    }
    let turns = if is_crowded {
        " Where units outnumber cores, a thread runs several units in turn; its time counts as EU time."
    } else {
        ""
    };
    let layout = Layout { height: 142 + 64 * bars.len() as u32, left: 400, ..Layout::SMALL };
    Figure {
        name: format!("units-{nodes}"),
        title: if nodes == 1 { "On one node".to_owned() } else { format!("On {nodes} nodes") },
        caption: format!(
            "By the units' own clocks, mean of {} timed runs, summed over all units of a machine. 100% is the total time of all \
             its threads.{turns}",
            report.pairs
        ),
        plot: stacked(bars).sized(layout),
    }
}

/// Activities of units: key, color, and whether the unit is idle.
const UNITS: [(&str, usize, bool); 4] = [
    ("EU busy, and SU where it shares the thread", 0, false),
    ("EU idle", 0, true),
    ("SU busy", 1, false),
    ("SU idle", 1, true),
];

/// Plots equally long bars of the units' use.
fn stacked(bars: Vec<(String, [f64; 4])>) -> Plot {
    let part = |(part, (key, color, is_faint)): (usize, (&str, usize, bool))| {
        let ends = bars.iter().enumerate().filter_map(|(row, (_, times))| {
            let all: f64 = times.iter().sum();
            let end = |parts: usize| (times[..parts].iter().sum::<f64>() / all, row as f64);
            (all > 0.0).then(|| [end(part), end(part + 1)])
        });
        Line::new(key, color, ends.flatten()).drawn(Stroke::Bars { is_faint })
    };
    let lines: Vec<_> = UNITS.into_iter().enumerate().map(part).collect();
    let with = (0..bars.len()).map(|row| row as f64).collect();
    let names = bars.into_iter().map(|(name, _)| name).collect();
    let across = Axis::new("share of the time of all units", Scale::Linear, percent).with([0.0, 1.0]);
    Plot::one([across, Axis { with, names, ..Axis::new("", Scale::Rows, short) }], lines)
}

/// Most columns of a curve: anything narrower than a pixel is invisible.
const MOST_COLUMNS: usize = Layout::SMALL.width as usize;

/// Plots the amplitudes of frequencies from one step to half the sampling rate, which is 1/2 cycle per unit.
pub(super) fn spectrum(about: &SubjectInfo) -> Figure {
    let SubjectInfo { name, unit, amplitudes, strongest_period, .. } = about;
    // The strongest bin of a column is drawn, so no line is averaged away.
    let width = amplitudes.len().div_ceil(MOST_COLUMNS).max(1);
    let column = |(column, bins): (usize, &[f64])| {
        let bin = column * width + bins.len().div_ceil(2);
        let strongest = bins.iter().copied().fold(0.0, f64::max);
        (bin as f64 / (2 * amplitudes.len()) as f64, strongest)
    };
    let line = Line::new("", 0, amplitudes.chunks(width).enumerate().map(column)).drawn(Stroke::Curve);
    let across = Axis::new(format!("frequency in cycles a {unit}"), Scale::Linear, short);
    let period = strongest_period
        .map_or(String::new(), |period| format!(" The strongest line: one cycle in {period:.1} {unit}s."));
    figure(
        "spectrum".to_owned(),
        name.clone(),
        format!(
            "The amplitude of the sinusoid at each frequency, from the row measured first. Zero frequency, which \
             is the mean, is left out.{period}"
        ),
        Plot::one([across, Axis::new("amplitude", Scale::FromZero, short)], [line]),
    )
}

#[cfg(test)]
mod tests {
    use earth_fft::Shape;

    use super::*;

    fn drawn(plot: Plot) -> String {
        figure(String::new(), String::new(), String::new(), plot).inline()
    }

    #[test]
    fn bars_are_as_long_as_their_shares() {
        let bar = |times| ("sender SPN".to_owned(), times);
        let svg = drawn(stacked(vec![bar([1.0, 0.0, 3.0, 0.0]), bar([0.0; 4])]));
        let bars = svg.lines().filter(|line| line.starts_with("<rect") && line.contains("opacity=\"1\""));
        let widths: Vec<f64> = bars
            .map(|rect| rect.split("width=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(widths.len(), 2 + 2, "nothing is drawn of nothing, and two are keys: {svg}");
        assert!((widths[1] / widths[0] - 3.0).abs() < 0.05, "{widths:?}");
        assert!(svg.contains("sender SPN") && svg.contains("80%") && svg.contains("SU idle"), "{svg}");
        assert!(drawn(stacked(Vec::new())).starts_with("<svg"));
    }

    #[test]
    fn a_narrow_line_of_a_long_spectrum_is_drawn_to_its_height() {
        let mut about = SubjectInfo::of("x".to_owned(), 200_000, Shape::Line(200_000), "f64", "year");
        about.amplitudes = vec![0.0; 100_000];
        about.amplitudes[70_001] = 8.0;
        let svg = spectrum(&about).inline();
        let curve = svg.lines().find(|line| line.contains("#3987C8")).unwrap();
        let points = curve.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
        let ys: Vec<i32> =
            points.split_whitespace().map(|at| at.split(',').nth(1).unwrap().parse().unwrap()).collect();
        assert!(ys.len() <= MOST_COLUMNS && ys.iter().min() < Some(&60), "{}", ys.len());
        assert!(svg.contains("frequency in cycles a year") && !svg.contains("<circle"));
        for amplitudes in [vec![0.0], Vec::new()] {
            about.amplitudes = amplitudes;
            assert!(spectrum(&about).inline().starts_with("<svg"));
        }
    }
}
