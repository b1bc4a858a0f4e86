//! The result and the counts that a run must have, and the error text if they differ.

use std::collections::HashMap;
use std::fmt::Write;

use earth::simulated::{Recording, Schedule, shrink};
use earth::{Counters, Machine};

use super::case::Case;
use super::programs::Program;

/// Number of events of each kind.
pub(crate) type Events = [(&'static str, u64); 6];

/// Result and counts that a program must have on any machine of a given number of nodes.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    pub(crate) result: Vec<u64>,
    pub(crate) events: Events,
}

/// Computes expected values: results by sequential algorithms, and events by runs on real cores. Each program
/// runs once.
#[derive(Default)]
pub(crate) struct Judge {
    known: HashMap<(Program, usize), Expected>,
    /// Real-core machines by the number of nodes.
    cores: HashMap<usize, Machine>,
}

impl Judge {
    pub(crate) fn expected(&mut self, program: Program, nodes: usize) -> Expected {
        let cores = self.cores.entry(nodes).or_insert_with(|| Machine::threads(nodes));
        let known = self.known.entry((program, nodes)).or_insert_with(|| {
            let result = program.sequential(nodes);
            let run = program.run(cores, nodes);
            let (found, counters) = run.unwrap_or_else(|why| panic!("{program:?}, {nodes} threads: {why}"));
            assert!(found == result, "{program:?}, {nodes} threads: the result is not the sequential one");
            Expected { result, events: events(&counters) }
        });
        known.clone()
    }
}

fn events(counters: &Counters) -> Events {
    let Counters { fibers, signals, invokes, tokens, block_moves, frames, .. } = *counters;
    [
        ("fibers", fibers),
        ("signals", signals),
        ("invokes", invokes),
        ("tokens", tokens),
        ("block moves", block_moves),
        ("frames", frames),
    ]
}

/// Runs the program of a case on `machine`. The error describes the first difference.
pub(crate) fn judged(machine: &mut Machine, case: &Case, expected: &Expected) -> Result<(), String> {
    let (result, counters) = case.program.run(machine, case.nodes)?;
    if result != expected.result {
        return Err("the result is not the sequential one".to_owned());
    }
    if counters.frames != counters.frames_ended {
        return Err(format!("{} frames were made and {} ended", counters.frames, counters.frames_ended));
    }
    for ((kind, found), (_, threads)) in events(&counters).into_iter().zip(expected.events) {
        if found != threads {
            return Err(format!("{found} {kind}, and {threads} on real cores"));
        }
    }
    Ok(())
}

/// Runs a case. The error contains the reason, the command that repeats the run, and a simplified schedule.
pub(crate) fn examine(case: &Case, expected: &Expected) -> Result<(), String> {
    let mut machine = case.machine();
    let Err(why) = judged(&mut machine, case, expected) else { return Ok(()) };
    let mut report = format!("seed {}: {why}\n{case:?}\n", case.seed);
    let command = format!(
        "EARTH_FAULT_SEED={} cargo test -p earth-tests --test ffts one_seed -- --nocapture",
        case.seed
    );
    let _ = writeln!(report, "{command}");
    if let Some(recording) = machine.recording() {
        let simple = shrink(recording, |choices| replay(case, expected, choices));
        let (from, to) = (recording.preemptions(), simple.preemptions());
        let _ = writeln!(report, "and with {to} preemptions of {from}:");
        let _ = writeln!(report, "EARTH_FAULT_SCHEDULE='{simple}' {command}");
    }
    Err(report)
}

/// Replays a schedule. Returns its recording if the run fails.
fn replay(case: &Case, expected: &Expected, choices: &Recording) -> Option<Recording> {
    let mut machine = case.machine().schedule(Schedule::Replay(choices.clone()));
    let failed = judged(&mut machine, case, expected).is_err();
    machine.recording().filter(|_| failed).cloned()
}
