//! How many nodes are usual here, and from which size on they share a problem.

use earth::{Config, Machine};

/// The least points of an array that a machine transforms unless it was asked to. On two nodes arrays of 2^16 points took
/// 1.29 times as long as by one thread, of 2^18 1.12 times, of 2^19 0.93 times and of 2^20 0.66 times (medians of 21,
/// AVX-512): what two nodes exchange outweighs their work as long as an array fits into the caches of one core. Two real
/// numbers count as one point, since their transform is half of the work.
pub const PAYS: usize = 1 << 19;

/// The least points of a series that a machine transforms unless it was asked to. On two nodes series of 2^17 points took
/// 1.1 times as long as by one thread, of 2^18 0.8 times and of 2^19 0.55 times on cores of one third cache, but 2.7, 1.65 and
/// 1.4 times on cores of two, and of 2^20 0.6 to 0.75 times on both (medians of 60, AVX-512). Two real numbers count as one
/// point.
pub const SERIES_PAYS: usize = 1 << 19;

/// The number of nodes whose units there are [usable cores](Machine::usable_cores) for: affinity mask and CPU quota respected.
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
