//! A chart as plain data: the runs in it, their places, and the quantity that is shown of them.
//!
//! A chart becomes tables, a figure, and rows of CSV or JSON, so all of them agree.

use std::collections::BTreeSet;

use earth::Config;

use super::measured::{Measured, Point, Runs};
use super::program::Program;

/// The quantity on the vertical axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    /// Seconds of the multithreaded phase.
    Multithreaded,
    /// Seconds of the local stages and the multithreaded phase.
    Total,
    /// The total time of the base over that of the point.
    Speedup,
    /// The total time of the point over that of the base.
    Ratio,
}

impl Measure {
    pub(super) fn is_time(self) -> bool {
        matches!(self, Self::Multithreaded | Self::Total)
    }

    /// The value at which a line is drawn across the plot, if one has a meaning.
    pub(super) fn level(self) -> Option<f64> {
        (self == Self::Ratio).then_some(1.0)
    }

    /// The name of the measure on an axis.
    pub(super) fn axis(self) -> &'static str {
        match self {
            Self::Multithreaded => "multithreaded phase",
            Self::Total => "total time",
            Self::Speedup => "absolute speed-up",
            Self::Ratio => "ratio of times",
        }
    }
}

/// A dot of a plot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dot {
    pub(super) x: f64,
    pub(super) point: Point,
    /// The run that the point is compared with, if the measure is a ratio.
    pub(super) base: Option<Point>,
}

impl Dot {
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

/// A line of dots, in ascending order of x.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// The name of the line in the key, without the configuration.
    pub(super) key: String,
    pub(super) colour: usize,
    pub(super) config: Config,
    pub(super) dots: Vec<Dot>,
}

/// A panel: lines in one pair of axes.
#[derive(Clone, Debug)]
pub(super) struct Panel {
    pub(super) title: String,
    pub(super) lines: Vec<Line>,
    /// A sentence on runs that are left out.
    pub(super) note: Option<String>,
}

/// A figure with all its panels.
#[derive(Clone, Debug)]
pub(super) struct Chart {
    /// The name on the command line, and of the figure's files.
    pub(super) name: &'static str,
    pub(super) title: String,
    /// The explanation below the title.
    pub(super) caption: String,
    pub(super) x: &'static str,
    pub(super) measure: Measure,
    pub(super) panels: Vec<Panel>,
}

impl Chart {
    pub(super) fn dots(&self) -> impl Iterator<Item = (&Panel, &Line, &Dot)> {
        self.panels.iter().flat_map(|panel| {
            panel.lines.iter().flat_map(move |line| line.dots.iter().map(move |dot| (panel, line, dot)))
        })
    }

    /// The sentences on runs that are left out.
    pub(super) fn notes(&self) -> Vec<&str> {
        self.panels.iter().filter_map(|panel| panel.note.as_deref()).collect()
    }

    /// All runs that the chart needs, including those that others are compared with.
    pub(super) fn points(&self) -> BTreeSet<Point> {
        self.dots()
            .flat_map(|(_, _, dot)| [Some(dot.point), Some(dot.point.base()), dot.base])
            .flatten()
            .collect()
    }
}

/// A number of points as a power of two.
pub(super) fn power(n: usize) -> String {
    format!("2^{}", n.ilog2())
}

/// The name of a configuration in capital letters.
pub(super) fn upper(config: Config) -> &'static str {
    match config {
        Config::Spn => "SPN",
        Config::Dual => "DUAL",
    }
}

/// The name of an axis of numbers of points, which are powers of two.
pub(super) const POINTS: &str = "points N";

/// Both configurations, the dashed one last.
pub(super) const CONFIGS: [Config; 2] = [Config::Spn, Config::Dual];

/// Collects the lines of a panel and counts what is too large to be run.
#[derive(Debug, Default)]
pub(super) struct Lines {
    pub(super) lines: Vec<Line>,
    left_out: BTreeSet<(usize, usize)>,
}

impl Lines {
    /// Adds a line of the `points` that can be run.
    pub(super) fn add(
        &mut self,
        key: impl Into<String>,
        colour: usize,
        points: impl IntoIterator<Item = (f64, Point, Option<Point>)>,
    ) -> &mut Self {
        let (mut dots, mut of) = (Vec::new(), Config::Spn);
        for (x, point, base) in points {
            let Point { program, n, p, config, .. } = point;
            of = config;
            if program.can(n, p) {
                dots.push(Dot { x, point, base });
            } else if program.is_too_large(n, p) {
                self.left_out.insert((n, p));
            }
        }
        if !dots.is_empty() {
            self.lines.push(Line { key: key.into(), colour, config: of, dots });
        }
        self
    }

    /// The sentence on the runs that are left out.
    fn note(&self) -> Option<String> {
        if self.left_out.is_empty() {
            return None;
        }
        let which: Vec<_> = self.left_out.iter().map(|(n, p)| format!("N = {n} on P = {p}")).collect();
        Some(format!("Left out, as a tree would ask too often: {}.", which.join(", ")))
    }

    pub(super) fn into_panel(self, title: impl Into<String>) -> Panel {
        Panel { title: title.into(), note: self.note(), lines: self.lines }
    }
}

/// Both variants of the receiver, with the titles of their panels.
pub(super) const RECEIVERS: [(Program, &str); 2] = [
    (Program::Tree, "Tree: each ask computes its point anew"),
    (Program::Shared, "Shared: each point is computed once"),
];

#[cfg(test)]
mod tests {
    use earth::simulated::Profile;

    use super::*;
    use crate::simulate::setups::Setups;
    use crate::simulate::subject::Subject;
    use crate::simulate::{chart_of, figures};

    #[test]
    fn every_subject_but_two_is_a_chart_of_runs_that_can_be_done() {
        let mut setups = Setups::new(Profile::named("manna50").unwrap(), None);
        let mut names = BTreeSet::new();
        for subject in Subject::ALL {
            let chart = chart_of(subject, &mut setups);
            let name = subject.name();
            let Some(chart) = chart else {
                assert!([Subject::Statements, Subject::All].contains(&subject), "{name}");
                continue;
            };
            assert_eq!(chart.name, name);
            assert!(names.insert(name), "{}", chart.name);
            assert!(chart.dots().count() >= 16, "{}", chart.name);
            assert!(chart.points().iter().all(|point| point.program.can(point.n, point.p)), "{}", chart.name);
            for (_, line, dot) in chart.dots() {
                assert_eq!(line.config, dot.point.config);
                assert_eq!(dot.base.is_some(), !chart.measure.is_time(), "{}", chart.name);
            }
            for panel in &chart.panels {
                assert!(panel.lines.iter().all(|line| line.dots.is_sorted_by(|a, b| a.x < b.x)));
            }
        }
    }

    #[test]
    fn the_figures_have_the_paper_s_machines() {
        let nodes = |subject| {
            let chart = figures::chart(subject).unwrap();
            chart.dots().map(|(_, _, dot)| dot.point.p).collect::<BTreeSet<_>>()
        };
        assert_eq!(nodes(Subject::Fig6), [2, 4, 8, 16, 32, 64].into());
        assert_eq!(nodes(Subject::Fig7), [64].into());
        assert_eq!(nodes(Subject::Fig8), [1, 2, 4, 8, 16, 32, 64].into());
        assert_eq!(nodes(Subject::Fig10), [1, 2, 4, 8, 16, 32, 64, 120].into());
    }

    #[test]
    fn what_asks_too_often_is_left_out_and_told() {
        let points =
            [1 << 10, 1 << 16].map(|n| (n as f64, Point::at(Program::Tree, Config::Spn, n, 64), None));
        let mut lines = Lines::default();
        assert_eq!(lines.note(), None);
        lines.add("tree", 0, points);
        assert_eq!(lines.lines[0].dots.len(), 1);
        let note = "Left out, as a tree would ask too often: N = 65536 on P = 64.";
        assert_eq!(lines.note().as_deref(), Some(note));
    }
}
