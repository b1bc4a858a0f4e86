//! Chart as plain data: its runs, their places, and the quantity shown.
//!
//! A chart becomes tables, a figure, and rows of CSV or JSON, so all of them agree.

use std::collections::BTreeSet;

use earth::Config;

use super::measured::{Measured, Point, Runs};

/// Quantity on the vertical axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    /// Time of the multithreaded phase, in seconds.
    Multithreaded,
    /// Time of the local stages and the multithreaded phase, in seconds.
    Total,
    /// Total time of the base over the total time of the point.
    Speedup,
    /// Total time of the point over the total time of the base.
    Ratio,
}

impl Measure {
    /// Returns the measure with this name on an axis. The name of a ratio says which time is its denominator.
    pub(super) fn named(axis: &str) -> Option<Self> {
        match axis {
            "time of the multithreaded phase" => Some(Self::Multithreaded),
            "total time" => Some(Self::Total),
            "speed-up over the row kernel" => Some(Self::Speedup),
            ratio => ratio.starts_with("time over ").then_some(Self::Ratio),
        }
    }

    pub(super) fn is_time(self) -> bool {
        matches!(self, Self::Multithreaded | Self::Total)
    }
}

/// Dot of a plot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dot {
    pub(super) x: f64,
    pub(super) point: Point,
    /// Run with which the point is compared, if the measure is a ratio.
    pub(super) base: Option<Point>,
}

impl Dot {
    pub(super) fn at(x: f64, point: Point) -> Self {
        Self { x, point, base: None }
    }

    /// Makes a dot of a run over another one.
    pub(super) fn over(x: f64, point: Point, base: Point) -> Self {
        Self { x, point, base: Some(base) }
    }

    pub(super) fn y(&self, measure: Measure, runs: &Runs) -> f64 {
        let total = |point: &Point| runs.get(point).map_or(f64::NAN, Measured::total);
        let base = || self.base.as_ref().map_or(f64::NAN, total);
        match measure {
            Measure::Multithreaded => runs.get(&self.point).map_or(f64::NAN, |run| run.multithreaded),
            Measure::Total => total(&self.point),
            Measure::Speedup => base() / total(&self.point),
            Measure::Ratio => total(&self.point) / base(),
        }
    }
}

/// Line of dots, in ascending order of x.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// Name of the line in the key, without the configuration.
    pub(super) key: String,
    pub(super) color: usize,
    pub(super) config: Config,
    pub(super) dots: Vec<Dot>,
}

/// Panel: lines in one pair of axes.
#[derive(Clone, Debug)]
pub(super) struct Panel {
    pub(super) title: String,
    pub(super) lines: Vec<Line>,
    /// Points that the paper's text states.
    pub(super) published: Vec<(f64, f64)>,
    /// Sentence on runs that are left out.
    pub(super) note: Option<String>,
}

/// Figure with all its panels.
#[derive(Clone, Debug)]
pub(super) struct Chart {
    /// Name on the command line, and of the figure's files.
    pub(super) name: &'static str,
    /// Line of help.
    pub(super) help: &'static str,
    pub(super) title: &'static str,
    /// Explanation below the title.
    pub(super) caption: String,
    pub(super) x: &'static str,
    /// Name of the vertical axis.
    pub(super) y: &'static str,
    pub(super) measure: Measure,
    pub(super) panels: Vec<Panel>,
}

impl Chart {
    pub(super) fn dots(&self) -> impl Iterator<Item = (&Panel, &Line, &Dot)> {
        self.panels.iter().flat_map(|panel| {
            panel.lines.iter().flat_map(move |line| line.dots.iter().map(move |dot| (panel, line, dot)))
        })
    }

    /// Whether each panel has lines of one configuration, and all panels of the same one.
    pub(super) fn is_of_one_configuration(&self) -> bool {
        let configs: BTreeSet<_> = self.dots().map(|(_, line, _)| line.config).collect();
        configs.len() == 1
    }

    /// Returns the sentences on runs that are left out.
    pub(super) fn notes(&self) -> Vec<&str> {
        self.panels.iter().filter_map(|panel| panel.note.as_deref()).collect()
    }

    /// Returns all runs that the chart needs, including runs used only for comparison.
    pub(super) fn points(&self) -> BTreeSet<Point> {
        self.dots()
            .flat_map(|(_, _, dot)| [Some(dot.point), Some(dot.point.base()), dot.base])
            .flatten()
            .collect()
    }
}

pub(super) fn power(n: usize) -> String {
    format!("2^{}", n.ilog2())
}

/// Returns the name of a configuration in capital letters.
pub(super) fn upper(config: Config) -> &'static str {
    match config {
        Config::Spn => "SPN",
        Config::Dual => "DUAL",
    }
}

/// Name of an axis of numbers of points, which are powers of two.
pub(super) const POINTS: &str = "points N";

/// Both configurations; DUAL, which is drawn dashed, is last.
pub(super) const CONFIGS: [Config; 2] = [Config::Spn, Config::Dual];

impl Panel {
    /// Makes a line for each choice in each configuration, of the dots that can be run. A note lists runs
    /// that are too large.
    pub(super) fn new<K: ToString, T, D: IntoIterator<Item = Dot>>(
        title: impl Into<String>,
        configs: &[Config],
        choices: &[(K, T)],
        dots: impl Fn(&T, Config) -> D,
    ) -> Self {
        let (mut lines, mut left_out) = (Vec::new(), BTreeSet::new());
        for &config in configs {
            for (color, (key, choice)) in choices.iter().enumerate() {
                let can = |dot: &Dot| dot.point.program.can(dot.point.n, dot.point.p);
                let (dots, others): (Vec<_>, Vec<_>) = dots(choice, config).into_iter().partition(can);
                let others = others.iter().map(|dot| dot.point);
                let too_large = others.filter(|point| point.program.is_too_large(point.n, point.p));
                left_out.extend(too_large.map(|point| (point.n, point.p)));
                if !dots.is_empty() {
                    lines.push(Line { key: key.to_string(), color, config, dots });
                }
            }
        }
        let which: Vec<_> = left_out.iter().map(|(n, p)| format!("N = {n} on P = {p}")).collect();
        let finding = || format!("Left out, as a tree would ask too often: {}.", which.join(", "));
        let note = (!which.is_empty()).then(finding);
        Self { title: title.into(), lines, published: Vec::new(), note }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::program::Program;

    #[test]
    fn runs_with_too_many_requests_are_omitted_and_listed() {
        let of = |logs: &[u32]| {
            Panel::new("", &[Config::Spn], &[("tree", ())], |(), config| {
                let point = |log: u32| Point::at(Program::Tree, config, 1 << log, 64);
                logs.iter().map(|&log| Dot::at(f64::from(log), point(log))).collect::<Vec<_>>()
            })
        };
        assert_eq!(of(&[10]).note, None);
        let panel = of(&[10, 16]);
        assert_eq!(panel.lines[0].dots.len(), 1);
        let note = "Left out, as a tree would ask too often: N = 65536 on P = 64.";
        assert_eq!(panel.note.as_deref(), Some(note));
    }
}
