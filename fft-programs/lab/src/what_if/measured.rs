//! Runs of a program on this computer: traced on one node, and without a trace on all machines in turn.
//!
//! A program that ranks run has two more runs in each round, on two nodes of threads: one exchanges bytes,
//! and one does not. The difference of their busy times is the time to encode and decode all messages.

use earth::simulated::FiberTimes;
use earth::{CancelToken, Machine};
use earth_programs::Instance;
use earth_report::spread::{Spread, median};

use super::Variant;
use crate::map::Kind;
use crate::run_cache::SimulateError;

/// Rounds of runs, each with one run on each machine.
const ROUNDS: usize = 11;

/// Measurements of a program.
pub(super) struct Measured {
    /// Mean times of its fibers on the first machine, without the cost of tracing.
    pub(super) times: FiberTimes,
    /// Least, median and greatest time on each machine, in seconds.
    pub(super) seconds: Vec<[f64; 3]>,
    /// Time to encode and decode a message, in nanoseconds, if a machine has ranks.
    pub(super) encoding: Option<f64>,
}

/// Measures a program on machines of this computer. The first of them is traced too.
pub(super) fn measured(
    instance: &Instance,
    variants: &[Variant],
    cancel: &CancelToken,
) -> Result<Measured, SimulateError> {
    let mut seconds = vec![Vec::new(); variants.len()];
    let mut traced: Vec<(f64, FiberTimes, u64)> = Vec::new();
    let mut encoding = Vec::new();
    let has_ranks = variants.iter().any(|variant| variant.kind == Kind::Ranks);
    for _ in 0..ROUNDS {
        if has_ranks {
            encoding.push(encoding_of(instance, cancel)?);
        }
        for (variant, seconds) in variants.iter().zip(&mut seconds) {
            let run = variant.real(cancel, |machine| instance.run_warm(machine))?;
            seconds.push(run.elapsed.as_secs_f64());
        }
        let run = variants[0].real(cancel, |machine| instance.run_warm(machine.trace(true)))?;
        let times = run.records.as_ref().map(FiberTimes::of).unwrap_or_default();
        traced.push((run.elapsed.as_secs_f64(), times, run.counters.fibers));
    }
    let seconds: Vec<_> = seconds
        .into_iter()
        .map(|times| {
            let Spread { min, median, max, .. } = Spread::of(times);
            [min, median, max]
        })
        .collect();
    traced.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (with, times, fibers) = traced.swap_remove(ROUNDS / 2);
    let overhead = (with - seconds[0][1]).max(0.0) * 1e9 / fibers.max(1) as f64;
    Ok(Measured { times: times.less(overhead), seconds, encoding: median(encoding) })
}

/// Returns the nanoseconds to encode and decode a message, from a run with bytes and one without.
fn encoding_of(instance: &Instance, cancel: &CancelToken) -> Result<f64, SimulateError> {
    let machine =
        |through_bytes| Machine::threads(2).through_bytes(through_bytes).cancel_token(cancel.clone());
    let moved = instance.run_warm(machine(false))?.counters;
    let encoded = instance.run_warm(machine(true))?.counters;
    let more = encoded.eu_busy.saturating_sub(moved.eu_busy);
    Ok(more.as_secs_f64() * 1e9 / encoded.events_sent.max(1) as f64)
}
