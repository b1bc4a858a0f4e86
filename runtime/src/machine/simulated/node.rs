//! Node of a simulated machine: its clocks and the messages that wait there for their times.

use std::collections::VecDeque;
use std::sync::Arc;

use super::super::draw::Draw;
use super::clock::{Clock, NEVER};
use super::events::EventKey;
use super::message::{Content, TimedMessage};
use super::port::{Departure, Outbox, port};
use super::timeline::Timeline;
use crate::node::su::Su;
use crate::node::tokens::victims::Victims;
use crate::probe::costs::Costs;
use crate::vocabulary::error::Error;

/// Node of the simulated machine.
pub(super) struct Node {
    pub(super) costs: Arc<Costs>,
    pub(super) processor: Clock,
    /// Clock of its synchronization unit (DUAL).
    pub(super) su_clock: Clock,
    /// Messages in transit to this node.
    pub(super) arrivals: Timeline<TimedMessage>,
    pub(super) departures: Timeline<TimedMessage>,
    /// Events that its execution unit handed over (DUAL).
    pub(super) issued: VecDeque<Departure>,
    /// Time at which the first of them was handed over, or [`NEVER`].
    pub(super) first_issued: u64,
    /// Time at which each entry of the ready queue arrived there (DUAL).
    pub(super) handed_on: VecDeque<u64>,
    /// Time since which its synchronization unit can hand on work or give a token, or [`NEVER`] (DUAL).
    pub(super) hands_on: u64,
    /// Time at which the first timer of its synchronization unit is due, or [`NEVER`] (DUAL).
    pub(super) timer: u64,
    /// Time since which the ready queue has had room (DUAL).
    pub(super) room_since: u64,
    /// Number of messages applied since the last fiber (SPN), or of events applied since it last looked for
    /// tokens (DUAL).
    pub(super) applied: usize,
    /// Number of cell reads and writes by the last fiber (SPN).
    pub(super) cell_accesses: u64,
    /// Receiver of the outstanding token request.
    pub(super) asking: Option<u32>,
    /// Whether its port may contain a token of another node.
    pub(super) given: bool,
    /// Nodes that it asks for tokens, in the order of stealing.
    pub(super) victims: Victims,
    /// Whether the node is in the set of idle nodes.
    pub(super) idle: bool,
    /// Whether it had no work when its lanes were last set.
    pub(super) had_no_work: bool,
    /// Random numbers for the delays of the messages that it sends. They do not depend on other nodes' send
    /// times, so a small change of a schedule has small effects.
    pub(super) draw: Draw,
}

impl Node {
    pub(super) fn new(costs: Arc<Costs>, victims: Victims) -> Self {
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
            timer: NEVER,
            room_since: 0,
            applied: 0,
            cell_accesses: 0,
            asking: None,
            given: false,
            victims,
            idle: false,
            had_no_work: false,
            draw: Draw::new(0),
        }
    }

    /// Returns whether the node has no work, no message to handle at `time`, and no outstanding token
    /// request.
    #[inline(always)]
    fn lacks_work(&self, time: u64) -> bool {
        self.had_no_work && self.asking.is_none() && self.arrivals.first() > time
    }

    /// Returns whether the node [lacks work](Self::lacks_work), if this requires an action. It does not if
    /// the node has work and is not in the set of idle nodes.
    #[inline(always)]
    pub(super) fn idleness(&self, time: u64) -> Option<bool> {
        let lacks_work = self.lacks_work(time);
        if lacks_work || self.idle { Some(lacks_work) } else { None }
    }

    /// Returns the next arrived message, if there is one, and prefetches the event after it.
    #[inline(always)]
    pub(super) fn arrived(&mut self, outbox: &Outbox) -> Option<TimedMessage> {
        let (_, message) = self.arrivals.pop()?;
        if let Some(Content::Event { key, .. }) = self.arrivals.next_in_line().map(|next| next.content) {
            outbox.events.prefetch(key);
        }
        Some(message)
    }

    /// Returns the number of events in transit to its synchronization unit or waiting there.
    pub(super) fn waiting(&self) -> usize {
        self.arrivals.len() + self.issued.len()
    }
}

/// Returns whether the port of a node's synchronization unit contains a token of another node. `given` says
/// whether it may.
#[inline]
pub(super) fn has_token(given: &mut bool, su: &mut Su) -> bool {
    *given = *given && port(su).token.is_some();
    *given
}

/// Lends a unit the machine's outbox, or takes it back.
pub(super) fn exchange(su: &mut Su, outbox: &mut Box<Outbox>) {
    std::mem::swap(outbox, &mut port(su).outbox);
}

/// Lets a synchronization unit apply an event, which it has received by the time `begun`. Returns the time at
/// which the unit finishes.
#[inline(always)]
pub(super) fn attend(
    su: &mut Su,
    outbox: &mut Box<Outbox>,
    key: EventKey,
    begun: u64,
) -> Result<u64, Box<Error>> {
    su.now = begun;
    if outbox.events.get(key).may_send(su.node) || su.acts_for_domain() {
        let event = outbox.events.remove(key);
        exchange(su, outbox);
        su.attend(event)?;
        exchange(su, outbox);
    } else {
        su.attend(outbox.events.remove(key))?;
    }
    Ok(su.now)
}
