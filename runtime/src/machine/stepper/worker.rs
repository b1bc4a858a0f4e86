//! A worker of the stepper: what it does in one step.
//!
//! It goes through the states of a worker with a thread of its own, by the same functions of
//! [`threads::worker`](super::super::threads). The stepper passes over a worker that sleeps until it is woken.
//!
//! ```text
//!            nothing is there                     no work                      woken
//!   awake ------------------> waiting ----------------> announced -----> asleep ------> waiting
//!     ^  <----- found work -----'                            '--- found work ---------> waiting
//!     |
//!     |  holds what cannot go on, and looked in vain     cannot go on                  woken
//!     '-----------------------------------------> announced -----> asleep -----------------> awake
//! ```

use earth_signal::Sleepers;

use super::super::draw::Draw;
use super::super::threads::{Idle, Shared, WorkerState};
use crate::node::dual::Executor;
use crate::node::step::Step;
use crate::vocabulary::error::Error;

/// The most fibers of a unit's turn on real cores; a step has that many now and then, and else up to [`FEW`].
const MANY: u32 = 32;
const FEW: usize = 7;

/// Where a worker is between two steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Awake,
    /// It has declared that it is idle.
    Waiting,
    /// It has announced that it sleeps, though it `holds` something or with nothing in hand.
    Announced {
        holds: bool,
    },
    /// It has looked once more since.
    Asleep {
        holds: bool,
    },
}

/// A worker that is stepped.
#[derive(Debug)]
pub(super) struct Worker {
    number: usize,
    /// The nodes whose messages it sends.
    pub(super) nodes: Vec<usize>,
    place: Place,
    idle: Idle,
    /// The draws of one worker do not depend on the steps of others, so a small change of a schedule has small effects.
    draw: Draw,
}

impl Worker {
    /// The worker of this number, which sends the messages of these nodes.
    pub(super) fn new(number: usize, nodes: impl Iterator<Item = usize>) -> Self {
        let (idle, draw) = (Idle::new(0), Draw::new(0));
        Worker { number, nodes: nodes.collect(), place: Place::Awake, idle, draw }
    }

    pub(super) fn begin(&mut self, seed: u64) {
        self.draw = Draw::new(seed);
        self.idle = Idle::new(self.draw.below(3));
        self.place = Place::Awake;
    }

    pub(super) fn is_awake(&self, shared: &Shared) -> bool {
        !matches!(self.place, Place::Asleep { .. }) || self.is_woken(&shared.sleepers)
    }

    fn is_woken(&self, sleepers: &Sleepers) -> bool {
        !sleepers.is_announced(self.number)
    }

    /// Takes a step. Its units take up at most `batch` messages at a time, and fewer if that is drawn.
    pub(super) fn step(
        &mut self,
        shared: &Shared,
        state: &mut WorkerState,
        batch: u32,
    ) -> Result<(), Box<Error>> {
        if let Place::Announced { holds } | Place::Asleep { holds } = self.place
            && self.is_woken(&shared.sleepers)
        {
            self.wake(state, holds);
        }
        match self.place {
            Place::Awake => self.pass(shared, state, batch)?,
            Place::Waiting => {
                if shared.waits_on(1, &mut state.units, &mut state.ledger) {
                    self.announce(shared, false);
                } else {
                    self.place = Place::Awake;
                }
            }
            Place::Announced { holds: true } => {
                let mut outcome = Ok(Step::Idle);
                let stays = shared.goes_on(&mut state.units, &mut outcome);
                let _ = outcome?;
                self.look_again(shared, state, true, stays);
            }
            Place::Announced { holds: false } => {
                let stays = shared.is_awaited(&mut state.units);
                self.look_again(shared, state, false, stays);
            }
            Place::Asleep { .. } => {}
        }
        Ok(())
    }

    /// Steps the units, and looks whether anything is left to do.
    fn pass(&mut self, shared: &Shared, state: &mut WorkerState, batch: u32) -> Result<(), Box<Error>> {
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
        if best == Step::Idle && !units.hears() {
            shared.begin_to_wait(units, ledger);
            self.place = Place::Waiting;
        } else if self.idle.held(units) {
            shared.sleepers.wake_holders();
            self.announce(shared, true);
        }
        Ok(())
    }

    fn announce(&mut self, shared: &Shared, holds: bool) {
        shared.sleepers.announce(self.number, holds);
        self.place = Place::Announced { holds };
    }

    /// Stays awake, or sleeps from now on.
    fn look_again(&mut self, shared: &Shared, state: &mut WorkerState, holds: bool, stays: bool) {
        if stays {
            shared.sleepers.wake(self.number);
            self.wake(state, holds);
        } else {
            self.place = Place::Asleep { holds };
        }
    }

    fn wake(&mut self, state: &mut WorkerState, holds: bool) {
        if holds {
            self.idle.begin_anew(&mut state.units);
        }
        self.place = if holds { Place::Awake } else { Place::Waiting };
    }
}
