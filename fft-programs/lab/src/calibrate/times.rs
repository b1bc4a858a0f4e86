//! Times as costs: the clock of the profiles, and the median.

/// Clock of the profiles made here: a cycle is a tenth of a nanosecond.
pub(super) const CLOCK_MHZ: f64 = 10_000.0;

/// Returns the (upper) median of the times. There must be at least one.
pub(super) fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
