//! Latencies of requests and their percentiles.

use std::time::Duration;

/// The times of a run's requests.
#[derive(Clone, Debug, Default)]
pub struct Latencies(Vec<u64>);

impl Latencies {
    /// Returns no times, with room for `requests`.
    pub fn with_capacity(requests: usize) -> Self {
        Latencies(Vec::with_capacity(requests))
    }

    /// Adds the time of a request.
    pub fn add(&mut self, latency: Duration) {
        self.0.push(latency.as_nanos() as u64);
    }

    /// Returns the least times that this many in a thousand of all requests do not exceed, in microseconds:
    /// by nearest rank. Returns 0 without requests.
    pub fn per_mille<const N: usize>(&mut self, ranks: [u32; N]) -> [f64; N] {
        self.0.sort_unstable();
        ranks.map(|rank| {
            let position = (self.0.len() as u64 * u64::from(rank)).div_ceil(1000).max(1) as usize;
            self.0.get(position - 1).map_or(0.0, |&nanoseconds| nanoseconds as f64 / 1e3)
        })
    }
}
