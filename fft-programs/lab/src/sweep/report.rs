//! Summary of the rows of an experiment: for each machine and policy the times of its runs, and their ratio
//! to the baseline.

use earth_report::spread::Spread;
use serde::{Serialize, Serializer};

use super::columns::{SECONDS, identity};
use super::experiment::{Experiment, Kind};
use super::plan::{Group, Turn, groups, policy};
use super::rows::Rows;

/// Summary of a sweep.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Version of the serialized form.
    pub schema: u32,
    /// Title of the experiment.
    pub title: String,
    /// Name of the first policy. Times of the other policies are compared with its times.
    pub baseline: String,
    /// Number of runs without a row.
    pub left_out: u64,
    /// A line for each program, sizes, machine and policy that has rows.
    pub lines: Vec<Line>,
}

/// Runs of one program, with the same sizes, on one machine under one policy.
#[derive(Debug, Serialize)]
pub struct Line {
    /// Name of the program.
    pub program: &'static str,
    /// Its sizes by name.
    #[serde(serialize_with = "by_name")]
    pub sizes: Vec<(&'static str, u64)>,
    /// Kind of machine, with the profile of a simulated one.
    pub machine: String,
    /// Number of nodes.
    pub nodes: usize,
    /// `spn` or `dual`.
    pub config: &'static str,
    /// Name of the policy.
    pub policy: String,
    /// Number of runs.
    pub runs: usize,
    /// Times in seconds; `None` on a stepper.
    pub seconds: Option<Spread>,
    /// Ratio of the time to the baseline's, round by round or seed by seed; `None` for the baseline.
    pub ratio: Option<Spread>,
    /// On threads, the ratio of the baseline's second run in a round to its first.
    pub null: Option<Spread>,
    /// Number of the program with its sizes, of the machine's entry, and of the policy.
    #[serde(skip)]
    pub(super) number: [usize; 3],
}

/// Serializes sizes as a table.
fn by_name<S: Serializer>(sizes: &[(&'static str, u64)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(sizes.iter().copied())
}

impl Line {
    /// Returns whether the ratio differs from 1 by more than the baseline differs from itself. Times of
    /// simulated machines are exact.
    pub fn is_significant(&self) -> Option<bool> {
        let exact = Spread { min: 1.0, q1: 1.0, median: 1.0, q3: 1.0, max: 1.0 };
        Some(self.ratio?.is_significant(&self.null.unwrap_or(exact)))
    }
}

/// Returns the times of turns, in the order of rounds and seeds; `None` for a turn without a row.
fn times(
    experiment: &Experiment<'_>,
    group: &Group<'_, '_>,
    rows: &Rows,
    is_wanted: impl Fn(&Turn) -> bool,
) -> Vec<Option<f64>> {
    let turns = group.turns.iter().filter(|turn| is_wanted(turn));
    let time = |turn: &Turn| {
        let row = rows.get(&identity(group, policy(experiment, turn), turn))?;
        // A stepper measures no time.
        Some(row[SECONDS].parse().unwrap_or(f64::NAN))
    };
    turns.map(time).collect()
}

/// Returns the ratios of the rounds that have both times.
fn ratios(over: &[Option<f64>], under: &[Option<f64>]) -> Option<Spread> {
    let ratios = over.iter().zip(under).filter_map(|(over, under)| Some(over.as_ref()? / under.as_ref()?));
    spread(ratios.collect())
}

fn spread(values: Vec<f64>) -> Option<Spread> {
    let is_measured = !values.is_empty() && values.iter().all(|value| value.is_finite());
    is_measured.then(|| Spread::of(values))
}

impl Report {
    /// Summarizes the rows of an experiment. `left_out` is the number of runs without a row.
    pub fn of(experiment: &Experiment<'_>, rows: &Rows, left_out: u64) -> Self {
        let mut lines = Vec::new();
        for group in groups(experiment) {
            let of = |number: usize, again: bool| {
                times(experiment, &group, rows, |turn| (turn.policy, turn.again) == (number, again))
            };
            let baseline = of(0, false);
            let null = if group.site.kind == Kind::Threads { ratios(&of(0, true), &baseline) } else { None };
            for (number, choice) in experiment.policies.iter().enumerate() {
                let own = of(number, false);
                let runs: Vec<_> = own.iter().copied().flatten().collect();
                if runs.is_empty() {
                    continue;
                }
                let sizes = group.case.program.sizes().iter().zip(&group.case.sizes);
                lines.push(Line {
                    program: group.case.program.name(),
                    sizes: sizes.map(|(size, value)| (size.name, *value)).collect(),
                    machine: group.site.name(),
                    nodes: group.site.nodes,
                    config: group.site.config.name(),
                    policy: choice.name.clone(),
                    runs: runs.len(),
                    seconds: spread(runs),
                    ratio: if number > 0 { ratios(&own, &baseline) } else { None },
                    null,
                    number: [group.number[0], group.number[1], number],
                });
            }
        }
        let baseline = experiment.policies[0].name.clone();
        Report { schema: 1, title: experiment.title.clone(), baseline, left_out, lines }
    }
}
