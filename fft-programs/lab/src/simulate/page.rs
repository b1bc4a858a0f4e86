//! The paper's page: all figures and experiments, the statements judged again after each change of an estimate,
//! and the errata. [`values`] fills the template `page.md`.

mod values;

use std::collections::BTreeSet;

use earth::CancelToken;
use earth::simulated::Profile;
use earth_console::work::Progress;
use earth_report::document::{Document, Paper};
use earth_report::statements::Change;

use super::again;
use super::chart::Chart;
use super::charts;
use super::charts::experiments::{TUNED_FLOP, with_flop};
use super::judge::{ExperimentSetups, Results};
use super::measured::{Point, Runs};
use super::runs;
use super::setups::Setups;
use super::statements::{self, STATEMENTS};
use crate::errata::{self, errata_of};
use crate::run_cache::{RunFile, SimulateError};

const PAGE: &str = include_str!("page.md");
const CHANGES: &str = include_str!("changes.md");

/// Machine for the judges: its runs, and the experiments among them.
struct Judged {
    points: BTreeSet<Point>,
    setups: Setups,
    others: ExperimentSetups,
}

impl Judged {
    /// Prepares the runs that decide the statements.
    fn checks(profile: Profile) -> Self {
        let mut setups = Setups::new(profile, None);
        let (points, others) = statements::checks(&mut setups);
        Self { points, setups, others }
    }

    fn results(&self, runs: &Runs) -> Results {
        Results::of(runs, self.others.clone(), self.setups.given().clock_mhz)
    }
}

/// Does all runs of the page, each once, and makes it.
///
/// # Errors
///
/// Returns an error if a program ends with an error or with a wrong spectrum, or if the runs cannot be kept.
pub fn page(
    profile: Profile,
    cancel: &CancelToken,
    kept: &RunFile,
    progress: &impl Progress,
) -> Result<Document, SimulateError> {
    let mut setups = Setups::new(profile, None);
    let charts: Vec<_> = charts::all().map(|chart| chart.drawn(&mut setups)).collect();
    let (mut points, others) = statements::needs(&mut setups);
    points.extend(charts.iter().flat_map(Chart::points));
    let given = Judged { points, setups, others };
    let profile = given.setups.given();
    let (elsewhere, again) = (other_machines(profile), changed_machines(profile));
    let machines =
        elsewhere.iter().map(|(_, machine)| machine).chain(again.iter().map(|(_, machine)| machine));
    let wanted: Vec<_> =
        std::iter::once(&given).chain(machines).map(|machine| (&machine.points, &machine.setups)).collect();
    let done = runs::run_all(&wanted, kept, cancel, progress)?;
    let (runs, others) = done.sets.split_first().unwrap_or_else(|| unreachable!("a set for each machine"));
    let (of_elsewhere, of_again) = others.split_at(elsewhere.len());
    let results = given.results(runs);
    let judged = |((name, machine), runs): (&(&'static str, Judged), &Runs)| {
        (*name, STATEMENTS.judged(&machine.results(runs)))
    };
    let elsewhere: Vec<_> = elsewhere.iter().zip(of_elsewhere).map(judged).collect();
    let changed =
        again.iter().zip(of_again).map(|((change, machine), runs)| (change.clone(), machine.results(runs)));
    let statements = STATEMENTS.judged_again(&results, changed);
    let content = values::content(&charts, &results, runs, profile)
        .text("runs", done.number)
        .text("minutes", (kept.seconds() / 60.0).ceil())
        .texts("machines", elsewhere.iter().map(|(name, _)| *name))
        .rows("elsewhere", values::elsewhere(&STATEMENTS.judged(&results), &elsewhere));
    let errata = errata_of(errata::Paper::Earth, &content);
    let paper = Paper { statements, errata, parameters: again::parameters(profile), changes: CHANGES };
    Ok(content.paper(&paper, PAGE))
}

/// Returns machines of other costs, each with its name.
fn other_machines(given: &Profile) -> Vec<(&'static str, Judged)> {
    let tuned = ("tuned work", Judged::checks(with_flop(given, TUNED_FLOP)));
    let slow = Profile::named("seed140-fixed-net").map(|slow| {
        ("network of 50 MHz", Judged::checks(Profile { network: slow.network, ..given.clone() }))
    });
    std::iter::once(tuned).chain(slow).collect()
}

/// Returns the machine after each change of an estimate or a fitted figure.
fn changed_machines(given: &Profile) -> Vec<(Change, Judged)> {
    again::changes(given).map(|(change, profile)| (change, Judged::checks(profile))).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::simulate::costs::used;

    fn given() -> Profile {
        Profile::named("seed140-scaled-net").unwrap()
    }

    /// Returns the runs of a machine as costs and points without their setups.
    fn runs(machine: &Judged) -> BTreeSet<(Point, String)> {
        let run = |point: &Point| {
            let costs = used(point, &machine.setups.of(point).profile);
            (Point { setup: 0, ..*point }, costs.to_toml())
        };
        machine.points.iter().map(run).collect()
    }

    #[test]
    fn a_change_of_one_configuration_takes_no_run_of_the_other() {
        let unchanged = runs(&Judged::checks(given()));
        let mut all = unchanged.clone();
        for (change, machine) in changed_machines(&given()) {
            let changed = runs(&machine);
            assert_eq!(changed.len(), unchanged.len(), "{change:?}");
            let new: BTreeSet<_> = changed.difference(&unchanged).collect();
            for (configuration, other) in [("spn", earth::Config::Dual), ("dual", earth::Config::Spn)] {
                if change.parameter.starts_with(configuration) {
                    assert!(new.iter().all(|(point, _)| point.config != other), "{change:?}");
                }
            }
            all.extend(changed);
        }
        let asked = unchanged.len() * (1 + changed_machines(&given()).len());
        assert!(all.len() < asked * 6 / 10, "{} of {asked}", all.len());
    }

    #[test]
    fn a_changed_machine_has_all_runs_that_decide_a_statement() {
        let seconds = |point: &Point| if point.config == earth::Config::Dual { 2.0 } else { 1.0 };
        let run = |point: &Point| {
            let time = seconds(point);
            let measured = crate::simulate::measured::Measured {
                multithreaded: time,
                eu_busy: time * point.p as f64,
                ..Default::default()
            };
            (*point, measured)
        };
        let mut setups = Setups::new(given(), None);
        let (points, others) = statements::needs(&mut setups);
        let clock = given().clock_mhz;
        let whole = STATEMENTS.judged(&Results::of(&points.iter().map(run).collect(), others, clock));
        let machine = Judged::checks(given());
        let checked = STATEMENTS.judged(&machine.results(&machine.points.iter().map(run).collect()));
        for (whole, checked) in whole.iter().zip(&checked) {
            assert_eq!((whole.verdict, &whole.cells), (checked.verdict, &checked.cells), "{}", whole.number);
        }
    }
}
