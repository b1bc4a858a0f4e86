//! Plots of the page.

use earth::Config;
use earth_report::document::Content;
use earth_report::figure::{Axis, Layout, Line, Panel, Plot, Scale};
use earth_report::numbers::{percent, power, short};

use super::cases::{CONFIGS, Case, Distance};
use super::results::Results;
use super::sample::Sample;

/// Layout of two panels side by side.
const TWO: Layout = Layout { width: 2000, panel: 1000, beside: 2, height: 640, left: 130, ..Layout::WIDE };

fn plot(up: Axis, panels: impl IntoIterator<Item = Panel>) -> Plot {
    Plot::beside([Axis::new("nodes", Scale::Doublings, power), up], panels).sized(TWO)
}

fn cases(results: &Results) -> impl Iterator<Item = (usize, Case)> {
    results.extent.cases.iter().copied().enumerate()
}

/// Plots the predicted efficiencies: speed-ups over one SPN node, a node.
fn predicted(results: &Results) -> Plot {
    let panel = |config: Config| {
        let line = |(color, case): (usize, Case)| {
            let dot = |&nodes: &usize| {
                (nodes as f64, results.speed_up(case, nodes, config, Distance::Groups) / nodes as f64)
            };
            let several = results.extent.predicted.iter().filter(|&&nodes| nodes > 1);
            Line::new(case.program, color, several.map(dot))
        };
        Panel::new(format!("{config}, predicted"), cases(results).map(line))
    };
    plot(Axis::new("speed-up over one SPN node, a node", Scale::FromZero, percent), CONFIGS.map(panel))
}

/// Plots a count of runs on threads, the median by number of nodes.
fn counted(results: &Results, name: &str, count: fn(&Sample) -> Option<f64>) -> Plot {
    let panel = |config: Config| {
        let line = |(color, case): (usize, Case)| {
            let median = |&nodes: &usize| {
                let spread = results.counted(case, nodes, config, count);
                (nodes as f64, spread.map_or(f64::NAN, |spread| spread.median))
            };
            let dots = results.extent.counted.iter().map(median).filter(|(_, median)| *median > 0.0);
            Line::new(case.program, color, dots)
        };
        let lines = cases(results).map(line).filter(|line| !line.dots.is_empty());
        Panel::new(format!("{config}, counted on threads"), lines)
    };
    plot(Axis::new(name, Scale::Decades, short), CONFIGS.map(panel))
}

pub(crate) fn drawn(content: Content, results: &Results) -> Content {
    content
        .plot("predicted", predicted(results))
        .plot("messages", counted(results, "messages a run", |sample| Some(sample.messages as f64)))
        .plot("stolen", counted(results, "stolen tokens a run", |sample| Some(sample.stolen as f64)))
}
