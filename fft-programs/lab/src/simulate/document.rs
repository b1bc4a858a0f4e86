//! Results of a simulation as a document: the machine, a figure with its tables for each chart, and the
//! statements.

use std::collections::BTreeSet;

use earth::Config;
use earth::simulated::Profile;
use earth_report::document::Medium::{Page, Terminal};
use earth_report::document::{Document, Part, Table};
use earth_report::figure::{self, Axis, Figure, Layout, Plot, Scale, Stroke};
use earth_report::numbers::{extent, seconds, short, short_seconds};
use earth_report::statements::counted;

use super::chart::{CONFIGS, Chart, Line, Measure, POINTS, Panel, upper};
use super::measured::Runs;
use super::report::Report;

const TITLE: &str = "The EARTH machine, simulated";

const STATEMENTS: &str = "The paper's statements";

const LAYOUT: Layout = Layout {
    width: 960,
    panel: 960,
    beside: 2,
    height: 720,
    left: 140,
    dot: 7,
    entry: 90,
    letter: 15,
    ..Layout::WIDE
};

impl Report {
    /// Makes the document of tables and statements, with figures for a page.
    pub fn document(&self) -> Document {
        let is_judged = !self.statements.is_empty();
        let verdict = |medium| is_judged.then(|| Part::Only(medium, vec![Part::line(self.verdict())]));
        let mut parts = vec![Part::Only(Page, vec![Part::heading(1, TITLE)])];
        parts.extend(verdict(Page));
        parts.push(Part::Lines(self.machine()));
        parts.extend(self.charts.iter().flat_map(|chart| charted(chart, &self.runs)));
        if is_judged {
            parts.push(Part::Only(Terminal, vec![Part::line(STATEMENTS)]));
            parts.push(Part::Only(Page, vec![Part::heading(2, STATEMENTS)]));
        }
        parts.extend(self.statements.iter().cloned().map(Part::Statement));
        parts.extend(verdict(Terminal));
        Document { title: TITLE.to_owned(), parts }
    }

    /// Describes the costs, and which of them are published.
    fn machine(&self) -> Vec<String> {
        let profile = self.setups.given();
        let Profile { name, clock_mhz, work, network, .. } = profile;
        let listed = |figures: &[String]| {
            if figures.is_empty() { "none".to_owned() } else { figures.join(", ") }
        };
        let (published, fitted) = (listed(&profile.published), listed(&profile.fitted));
        let network_mhz = network.clock_mhz.unwrap_or(*clock_mhz);
        let mut lines = vec![
            format!(
                "Simulated: {name}, processors of {clock_mhz} MHz, network of {network_mhz} MHz, {} cycles a flop.",
                work.flop
            ),
            format!("Published figures of the profile: {published}. Fitted: {fitted}. All its other costs are estimates."),
            "The total time is from when all points are dealt until the last one is computed. The CSV and JSON have the times of \
             dealing, gathering and reordering."
                .to_owned(),
        ];
        if !self.statements.is_empty() {
            lines.push(
                "The verdicts below are at these costs alone. `simulate earth` takes each again with each estimate halved and doubled."
                    .to_owned(),
            );
        }
        if let Some(policy) = self.setups.other_policy() {
            lines.push(format!("All machines have the policy {policy}, whatever their profiles say."));
        }
        let without_data = self.runs.values().filter(|run| run.error.is_none()).count();
        if let Some(error) = self.largest_error() {
            let with_data = self.runs.len() - without_data;
            lines.push(format!(
                "{with_data} runs, each compared with the row kernel: the largest relative error is {error:.1e}."
            ));
        }
        if without_data > 0 {
            lines.push(format!("{without_data} runs without data, whose times do not depend on it."));
        }
        lines
    }

    /// Counts the statements with each verdict.
    fn verdict(&self) -> String {
        let [holds, part, not, untold] = counted(&self.statements);
        format!(
            "Of the paper's {} statements {holds} hold, {part} hold in part, {not} do not hold, {untold} cannot be told.",
            self.statements.len()
        )
    }
}

/// Returns the parts of the document on a chart.
fn charted(chart: &Chart, runs: &Runs) -> Vec<Part> {
    let Chart { title, caption, .. } = chart;
    let mut parts = vec![
        Part::Only(Terminal, vec![Part::Lines(vec![(*title).to_owned(), caption.clone()])]),
        Part::Only(Page, vec![Part::heading(2, *title)]),
        Part::figure(figure_of(chart, runs)),
    ];
    parts.extend(chart.panels.iter().flat_map(|panel| tables(chart, panel, runs)).map(Part::Table));
    parts.extend(chart.notes().into_iter().map(Part::line));
    parts
}

/// Returns the figure of a chart.
pub(super) fn figure_of(chart: &Chart, runs: &Runs) -> Figure {
    Figure {
        name: chart.name.to_owned(),
        title: chart.title.to_owned(),
        caption: chart.caption.clone(),
        plot: plot(chart, runs),
    }
}

/// Tabulates a panel's lines over x, one table for each configuration.
fn tables(chart: &Chart, panel: &Panel, runs: &Runs) -> Vec<Table> {
    let Chart { x, measure, .. } = *chart;
    let configs: BTreeSet<_> = panel.lines.iter().map(|line| line.config).collect();
    let table = |&config: &Config| {
        let lines: Vec<_> = panel.lines.iter().filter(|line| line.config == config).collect();
        let mut xs: Vec<_> = lines.iter().flat_map(|line| line.dots.iter().map(|dot| dot.x)).collect();
        xs.sort_by(f64::total_cmp);
        xs.dedup();
        let cell = |line: &Line, x: f64| {
            let dot = line.dots.iter().find(|dot| dot.x.total_cmp(&x).is_eq());
            let shown = if measure.is_time() { seconds } else { |y| format!("{y:.3}") };
            dot.map_or(String::new(), |dot| shown(dot.y(measure, runs)))
        };
        let row = |x: f64| {
            let cells = lines.iter().map(|line| cell(line, x));
            std::iter::once(x.to_string()).chain(cells).collect::<Vec<_>>()
        };
        let names = std::iter::once(x.to_owned()).chain(lines.iter().map(|line| line.key.clone()));
        let is_named =
            panel.title.starts_with(upper(config)) || (configs.len() == 1 && measure == Measure::Ratio);
        let title =
            if is_named { panel.title.clone() } else { format!("{}, {}", panel.title, upper(config)) };
        Table::new(names).titled(title).with(xs.iter().map(|&x| row(x)))
    };
    configs.iter().map(table).collect()
}

/// Plots a chart with logarithmic axes. Lines of DUAL are dashed in panels that also have lines of SPN.
fn plot(chart: &Chart, runs: &Runs) -> Plot {
    let measure = chart.measure;
    let is_mixed = |panel: &Panel| panel.lines.iter().any(|line| line.config != panel.lines[0].config);
    let line = |line: &Line, is_mixed: bool| {
        let is_dashed = is_mixed && line.config == Config::Dual;
        let dots = line.dots.iter().map(|dot| (dot.x, dot.y(measure, runs)));
        let stroke = if is_dashed { Stroke::Dashed } else { Stroke::Solid };
        figure::Line::new(&line.key, line.color, dots).drawn(stroke)
    };
    let panel = |panel: &Panel| {
        let lines = panel.lines.iter().map(|each| line(each, is_mixed(panel)));
        let ideal = ideal(measure, panel).map(|dots| figure::Line::ideal("perfect speed-up", dots));
        let stated = (!panel.published.is_empty()).then(|| {
            figure::Line::new("the paper's text", 0, panel.published.iter().copied()).drawn(Stroke::Marks)
        });
        figure::Panel::new(&panel.title, lines.chain(ideal).chain(stated))
    };
    let is_over_points = chart.x == POINTS;
    let across = Axis::new(
        chart.x,
        Scale::Doublings,
        if is_over_points { |n| format!("2^{:.0}", n.log2()) } else { short },
    );
    let shown = if measure.is_time() { short_seconds } else { short };
    let up = Axis::new(chart.y, Scale::Decades, shown);
    let dashes = chart.panels.iter().any(is_mixed).then_some(CONFIGS.map(upper));
    if measure == Measure::Ratio {
        // The axis of ratios has a least extent, so that small differences look small.
        Plot::beside([across, up.with([0.8, 1.25])], chart.panels.iter().map(panel)).of_ratios()
    } else {
        Plot::beside([across, up], chart.panels.iter().map(panel))
    }
    .sized(LAYOUT)
    .dashed(dashes)
}

/// Returns the ends of the line of a perfect speed-up, which is the number of nodes.
fn ideal(measure: Measure, panel: &Panel) -> Option<[(f64, f64); 2]> {
    let nodes = panel.lines.iter().flat_map(|line| &line.dots).map(|dot| dot.x);
    (measure == Measure::Speedup).then(|| extent(nodes).map(|nodes| (nodes, nodes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::measured::{Measured, Point};
    use crate::simulate::program::Program;
    use crate::simulate::{chart, charts};

    /// Draws a chart of two dots per line; the second has no run.
    fn drawn(configs: &[Config]) -> String {
        let mut runs = Runs::new();
        let panel = Panel::new("Panel", configs, &[("N = 16", ())], |(), config| {
            [1, 2].map(|p| chart::Dot::at(p as f64, Point::at(Program::Tree, config, 16, p)))
        });
        for line in &panel.lines {
            let run = Measured { local: 1e-3, multithreaded: 1e-3, ..Measured::default() };
            runs.insert(line.dots[0].point, run);
        }
        let chart = charts::all().find(|chart| chart.name == "fig8").unwrap();
        let chart = Chart { panels: vec![panel], ..chart };
        let words = String::new;
        Figure { name: words(), title: words(), caption: words(), plot: plot(&chart, &runs) }.inline()
    }

    #[test]
    fn a_plot_has_its_runs_and_a_key_and_dashes_where_needed() {
        let [one, both] = [&CONFIGS[..1], &CONFIGS].map(drawn);
        // The dot of the run, and the dot in the key.
        assert_eq!(one.matches("<circle").count(), 2, "{one}");
        let has = |page: &str, text: &str| page.lines().any(|line| line.trim() == text);
        for text in ["Panel", "N = 16", "nodes P (log scale)", "total time (log scale)", "2 ms"] {
            assert!(has(&one, text), "{text}: {one}");
        }
        assert!(!has(&one, "DUAL") && has(&both, "SPN") && has(&both, "DUAL"), "{both}");
        assert_eq!(both.lines().filter(|line| line.trim() == "N = 16").count(), 1, "a key is told once");
    }
}
