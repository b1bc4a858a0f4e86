//! The policies of the runtime, one change at a time. Some changes matter for a program on a machine, and
//! most do not.
//!
//! 1. [`settings`](mod@settings) lists the changes of the default policy.
//! 2. Each program runs under each of them as a [sweep](crate::sweep): on threads of this computer in rounds,
//!    and on simulated machines of 64 nodes.
//! 3. [`Effect`] sums up one change on one machine, and [`document`] is the page.
//!
//! A change *matters* for a program if the time differs by at least [`LEAST`] and, on threads, by more than
//! the default differs from itself. Times of simulated machines are exact.

mod document;
mod settings;

use std::collections::BTreeMap;

use earth::simulated::Profile;
use earth::{CancelToken, Machine};
use earth_console::work::Progress;
use earth_fft::computer::usable_cores;
use earth_programs::{Machines, Program};
use earth_report::document::Document;
use earth_report::spread::geometric_mean;
use earth_trace::{Levels, Trace};
use serde::Serialize;

use crate::sweep::{Experiment, ExperimentError, Line, Report, Rows, Subjects, SweepError, built_in, run};
use settings::{DEFAULT, OWN, Site, own, settings};

/// The least relative difference that matters.
const LEAST: f64 = 0.05;

/// Rounds on threads.
const REPEATS: u64 = 7;

/// Profile of the traced machine that gives the levels of the critical path.
const PROFILE: &str = "epyc-7773x";

/// Machines of this computer, each with two threads.
const THREADS: &str = r#"
[[machines]]
kind = "threads"
nodes = [2]
[[machines]]
kind = "threads"
nodes = [1]
config = ["dual"]
"#;

/// Machines in virtual time: cores that share memory, and a torus.
const SIMULATED: &str = r#"
[[machines]]
kind = "simulated"
profile = "epyc-7773x"
nodes = [64]
config = ["spn", "dual"]
[[machines]]
kind = "simulated"
profile = "bluegene-l"
nodes = [64]
"#;

/// Error of the runs.
#[derive(Debug, thiserror::Error)]
pub enum PoliciesError {
    /// A run failed, or its row cannot be kept.
    #[error(transparent)]
    Sweep(#[from] SweepError),
    /// A program refuses the experiment.
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
}

/// One change of the policy on one machine, over all programs.
#[derive(Clone, Debug, Serialize)]
pub struct Effect {
    /// Name of the change.
    pub setting: &'static str,
    /// Kind, configuration and number of nodes.
    pub machine: String,
    /// Geometric mean over the programs of the time over the default's.
    pub mean: f64,
    /// Number of programs that became faster, and slower.
    pub changed: [usize; 2],
    /// Programs with the least and the greatest ratio.
    pub extremes: [(&'static str, f64); 2],
}

/// The answer as JSON.
#[derive(Debug, Serialize)]
pub struct Answer {
    schema: u32,
    /// Number of runs that have no row.
    pub left_out: u64,
    effects: Vec<Effect>,
    lines: Vec<Line>,
}

/// Progress of the programs. The runs of a sweep are not reported.
struct Whole<'a, P>(&'a P);

impl<P: Progress> Progress for Whole<'_, P> {
    fn begin(&self, _: u64) {}
    fn done(&self, _: u64) {}
    fn is_over(&self) -> bool {
        self.0.is_over()
    }
}

/// Does the runs that `rows` does not have, and makes the report. `on_threads` is false for simulated
/// machines alone.
///
/// # Errors
///
/// The first error of a run, or of its row.
pub fn report(
    programs: &[&dyn Program],
    on_threads: bool,
    rows: &mut Rows,
    cancel: &CancelToken,
    progress: &impl Progress,
) -> Result<(Document, Answer), PoliciesError> {
    let sites = [Site::Threads, Site::Simulated];
    let sites = sites.into_iter().filter(|site| *site == Site::Simulated || on_threads && usable_cores() > 1);
    let sites: Vec<_> = sites.collect();
    let programs: Vec<_> =
        programs.iter().copied().filter(|program| program.machines() != Machines::RealTime).collect();
    progress.begin(programs.len() as u64);
    let (mut lines, mut left_out) = (Vec::new(), 0);
    for program in programs {
        let levels = levels(program, cancel)?;
        let (critical, half, nearest) = own(&levels);
        let sets: [&(dyn Fn(Machine) -> Machine + Sync); 3] = [&critical, &half, &nearest];
        let policies = OWN.into_iter().zip(sets).map(|(name, set)| crate::sweep::OwnPolicy { name, set });
        let subjects = Subjects { programs: vec![program], policies: policies.collect() };
        for &site in &sites {
            let experiment = Experiment::from_toml(&text(program.name(), site), &subjects, &built_in)?;
            let left = run(&experiment, rows, &Whole(progress), cancel)?;
            let report = Report::of(&experiment, rows, left);
            left_out += left;
            lines.extend(report.lines);
        }
        progress.done(1);
    }
    let answer = Answer { schema: 1, left_out, effects: effects(&lines), lines };
    Ok((document::document(&answer), answer))
}

/// Returns the levels of a program's fibers on one simulated node.
fn levels(program: &dyn Program, cancel: &CancelToken) -> Result<Levels, SweepError> {
    let failed =
        |error| SweepError::Run { run: format!("`{}` with a trace", program.name()), error: Box::new(error) };
    let profile = Profile::named(PROFILE).unwrap_or_else(Profile::free);
    let mut machine = Machine::simulated(&profile).nodes(1).trace(true).cancel_token(cancel.clone());
    let instance = program.at(&program.usual()).map_err(failed)?;
    let run = instance.run(&mut machine).map_err(failed)?;
    Ok(run.records.as_ref().map(Trace::of).unwrap_or_default().levels())
}

/// Returns the experiment of a program.
fn text(program: &str, site: Site) -> String {
    let machines = match site {
        Site::Threads => THREADS,
        Site::Simulated => SIMULATED,
    };
    let policy = |(name, value): (&str, Option<&str>)| match value {
        Some(value) => format!("[[policies]]\nname = \"{name}\"\npolicy = \"{value}\"\n"),
        None => format!("[[policies]]\nname = \"{name}\"\n"),
    };
    let policies: String =
        std::iter::once(policy((DEFAULT, Some("newest-first")))).chain(settings(site).map(policy)).collect();
    format!("repeats = {REPEATS}\n[[programs]]\nname = \"{program}\"\n{machines}{policies}")
}

/// Returns the name of the machine of a line.
fn machine(line: &Line) -> String {
    let plural = if line.nodes == 1 { "" } else { "s" };
    format!("{}, {}, {} node{plural}", line.machine, line.config.to_uppercase(), line.nodes)
}

/// Returns whether the change matters for the program of a line.
fn matters(line: &Line) -> bool {
    let Some(ratio) = line.ratio else { return false };
    let is_certain = line.null.is_none_or(|null| ratio.is_significant(&null));
    is_certain && (ratio.median - 1.0).abs() >= LEAST
}

/// Sums up the lines of all programs, by change and machine.
fn effects(lines: &[Line]) -> Vec<Effect> {
    let mut of: BTreeMap<(usize, String), Vec<&Line>> = BTreeMap::new();
    let names: Vec<_> = settings::all().collect();
    for line in lines.iter().filter(|line| line.ratio.is_some()) {
        let Some(number) = names.iter().position(|name| *name == line.policy) else { continue };
        of.entry((number, machine(line))).or_default().push(line);
    }
    let effect = |((number, machine), lines): ((usize, String), Vec<&Line>)| {
        let ratios: Vec<_> =
            lines.iter().filter_map(|line| Some((line.program, line.ratio?.median))).collect();
        let by_ratio = |a: &&(&str, f64), b: &&(&str, f64)| a.1.total_cmp(&b.1);
        let extremes = [ratios.iter().min_by(by_ratio), ratios.iter().max_by(by_ratio)];
        let changed =
            lines.iter().filter(|line| matters(line)).filter_map(|line| Some(line.ratio?.median < 1.0));
        let (faster, slower): (Vec<_>, Vec<_>) = changed.partition(|is_faster| *is_faster);
        Effect {
            setting: names[number],
            machine,
            mean: geometric_mean(ratios.iter().map(|(_, ratio)| *ratio)).unwrap_or(1.0),
            changed: [faster.len(), slower.len()],
            extremes: extremes.map(|of| of.copied().unwrap_or(("", 1.0))),
        }
    };
    of.into_iter().map(effect).collect()
}
