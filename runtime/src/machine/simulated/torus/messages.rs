//! Messages on a torus: they are cut into packets where they enter, and whole again when the last packet is there.
//!
//! Packets overtake each other. A message that is whole before an earlier one from the same node to the same node waits
//! for that one: so messages arrive in the order in which they were sent.

use std::collections::{HashMap, VecDeque};

use slab::Slab;

use super::shape::Offset;

const NONE: u32 = u32::MAX;

/// A message that arrives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Delivery {
    /// When its last packet was there, and all messages that were sent before it.
    pub at: u64,
    /// The node that sent it.
    pub from: u32,
    /// The node that has it.
    pub to: u32,
    /// What its sender called it.
    pub tag: u64,
}

/// A message that has not left its node as a whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entering {
    pub(super) message: u32,
    pub(super) way: Offset,
    pub(super) either: u8,
    /// The bytes that are still there; the last packet has what is left.
    pub(super) bytes: u64,
}

#[derive(Clone, Copy, Debug)]
struct Flight {
    delivery: Delivery,
    /// Packets that have not arrived.
    packets: u64,
    /// Whether an earlier one of the same nodes is under way.
    waits: bool,
    /// The next one of the same nodes.
    next: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Messages {
    flights: Slab<Flight>,
    /// The last message under way from one node to another.
    last: HashMap<[u32; 2], u32>,
    /// What has not left each node.
    pub(super) entering: Vec<VecDeque<Entering>>,
}

impl Messages {
    pub(super) fn new(routers: usize) -> Self {
        let entering = vec![VecDeque::new(); routers];
        Messages { flights: Slab::new(), last: HashMap::new(), entering }
    }

    /// Adds a message that has so many packets. Returns its number.
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

    /// A packet of this message has arrived `now`.
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
