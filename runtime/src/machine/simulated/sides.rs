//! Model of a DUAL node's two units as in EARTH, with a queue in each direction.
//!
//! Operations of the execution unit go through a [port](super::port), which the machine empties. The ready
//! queue carries enabled fibers (each after the values that enabled it) and functions to start. It is the
//! first part of the synchronization unit's list of work to hand on: one thread steps both units, so the
//! entries need not move. Slots, inlets and cells belong to the synchronization unit, and states of frames to
//! the execution unit.
//!
//! The execution unit moves the ready queue into its own run queue and picks from there, in the order of an
//! SPN node. The ready queue itself is a FIFO.
//!
//! As in EARTH, tokens stay with the synchronization unit, which offers them to thieves. It gives the
//! execution unit one token at a time: when little waits there, or when the execution unit has run enough
//! fibers since the last token, by a [tally](earth_signal::Tally) of run fibers. (Between threads this
//! exchange would cost more than most fibers, so [`dual`](crate::node::dual) uses another one.)

use std::time::Instant;

use earth_signal::{Message, Tally, TallyReader};

use super::super::units::Unit;
use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::function::EuWork;
use crate::node::su::Su;
use crate::vocabulary::decoding::Decoding;
use crate::vocabulary::error::Error;
use crate::vocabulary::policy::Policy;

/// The two units of a DUAL node.
pub(super) struct DualUnits {
    pub(super) eu: SimulatedEu,
    pub(super) su: SimulatedSu,
}

impl Unit for DualUnits {
    fn begin(&mut self, decoding: &Decoding, began: Instant) {
        self.eu.begin(decoding, began);
        self.su.begin(decoding);
    }

    fn messages(&self) -> (u64, u64) {
        let (eu, su) = (&self.eu, &self.su.su);
        (eu.eu.su.sent.wrapping_add(su.sent), eu.received.wrapping_add(su.received))
    }

    fn eu(&mut self) -> Option<&mut ExecutionUnit> {
        Some(&mut self.eu.eu)
    }

    fn su(&mut self) -> Option<&mut Su> {
        Some(&mut self.su.su)
    }
}

/// Kind of token that the execution unit gets, if there is one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TokenNeed {
    None,
    /// Token that this node keeps to itself.
    Own,
    /// Any token, of this node or another one.
    Any,
    /// Token of this node, although fibers and functions wait.
    Due,
}

/// Execution unit of a DUAL node.
pub(super) struct SimulatedEu {
    pub(super) eu: ExecutionUnit,
    /// Number of fibers and functions it has taken up, which the synchronization unit reads.
    taken_up: Tally,
    pub(super) received: u64,
}

impl SimulatedEu {
    pub(super) fn new(eu: ExecutionUnit, taken_up: Tally) -> Self {
        SimulatedEu { eu, taken_up, received: 0 }
    }

    /// Resets the unit for a run.
    pub(super) fn begin(&mut self, decoding: &Decoding, began: Instant) {
        self.received = 0;
        self.eu.begin(began);
        self.eu.su.begin(decoding);
        self.taken_up.reset();
    }

    /// Moves the first `count` entries of the ready queue into the run queue.
    #[inline(always)]
    pub(super) fn receive(&mut self, count: usize, from: &mut SimulatedSu) {
        for _ in 0..count {
            let Some(work) = from.take_first() else {
                unreachable!("no more is received than was handed on")
            };
            self.received += 1;
            work.arrive(&mut self.eu);
        }
    }

    /// Runs the next fiber or starts the next function. Returns whether there was one.
    pub(super) fn run_next(&mut self) -> bool {
        let Some(next) = self.eu.su.next_work() else { return false };
        self.taken_up.raise();
        self.eu.turns = 1;
        self.eu.run_or_start::<true>(next);
        true
    }

    /// Returns the number of fibers and functions in the run queue.
    pub(super) fn waiting(&self) -> usize {
        self.eu.su.run_queue.len()
    }
}

/// Synchronization unit of a DUAL node.
pub(super) struct SimulatedSu {
    /// The first part of its `work` is the ready queue.
    pub(super) su: Su,
    /// Length and capacity of the ready queue.
    pub(super) ready: usize,
    room: usize,
    policy: Policy,
    /// Number of fibers and functions that it has put into the ready queue, and number of those that were
    /// taken up.
    handed_over: usize,
    taken_up: TallyReader,
    /// Value of `taken_up` when the unit last gave a token, or had none to give when one was due.
    fed_at: usize,
}

impl SimulatedSu {
    pub(super) fn new(su: Su, room: usize, taken_up: TallyReader, policy: Policy) -> Self {
        SimulatedSu { su, ready: 0, room, policy, handed_over: 0, taken_up, fed_at: 0 }
    }

    /// Resets the unit for a run.
    pub(super) fn begin(&mut self, decoding: &Decoding) {
        self.su.begin(decoding);
        (self.ready, self.handed_over, self.fed_at) = (0, 0, 0);
    }

    /// Returns the number of fibers and functions that wait for the execution unit in queues, or more.
    pub(super) fn waiting(&self) -> usize {
        self.handed_over.wrapping_sub(self.taken_up.get())
    }

    /// Returns whether work waits for room in the ready queue.
    #[inline(always)]
    pub(super) fn keeps_work(&self) -> bool {
        self.su.work.len() > self.ready
    }

    /// Returns which kind of token the execution unit would get now.
    #[inline(always)]
    fn appetite(&mut self) -> TokenNeed {
        if self.taken_up.get().wrapping_sub(self.fed_at) >= self.policy.token_every as usize
            && !seeded!(NeverFedInTime)
        {
            return TokenNeed::Due;
        }
        match self.waiting() {
            _ if self.keeps_work() => TokenNeed::None,
            0 => TokenNeed::Any,
            waiting if self.su.feeds_ahead(waiting) => TokenNeed::Own,
            _ => TokenNeed::None,
        }
    }

    /// Gives the execution unit a token if little waits for it or one is due. Returns whether there was a
    /// token.
    pub(super) fn feed(&mut self) -> Result<bool, Box<Error>> {
        let appetite = self.appetite();
        let token = match appetite {
            TokenNeed::None => return Ok(false),
            TokenNeed::Due => self.su.due_token(),
            TokenNeed::Own => self.su.own_token(),
            // A token that the execution unit cannot run soon stays available to other nodes.
            TokenNeed::Any => self.su.any_token()?,
        };
        if token.is_some() || appetite == TokenNeed::Due {
            self.fed_at = self.taken_up.get();
        }
        let Some(token) = token else { return Ok(false) };
        self.su.work.push_back(EuWork::Start(token.call));
        self.hand_on();
        Ok(true)
    }

    /// Returns whether [`feed`](Self::feed) would give a token of this node.
    #[inline(always)]
    pub(super) fn feeds(&mut self) -> bool {
        match self.appetite() {
            TokenNeed::None => false,
            TokenNeed::Own => self.su.has_own_token(),
            TokenNeed::Due | TokenNeed::Any => !self.su.tokens.is_empty(),
        }
    }

    /// Fills the ready queue to its capacity.
    #[inline]
    pub(super) fn hand_on(&mut self) {
        while let Some(work) = self.su.work.get(self.ready) {
            if self.ready == self.room {
                if seeded!(FiberOvertakes) {
                    self.su.work.remove(self.ready).into_iter().for_each(|work| self.su.work.push_back(work));
                }
                break;
            }
            self.handed_over = self.handed_over.wrapping_add(usize::from(work.runs()));
            self.su.sent += 1;
            self.ready += 1;
        }
    }

    /// Removes the first entry of the ready queue.
    #[inline(always)]
    fn take_first(&mut self) -> Option<EuWork> {
        self.ready = self.ready.checked_sub(1)?;
        self.su.work.pop_front()
    }
}
