//! One step of a worker of the stepper.
//!
//! The worker goes through the same states as a worker with its own thread, by the same functions of
//! [`threads::worker`](super::super::threads). The stepper skips a sleeping worker until it is woken.
//!
//! ```text
//!            no work                              no work                      woken
//!   awake ------------------> waiting ----------------> announced -----> asleep ------> waiting
//!     ^  <----- found work -----'                            '--- found work ---------> waiting
//!     |
//!     |  holds something blocked, fruitless looks       still blocked                woken
//!     '-----------------------------------------> announced -----> asleep -----------------> awake
//! ```
//!
//! A worker whose only work is a pending timer sleeps as one that holds something does. The time of the next
//! timer of all nodes may pass in any step of its worker. It passes when that worker sleeps.

use earth_signal::Sleepers;

use super::super::draw::Draw;
use super::super::threads::{Idle, ThreadsShared, WorkerState};
use crate::node::dual::Executor;
use crate::node::step::Step;
use crate::vocabulary::error::Error;

/// Maximum number of fibers in a unit's turn on real cores. Some steps have that many, the others up to
/// [`FEW`].
const MANY: u32 = 32;
const FEW: usize = 7;

/// State of a worker between two steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum WorkerStage {
    Awake,
    /// The worker has declared that it is idle.
    Waiting,
    /// The worker has announced its sleep.
    Announced(Why),
    /// The worker has looked once more since the announcement.
    Asleep(Why),
}

/// Reason to sleep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Why {
    Idle,
    /// Something is blocked.
    Holds,
    /// A timer is pending.
    Timer,
}

/// Worker that the stepper steps.
#[derive(Debug)]
pub(super) struct Worker {
    number: usize,
    /// Nodes whose messages it sends.
    pub(super) nodes: Vec<usize>,
    place: WorkerStage,
    idle: Idle,
    /// Random numbers of this worker. They do not depend on the steps of others, so a small change of a
    /// schedule has small effects.
    draw: Draw,
}

impl Worker {
    /// Makes worker `number`, which sends the messages of `nodes`.
    pub(super) fn new(number: usize, nodes: impl Iterator<Item = usize>) -> Self {
        let (idle, draw) = (Idle::new(0), Draw::new(0));
        Worker { number, nodes: nodes.collect(), place: WorkerStage::Awake, idle, draw }
    }

    pub(super) fn begin(&mut self, seed: u64) {
        self.draw = Draw::new(seed);
        self.idle = Idle::new(self.draw.below(3));
        self.place = WorkerStage::Awake;
    }

    pub(super) fn is_awake(&self, shared: &ThreadsShared) -> bool {
        !matches!(self.place, WorkerStage::Asleep(_)) || self.is_woken(&shared.sleepers)
    }

    fn is_woken(&self, sleepers: &Sleepers) -> bool {
        !sleepers.is_announced(self.number)
    }

    /// Returns whether the time of a timer passes now, by the draw or because the worker sleeps.
    fn times_out(&mut self) -> bool {
        match self.place {
            WorkerStage::Asleep(_) => true,
            WorkerStage::Waiting => false,
            WorkerStage::Awake | WorkerStage::Announced(_) => self.draw.below(8) == 0,
        }
    }

    /// Takes a step. Its units take up at most `batch` messages at a time, or fewer if the draw says so. If
    /// one of its timers is the next of the machine, `timer` is its due time. Returns whether the timer has
    /// fired.
    pub(super) fn step(
        &mut self,
        shared: &ThreadsShared,
        state: &mut WorkerState,
        batch: u32,
        timer: Option<u64>,
    ) -> Result<bool, Box<Error>> {
        if let Some(due) = timer
            && self.times_out()
        {
            if let WorkerStage::Announced(why) | WorkerStage::Asleep(why) = self.place {
                shared.sleepers.wake(self.number);
                self.wake(state, why);
            }
            state.units.fire(due);
            return Ok(true);
        }
        if let WorkerStage::Announced(why) | WorkerStage::Asleep(why) = self.place
            && self.is_woken(&shared.sleepers)
        {
            self.wake(state, why);
        }
        match self.place {
            WorkerStage::Awake => self.pass(shared, state, batch)?,
            WorkerStage::Waiting => {
                if shared.keeps_waiting(1, &mut state.units, &mut state.ledger) {
                    self.announce(shared, Why::Idle);
                } else {
                    self.place = WorkerStage::Awake;
                }
            }
            WorkerStage::Announced(Why::Holds) => {
                let mut outcome = Ok(Step::Idle);
                let stays = shared.try_continue(&mut state.units, &mut outcome);
                let _ = outcome?;
                self.look_again(shared, state, Why::Holds, stays);
            }
            WorkerStage::Announced(why) => {
                let stays = shared.is_awaited(&mut state.units);
                self.look_again(shared, state, why, stays);
            }
            WorkerStage::Asleep(_) => {}
        }
        Ok(false)
    }

    /// Steps the units, and determines whether work is left.
    fn pass(
        &mut self,
        shared: &ThreadsShared,
        state: &mut WorkerState,
        batch: u32,
    ) -> Result<(), Box<Error>> {
        let WorkerState { units, ledger, .. } = state;
        let turns = match self.draw.below(FEW + 1) {
            0 => MANY,
            few => few as u32,
        };
        let batch = match self.draw.below(4) {
            few @ 1..=2 => batch.min(few as u32),
            _ => batch,
        };
        units.limit(batch, turns.min(Executor::FIBERS));
        let best = units.pass(turns, &shared.verdict)?;
        if shared.verdict.is_over() {
            return Ok(());
        }
        self.idle.passed(best, units, &shared.sleepers);
        if best == Step::Worked {
            return Ok(());
        }
        if best == Step::Idle && !units.has_events() {
            if units.next_due().is_some() {
                // A pending timer is work, so the worker is not idle.
                shared.sleepers.wake_holders();
                self.announce(shared, Why::Timer);
            } else {
                shared.begin_to_wait(units, ledger);
                self.place = WorkerStage::Waiting;
            }
        } else if self.idle.held(units) {
            shared.sleepers.wake_holders();
            self.announce(shared, Why::Holds);
        }
        Ok(())
    }

    fn announce(&mut self, shared: &ThreadsShared, why: Why) {
        shared.sleepers.announce(self.number, why == Why::Holds);
        self.place = WorkerStage::Announced(why);
    }

    /// Stays awake, or sleeps from now on.
    fn look_again(&mut self, shared: &ThreadsShared, state: &mut WorkerState, why: Why, stays: bool) {
        if stays {
            shared.sleepers.wake(self.number);
            self.wake(state, why);
        } else {
            self.place = WorkerStage::Asleep(why);
        }
    }

    fn wake(&mut self, state: &mut WorkerState, why: Why) {
        if why == Why::Holds {
            self.idle.restart(&mut state.units);
        }
        self.place = if why == Why::Idle { WorkerStage::Waiting } else { WorkerStage::Awake };
    }
}
