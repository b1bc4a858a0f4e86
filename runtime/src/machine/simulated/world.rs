//! The nodes of a simulated machine: their units, their clocks, and what is under way between them.
//!
//! Each node has three lanes, and each lane a time at which it acts next:
//!
//! * its *processor*, which in SPN applies one message that has arrived, or else runs one fiber
//!   ([`merged`](super::merged)), and in DUAL is the execution unit, which runs one fiber;
//! * its *synchronization unit* (DUAL), which applies one event of its execution unit or one message, or else
//!   hands on a token ([`separate`](super::separate));
//! * its *way out*, which gives one message to the network at the moment it leaves.
//!
//! A fiber runs at once in the time of the host. What it sends leaves at its start and what was charged up to
//! there, so it waits at the way out until all that happens earlier has happened. Till then an event lies in
//! the machine's *outbox*, which is lent to each unit that may send while it acts. In DUAL it lies there from the moment at
//! which the execution unit hands it over: the synchronization unit passes on an event for another node by its key.
//!
//! Here stands what the machine is made of. How it goes from step to step stands in [`steps`](super::steps), what a node
//! does that has nothing to run in [`stealing`](super::stealing).
//!
//! # What is not modelled
//!
//! Queues cost nothing beside what units spend on them, and there are no caches. What a fiber signals on its
//! own node is applied, in the time of the host, as it runs, and takes effect at its end, since what it
//! enables runs later; a message that interrupts the fiber finds it applied. If the fiber read or wrote cells, what
//! the interrupt sends leaves after all that the fiber sends to the same node, since it may tell of them.

use std::collections::HashMap;
use std::sync::Arc;

use earth_signal::Stealer;

use super::super::draw::Draw;
use super::super::queues::{Charges, Wakers, Wiring, queues, units};
use super::super::settings::{Config, Settings};
use super::super::unit_set::UnitSet;
use super::clock::{Clock, NEVER};
use super::lanes::Lanes;
use super::message::Message;
use super::network::{Network, network};
use super::node::Node;
use super::node_set::NodeSet;
use super::port::{Outbox, Port};
use super::{Faults, Simulation};
use crate::node::function::Token;
use crate::node::su::Su;
use crate::node::tokens::victims::Victims;
use crate::node::verdict::RunVerdict;
use crate::transport::Waker;
use crate::vocabulary::policy::Policy;

/// A simulated machine's nodes and the network between them.
pub(super) struct World {
    pub(super) units: UnitSet,
    pub(super) verdict: Arc<RunVerdict>,
    pub(super) config: Config,
    pub(super) policy: Policy,
    pub(super) nodes: Vec<Node>,
    pub(super) shared: Vec<Stealer<Token>>,
    pub(super) lanes: Lanes,
    pub(super) network: Box<dyn Network>,
    /// When anything happens on the network next.
    pub(super) carries: u64,
    /// The messages that have arrived from it, with their senders and times.
    pub(super) arrived: Vec<(usize, u64, Message)>,
    /// The time at which the last message of each node arrives at each other node, by sender and receiver; empty if
    /// the network keeps messages in order by itself.
    pub(super) latest: Vec<u64>,
    /// The messages that nodes have sent, until they leave.
    pub(super) outbox: Box<Outbox>,
    /// Whether units write down what they do.
    pub(super) traced: bool,
    /// The capacity of queues.
    pub(super) room: usize,
    pub(super) faults: Faults,
    /// Nodes that may share tokens, and nodes that have none and found nobody who does.
    pub(super) sharers: NodeSet,
    pub(super) idle: NodeSet,
}

impl World {
    pub(super) fn build(settings: &Settings, simulation: &Simulation) -> Self {
        let Simulation { profile, faults, .. } = simulation;
        // Only errors are declared: when all is quiet is seen directly.
        let verdict = Arc::new(RunVerdict::new());
        let policy = settings.policy.unwrap_or(profile.policy);
        let settings = &Settings { policy: Some(policy), ..settings.clone() };
        // What is under way waits here for its time, so nothing ever comes to an inbox.
        let (own, ends) = queues(&Settings { queue: Some(1), ..settings.clone() });
        let mut draw = Draw::new(settings.seed);
        let (mut all, mut nodes_of, mut nodes) = (Vec::new(), Vec::new(), Vec::new());
        let mut all_costs = HashMap::new();
        for (number, queues) in own.into_iter().enumerate() {
            let slowness = 1 + draw.below(faults.slowness.max(1) as usize) as u64;
            // Nodes that are as slow as each other share their costs, which each step reads.
            let costs =
                all_costs.entry(slowness).or_insert_with(|| profile.costs(settings.config, slowness)).clone();
            let transport = Box::new(Port::new(Arc::clone(&costs)));
            let wakers = Wakers { eu: Waker::none(), su: Waker::none() };
            let offer = Box::new(Waker::none());
            let wiring = Wiring { transport, offer, wakers, charges: Charges::Operations(&costs) };
            let made = units(settings, number, queues, wiring, &verdict);
            let eu = all.len();
            nodes_of.extend(made.iter().map(|_| number));
            all.extend(made);
            nodes.push(Node::new(eu, all.len() - 1, costs, &policy));
        }
        let network = network(&profile.network, profile.clock_mhz, settings.nodes);
        let orders = !network.keeps_order() || faults.delay > 0;
        World {
            units: UnitSet::new(all, nodes_of),
            verdict,
            config: settings.config,
            policy,
            lanes: Lanes::new(nodes.len()),
            nodes,
            shared: ends.shared,
            network,
            carries: NEVER,
            arrived: Vec::new(),
            latest: if orders { vec![0; settings.nodes * settings.nodes] } else { Vec::new() },
            outbox: Box::default(),
            traced: settings.trace.is_some(),
            room: settings.queue(),
            faults: faults.clone(),
            sharers: NodeSet::new(settings.nodes),
            idle: NodeSet::new(settings.nodes),
        }
    }

    /// How many lanes there are.
    pub(super) fn lanes(&self) -> usize {
        self.lanes.len()
    }

    /// Prepares for a run, for which the units have been prepared.
    pub(super) fn begin(&mut self, seed: u64) {
        let mut draw = Draw::new(seed.rotate_left(32));
        self.network.reset();
        self.carries = NEVER;
        self.latest.fill(0);
        self.sharers.clear();
        self.idle.clear();
        for number in 0..self.nodes.len() {
            let node = &mut self.nodes[number];
            (node.processor, node.su_clock) = (Clock::default(), Clock::default());
            (node.room_since, node.applied, node.idle) = (0, 0, false);
            node.victims = Victims::new(self.policy.steal);
            node.draw = Draw::new(draw.next());
            if let Some(lacks_work) = self.set_lanes_again(number, 0) {
                self.look_for_token(number, 0, lacks_work);
            }
        }
    }

    /// The time at which the last unit was done, in cycles.
    pub(super) fn elapsed(&self) -> u64 {
        self.nodes.iter().map(|node| node.processor.free.max(node.su_clock.free)).max().unwrap_or(0)
    }

    pub(super) fn su(&mut self, number: usize) -> &mut Su {
        let unit = self.nodes[number].su;
        self.units.unit(unit).su()
    }

    /// The clock of the unit that attends to messages.
    pub(super) fn messages_clock(&mut self, number: usize) -> &mut Clock {
        let Node { processor, su_clock, .. } = &mut self.nodes[number];
        if self.config == Config::Spn { processor } else { su_clock }
    }
}
