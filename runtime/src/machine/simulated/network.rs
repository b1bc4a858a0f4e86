//! The network between the nodes of a simulated machine.
//!
//! The machine gives messages to the network in the order of their departures. Some networks determine the
//! arrival of a message at once. On others it depends on later departures, and the network reports it when it
//! happens. A network outside of this crate implements the same trait, [`Network`].

use super::profile::{NetworkKind, NetworkProfile};
use super::torus::{Delivery, Torus};
use crate::vocabulary::network::{Arrival, Departure, Network};

/// Time in fractions of a processor cycle, `1 << FINE` a cycle. 128 bits cannot overflow in any run.
type Parts = u128;

const FINE: u32 = 16;

fn of_cycles(cycles: u64) -> Parts {
    Parts::from(cycles) << FINE
}

/// Rounds to whole cycles. A time of more than 64 bits wraps.
fn cycles(parts: Parts) -> u64 {
    ((parts + (1 << (FINE - 1))) >> FINE) as u64
}

#[derive(Clone, Copy, Debug)]
struct Times {
    interface: Parts,
    hop: Parts,
    byte: Parts,
    smallest: u64,
}

impl Times {
    fn new(profile: &NetworkProfile, clock_mhz: f64) -> Self {
        let scale = of_cycles(1) as f64 * clock_mhz / profile.clock_mhz.unwrap_or(clock_mhz);
        let parts = |network_cycles: f64| (network_cycles * scale).round() as Parts;
        let NetworkProfile { interface, hop, byte, smallest, .. } = *profile;
        Times { interface: parts(interface), hop: parts(hop), byte: parts(byte), smallest }
    }

    /// Returns how long a message occupies a link.
    #[inline(always)]
    fn body(&self, bytes: u64) -> Parts {
        self.byte * Parts::from(self.smallest.wrapping_add(bytes))
    }
}

/// Builds the network of a profile for `nodes` nodes with processors of `clock_mhz`.
pub(super) fn network(profile: &NetworkProfile, clock_mhz: f64, nodes: usize) -> Box<dyn Network> {
    let times = Times::new(profile, clock_mhz);
    match profile.kind {
        NetworkKind::Ideal => Box::new(Ideal { times }),
        NetworkKind::Crossbar => Box::new(Crossbars::new(times, profile.ports, nodes)),
        NetworkKind::Torus => Box::new(Tori::new(profile, clock_mhz, times, nodes)),
    }
}

/// Network without contention. Each message takes the interface, one hop and its bytes, so a short message
/// overtakes a long one.
struct Ideal {
    times: Times,
}

impl Network for Ideal {
    fn send(&mut self, Departure { bytes, at, .. }: Departure) -> Option<u64> {
        let Times { interface, hop, .. } = self.times;
        Some(at.wrapping_add(cycles(interface + hop + self.times.body(bytes))))
    }
}

/// Hierarchy of crossbars, as in MANNA.
///
/// Up to `ports` nodes share one crossbar. With more nodes, half of each crossbar's ports lead down, to nodes
/// or crossbars, and the other half lead up. A message goes up only as far as necessary. Its destination's
/// number chooses the link up. (Only the hierarchy of the real machine's cabling beyond one crossbar is
/// known.)
///
/// A link carries one message at a time. The head of a message passes a crossbar in one hop and then waits
/// for its next link, and its bytes follow without a gap (cut-through). All messages from one node to another
/// take the same path, so they arrive in the order of their departures.
struct Crossbars {
    times: Times,
    levels: usize,
    /// Crossbar of each level above each node, node by node, given by the number of its first link up.
    above: Vec<u32>,
    /// Which of a crossbar's links up leads to each node.
    transport_as: Vec<u32>,
    /// Times at which each link becomes free, upward and downward. The links of the nodes come first, then
    /// the links of the crossbars, level by level from below.
    links: Vec<[Parts; 2]>,
}

/// Directions through a link.
const UP: usize = 0;
const DOWN: usize = 1;

impl Crossbars {
    fn new(times: Times, ports: usize, nodes: usize) -> Self {
        let half = ports / 2;
        let mut below = vec![if nodes <= ports { ports } else { half }];
        while let Some(&most) = below.last()
            && most < nodes
        {
            below.push(most * half);
        }
        // First link up of each level. The links of the highest level lead to no crossbar.
        let mut firsts = vec![nodes];
        for (level, below) in below.iter().enumerate() {
            firsts.push(firsts[level] + nodes.div_ceil(*below) * half);
        }
        let levels = below.len();
        let crossbar = |node: usize, level: usize| firsts[level] + node / below[level] * half;
        Crossbars {
            times,
            levels,
            above: (0..nodes * levels).map(|at| crossbar(at / levels, at % levels) as u32).collect(),
            transport_as: (0..nodes).map(|node| (node % half) as u32).collect(),
            links: vec![[0; 2]; firsts[levels - 1]],
        }
    }

    /// Returns the arrival time of a message that leaves at `at`.
    fn arrival(&mut self, from: usize, to: usize, bytes: u64, at: u64) -> u64 {
        let body = self.times.body(bytes);
        let hop = self.times.hop;
        let mut head = of_cycles(at) + self.times.interface;
        // Passes the head of the message through a link once the link is free.
        let mut pass = |link: usize, transport_as: usize| {
            let free = &mut self.links[link][transport_as];
            let begins = head.max(*free);
            *free = begins + body;
            head = begins + hop;
        };
        let [above_from, above_to] = [from, to].map(|node| &self.above[node * self.levels..][..self.levels]);
        let transport_as = self.transport_as[to] as usize;
        pass(from, UP);
        // Goes up to the first crossbar above both nodes. The highest crossbar is above all nodes.
        let mut top = 0;
        while above_from[top] != above_to[top] {
            pass(above_from[top] as usize + transport_as, UP);
            top += 1;
        }
        for crossbar in above_to[..top].iter().rev() {
            pass(*crossbar as usize + transport_as, DOWN);
        }
        pass(to, DOWN);
        // The last link leads to no crossbar.
        cycles(head - hop + body)
    }
}

impl Network for Crossbars {
    fn send(&mut self, Departure { from, to, bytes, at, .. }: Departure) -> Option<u64> {
        Some(self.arrival(from, to, bytes, at))
    }
}

/// [Torus](super::torus) as a network.
struct Tori {
    times: Times,
    torus: Torus,
    delivered: Vec<Delivery>,
}

impl Tori {
    fn new(profile: &NetworkProfile, clock_mhz: f64, times: Times, nodes: usize) -> Self {
        let torus = Torus::new(profile, clock_mhz, nodes)
            .unwrap_or_else(|why| unreachable!("a machine was checked before it is built: {why}"));
        Tori { times, torus, delivered: Vec::new() }
    }
}

impl Network for Tori {
    fn send(&mut self, Departure { number, from, to, bytes, at }: Departure) -> Option<u64> {
        let bytes = bytes.saturating_add(self.times.smallest);
        // In a replayed schedule a message may leave after later events have happened.
        let at = at.max(self.torus.now());
        self.torus.send(at, from, to, bytes, number as u64);
        None
    }

    fn next(&self) -> u64 {
        self.torus.next()
    }

    fn step(&mut self, arrived: &mut Vec<Arrival>) {
        self.delivered.clear();
        self.torus.step(&mut self.delivered);
        let interface = cycles(self.times.interface);
        let arrivals = self.delivered.iter().map(|&Delivery { at, tag, .. }| Arrival {
            number: tag as usize,
            at: at.wrapping_add(interface),
        });
        arrived.extend(arrivals);
    }
}

#[cfg(test)]
mod tests {
    use super::super::clock::NEVER;
    use super::*;

    fn times() -> Times {
        let [interface, hop, byte] = [20, 10, 1].map(of_cycles);
        Times { interface, hop, byte, smallest: 32 }
    }

    fn crossbars(nodes: usize) -> Crossbars {
        Crossbars::new(times(), 16, nodes)
    }

    #[test]
    fn a_message_alone_takes_its_crossbars_and_bytes() {
        assert_eq!(crossbars(16).arrival(0, 15, 0, 100), 162);
        assert_eq!(crossbars(16).arrival(0, 15, 1000, 100), 1162);
        // From 17 nodes on, 8 nodes share a crossbar, and a message to another one passes three. From 65
        // nodes on it passes five.
        assert_eq!(crossbars(64).arrival(0, 7, 0, 100), 162);
        assert_eq!(crossbars(64).arrival(0, 8, 0, 100), 182);
        assert_eq!(crossbars(120).arrival(0, 63, 0, 100), 182);
        assert_eq!(crossbars(120).arrival(0, 64, 0, 100), 202);
    }

    /// A block of 2^48 bytes, and a message that is sent after a year of cycles.
    #[test]
    fn long_messages_and_late_ones_are_counted_in_full() {
        let (long, year) = (1 << 48, 365 * 24 * 3600 * 140_000_000);
        for mut net in [Box::new(Ideal { times: times() }) as Box<dyn Network>, Box::new(crossbars(16))] {
            let send = |to, bytes, at| Departure { number: 0, from: 15 - to, to, bytes, at };
            assert_eq!(net.send(send(15, long, 0)), Some(long + 62));
            assert_eq!(net.send(send(14, 0, year)), Some(year + 62));
            assert_eq!(net.next(), NEVER);
        }
    }

    #[test]
    fn messages_wait_for_the_links_they_share_and_for_no_other() {
        let mut net = crossbars(64);
        assert_eq!(net.arrival(0, 1, 968, 0), 1030);
        // The link into node 1 is busy from 30 to 1030, and the link out of node 0 until 1020.
        assert_eq!(net.arrival(2, 1, 0, 10), 1062);
        assert_eq!(net.arrival(0, 3, 0, 10), 1062);
        assert_eq!(net.arrival(4, 5, 0, 10), 72);
        // Nodes 8 and 16 share a link up, and node 9 uses another.
        let mut net = crossbars(64);
        assert_eq!(net.arrival(0, 8, 968, 0), 1050);
        assert_eq!(net.arrival(1, 16, 0, 0), 1030 + 10 + 10 + 32);
        assert_eq!(net.arrival(2, 9, 0, 0), 82);
    }

    #[test]
    fn crossbars_keep_the_order_of_long_and_short_messages_between_two_nodes() {
        let (mut net, mut draw) = (crossbars(64), crate::machine::draw::Draw::new(7));
        let (mut latest, mut at) = (vec![[0; 64]; 64], 0);
        for _ in 0..20_000 {
            let (from, to) = (draw.below(64), draw.below(64));
            if from != to {
                at += draw.below(3) as u64;
                let arrival = net.arrival(from, to, draw.below(3) as u64 * 700, at);
                assert!(arrival > latest[from][to], "{from} to {to}: {arrival} after {}", latest[from][to]);
                latest[from][to] = arrival;
            }
        }
    }
}
