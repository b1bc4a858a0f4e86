//! Plots of a sweep: a panel for each program on each machine, a line for each policy and configuration.

use std::collections::BTreeSet;

use earth_report::figure::{Axis, Figure, Layout, Line as Drawn, Panel, Plot, Scale, Stroke};
use earth_report::numbers::{short, short_seconds};
use earth_report::spread::Spread;

use super::report::{Line, Report};

/// Color of the null band: gray.
const BAND: usize = 5;

/// Layout of small panels, three beside each other.
const LAYOUT: Layout = Layout { beside: 3, height: 620, ..Layout::WIDE };

/// The horizontal axis.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Across {
    Nodes,
    /// The first size of each program that varies.
    Size,
}

/// Returns whether a program's size of this index has several values.
fn varies(report: &Report, program: &str, at: usize) -> bool {
    let lines = report.lines.iter().filter(|line| line.program == program);
    lines.map(|line| line.sizes[at].1).collect::<BTreeSet<_>>().len() > 1
}

/// Returns the index of the size that is drawn across.
fn drawn_size(report: &Report, line: &Line) -> Option<usize> {
    (0..line.sizes.len()).find(|&at| varies(report, line.program, at))
}

impl Across {
    fn of(report: &Report) -> Self {
        let nodes: BTreeSet<_> = report.lines.iter().map(|line| line.nodes).collect();
        let has_sizes = report.lines.iter().any(|line| drawn_size(report, line).is_some());
        if nodes.len() > 1 || !has_sizes { Across::Nodes } else { Across::Size }
    }

    fn name(self, report: &Report) -> String {
        let sizes: BTreeSet<_> =
            report.lines.iter().filter_map(|line| Some(line.sizes[drawn_size(report, line)?].0)).collect();
        match self {
            Across::Nodes => "nodes P".to_owned(),
            Across::Size => sizes.into_iter().collect::<Vec<_>>().join(" or "),
        }
    }

    fn place(self, report: &Report, line: &Line) -> f64 {
        match (self, drawn_size(report, line)) {
            (Across::Size, Some(at)) => line.sizes[at].1 as f64,
            _ => line.nodes as f64,
        }
    }

    /// Returns the title of the panel of a line: the program, its sizes that vary and are not drawn across,
    /// and the machine if there are several.
    fn title(self, report: &Report, line: &Line) -> String {
        let across = drawn_size(report, line).filter(|_| self == Across::Size);
        let mut parts = vec![line.program.to_owned()];
        for (at, (name, value)) in line.sizes.iter().enumerate() {
            if varies(report, line.program, at) && across != Some(at) {
                parts.push(format!("{name} {value}"));
            }
        }
        let machines: BTreeSet<_> = report.lines.iter().map(|line| &line.machine).collect();
        if machines.len() > 1 {
            parts.push(line.machine.clone());
        }
        parts.join(", ")
    }
}

/// Returns the figures: the times, and with several policies their ratios to the baseline first.
pub(super) fn figures(report: &Report) -> Vec<Figure> {
    let across = Across::of(report);
    let mut figures = Vec::new();
    if report.lines.iter().any(|line| line.ratio.is_some()) {
        figures.push(figure(report, across, true));
    }
    if report.lines.iter().any(|line| line.seconds.is_some()) {
        figures.push(figure(report, across, false));
    }
    figures
}

fn figure(report: &Report, across: Across, of_ratios: bool) -> Figure {
    let shown = |line: &&Line| if of_ratios { line.ratio.is_some() || line.number[2] == 0 } else { true };
    let lines: Vec<_> = report.lines.iter().filter(|line| line.seconds.is_some()).filter(shown).collect();
    // Panels and lines in the order of the experiment.
    let mut titles: Vec<String> = Vec::new();
    for line in &lines {
        let title = across.title(report, line);
        if !titles.contains(&title) {
            titles.push(title);
        }
    }
    let configs: Vec<&str> = ["spn", "dual"]
        .into_iter()
        .filter(|config| lines.iter().any(|line| line.config == *config))
        .collect();
    let panels = titles.into_iter().map(|title| {
        let own: Vec<_> = lines.iter().copied().filter(|line| across.title(report, line) == title).collect();
        let mut drawn = Vec::new();
        if of_ratios {
            drawn.extend(configs.iter().filter_map(|config| band(report, across, &own, config)));
        }
        let policies: BTreeSet<_> = own.iter().map(|line| line.number[2]).collect();
        for policy in policies.into_iter().filter(|policy| !of_ratios || *policy > 0) {
            for config in &configs {
                let of = own.iter().filter(|line| (line.number[2], line.config) == (policy, *config));
                let mut dots: Vec<(f64, Spread)> = of
                    .filter_map(|line| {
                        let y = if of_ratios { line.ratio } else { line.seconds };
                        Some((across.place(report, line), y?))
                    })
                    .collect();
                dots.sort_by(|a, b| a.0.total_cmp(&b.0));
                let Some(line) = own.iter().find(|line| line.number[2] == policy) else { continue };
                let is_dashed = configs.len() > 1 && *config == "dual";
                let stroke = if is_dashed { Stroke::Dashed } else { Stroke::Solid };
                let (key, color) = (line.policy.clone(), color(policy));
                // One exact time has no whisker.
                let curve = if line.runs > 1 {
                    Drawn::new(key, color, dots)
                } else {
                    Drawn::new(key, color, dots.into_iter().map(|(x, y)| (x, y.median)))
                };
                drawn.extend((!curve.dots.is_empty()).then(|| curve.drawn(stroke)));
            }
        }
        Panel::new(title, drawn)
    });
    let up = if of_ratios {
        Axis::new(format!("time / {}", report.baseline), Scale::Decades, short).with([0.9, 1.1])
    } else {
        Axis::new("time", Scale::Decades, short_seconds)
    };
    let axes = [Axis::new(across.name(report), Scale::Doublings, short), up];
    let plot = Plot::beside(axes, panels).sized(LAYOUT);
    let plot = plot.dashed((configs.len() > 1).then_some(["SPN", "DUAL"]));
    let is_measured = lines.iter().any(|line| line.null.is_some());
    let (name, title, plot) = if of_ratios {
        ("ratio", format!("Time over that of {}", report.baseline), plot.of_ratios())
    } else {
        ("time", "Time".to_owned(), plot)
    };
    let measured = "Dots are medians of the runs on threads, and whiskers span the middle half.";
    let caption = match (is_measured, of_ratios) {
        (true, true) => format!("{measured} The band spans all ratios of the baseline to itself."),
        (true, false) => measured.to_owned(),
        (false, _) => "Times of simulated machines are virtual and exact.".to_owned(),
    };
    Figure { name: name.to_owned(), title, caption, plot }
}

/// Returns a color other than the band's.
fn color(policy: usize) -> usize {
    [0, 1, 2, 3, 4, 6][policy % 6]
}

/// Draws the null band of a configuration as an outline; `None` if the baseline ran once.
fn band(report: &Report, across: Across, lines: &[&Line], config: &str) -> Option<Drawn> {
    let of = lines.iter().filter(|line| line.number[2] == 0 && line.config == config);
    let mut nulls: Vec<_> = of.filter_map(|line| Some((across.place(report, line), line.null?))).collect();
    nulls.sort_by(|a, b| a.0.total_cmp(&b.0));
    let low = nulls.iter().map(|(x, null)| (*x, null.min));
    let high = nulls.iter().rev().map(|(x, null)| (*x, null.max));
    let outline: Vec<_> = low.chain(high).collect();
    (!outline.is_empty()).then(|| {
        let key = format!("null band: {} again", report.baseline);
        Drawn::new(key, BAND, outline).drawn(Stroke::Band)
    })
}
