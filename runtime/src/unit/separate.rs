//! DUAL: the two units of a node in two threads, and a queue each way.
//!
//! The event queue of a synchronization unit takes what its own execution unit asks for and what other nodes
//! send; the ready queue carries enabled fibers (each after the values that enabled it) and functions to
//! start. Slots, inlets and cells belong to the synchronization unit, states of frames to the execution unit:
//! the threads share queues, never frames.
//!
//! Tokens stay with the synchronization unit, which publishes them to thieves, and go to the execution unit
//! one at a time when its ready queue runs low. While it holds tokens it does not sleep, since nobody tells
//! it that the queue ran low.

use std::num::NonZero;
use std::sync::Arc;

use earth_signal::{ReadyReceiver, ReadySender};

use super::eu::{Eu, Route};
use super::event::Work;
use super::meter::{Costs, IssueMeter};
use super::signature::Who;
use super::su::Su;
use super::to_su::ToSu;
use super::transport::Bell;
use super::verdict::RunVerdict;
use crate::error::Error;

/// With fewer entries than this in the ready queue a token is added.
const LOW: usize = 2;

/// How many events are applied before fibers they enabled are handed on.
pub(crate) const BATCH: usize = 64;

/// What a step came to.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Step {
    /// Nothing to do.
    Idle,
    /// Something is held that cannot go on yet, so the unit is not idle.
    Holding,
    /// Something was done.
    Worked,
}

/// The execution unit of a DUAL node.
pub(crate) struct EuSide {
    pub(crate) eu: Eu,
    ready: ReadyReceiver<Work>,
    pub(crate) received: u64,
}

impl EuSide {
    pub(crate) fn new(
        node: u32,
        nodes: NonZero<u32>,
        to_su: ToSu,
        verdict: Arc<RunVerdict>,
        ready: ReadyReceiver<Work>,
    ) -> Self {
        EuSide { eu: Eu::new(node, nodes, Route::Separate(to_su), verdict), ready, received: 0 }
    }

    /// Charges for operations.
    pub(crate) fn metered(mut self, costs: &Arc<Costs>) -> Self {
        self.queue_to_su().meter = Some(Box::new(IssueMeter::new(Arc::clone(costs))));
        self.eu.costs = Some(Arc::clone(costs));
        self
    }

    pub(crate) fn queue_to_su(&mut self) -> &mut ToSu {
        match &mut self.eu.route {
            Route::Separate(to_su) => to_su,
            Route::Merged(_) | Route::Traced(_) | Route::Charged(_) => {
                unreachable!("a separate execution unit sends its operations")
            }
        }
    }

    /// Takes values until a fiber or a function comes, and runs that.
    pub(crate) fn step(&mut self) -> Step {
        let mut worked = self.queue_to_su().is_spilled() && self.queue_to_su().flush();
        while let Some(work) = self.ready.receive() {
            self.received += 1;
            worked = true;
            match work {
                Work::Value { inlet, value } => self.eu.deliver(inlet, value),
                Work::Fiber(ready) => {
                    self.eu.recorder.expect_enabled(ready.index);
                    self.eu.sort_delivered();
                    self.eu.run(&ready);
                    // Emptied places of values that were taken out of order.
                    self.eu.delivered.clear();
                    break;
                }
                Work::Start(call) => {
                    self.eu.recorder.expect_started(Who::NOBODY);
                    self.eu.start(call);
                    break;
                }
            }
        }
        match worked {
            true => Step::Worked,
            false if self.queue_to_su().is_spilled() => Step::Holding,
            false => Step::Idle,
        }
    }

    /// The same on a machine that traces, in the time of the host.
    #[inline(never)]
    pub(crate) fn step_traced(&mut self) -> Step {
        let (begin, fibers) = (self.eu.stamp(), self.eu.counters.fibers);
        let step = self.step();
        if self.eu.counters.fibers > fibers {
            self.eu.ran(begin, self.eu.stamp(), 0);
        }
        step
    }

    pub(crate) fn has_work(&mut self) -> bool {
        !self.ready.is_empty() || self.queue_to_su().is_spilled()
    }
}

/// The synchronization unit of a DUAL node.
pub(crate) struct SuSide {
    pub(crate) su: Su,
    ready: ReadySender<Work>,
    bell: Bell,
}

impl SuSide {
    pub(crate) fn new(su: Su, ready: ReadySender<Work>, bell: Bell) -> Self {
        SuSide { su, ready, bell }
    }

    /// Applies a batch of events and hands on what they enabled.
    pub(crate) fn step(&mut self) -> Result<Step, Box<Error>> {
        let mut worked = self.su.hear(BATCH)? > 0;
        worked |= self.pass_on();
        worked |= self.feed();
        self.su.share_tokens(0);
        Ok(match worked {
            true => Step::Worked,
            false if self.su.has_work() || self.su.is_spilled() => Step::Holding,
            false => Step::Idle,
        })
    }

    /// The same on a machine that traces, in the time of the host.
    #[inline(never)]
    pub(crate) fn step_traced(&mut self) -> Result<Step, Box<Error>> {
        let (begin, waiting) = (self.su.stamp(), self.su.inbox.len());
        let step = self.step()?;
        if step == Step::Worked {
            let end = self.su.stamp();
            self.su.served(begin, end, self.handed_on(), waiting);
        }
        Ok(step)
    }

    /// Sends what was kept and hands on what can be. Whether there was anything.
    pub(crate) fn pass_on(&mut self) -> bool {
        let sent = self.su.is_spilled() && self.su.flush();
        self.hand_on() || sent
    }

    /// Gives the execution unit a token if it runs out of fibers. Whether there was one to give.
    pub(crate) fn feed(&mut self) -> bool {
        if !self.su.work.is_empty() {
            return false;
        }
        let waiting = self.ready.len();
        let own = if waiting < LOW { self.su.own_token() } else { None };
        // Stolen only for an execution unit that has nothing at all: what it cannot run soon
        // stays where others find it.
        let token = own.or_else(|| if waiting == 0 { self.su.shared_token() } else { None });
        let Some(token) = token else { return false };
        self.su.work.push_back(Work::Start(token.call));
        self.hand_on()
    }

    /// Whether the execution unit would be given a token if there were one, and one of other nodes.
    pub(crate) fn hungry(&self) -> (bool, bool) {
        let waiting = if self.su.work.is_empty() { self.ready.len() } else { usize::MAX };
        (waiting < LOW, waiting == 0)
    }

    /// How much waits for the execution unit in its queue.
    pub(crate) fn handed_on(&self) -> usize {
        self.ready.len()
    }

    fn hand_on(&mut self) -> bool {
        let mut any = false;
        while let Some(work) = self.su.work.pop_front() {
            if let Err(full) = self.ready.send(work) {
                self.su.work.push_front(full.0);
                break;
            }
            self.su.sent += 1;
            any = true;
        }
        if any {
            self.bell.ring();
        }
        any
    }

    pub(crate) fn has_work(&mut self) -> bool {
        !self.su.inbox.is_empty()
            || self.su.has_work()
            || self.su.is_spilled()
            || self.su.transport.can_steal()
    }
}
