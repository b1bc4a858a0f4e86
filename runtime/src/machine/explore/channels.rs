//! Transport of an exploring machine: a queue from each node to each other node. The machine takes a message
//! out when it selects its receipt.

use std::collections::VecDeque;

use earth_signal::Sent;

use crate::node::function::{Event, Token};
use crate::node::su::Su;
use crate::transport::{StolenToken, Transport};

/// Queues of the messages that one node has sent.
pub(super) struct Channels {
    /// Messages, by receiver.
    queues: Vec<VecDeque<Event>>,
    /// Receivers of the messages sent since the machine last looked, in order.
    pub(super) sent: Vec<u32>,
    /// Token of another node that the machine gives to this one.
    pub(super) given: Option<StolenToken<Token>>,
}

impl Channels {
    /// Makes the queues of a node of a machine of `nodes` nodes.
    pub(super) fn new(nodes: usize) -> Self {
        Channels { queues: (0..nodes).map(|_| VecDeque::new()).collect(), sent: Vec::new(), given: None }
    }

    /// Takes the oldest message for node `to`.
    pub(super) fn take(&mut self, to: u32) -> Option<Event> {
        self.queues[to as usize].pop_front()
    }
}

impl Channels {
    /// Returns whether there is a message for node `to`.
    pub(super) fn has(&self, to: u32) -> bool {
        !self.queues[to as usize].is_empty()
    }
}

/// Returns the channels of a unit that sends to other nodes.
pub(super) fn channels(su: &mut Su) -> &mut Channels {
    su.transport_as()
}

impl Transport<Event, Token> for Channels {
    fn begin(&mut self) {
        self.queues.iter_mut().for_each(VecDeque::clear);
        self.sent.clear();
        self.given = None;
    }

    fn send(&mut self, to: u32, event: Event, _now: &mut u64) -> Sent {
        self.queues[to as usize].push_back(event);
        self.sent.push(to);
        Sent::Queued
    }

    fn steal(&mut self) -> Option<StolenToken<Token>> {
        self.given.take()
    }
}
