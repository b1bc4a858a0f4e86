//! Runs in the calling thread alone, while other threads of the process keep all cores busy.
//!
//! A run hands units to its workers through the gate, and is over when each of them has gone through. If as many threads
//! as there are cores work for other machines, the system runs a worker of this one only after some milliseconds, and a
//! short run would wait for that. So such a run keeps the gate shut, and the calling thread steps the units of all workers.
//!
//! 1. The calling thread has the states of the other workers, whose ledgers are idle and have counted nothing. Its own
//!    ledger counts for all units.
//! 2. After each pass it asks whether a core has become free. If so, it makes their ledgers busy, gives each worker its
//!    units, and opens the gate: from there on the run goes as any other.
//!
//! *Why the run does not end too early.* As long as the calling thread has the units, its ledger alone says what was sent
//! and received, for all of them. It is busy at the hand-over, and the other ledgers become busy before their units can
//! act; each then counts the messages of its own units from the beginning of the run.
//!
//! *When it does not apply.* A run with [input](crate::input) opens its gate, since threads outside wake the worker of
//! a node; so does a machine that was [pinned](crate::Machine::pin), whose user has asked for a core for each worker.

use std::time::Instant;

use earth_signal::Active;

use super::super::unit_set::UnitSet;
use super::idle::IdleTime;
use super::{Shared, WorkerState};

/// The workers other than the calling thread, while that steps their units.
pub(super) struct Others {
    states: Vec<WorkerState>,
    /// How many units each of them has, while the calling thread has these.
    counts: Vec<usize>,
    since: Instant,
    /// Whether they have their units, and the gate is open.
    are_at_work: bool,
}

impl Others {
    /// Adds their units to those of the calling thread.
    pub(super) fn join(&mut self, units: &mut UnitSet) {
        self.counts = self.states.iter().map(|state| state.units.len()).collect();
        self.states.iter_mut().for_each(|state| units.append(&mut state.units));
    }

    /// Gives them their units back, unless they have them. The time in which the calling thread was busy is divided among
    /// all units; a worker is idle for the rest of the time.
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

    /// Whether the gate was opened for them.
    pub(super) fn are_at_work(&self) -> bool {
        self.are_at_work
    }
}

impl Shared {
    /// Whether the cores have room for another thread beside those that work for machines.
    pub(super) fn has_cores(&self) -> bool {
        Active::threads() < self.cores
    }

    /// Takes the other workers, whose ledgers become idle, for a run that begins now.
    pub(super) fn others(&self, now: Instant) -> Others {
        let states = self.states[1..].iter().filter_map(|state| state.lock().take());
        let states = states.map(|mut state| {
            state.ledger.idle(0, 0);
            state
        });
        Others { states: states.collect(), counts: Vec::new(), since: now, are_at_work: false }
    }

    /// Has the other workers go on with their units, which the calling thread has among `units`.
    pub(super) fn hand_over(&self, others: &mut Others, units: &mut UnitSet, idle: &mut IdleTime) {
        others.part(units, idle);
        others.states.iter_mut().for_each(|state| state.ledger.busy());
        self.put_back(others);
        others.are_at_work = true;
        self.gate.open();
    }

    /// Puts the states back to where their workers take them.
    pub(super) fn put_back(&self, others: &mut Others) {
        for (place, state) in self.states[1..].iter().zip(others.states.drain(..)) {
            *place.lock() = Some(state);
        }
    }
}
