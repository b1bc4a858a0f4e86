//! Model of few parameters: the time of a step from the costs of a profile.
//!
//! A fiber works for its grain `g`, and sends `m` messages, `k` of them to other nodes. A node has `p`
//! chains.
//!
//! *SPN.* The processor takes `dispatch + g + (m - k) local + k (send + receive)` for a fiber, and `p` times
//! this time for a step. A step is not shorter than the way of a message to the next fiber:
//! `dispatch + g + k send + latency + receive`.
//!
//! *DUAL.* The execution unit takes `dispatch + g + m issue` for a fiber, and the synchronization unit
//! `(m - k) local + k (send + receive)`. The slower unit decides a step, `p` times its time. A step is not
//! shorter than the way to the next fiber, which has two hand-overs: to the synchronization unit and back.
//!
//! *Network.* A link carries the messages of a step one after another. A crossbar has half of its ports for
//! links up, whatever the number of nodes below it, so distant messages of many nodes share a link.
//!
//! All costs are those that `earth-lab calibrate` measures.

use earth::Config;
use earth::simulated::{NetworkKind, NetworkProfile, Profile};

use super::grid::{Case, Shape};
use crate::compare::Equal;
use crate::model::distributed::hops;

/// Load of a node in a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    /// Messages of a fiber.
    pub(crate) messages: f64,
    /// Number of these messages that go to other nodes.
    pub(crate) remote: f64,
    /// Bytes of a message's block; 0 for a word.
    pub(crate) bytes: f64,
    /// Fibers of the node in a step.
    pub(crate) chains: f64,
    /// Number of nodes.
    pub(crate) nodes: usize,
    /// Messages of the busiest link, if each node has one fiber.
    pub(crate) crowd: f64,
}

/// Costs of a configuration, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Costs {
    pub(crate) config: Config,
    /// Beginning a fiber.
    pub(crate) dispatch: f64,
    /// Handing an operation over, if there are two units.
    pub(crate) issue: f64,
    /// Time between the units, each way.
    pub(crate) hand_over: f64,
    /// A message within the node.
    pub(crate) local: f64,
    /// Sending and receiving a message to another node.
    pub(crate) send: f64,
    pub(crate) receive: f64,
    /// Way of a message through the network.
    pub(crate) latency: f64,
    /// Time of a message on a link.
    pub(crate) link: f64,
}

impl Load {
    fn of(shape: Shape, equal: Equal, config: Config, network: &NetworkProfile) -> Self {
        let nodes = shape.nodes(equal, config);
        Self {
            crowd: crowd(shape, nodes as usize, network),
            messages: f64::from(shape.messages),
            // A node alone has no other node to send to.
            remote: if nodes == 1 { 0.0 } else { f64::from(shape.remote) },
            bytes: f64::from(shape.bytes),
            chains: f64::from(shape.nodes * shape.chains) / f64::from(nodes),
            nodes: nodes as usize,
        }
    }
}

/// Returns the number of messages of the busiest link, if each node has one fiber.
///
/// A message flips a bit of the node's number, the highest first. It passes a link up at each level whose
/// crossbars have fewer nodes below than it flips.
fn crowd(shape: Shape, nodes: usize, network: &NetworkProfile) -> f64 {
    let own = f64::from(shape.remote);
    if nodes <= network.ports {
        return own;
    }
    let (half, bits) = (network.ports / 2, shape.nodes.ilog2().max(1));
    let levels = std::iter::successors(Some(half), |below| Some(below * half));
    let of_level = |below: usize| {
        let crossing = (0..shape.remote).filter(|message| nodes >> (1 + message % bits) >= below);
        crossing.count() as f64 * below as f64 / half as f64
    };
    levels.take_while(|below| *below < nodes).map(of_level).fold(own, f64::max)
}

impl Costs {
    /// Returns the costs of messages of this size among this many nodes.
    pub(crate) fn of(profile: &Profile, config: Config, bytes: f64, nodes: usize) -> Self {
        let cycle = 1e3 / profile.clock_mhz;
        let costs = profile.operations(config);
        let sized = |word: u64, block: u64| cycle * if bytes > 0.0 { block } else { word } as f64;
        let is_dual = config == Config::Dual;
        let flush = if is_dual { cycle * costs.flush as f64 * bytes / 1024.0 } else { 0.0 };
        let network = &profile.network;
        let tick = 1e3 / network.clock_mhz.unwrap_or(profile.clock_mhz);
        let body = tick * network.byte * (network.smallest as f64 + bytes);
        let is_ideal = network.kind == NetworkKind::Ideal;
        let hops = if is_ideal { 1.0 } else { hops(network.ports, nodes) };
        Self {
            config,
            dispatch: cycle * (costs.dispatch + costs.poll) as f64,
            issue: if is_dual { cycle * costs.issue as f64 + flush } else { 0.0 },
            hand_over: if is_dual { cycle * costs.hand_over as f64 } else { 0.0 },
            local: sized(costs.word, costs.block),
            send: sized(costs.send_word, costs.send_block),
            receive: sized(costs.receive_word, costs.receive_block) + flush,
            latency: tick * (network.interface + hops * network.hop) + body,
            link: if is_ideal { 0.0 } else { body },
        }
    }

    /// Returns the time that a fiber takes beside its work, of the processor or of both units.
    pub(crate) fn overhead(&self, load: &Load) -> f64 {
        let Load { messages, remote, .. } = *load;
        self.dispatch
            + messages * self.issue
            + (messages - remote) * self.local
            + remote * (self.send + self.receive)
    }

    /// Returns the time of a step of a node, in nanoseconds.
    pub(crate) fn step(&self, load: &Load, grain: f64) -> f64 {
        let Self { dispatch, issue, hand_over, local, send, receive, latency, link, .. } = *self;
        let Load { messages, remote, chains, .. } = *load;
        let locals = messages - remote;
        let is_remote = remote > 0.0;
        let (busy, way) = match self.config {
            Config::Spn => {
                let own = dispatch + grain + locals * local + remote * send;
                let way = if is_remote { dispatch + grain + remote * send + latency + receive } else { 0.0 };
                (own + remote * receive, way)
            }
            Config::Dual => {
                let execution = dispatch + grain + messages * issue;
                let synchronization = locals * local + remote * (send + receive);
                let first = dispatch + grain + issue + hand_over;
                let last = first + (messages - 1.0).max(0.0) * issue + local.min(send);
                let sent = (remote * send).max((remote - 1.0) * issue + send);
                let arrived = if is_remote { first + sent + latency + receive } else { 0.0 };
                let way = (first + synchronization).max(last).max(arrived) + hand_over;
                (execution.max(synchronization), way)
            }
        };
        (chains * busy).max(busy).max(way).max(chains * load.crowd * link)
    }
}

/// Predicts DUAL's time over SPN's at a grain in nanoseconds.
pub(crate) fn ratio(profile: &Profile, case: Case, equal: Equal, grain: f64) -> f64 {
    let changed = case.change.of(profile);
    let time = |config| {
        let load = Load::of(case.shape, equal, config, &changed.network);
        Costs::of(&changed, config, load.bytes, load.nodes).step(&load, grain)
    };
    time(Config::Dual) / time(Config::Spn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::grid::WHOLE;

    fn manna() -> Profile {
        Profile::named("manna50").unwrap()
    }

    /// Times in cycles of 20 ns, by hand: in SPN 26 for the fiber, 12 for a word, 50 and 55 for a message.
    #[test]
    fn steps_are_those_computed_by_hand() {
        let step = |config, messages, remote, chains, cycles: f64| {
            let load = Load { messages, remote, bytes: 0.0, chains, nodes: 16, crowd: remote };
            Costs::of(&manna(), config, 0.0, 16).step(&load, 20.0 * cycles) / 20.0
        };
        let same = |found: f64, cycles: f64| assert!((found - cycles).abs() < 1e-9, "{found}, not {cycles}");
        same(step(Config::Spn, 2.0, 0.0, 8.0, 100.0), 8.0 * (26.0 + 100.0 + 24.0));
        same(step(Config::Spn, 4.0, 2.0, 8.0, 0.0), 8.0 * (26.0 + 24.0 + 210.0));
        // One chain waits for its message: interface, hop and the smallest packet are 62 cycles.
        same(step(Config::Spn, 2.0, 1.0, 1.0, 0.0), 26.0 + 50.0 + 62.0 + 55.0);
        // The synchronization unit decides at a small grain, and the execution unit at a large one.
        same(step(Config::Dual, 2.0, 0.0, 8.0, 0.0), 8.0 * 110.0);
        same(step(Config::Dual, 2.0, 0.0, 8.0, 1000.0), 8.0 * (28.0 + 30.0 + 1000.0));
        // One chain waits for both units.
        same(step(Config::Dual, 2.0, 0.0, 1.0, 1000.0), 28.0 + 1000.0 + 15.0 + 110.0);
    }

    #[test]
    fn twice_the_spn_nodes_have_half_the_chains() {
        let load = |equal, config| Load::of(WHOLE.usual, equal, config, &manna().network);
        assert!((load(Equal::Cores, Config::Spn).chains - 4.0).abs() < 1e-12);
        assert!((load(Equal::Nodes, Config::Spn).chains - 8.0).abs() < 1e-12);
        // At a large grain DUAL leaves half of the cores idle.
        let ratio = |equal| ratio(&manna(), Case::of(WHOLE.usual), equal, 1e9);
        assert!((ratio(Equal::Cores) - 2.0).abs() < 1e-3 && (ratio(Equal::Nodes) - 1.0).abs() < 1e-3);
    }

    /// MANNA's crossbars have eight links up. Above 64 nodes, eight nodes and more share one.
    #[test]
    fn distant_messages_share_links() {
        let crowd = |nodes: u32| crowd(Shape { nodes, ..WHOLE.usual }, nodes as usize, &manna().network);
        let found = [16, 64, 256, 1024].map(crowd);
        let expected = [2.0, 2.0, 2.0 * 8.0, 64.0];
        assert!(found.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-12), "{found:?}");
    }

    #[test]
    fn a_hand_over_and_blocks_take_time() {
        let mut profile = manna();
        profile.dual.hand_over = 100;
        let one = Load { messages: 1.0, remote: 0.0, bytes: 0.0, chains: 1.0, nodes: 2, crowd: 0.0 };
        let step = |profile: &Profile| Costs::of(profile, Config::Dual, 0.0, 2).step(&one, 0.0);
        assert!((step(&profile) - step(&manna()) - 200.0 * 20.0).abs() < 1e-6);
        let large = Load { messages: 2.0, remote: 1.0, bytes: 1e6, chains: 4.0, nodes: 2, crowd: 1.0 };
        let time = Costs::of(&manna(), Config::Spn, 1e6, 2).step(&large, 0.0);
        assert!((time - 4.0 * 20.0 * (1e6 + 32.0)).abs() < 1.0, "the link carries all blocks: {time}");
    }
}
