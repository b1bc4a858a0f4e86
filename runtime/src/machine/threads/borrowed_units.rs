//! Runs in the calling thread alone, while other threads of the process keep all cores busy.
//!
//! A run hands units to its workers through the gate, and ends when every worker has passed the gate. If the
//! threads of other machines occupy all cores, the system runs a worker of this machine only after some
//! milliseconds. A short run would wait for that. So the run keeps the gate shut, and the calling thread
//! steps the units of all workers.
//!
//! 1. The calling thread takes the states of the other workers. Their ledgers are idle, with counts of zero.
//!    The calling thread's ledger counts for all units.
//! 2. After each pass the calling thread checks whether a core has become free. If so, it makes the other
//!    ledgers busy, gives each worker its units, and opens the gate. From then on the run is an ordinary run.
//!
//! *Why the run does not end too early.* As long as the calling thread has the units, its ledger alone counts
//! the messages of all units. That ledger is busy during the hand-over, and the other ledgers become busy
//! before their units can act. Each ledger then counts the messages of its own units from the beginning of
//! the run.
//!
//! *Exceptions.* A run with [input](crate::input) opens its gate, because threads outside wake a node's
//! worker. A [pinned](crate::Machine::pin) machine opens its gate too, because its user requested a core for
//! each worker.

use std::time::Instant;

use earth_signal::Active;

use super::super::unit_set::UnitSet;
use super::idle::IdleTime;
use super::{ThreadsShared, WorkerState};

/// Workers other than the calling thread, while the calling thread steps their units.
pub(super) struct BorrowedUnits {
    states: Vec<WorkerState>,
    /// Number of units of each worker, while the calling thread has these units.
    counts: Vec<usize>,
    since: Instant,
    /// Whether the workers have their units and the gate is open.
    are_at_work: bool,
}

impl BorrowedUnits {
    /// Adds the workers' units to the calling thread's units.
    pub(super) fn join(&mut self, units: &mut UnitSet) {
        self.counts = self.states.iter().map(|state| state.units.len()).collect();
        self.states.iter_mut().for_each(|state| units.append(&mut state.units));
    }

    /// Returns the workers' units, unless they already have them. Divides the calling thread's busy time
    /// among all units. For the rest of the time a worker counts as idle.
    pub(super) fn part(&mut self, units: &mut UnitSet, idle: &mut IdleTime) {
        let elapsed = self.since.elapsed();
        let (busy, all) = (elapsed.saturating_sub(idle.total()), units.len() as u32);
        let share = |count: usize| busy * count as u32 / all;
        for (state, count) in self.states.iter_mut().zip(std::mem::take(&mut self.counts)).rev() {
            state.units = units.split_off(units.len() - count);
            state.idle.waited(elapsed.saturating_sub(share(count)));
            idle.waited(share(count));
        }
    }

    /// Returns whether the gate was opened for the workers.
    pub(super) fn are_at_work(&self) -> bool {
        self.are_at_work
    }
}

impl ThreadsShared {
    /// Returns whether there is a core for another thread beside the threads that work for machines.
    pub(super) fn has_cores(&self) -> bool {
        Active::threads() < self.cores
    }

    /// Takes the other workers, whose ledgers become idle, for a run that begins now.
    pub(super) fn others(&self, now: Instant) -> BorrowedUnits {
        self.one_thread.raise();
        let states = self.states[1..].iter().filter_map(|state| state.lock().take());
        let states = states.map(|mut state| {
            state.ledger.idle(0, 0);
            state
        });
        BorrowedUnits { states: states.collect(), counts: Vec::new(), since: now, are_at_work: false }
    }

    /// Hands the other workers' units, which are among `units`, over to these workers.
    pub(super) fn hand_over(&self, others: &mut BorrowedUnits, units: &mut UnitSet, idle: &mut IdleTime) {
        others.part(units, idle);
        others.states.iter_mut().for_each(|state| state.ledger.busy());
        self.put_back(others);
        others.are_at_work = true;
        self.one_thread.clear();
        self.gate.open();
    }

    /// Puts the states back where their workers take them.
    pub(super) fn put_back(&self, others: &mut BorrowedUnits) {
        for (place, state) in self.states[1..].iter().zip(others.states.drain(..)) {
            *place.lock() = Some(state);
        }
    }
}
