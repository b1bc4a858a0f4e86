//! The way out of a node in virtual time: what leaves is stamped, paid for, and left for the machine.

use std::sync::Arc;

use earth_signal::{Full, HeldBack, Sent};

use crate::node::function::{Event, Outbox, Port, Token};
use crate::probe::costs::{self, Costs};
use crate::transport::{Departure, Stolen, Transport};

/// The transport of one simulated node.
pub(super) struct PortTransport {
    port: Port,
    costs: Arc<Costs>,
    /// How much may leave before the machine looks; the rest is held back.
    room: usize,
    /// The events that found no room, and all that were sent after them.
    held: HeldBack<Departure>,
}

impl PortTransport {
    pub(super) fn new(costs: Arc<Costs>, room: usize) -> Self {
        PortTransport { port: Port::new(), costs, room, held: HeldBack::new() }
    }
}

/// Puts an event into the outbox, if the machine has room for one more.
#[inline]
fn leave(outbox: &mut Outbox, room: usize, departure: Departure) -> Result<(), Full<Departure>> {
    if outbox.sent.len() >= room {
        return if seeded!(OverflowLost) { Ok(()) } else { Err(Full(departure)) };
    }
    outbox.sent.push(departure);
    Ok(())
}

impl Transport<Event, Token> for PortTransport {
    fn send(&mut self, to: u32, event: Event, now: &mut u64) -> Sent {
        let bulk = event.bulk_bytes();
        *now = costs::after(*now, self.costs.sending(bulk));
        let PortTransport { port, room, held, .. } = self;
        let key = port.outbox.events.insert(event);
        let mut departure = Departure { to, key, bulk, at: *now };
        if seeded!(OvertakesHeldBack) {
            let Err(Full(unsent)) = leave(&mut port.outbox, *room, departure) else { return Sent::Queued };
            departure = unsent;
        }
        held.send(departure, |departure| leave(&mut port.outbox, *room, departure))
    }

    fn held_back(&self) -> usize {
        self.held.len()
    }

    /// Sends what was held back, free of charge: it was paid for when it was sent first.
    fn flush(&mut self) -> usize {
        let PortTransport { port, room, held, .. } = self;
        held.flush(|leaving| leave(&mut port.outbox, *room, leaving));
        held.len()
    }

    /// Takes the token that came last. The machine asks for tokens: it knows who is idle.
    fn steal(&mut self) -> Option<Stolen<Token>> {
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
