//! Messages on a torus: they are split into packets where they enter, and are complete when the last packet
//! has arrived.
//!
//! Packets overtake each other. A complete message waits for earlier messages between the same two nodes. So
//! messages arrive in the order of their departures.

use std::collections::{HashMap, VecDeque};

use slab::Slab;

use super::shape::Offset;

const NONE: u32 = u32::MAX;

/// Arrived message.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Delivery {
    /// Time at which its last packet, and all earlier messages between the same nodes, had arrived.
    pub at: u64,
    /// Node that sent it.
    pub from: u32,
    /// Node that received it.
    pub to: u32,
    /// Tag that the sender gave it.
    pub tag: u64,
}

/// Message that has not completely left its node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entering {
    pub(super) message: u32,
    pub(super) transport_as: Offset,
    pub(super) either: u8,
    /// Number of bytes still at the node. The last packet takes the remainder.
    pub(super) bytes: u64,
}

#[derive(Clone, Copy, Debug)]
struct Flight {
    delivery: Delivery,
    /// Number of packets that have not arrived.
    packets: u64,
    /// Whether an earlier message between the same nodes is in transit.
    waits: bool,
    /// Next message between the same nodes.
    next: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Messages {
    flights: Slab<Flight>,
    /// Last message in transit between each pair of nodes.
    last: HashMap<[u32; 2], u32>,
    /// Messages that have not completely left each node.
    pub(super) entering: Vec<VecDeque<Entering>>,
}

impl Messages {
    pub(super) fn new(routers: usize) -> Self {
        let entering = vec![VecDeque::new(); routers];
        Messages { flights: Slab::new(), last: HashMap::new(), entering }
    }

    /// Adds a message of `packets` packets. Returns its number.
    pub(super) fn send(&mut self, delivery: Delivery, packets: u64) -> u32 {
        let flight = Flight { delivery, packets, waits: false, next: NONE };
        let number = self.flights.insert(flight) as u32;
        let before = self.last.insert([delivery.from, delivery.to], number);
        self.flights[number as usize].waits = before.is_some();
        if let Some(before) = before {
            self.flights[before as usize].next = number;
        }
        number
    }

    /// Notes that a packet of message `number` has arrived `now`.
    pub(super) fn arrived(&mut self, number: u32, now: u64, delivered: &mut Vec<Delivery>) {
        let flight = &mut self.flights[number as usize];
        flight.packets -= 1;
        if flight.packets > 0 || flight.waits {
            return;
        }
        let mut number = number;
        loop {
            let Flight { delivery, next, .. } = self.flights.remove(number as usize);
            delivered.push(Delivery { at: now, ..delivery });
            let Some(flight) = self.flights.get_mut(next as usize) else {
                self.last.remove(&[delivery.from, delivery.to]);
                return;
            };
            flight.waits = false;
            if flight.packets > 0 {
                return;
            }
            number = next;
        }
    }
}
