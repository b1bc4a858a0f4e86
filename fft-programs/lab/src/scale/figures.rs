//! Plots of the page.

use earth::Config;
use earth_report::document::Content;
use earth_report::figure::{Axis, Layout, Line, Panel, Plot, Scale, Stroke};
use earth_report::numbers::{power, short};

use super::cases::{CONFIGS, Case, Distance, WITHIN_GROUP};
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

/// Plots the predicted speed-ups, and the same if all cores were as near as those of one group.
fn predicted(results: &Results) -> Plot {
    let panel = |config: Config| {
        let nodes = results.extent.predicted;
        let mut lines = vec![Line::ideal("nodes", nodes.iter().map(|&nodes| (nodes as f64, nodes as f64)))];
        for (color, case) in cases(results) {
            let dots = |distance| {
                let dot = move |&at: &usize| (at as f64, results.speed_up(case, at, config, distance));
                nodes.iter().map(dot)
            };
            lines.push(Line::new(case.program, color, dots(Distance::Median)));
            lines.push(Line::new("", color, dots(Distance::Group)).drawn(Stroke::Dashed));
        }
        Panel::new(format!("{config}, predicted"), lines)
    };
    let median = "115 ns between cores";
    let group = "23 ns";
    debug_assert!(group.starts_with(&WITHIN_GROUP.to_string()), "the key has the distance of a group");
    plot(Axis::new("speed-up over one SPN node", Scale::Doublings, short), CONFIGS.map(panel))
        .dashed([median, group])
}

/// Plots a count of runs on threads, the median by number of nodes.
fn counted(results: &Results, name: &str, count: fn(&Sample) -> Option<f64>) -> Plot {
    let panel = |config: Config| {
        let line = |(color, case): (usize, Case)| {
            let median = |&nodes: &usize| {
                let spread = results.counted(case, nodes, config, count);
                (nodes as f64, spread.map_or(f64::NAN, |spread| spread.median))
            };
            Line::new(case.program, color, results.extent.counted.iter().map(median))
        };
        Panel::new(format!("{config}, counted on threads"), cases(results).map(line))
    };
    plot(Axis::new(name, Scale::Decades, short), CONFIGS.map(panel))
}

pub(crate) fn drawn(content: Content, results: &Results) -> Content {
    content
        .plot("predicted", predicted(results))
        .plot("messages", counted(results, "messages a run", |sample| Some(sample.messages as f64)))
        .plot("stolen", counted(results, "stolen tokens a run", |sample| Some(sample.stolen as f64)))
}
