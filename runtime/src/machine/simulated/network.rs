//! What is between the nodes of a simulated machine.
//!
//! A network is asked, message by message in order of their departures, when each arrives.

use super::profile::{NetworkKind, NetworkProfile};

/// A network: when a message arrives.
pub(super) trait Network: Send {
    /// A message of `bytes` bytes that leaves node `from` at `at` for another node `to`. Departures come in
    /// order of time. Gives the time of its arrival.
    fn arrival(&mut self, from: usize, to: usize, bytes: u64, at: u64) -> u64;

    /// Forgets all messages: a new run begins.
    fn reset(&mut self);
}

/// Times of a network in cycles of the processor.
#[derive(Clone, Copy, Debug)]
struct Times {
    interface: f64,
    hop: f64,
    byte: f64,
    smallest: u64,
}

impl Times {
    fn new(profile: &NetworkProfile, clock_mhz: f64) -> Self {
        let scale = clock_mhz / profile.clock_mhz.unwrap_or(clock_mhz);
        let NetworkProfile { interface, hop, byte, smallest, .. } = *profile;
        Times { interface: interface * scale, hop: hop * scale, byte: byte * scale, smallest }
    }

    /// How long a message occupies a link.
    fn body(&self, bytes: u64) -> f64 {
        (self.smallest + bytes) as f64 * self.byte
    }
}

/// The network of a profile for `nodes` nodes with processors of `clock_mhz`.
pub(super) fn network(profile: &NetworkProfile, clock_mhz: f64, nodes: usize) -> Box<dyn Network> {
    let times = Times::new(profile, clock_mhz);
    match profile.kind {
        NetworkKind::Ideal => Box::new(Ideal { times }),
        NetworkKind::Crossbar => Box::new(Crossbars::new(times, profile.ports, nodes)),
    }
}

/// Every message takes interface, one hop and its bytes, whatever else is under way.
struct Ideal {
    times: Times,
}

impl Network for Ideal {
    fn arrival(&mut self, _from: usize, _to: usize, bytes: u64, at: u64) -> u64 {
        at + (self.times.interface + self.times.hop + self.times.body(bytes)).round() as u64
    }

    fn reset(&mut self) {}
}

/// A hierarchy of crossbars, as in MANNA.
///
/// Up to `ports` nodes share one. Of more, each half of the ports of a crossbar's leads down, to nodes or
/// crossbars, and the other half leads up; a message goes up just as far as it must, by the way up that its
/// destination's number chooses (of the machine's real cabling beyond one crossbar only the hierarchy is
/// known). A link carries one message at a time: the head of a message passes a crossbar in one hop, then
/// waits for its next link, and its bytes follow without a gap (cut-through).
struct Crossbars {
    times: Times,
    /// How many nodes one crossbar of each level has below it.
    below: Vec<usize>,
    /// Ways up of a crossbar.
    up: usize,
    /// When each link is free again: by level, up then down, by place below that level.
    links: Vec<[Vec<f64>; 2]>,
}

impl Crossbars {
    fn new(times: Times, ports: usize, nodes: usize) -> Self {
        let half = ports / 2;
        let mut below = vec![if nodes <= ports { ports } else { half }];
        while let Some(&most) = below.last()
            && most < nodes
        {
            below.push(most * half);
        }
        // Level 0 are the links of the nodes; level l those between crossbars of level l - 1 and l, of which
        // each crossbar below has `half`.
        let count = |level: usize| match level {
            0 => nodes,
            _ => nodes.div_ceil(below[level - 1]) * half,
        };
        let links =
            (0..below.len()).map(|level| [vec![0.0; count(level)], vec![0.0; count(level)]]).collect();
        Crossbars { times, below, up: half, links }
    }

    /// The link of a level on the way up from, or down to, `node`.
    fn link(&self, level: usize, node: usize, to: usize) -> usize {
        match level {
            0 => node,
            _ => node / self.below[level - 1] * self.up + to % self.up,
        }
    }
}

impl Network for Crossbars {
    fn arrival(&mut self, from: usize, to: usize, bytes: u64, at: u64) -> u64 {
        let body = self.times.body(bytes);
        let top =
            self.below.iter().position(|&below| from / below == to / below).unwrap_or(self.below.len() - 1);
        let mut head = at as f64 + self.times.interface;
        let up = (0..=top).map(|level| (level, 0, from));
        let down = (0..=top).rev().map(|level| (level, 1, to));
        for (i, (level, way, node)) in up.chain(down).enumerate() {
            let link = self.link(level, node, to);
            let free = &mut self.links[level][way][link];
            // Between two links lies a crossbar.
            head = free.max(head + if i > 0 { self.times.hop } else { 0.0 });
            *free = head + body;
        }
        (head + body).round() as u64
    }

    fn reset(&mut self) {
        self.links.iter_mut().flatten().for_each(|links| links.fill(0.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crossbars(nodes: usize) -> Crossbars {
        Crossbars::new(Times { interface: 20.0, hop: 10.0, byte: 1.0, smallest: 32 }, 16, nodes)
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
        net.reset();
        assert_eq!(net.arrival(1, 16, 0, 0), 82);
    }
}
