//! All-to-alls at packet level: the messages of all nodes on a simulated torus, without programs that send
//! them.
//!
//! An order in which all nodes behave identically runs on one router, which stands for all
//! ([`Torus::symmetric`]). An order that each node draws for itself needs the whole torus.

use earth::CancelToken;
use earth::simulated::{NetworkProfile, Profile, Routing, Torus};
use rand::SeedableRng as _;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom as _;
use serde::{Deserialize, Serialize};

use super::phases::{moved, phases};

/// Order in which a node sends to the others, and its synchronization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) enum Order {
    /// Each node in its own random order, all at once: the base.
    Random,
    /// All nodes in the same random order.
    SharedRandom,
    /// The next node first, then the one after it, and so on.
    Rotated,
    /// The paper's phases, with a barrier after each group of this number of phases.
    Barriers(usize),
    /// The paper's phases. A node begins a phase when it has received all messages of the phase this number
    /// of phases before.
    Dataflow(usize),
}

impl Order {
    /// Returns whether all nodes behave identically.
    fn is_symmetric(self) -> bool {
        self != Self::Random
    }
}

/// Bandwidth of a link of Fugaku, in bytes per second and direction (Ajima and others, *The Tofu Interconnect
/// D*, 2018).
pub(crate) const TODAY: f64 = 6.8e9;

/// Change of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) enum Change {
    Nothing,
    /// Number of packets in the buffer of a channel.
    Buffers(u32),
    /// Packets take one dimension after another.
    DimensionOrdered,
    /// Packets that enter the network take turns with packets in transit.
    EqualTurns,
    /// A barrier takes no time.
    FreeBarrier,
    /// All packets have the largest size, whatever they contain.
    OneSize,
    /// Links of [`TODAY`] and unchanged routers.
    Today,
}

/// Practically unlimited buffers.
pub(crate) const ENDLESS: Change = Change::Buffers(1 << 30);

/// All-to-all exchange.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Exchange {
    pub(crate) sides: Vec<usize>,
    /// Bytes that each node sends to each other node.
    pub(crate) bytes: u64,
    pub(crate) order: Order,
    pub(crate) change: Change,
}

impl Exchange {
    pub(crate) fn new(sides: &[usize], bytes: u64, order: Order) -> Self {
        Self { sides: sides.to_vec(), bytes, order, change: Change::Nothing }
    }

    pub(crate) fn with(self, change: Change) -> Self {
        Self { change, ..self }
    }

    /// Returns the network of this exchange.
    fn network(&self, profile: &Profile) -> NetworkProfile {
        let mut network = profile.network.clone();
        let torus = &mut network.torus;
        torus.sides.clone_from(&self.sides);
        match self.change {
            Change::Nothing => {}
            Change::Buffers(packets) => torus.buffers = packets,
            Change::DimensionOrdered => torus.routing = Routing::DimensionOrdered,
            Change::EqualTurns => torus.transit_first = false,
            Change::FreeBarrier => torus.barrier = 0,
            Change::OneSize => torus.chunk = torus.packet,
            Change::Today => network.byte = profile.clock_mhz * 1e6 / TODAY,
        }
        network
    }

    /// Returns the cycles that the links of the longest dimension need to carry the exchange without waiting:
    /// a lower bound for all orders.
    pub(crate) fn peak(&self, profile: &Profile) -> f64 {
        let nodes: usize = self.sides.iter().product();
        let hops = |side: usize| (0..side).map(|at| at.min(side - at)).sum::<usize>() * nodes / side;
        let most = self.sides.iter().map(|side| hops(*side)).max().unwrap_or(0);
        // Half of the hops go up, and half go down.
        let network = self.network(profile);
        most as f64 / 2.0 * network.torus.link_bytes(self.bytes) as f64 * network.byte
    }

    /// Returns an estimate of the packet hops to simulate, which determine the cost.
    pub(crate) fn packet_hops(&self, profile: &Profile) -> u64 {
        let nodes: u64 = self.sides.iter().product::<usize>() as u64;
        let hops: u64 = self.sides.iter().sum::<usize>() as u64 / 4;
        let senders = if self.order.is_symmetric() { 1 } else { nodes };
        senders * nodes * hops * profile.network.torus.packets(self.bytes)
    }

    /// Runs the exchange. Returns `None` if it was cancelled.
    pub(crate) fn run(&self, profile: &Profile, cancel: &CancelToken) -> Option<Measured> {
        let (network, nodes) = (self.network(profile), self.sides.iter().product());
        let make = if self.order.is_symmetric() { Torus::symmetric } else { Torus::new };
        let torus = make(&network, profile.clock_mhz, nodes);
        let mut torus = torus.unwrap_or_else(|why| unreachable!("the laboratory's own torus: {why}"));
        let Rounds { messages, ahead, pause } = Rounds::of(self, network.torus.barrier);
        let mut missing: Vec<_> = messages.iter().map(Vec::len).collect();
        let (mut begun, mut whole, mut begins, mut delivered) = (0, 0, 0, Vec::new());
        for step in 1_u64.. {
            while begun < messages.len() && begun < whole + ahead {
                for &[from, by] in &messages[begun] {
                    torus.send(begins, from, moved(from, by, &self.sides), self.bytes, begun as u64);
                }
                begun += 1;
            }
            if step.is_multiple_of(1 << 12) && cancel.is_cancelled() {
                return None;
            }
            delivered.clear();
            if !torus.step(&mut delivered) {
                break;
            }
            for message in &delivered {
                missing[message.tag as usize] -= 1;
            }
            while missing.get(whole) == Some(&0) {
                whole += 1;
                begins = torus.now() + pause;
            }
        }
        Some(Measured { cycles: begins, share: self.peak(profile) / begins as f64 })
    }
}

/// Order as rounds of messages. A round begins `pause` cycles after all messages of the round `ahead` before
/// it have arrived.
struct Rounds {
    /// Sender of each message, and the displacement of its receiver. In identical orders node 0 sends for all
    /// nodes.
    messages: Vec<Vec<[usize; 2]>>,
    ahead: usize,
    pause: u64,
}

impl Rounds {
    /// Makes the rounds of an exchange. A barrier takes `barrier` cycles.
    fn of(exchange: &Exchange, barrier: u64) -> Self {
        let (nodes, phases) = (exchange.sides.iter().product(), phases(&exchange.sides));
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut shuffled = || {
            let mut order: Vec<_> = (1..nodes).collect();
            order.shuffle(&mut random);
            order
        };
        let from = |node: usize, order: Vec<usize>| order.into_iter().map(move |by| [node, by]);
        let from_each = |order| from(0, order).collect();
        let (messages, ahead, pause) = match exchange.order {
            Order::Random => (vec![(0..nodes).flat_map(|node| from(node, shuffled())).collect()], 1, 0),
            Order::SharedRandom => (vec![from_each(shuffled())], 1, 0),
            Order::Rotated => (vec![from_each((1..nodes).collect())], 1, 0),
            Order::Barriers(group) => {
                (phases.chunks(group).map(|group| from_each(group.concat())).collect(), 1, barrier)
            }
            Order::Dataflow(ahead) => (phases.into_iter().map(from_each).collect(), ahead, 0),
        };
        Self { messages, ahead, pause }
    }
}

/// Result of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) cycles: u64,
    /// Share of the peak bandwidth that was reached.
    pub(crate) share: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_order_is_faster_than_the_peak_and_phases_come_near_to_it() {
        let profile = Profile::named("bluegene-l").unwrap();
        let cancel = CancelToken::new();
        let share = |order, change| {
            let exchange = Exchange::new(&[8, 4, 4], 1024, order).with(change);
            exchange.run(&profile, &cancel).unwrap().share
        };
        let orders =
            [Order::Rotated, Order::SharedRandom, Order::Barriers(1), Order::Barriers(4), Order::Dataflow(1)];
        let shares = orders.map(|order| share(order, Change::Nothing));
        assert!(shares.iter().all(|share| (0.4..=1.0).contains(share)), "{shares:?}");
        assert!(shares[2..].iter().all(|share| *share > 0.85), "{shares:?}");
        let free = share(Order::Barriers(1), Change::FreeBarrier);
        assert!(free > shares[2] && free < 1.0, "{free}");
    }
}
