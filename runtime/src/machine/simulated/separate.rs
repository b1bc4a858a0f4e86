//! DUAL in virtual time: two processors a node, and the queues between them.
//!
//! What the execution unit hands over reaches the synchronization unit at the time it was handed over; what
//! that enables reaches the ready queue when the event has been applied, and the run queue when the execution unit
//! is free next.
//!
//! An execution unit that has nothing at all is given a token after so many messages as a synchronization unit
//! on real cores applies at a time (the [policy's](crate::Policy) batch): otherwise idle nodes that take tokens they may not run, and send them
//! back, could keep it waiting for ever.

use super::clock::NEVER;
use super::world::{Message, Node, World, exchange, has_token};
use crate::vocabulary::error::Error;

impl World {
    /// The times at which the two units of a node act next, and whether the execution unit runs out of work with none
    /// handed over.
    #[inline(always)]
    pub(super) fn dual_times<const TIMED: bool>(&mut self, number: usize) -> (u64, u64, bool) {
        let Node { eu, processor, su_clock, issued, arrivals, handed_on, room_since, given, .. } =
            &mut self.nodes[number];
        let (eu, side) = self.units.both(*eu);
        let execution = match handed_on.front() {
            _ if eu.waiting() > 0 => processor.free,
            Some(&at) => processor.free.max(at),
            // Out of time, a full queue is sent on by a step of its own.
            None if seeded!(SpillAsleep) => NEVER,
            None if !TIMED && eu.eu.su.is_spilled() => processor.free,
            None => NEVER,
        };
        let empty = side.is_out_of_work();
        let tokens = side.feeds() || empty && has_token(given, &mut side.su);
        let more = tokens || side.su.is_spilled() || !side.su.work.is_empty() && handed_on.len() < self.room;
        let event = issued.front().map_or(NEVER, |(at, _)| *at).min(arrivals.first());
        let next = event.min(if more { *room_since } else { NEVER });
        // What never comes is attended to never.
        (execution, su_clock.free.max(next), empty && !tokens)
    }

    /// The execution unit takes what has been handed over by then and runs one fiber.
    #[inline(always)]
    pub(super) fn execute<const TIMED: bool>(&mut self, number: usize, time: u64) {
        let Node { eu, costs, processor, issued, handed_on, room_since, .. } = &mut self.nodes[number];
        let side = self.units.unit(*eu).eu_side();
        let dispatch = costs.dispatch;
        side.eu.su.now = time + dispatch;
        // In time there is room for all that is handed over, so it goes where it waits.
        if TIMED {
            std::mem::swap(issued, &mut side.meter().issued);
        }
        if side.eu.su.is_spilled() {
            side.eu.su.flush();
        }
        let mut come = 0;
        while handed_on.pop_front_if(|at| *at <= time || !TIMED).is_some() {
            come += 1;
        }
        side.receive(come);
        if side.run_next::<true>() {
            let until = side.eu.su.now;
            processor.work(time, until);
            side.eu.ran(time, until, [0; 3]);
        }
        *room_since = time;
        if TIMED {
            std::mem::swap(issued, &mut side.meter().issued);
        } else {
            issued.append(&mut side.meter().issued);
        }
    }

    /// The synchronization unit applies one event or message, if one has come, and hands on what it enabled.
    /// When no other has come, or a batch has been applied, it looks whether the execution unit lacks a token.
    /// Out of time it applies several at once.
    #[inline(always)]
    pub(super) fn synchronize<const TIMED: bool>(
        &mut self,
        number: usize,
        time: u64,
        arrive: bool,
    ) -> Result<(), Box<Error>> {
        let mut until = time;
        let batch = if TIMED { 1 } else { 1 + self.nodes[number].draw.below(8) };
        for _ in 0..batch {
            until = self.apply_one::<TIMED>(number, until, arrive)?;
        }
        let Node { costs, su, applied, issued, arrivals, .. } = &mut self.nodes[number];
        *applied += batch;
        let due = |at| at <= until && TIMED;
        let more = issued.front().is_some_and(|(at, _)| due(*at)) || due(arrivals.first());
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
            side.su.share_tokens(0);
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
    #[inline(always)]
    fn apply_one<const TIMED: bool>(
        &mut self,
        number: usize,
        time: u64,
        arrive: bool,
    ) -> Result<u64, Box<Error>> {
        let Node { issued, arrivals, costs, .. } = &mut self.nodes[number];
        let come = |at: &u64| *at != NEVER && (*at <= time || !TIMED);
        let own = issued.front().map(|(at, _)| *at).filter(come);
        let other = Some(arrivals.first()).filter(come);
        let own_first = match (own, other) {
            (Some(own), Some(other)) if TIMED => own <= other,
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
        let sends = event.may_send(number as u32);
        let su = &mut self.units.unit(self.nodes[number].su).su_side().su;
        if sends {
            exchange(su, &mut self.outbox);
        }
        su.now = time + cost;
        su.attend(event)?;
        let until = su.now;
        if sends {
            exchange(su, &mut self.outbox);
        }
        Ok(until)
    }
}
