//! What a worker does with its units: it steps them until the run is over, looks for work when there is none, and
//! sleeps when it finds none.

use std::thread;

use earth_signal::{Ledger, Round, Signal};

use super::super::cancel::Cancels;
use super::super::unit_set::UnitSet;
use super::idle::IdleTime;
use super::{GATE_SPIN, Shared, WorkerState};
use crate::error::Error;
use crate::unit::separate::Step;

/// The number of looks after which an idle worker offers its core to others, should they need it.
const YIELD: usize = 4_000;

/// How often a worker looks for work before it declares itself idle: longer than an answer from another core takes, so
/// that a dialogue of two nodes does not pay for the declaration, nor for the pauses between patient looks (some 40 ns
/// each).
const GLANCES: usize = 200;

/// How many steps one unit takes before the worker's next unit has its turn.
const TURN: u32 = 32;

impl Shared {
    /// The life of a worker other than the calling thread.
    pub(super) fn serve(&self, me: usize) {
        let mut seen = Round::default();
        while let Signal::Start(round) = self.gate.wait(seen, GATE_SPIN) {
            seen = round;
            self.work(me);
            self.gate.done();
        }
    }

    /// Steps the units of worker `me` for one run.
    pub(super) fn work(&self, me: usize) {
        let Some(mut state) = self.states[me].lock().take() else { return };
        let WorkerState { units, ledger, idle } = &mut state;
        let outcome = units.guarded(|units| self.step_until_over(me, units, ledger, idle));
        match outcome {
            Err(error) => self.fail(error),
            // A fiber met an error and caught what unwound.
            Ok(()) if self.verdict.has_failed() => self.sleepers.wake_all(),
            Ok(()) => {}
        }
        *self.states[me].lock() = Some(state);
    }

    /// Ends the run with an error, unless it is over.
    fn fail(&self, error: Box<Error>) {
        self.verdict.fail(error);
        self.sleepers.wake_all();
    }

    fn step_until_over(
        &self,
        me: usize,
        units: &mut UnitSet,
        ledger: &mut Ledger,
        idle: &mut IdleTime,
    ) -> Result<(), Box<Error>> {
        let mut held = 0;
        loop {
            let mut best = Step::Idle;
            for at in 0..units.len() {
                best = best.max(units.steps(at, TURN, &self.verdict)?);
            }
            if self.verdict.is_over() {
                return Ok(());
            }
            match best {
                Step::Worked => held = 0,
                Step::Holding => {
                    held += 1;
                    idle.looked(1);
                    if gives_way(held) {
                        idle.clock(thread::yield_now);
                    } else {
                        idle.pause();
                    }
                }
                Step::Idle => {
                    let in_vain = (0..GLANCES).position(|_| units.has_work());
                    // The steps that found nothing count as one look.
                    idle.looked(1 + in_vain.unwrap_or(GLANCES));
                    if in_vain.is_none() {
                        idle.clock(|| self.wait(me, units, ledger));
                    }
                }
            }
        }
    }

    /// Waits, with nothing in hand, until there is work or the run is over.
    #[inline(never)]
    fn wait(&self, me: usize, units: &mut UnitSet, ledger: &mut Ledger) {
        let (sent, received) = units.messages();
        ledger.idle(sent, received);
        while !self.verdict.is_over() {
            if self.quiet.is_quiet() {
                self.verdict.settle();
                self.sleepers.wake_all();
                break;
            }
            if self.look_for_work(units) {
                ledger.busy();
                break;
            }
            self.sleepers.park_unless(me, || self.verdict.is_over() || units.has_work());
        }
    }

    /// Looks for work as often as the policy says: by default for about 100 us, more than twice what a wake-up takes.
    /// There are never more workers than cores, so spinning keeps no other worker from its core. Returns whether there
    /// is any.
    fn look_for_work(&self, units: &mut UnitSet) -> bool {
        for round in 1..=self.spin {
            if units.has_work() {
                return true;
            }
            if self.verdict.is_over() {
                return false;
            }
            if gives_way(round) {
                thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
        }
        false
    }
}

impl Cancels for Shared {
    fn cancel(&self) {
        self.fail(Box::new(Error::Cancelled));
    }
}

/// Whether a worker gives its core away between two looks, should others need it, as it does now and then.
fn gives_way(round: usize) -> bool {
    round.is_multiple_of(YIELD)
}
