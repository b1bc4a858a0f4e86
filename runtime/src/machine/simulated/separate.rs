//! DUAL in virtual time: two processors a node, and the queues between them.
//!
//! An event of the execution unit reaches the synchronization unit at the time of its hand-over. The fibers
//! that it enables reach the ready queue when the event has been applied. They reach the run queue when the
//! execution unit is next free. A profile may charge a time for each way, [`hand_over`](crate::probe::costs::Operations::hand_over).
//!
//! An execution unit without work gets a token after a batch of messages, by the [policy](crate::Policy).
//! Without this limit idle nodes could starve it: they may repeatedly take tokens that they may not run, and
//! send them back.

use std::sync::Arc;

use earth_signal::{attention, tally};

use super::super::queues::{Builder, NodeQueues};
use super::super::schedule::SU;
use super::clock::NEVER;
use super::message::{Content, Handshake, TimedMessage, Trade};
use super::node::{Node, attend, exchange, has_token};
use super::port::{Departure, Outbox, Port};
use super::sides::{DualUnits, SimulatedEu, SimulatedSu};
use super::world::{NodeUnits, World};
use crate::node::function::UnitTransport;
use crate::node::su::Su;
use crate::probe::costs::{Costs, after};
use crate::vocabulary::error::Error;

/// Result of handling the first event: the unit applied it until some time, or found a message that the
/// machine handles.
enum Attended {
    Until(u64),
    Trade(Trade),
    Handshake(Handshake),
}

impl NodeUnits for DualUnits {
    const DUAL: bool = true;

    fn build(
        builder: &Builder<'_>,
        queues: NodeQueues,
        port: UnitTransport,
        costs: &Arc<Costs>,
        room: usize,
    ) -> Self {
        let (taken_up, reader) = tally();
        let su = builder.dual_su(queues, port);
        let to_su = UnitTransport::Machine(Box::new(Port::of_eu(su.node, costs)));
        let eu = builder.eu(builder.passes_on(to_su, None, attention().0));
        DualUnits {
            eu: SimulatedEu::new(eu, taken_up),
            su: SimulatedSu::new(su, room, reader, builder.policy()),
        }
    }

    #[inline(always)]
    fn synchronizer(&mut self) -> &mut Su {
        &mut self.su.su
    }

    /// The node lacks work if its execution unit has no work and none is handed over.
    #[inline(always)]
    fn times(&mut self, node: &mut Node, room: usize) -> (u64, u64, bool) {
        let (free, side) = (node.processor.free, &mut self.su);
        let execution = match node.handed_on.front() {
            _ if self.eu.waiting() > 0 => free,
            Some(&at) => free.max(at),
            None => NEVER,
        };
        let empty = !side.keeps_work() && side.waiting() == 0;
        let tokens = side.feeds() || empty && has_token(&mut node.given, &mut side.su);
        let more = tokens || side.keeps_work() && node.handed_on.len() < room;
        node.hands_on = if more { node.room_since } else { NEVER };
        (execution, node.su_time(), empty && !tokens)
    }

    #[inline(always)]
    fn act(world: &mut World<Self>, node: usize, lane: usize, time: u64) -> Result<bool, Box<Error>> {
        if lane == SU {
            return world.synchronize(node, time);
        }
        world.execute(node, time);
        Ok(false)
    }
}

impl Node {
    /// Returns the time at which the synchronization unit acts next: [`NEVER`] without an event or work to
    /// hand on.
    #[inline(always)]
    pub(super) fn su_time(&self) -> u64 {
        let event = self.first_issued.min(self.arrivals.first());
        self.su_clock.free.max(event.min(self.hands_on).min(self.timer))
    }

    /// Stores the time at which the first event waiting for the synchronization unit was handed over.
    #[inline(always)]
    fn note_first_issued(&mut self) {
        self.first_issued = self.issued.front().map_or(NEVER, |issued| issued.at);
    }

    /// Lets the synchronization unit handle the event or message that came first.
    #[inline(always)]
    fn attend_to_one(
        &mut self,
        su: &mut Su,
        outbox: &mut Box<Outbox>,
        time: u64,
    ) -> Result<Attended, Box<Error>> {
        let has_come = |at: u64| at != NEVER && at <= time;
        let (own, other) = (self.first_issued, self.arrivals.first());
        if has_come(own) && own <= other {
            let Some(Departure { to, key, bulk, .. }) = self.issued.pop_front() else {
                return Ok(Attended::Until(time));
            };
            self.note_first_issued();
            su.turn_to_eu();
            if to != su.node && su.passes_untouched() {
                let until = time + self.costs.sending(bulk);
                self.departures.push(until, TimedMessage::event(to, key, bulk));
                return Ok(Attended::Until(until));
            }
            let begun = time + outbox.events.get(key).cost(&self.costs, su.node);
            let attended = attend(su, outbox, key, begun).map(Attended::Until);
            su.turn_from_eu();
            return attended;
        }
        let message = if has_come(other) { self.arrived(outbox) } else { None };
        match message.map(|message| message.content) {
            None => {
                su.now = time;
                Ok(Attended::Until(time))
            }
            Some(Content::Event { key, bulk }) => {
                let begun = time + self.costs.receiving(bulk) + self.costs.flushing(bulk);
                attend(su, outbox, key, begun).map(Attended::Until)
            }
            Some(Content::Trade(trade)) => Ok(Attended::Trade(trade)),
            Some(Content::Handshake(handshake)) => Ok(Attended::Handshake(handshake)),
        }
    }
}

impl World<DualUnits> {
    /// The execution unit takes up what has been handed over by `time`, and runs one fiber.
    #[inline(always)]
    fn execute(&mut self, number: usize, time: u64) {
        let Node { costs, processor, issued, handed_on, room_since, .. } = &mut self.nodes[number];
        let DualUnits { eu: side, su: su_side } = &mut *self.units[number];
        side.eu.su.now = time + costs.dispatch;
        exchange(&mut side.eu.su, &mut self.outbox);
        let mut come = 0;
        while handed_on.front().is_some_and(|at| *at <= time) {
            handed_on.pop_front();
            come += 1;
        }
        side.receive(come, su_side);
        if side.run_next() {
            let until = side.eu.su.now;
            processor.work(time, until);
            side.eu.ran(time, until, [0; 3]);
        }
        *room_since = time;
        exchange(&mut side.eu.su, &mut self.outbox);
        let hand_over = costs.hand_over;
        let sent = self.outbox.sent.drain(..);
        issued.extend(sent.map(|sent| Departure { at: after(sent.at, hand_over), ..sent }));
        self.nodes[number].note_first_issued();
    }

    /// The synchronization unit applies one arrived event or message, and hands on what it enabled. If no
    /// other has arrived, or a batch has been applied, it checks whether the execution unit lacks a token.
    ///
    /// Returns whether the execution unit is unaffected: it gets no new work, and acts at the same time as
    /// before.
    #[inline(always)]
    fn synchronize(&mut self, number: usize, time: u64) -> Result<bool, Box<Error>> {
        let node = &mut self.nodes[number];
        let su = &mut self.units[number].su.su;
        su.fire(time);
        let tokens = su.tokens.private.len();
        let (mut until, mut aside) = match node.attend_to_one(su, &mut self.outbox, time)? {
            Attended::Until(until) => (until, su.tokens.private.len() == tokens),
            Attended::Trade(trade) => {
                let until = self.trade(number, time, trade)?;
                self.send_answers(number);
                (until, false)
            }
            Attended::Handshake(handshake) => {
                let until = self.shake(number, time, handshake);
                self.send_answers(number);
                (until, true)
            }
        };
        let node = &mut self.nodes[number];
        let side = &mut self.units[number].su;
        node.applied += 1;
        let due = |at| at <= until;
        let more = due(node.first_issued) || due(node.arrivals.first());
        let feeds = !more || node.applied >= self.policy.batch as usize;
        aside &= !feeds && !side.keeps_work();
        let before = side.ready;
        if aside {
            // No work is handed on.
        } else if feeds {
            // Without a token no event is sent.
            let sends = node.given || !side.su.tokens.is_empty();
            if sends {
                exchange(&mut side.su, &mut self.outbox);
            }
            side.hand_on();
            node.applied = 0;
            if side.feed()? {
                until += node.costs.token_take;
            }
            side.su.share_tokens(|_| 0);
            if sends {
                exchange(&mut side.su, &mut self.outbox);
            }
        } else {
            side.hand_on();
        }
        for _ in before..side.ready {
            node.handed_on.push_back(after(until, node.costs.hand_over));
        }
        node.su_clock.work(time, until);
        node.timer = side.su.next_due().unwrap_or(NEVER);
        if self.traced {
            side.su.served(time, until, side.waiting(), node.waiting());
        }
        Ok(aside)
    }
}
