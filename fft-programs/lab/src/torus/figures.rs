//! Plots: the paper's three figures, and the quantities behind them.

use earth_report::document::Content;
use earth_report::figure::{Axis, Layout, Line, Panel, Plot, Scale, Stroke};
use earth_report::numbers::{power, short};

use super::cases::{BYTES, LARGEST, SHAPES, STRONG, Variant, nodes, weak};
use super::exchange::{Exchange, NO_BARRIER, Order};
use super::phases::phases;
use super::results::Results;

const LAYOUT: Layout = Layout { width: 1300, panel: 1300, left: 140, dot: 8, ..Layout::WIDE };

/// Variants, with their names in the paper.
pub(crate) const VARIANTS: [(Variant, &str); 4] = [
    (Variant::Base, "base"),
    (Variant::Phased, "A2A: phases with barriers"),
    (Variant::Overlapped, "A2A+Ovlp: and 4 blocks that overlap"),
    (Variant::Dataflow, "phases by counted slots, no barrier"),
];

/// Plots figure 1: the partners of node A in the middle of 8 x 8 nodes, in some phases.
pub(crate) fn pattern() -> Plot {
    let all = phases(&[8, 8]);
    let near = |at: usize| if at > 4 { at as f64 - 8.0 } else { at as f64 };
    let names = ["+ v", "- v", "h - v", "v - h"];
    let panel = |v: usize| {
        let phase = all.iter().find(|phase| phase.contains(&v)).cloned().unwrap_or_default();
        let lines = phase.iter().zip(names).enumerate().map(|(color, (partner, name))| {
            Line::new(name, color, [(0.0, 0.0), (near(partner % 8), near(partner / 8))])
        });
        Panel::new(format!("v = ({}, {}): {} partners", v % 8, v / 8, phase.len()), lines)
    };
    let axes =
        ["hops along x", "hops along y"].map(|name| Axis::new(name, Scale::Linear, short).with([-4.0, 4.0]));
    let layout = Layout { width: 2000, panel: 500, height: 560, ..LAYOUT };
    Plot::beside(axes, [1, 9, 11, 18].map(panel)).sized(layout)
}

/// Gflops of the paper on its largest machine, with the colors of the variants (section 5).
const PUBLISHED: [(f64, usize, &str); 3] = [
    (2311.0, 0, "the paper: base, 2311"),
    (2875.0, 1, "the paper: A2A, 2875"),
    (2779.0, 2, "the paper: A2A+Ovlp, 2779"),
];

pub(crate) fn drawn(content: Content, results: &Results) -> Content {
    content
        .plot("fig1", pattern())
        .plot("fig2", weak_scaling(results))
        .plot("fig3", strong_scaling(results))
        .plot("shares", shares(results))
        .plot("overlap", overlap(results))
}

fn over_nodes(up: Axis, lines: impl IntoIterator<Item = Line>) -> Plot {
    Plot::one([Axis::new("nodes", Scale::Doublings, power), up], lines).sized(LAYOUT)
}

/// Makes a line over the tori of the weak scaling.
fn line(key: &str, color: usize, value: impl Fn(&[usize; 3]) -> f64) -> Line {
    Line::new(key, color, SHAPES.map(|sides| (nodes(&sides) as f64, value(&sides))))
}

/// Makes the lines of variants. The line without barriers is dashed because it covers the line with barriers.
fn of_variants(
    variants: impl IntoIterator<Item = (Variant, &'static str)>,
    value: impl Fn(Variant, [usize; 3], f64) -> f64,
) -> Vec<Line> {
    let of = |(color, (variant, key)): (usize, (Variant, &str))| {
        let stroke = if variant == Variant::Dataflow { Stroke::Dashed } else { Stroke::Solid };
        line(key, color, |sides| value(variant, *sides, weak(nodes(sides)))).drawn(stroke)
    };
    variants.into_iter().enumerate().map(of).collect()
}

/// Makes the line of the rates at which computing alone would go.
fn computing_alone(results: &Results) -> Line {
    let rate = |sides: [usize; 3]| {
        let model = results.model(sides);
        (model.nodes(), model.nodes() / model.flop / 1e9)
    };
    Line::ideal("p/c: computing alone", [SHAPES[0], LARGEST].map(rate))
}

/// Plots figure 2.
fn weak_scaling(results: &Results) -> Plot {
    let mut lines = of_variants(VARIANTS, |variant, sides, n| results.gflops(variant, sides, n));
    let at = nodes(&LARGEST) as f64;
    lines
        .extend(PUBLISHED.map(|(rate, color, key)| Line::new(key, color, [(at, rate)]).drawn(Stroke::Marks)));
    lines.push(computing_alone(results));
    over_nodes(Axis::new("Gflops", Scale::Decades, short), lines)
}

/// Plots figure 3.
fn strong_scaling(results: &Results) -> Plot {
    let lines = STRONG.into_iter().enumerate().map(|(color, log)| {
        let rate =
            |sides: [usize; 3]| Some((nodes(&sides) as f64, results.strong(sides, f64::from(log).exp2())?));
        Line::new(format!("{} G points", 1 << (log - 30)), color, SHAPES.into_iter().filter_map(rate))
    });
    let lines = lines.chain([computing_alone(results)]);
    over_nodes(Axis::new("Gflops", Scale::Decades, short), lines)
}

/// Plots the shares of the peak behind figure 2.
fn shares(results: &Results) -> Plot {
    let of = [VARIANTS[0], VARIANTS[1], VARIANTS[3]];
    let mut lines = of_variants(of, |variant, sides, n| results.share_of(variant, sides, n, 1.0));
    let at_once =
        |sides: &[usize; 3]| results.share(&Exchange::new(sides, BYTES, Order::Barriers(NO_BARRIER)));
    lines.push(line("phases of 1024 bytes, all at once", 3, at_once));
    over_nodes(Axis::new("share of the peak bandwidth", Scale::FromZero, short), lines)
}

/// Plots the time with overlap over the time of phases alone, by blocks.
fn overlap(results: &Results) -> Plot {
    let lines = [[8, 8, 8], [16, 16, 16], LARGEST].into_iter().enumerate().map(|(color, sides)| {
        let (model, n) = (results.model(sides), weak(nodes(&sides)));
        let share = results.share_of(Variant::Phased, sides, n, 1.0);
        let alone = model.fft(n, model.exchange(n, 1.0) / share);
        let all = (0..12).rev().map(|log| f64::from(log).exp2());
        let dots = all.filter(|blocks| model.pair_bytes(n) / blocks >= 16.0).map(|blocks| {
            let [first, exchange] = [1.0, blocks].map(|blocks| model.exchange(n, blocks) / share);
            (model.pair_bytes(n) / blocks, model.overlapped(n, blocks, first, exchange) / alone)
        });
        Line::new(format!("{} nodes, 2^{:.0} points", nodes(&sides), n.log2()), color, dots)
    });
    let axes = [
        Axis::new("bytes of a pair of nodes in a block", Scale::Doublings, power),
        Axis::new("time with overlap / time without", Scale::Linear, short).with([0.8, 1.25]),
    ];
    Plot::one(axes, lines).sized(LAYOUT).of_ratios()
}
