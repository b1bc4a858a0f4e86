//! Figures 6 to 13 of Thulasiraman, Theobald, Khokhar and Gao, as charts of runs.
//!
//! The plots are lost, so the paper's text says what they show. Where it says two things (figure 13: blocks of P points,
//! or of 16), both are run.

use super::chart::{CONFIGS, Chart, Lines, Measure, POINTS, Panel, RECEIVERS, power, upper};
use super::measured::Point;
use super::program::Program;
use super::subject::Subject;

/// The numbers of points of the receiver's figures.
pub(super) const RECEIVER_N: [usize; 6] = [1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15];

/// The numbers of points of the sender's figure 10.
pub(super) const SENDER_N: [usize; 5] = [1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16];

/// The block sizes of figure 11, and its N.
pub(super) const BLOCKS: [usize; 3] = [4, 16, 256];
pub(super) const BLOCKS_N: usize = 1 << 12;

/// N of the comparison, the paper's 16K points.
pub(super) const COMPARED_N: usize = 1 << 14;

/// The points and the block size of figure 12.
pub(super) const SMALL: (usize, usize) = (64, 16);

/// The machines whose number of nodes is a power of two.
pub(super) const NODES: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];

/// One machine of ours beyond the paper's 64 nodes, of no power of two: the sender runs on any number of nodes.
pub(super) const MOST: usize = 120;

/// The machines that the sender is run on.
pub(super) fn sender_nodes() -> impl Iterator<Item = usize> + Clone {
    NODES.into_iter().chain([MOST])
}

const SOLID: &str = "Solid lines are SPN, dashed ones DUAL.";

/// The chart of a figure of the paper; nothing for another subject.
pub(super) fn chart(subject: Subject) -> Option<Chart> {
    Some(match subject {
        Subject::Fig6 => receiver_over_nodes("fig6", "6", Measure::Multithreaded),
        Subject::Fig7 => receiver_over_points("fig7", "7", Measure::Multithreaded, &[64]),
        Subject::Fig8 => receiver_over_nodes("fig8", "8", Measure::Total),
        Subject::Fig9 => receiver_over_points("fig9", "9", Measure::Total, &NODES),
        Subject::Fig10 => figure_10(),
        Subject::Fig11 => figure_11(),
        Subject::Fig12 => figure_12(),
        Subject::Fig13 => figure_13(),
        Subject::Speedup => speedup(),
        _ => return None,
    })
}

/// The name of a measure in a caption.
fn measured(measure: Measure) -> &'static str {
    match measure {
        Measure::Multithreaded => "the multithreaded phase alone: the log P levels that need other nodes",
        _ => "the total time, from when all points are dealt until the last one is computed",
    }
}

fn receiver_over_nodes(name: &'static str, number: &str, measure: Measure) -> Chart {
    let mut panels = Vec::new();
    // On one node no level needs another node.
    let nodes = NODES.into_iter().filter(|&p| p > 1 || measure == Measure::Total);
    for (program, title) in RECEIVERS {
        let mut lines = Lines::default();
        for config in CONFIGS {
            for (colour, n) in RECEIVER_N.into_iter().enumerate() {
                let points = nodes.clone().map(|p| (p as f64, Point::at(program, config, n, p), None));
                lines.add(format!("N = {}", power(n)), colour, points);
            }
        }
        panels.push(lines.into_panel(title));
    }
    Chart {
        name,
        title: format!("Figure {number}: receiver-initiated, {} over P", measure.axis()),
        caption: format!("Receiver-initiated FFT, {}, over the number of nodes. {SOLID}", measured(measure)),
        x: "nodes P",
        measure,
        panels,
    }
}

fn receiver_over_points(name: &'static str, number: &str, measure: Measure, nodes: &[usize]) -> Chart {
    let mut panels = Vec::new();
    for (program, title) in RECEIVERS {
        let mut lines = Lines::default();
        for config in CONFIGS {
            for (colour, &p) in nodes.iter().enumerate() {
                let points =
                    RECEIVER_N.into_iter().map(|n| (n as f64, Point::at(program, config, n, p), None));
                lines.add(format!("P = {p}"), colour, points);
            }
        }
        panels.push(lines.into_panel(title));
    }
    let over = if let [p] = nodes { format!("N on {p} nodes") } else { "N".to_owned() };
    Chart {
        name,
        title: format!("Figure {number}: receiver-initiated, {} over {over}", measure.axis()),
        caption: format!("Receiver-initiated FFT, {}, over the number of points. {SOLID}", measured(measure)),
        x: POINTS,
        measure,
        panels,
    }
}

/// A chart of the sender over nodes, with a panel for each configuration and a line for each choice of N and B.
fn sender(name: &'static str, title: &str, caption: &str, choices: &[(usize, usize, String)]) -> Chart {
    let panel = |config| {
        let mut lines = Lines::default();
        for (colour, (n, block, label)) in choices.iter().enumerate() {
            let point = |p| (p as f64, Point::at(Program::Sender(*block), config, *n, p), None);
            lines.add(label.clone(), colour, sender_nodes().map(point));
        }
        lines.into_panel(upper(config))
    };
    Chart {
        name,
        title: title.to_owned(),
        caption: format!(
            "{caption} Times are from when all points are dealt until the last one is computed."
        ),
        x: "nodes P",
        measure: Measure::Total,
        panels: CONFIGS.map(panel).into(),
    }
}

fn figure_10() -> Chart {
    let choices: Vec<_> = SENDER_N.map(|n| (n, 16, format!("N = {}", power(n)))).into();
    sender(
        "fig10",
        "Figure 10: sender-initiated, B = 16, over P",
        "Sender-initiated FFT in blocks of 16 points, so 256 to 4096 threads.",
        &choices,
    )
}

fn figure_11() -> Chart {
    let choices: Vec<_> = BLOCKS.map(|block| (BLOCKS_N, block, format!("B = {block}"))).into();
    sender(
        "fig11",
        "Figure 11: sender-initiated, N = 2^12, over P",
        "Sender-initiated FFT of 4096 points in blocks of 4, 16 and 256, so 1024, 256 and 16 threads.",
        &choices,
    )
}

fn figure_12() -> Chart {
    let (n, block) = SMALL;
    sender(
        "fig12",
        "Figure 12: sender-initiated, N = 64, B = 16, over P",
        "Sender-initiated FFT of 64 points by 4 threads.",
        &[(n, block, format!("N = {n}, B = {block}"))],
    )
}

/// The names and programs of the lines of figure 13, on so many nodes.
fn compared(p: usize) -> [(&'static str, Program); 4] {
    [
        ("sender, B = 16", Program::Sender(16)),
        ("sender, B = P", Program::Sender(p)),
        ("receiver, tree", Program::Tree),
        ("receiver, shared", Program::Shared),
    ]
}

fn compared_panels(base: impl Fn(Point) -> Option<Point>) -> Vec<Panel> {
    let panel = |config| {
        let mut lines = Lines::default();
        for (colour, (name, _)) in compared(1).into_iter().enumerate() {
            let points = NODES.into_iter().map(|p| {
                let point = Point::at(compared(p)[colour].1, config, COMPARED_N, p);
                (p as f64, point, base(point))
            });
            lines.add(name, colour, points);
        }
        lines.into_panel(upper(config))
    };
    CONFIGS.map(panel).into()
}

fn figure_13() -> Chart {
    Chart {
        name: "fig13",
        title: "Figure 13: sender and receiver, N = 2^14, over P".to_owned(),
        caption: "Both FFTs of 16384 points. The paper's text has the sender's blocks at P points and at 16: here are both. \
                  Times are from when all points are dealt until the last one is computed."
            .to_owned(),
        x: "nodes P",
        measure: Measure::Total,
        panels: compared_panels(|_| None),
    }
}

fn speedup() -> Chart {
    Chart {
        name: "speedup",
        title: "Absolute speed-up, N = 2^14, over P".to_owned(),
        caption: "The time of the sequential row kernel on one node, at the same costs, over the total time. At 64 nodes the \
                  paper has about 70% of 64, which is 45."
            .to_owned(),
        x: "nodes P",
        measure: Measure::Speedup,
        panels: compared_panels(|point| Some(point.base())),
    }
}
