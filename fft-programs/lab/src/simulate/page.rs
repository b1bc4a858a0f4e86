//! The paper's page: all figures and experiments, the statements judged again after each change of an
//! estimate, and the errata. [`values`] fills the template `page.md`.

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
use super::charts::figures::RECEIVER_N;
use super::judge::{ExperimentSetups, Results};
use super::measured::{Point, Runs};
use super::runs::{self, Done};
use super::setups::Setups;
use super::statements::{self, STATEMENTS};
use crate::errata::{self, errata_of};
use crate::run_cache::{RunFile, SimulateError};

const PAGE: &str = include_str!("page.md");
const CHANGES: &str = include_str!("changes.md");

/// Number of the receiver's sizes that are run again after each change. The largest one would take half of
/// the time of all runs.
const CHANGED_SIZES: usize = RECEIVER_N.len() - 1;

/// Machine for the judges: its runs, and the experiments among them.
struct Judged {
    points: BTreeSet<Point>,
    setups: Setups,
    others: ExperimentSetups,
}

impl Judged {
    /// Prepares the runs that decide the statements, with these numbers of points of the receiver.
    fn checks(profile: Profile, sizes: &[usize]) -> Self {
        let mut setups = Setups::new(profile, None);
        let (points, others) = statements::checks(&mut setups, sizes);
        Self { points, setups, others }
    }

    fn results(&self, runs: &Runs) -> Results {
        Results::of(runs, self.others.clone(), self.setups.given().clock_mhz)
    }
}

/// Charts of the page, and all machines of its runs.
struct Subjects {
    charts: Vec<Chart>,
    given: Judged,
    /// Machines of other costs.
    elsewhere: Vec<(&'static str, Judged)>,
    /// Machine after each change of an estimate or a fitted figure.
    again: Vec<(Change, Judged)>,
}

impl Subjects {
    fn new(profile: Profile) -> Self {
        let mut setups = Setups::new(profile, None);
        let charts: Vec<_> = charts::all().map(|chart| chart.drawn(&mut setups)).collect();
        let (mut points, others) = statements::needs(&mut setups);
        points.extend(charts.iter().flat_map(Chart::points));
        let (elsewhere, again) = (other_machines(setups.given()), changed_machines(setups.given()));
        Self { charts, given: Judged { points, setups, others }, elsewhere, again }
    }

    /// Returns the runs of all machines: the given one, the others, and the changed ones.
    fn wanted(&self) -> Vec<(&BTreeSet<Point>, &Setups)> {
        let elsewhere = self.elsewhere.iter().map(|(_, machine)| machine);
        let machines = std::iter::once(&self.given).chain(elsewhere);
        let machines = machines.chain(self.again.iter().map(|(_, machine)| machine));
        machines.map(|machine| (&machine.points, &machine.setups)).collect()
    }

    /// Makes the page of the results, which took this processor time, in seconds.
    fn document(&self, done: &Done, seconds: f64) -> Document {
        let Self { charts, given, elsewhere, again } = self;
        let machines: Vec<_> = done.sets.iter().collect();
        let (runs, others) = machines.split_first().unwrap_or_else(|| unreachable!("a set for each machine"));
        let (of_elsewhere, of_again) = others.split_at(elsewhere.len());
        let results = given.results(runs);
        let judged = |((name, machine), runs): (&(&'static str, Judged), &&Runs)| {
            (*name, STATEMENTS.judged(&machine.results(runs)))
        };
        let elsewhere: Vec<_> = elsewhere.iter().zip(of_elsewhere).map(judged).collect();
        let changed = again.iter().zip(of_again);
        let changed = changed.map(|((change, machine), runs)| (change.clone(), machine.results(runs)));
        let statements = STATEMENTS.judged_again(&results, changed);
        let profile = given.setups.given();
        let content = values::content(charts, &results, runs, profile)
            .text("runs", done.number)
            .text("minutes", (seconds / 60.0).ceil())
            .texts("machines", elsewhere.iter().map(|(name, _)| *name))
            .rows("elsewhere", values::elsewhere(&STATEMENTS.judged(&results), &elsewhere));
        let errata = errata_of(errata::Paper::Earth, &content);
        let paper = Paper { statements, errata, parameters: again::parameters(profile), changes: CHANGES };
        content.paper(&paper, PAGE)
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
    let subjects = Subjects::new(profile);
    let done = runs::run_all(&subjects.wanted(), kept, cancel, progress)?;
    Ok(subjects.document(&done, kept.seconds()))
}

/// Returns machines of other costs, each with its name.
fn other_machines(given: &Profile) -> Vec<(&'static str, Judged)> {
    let tuned = ("tuned work", Judged::checks(with_flop(given, TUNED_FLOP), &RECEIVER_N));
    let slow = Profile::named("seed140-fixed-net").map(|slow| {
        ("network of 50 MHz", Judged::checks(Profile { network: slow.network, ..given.clone() }, &RECEIVER_N))
    });
    std::iter::once(tuned).chain(slow).collect()
}

/// Returns the machine after each change of an estimate or a fitted figure.
fn changed_machines(given: &Profile) -> Vec<(Change, Judged)> {
    again::changes(given)
        .map(|(change, profile)| (change, Judged::checks(profile, &RECEIVER_N[..CHANGED_SIZES])))
        .collect()
}

#[cfg(test)]
mod tests {
    use earth::Config;
    use earth_report::statements::Row;

    use super::*;
    use crate::simulate::costs::used;
    use crate::simulate::measured::Measured;

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
        let unchanged = runs(&Judged::checks(given(), &RECEIVER_N[..CHANGED_SIZES]));
        let mut all = unchanged.clone();
        for (change, machine) in changed_machines(&given()) {
            let changed = runs(&machine);
            assert_eq!(changed.len(), unchanged.len(), "{change:?}");
            let new: BTreeSet<_> = changed.difference(&unchanged).collect();
            for (configuration, other) in [("spn", Config::Dual), ("dual", Config::Spn)] {
                if change.parameter.starts_with(configuration) {
                    assert!(new.iter().all(|(point, _)| point.config != other), "{change:?}");
                }
            }
            all.extend(changed);
        }
        let asked = unchanged.len() * (1 + changed_machines(&given()).len());
        assert!(all.len() < asked * 6 / 10, "{} of {asked}", all.len());
    }

    /// Invents a run. DUAL takes longer, and one node longer than many.
    fn invented(point: &Point) -> (Point, Measured) {
        let slower = if point.config == Config::Dual { 1.2 } else { 1.0 };
        let time = slower * point.n as f64 * 2e-5 / point.p as f64;
        let eu_busy = time * point.p as f64;
        (
            *point,
            Measured { multithreaded: time, eu_busy, busiest: time, error: Some(0.0), ..Measured::default() },
        )
    }

    #[test]
    fn a_changed_machine_has_all_runs_that_decide_a_statement() {
        let Subjects { given, again, .. } = Subjects::new(given());
        let judged = |machine: &Judged| {
            let runs = machine.points.iter().map(invented).collect();
            STATEMENTS.judged(&machine.results(&runs))
        };
        let whole = judged(&given);
        for (change, machine) in &again {
            for (whole, checked) in whole.iter().zip(judged(machine)) {
                let verdicts = |row: &Row| row.cells.iter().map(|cell| cell.verdict).collect::<Vec<_>>();
                assert_eq!(verdicts(whole), verdicts(&checked), "{} {change:?}", whole.number);
            }
        }
    }

    #[test]
    fn all_names_of_the_page_are_filled() {
        let subjects = Subjects::new(given());
        let set = |(points, _): (&BTreeSet<Point>, _)| points.iter().map(invented).collect();
        let done = Done { sets: subjects.wanted().into_iter().map(set).collect(), number: 7 };
        let document = subjects.document(&done, 150.0);
        let page = document.markdown("plots/");
        for said in [
            "The page takes 7 runs, which took 3 minutes of one core.",
            "![Figure 13: sender and receiver, N = 2^14, over P](plots/fig13.svg)",
            "| `dual, the synchronization unit` | estimate |",
            "| E1 | Eq. 4 and 5",
        ] {
            assert!(page.contains(said), "{said}\n{page}");
        }
        assert!(!page.contains('{'), "{page}");
        assert_eq!(document.plots().len(), subjects.charts.len());
    }
}
