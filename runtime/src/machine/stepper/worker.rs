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
    /// The worker has announced its sleep, either while it `holds` something or while idle.
    Announced {
        holds: bool,
    },
    /// The worker has looked once more since the announcement.
    Asleep {
        holds: bool,
    },
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
        !matches!(self.place, WorkerStage::Asleep { .. }) || self.is_woken(&shared.sleepers)
    }

    fn is_woken(&self, sleepers: &Sleepers) -> bool {
        !sleepers.is_announced(self.number)
    }

    /// Takes a step. Its units take up at most `batch` messages at a time, or fewer if the draw says so.
    pub(super) fn step(
        &mut self,
        shared: &ThreadsShared,
        state: &mut WorkerState,
        batch: u32,
    ) -> Result<(), Box<Error>> {
        if let WorkerStage::Announced { holds } | WorkerStage::Asleep { holds } = self.place
            && self.is_woken(&shared.sleepers)
        {
            self.wake(state, holds);
        }
        match self.place {
            WorkerStage::Awake => self.pass(shared, state, batch)?,
            WorkerStage::Waiting => {
                if shared.keeps_waiting(1, &mut state.units, &mut state.ledger) {
                    self.announce(shared, false);
                } else {
                    self.place = WorkerStage::Awake;
                }
            }
            WorkerStage::Announced { holds: true } => {
                let mut outcome = Ok(Step::Idle);
                let stays = shared.try_continue(&mut state.units, &mut outcome);
                let _ = outcome?;
                self.look_again(shared, state, true, stays);
            }
            WorkerStage::Announced { holds: false } => {
                let stays = shared.is_awaited(&mut state.units);
                self.look_again(shared, state, false, stays);
            }
            WorkerStage::Asleep { .. } => {}
        }
        Ok(())
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
            shared.begin_to_wait(units, ledger);
            self.place = WorkerStage::Waiting;
        } else if self.idle.held(units) {
            shared.sleepers.wake_holders();
            self.announce(shared, true);
        }
        Ok(())
    }

    fn announce(&mut self, shared: &ThreadsShared, holds: bool) {
        shared.sleepers.announce(self.number, holds);
        self.place = WorkerStage::Announced { holds };
    }

    /// Stays awake, or sleeps from now on.
    fn look_again(&mut self, shared: &ThreadsShared, state: &mut WorkerState, holds: bool, stays: bool) {
        if stays {
            shared.sleepers.wake(self.number);
            self.wake(state, holds);
        } else {
            self.place = WorkerStage::Asleep { holds };
        }
    }

    fn wake(&mut self, state: &mut WorkerState, holds: bool) {
        if holds {
            self.idle.restart(&mut state.units);
        }
        self.place = if holds { WorkerStage::Awake } else { WorkerStage::Waiting };
    }
}
