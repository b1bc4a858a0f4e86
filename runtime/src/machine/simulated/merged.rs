//! SPN in virtual time: one processor a node, which handles messages between fibers.
//!
//! Before each fiber the node applies the messages that have arrived, one after another. With a watchdog, a
//! message that has waited long enough interrupts the running fiber. It is applied at once, and the rest of
//! the fiber is delayed by that time.

use std::sync::Arc;

use super::super::queues::{Builder, NodeQueues};
use super::clock::NEVER;
use super::message::{Content, TimedMessage};
use super::node::{Node, attend, exchange, has_token};
use super::port::Departure;
use super::world::{NodeUnits, World};
use crate::node::function::UnitTransport;
use crate::node::merged::Merged;
use crate::node::su::Su;
use crate::probe::costs::Costs;
use crate::vocabulary::error::Error;

impl Node {
    /// Returns whether the node of this unit has work.
    #[inline(always)]
    fn has_work(&mut self, merged: &mut Merged) -> bool {
        let su = merged.su();
        // A token of another node comes last; it is in the transport.
        su.has_work() || has_token(&mut self.given, su)
    }
}

impl NodeUnits for Merged {
    const DUAL: bool = false;

    fn build(
        builder: &Builder<'_>,
        queues: NodeQueues,
        port: UnitTransport,
        _costs: &Arc<Costs>,
        _room: usize,
    ) -> Self {
        builder.merged(queues, port)
    }

    #[inline(always)]
    fn synchronizer(&mut self) -> &mut Su {
        self.su()
    }

    #[inline(always)]
    fn times(&mut self, node: &mut Node, _room: usize) -> (u64, u64, bool) {
        let has_work = node.has_work(self);
        let fiber = if has_work { node.processor.free } else { NEVER };
        let message = node.processor.attends(node.arrivals.first(), &node.costs);
        let timer = self.su().next_due().map_or(NEVER, |due| node.processor.free.max(due));
        (fiber.min(message).min(timer), NEVER, !has_work)
    }

    #[inline(always)]
    fn act(world: &mut World<Self>, node: usize, _lane: usize, time: u64) -> Result<bool, Box<Error>> {
        world.process(node, time)?;
        Ok(false)
    }
}

impl World<Merged> {
    /// The processor applies one arrived message, or else runs one fiber. After a batch of messages a ready
    /// fiber has its turn.
    #[inline(always)]
    fn process(&mut self, number: usize, time: u64) -> Result<(), Box<Error>> {
        let node = &mut self.nodes[number];
        let merged = &mut *self.units[number];
        merged.su().fire(time);
        let batch_applied = node.applied >= self.policy.batch as usize && !seeded!(MessagesFirst);
        let turn_of_fibers = batch_applied && node.processor.free <= time;
        let due = match node.arrivals.first() {
            NEVER => false,
            at => at <= time && !(turn_of_fibers && node.has_work(merged)),
        };
        if due && let Some(message) = node.arrived(&self.outbox) {
            node.applied += 1;
            return self.receive(number, time, message);
        }
        node.applied = 0;
        exchange(merged.su(), &mut self.outbox);
        merged.su().now = time;
        let accesses = merged.su().frames.cell_accesses;
        if merged.run_one()? {
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
    fn receive(&mut self, number: usize, time: u64, message: TimedMessage) -> Result<(), Box<Error>> {
        let node = &mut self.nodes[number];
        let interrupts = node.processor.free > time;
        let interrupt = if interrupts { node.costs.interrupt } else { 0 };
        let until = match message.content {
            Content::Event { key, bulk } => {
                let begun = time + interrupt + node.costs.receiving(bulk);
                let merged = &mut *self.units[number];
                merged.eu.leave_fiber();
                attend(merged.su(), &mut self.outbox, key, begun)?
            }
            Content::Trade(trade) => self.trade(number, time + interrupt, trade)?,
            Content::Handshake(handshake) => self.shake(number, time + interrupt, handshake),
        };
        let node = &mut self.nodes[number];
        let merged = &mut *self.units[number];
        if self.traced {
            let ready = merged.su().run_queue.len();
            merged.su().served(time, until, ready, node.waiting());
        }
        if interrupts {
            let spent = until - time;
            if let Some(recorder) = &mut merged.eu.recorder {
                recorder.interrupted(spent);
            }
            node.departures.put_off(time, spent);
            if node.cell_accesses > 0 {
                for Departure { to, at, .. } in &mut self.outbox.sent {
                    let before = node.departures.latest(|message| message.to == *to);
                    *at = before.map_or(*at, |before| before.max(*at));
                }
            }
            node.processor.busy += spent;
            node.processor.free += spent;
        } else {
            node.processor.work(time, until);
        }
        // The answer is part of the interrupt, so the interrupt must not delay it. It is pushed after the
        // delay, as sent events are.
        self.send_answers(number);
        Ok(())
    }
}
