//! Figures and statements of the EARTH paper, in virtual time.
//!
//! The FFT programs run unchanged on the simulated machine, whose costs are a profile. No cost is chosen to
//! make a statement of the paper hold. A published cost has its published value, and all other costs are
//! estimates. Experiments change the costs to show their influence.
//!
//! 1. [`charts`] places runs in each [`chart`];
//! 2. [`runs`] does each run once, on all cores: a [`program`] at the costs of one of the [`setups`]. It
//!    compares each result with the row kernel's, and keeps the times and counts as [`measured`];
//! 3. [`judge`] has the rules for judging the [`statements`], and [`again`] changes the machine to judge them
//!    again;
//! 4. [`report`] has all results as rows and JSON, [`document`] as text, HTML and Markdown, and [`page`] as
//!    the paper's page.

mod again;
mod chart;
mod charts;
mod costs;
mod document;
mod judge;
mod measured;
mod page;
mod program;
mod report;
mod runs;
mod setups;
mod statements;

use std::collections::BTreeSet;

use earth::records::Records;
use earth::simulated::Profile;
use earth::{CancelToken, Policy};
use earth_console::work::Progress;

use crate::run_cache::{RunFile, SimulateError};

use chart::Chart;
use judge::Results;
use setups::Setups;

pub use charts::experiments::{PAPER_FLOP, TUNED_FLOP, with_flop};
pub use measured::Point;
pub use page::page;
pub use report::Report;

/// Names of the statements, and of everything.
const STATEMENTS: &str = "statements";
const ALL: &str = "all";

/// Returns the names of the subjects, each with a line of help.
pub fn subjects() -> impl Iterator<Item = (&'static str, &'static str)> {
    let more = [(STATEMENTS, "The paper's statements, judged"), (ALL, "Everything, within minutes")];
    charts::all().map(|chart| (chart.name, chart.help)).chain(more)
}

/// Does the runs that the [subjects](subjects()) need, each once, under the profile's policy or another one.
///
/// # Errors
///
/// Returns an error if a program ends with an error or with a wrong spectrum.
pub fn report(
    subjects: &[&str],
    profile: Profile,
    policy: Option<Policy>,
    cancel: &CancelToken,
    kept: &RunFile,
    progress: &impl Progress,
) -> Result<Report, SimulateError> {
    let wanted = |name| subjects.contains(&name) || subjects.contains(&ALL);
    let mut setups = Setups::new(profile, policy);
    let wanted_charts = charts::all().filter(|chart| wanted(chart.name));
    let charts: Vec<_> = wanted_charts.map(|chart| chart.drawn(&mut setups)).collect();
    let mut points: BTreeSet<_> = charts.iter().flat_map(Chart::points).collect();
    let others = wanted(STATEMENTS).then(|| {
        let (needed, others) = statements::needs(&mut setups);
        points.extend(needed);
        others
    });
    let runs = runs::run(&points, &setups, kept, cancel, progress)?;
    let judge = |others| statements::STATEMENTS.judged(&Results::of(&runs, others, setups.given().clock_mhz));
    let statements = others.map(judge).unwrap_or_default();
    Ok(Report { setups, charts, runs, statements })
}

impl Report {
    /// Returns the most informative run for a trace, if any is on few nodes.
    pub fn most_telling(&self) -> Option<Point> {
        runs::most_telling(self.runs.keys().copied())
    }

    /// Repeats a run and returns its trace.
    ///
    /// # Errors
    ///
    /// Returns the error of the program.
    pub fn trace(&self, point: &Point, cancel: &CancelToken) -> Result<Records, SimulateError> {
        runs::trace(point, &self.setups, cancel)
    }
}
