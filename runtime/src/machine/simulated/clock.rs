//! The clocks of a simulated machine's units.

use crate::probe::costs::Costs;

/// The time of what does not happen.
pub(super) const NEVER: u64 = u64::MAX;

/// A unit's clock.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Clock {
    /// The time at which the unit has done what it does now.
    pub(super) free: u64,
    /// The time that the unit has worked in all.
    pub(super) busy: u64,
}

impl Clock {
    pub(super) fn work(&mut self, from: u64, until: u64) {
        self.busy += until - from;
        self.free = until;
    }

    /// The time at which the unit, the one processor of its node (SPN), attends to a message that arrives at `at`.
    #[inline]
    pub(super) fn attends(&self, at: u64, costs: &Costs) -> u64 {
        match costs.watchdog {
            Some(patience) => self.free.min(at.saturating_add(patience)).max(at),
            _ => self.free.max(at),
        }
    }
}
