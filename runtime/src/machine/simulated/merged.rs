//! SPN in virtual time: one processor a node, which attends to messages between fibers.
//!
//! Before each fiber it applies what has arrived by then, one message after another. With a watchdog, a
//! message that has waited long enough interrupts the fiber that runs: it is applied at once, and all that
//! the fiber has still to do is put off by the time that takes.

use super::clock::NEVER;
use super::world::{Message, Node, World, exchange, has_token};
use crate::transport::Departure;
use crate::vocabulary::error::Error;

impl World {
    /// The time at which the processor of a node acts next, and whether the node has nothing to run.
    #[inline(always)]
    pub(super) fn spn_times<const TIMED: bool>(&mut self, number: usize) -> (u64, u64, bool) {
        let has_work = self.has_work(number);
        let Node { processor, arrivals, costs, .. } = &self.nodes[number];
        let fiber = if has_work { processor.free } else { NEVER };
        let message = processor.attends::<TIMED>(arrivals.first(), costs);
        (fiber.min(message), NEVER, !has_work)
    }

    /// Whether the node has anything to run.
    #[inline(always)]
    fn has_work(&mut self, number: usize) -> bool {
        let Node { su, given, .. } = &mut self.nodes[number];
        let su = self.units.unit(*su).merged().su();
        // What came from elsewhere is looked for last, by way of the transport.
        su.has_work() || su.is_spilled() || has_token(given, su)
    }

    /// The processor applies one message that has arrived, or else runs one fiber. After a batch of messages a
    /// fiber that can run has its turn.
    #[inline(always)]
    pub(super) fn process<const TIMED: bool>(
        &mut self,
        number: usize,
        time: u64,
        arrive: bool,
    ) -> Result<(), Box<Error>> {
        let Node { processor, applied, arrivals, .. } = &self.nodes[number];
        let batch_applied = *applied >= self.policy.batch as usize && !seeded!(MessagesFirst);
        let turn_of_fibers = batch_applied && processor.free <= time;
        let due = match arrivals.first() {
            NEVER => false,
            at if TIMED => at <= time && !(turn_of_fibers && self.has_work(number)),
            _ => arrive || !self.has_work(number),
        };
        if due && let Some(message) = self.arrived(number) {
            self.nodes[number].applied += 1;
            return self.receive::<TIMED>(number, time, message);
        }
        let node = &mut self.nodes[number];
        node.applied = 0;
        let merged = self.units.unit(node.eu).merged();
        exchange(merged.su(), &mut self.outbox);
        merged.su().now = time;
        if merged.su().is_spilled() && !seeded!(OverflowKept) {
            merged.su().flush();
        }
        let accesses = merged.su().frames.cell_accesses;
        if merged.run_one() {
            let until = merged.su().now;
            node.cell_accesses = merged.su().frames.cell_accesses - accesses;
            if self.traced {
                let su = merged.su();
                let lengths = su.lengths(su.run_queue.len(), node.waiting());
                merged.eu.ran(time, until, lengths);
            }
            node.processor.work(time, until);
        }
        exchange(merged.su(), &mut self.outbox);
        Ok(())
    }

    #[inline(always)]
    fn receive<const TIMED: bool>(
        &mut self,
        number: usize,
        time: u64,
        message: Message,
    ) -> Result<(), Box<Error>> {
        let Node { costs, processor, eu, .. } = &self.nodes[number];
        let (free, eu) = (processor.free, *eu);
        let interrupts = free > time && TIMED;
        let interrupt = if interrupts { costs.interrupt } else { 0 };
        let (until, answer) = match message {
            Message::Event { key, bulk } => {
                let begun = time + interrupt + costs.receiving(bulk);
                let event = self.outbox.events.remove(key);
                let sends = event.may_send(number as u32);
                let merged = self.units.unit(eu).merged();
                if sends {
                    exchange(merged.su(), &mut self.outbox);
                }
                merged.su().now = begun;
                merged.attend(event)?;
                let until = merged.su().now;
                if sends {
                    exchange(merged.su(), &mut self.outbox);
                }
                (until, None)
            }
            trade => self.trade(number, time + interrupt, trade),
        };
        if self.traced {
            let waiting = self.nodes[number].waiting();
            let su = self.units.unit(eu).su();
            su.served(time, until, su.run_queue.len(), waiting);
        }
        let Node { processor, departures, cell_accesses, .. } = &mut self.nodes[number];
        if interrupts {
            let spent = until - time;
            if let Some(recorder) = &mut self.units.unit(eu).merged().eu.recorder {
                recorder.interrupted(spent);
            }
            departures.put_off(time, spent);
            if *cell_accesses > 0 {
                for Departure { to, at, .. } in &mut self.outbox.sent {
                    let before = departures.latest(|(receiver, _)| receiver == to);
                    *at = before.map_or(*at, |before| before.max(*at));
                }
            }
            processor.busy += spent;
            processor.free += spent;
        } else {
            processor.work(time, until);
        }
        // Only now, like what an event sends: it is part of the interrupt, not of what that puts off.
        if let Some(answer) = answer {
            departures.push(until, answer);
        }
        Ok(())
    }
}
