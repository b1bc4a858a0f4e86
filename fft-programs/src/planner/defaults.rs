//! The default number of nodes, and the problem sizes from which nodes share a problem.

use earth::{Config, Machine};

/// The least points of an array that a machine transforms by default. Time on two nodes relative to one
/// thread (medians of 21, AVX-512):
///
/// | points | 2^16 | 2^18 | 2^19 | 2^20 |
/// |---|---|---|---|---|
/// | relative time | 1.29 | 1.12 | 0.93 | 0.66 |
///
/// While an array fits into the caches of one core, the exchange between two nodes costs more than they save.
/// Two real numbers count as one point, because their transform is half of the work.
pub const MIN_SHARED_POINTS: usize = 1 << 19;

/// The least points of a series that a machine transforms by default. Time on two nodes relative to one
/// thread (medians of 60, AVX-512):
///
/// | points | 2^17 | 2^18 | 2^19 | 2^20 |
/// |---|---|---|---|---|
/// | cores that share one third-level cache | 1.1 | 0.8 | 0.55 | 0.6 to 0.75 |
/// | cores of two third-level caches | 2.7 | 1.65 | 1.4 | 0.6 to 0.75 |
///
/// Two real numbers count as one point.
pub const MIN_SHARED_SERIES_POINTS: usize = 1 << 19;

/// The least points of all arrays of a batch that a machine transforms by default. Time on two nodes relative
/// to one thread (medians of 21, AVX-512):
///
/// | points | 2^12 | 2^13 | 2^14 | 2^16 |
/// |---|---|---|---|---|
/// | arrays of 16 points | 2.5 | 1.8 | 0.99 | 0.62 |
/// | arrays of 64 points | 2.1 | 1.1 | 0.6 | 0.61 |
///
/// Nodes exchange no points, so the number is smaller than for one array. Two real numbers count as one
/// point.
pub const MIN_SHARED_BATCH_POINTS: usize = 1 << 15;

/// Returns the largest number of nodes whose units have a [usable core](Machine::usable_cores) each, within
/// the affinity mask and the CPU quota.
pub fn default_nodes(config: Config) -> usize {
    let cores = Machine::usable_cores();
    match config {
        Config::Spn => cores.min(Machine::MOST_NODES),
        Config::Dual => (cores / 2).clamp(1, Machine::MOST_NODES),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_with_two_units_gets_two_cores() {
        assert!((1..=64).contains(&default_nodes(Config::Dual)));
    }
}
