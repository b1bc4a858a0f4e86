//! Figures 6 to 13 of Thulasiraman, Theobald, Khokhar and Gao, as charts of runs.
//!
//! The plots are lost, so the paper's text defines their contents. Where the text is ambiguous (figure 13:
//! blocks of P points, or of 16), both readings are run.

use crate::simulate::chart::{CONFIGS, Dot, Panel, power, upper};
use crate::simulate::measured::Point;
use crate::simulate::program::{ByNumber, Program};

/// Numbers of points in the receiver's figures.
pub(in crate::simulate) const RECEIVER_N: [usize; 6] = [1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15];

/// Numbers of points in the sender's figure 10.
pub(in crate::simulate) const SENDER_N: [usize; 5] = [1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16];

/// Block sizes of figure 11, and its N.
pub(in crate::simulate) const BLOCKS: [usize; 3] = [4, 16, 256];
pub(in crate::simulate) const BLOCKS_N: usize = 1 << 12;

/// N of the comparison, the paper's 16K points.
pub(in crate::simulate) const COMPARED_N: usize = 1 << 14;

/// Number of points and block size of figure 12.
pub(in crate::simulate) const SMALL: (usize, usize) = (64, 16);

/// Numbers of nodes that are powers of two.
pub(in crate::simulate) const NODES: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];

/// Number of nodes beyond the paper's 64, not a power of two: the sender runs on any number of nodes.
pub(in crate::simulate) const MOST: usize = 120;

/// Returns the sender's numbers of nodes.
pub(in crate::simulate) fn sender_nodes() -> impl Iterator<Item = usize> + Clone {
    NODES.into_iter().chain([MOST])
}

/// Both variants of the receiver, with the titles of their panels.
const RECEIVERS: [(Program, &str); 2] = [
    (Program::Tree, "Tree: each ask computes its point anew"),
    (Program::Shared, "Shared: each point is computed once"),
];

/// Plots both variants of the receiver over nodes, with a line for each N.
pub(super) fn receiver_over_nodes(nodes: &[usize]) -> Vec<Panel> {
    let choices = RECEIVER_N.map(|n| (format!("N = {}", power(n)), n));
    let panel = |(program, title)| {
        Panel::new(title, &CONFIGS, &choices, |&n, config| {
            nodes.iter().map(move |&p| Dot::at(p as f64, Point::at(program, config, n, p)))
        })
    };
    RECEIVERS.map(panel).into()
}

/// Plots both variants of the receiver over N, with a line for each number of nodes.
pub(super) fn receiver_over_points(nodes: &[usize]) -> Vec<Panel> {
    let choices: Vec<_> = nodes.iter().map(|&p| (format!("P = {p}"), p)).collect();
    let panel = |(program, title)| {
        Panel::new(title, &CONFIGS, &choices, |&p, config| {
            RECEIVER_N.map(|n| Dot::at(n as f64, Point::at(program, config, n, p)))
        })
    };
    RECEIVERS.map(panel).into()
}

/// Plots the sender over nodes, with a panel for each configuration and a line for each choice of N and B.
pub(super) fn sender(choices: &[(String, (usize, usize))]) -> Vec<Panel> {
    let panel = |config| {
        Panel::new(upper(config), &[config], choices, |&(n, block), config| {
            sender_nodes().map(move |p| Dot::at(p as f64, Point::at(Program::Sender(block), config, n, p)))
        })
    };
    CONFIGS.map(panel).into()
}

/// Time that the paper states for 16K points on 64 nodes, in seconds, and the clock that it assumes, in
/// megahertz.
const STATED: f64 = 10e-3;
pub(in crate::simulate) const PAPER_CLOCK: f64 = 140.0;

/// Share of the perfect speed-up on 64 nodes that the paper states.
const STATED_SHARE: f64 = 0.7;

/// Plots the total times of both FFTs over nodes, with the time that the paper states.
pub(super) fn compared(clock_mhz: f64) -> Vec<Panel> {
    let stated = STATED * PAPER_CLOCK / clock_mhz;
    both(|_| None, (64.0, stated))
}

/// Plots the speed-ups of both FFTs over nodes, with the share that the paper states.
pub(super) fn speedups() -> Vec<Panel> {
    both(|point| Some(point.base()), (64.0, STATED_SHARE * 64.0))
}

/// Plots both FFTs over nodes, each run over its base, if there is one.
fn both(base: impl Fn(Point) -> Option<Point>, stated: (f64, f64)) -> Vec<Panel> {
    let choices: [(_, ByNumber); 4] = [
        ("sender, B = 16", |_| Program::Sender(16)),
        ("sender, B = P", Program::Sender),
        ("receiver, tree", |_| Program::Tree),
        ("receiver, shared", |_| Program::Shared),
    ];
    let panel = |config| {
        let title = format!("{}, N = {}", upper(config), power(COMPARED_N));
        let panel = Panel::new(title, &[config], &choices, |program, config| {
            NODES.map(|p| {
                let point = Point::at(program(p), config, COMPARED_N, p);
                Dot { base: base(point), ..Dot::at(p as f64, point) }
            })
        });
        Panel { published: vec![stated], ..panel }
    };
    CONFIGS.map(panel).into()
}
