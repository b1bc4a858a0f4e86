//! All-to-alls at packet level: the messages of all nodes on a simulated torus, without programs that send
//! them.
//!
//! An order in which all nodes behave identically runs on one router, which stands for all
//! ([`Torus::symmetric`]). An order that each node draws for itself needs the whole torus.
//!
//! [`Exchange`] describes an all-to-all and its machine, and [`Drive`] runs it.

use earth::simulated::{NetworkProfile, Profile, Routing, Torus};
use earth::{CancelToken, Config};
use rand::SeedableRng as _;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom as _;
use serde::{Deserialize, Serialize};

use super::drive::{Drive, Rounds};
use super::phases::phases;

/// Order in which a node sends to the others, and its synchronization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) enum Order {
    /// Each node in its own random order, all at once.
    Random,
    /// Each node in its own random order, one packet to each node, then the next packet to each.
    RandomPackets,
    /// All nodes in the same random order.
    SharedRandom,
    /// The next node first, then the one after it, and so on.
    Rotated,
    /// The paper's phases, with a barrier after each group of this number of phases.
    Barriers(usize),
    /// The phases with fewer than four partners alone, with a barrier after each.
    Special,
    /// The paper's phases. A node begins a phase when it has received all messages of the phase this number
    /// of phases before.
    Dataflow(usize),
}

/// Group of phases without a barrier: all phases.
pub(crate) const NO_BARRIER: usize = usize::MAX;

impl Order {
    /// Returns whether all nodes behave identically.
    fn is_symmetric(self) -> bool {
        !matches!(self, Self::Random | Self::RandomPackets)
    }

    /// Returns whether nodes wait for each other between phases.
    fn has_barriers(self) -> bool {
        matches!(self, Self::Barriers(1..NO_BARRIER) | Self::Special)
    }
}

/// Bandwidth of a link of Fugaku, in bytes per second and direction (Ajima and others, *The Tofu Interconnect
/// D*, 2018).
pub(crate) const TODAY: f64 = 6.8e9;

/// Variation of the machine in an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) enum Variation {
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
pub(crate) const ENDLESS: Variation = Variation::Buffers(1 << 30);

/// Cost of sending and receiving: a profile's cost of a block, for one or two processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) enum Handling {
    /// Sending and receiving take no time.
    Free,
    /// Each message costs a block.
    Messages(Config),
    /// Each packet costs a block.
    Packets(Config),
}

/// Handling of the statements: the second processor of a node puts each packet into the network, and takes
/// each from it.
pub(crate) const USUAL: Handling = Handling::Packets(Config::Dual);

/// All-to-all exchange.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Exchange {
    pub(crate) sides: Vec<usize>,
    /// Bytes that each node sends to each other node.
    pub(crate) bytes: u64,
    pub(crate) order: Order,
    pub(crate) variation: Variation,
    pub(crate) handling: Handling,
}

impl Exchange {
    pub(crate) fn new(sides: &[usize], bytes: u64, order: Order) -> Self {
        let (sides, variation) = (sides.to_vec(), Variation::Nothing);
        Self { sides, bytes, order, variation, handling: USUAL }
    }

    pub(crate) fn with(self, variation: Variation) -> Self {
        Self { variation, ..self }
    }

    pub(crate) fn handled(self, handling: Handling) -> Self {
        Self { handling, ..self }
    }

    /// Returns the network of this exchange.
    fn network(&self, profile: &Profile) -> NetworkProfile {
        let mut network = profile.network.clone();
        let torus = &mut network.torus;
        torus.sides.clone_from(&self.sides);
        match self.variation {
            Variation::Nothing => {}
            Variation::Buffers(packets) => torus.buffers = packets,
            Variation::DimensionOrdered => torus.routing = Routing::DimensionOrdered,
            Variation::EqualTurns => torus.transit_first = false,
            Variation::FreeBarrier => torus.barrier = 0,
            Variation::OneSize => torus.chunk = torus.packet,
            Variation::Today => network.byte = profile.clock_mhz * 1e6 / TODAY,
        }
        network
    }

    /// Returns the cycles that a node spends to send and to receive a piece of a message.
    fn costs(&self, profile: &Profile) -> [u64; 2] {
        let (Handling::Messages(config) | Handling::Packets(config)) = self.handling else { return [0; 2] };
        let of = if config == Config::Dual { &profile.dual } else { &profile.spn };
        [of.send_block, of.receive_block]
    }

    /// Returns whether the result can depend on an estimate or a fitted figure of the profile. Without this,
    /// the same run would be repeated for figures that it does not use.
    pub(crate) fn depends_on(&self, parameter: &str) -> bool {
        match parameter {
            "network.hop"
            | "network.torus.trailer"
            | "network.torus.channels"
            | "network.torus.entries"
            | "network.torus.entry_packets" => true,
            "network.torus.buffers" => !matches!(self.variation, Variation::Buffers(_)),
            "network.torus.barrier" => self.order.has_barriers() && self.variation != Variation::FreeBarrier,
            _ => match self.handling {
                Handling::Free => false,
                Handling::Messages(config) | Handling::Packets(config) => {
                    let of = if config == Config::Dual { "dual." } else { "spn." };
                    let cost = parameter.strip_prefix(of);
                    cost.is_some_and(|cost| ["send_block", "receive_block"].contains(&cost))
                }
            },
        }
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
        let torus = torus.unwrap_or_else(|why| unreachable!("the laboratory's own torus: {why}"));
        let rounds = Rounds::of(self, network.torus.barrier);
        let is_by_packets =
            matches!(self.handling, Handling::Packets(_)) || self.order == Order::RandomPackets;
        let most = if is_by_packets { network.torus.payload() } else { u64::MAX };
        let pieces = pieces(self.bytes, most);
        let interleaved = self.order == Order::RandomPackets;
        let cycles = Drive::new(torus, rounds, pieces, interleaved, self.costs(profile)).run(cancel)?;
        Some(Measured { cycles, share: self.peak(profile) / cycles as f64 })
    }
}

/// Divides a message into pieces of at most `most` bytes.
fn pieces(bytes: u64, most: u64) -> Vec<u64> {
    let full = bytes.saturating_sub(1) / most;
    let rest = bytes - full * most;
    std::iter::repeat_n(most, full as usize).chain([rest]).collect()
}

impl Rounds {
    /// Makes the rounds of an exchange. A barrier takes `barrier` cycles.
    fn of(exchange: &Exchange, barrier: u64) -> Self {
        let nodes: usize = exchange.sides.iter().product();
        let all = || (1..nodes as u32).collect::<Vec<_>>();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut shuffled = || {
            let mut order = all();
            order.shuffle(&mut random);
            order
        };
        let at_once = |receivers| Self { receivers, ends: vec![nodes - 1], ahead: 1, pause: 0 };
        let phases = || phases(&exchange.sides);
        let special = || phases().into_iter().filter(|phase| phase.len() < 4).collect::<Vec<_>>();
        match exchange.order {
            Order::Random | Order::RandomPackets => at_once((0..nodes).map(|_| shuffled()).collect()),
            Order::SharedRandom => at_once(vec![shuffled()]),
            Order::Rotated => at_once(vec![all()]),
            Order::Barriers(group) => {
                let pause = if exchange.order.has_barriers() { barrier } else { 0 };
                Self::of_phases(&phases(), group, 1, pause)
            }
            Order::Special => Self::of_phases(&special(), 1, 1, barrier),
            Order::Dataflow(ahead) => Self::of_phases(&phases(), 1, ahead, 0),
        }
    }

    fn of_phases(phases: &[Vec<usize>], group: usize, ahead: usize, pause: u64) -> Self {
        let receivers = phases.iter().flatten().map(|&node| node as u32).collect();
        let mut sum = 0;
        let end = |group: &[Vec<usize>]| {
            sum += group.iter().map(Vec::len).sum::<usize>();
            sum
        };
        Self { receivers: vec![receivers], ends: phases.chunks(group).map(end).collect(), ahead, pause }
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
#[path = "exchange_tests.rs"]
mod tests;
