//! The way out of a node in virtual time: what leaves is stamped, paid for, and left for the machine.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::unit::balance::Token;
use crate::unit::event::Event;
use crate::unit::meter::Costs;
use crate::unit::transport::{Port, Transport};

/// The transport of one simulated node.
pub(super) struct PortTransport {
    port: Port,
    costs: Arc<Costs>,
    /// How much may leave before the machine looks; the rest is kept.
    room: usize,
    /// What found no room, with its time.
    kept: VecDeque<(u32, Event, u64)>,
}

impl PortTransport {
    pub(super) fn new(costs: Arc<Costs>, room: usize) -> Self {
        PortTransport { port: Port::default(), costs, room, kept: VecDeque::new() }
    }
}

impl Transport for PortTransport {
    fn send(&mut self, to: u32, event: Event, now: &mut u64) -> bool {
        *now += self.costs.sending(event.bulk_bytes());
        let outbox = &mut *self.port.outbox;
        if outbox.sent.len() >= self.room {
            self.kept.push_back((to, event, *now));
            return false;
        }
        outbox.sent.push_back((to, outbox.places.put(event), *now));
        true
    }

    fn kept(&self) -> usize {
        self.kept.len()
    }

    /// What is kept was paid for when it was sent.
    fn flush(&mut self) -> usize {
        let outbox = &mut *self.port.outbox;
        while outbox.sent.len() < self.room
            && let Some((to, event, at)) = self.kept.pop_front()
        {
            outbox.sent.push_back((to, outbox.places.put(event), at));
        }
        self.kept.len()
    }

    /// The token that came last. Asking for one is the machine's part: it knows who is idle.
    fn steal(&mut self) -> Option<Token> {
        self.port.token.take()
    }

    fn can_steal(&self) -> bool {
        self.port.token.is_some()
    }

    fn shares(&mut self) {
        self.port.outbox.shares = true;
    }

    fn port(&mut self) -> Option<&mut Port> {
        Some(&mut self.port)
    }
}
