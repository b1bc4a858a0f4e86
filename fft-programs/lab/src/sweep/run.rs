//! The runs of a sweep.

use earth::CancelToken;
use earth_console::work::Progress;
use earth_programs::{Instance, ProgramError};

use super::columns::{columns, identity};
use super::experiment::{Experiment, Kind};
use super::plan::{Group, Turn, groups, policy};
use super::rows::{Rows, RowsError};

/// Error of a sweep. Finished runs keep their rows.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// A row cannot be kept.
    #[error(transparent)]
    Rows(#[from] RowsError),
    /// A run failed.
    #[error("the run of {run} failed: {error}")]
    Run {
        /// The program, its sizes and the machine.
        run: String,
        /// Error of the program.
        error: Box<ProgramError>,
    },
}

impl SweepError {
    /// Returns whether the runs were cancelled.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Run { error, .. } if matches!(**error, ProgramError::Machine(earth::Error::Cancelled)))
    }
}

/// Does the runs of an experiment that have no row yet, in order, and adds their rows. Returns the number of
/// runs that were left out because the listener's time was over.
///
/// On threads the policies take turns, round by round. The machine of a turn runs the program once without a
/// row before.
///
/// # Errors
///
/// The error of the first run that fails, whose result is wrong, or whose row cannot be written.
pub fn run(
    experiment: &Experiment<'_>,
    rows: &mut Rows,
    progress: &impl Progress,
    cancel: &CancelToken,
) -> Result<u64, SweepError> {
    let groups: Vec<_> = groups(experiment)
        .into_iter()
        .map(|mut group| {
            let is_missing =
                |turn: &Turn| rows.get(&identity(&group, policy(experiment, turn), turn)).is_none();
            let missing = group.turns.iter().copied().filter(is_missing).collect();
            group.turns = missing;
            group
        })
        .collect();
    let mut left: u64 = groups.iter().map(|group| group.turns.len() as u64).sum();
    progress.begin(left);
    // The instance of the program and the sizes that ran last.
    let mut last: Option<(usize, Instance)> = None;
    for group in groups.iter().filter(|group| !group.turns.is_empty()) {
        if progress.is_over() {
            break;
        }
        let [number, _] = group.number;
        let instance = match last.take() {
            Some((of, instance)) if of == number => instance,
            _ => group.case.program.at(&group.case.sizes).map_err(|error| failed(group, error))?,
        };
        left -= run_group(experiment, group, &instance, rows, progress, cancel)?;
        last = Some((number, instance));
    }
    Ok(left)
}

fn failed(group: &Group<'_, '_>, error: ProgramError) -> SweepError {
    let (sizes, site) = (&group.case.sizes, &group.site);
    let named =
        group.case.program.sizes().iter().zip(sizes).map(|(size, value)| format!(", {} {value}", size.name));
    let run = format!(
        "`{}`{} on {}, {} nodes, {}",
        group.case.program.name(),
        named.collect::<String>(),
        site.name(),
        site.nodes,
        site.config
    );
    SweepError::Run { run, error: Box::new(error) }
}

/// Does the runs of a group. Returns their number.
fn run_group(
    experiment: &Experiment<'_>,
    group: &Group<'_, '_>,
    instance: &Instance,
    rows: &mut Rows,
    progress: &impl Progress,
    cancel: &CancelToken,
) -> Result<u64, SweepError> {
    let Group { site, turns, .. } = group;
    let plain = instance.plain().as_secs_f64();
    let mut done = 0;
    for turn in turns {
        if progress.is_over() {
            break;
        }
        let choice = policy(experiment, turn);
        let mut machine = site.machine(&choice.policy, turn.seed, cancel);
        let run = match site.kind {
            Kind::Threads => instance.run_warm(machine),
            Kind::Simulated | Kind::Stepper => instance.run(&mut machine),
        };
        let run = run.map_err(|error| failed(group, error))?;
        rows.add(columns(identity(group, choice, turn), site.kind, &run, plain))?;
        progress.done(1);
        done += 1;
    }
    Ok(done)
}
