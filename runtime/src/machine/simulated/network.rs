//! The network between the nodes of a simulated machine.
//!
//! A network is given message after message in the order of their departures. On some networks it is settled then when each
//! arrives; on others that depends on what leaves later, and the network says so when it has happened.

use slab::Slab;

use super::clock::NEVER;
use super::message::Message;
use super::profile::{NetworkKind, NetworkProfile};
use super::torus::{Delivery, Torus};

/// A network: when a message arrives.
pub(super) trait Network: Send {
    /// Takes a message of `bytes` bytes that leaves node `from` at `at` for another node, where it goes to. Departures come in
    /// order of time. Returns the time at which it arrives, if that is settled.
    fn send(&mut self, from: usize, bytes: u64, at: u64, message: Message) -> Option<u64>;

    /// When anything happens on the network next; departures at that time come later.
    fn next(&self) -> u64 {
        NEVER
    }

    /// Lets that happen, and gives what arrives by it to `arrived`, with its sender and time.
    fn step(&mut self, _arrived: &mut Vec<(usize, u64, Message)>) {}
}

/// A time in parts of a cycle of the processor, `1 << FINE` a cycle. 128 bits count more of them than any run has.
type Parts = u128;

const FINE: u32 = 16;

fn of_cycles(cycles: u64) -> Parts {
    Parts::from(cycles) << FINE
}

/// Whole cycles, rounded. A time of more cycles than 64 bits count is taken modulo that.
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

    /// How long a message occupies a link.
    #[inline(always)]
    fn body(&self, bytes: u64) -> Parts {
        self.byte * Parts::from(self.smallest.wrapping_add(bytes))
    }
}

/// The network of a profile for `nodes` nodes with processors of `clock_mhz`.
pub(super) fn network(profile: &NetworkProfile, clock_mhz: f64, nodes: usize) -> Box<dyn Network> {
    let times = Times::new(profile, clock_mhz);
    match profile.kind {
        NetworkKind::Ideal => Box::new(Ideal { times }),
        NetworkKind::Crossbar => Box::new(Crossbars::new(times, profile.ports, nodes)),
        NetworkKind::Torus => Box::new(Tori::new(profile, clock_mhz, times, nodes)),
    }
}

/// Every message takes interface, one hop and its bytes, whatever else is under way: a short one overtakes a long
/// one.
struct Ideal {
    times: Times,
}

impl Network for Ideal {
    fn send(&mut self, _from: usize, bytes: u64, at: u64, _message: Message) -> Option<u64> {
        let Times { interface, hop, .. } = self.times;
        Some(at.wrapping_add(cycles(interface + hop + self.times.body(bytes))))
    }
}

/// A hierarchy of crossbars, as in MANNA.
///
/// Up to `ports` nodes share one. Of more, each half of the ports of a crossbar's leads down, to nodes or
/// crossbars, and the other half leads up; a message goes up just as far as it must, by the way up that its
/// destination's number chooses (of the machine's real cabling beyond one crossbar only the hierarchy is
/// known). A link carries one message at a time: the head of a message passes a crossbar in one hop, then
/// waits for its next link, and its bytes follow without a gap (cut-through). Messages from one node to another take one
/// way, so they arrive in the order in which they left.
struct Crossbars {
    times: Times,
    levels: usize,
    /// The crossbar of each level that has a node below it, the nodes one after the other: by the number of its first
    /// link up.
    above: Vec<u32>,
    /// Which of the links up of a crossbar leads to a node.
    way: Vec<u32>,
    /// When each link is free again, on the way up and on the way down: the links of the nodes, then the links of the
    /// crossbars, each level after the one below.
    links: Vec<[Parts; 2]>,
}

/// The ways through a link.
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
        // The first link up of each level; those of the highest lead nowhere.
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
            way: (0..nodes).map(|node| (node % half) as u32).collect(),
            links: vec![[0; 2]; firsts[levels - 1]],
        }
    }

    /// When a message arrives that leaves at `at`.
    fn arrival(&mut self, from: usize, to: usize, bytes: u64, at: u64) -> u64 {
        let body = self.times.body(bytes);
        let hop = self.times.hop;
        let mut head = of_cycles(at) + self.times.interface;
        // Passes the head of the message, which is ready for a link, through the link once it is free.
        let mut pass = |link: usize, way: usize| {
            let free = &mut self.links[link][way];
            let begins = head.max(*free);
            *free = begins + body;
            head = begins + hop;
        };
        let [above_from, above_to] = [from, to].map(|node| &self.above[node * self.levels..][..self.levels]);
        let way = self.way[to] as usize;
        pass(from, UP);
        // Up to the first crossbar that both are below; the highest one has all nodes below it.
        let mut top = 0;
        while above_from[top] != above_to[top] {
            pass(above_from[top] as usize + way, UP);
            top += 1;
        }
        for crossbar in above_to[..top].iter().rev() {
            pass(*crossbar as usize + way, DOWN);
        }
        pass(to, DOWN);
        // The last link leads to no crossbar.
        cycles(head - hop + body)
    }
}

impl Network for Crossbars {
    fn send(&mut self, from: usize, bytes: u64, at: u64, message: Message) -> Option<u64> {
        Some(self.arrival(from, message.to as usize, bytes, at))
    }
}

/// A [torus](super::torus), with the messages under way.
struct Tori {
    times: Times,
    torus: Torus,
    under_way: Slab<Message>,
    delivered: Vec<Delivery>,
}

impl Tori {
    fn new(profile: &NetworkProfile, clock_mhz: f64, times: Times, nodes: usize) -> Self {
        let torus = Torus::new(profile, clock_mhz, nodes)
            .unwrap_or_else(|why| unreachable!("a machine was checked before it is built: {why}"));
        Tori { times, torus, under_way: Slab::new(), delivered: Vec::new() }
    }
}

impl Network for Tori {
    fn send(&mut self, from: usize, bytes: u64, at: u64, message: Message) -> Option<u64> {
        let number = self.under_way.insert(message);
        let bytes = bytes.saturating_add(self.times.smallest);
        // A schedule that is replayed may let a message leave when later things have happened.
        let at = at.max(self.torus.now());
        self.torus.send(at, from, message.to as usize, bytes, number as u64);
        None
    }

    fn next(&self) -> u64 {
        self.torus.next()
    }

    fn step(&mut self, arrived: &mut Vec<(usize, u64, Message)>) {
        self.delivered.clear();
        self.torus.step(&mut self.delivered);
        for &Delivery { at, from, tag, .. } in &self.delivered {
            let interface = cycles(self.times.interface);
            let message = self.under_way.remove(tag as usize);
            arrived.push((from as usize, at.wrapping_add(interface), message));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::events::EventKey;
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
        // 17 nodes and more: 8 on a crossbar, three to pass for those elsewhere; from 65 on, five.
        assert_eq!(crossbars(64).arrival(0, 7, 0, 100), 162);
        assert_eq!(crossbars(64).arrival(0, 8, 0, 100), 182);
        assert_eq!(crossbars(120).arrival(0, 63, 0, 100), 182);
        assert_eq!(crossbars(120).arrival(0, 64, 0, 100), 202);
    }

    /// A block of 2^48 bytes, and one sent when a year of cycles has gone by.
    #[test]
    fn long_messages_and_late_ones_are_counted_in_full() {
        let (long, year) = (1 << 48, 365 * 24 * 3600 * 140_000_000);
        for mut net in [Box::new(Ideal { times: times() }) as Box<dyn Network>, Box::new(crossbars(16))] {
            let to = |node| Message::event(node, EventKey(0), 0);
            assert_eq!(net.send(0, long, 0, to(15)), Some(long + 62));
            assert_eq!(net.send(1, 0, year, to(14)), Some(year + 62));
            assert_eq!(net.next(), NEVER);
        }
    }

    #[test]
    fn messages_wait_for_the_links_they_share_and_for_no_other() {
        let mut net = crossbars(64);
        assert_eq!(net.arrival(0, 1, 968, 0), 1030);
        // The link into node 1 is busy from 30 to 1030, and the one out of node 0 until 1020.
        assert_eq!(net.arrival(2, 1, 0, 10), 1062);
        assert_eq!(net.arrival(0, 3, 0, 10), 1062);
        assert_eq!(net.arrival(4, 5, 0, 10), 72);
        // Nodes 8 and 16 are reached by one way up, node 9 by another.
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
