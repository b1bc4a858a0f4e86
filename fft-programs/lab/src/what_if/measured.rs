//! Runs of a program on this computer: traced on one node, and without a trace on all machines in turn.

use earth::CancelToken;
use earth::simulated::FiberTimes;
use earth_programs::Instance;
use earth_report::spread::Spread;

use super::Variant;
use crate::run_cache::SimulateError;

/// Rounds of runs, each with one run on each machine.
const ROUNDS: usize = 11;

/// Measurements of a program.
pub(super) struct Measured {
    /// Mean times of its fibers on the first machine, without the cost of tracing.
    pub(super) times: FiberTimes,
    /// Least, median and greatest time on each machine, in seconds.
    pub(super) seconds: Vec<[f64; 3]>,
}

/// Measures a program on machines of this computer. The first of them is traced too.
pub(super) fn measured(
    instance: &Instance,
    variants: &[Variant],
    cancel: &CancelToken,
) -> Result<Measured, SimulateError> {
    let mut seconds = vec![Vec::new(); variants.len()];
    let mut traced: Vec<(f64, FiberTimes, u64)> = Vec::new();
    for _ in 0..ROUNDS {
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
    Ok(Measured { times: times.less(overhead), seconds })
}
