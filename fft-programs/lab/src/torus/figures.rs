//! What is drawn: the paper's three figures, and what lies behind them.

use super::cases::{BYTES, LARGEST, NO_BARRIER, SHAPES, STRONG, Variant, weak};
use super::exchange::{Exchange, Order};
use super::phases::phases;
use super::results::Results;
use crate::figure::{Axis, Dot, Figure, Layout, Line, Panel, Plot, Scale, Stroke};
use crate::numbers::{power, short};

const LAYOUT: Layout = Layout { width: 1300, panel: 1300, left: 140, dot: 8, ..Layout::WIDE };

/// The variants, as the paper calls them.
pub(crate) const VARIANTS: [(Variant, &str); 4] = [
    (Variant::Base, "base"),
    (Variant::Phased, "A2A: phases with barriers"),
    (Variant::Overlapped, "A2A+Ovlp: and 4 blocks that overlap"),
    (Variant::Dataflow, "phases by counted slots, no barrier"),
];

fn nodes_of(sides: &[usize; 3]) -> f64 {
    sides.iter().product::<usize>() as f64
}

/// Figure 1: the partners of node A in the middle of 8 x 8 nodes, some phases.
pub(crate) fn pattern() -> Figure {
    let sides = [8, 8];
    let all = phases(&sides);
    let near = |at: usize| if at > 4 { at as f64 - 8.0 } else { at as f64 };
    let panel = |v: usize| {
        let phase = all.iter().find(|phase| phase.contains(&v)).cloned().unwrap_or_default();
        let line = |(number, partner): (usize, &usize)| Line {
            key: String::new(),
            colour: number,
            stroke: Stroke::Solid,
            dots: vec![Dot::at(0.0, 0.0), Dot::at(near(partner % 8), near(partner / 8))],
        };
        Panel {
            title: format!("v = ({}, {}): {} partners", v % 8, v / 8, phase.len()),
            lines: phase.iter().enumerate().map(line).collect(),
        }
    };
    let axis = |name: &str| Axis { with: vec![-4.0, 4.0], ..Axis::new(name, Scale::Linear, short) };
    Figure {
        name: "fig1".to_owned(),
        title: "Figure 1: partners of a node on a torus of 8 x 8".to_owned(),
        caption: "Node A is in the middle. Each line leads to a partner of the phase, by hops along both dimensions; the \
                  torus goes on at the edges. Together the lines of a full phase go 8 hops along each dimension."
            .to_owned(),
        layout: Layout { width: 2000, panel: 500, height: 560, ..LAYOUT },
        plot: Plot {
            across: axis("x"),
            up: axis("y"),
            level: None,
            dashes: None,
            panels: [1, 9, 11, 18].map(panel).into(),
        },
    }
}

fn over_nodes(name: &str, title: &str, caption: String, up: Axis, lines: Vec<Line>) -> Figure {
    Figure {
        name: name.to_owned(),
        title: title.to_owned(),
        caption,
        layout: LAYOUT,
        plot: Plot {
            across: Axis::new("nodes", Scale::Doublings, power),
            up,
            level: None,
            dashes: None,
            panels: vec![Panel { title: String::new(), lines }],
        },
    }
}

/// A line of a variant: dashed without barriers, since it lies on the one with them.
fn of_variant(
    colour: usize,
    (variant, key): (Variant, &str),
    dots: impl IntoIterator<Item = (f64, f64)>,
) -> Line {
    let stroke = if variant == Variant::Dataflow { Stroke::Dashed } else { Stroke::Solid };
    Line { stroke, ..line(key, colour, dots) }
}

fn line(key: impl Into<String>, colour: usize, dots: impl IntoIterator<Item = (f64, f64)>) -> Line {
    let dots = dots.into_iter().map(|(x, y)| Dot::at(x, y)).collect();
    Line { key: key.into(), colour, stroke: Stroke::Solid, dots }
}

/// Figure 2: weak scaling.
pub(crate) fn weak_scaling(results: &Results) -> Figure {
    let rate = |variant| {
        SHAPES.iter().map(move |sides| {
            let nodes = nodes_of(sides);
            (nodes, results.gflops(variant, *sides, weak(nodes as usize)))
        })
    };
    let lines = VARIANTS.into_iter().enumerate().map(|(colour, of)| of_variant(colour, of, rate(of.0)));
    over_nodes(
        "fig2",
        "Figure 2: weak scaling, 2 to 4 million points a node",
        "The base beyond 1024 nodes has the share of the peak of the torus of half the sides, as often as it takes to come to \
         1024 nodes. The steps up and down are the torus: the longer its longest dimension, the less a node can exchange. Phases \
         with barriers and by counted slots (dashed) lie on each other."
            .to_owned(),
        Axis::new("Gflops", Scale::Decades, short),
        lines.collect(),
    )
}

/// Figure 3: strong scaling.
pub(crate) fn strong_scaling(results: &Results) -> Figure {
    let lines = STRONG.iter().enumerate().map(|(colour, log)| {
        let n = f64::from(*log).exp2();
        let rates = SHAPES.iter().filter_map(|sides| Some((nodes_of(sides), results.strong(*sides, n)?)));
        line(format!("{} G points", 1 << (log - 30)), colour, rates)
    });
    over_nodes(
        "fig3",
        "Figure 3: strong scaling, 1 to 16 G points",
        "Phases with barriers, no overlap. A line ends where there are more nodes than rows.".to_owned(),
        Axis::new("Gflops", Scale::Decades, short),
        lines.collect(),
    )
}

/// The shares of the peak behind Figure 2.
pub(crate) fn shares(results: &Results) -> Figure {
    let share = |variant| {
        SHAPES.iter().map(move |sides| {
            let nodes = nodes_of(sides);
            (nodes, results.share_of(variant, *sides, weak(nodes as usize), 1.0))
        })
    };
    let of = [VARIANTS[0], VARIANTS[1], VARIANTS[3]];
    let mut lines: Vec<_> =
        of.into_iter().enumerate().map(|(colour, of)| of_variant(colour, of, share(of.0))).collect();
    let at_once = SHAPES.iter().map(|sides| {
        let exchange = Exchange::new(sides, BYTES, Order::Barriers(NO_BARRIER));
        (nodes_of(sides), results.share(&exchange))
    });
    lines.push(line("phases of 1024 bytes, all at once", 3, at_once));
    over_nodes(
        "shares",
        "Shares of the peak that all-to-alls reach",
        "The peak is the time in which the links of the longest dimension are always busy, headers counted. The base suffers where \
         one dimension is longer than the others; phases do not."
            .to_owned(),
        Axis::new("share of the peak", Scale::FromZero, short),
        lines,
    )
}

/// Where overlap pays: its time over that of phases alone, by blocks.
pub(crate) fn overlap(results: &Results) -> Figure {
    let lines = [[8, 8, 8], [16, 16, 16], LARGEST].into_iter().enumerate().map(|(colour, sides)| {
        let model = results.model(sides);
        let n = weak(nodes_of(&sides) as usize);
        let share = results.share_of(Variant::Phased, sides, n, 1.0);
        let alone = model.fft(n, model.exchange(n, 1.0) / share);
        let dots =
            (0..12).map(|log| f64::from(log).exp2()).filter(|blocks| model.pair_bytes(n) / blocks >= 16.0);
        let at = |blocks: f64| {
            let [first, exchange] = [1.0, blocks].map(|blocks| model.exchange(n, blocks) / share);
            (model.pair_bytes(n) / blocks, model.overlapped(n, blocks, first, exchange) / alone)
        };
        let mut dots: Vec<_> = dots.map(at).collect();
        dots.reverse();
        line(format!("{} nodes, 2^{:.0} points", nodes_of(&sides), n.log2()), colour, dots)
    });
    let figure = over_nodes(
        "overlap",
        "Where overlap pays",
        "The time of a transform in blocks that overlap, over its time without overlap: below 1 it pays. By the model, at the \
         share of the peak of whole messages. Small blocks lose to headers, large ones leave little to overlap; the more of the time is \
         exchange, the less there is to gain."
            .to_owned(),
        Axis { with: vec![0.8, 1.25], ..Axis::new("ratio of times", Scale::Linear, short) },
        lines.collect(),
    );
    let across = Axis::new("bytes of a pair of nodes in a block", Scale::Doublings, power);
    Figure { plot: Plot { across, level: Some(1.0), ..figure.plot }, ..figure }
}
