//! What a worker does with its units: it steps them until the run is over, looks for work when there is none, and
//! sleeps when it finds none.
//!
//! A worker that cannot do anything is in one of two states, and sleeps in both after as many looks in vain as the
//! [policy](crate::Policy::spin) says:
//!
//! * it is *idle*: nothing is there. It declares so, for the end of the run, and whoever sends to it, or shares tokens,
//!   wakes it;
//! * it *holds* something that cannot go on: an event for a full queue, a token that its execution unit has no use
//!   for yet. It sleeps without the declaration, and whoever has made any progress wakes it: each worker rings for
//!   such sleepers after a pass that used up a unit's turns, after every few passes, if it has done anything since that
//!   such a sleeper may wait for, and before it sleeps.

use std::thread::yield_now;
use std::time::Instant;

use earth_signal::{Active, Ledger, Round, Signal};

use super::super::cancel::Cancels;
use super::super::thread;
use super::super::unit_set::UnitSet;
use super::idle::IdleTime;
use super::others::Others;
use super::{GATE_SPIN, Shared, WorkerState};
use crate::node::separate::Step;
use crate::vocabulary::error::Error;

/// The number of looks after which an idle worker offers its core to others, should they need it.
const YIELD: usize = 4_000;

/// How often a worker looks for work before it declares itself idle, once it has found some after such declarations:
/// longer than an answer from another core takes, so that a dialogue of two nodes does not pay for the declaration, nor
/// for the pauses between patient looks (some 40 ns each).
const GLANCES: usize = 200;

/// How often it looks before its first declaration of a run. Each one that turns out to be too early doubles it. So a
/// run in which there is little to do is over soon.
const FIRST_GLANCES: usize = 8;

/// How many steps one unit takes before the worker's next unit has its turn.
const TURN: u32 = 32;

/// How many it takes if the worker has no other unit, and there is no other worker.
const TURN_ALONE: u32 = 1 << 10;

/// After how many passes over its units a worker rings for those that hold something, if none of the passes used up a
/// unit's turns.
const RING: usize = 8;

impl Shared {
    /// The life of a worker other than the calling thread.
    pub(super) fn serve(&self, me: usize) {
        let mut seen = Round::default();
        while let Signal::Start(round) = self.gate.wait(seen, GATE_SPIN) {
            seen = round;
            self.work(me, &mut Active::new(), None);
            thread::end_in_child(self.process);
            self.gate.done();
        }
    }

    /// Steps the units of worker `me` for one run, and the units of `others` as long as they are here. In a child that one of
    /// its fibers has forked it leaks them, and takes no lock that another thread of the parent may have held.
    pub(super) fn work(&self, me: usize, active: &mut Active, mut others: Option<&mut Others>) {
        let Some(mut state) = self.states[me].lock().take() else { return };
        let WorkerState { units, ledger, idle, .. } = &mut state;
        if let Some(others) = &mut others {
            others.join(units);
        }
        let outcome = units
            .guarded(|units| self.step_until_over(me, units, ledger, idle, active, others.as_deref_mut()));
        if !self.process.is_current() {
            return std::mem::forget(state);
        }
        match outcome {
            Err(error) => self.fail(error),
            // A fiber met an error and caught what unwound.
            Ok(()) if self.verdict.has_failed() => self.sleepers.wake_all(),
            Ok(()) => {}
        }
        if let Some(others) = others {
            others.part(&mut state.units, &mut state.idle);
            self.put_back(others);
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
        active: &mut Active,
        mut others: Option<&mut Others>,
    ) -> Result<(), Box<Error>> {
        let (mut glances, most_glances) = (looks(FIRST_GLANCES, units), looks(GLANCES, units));
        let looks = looks(self.spin, units);
        let turns = if self.states.len() == 1 && units.len() == 1 { TURN_ALONE } else { TURN };
        let (mut in_vain, mut unrung, mut freed_before, mut acts) = (0, 0, 0, 0);
        loop {
            let best = units.pass(turns, &self.verdict)?;
            if self.verdict.is_over() || !self.process.is_current() {
                return Ok(());
            }
            if let Some(others) = others.take_if(|_| self.has_cores()) {
                self.hand_over(others, units, idle);
            }
            unrung += 1;
            if best == Step::Worked || unrung == RING {
                let freed = units.freed();
                if freed != freed_before {
                    self.ring();
                }
                (freed_before, unrung) = (freed, 0);
            }
            match best {
                Step::Worked => {
                    in_vain = 0;
                    continue;
                }
                Step::Holding => {
                    idle.looked(1);
                    if gives_way(in_vain + 1) {
                        idle.clock(yield_now);
                    } else {
                        idle.pause();
                    }
                }
                Step::Idle => {
                    let found = (0..glances).position(|_| units.hears());
                    // The steps that found nothing count as one look.
                    idle.looked(1 + found.unwrap_or(glances));
                    if found.is_none() {
                        self.ring();
                        idle.clock(|| self.wait(me, units, ledger, active));
                        if self.verdict.is_over() {
                            return Ok(());
                        }
                        glances = (2 * glances).min(most_glances);
                        in_vain = 0;
                        continue;
                    }
                }
            }
            // Something is there, and the units may not be able to use it.
            in_vain += 1;
            if in_vain > looks {
                in_vain = 0;
                if acts == units.acts() {
                    self.ring();
                    let since = Instant::now();
                    if !self.hold(me, units, active)? {
                        idle.waited(since.elapsed());
                    }
                }
                acts = units.acts();
            }
        }
    }

    /// Wakes the workers, and the thread outside, that sleep though they hold something: this one may have made it
    /// possible for them to go on.
    fn ring(&self) {
        self.sleepers.wake_holders();
    }

    /// Sleeps, with something in hand that cannot go on, until another worker has made progress or sends something.
    /// Returns whether it could go on at once, and has.
    #[inline(never)]
    fn hold(&self, me: usize, units: &mut UnitSet, active: &mut Active) -> Result<bool, Box<Error>> {
        let mut outcome = Ok(Step::Worked);
        let ready = || {
            // One turn each tells exactly whether any unit can do anything.
            outcome = units.pass(1, &self.verdict);
            // With nothing in hand any more it is idle, and has to declare that before it sleeps.
            !matches!(outcome, Ok(Step::Idle | Step::Holding)) || self.verdict.is_over() || !units.has_work()
        };
        active.asleep(|| self.sleepers.park_holding_unless(me, ready));
        outcome.map(|step| step == Step::Worked)
    }

    /// Waits, with nothing in hand, until there is work or the run is over.
    #[inline(never)]
    fn wait(&self, me: usize, units: &mut UnitSet, ledger: &mut Ledger, active: &mut Active) {
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
            let ready = || self.verdict.is_over() || units.has_work();
            active.asleep(|| self.sleepers.park_unless(me, ready));
        }
    }

    /// Looks for work as often as the policy says, and once at least: by default for about 100 us, more than twice what a wake-up takes.
    /// There are never more workers than cores, so spinning keeps no other worker from its core. Returns whether there
    /// is any.
    fn look_for_work(&self, units: &mut UnitSet) -> bool {
        for round in 1..=looks(self.spin, units).max(1) {
            if units.hears() {
                return true;
            }
            if self.verdict.is_over() {
                return false;
            }
            if gives_way(round) {
                yield_now();
            } else {
                std::hint::spin_loop();
            }
        }
        false
    }
}

/// How often a worker looks at all its units, if it looks at a unit so many times.
fn looks(at_a_unit: usize, units: &UnitSet) -> usize {
    at_a_unit.div_ceil(units.len().max(1))
}

impl Cancels for Shared {
    fn cancel(&self) {
        if self.process.is_current() {
            self.fail(Box::new(Error::Cancelled));
        }
    }
}

/// Whether a worker gives its core away between two looks, should others need it, as it does now and then.
fn gives_way(round: usize) -> bool {
    round.is_multiple_of(YIELD)
}

#[cfg(test)]
#[path = "worker_tests.rs"]
mod tests;
