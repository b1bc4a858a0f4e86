//! A node of a simulated machine: its units, their clocks, and what waits there for its time.

use std::collections::VecDeque;
use std::sync::Arc;

use super::super::draw::Draw;
use super::clock::{Clock, NEVER};
use super::events::EventKey;
use super::message::{Content, Message};
use super::port::{Departure, Outbox, port};
use super::timeline::Timeline;
use crate::node::su::Su;
use crate::node::tokens::victims::Victims;
use crate::probe::costs::Costs;
use crate::vocabulary::error::Error;
use crate::vocabulary::policy::Policy;

/// A node of the simulated machine.
pub(super) struct Node {
    pub(super) costs: Arc<Costs>,
    pub(super) processor: Clock,
    /// The clock of its synchronization unit (DUAL).
    pub(super) su_clock: Clock,
    /// The messages under way to it.
    pub(super) arrivals: Timeline<Message>,
    pub(super) departures: Timeline<Message>,
    /// The events that its execution unit handed over (DUAL).
    pub(super) issued: VecDeque<Departure>,
    /// When the first of them was, or [`NEVER`].
    pub(super) first_issued: u64,
    /// The time at which each entry of the ready queue came there (DUAL).
    pub(super) handed_on: VecDeque<u64>,
    /// Since when its synchronization unit can hand something on, or give a token, if it can (DUAL).
    pub(super) hands_on: u64,
    /// The time since which the ready queue has had room (DUAL).
    pub(super) room_since: u64,
    /// Messages applied since the last fiber (SPN); events applied since it last looked for tokens (DUAL).
    pub(super) applied: usize,
    /// How often the fiber that ran last read or wrote cells (SPN).
    pub(super) cell_accesses: u64,
    /// The node that a question for a token is under way to.
    pub(super) asking: Option<u32>,
    /// Whether a token of another node may lie in its port.
    pub(super) given: bool,
    /// The nodes that it asks for tokens, by the order of stealing.
    pub(super) victims: Victims,
    /// Whether the node is in the set of idle nodes.
    pub(super) idle: bool,
    /// Whether it had nothing to run when its lanes were set last.
    pub(super) hungry: bool,
    /// Random numbers for the delays of the messages it sends. They do not depend on when other nodes send theirs, so a
    /// small change of a schedule has small effects.
    pub(super) draw: Draw,
}

impl Node {
    pub(super) fn new(costs: Arc<Costs>, policy: &Policy) -> Self {
        Node {
            costs,
            processor: Clock::default(),
            su_clock: Clock::default(),
            arrivals: Timeline::new(),
            departures: Timeline::new(),
            issued: VecDeque::new(),
            first_issued: NEVER,
            handed_on: VecDeque::new(),
            hands_on: NEVER,
            room_since: 0,
            applied: 0,
            cell_accesses: 0,
            asking: None,
            given: false,
            victims: Victims::new(policy.steal),
            idle: false,
            hungry: false,
            draw: Draw::new(0),
        }
    }

    /// Whether it has nothing to run, nothing to attend to at `time`, and has not asked for a token.
    #[inline(always)]
    fn lacks_work(&self, time: u64) -> bool {
        self.hungry && self.asking.is_none() && self.arrivals.first() > time
    }

    /// Whether it [lacks work](Self::lacks_work), unless it does not and is not in the set of idle nodes: then nothing has
    /// to be done about it.
    #[inline(always)]
    pub(super) fn idleness(&self, time: u64) -> Option<bool> {
        let lacks_work = self.lacks_work(time);
        if lacks_work || self.idle { Some(lacks_work) } else { None }
    }

    /// The message that it receives next, if any has arrived; what comes after it is fetched from memory meanwhile.
    #[inline(always)]
    pub(super) fn arrived(&mut self, outbox: &Outbox) -> Option<Message> {
        let (_, message) = self.arrivals.pop()?;
        if let Some(Content::Event { key, .. }) = self.arrivals.next_in_line().map(|next| next.content) {
            outbox.events.prefetch(key);
        }
        Some(message)
    }

    /// How many events are on their way to its synchronization unit, or wait there.
    pub(super) fn waiting(&self) -> usize {
        self.arrivals.len() + self.issued.len()
    }
}

/// Whether a token of another node lies in the port of a node's synchronization unit. `given` says whether it may.
#[inline]
pub(super) fn has_token(given: &mut bool, su: &mut Su) -> bool {
    *given = *given && port(su).token.is_some();
    *given
}

/// Lends a unit the machine's outbox, or takes it back.
pub(super) fn exchange(su: &mut Su, outbox: &mut Box<Outbox>) {
    std::mem::swap(outbox, &mut port(su).outbox);
}

/// Lets a synchronization unit apply an event, which it has received by `begun`. Returns when it is done.
#[inline(always)]
pub(super) fn attend(
    su: &mut Su,
    outbox: &mut Box<Outbox>,
    key: EventKey,
    begun: u64,
) -> Result<u64, Box<Error>> {
    su.now = begun;
    if outbox.events.get(key).may_send(su.node) {
        let event = outbox.events.remove(key);
        exchange(su, outbox);
        su.attend(event)?;
        exchange(su, outbox);
    } else {
        su.attend(outbox.events.remove(key))?;
    }
    Ok(su.now)
}
