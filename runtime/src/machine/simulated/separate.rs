//! DUAL in virtual time: two processors a node, and the queues between them.
//!
//! What the execution unit hands over reaches the synchronization unit at the time it was handed over; what
//! that enables reaches the ready queue when the event has been applied. If the ready queue is full in the
//! middle of a fiber's values, the fiber begins when the execution unit is next free, which may be a little
//! before its last value is there.
//!
//! An execution unit that has nothing at all is given a token after so many messages as a synchronization unit
//! on real cores applies at a time: otherwise idle nodes that take tokens they may not run, and send them
//! back, could keep it waiting for ever.

use super::lanes::NEVER;
use super::world::{Message, Node, World, port, set_clock};
use crate::error::Error;
use crate::unit::separate::{BATCH, SuSide};

impl World {
    /// Whether the execution unit of a node runs dry, and its synchronization unit has nothing for it.
    pub(super) fn is_hungry(&mut self, number: usize) -> bool {
        let side = self.side(number);
        let (_, empty) = side.hungry();
        empty && !has_token(side)
    }

    /// Whether it runs dry while there is a token for it.
    fn starves(&mut self, number: usize) -> bool {
        let side = self.side(number);
        let (_, empty) = side.hungry();
        empty && has_token(side)
    }

    fn side(&mut self, number: usize) -> &mut SuSide {
        self.crew.unit(self.nodes[number].su).su_side()
    }

    /// When the execution unit of a node acts next.
    pub(super) fn execution_time(&mut self, number: usize) -> u64 {
        let node = &self.nodes[number];
        let free = node.processor.free;
        match node.handed_on.front() {
            Some(&at) => free.max(at),
            None if self.crew.unit(node.eu).eu_side().queue_to_su().is_spilled() => free,
            None => NEVER,
        }
    }

    /// When the synchronization unit of a node acts next.
    pub(super) fn synchronization_time(&mut self, number: usize) -> u64 {
        let room = self.room;
        let side = self.side(number);
        let (low, empty) = side.hungry();
        let tokens = low && side.su.tokens.has_private() || empty && has_token(side);
        let more = tokens || side.su.is_spilled() || !side.su.work.is_empty() && side.handed_on() < room;
        let Node { su_clock, issued, arrivals, room_since, .. } = &self.nodes[number];
        let event = issued.front().map_or(NEVER, |(at, _)| *at).min(arrivals.first().unwrap_or(NEVER));
        let next = event.min(if more { *room_since } else { NEVER });
        if next == NEVER { NEVER } else { su_clock.free.max(next) }
    }

    /// The execution unit runs one fiber.
    pub(super) fn execute(&mut self, number: usize, time: u64) {
        let Node { eu, costs, processor, from_eu, issued, handed_on, room_since, .. } =
            &mut self.nodes[number];
        let side = self.crew.unit(*eu).eu_side();
        let (received, fibers) = (side.received, side.eu.counters.fibers);
        let dispatch = costs.dispatch;
        side.queue_to_su().set_clock(time + dispatch);
        let _ = side.step();
        if side.eu.counters.fibers > fibers {
            processor.work(time, side.queue_to_su().now());
        }
        handed_on.drain(..(side.received - received) as usize);
        *room_since = time;
        loop {
            while let Some(event) = from_eu.receive() {
                let at = side.queue_to_su().stamp();
                issued.push_back((at, event));
            }
            // Out of time, a full queue is left full until the next step.
            if !self.keeps_time || !side.queue_to_su().flush() {
                return;
            }
        }
    }

    /// The synchronization unit applies one event or message that has come, or else hands on more.
    pub(super) fn synchronize(&mut self, number: usize, time: u64, arrive: bool) -> Result<(), Box<Error>> {
        let starves = self.starves(number);
        let Node { issued, arrivals, passed_over, .. } = &mut self.nodes[number];
        let feeds = starves && *passed_over == BATCH;
        *passed_over = if feeds { 0 } else { *passed_over + usize::from(starves) };
        let own = issued.front().map(|(at, _)| *at).filter(|&at| at <= time || !self.keeps_time);
        let other = arrivals.first().filter(|&at| at <= time || !self.keeps_time);
        let own_first = match (own, other) {
            _ if feeds => false,
            (Some(own), Some(other)) if self.keeps_time => own <= other,
            (Some(_), Some(_)) => !arrive,
            (own, _) => own.is_some(),
        };
        let message = match other {
            _ if feeds => None,
            _ if own_first => issued.pop_front().map(|(_, event)| Message::Event(event)),
            Some(_) => arrivals.pop().map(|(_, message)| message),
            None => None,
        };
        let until = match message {
            None => self.hand_on(number, time),
            Some(Message::Event(event)) => {
                let Node { costs, su, .. } = &self.nodes[number];
                let cost = if own_first {
                    costs.applying(&event, number as u32)
                } else {
                    costs.receiving(event.bulk_bytes())
                };
                let side = self.crew.unit(*su).su_side();
                set_clock(&mut side.su, time + cost);
                let sent = self.inboxes[number].send(event);
                debug_assert!(sent.is_ok(), "an inbox that is emptied at once has room");
                let before = side.handed_on();
                side.apply(1)?;
                side.su.share_tokens(0);
                let (now, after) = (side.su.now, side.handed_on());
                self.nodes[number].handed_on.extend((before..after).map(|_| now));
                now
            }
            Some(trade) => self.trade(number, time, trade),
        };
        self.nodes[number].su_clock.work(time, until);
        Ok(())
    }

    /// Hands on what found no room, or a token. Until when that takes.
    fn hand_on(&mut self, number: usize, time: u64) -> u64 {
        let Node { costs, su, .. } = &self.nodes[number];
        let take = costs.token_take;
        let side = self.crew.unit(*su).su_side();
        let before = side.handed_on();
        set_clock(&mut side.su, time);
        side.pass_on();
        let mut until = time;
        if side.feed() {
            until += take;
        }
        side.su.share_tokens(0);
        let after = side.handed_on();
        self.nodes[number].handed_on.extend((before..after).map(|_| until));
        until
    }
}

/// Whether a synchronization unit has a token that its execution unit could run.
fn has_token(side: &mut SuSide) -> bool {
    !side.su.tokens.is_empty() || port(&mut side.su).token.is_some()
}
