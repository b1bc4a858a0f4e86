//! Plots of the page. Solid lines are simulated, dashed lines are the closed form's.

use earth::Config;
use earth_report::document::Content;
use earth_report::figure::{Axis, Layout, Line, Panel, Plot, Scale, Stroke};
use earth_report::numbers::{percent, power, short};

use super::cases::{CONFIGS, DIMENSIONS, FEW, ORDERS, RANKS, Run, SMALL, STRONG, WEAK, name, order, weak};
use super::results::Results;

/// Layout of two panels side by side.
const TWO: Layout = Layout { width: 2000, panel: 1000, beside: 2, height: 640, left: 130, ..Layout::WIDE };

const DASHED: [&str; 2] = ["simulated", "closed form with overlap"];

/// Returns a simulated line and the closed form's line.
fn both(key: &str, color: usize, dots: impl IntoIterator<Item = (f64, [f64; 2])>) -> [Line; 2] {
    let (simulated, closed): (Vec<_>, Vec<_>) = dots.into_iter().map(|(x, [y, z])| ((x, y), (x, z))).unzip();
    [Line::new(key, color, simulated), Line::new("", color, closed).drawn(Stroke::Dashed)]
}

fn plot(up: Axis, panels: impl IntoIterator<Item = Panel>) -> Plot {
    Plot::beside([Axis::new("ranks", Scale::Doublings, power), up], panels).sized(TWO).dashed(DASHED)
}

/// Returns a panel of each order in each configuration.
fn panels(lines: impl Fn(bool, Config) -> Vec<Line>) -> Vec<Panel> {
    let of = |is_natural: bool, config: Config| {
        Panel::new(format!("{}, {config}", order(is_natural)), lines(is_natural, config))
    };
    ORDERS.into_iter().flat_map(|is_natural| CONFIGS.map(|config| of(is_natural, config))).collect()
}

/// Returns the simulated time and the closed form's.
fn times(results: &Results, run: &Run) -> [f64; 2] {
    [results.seconds(run), results.closed(run).overlapped]
}

/// Plots the efficiency of strong growth: the time of one rank over the time of all.
fn strong(results: &Results) -> Plot {
    let lines = |is_natural, config| {
        let line = |(color, lengths): (usize, &[usize])| {
            let run = |ranks| Run::new(lengths, is_natural, ranks, config);
            let alone = results.seconds(&run(1));
            let efficiency = |ranks: usize| {
                (ranks as f64, times(results, &run(ranks)).map(|time| alone / ranks as f64 / time))
            };
            both(&name(lengths), color, RANKS.map(efficiency))
        };
        STRONG.into_iter().enumerate().flat_map(line).collect()
    };
    plot(Axis::new("efficiency", Scale::FromZero, percent), panels(lines))
}

/// Plots the efficiency of weak growth: the rate of a rank among many over the rate of a rank alone, both in
/// points of a level.
fn weak_growth(results: &Results) -> Plot {
    let lines = |is_natural, config| {
        let line = |(color, dimensions): (usize, u32)| {
            let run = |ranks| Run::new(&weak(dimensions, ranks), is_natural, ranks, config);
            let alone = results.seconds(&run(1)) / f64::from(WEAK);
            let efficiency = |ranks: usize| {
                let levels = f64::from(WEAK + ranks.ilog2());
                (ranks as f64, times(results, &run(ranks)).map(|time| alone * levels / time))
            };
            let key = if dimensions == 1 { "series".to_owned() } else { format!("{dimensions}-D") };
            both(&key, color, RANKS.map(efficiency))
        };
        DIMENSIONS.into_iter().enumerate().flat_map(line).collect()
    };
    plot(Axis::new("efficiency", Scale::FromZero, percent), panels(lines))
}

/// Plots the errors of the closed form, with overlap and without.
fn errors(results: &Results) -> Plot {
    let lines = |is_natural, config| {
        let line = |(color, lengths): (usize, &[usize])| {
            let dot = |ranks: usize| {
                let [without, with] = results.errors(&Run::new(lengths, is_natural, ranks, config));
                (ranks as f64, [with, without])
            };
            both(&name(lengths), color, RANKS.map(dot))
        };
        STRONG.into_iter().enumerate().flat_map(line).collect()
    };
    let up = Axis::new("closed form over simulated, less 1", Scale::Linear, percent);
    plot(up, panels(lines)).dashed(["with overlap", "without overlap"])
}

/// Plots the parts of the closed form, with the simulated time.
fn parts(results: &Results) -> Plot {
    let panel = |lengths: &[usize], is_natural| {
        let run = |ranks| Run::new(lengths, is_natural, ranks, Config::Spn);
        let line = |key: &str, color, part: &dyn Fn(&Run) -> f64| {
            let dots = RANKS.map(|ranks| (ranks as f64, 1e3 * part(&run(ranks))));
            Line::new(key, color, dots.into_iter().filter(|(_, part)| *part > 0.0))
        };
        let closed = |run: &Run| results.closed(run);
        let lines = [
            line("whole, simulated", 0, &|run| results.seconds(run)),
            line("computing", 1, &|run| closed(run).computing),
            line("bytes on the link", 2, &|run| closed(run).bytes),
            line("messages of exchanges", 3, &|run| closed(run).messages),
            line("start and end", 4, &|run| closed(run).start),
        ];
        Panel::new(format!("{}, {}", name(lengths), order(is_natural)), lines)
    };
    let up = Axis::new("milliseconds", Scale::Decades, short);
    plot(up, [panel(STRONG[0], false), panel(STRONG[3], true)]).dashed(None)
}

/// Adds the plot of small arrays, which needs short runs.
pub(crate) fn small(content: Content, results: &Results) -> Content {
    let lines = |is_natural, config| {
        let line = |(color, lengths): (usize, &[usize])| {
            let dots = FEW.map(|ranks| {
                let run = Run::new(lengths, is_natural, ranks, config);
                (ranks as f64, times(results, &run).map(|time| 1e6 * time))
            });
            both(&name(lengths), color, dots)
        };
        SMALL.into_iter().enumerate().flat_map(line).collect()
    };
    content.plot("small", plot(Axis::new("microseconds", Scale::Decades, short), panels(lines)))
}

pub(crate) fn drawn(content: Content, results: &Results) -> Content {
    small(content, results)
        .plot("strong", strong(results))
        .plot("weak", weak_growth(results))
        .plot("errors", errors(results))
        .plot("parts", parts(results))
}
