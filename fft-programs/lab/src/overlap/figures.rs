//! Plots: Figures 5 and 7 to 9 of the paper, and the experiments behind them.

use earth_report::document::Content;
use earth_report::figure::{Axis, Layout, Line, Panel, Plot, Scale, Stroke};
use earth_report::numbers::short;

use super::cases::{Group, RANDOM, SPEEDS, SPREAD, broken_down, examined, published, random};
use super::machines::Setting;
use super::measured::Parts;
use super::results::{Program, Results};
use super::runs::Breakdown;
use super::statements::{Varied, drawn, varied};
use crate::tune::Search;

const LAYOUT: Layout = Layout { width: 1300, panel: 1300, left: 140, dot: 8, ..Layout::WIDE };

/// Adds the figures that the short form has, too.
pub(crate) fn short_ones(content: Content, results: &Results) -> Content {
    content
        .plot("fig5", random_configurations(results))
        .plot("fig7", speed_ups(results))
        .plot("fig9", crossed(results))
}

pub(crate) fn drawn_all(content: Content, results: &Results) -> Content {
    short_ones(content, results)
        .plot("fig8", breakdowns(results))
        .plot("balance", balance(results))
        .plot("single", single(results))
}

/// Plots Figure 5: the cumulative distribution of random configurations.
fn random_configurations(results: &Results) -> Option<Plot> {
    let mut costs = results.found(&drawn(Search::Random, 0, RANDOM))?.costs;
    costs.sort_by(f64::total_cmp);
    let all = costs.len() as f64;
    let dots: Vec<_> = costs.iter().enumerate().map(|(at, cost)| (*cost, (at + 1) as f64 / all)).collect();
    let tuned = results.seconds(random(), Program::New) - results.run(random(), Program::New).parts.fixed();
    let lines = [
        Line::new(format!("{RANDOM} random configurations"), 0, dots).drawn(Stroke::Curve),
        Line::new("the paper's least and greatest", 0, [(SPREAD[0], 0.0), (SPREAD[1], 1.0)])
            .drawn(Stroke::Marks),
        Line::new("tuned", 1, [(tuned, 0.0)]),
    ];
    let axes = [
        Axis::new("seconds, without FFTz and Transpose", Scale::FromZero, short),
        Axis::new("share of configurations", Scale::FromZero, short).with([1.0]),
    ];
    Some(Plot::one(axes, lines).sized(LAYOUT))
}

/// Returns the settings of a panel on a number of ranks.
fn settings(results: &Results, group: Group, ranks: usize) -> Vec<Setting> {
    let is_in = |setting: &Setting| group.has(setting) && setting.ranks == ranks;
    results.settings().into_iter().filter(is_in).collect()
}

/// Plots Figure 7: speed-ups over FFTW.
fn speed_ups(results: &Results) -> Plot {
    let programs = [("NEW", Program::New, 1), ("TH", Program::Th, 2)];
    let panel = |group: Group| {
        let lines =
            group.ranks().into_iter().zip([Stroke::Solid, Stroke::Dashed]).flat_map(|(ranks, stroke)| {
                let all = settings(results, group, ranks);
                programs.into_iter().enumerate().flat_map(move |(color, (name, program, place))| {
                    let ours = all.iter().map(|of| (of.n as f64, results.ratio(*of, Program::Fftw, program)));
                    let ours = Line::new(name, color, ours.collect::<Vec<_>>()).drawn(stroke);
                    let theirs = all.iter().filter_map(|of| {
                        let seconds = published(*of)?.seconds;
                        Some((of.n as f64, seconds[0] / seconds[place]))
                    });
                    let key = format!("{name} in the paper");
                    [ours, Line::new(key, color, theirs.collect::<Vec<_>>()).drawn(Stroke::Marks)]
                })
            });
        Panel::new(group.name(), lines)
    };
    let axes = [
        Axis::new("points along a side", Scale::Doublings, short),
        Axis::new("times the speed of FFTW", Scale::Linear, short).with([0.8, 1.8]),
    ];
    let is_shown = |group: &Group| !settings(results, *group, group.ranks()[0]).is_empty();
    Plot::beside(axes, Group::ALL.into_iter().filter(is_shown).map(panel))
        .of_ratios()
        .dashed(["16 or 128 ranks", "32 or 256 ranks"])
        .sized(Layout { left: 140, ..Layout::WIDE })
}

/// Name of a part of the time, and the part.
type NamedPart = (&'static str, fn(&Parts) -> f64);

/// Parts of the time, in the order of the paper's Figure 8.
pub(crate) const PARTS: [NamedPart; 9] = [
    ("FFTz", |parts| parts.along_z),
    ("Transpose", |parts| parts.transpose),
    ("FFTy", |parts| parts.along_y),
    ("Pack", |parts| parts.pack),
    ("Unpack", |parts| parts.unpack),
    ("FFTx", |parts| parts.along_x),
    ("Ialltoall", |parts| parts.exchange),
    ("Wait", |parts| parts.wait),
    ("Test", |parts| parts.polls),
];

/// Programs of Figure 8.
pub(crate) const BROKEN_DOWN: [(&str, Program); 4] =
    [("NEW", Program::New), ("NEW-0", Program::New0), ("TH", Program::Th), ("TH-0", Program::Th0)];

/// Parts that Figure 8 draws, in their order. The exchange takes part where a rank is not at work.
const DRAWN: [NamedPart; 7] = [
    PARTS[0],
    PARTS[1],
    PARTS[2],
    PARTS[3],
    PARTS[4],
    PARTS[5],
    ("Ialltoall, Wait and Test", |parts| parts.exchange + parts.wait + parts.polls),
];

/// Plots Figure 8: the parts of the time, one after the other, as shares of NEW-0's time.
fn breakdowns(results: &Results) -> Plot {
    let panel = |setting: Setting| {
        let whole = results.seconds(setting, Program::New0);
        let bars = BROKEN_DOWN.into_iter().enumerate().flat_map(|(row, (_, program))| {
            let Breakdown { parts, .. } = results.run(setting, program);
            let mut end = 0.0;
            DRAWN.into_iter().enumerate().map(move |(color, (name, part))| {
                let begin = end;
                end += part(&parts) / whole;
                Line::new(name, color, [begin, end].map(|at| (at, row as f64))).drawn(Stroke::Curve)
            })
        });
        let theirs = published(setting).map(|of| of.seconds);
        let marks = theirs.into_iter().flat_map(|[_, new, th]| {
            [(0.0, new), (2.0, th)].map(|(row, seconds)| {
                Line::new("the paper's total", 0, [(seconds / whole, row)]).drawn(Stroke::Marks)
            })
        });
        Panel::new(format!("{}, {}", setting.machine.name(), setting.name()), bars.chain(marks))
    };
    let names = BROKEN_DOWN.map(|(name, _)| name.to_owned()).to_vec();
    let rows = Axis { names, ..Axis::new("", Scale::Rows, short) }.with([0.0, 3.0]);
    let axes = [Axis::new("over the time of NEW-0", Scale::FromZero, short), rows];
    let layout = Layout { left: 150, line: 36, height: 480, ..Layout::WIDE };
    Plot::beside(axes, broken_down().map(panel)).sized(layout)
}

/// Plots Figure 9: NEW with the parameters of the other machine.
fn crossed(results: &Results) -> Plot {
    let panel = |group: Group| {
        let lines =
            group.ranks().into_iter().zip([Stroke::Solid, Stroke::Dashed]).flat_map(|(ranks, stroke)| {
                let all = settings(results, group, ranks);
                let line = |color, key: &'static str, other, own| {
                    let dots = all.iter().map(|of| (of.n as f64, results.ratio(*of, other, own)));
                    Line::new(key, color, dots.collect::<Vec<_>>()).drawn(stroke)
                };
                [
                    line(0, "parameters found here", Program::Crossed, Program::New),
                    line(1, "the paper's parameters", Program::PaperCrossed, Program::Paper),
                ]
            });
        let mark = [(512.0, if group == Group::Cluster { 1.10 } else { 1.20 })];
        let mark = Line::new("the paper, on 32 ranks", 2, mark).drawn(Stroke::Marks);
        Panel::new(group.name(), lines.chain([mark]))
    };
    let axes = [
        Axis::new("points along a side", Scale::Doublings, short),
        Axis::new("CROSS over NEW, times", Scale::Linear, short).with([0.95, 1.25]),
    ];
    Plot::beside(axes, [Group::Cluster, Group::Hopper].map(panel))
        .of_ratios()
        .dashed(["16 ranks", "32 ranks"])
        .sized(Layout { left: 140, ..Layout::WIDE })
}

/// Plots the speed-ups over the balance of exchange and work.
fn balance(results: &Results) -> Plot {
    // A slower network has the greater balance.
    let all = SPEEDS.map(|faster| examined().faster(faster));
    let all: Vec<_> =
        all.into_iter().rev().map(|setting| (setting, results.run(setting, Program::New0).parts)).collect();
    let line = |color, key: &'static str, program| {
        let dots = all
            .iter()
            .map(|(setting, parts)| (parts.balance(), results.ratio(*setting, Program::New0, program)));
        Line::new(key, color, dots.collect::<Vec<_>>())
    };
    let rule = all.iter().map(|(_, parts)| (parts.balance(), parts.perfect_gain()));
    let lines = [
        line(0, "NEW", Program::New),
        line(1, "TH", Program::Th),
        line(2, "dataflow", Program::Dataflow),
        Line::ideal("(F + O + C) / (F + max(O, C))", rule.collect::<Vec<_>>()),
    ];
    let axes = [
        Axis::new("exchange over work that can overlap", Scale::Doublings, short),
        Axis::new("times the speed of NEW-0", Scale::Linear, short),
    ];
    Plot::one(axes, lines).of_ratios().sized(LAYOUT)
}

/// Plots the time over single parameters.
fn single(results: &Results) -> Plot {
    let setting = examined();
    let panel = |(name, of): (&'static str, Varied)| {
        let dots = varied(results, setting, of);
        let best = results.seconds(setting, Program::New);
        let dots = dots
            .into_iter()
            .map(|(value, parameters)| (value, results.seconds(setting, Program::With(parameters)) / best));
        Panel::new(name, [Line::new("", 0, dots.collect::<Vec<_>>())])
    };
    let axes = [
        Axis::new("value", Scale::Doublings, short),
        Axis::new("time over that of the tuned point", Scale::Linear, short),
    ];
    let all = [("T", Varied::Tile), ("W", Varied::Window), ("factor of all polls", Varied::Polls)];
    Plot::beside(axes, all.map(panel)).of_ratios().sized(Layout { left: 140, ..Layout::WIDE })
}
