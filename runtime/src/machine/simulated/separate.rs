//! DUAL in virtual time: two processors a node, and the queues between them.
//!
//! What the execution unit hands over reaches the synchronization unit at the time it was handed over; what
//! that enables reaches the ready queue when the event has been applied, and the run queue when the execution unit
//! is free next.
//!
//! An execution unit that has nothing at all is given a token after so many messages as a synchronization unit
//! on real cores applies at a time (the [policy's](crate::Policy) batch): otherwise idle nodes that take tokens they may not run, and send them
//! back, could keep it waiting for ever.

use super::lanes::NEVER;
use super::world::{Message, Node, World, exchange, port};
use crate::vocabulary::error::Error;

impl World {
    /// The times at which the two units of a node act next, and whether the execution unit runs out of work with none
    /// handed over.
    pub(super) fn dual_times(&mut self, number: usize) -> (u64, u64, bool) {
        let Node { eu, su, processor, su_clock, issued, arrivals, handed_on, room_since, .. } =
            &self.nodes[number];
        let eu = self.units.unit(*eu).eu_side();
        let execution = match handed_on.front() {
            _ if eu.waiting() > 0 => processor.free,
            Some(&at) => processor.free.max(at),
            // Out of time, a full queue is sent on by a step of its own.
            None if seeded!(SpillAsleep) => NEVER,
            None if !self.keeps_time && eu.eu.su.is_spilled() => processor.free,
            None => NEVER,
        };
        let side = self.units.unit(*su).su_side();
        let empty = side.is_out_of_work();
        let tokens = side.feeds() || empty && port(&mut side.su).token.is_some();
        let more = tokens || side.su.is_spilled() || !side.su.work.is_empty() && handed_on.len() < self.room;
        let event = issued.front().map_or(NEVER, |(at, _)| *at).min(arrivals.first().unwrap_or(NEVER));
        let next = event.min(if more { *room_since } else { NEVER });
        let synchronization = if next == NEVER { NEVER } else { su_clock.free.max(next) };
        (execution, synchronization, empty && !tokens)
    }

    /// The execution unit takes what has been handed over by then and runs one fiber.
    pub(super) fn execute(&mut self, number: usize, time: u64) {
        let Node { eu, costs, processor, issued, handed_on, room_since, .. } = &mut self.nodes[number];
        let side = self.units.unit(*eu).eu_side();
        let dispatch = costs.dispatch;
        side.eu.su.now = time + dispatch;
        if side.eu.su.is_spilled() {
            side.eu.su.flush();
        }
        let mut come = 0;
        while handed_on.pop_front_if(|at| *at <= time || !self.keeps_time).is_some() {
            come += 1;
        }
        side.receive(come);
        if side.run_next::<true>() {
            let until = side.eu.su.now;
            processor.work(time, until);
            side.eu.ran(time, until, [0; 3]);
        }
        *room_since = time;
        let handed_over = &mut side.meter().issued;
        if issued.is_empty() {
            std::mem::swap(issued, handed_over);
        } else {
            issued.append(handed_over);
        }
    }

    /// The synchronization unit applies one event or message, if one has come, and hands on what it enabled.
    /// When no other has come, or a batch has been applied, it looks whether the execution unit lacks a token.
    /// Out of time it applies several at once.
    pub(super) fn synchronize(&mut self, number: usize, time: u64, arrive: bool) -> Result<(), Box<Error>> {
        let mut until = time;
        let batch = if self.keeps_time { 1 } else { 1 + self.nodes[number].draw.below(8) };
        for _ in 0..batch {
            until = self.apply_one(number, until, arrive)?;
        }
        let Node { costs, su, applied, issued, arrivals, .. } = &mut self.nodes[number];
        *applied += batch;
        let due = |at| at <= until && self.keeps_time;
        let more = issued.front().is_some_and(|(at, _)| due(*at)) || arrivals.first().is_some_and(due);
        let side = self.units.unit(*su).su_side();
        let before = side.in_ready_queue();
        let feeds = !more || *applied >= self.policy.batch as usize;
        let sends = feeds || side.su.is_spilled();
        if sends {
            exchange(&mut side.su, &mut self.outbox);
        }
        side.pass_on();
        if feeds {
            *applied = 0;
            if side.feed() {
                until += costs.token_take;
            }
            side.su.share_tokens(|_| 0);
        }
        if sends {
            exchange(&mut side.su, &mut self.outbox);
        }
        let after = side.in_ready_queue();
        let Node { handed_on, su_clock, .. } = &mut self.nodes[number];
        for _ in before..after {
            handed_on.push_back(until);
        }
        su_clock.work(time, until);
        if self.traced {
            let waiting = self.nodes[number].waiting();
            let side = self.units.unit(self.nodes[number].su).su_side();
            side.su.served(time, until, side.waiting(), waiting);
        }
        Ok(())
    }

    /// Lets the synchronization unit apply the event or message that came first. Returns when it is done.
    fn apply_one(&mut self, number: usize, time: u64, arrive: bool) -> Result<u64, Box<Error>> {
        let Node { issued, arrivals, costs, .. } = &mut self.nodes[number];
        let own = issued.front().map(|(at, _)| *at).filter(|&at| at <= time || !self.keeps_time);
        let other = arrivals.first().filter(|&at| at <= time || !self.keeps_time);
        let own_first = match (own, other) {
            (Some(own), Some(other)) if self.keeps_time => own <= other,
            (Some(_), Some(_)) => !arrive,
            (own, _) => own.is_some(),
        };
        let (event, cost) = if own_first {
            let Some((_, event)) = issued.pop_front() else { return Ok(time) };
            let cost = event.cost(costs, number as u32);
            (event, cost)
        } else {
            let message = if other.is_some() { self.arrived(number) } else { None };
            let Node { costs, su, .. } = &self.nodes[number];
            match message {
                None => {
                    self.units.unit(*su).su_side().su.now = time;
                    return Ok(time);
                }
                Some(Message::Event { key, bulk }) => {
                    let cost = costs.receiving(bulk);
                    (self.outbox.events.remove(key), cost)
                }
                Some(trade) => {
                    let (until, answer) = self.trade(number, time, trade);
                    if let Some(answer) = answer {
                        self.nodes[number].departures.push(until, answer);
                    }
                    return Ok(until);
                }
            }
        };
        let su = self.nodes[number].su;
        let sends = event.may_send(number as u32);
        if sends {
            self.lend_outbox(number);
        }
        let su = &mut self.units.unit(su).su_side().su;
        su.now = time + cost;
        su.attend(event)?;
        let until = su.now;
        if sends {
            self.lend_outbox(number);
        }
        Ok(until)
    }
}
