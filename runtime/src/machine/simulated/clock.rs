//! Clocks of a simulated machine's units.

use crate::probe::costs::Costs;

/// Time of an event that never happens.
pub(super) const NEVER: u64 = u64::MAX;

/// Clock of a unit, in cycles.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Clock {
    /// Time at which the unit finishes its current work.
    pub(super) free: u64,
    /// Total time that the unit has worked.
    pub(super) busy: u64,
}

impl Clock {
    pub(super) fn work(&mut self, from: u64, until: u64) {
        self.busy += until - from;
        self.free = until;
    }

    /// Returns the time at which the one processor of an SPN node handles a message that arrives at `at`.
    #[inline]
    pub(super) fn attends(&self, at: u64, costs: &Costs) -> u64 {
        match costs.watchdog {
            Some(patience) => self.free.min(at.saturating_add(patience)).max(at),
            _ => self.free.max(at),
        }
    }
}
