//! Times as costs: the clock that they are counted by, and which of several counts.

/// The clock of profiles made here: a tenth of a nanosecond a cycle.
pub(super) const CLOCK_MHZ: f64 = 10_000.0;

/// The middle one of some times, at least one.
pub(super) fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
