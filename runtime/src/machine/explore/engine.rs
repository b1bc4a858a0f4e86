//! The exploring machine: units of real cores. A [`Conductor`] selects each of their steps.
//!
//! A step is one of these:
//!
//! * A node receives the oldest message of another node.
//! * A synchronization unit applies operations of its execution unit (DUAL): up to the next one that uses a
//!   frame, sends a message or enables a fiber.
//! * A node runs an enabled fiber, or starts a function. Of several rounds of one fiber the oldest is next.
//! * A token starts: on the node that has it, or on another node of its range.
//! * The next timer of a node fires.
//!
//! A run may take these steps in any order that keeps the messages from one unit to another in order. All
//! other actions of units follow a step at once, because they commute with all steps.
//!
//! Threads step these units in loops, which select the same steps by policies and by time. This machine has
//! no such loop.
//!
//! In DUAL a token goes to another node only after the synchronization unit has applied the operations of its
//! maker. On real cores it may go earlier. But its effects reach the maker's node after these operations, so
//! the outcomes are the same.

mod follow;
mod node;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use super::super::queues::{Builder, Charges, NodeQueues, Wakers, have_memory, queues};
use super::super::schedule::{Chooser, Orders, RunLimits};
use super::super::settings::Settings;
use super::super::simulated::Profile;
use super::super::stepped::{Clocks, Engine, Simulation};
use super::super::units::{Unit, Units};
use super::channels::{Channels, channels};
use super::conductor::{Conductor, SharedConductor};
use super::execution::{Channel, Execution, Kind, Label, Step};
use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::function::UnitTransport;
use crate::node::verdict::RunVerdict;
use crate::transport::{StolenToken, Waker};
use crate::vocabulary::error::Error;
use crate::vocabulary::policy::{FiberOrder, Policy};
use follow::Follower;
use node::{ExploredNode, WaitingToken};

/// Nodes whose every step a conductor selects.
pub(in crate::machine) struct Explorer {
    verdict: Arc<RunVerdict>,
    nodes: Vec<ExploredNode>,
    conductor: SharedConductor,
    /// The node that acts.
    acting: usize,
    /// Set if the machine repeats a recorded order.
    follower: Option<Follower>,
}

/// A step that is possible.
#[derive(Clone, Copy, Debug)]
enum Possible {
    Apply { node: u32 },
    Receive { from: u32, to: u32, message: u32 },
    Run { node: u32, at: usize },
    Token { from: u32, at: usize, to: u32 },
    Fire { node: u32 },
}

impl Explorer {
    /// The number of cells of a queue between the units of a node. Operations without room wait in a list.
    const QUEUE: usize = 256;

    pub(in crate::machine) fn build(
        settings: &Settings,
        simulation: &Simulation,
        conductor: Option<&SharedConductor>,
        orders: Option<&Arc<Orders>>,
    ) -> Result<Self, Error> {
        // The machine takes all waiting work out of the units, oldest first.
        let policy = Policy { fibers: FiberOrder::OneQueue, ..Policy::default() };
        let order = orders.is_some();
        let settings =
            &Settings { policy: Some(policy), queue: Some(Self::QUEUE), order, ..settings.clone() };
        if let Some(orders) = orders {
            orders.check(settings.nodes, settings.config)?;
        }
        have_memory(settings)?;
        let verdict = Arc::new(RunVerdict::new());
        let costs = Profile { clock_mhz: simulation.profile.clock_mhz, ..Profile::free() };
        let costs = costs.costs(settings.config, 1);
        let (own, _) = queues(settings);
        let node = |(number, queues): (usize, NodeQueues)| {
            let builder = Builder::new(settings, number, &verdict, Charges::Explored(&costs));
            let transport = UnitTransport::Machine(Box::new(Channels::new(settings.nodes)));
            let wakers = Wakers { eu: Waker::none(), su: Waker::none() };
            let units = builder.units(queues.without_thieves(), transport, Box::new(Waker::none()), wakers);
            ExploredNode::new(number as u32, units, settings.nodes)
        };
        let nodes = own.into_iter().enumerate().map(node).collect();
        let conductor = conductor.map_or_else(SharedConductor::new, SharedConductor::clone);
        let follower = orders.map(|orders| Follower::new(Arc::clone(orders)));
        Ok(Explorer { verdict, nodes, conductor, acting: 0, follower })
    }

    /// Finds the steps that are possible. The usual next step is the first of them: a synchronization unit
    /// applies operations, else a node receives a message, runs a fiber, starts its own token or another one.
    fn find_possible(&mut self, conductor: &Conductor, found: &mut Vec<(Label, Possible)>) {
        let (steps, messages) = (&conductor.execution.steps, &conductor.execution.messages);
        found.clear();
        for node in &self.nodes {
            let label = node.next_operations(steps);
            found.extend(label.map(|label| (label, Possible::Apply { node: node.number })));
        }
        for node in &self.nodes {
            for (from, queue) in (0..).zip(&node.arriving) {
                let receive = |&message| Possible::Receive { from, to: node.number, message };
                let first = queue.front();
                found.extend(first.map(|message| (messages[*message as usize].label, receive(message))));
            }
        }
        for node in &self.nodes {
            let run = |(at, label)| (label, Possible::Run { node: node.number, at });
            found.extend(node.runnable().map(run));
        }
        for elsewhere in [false, true] {
            for node in &self.nodes {
                for (at, token) in node.tokens.iter().enumerate() {
                    let may_go = !elsewhere || !node.has_operations_of(token.maker);
                    let targets = (0..self.nodes.len() as u32).filter(|to| (*to != node.number) == elsewhere);
                    let targets = targets.filter(|to| may_go && token.token.within.has(*to));
                    let start = |to| (token.on(to), Possible::Token { from: node.number, at, to });
                    found.extend(targets.map(start));
                }
            }
        }
        for node in &mut self.nodes {
            if node.su().next_due().is_some() {
                let label = Label::first(Kind::Timer, &[u64::from(node.number), node.timers]);
                found.push((label, Possible::Fire { node: node.number }));
            }
        }
    }

    /// Takes a step, and what it leaves in the units. A step that fails is recorded too, because its order
    /// may be the reason.
    fn take(&mut self, conductor: &mut Conductor, step: Step, possible: Possible) -> Result<(), Box<Error>> {
        let acted = catch_unwind(AssertUnwindSafe(|| self.act(conductor, step, possible)));
        let (node, execution) = (&mut self.nodes[self.acting], &mut conductor.execution);
        match acted {
            Ok(Ok(())) => {
                node.collect(execution);
                self.deliver(execution);
                Ok(())
            }
            Ok(Err(error)) => {
                node.take_accesses(execution);
                Err(error)
            }
            Err(panic) => {
                node.take_accesses(execution);
                resume_unwind(panic)
            }
        }
    }

    /// Adds a step to the execution, and lets its unit act.
    fn act(
        &mut self,
        conductor: &mut Conductor,
        mut step: Step,
        possible: Possible,
    ) -> Result<(), Box<Error>> {
        let number = conductor.execution.steps.len() as u32;
        let Conductor { execution, describes, .. } = conductor;
        match possible {
            Possible::Apply { node } | Possible::Run { node, .. } | Possible::Fire { node } => {
                step.node = node;
            }
            Possible::Receive { to, .. } | Possible::Token { to, .. } => step.node = to,
        }
        self.acting = step.node as usize;
        match possible {
            Possible::Receive { from, to, message } => {
                let sent = &mut execution.messages[message as usize];
                sent.step = Some(number);
                step.message = Some(message);
                step.causes.push(sent.sender);
                execution.steps.push(step);
                let event = channels(self.nodes[from as usize].su()).take(to);
                let receiver = &mut self.nodes[to as usize];
                receiver.arriving[from as usize].pop_front();
                if *describes {
                    execution.describe("SU", format!("receives a message of node {from}"));
                }
                event.map_or(Ok(()), |event| receiver.attend(event))?;
            }
            Possible::Apply { node } => {
                let node = &mut self.nodes[node as usize];
                step.causes.extend(node.operations.front().map(|operations| operations.sender));
                let sender = step.causes.first().copied().unwrap_or(0);
                execution.steps.push(step);
                let channel = Channel { from: node.number, to: node.number };
                let message = execution.send(channel, sender, Some(number));
                execution.steps[number as usize].message = Some(message);
                if *describes {
                    execution.describe("SU", "applies operations of its execution unit".to_owned());
                }
                node.apply(execution)?;
            }
            Possible::Run { node, at } => {
                let node = &mut self.nodes[node as usize];
                let waiting = node.waiting.remove(at);
                step.causes = waiting.causes;
                execution.steps.push(step);
                if *describes {
                    execution.describe("EU", node.describe(&waiting.next));
                }
                node.run(execution, waiting.next);
            }
            Possible::Token { from, at, to } => {
                let token = self.nodes[from as usize].tokens.remove(at);
                let nodes = 0..self.nodes.len() as u32;
                let others = nodes.filter(|node| *node != to && token.token.within.has(*node));
                step.alternatives = others.map(|node| token.on(node)).collect();
                step.causes = self.nodes[from as usize].causes_of(execution, &token, to);
                execution.steps.push(step);
                if *describes {
                    execution.describe("EU", token.describe(from, to));
                }
                self.start_token(execution, token, from, to)?;
            }
            Possible::Fire { node } => {
                execution.steps.push(step);
                if *describes {
                    execution.describe("SU", "lets its next timer fire".to_owned());
                }
                self.nodes[node as usize].fire(execution);
            }
        }
        Ok(())
    }

    /// Starts a token of node `from` on node `to`.
    fn start_token(
        &mut self,
        execution: &mut Execution,
        WaitingToken { token, .. }: WaitingToken,
        from: u32,
        to: u32,
    ) -> Result<(), Box<Error>> {
        if from == to {
            self.nodes[to as usize].start(execution, token.call);
            return Ok(());
        }
        self.nodes[from as usize].su().sent += 1;
        let node = &mut self.nodes[to as usize];
        channels(node.su()).given = Some(StolenToken { from, token });
        node.start_given(execution)
    }

    /// Moves the messages that the acting node has just sent to the queues of their receivers.
    fn deliver(&mut self, execution: &mut Execution) {
        let from = self.acting;
        let sender = execution.steps.len() as u32 - 1;
        let mut sent = std::mem::take(&mut channels(self.nodes[from].su()).sent);
        for to in sent.drain(..) {
            let message = execution.send(Channel { from: from as u32, to }, sender, None);
            self.nodes[to as usize].arriving[from].push_back(message);
        }
        channels(self.nodes[from].su()).sent = sent;
    }
}

impl Units for Explorer {
    fn each(&mut self, visit: &mut dyn FnMut(usize, &mut dyn Unit)) {
        for (number, node) in self.nodes.iter_mut().enumerate() {
            node.each(&mut |unit| visit(number, unit));
        }
    }
}

impl Engine for Explorer {
    fn verdict(&self) -> &Arc<RunVerdict> {
        &self.verdict
    }

    fn reset(&mut self, _seed: u64) {
        self.conductor.lock().execution.clear();
        self.nodes.iter_mut().for_each(ExploredNode::begin);
        self.follower.iter_mut().for_each(Follower::begin);
    }

    fn run(&mut self, _chooser: &mut Chooser, mut limits: RunLimits<'_>) -> Result<(), Box<Error>> {
        if let Some(mut follower) = self.follower.take() {
            let followed = self.follow(&mut follower, &mut limits);
            self.follower = Some(follower);
            followed?;
            self.verdict.settle();
            return Ok(());
        }
        let conductor = self.conductor.clone();
        // The lock is held while fibers run. No fiber knows it.
        let conductor = &mut *conductor.lock();
        let mut possible = Vec::new();
        loop {
            limits.count()?;
            self.find_possible(conductor, &mut possible);
            if possible.is_empty() {
                break;
            }
            let choice = conductor.choose(possible.iter().map(|(label, _)| *label));
            let (label, step) = possible[choice];
            let (choice, count) = (choice as u32, possible.len() as u32);
            self.take(conductor, Step { choice, possible: count, ..Step::new(label) }, step)?;
            limits.check()?;
            if self.verdict.is_over() {
                break;
            }
        }
        self.verdict.settle();
        Ok(())
    }

    fn acting(&mut self) -> (usize, Option<&mut ExecutionUnit>) {
        (self.acting, Some(self.nodes[self.acting].eu()))
    }

    fn clocks(&mut self) -> Clocks {
        Clocks { elapsed: 0, busy: vec![(0, None); self.nodes.len()] }
    }
}
