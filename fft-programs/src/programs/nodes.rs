//! How many nodes a machine may have, and how many are usual here.

use std::num::NonZeroUsize;
use std::thread;

use earth::Config;

/// The largest number of nodes of a machine.
pub const MOST_NODES: usize = earth::Machine::MOST_NODES;

/// The number of nodes whose units there are usable cores for: affinity mask and CPU quota respected.
pub fn default_nodes(config: impl Into<Config>) -> usize {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    match config.into() {
        Config::Spn => cores.min(MOST_NODES),
        Config::Dual => (cores / 2).clamp(1, MOST_NODES),
    }
}
