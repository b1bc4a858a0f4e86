//! Nodes of a simulated machine: their units, their clocks, and the messages between them.
//!
//! Each node has three lanes, and each lane has a time at which it acts next:
//!
//! * The *processor*. In SPN it applies one arrived message or else runs one fiber
//!   ([`merged`](super::merged)). In DUAL it is the execution unit, which runs one fiber.
//! * The *synchronization unit* (DUAL). It applies one event of its execution unit or one message, or else
//!   hands on a token ([`separate`](super::separate)).
//! * The *outgoing lane*. It gives one message to the network at the moment of its departure.
//!
//! In host time a fiber runs at once. An event that it sends leaves at the fiber's start time plus the cycles
//! charged so far. So the event waits in the outgoing lane until everything earlier has happened. Meanwhile
//! it is stored in the machine's *outbox*, which the machine lends to each acting unit that may send. In DUAL
//! the event is in the outbox from the moment of its hand-over: the synchronization unit passes on an event
//! for another node by its key.
//!
//! This file contains the data of the machine. [`steps`](super::steps) contains its steps, and
//! [`stealing`](super::stealing) the actions of idle nodes.
//!
//! # What is not modelled
//!
//! Queues cost only the operations of units on them, and there are no caches. In host time, a fiber's signal
//! to its own node is applied while the fiber runs. In virtual time it takes effect at the fiber's end, since
//! the enabled fiber runs later. But a message that interrupts the fiber sees the signal applied. If the
//! fiber read or wrote cells, the interrupt's messages leave after all of the fiber's messages to the same
//! node, since they may depend on these cells.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use earth_signal::Stealer;

use super::super::draw::Draw;
use super::super::policies::Policies;
use super::super::queues::{Builder, Charges, NodeQueues, queues};
use super::super::schedule::{Chooser, RunLimits, SU};
use super::super::settings::Settings;
use super::super::stepped::{Clocks, Engine, Faults, Simulation};
use super::super::units::{Unit, Units};
use super::carrier::Carrier;
use super::clock::{Clock, NEVER};
use super::handshakes::Handshakes;
use super::lanes::Lanes;
use super::message::TimedMessage;
use super::network::network;
use super::node::Node;
use super::port::{Outbox, Port};
use super::profile::{NetworkKind, Profile};
use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::function::{Token, UnitTransport};
use crate::node::su::Su;
use crate::node::tokens::victims::Victims;
use crate::node::verdict::RunVerdict;
use crate::probe::costs::Costs;
use crate::vocabulary::error::Error;
use crate::vocabulary::policy::{Policy, StealOrder};

/// Units of a node of a simulated machine, in SPN or in DUAL.
pub(super) trait NodeUnits: Unit + Send + Sized + 'static {
    /// Whether a node has two processors.
    const DUAL: bool;

    /// Builds the units of one node, which sends through `port`.
    fn build(
        builder: &Builder<'_>,
        queues: NodeQueues,
        port: UnitTransport,
        costs: &Arc<Costs>,
        room: usize,
    ) -> Self;

    /// Returns the unit that handles messages.
    fn synchronizer(&mut self) -> &mut Su;

    /// Returns the times at which the two processors of a node act next, and whether the node lacks work.
    /// `room` is the capacity of the ready queue (DUAL).
    fn times(&mut self, node: &mut Node, room: usize) -> (u64, u64, bool);

    /// Lets a lane of a node act, except the outgoing lane. Returns whether the synchronization unit of a
    /// DUAL node acted and left the execution unit unaffected.
    fn act(world: &mut World<Self>, node: usize, lane: usize, time: u64) -> Result<bool, Box<Error>>;
}

/// Nodes of a simulated machine, and the network between them.
pub(super) struct World<U> {
    pub(super) units: Vec<Box<U>>,
    /// Node and lane that act.
    pub(super) acting: (usize, usize),
    pub(super) verdict: Arc<RunVerdict>,
    pub(super) policy: Policy,
    pub(super) nodes: Vec<Node>,
    pub(super) shared: Vec<Stealer<Token>>,
    pub(super) lanes: Lanes,
    profile: Profile,
    pub(super) network: Carrier,
    policies: Policies,
    /// Time of the next event of the network.
    pub(super) carries: u64,
    /// Messages that have arrived from the network, with their senders and times.
    pub(super) arrived: Vec<(usize, u64, TimedMessage)>,
    /// Arrival time of the last message between each pair of nodes, by sender and receiver. Empty if the
    /// network itself keeps messages in order.
    pub(super) latest: Vec<u64>,
    /// Messages that wait for grants, if long blocks need them.
    pub(super) handshakes: Option<Handshakes>,
    /// Messages that nodes have sent, until they leave.
    pub(super) outbox: Box<Outbox>,
    /// Whether units record what they do.
    pub(super) traced: bool,
    pub(super) room: usize,
    pub(super) faults: Faults,
    /// Answers to a token request or a handshake, until they are given to their node, with their times.
    pub(super) answers: Vec<(u64, TimedMessage)>,
    /// Nodes that may share tokens, and nodes that looked for a token without success.
    pub(super) sharers: BTreeSet<usize>,
    pub(super) idle: BTreeSet<usize>,
}

/// Makes the network of a run.
fn carrier(policies: &Policies, profile: &Profile, nodes: usize) -> Carrier {
    match &policies.network {
        Some(own) => Carrier::custom(own, nodes),
        None => Carrier::new(network(&profile.network, profile.clock_mhz, nodes)),
    }
}

impl<U: NodeUnits> World<U> {
    pub(super) fn build(settings: &Settings, simulation: &Simulation) -> Self {
        let Simulation { profile, faults, .. } = simulation;
        // The verdict is only for errors; the machine detects quiescence directly.
        let verdict = Arc::new(RunVerdict::new());
        let policy = settings.policy.unwrap_or(profile.policy);
        let settings = &Settings { policy: Some(policy), ..settings.clone() };
        // Messages in transit wait here for their times, so inboxes stay empty.
        let (own, ends) = queues(&Settings { queue: Some(1), ..settings.clone() });
        let mut draw = Draw::new(settings.seed);
        let (mut units, mut nodes) = (Vec::new(), Vec::new());
        let mut all_costs = HashMap::new();
        for (number, queues) in own.into_iter().enumerate() {
            let slowness = 1 + draw.below(faults.slowness.max(1) as usize) as u64;
            // Nodes of equal slowness share their costs, which each step reads.
            let costs = || {
                let fibers = simulation.fiber_times.clone();
                Arc::new(Costs { fibers, ..Costs::clone(&profile.costs(settings.config, slowness)) })
            };
            let costs: &Arc<Costs> = all_costs.entry(slowness).or_insert_with(costs);
            let costs = settings.policies.costs_of(number, costs);
            let port = UnitTransport::Machine(Box::new(Port::of_node(&costs)));
            let builder = Builder::new(settings, number, &verdict, Charges::Operations(&costs));
            units.push(Box::new(U::build(&builder, queues, port, &costs, settings.queue())));
            nodes.push(Node::new(costs, settings.victims(number)));
        }
        let own = settings.policies.network.is_some();
        let orders = own || profile.network.kind == NetworkKind::Ideal || faults.delay > 0;
        World {
            units,
            acting: (0, 0),
            verdict,
            policy,
            lanes: Lanes::new(nodes.len()),
            nodes,
            shared: ends.shared,
            profile: profile.clone(),
            network: carrier(&settings.policies, profile, settings.nodes),
            policies: settings.policies.clone(),
            carries: NEVER,
            arrived: Vec::new(),
            latest: if orders { vec![0; settings.nodes * settings.nodes] } else { Vec::new() },
            handshakes: profile.network.eager.map(Handshakes::new),
            outbox: Box::default(),
            traced: settings.trace.is_some(),
            room: settings.queue(),
            faults: faults.clone(),
            answers: Vec::new(),
            sharers: BTreeSet::new(),
            idle: BTreeSet::new(),
        }
    }

    pub(super) fn su(&mut self, number: usize) -> &mut Su {
        self.units[number].synchronizer()
    }

    /// Returns the clock of the unit that handles messages.
    pub(super) fn messages_clock(&mut self, number: usize) -> &mut Clock {
        let Node { processor, su_clock, .. } = &mut self.nodes[number];
        if U::DUAL { su_clock } else { processor }
    }
}

impl<U: NodeUnits> Units for World<U> {
    fn each(&mut self, visit: &mut dyn FnMut(usize, &mut dyn Unit)) {
        self.units.iter_mut().enumerate().for_each(|(node, units)| visit(node, &mut **units));
    }
}

impl<U: NodeUnits> Engine for World<U> {
    fn verdict(&self) -> &Arc<RunVerdict> {
        &self.verdict
    }

    fn reset(&mut self, seed: u64) {
        let mut draw = Draw::new(seed.rotate_left(32));
        self.network = carrier(&self.policies, &self.profile, self.nodes.len());
        self.carries = NEVER;
        self.latest.fill(0);
        self.answers.clear();
        self.handshakes.iter_mut().for_each(Handshakes::reset);
        self.sharers.clear();
        self.idle.clear();
        for number in 0..self.nodes.len() {
            let node = &mut self.nodes[number];
            node.victims.forget();
            let victims = std::mem::replace(&mut node.victims, Victims::new(StealOrder::default(), None));
            *node = Node::new(Arc::clone(&node.costs), victims);
            node.draw = Draw::new(draw.next());
            if let Some(lacks_work) = self.set_lanes_again(number, 0) {
                self.look_for_token(number, 0, lacks_work);
            }
        }
    }

    fn run(&mut self, chooser: &mut Chooser, limits: RunLimits<'_>) -> Result<(), Box<Error>> {
        self.run_lanes(chooser, limits)
    }

    fn acting(&mut self) -> (usize, Option<&mut ExecutionUnit>) {
        let (node, lane) = self.acting;
        (node, self.units[node].eu().filter(|_| lane != SU))
    }

    fn clocks(&mut self) -> Clocks {
        let ends = self.nodes.iter().map(|node| node.processor.free.max(node.su_clock.free));
        let busy = |node: &Node| (node.processor.busy, U::DUAL.then_some(node.su_clock.busy));
        Clocks { elapsed: ends.max().unwrap_or(0), busy: self.nodes.iter().map(busy).collect() }
    }
}
