//! DUAL on a machine that charges for operations: two units that the machine steps, and a queue each way.
//!
//! Operations of the execution unit go through a [meter](super::issue_meter), which the machine empties; the ready queue
//! carries enabled fibers (each after the values that enabled it) and functions to start. Slots, inlets and cells belong to the
//! synchronization unit, states of frames to the execution unit.
//!
//! The execution unit empties the ready queue into a [run queue](super::run_queue) of its own and picks there, in the
//! order that an SPN node has: the ready queue is a way, and orders nothing.
//!
//! Tokens stay with the synchronization unit, as in EARTH, which offers them to thieves, and go to the execution unit
//! one at a time when little waits for it, or when it has run so many fibers that a token is due: a
//! [tally](earth_signal::Tally) of what it has run tells. (Between threads that way there and back would cost more than most
//! fibers: [`dual`](super::dual) has another one.)

use earth_signal::{ReadyReceiver, ReadySender, Tally, TallyReader};

use super::execution_unit::ExecutionUnit;
use super::function::{IssueMeter, Runnable, Token, Work};
use super::handed_over::HandedOver;
use super::su::Su;
use crate::vocabulary::error::Error;
use crate::vocabulary::policy::Policy;

/// The outcome of a step.
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

/// Which token the execution unit is given, if there is one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Appetite {
    None,
    /// A token that this node keeps to itself.
    Own,
    /// Any token, of this node or another one.
    Any,
    /// A token of this node, although fibers and functions wait.
    Due,
}

/// The execution unit of a DUAL node.
pub(crate) struct EuSide {
    pub(crate) eu: ExecutionUnit,
    ready: ReadyReceiver<Work>,
    handed: HandedOver,
    /// How much is taken from the ready queue at most between two fibers.
    batch: usize,
    /// The fibers and functions it has taken up, which the synchronization unit looks at.
    taken_up: Tally,
    pub(crate) received: u64,
}

impl EuSide {
    pub(crate) fn new(
        eu: ExecutionUnit,
        ready: ReadyReceiver<Work>,
        taken_up: Tally,
        policy: &Policy,
    ) -> Self {
        EuSide {
            eu,
            ready,
            handed: HandedOver::default(),
            batch: policy.batch as usize,
            taken_up,
            received: 0,
        }
    }

    /// What a simulated machine takes its operations from.
    pub(crate) fn meter(&mut self) -> &mut IssueMeter {
        match self.eu.su.transport.meter() {
            Some(meter) => meter,
            None => unreachable!("the execution units of a simulated machine have meters"),
        }
    }

    /// Takes what was handed over into the run queue, and runs what is next there. Out of line, since the loop of a
    /// worker steps every kind of unit and is the slower the more of them it holds.
    #[inline(never)]
    pub(crate) fn step<const TRACED: bool>(&mut self) -> Step {
        let sent = self.eu.su.is_spilled() && self.eu.su.flush();
        let received = self.receive(self.batch);
        let ran = self.run_next::<TRACED>();
        match sent || received || ran {
            true => Step::Worked,
            false if self.eu.su.is_spilled() => Step::Holding,
            false => Step::Idle,
        }
    }

    /// Moves up to `most` entries of the ready queue into the run queue. Returns whether there was any.
    pub(crate) fn receive(&mut self, most: usize) -> bool {
        let before = self.received;
        while self.received - before < most as u64
            && let Some(work) = self.ready.receive()
        {
            self.received += 1;
            match work {
                Work::Value { inlet, value } => self.handed.keep(inlet, value),
                Work::Fiber { ready, again } => {
                    self.handed.enable(ready, again, &mut self.eu.su.run_queue);
                }
                Work::Start(call) | Work::Token(Token { call, .. }) => {
                    self.eu.su.run_queue.push_function(call);
                }
            }
        }
        self.received > before
    }

    /// Runs the fiber or starts the function that is next. Returns whether there was one.
    pub(crate) fn run_next<const TRACED: bool>(&mut self) -> bool {
        let run_queue = &mut self.eu.su.run_queue;
        let next = run_queue.pop_newest().map(Runnable::Fiber).or_else(|| run_queue.pop());
        let Some(next) = next else { return false };
        self.taken_up.raise();
        if let Runnable::Fiber(ready) = &next {
            self.handed.deliver(ready, &mut self.eu);
        }
        self.eu.turns = 1;
        self.eu.run_or_start::<TRACED>(next);
        true
    }

    /// How many fibers and functions wait in the run queue.
    pub(crate) fn waiting(&self) -> usize {
        self.eu.su.run_queue.len()
    }

    /// Takes a [step](Self::step) on a machine that traces, in the time of the host, or that has a stall monitor.
    #[inline(never)]
    pub(crate) fn step_traced(&mut self) -> Step {
        let (begin, fibers) = (self.eu.stamp(), self.eu.counters.fibers);
        let step = self.step::<true>();
        if self.eu.counters.fibers > fibers {
            self.eu.ran(begin, self.eu.stamp(), [0; 3]);
        }
        step
    }

    /// Whether anything came for this unit, which had nothing to do.
    #[inline(always)]
    pub(crate) fn hears(&mut self) -> bool {
        !self.ready.is_empty()
    }

    pub(crate) fn has_work(&mut self) -> bool {
        !self.ready.is_empty() || !self.eu.su.run_queue.is_empty() || self.eu.su.is_spilled()
    }
}

/// The synchronization unit of a DUAL node.
pub(crate) struct SuSide {
    pub(crate) su: Su,
    ready: ReadySender<Work>,
    policy: Policy,
    /// How many fibers and functions it has put into the ready queue, and how many of them were taken up.
    handed_over: usize,
    taken_up: TallyReader,
    /// How many had been taken up when the unit last gave a token, or had none to give when one was due.
    fed_at: usize,
}

impl SuSide {
    pub(crate) fn new(su: Su, (ready, taken_up): (ReadySender<Work>, TallyReader), policy: Policy) -> Self {
        SuSide { su, ready, policy, handed_over: 0, taken_up, fed_at: 0 }
    }

    /// Applies a batch of events and hands on what they enabled.
    pub(crate) fn step(&mut self) -> Result<Step, Box<Error>> {
        let mut worked = self.su.hear(self.policy.batch as usize)? > 0;
        worked |= self.pass_on();
        worked |= self.feed();
        self.su.share_tokens(|_| 0);
        Ok(match worked {
            true => Step::Worked,
            false if self.su.has_work() || self.su.is_spilled() => Step::Holding,
            false => Step::Idle,
        })
    }

    /// Takes a [step](Self::step) on a machine that traces, in the time of the host.
    #[inline(never)]
    pub(crate) fn step_traced(&mut self) -> Result<Step, Box<Error>> {
        let (begin, waiting) = (self.su.stamp(), self.su.inbox.len());
        let step = self.step()?;
        if step == Step::Worked {
            let end = self.su.stamp();
            self.su.served(begin, end, self.waiting(), waiting);
        }
        Ok(step)
    }

    /// Sends what was held back and hands on what can be. Returns whether there was anything.
    pub(crate) fn pass_on(&mut self) -> bool {
        let sent = self.su.is_spilled() && self.su.flush();
        self.hand_on() || sent
    }

    /// How many fibers and functions wait for the execution unit in queues: never fewer than there are.
    pub(crate) fn waiting(&self) -> usize {
        self.handed_over.wrapping_sub(self.taken_up.get())
    }

    /// How many entries of the ready queue the execution unit has not taken, as far as is known here.
    pub(crate) fn in_ready_queue(&self) -> usize {
        self.ready.len()
    }

    /// Whether the execution unit would be given a token now if there were one of this node's own, one that is
    /// shared, and whatever it has to do.
    #[inline(always)]
    fn appetite(&self) -> Appetite {
        if self.taken_up.get().wrapping_sub(self.fed_at) >= self.policy.token_every as usize
            && !seeded!(TokenNeverFed)
        {
            return Appetite::Due;
        }
        match self.waiting() {
            _ if !self.su.work.is_empty() => Appetite::None,
            0 => Appetite::Any,
            waiting if waiting < self.policy.feed as usize => Appetite::Own,
            _ => Appetite::None,
        }
    }

    /// Gives the execution unit a token if little waits for it, or one is due. Returns whether there was one to give.
    pub(crate) fn feed(&mut self) -> bool {
        let appetite = self.appetite();
        let token = match appetite {
            Appetite::None => return false,
            Appetite::Due => self.su.due_token(),
            Appetite::Own => self.su.own_token(),
            // A token that the execution unit cannot run soon stays where others find it.
            Appetite::Any => self.su.own_token().or_else(|| self.su.shared_token()),
        };
        if token.is_some() || appetite == Appetite::Due {
            self.fed_at = self.taken_up.get();
        }
        let Some(token) = token else { return false };
        self.su.work.push_back(Work::Start(token.call));
        self.hand_on();
        true
    }

    /// Whether [`feed`](Self::feed) would give a token of this node.
    #[inline(always)]
    pub(crate) fn feeds(&self) -> bool {
        match self.appetite() {
            Appetite::None => false,
            Appetite::Own => self.su.has_own_token(),
            Appetite::Due | Appetite::Any => !self.su.tokens.is_empty(),
        }
    }

    /// Whether nothing at all waits for the execution unit.
    pub(crate) fn is_out_of_work(&self) -> bool {
        self.su.work.is_empty() && self.waiting() == 0
    }

    fn hand_on(&mut self) -> bool {
        let mut any = false;
        while let Some(work) = self.su.work.pop_front() {
            let runs = !matches!(work, Work::Value { .. });
            if let Err(full) = self.ready.send(work) {
                if seeded!(FiberOvertakes) {
                    self.su.work.push_back(full.0);
                } else {
                    self.su.work.push_front(full.0);
                }
                break;
            }
            self.handed_over = self.handed_over.wrapping_add(usize::from(runs));
            self.su.sent += 1;
            any = true;
        }
        any
    }

    /// Whether anything came for this unit, which had nothing to do.
    #[inline(always)]
    pub(crate) fn hears(&mut self) -> bool {
        !self.su.inbox.is_empty() || self.su.transport.can_steal()
    }

    pub(crate) fn has_work(&mut self) -> bool {
        !self.su.inbox.is_empty()
            || self.su.has_work()
            || self.su.is_spilled()
            || self.su.transport.can_steal()
    }
}
