//! Figures 6 to 13 of Thulasiraman, Theobald, Khokhar and Gao, as charts of runs.
//!
//! The plots are lost, so the paper's text says what they show. Where it says two things (figure 13: blocks of P points,
//! or of 16), both are run.

use super::chart::{CONFIGS, Chart, Dot, Measure, NODES_P, POINTS, Panel, RECEIVERS, power, upper};
use super::measured::Point;
use super::program::{ByNumber, Program};
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

/// The chart of a figure of the paper; nothing for another subject.
pub(super) fn chart(subject: Subject) -> Option<Chart> {
    let (multithreaded, total) = (Measure::Multithreaded, Measure::Total);
    let (x, measure, panels) = match subject {
        // On one node no level needs another node.
        Subject::Fig6 => (NODES_P, multithreaded, receiver_over_nodes(&NODES[1..])),
        Subject::Fig7 => (POINTS, multithreaded, receiver_over_points(&[64])),
        Subject::Fig8 => (NODES_P, total, receiver_over_nodes(&NODES)),
        Subject::Fig9 => (POINTS, total, receiver_over_points(&NODES)),
        Subject::Fig10 => (NODES_P, total, sender(&SENDER_N.map(|n| (format!("N = {}", power(n)), (n, 16))))),
        Subject::Fig11 => {
            (NODES_P, total, sender(&BLOCKS.map(|block| (format!("B = {block}"), (BLOCKS_N, block)))))
        }
        Subject::Fig12 => (NODES_P, total, sender(&[(format!("N = {}, B = {}", SMALL.0, SMALL.1), SMALL)])),
        Subject::Fig13 => (NODES_P, total, compared(|_| None)),
        Subject::Speedup => (NODES_P, Measure::Speedup, compared(|point| Some(point.base()))),
        _ => return None,
    };
    Some(Chart::new(subject, x, measure, panels))
}

/// Both variants of the receiver over nodes, a line for each N.
fn receiver_over_nodes(nodes: &[usize]) -> Vec<Panel> {
    let choices = RECEIVER_N.map(|n| (format!("N = {}", power(n)), n));
    let panel = |(program, title)| {
        Panel::new(title, &CONFIGS, &choices, |&n, config| {
            nodes.iter().map(move |&p| Dot::at(p as f64, Point::at(program, config, n, p)))
        })
    };
    RECEIVERS.map(panel).into()
}

/// Both variants of the receiver over N, a line for each number of nodes.
fn receiver_over_points(nodes: &[usize]) -> Vec<Panel> {
    let choices: Vec<_> = nodes.iter().map(|&p| (format!("P = {p}"), p)).collect();
    let panel = |(program, title)| {
        Panel::new(title, &CONFIGS, &choices, |&p, config| {
            RECEIVER_N.map(|n| Dot::at(n as f64, Point::at(program, config, n, p)))
        })
    };
    RECEIVERS.map(panel).into()
}

/// The sender over nodes, a panel for each configuration and a line for each choice of N and B.
fn sender(choices: &[(String, (usize, usize))]) -> Vec<Panel> {
    let panel = |config| {
        Panel::new(upper(config), &[config], choices, |&(n, block), config| {
            sender_nodes().map(move |p| Dot::at(p as f64, Point::at(Program::Sender(block), config, n, p)))
        })
    };
    CONFIGS.map(panel).into()
}

/// Both FFTs over nodes, each run over its base, if there is one.
fn compared(base: impl Fn(Point) -> Option<Point>) -> Vec<Panel> {
    let choices: [(_, ByNumber); 4] = [
        ("sender, B = 16", |_| Program::Sender(16)),
        ("sender, B = P", Program::Sender),
        ("receiver, tree", |_| Program::Tree),
        ("receiver, shared", |_| Program::Shared),
    ];
    let panel = |config| {
        Panel::new(upper(config), &[config], &choices, |program, config| {
            NODES.map(|p| {
                let point = Point::at(program(p), config, COMPARED_N, p);
                Dot { base: base(point), ..Dot::at(p as f64, point) }
            })
        })
    };
    CONFIGS.map(panel).into()
}
