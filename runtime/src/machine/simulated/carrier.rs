//! The messages of a simulated machine in its network.
//!
//! A network knows messages by number. The carrier keeps the messages whose arrivals are not known yet, and
//! checks a network of the program's own.

use std::sync::Arc;

use slab::Slab;

use super::clock::NEVER;
use super::message::TimedMessage;
use crate::vocabulary::custom::{Custom, Named, PolicyUse};
use crate::vocabulary::network::{Arrival, Departure, Network};

/// How many events at one moment a network of the program's own may have without an arrival.
const MOST_EVENTS: u32 = 1 << 16;

/// Network of a run, with the messages under way.
pub(super) struct Carrier {
    network: Box<dyn Network>,
    /// Senders and messages whose arrivals are not known yet.
    under_way: Slab<(usize, TimedMessage)>,
    arrivals: Vec<Arrival>,
    /// Name of a network of the program's own.
    custom: Option<Arc<str>>,
}

impl Carrier {
    pub(super) fn new(network: Box<dyn Network>) -> Self {
        Carrier { network, under_way: Slab::new(), arrivals: Vec::new(), custom: None }
    }

    /// Makes the carrier for a network of the program's own between `nodes` nodes.
    pub(super) fn custom(network: &Named<dyn Network>, nodes: usize) -> Self {
        let checked = Checked { network: network.on_all(nodes), still: 0 };
        Carrier { custom: Some(Arc::clone(&network.name)), ..Carrier::new(Box::new(checked)) }
    }

    /// Gives the network a message that leaves node `from` at the time `at`. Returns the arrival time, if it
    /// is known now.
    #[inline(always)]
    pub(super) fn send(&mut self, from: usize, bytes: u64, at: u64, message: TimedMessage) -> Option<u64> {
        let number = self.under_way.vacant_key();
        let arrival = self.network.send(Departure { number, from, to: message.to as usize, bytes, at });
        if arrival.is_none() {
            self.under_way.insert((from, message));
        }
        arrival
    }

    /// Returns the time of the network's next event.
    pub(super) fn next(&self) -> u64 {
        self.network.next()
    }

    /// Performs the network's next event. Adds the messages that arrive to `arrived`, with their senders and
    /// times.
    pub(super) fn step(&mut self, arrived: &mut Vec<(usize, u64, TimedMessage)>) {
        self.network.step(&mut self.arrivals);
        for Arrival { number, at } in self.arrivals.drain(..) {
            match (self.under_way.try_remove(number), &self.custom) {
                (Some((from, message)), _) => arrived.push((from, at, message)),
                (None, Some(name)) => {
                    let user = PolicyUse { name: Arc::clone(name), node: 0 };
                    user.fault(format!("reported the arrival of message {number}, which is not under way"))
                }
                (None, None) => unreachable!("a built-in network reports its own messages"),
            }
        }
    }

    /// Ends the run with an error if a network of the program's own has lost messages.
    pub(super) fn finish(&self) {
        if let (Some(name), Some((number, (node, _)))) = (&self.custom, self.under_way.iter().next()) {
            let (user, lost) = (PolicyUse { name: Arc::clone(name), node: *node }, self.under_way.len());
            user.fault(format!("lost {lost} messages: number {number} and later ones never arrive"));
        }
    }
}

/// Network of the program's own, whose answers are checked. Times at which a faulty network would run
/// backwards are faults: they would break the order of events.
struct Checked {
    network: Custom<dyn Network>,
    /// Number of events at one moment without an arrival.
    still: u32,
}

impl Network for Checked {
    fn send(&mut self, departure: Departure) -> Option<u64> {
        let Departure { number, from, at, .. } = departure;
        let arrival = self.network.ask(|network| network.send(departure));
        if let Some(arrival) = arrival.filter(|arrival| *arrival < at) {
            let user = PolicyUse { node: from, ..self.network.user.clone() };
            user.fault(format!("lets message {number} arrive at {arrival}, before it leaves at {at}"));
        }
        arrival
    }

    fn next(&self) -> u64 {
        self.network.made().map_or(NEVER, |network| self.network.user.guard(|| network.next()))
    }

    fn step(&mut self, arrived: &mut Vec<Arrival>) {
        let now = self.next();
        self.network.ask(|network| network.step(arrived));
        let user = &self.network.user;
        if let Some(Arrival { number, at }) = arrived.iter().find(|arrival| arrival.at < now) {
            user.fault(format!("lets message {number} arrive at {at}, in an event at {now}"));
        }
        let next = self.next();
        if next < now {
            user.fault(format!("had an event at {now}, and its next event at {next}"));
        }
        self.still = if next > now || !arrived.is_empty() { 0 } else { self.still + 1 };
        if self.still > MOST_EVENTS {
            user.fault(format!("has had {MOST_EVENTS} events at {now} without an arrival"));
        }
    }
}
