//! The ring from the synchronization unit of a DUAL node to its execution unit, and the transfer of fibers
//! with their values.

use earth_memory::frames::{FastRound, FullRound};
use earth_memory::push_back;
use earth_signal::{MessageSender, TallyReader};

use super::{Pair, Visibility};
use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::frame::Ready;
use crate::node::function::{EuWork, Function};
use crate::node::su::Su;
use crate::probe::order::Taken;
use crate::transport::Waker;
use crate::vocabulary::address::FrameId;
use crate::vocabulary::enabler::Enabler;
use crate::vocabulary::error::Error;
use crate::vocabulary::layout::{BETWEEN_FIBERS, Layout};
use crate::vocabulary::origin::{Asker, Origin};

/// The most words of values in one message. A fiber with more sends its values one by one.
const WIDE: usize = 8;
/// The most words of values in a short message. Most fibers need no more.
const NARROW: usize = 2;

/// The ring to the execution unit, and the sender's knowledge of that unit.
pub(crate) struct ToEu {
    ring: MessageSender<ExecutionUnit>,
    waker: Waker,
    /// The number of fibers, functions and tokens sent.
    given: usize,
    /// How much of the sent messages the other unit knows.
    visibility: Visibility,
    /// Whether the other unit has reported empty queues and was sent no work since.
    idle: bool,
    /// The layout of the function whose fibers send operations.
    pub(super) sender_layout: &'static Layout,
    /// Whether the other unit was sent the order to start no token.
    barred: bool,
    /// Whether a change of that order is still unsent for lack of room.
    bar_unsent: bool,
    /// The reader of the number of fibers and functions taken up, on a machine that traces.
    taken_up: Option<TallyReader>,
}

impl ToEu {
    pub(crate) fn new(
        ring: MessageSender<ExecutionUnit>,
        waker: Waker,
        taken_up: Option<TallyReader>,
    ) -> Self {
        ToEu {
            ring,
            waker,
            given: 0,
            visibility: Visibility::Awake,
            idle: false,
            sender_layout: &BETWEEN_FIBERS,
            barred: false,
            bar_unsent: false,
            taken_up,
        }
    }

    pub(in crate::node) fn begin(&mut self) {
        self.ring.begin_lap();
        (self.given, self.visibility, self.sender_layout) = (0, Visibility::Awake, &BETWEEN_FIBERS);
        // At the start both units know without a message that the queues are empty.
        (self.idle, self.barred, self.bar_unsent) = (true, false, false);
    }

    /// Handles the report that the unit was idle after it had received work `given` times.
    pub(super) fn idle(&mut self, given: usize) {
        self.idle = given == self.given;
    }

    /// Whether the unit was not shown all messages, or may be asleep.
    pub(super) fn has_unseen(&self) -> bool {
        self.visibility != Visibility::Awake
    }

    /// Returns how many fibers and functions wait for the unit, on a machine that traces.
    pub(super) fn waiting(&self) -> usize {
        self.taken_up.as_ref().map_or(0, |taken_up| self.given.wrapping_sub(taken_up.get()))
    }

    #[inline(always)]
    fn count(&mut self, runs: bool) {
        self.visibility = Visibility::Unpublished;
        if runs {
            self.given = self.given.wrapping_add(1);
            self.idle = false;
        }
    }

    /// Sends work, or returns it if there is no room.
    fn send(&mut self, work: EuWork) -> Result<(), EuWork> {
        let runs = work.runs();
        self.ring.send(work).map_err(|full| full.0)?;
        self.count(runs);
        Ok(())
    }

    /// Sends a fiber that a slot without inlets enabled. Returns whether there was room.
    #[inline(always)]
    fn signal(&mut self, id: FrameId, slot: u32, link: u32) -> bool {
        let Some(room) = self.ring.room() else { return false };
        let by = Pair::new(slot, link);
        room.send(move |eu: &mut ExecutionUnit| {
            eu.given = eu.given.wrapping_add(1);
            eu.su.run_queue.push(Ready::enabled(id, by.first(), by.second()));
        });
        self.count(true);
        true
    }

    /// Sends a fiber with its values, taken out of their inlets. Returns whether there was room.
    #[inline(always)]
    fn enable<const N: usize>(&mut self, id: FrameId, link: u32, round: FullRound<'_, Function, N>) -> bool {
        let Some(room) = self.ring.room() else { return false };
        // The link is widened to a word, so that the word is written by one store (see `Pair`).
        let (link, values) = (u64::from(link), round.take());
        room.send(move |eu: &mut ExecutionUnit| eu.enable_with(id, link as u32, values));
        self.count(true);
        true
    }
}

/// Handing over of work by the synchronization unit of a DUAL node.
impl Su {
    /// Returns the ring to the execution unit in another thread.
    pub(super) fn eu_ring(&mut self) -> &mut ToEu {
        self.to_eu.as_mut().unwrap_or_else(|| unreachable!("the units of this node are in two threads"))
    }

    /// Returns the origin for the fiber of this node that sent the last operation; `by` enabled it.
    #[cold]
    pub(in crate::node) fn last_asker(&mut self, by: Enabler) -> Origin {
        let layout = self.eu_ring().sender_layout;
        Asker { layout, by }.of(self.node)
    }

    /// Hands work over, behind work that waits for room.
    pub(in crate::node) fn hand(&mut self, work: EuWork) {
        if self.work.is_empty()
            && let Some(way) = &mut self.to_eu
        {
            match way.send(work) {
                Ok(()) => self.sent += 1,
                Err(work) => push_back(&mut self.work, work),
            }
        } else {
            push_back(&mut self.work, work);
        }
    }

    /// Hands over waiting work while there is room. Returns whether any was sent.
    pub(super) fn hand_on(&mut self) -> bool {
        let mut any = false;
        while let Some(work) = self.work.pop_front() {
            if let Err(work) = self.eu_ring().send(work) {
                if seeded!(WorkOvertakes) {
                    self.work.push_back(work);
                } else {
                    self.work.push_front(work);
                }
                break;
            }
            self.sent += 1;
            any = true;
        }
        any
    }

    /// Hands over the fiber that a slot just enabled, with its values and the trace link of the signal.
    /// Inlets that this empties and at which values are parked are added to `emptied`.
    #[inline(never)]
    pub(in crate::node) fn hand_over(&mut self, id: FrameId, slot: u32, link: u32) {
        let sent = match &mut self.to_eu {
            Some(way) if self.work.is_empty() => match self.frames.memory.fast_round::<NARROW>(id, slot) {
                FastRound::Values(round) => way.enable(id, link, round),
                FastRound::Nothing => way.signal(id, slot, link),
                FastRound::Other => false,
            },
            _ => false,
        };
        if sent {
            self.sent += 1;
        } else {
            self.hand_over_slow(id, slot, link);
        }
    }

    #[inline(never)]
    fn hand_over_slow(&mut self, id: FrameId, slot: u32, link: u32) {
        let has_parked = self.frames.memory.has_parked(id);
        if !self.hand_at_once::<NARROW>(id, slot, link) && !self.hand_at_once::<WIDE>(id, slot, link) {
            self.hand_each(Ready::enabled(id, slot, link), slot);
        }
        if has_parked && !seeded!(ParkedForgottenDual) {
            self.frames.parked_inlets(id, slot, &mut self.emptied);
        }
    }

    /// Hands over a fiber with its values in one message, if they have at most `N` words and no other work
    /// waits for room.
    fn hand_at_once<const N: usize>(&mut self, id: FrameId, slot: u32, link: u32) -> bool {
        let Some(way) = self.to_eu.as_mut().filter(|_| self.work.is_empty()) else { return false };
        let sent = match self.frames.memory.round::<N>(id, slot) {
            FastRound::Values(round) => way.enable(id, link, round),
            FastRound::Nothing => way.signal(id, slot, link),
            FastRound::Other => false,
        };
        self.sent += u64::from(sent);
        sent
    }

    /// Hands over the values one by one, then the fiber.
    #[inline(never)]
    fn hand_each(&mut self, ready: Ready, slot: u32) {
        let (waiting, work) = (self.work.len(), &mut self.work);
        let value = |inlet, value| push_back(work, EuWork::Value { inlet, value });
        self.frames.memory.hand_over(ready.id, slot, value);
        let again = self.work.len() > waiting && self.frames.counts_again(ready.id, slot);
        push_back(&mut self.work, EuWork::Fiber { ready, again });
        if waiting == 0 && self.to_eu.is_some() {
            self.hand_on();
        }
    }

    /// Gives an idle execution unit a token of another node. Returns whether there was one to give.
    pub(super) fn feed(&mut self) -> Result<bool, Box<Error>> {
        if self.eu_ring().idle { self.feed_any() } else { Ok(false) }
    }

    /// Gives the execution unit a token of another node, even if it has work. Returns whether there was one.
    pub(super) fn feed_any(&mut self) -> Result<bool, Box<Error>> {
        let Some(token) = self.any_token()? else { return Ok(false) };
        self.note_order(Taken::Hand);
        self.hand(EuWork::Start(token.call));
        Ok(true)
    }

    /// Whether the only remaining task, for other nodes and for an execution unit in another thread, is to
    /// show messages.
    #[inline(always)]
    pub(super) fn only_shows(&self) -> bool {
        let runs = self.to_eu.as_ref().is_some_and(|way| !way.idle && !way.waker.is_none());
        runs && self.work.is_empty() && !self.holds_back
    }

    /// Whether messages are held back for the execution unit or for another node.
    pub(super) fn holds(&self) -> bool {
        !self.work.is_empty() || self.holds_back || self.to_eu.as_ref().is_some_and(|way| way.bar_unsent)
    }

    /// Whether the execution unit needs a token, and another node may have one.
    #[inline(always)]
    pub(super) fn may_steal(&self) -> bool {
        self.to_eu.as_ref().is_some_and(|way| way.idle) && self.transport.can_steal()
    }

    /// Sends the execution unit any change of the order to start no token. Then shows it all messages, and
    /// wakes it unless this unit `goes_on` before it rests.
    pub(super) fn show_eu(&mut self, goes_on: bool) {
        let barred = self.holds_back;
        let way = self.eu_ring();
        let mut sent = 0;
        let bar = move |eu: &mut ExecutionUnit| eu.su.bar_tokens_of(barred);
        if way.barred != barred && way.ring.send(bar).is_ok() {
            way.barred = barred;
            way.visibility = Visibility::Unpublished;
            sent += 1;
        }
        way.bar_unsent = way.barred != barred;
        if way.has_unseen() {
            way.ring.publish();
            way.visibility =
                if goes_on && way.waker.nudge() { Visibility::Published } else { Visibility::Awake };
            if !goes_on {
                way.waker.wake();
            }
        }
        self.sent += sent;
    }
}
