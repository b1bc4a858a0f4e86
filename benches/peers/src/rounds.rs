//! The rounds of a measure: the order of the engines, each in a process of its own.

use std::process::{Command, Stdio};

use crate::engines::Load;
use crate::measures::Measure;

/// Figures of each engine of a measure, by round.
#[derive(Debug)]
pub struct Figures {
    /// Figures of the engines, in the order of [`Measure::engines`].
    pub engines: Vec<Vec<f64>>,
    /// Figures of the first engine's second runs.
    pub null: Vec<f64>,
}

/// Returns the order in which the engines `0..engines` run in a round. The number `engines` is the first
/// engine's second run.
pub fn order(engines: usize, round: usize) -> impl Iterator<Item = usize> {
    let entries = engines + 1;
    (0..entries).map(move |i| (i + round) % entries)
}

/// Runs every engine of a measure in `rounds` rounds.
///
/// # Errors
///
/// If a child failed or printed no number: a sentence that names it.
pub fn run(measure: &Measure, rounds: usize, load: Load) -> Result<Figures, String> {
    let count = measure.engines.len();
    let mut times = vec![Vec::with_capacity(rounds); count + 1];
    for round in 0..rounds {
        for i in order(count, round) {
            times[i].push(child(measure, measure.engines[i % count].0, load)?);
        }
    }
    let null = times.pop().unwrap_or_default();
    Ok(Figures { engines: times, null })
}

/// Runs an engine in a separate process. Returns its figure.
fn child(measure: &Measure, engine: &str, load: Load) -> Result<f64, String> {
    let who = format!("measure {}, engine {engine}:", measure.name);
    let program =
        std::env::current_exe().map_err(|error| format!("{who} this program has no path: {error}"))?;
    let mut command = Command::new(program);
    command.args(["--child", measure.name, engine, "--work", &load.work.to_string()]);
    if load.tiny {
        command.arg("--tiny");
    }
    let done = command.stderr(Stdio::inherit()).output();
    let done = done.map_err(|error| format!("{who} the child cannot be started: {error}"))?;
    if !done.status.success() {
        return Err(format!("{who} the child failed ({})", done.status));
    }
    let printed = String::from_utf8_lossy(&done.stdout);
    printed.trim().parse().map_err(|_| format!("{who} the child printed {printed:?} instead of a number"))
}
