//! The stepper: a machine of real cores whose workers are stepped by the calling thread, in an order that a
//! seed determines. Workers, units, queues and rings are the production code.
//!
//! 1. The seed draws the number of workers, and so which units share a worker. It also draws whether messages
//!    between nodes go through [wires](wires) or directly into inboxes.
//! 2. A [schedule](super::schedule) chooses who acts next. This is a [worker](worker), which steps its units
//!    as on its own thread, or a node's outgoing wires, which move one message into an inbox. For each step
//!    the seed draws how many fibers and messages the units take up.
//! 3. A worker without work announces its sleep in one step and looks for work once more in a later step.
//!    Then it sleeps, and acts only after a wake-up. So a missing wake-up shows as a run that does not end.
//! 4. The run is over when the workers' own termination detection ends it, or by an error.
//!
//! After each run without an error the stepper checks that all messages were received and that no unit has
//! work. A run also fails if no worker can act before it is over.
//!
//! *Limits.* A step is atomic. So the stepper does not test races of two workers for one word; the models of
//! `tests/model` do.

mod wires;
mod worker;

use std::sync::Arc;

use super::draw::Draw;
use super::queues::{Charges, have_memory};
use super::schedule::{Chooser, LANES, OUT, PROCESSOR, RunLimits, SU};
use super::settings::{Config, Settings};
use super::simulated::Profile;
use super::stepped::{Clocks, Engine, Simulation};
use super::threads::{SharedTransport, ThreadsShared, ThreadsTransport, WorkerState};
use super::units::{Unit, Units};
use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::function::UnitTransport;
use crate::node::verdict::RunVerdict;
use crate::vocabulary::error::Error;
use wires::Wires;
use worker::Worker;

/// Workers of a stepper, and the transport between their nodes.
pub(super) struct Team {
    shared: ThreadsShared,
    roads: Arc<SharedTransport>,
    workers: Vec<Worker>,
    states: Vec<WorkerState>,
    /// Worker that acts.
    at: usize,
    wires: Option<Wires>,
    /// Worker of each lane, if the lane has one.
    lanes: Vec<Option<usize>>,
    /// Maximum number of messages that a unit takes up at a time.
    batch: u32,
    /// Next timer of all nodes: its worker and its due time.
    timer: Option<(usize, u64)>,
}

/// Draws the number of workers: in most runs one for each unit, else one for each node or any number.
fn count_of_workers(settings: &Settings, draw: &mut Draw) -> usize {
    let units = settings.units();
    match draw.below(8) {
        0..4 => units,
        4..6 if settings.config == Config::Dual => settings.nodes,
        _ => 1 + draw.below(units),
    }
}

impl Team {
    pub(super) fn build(settings: &Settings, simulation: &Simulation) -> Result<Self, Error> {
        have_memory(settings)?;
        let policy = settings.policy.unwrap_or(simulation.profile.policy);
        let settings = &Settings { policy: Some(policy), ..settings.clone() };
        let mut draw = Draw::new(settings.seed);
        let count = count_of_workers(settings, &mut draw);
        let wires = Wires::new(settings, &mut draw);
        // The units of real cores charge only for work.
        let profile = &simulation.profile;
        let costs = Profile { clock_mhz: profile.clock_mhz, work: profile.work.clone(), ..Profile::free() };
        let costs = costs.costs(settings.config, 1);
        let shared = ThreadsShared::new(count, count, settings, None);
        let transport_of = |node, roads: &Arc<SharedTransport>| {
            let inboxes = match &wires {
                Some(wires) => wires.out_of(node),
                None => Arc::clone(&roads.ends.inboxes),
            };
            UnitTransport::Machine(Box::new(ThreadsTransport::new(node, roads, inboxes, settings)))
        };
        let (unit_sets, roads) = shared.build_units(settings, Charges::Work(&costs), transport_of);
        let mut lanes = vec![None; LANES * settings.nodes];
        let mut workers = Vec::new();
        let mut states = shared.take_states();
        for (number, (state, units)) in states.iter_mut().zip(unit_sets).enumerate() {
            let (node, second) = units.first().unwrap_or_else(|| unreachable!("a worker has a unit"));
            lanes[LANES * node + if second { SU } else { PROCESSOR }] = Some(number);
            workers.push(Worker::new(number, (0..settings.nodes).filter(|n| roads.homes[*n] == number)));
            state.units = units;
        }
        Ok(Team { shared, roads, workers, states, at: 0, wires, lanes, batch: policy.batch, timer: None })
    }

    /// Returns the worker and the due time of the next timer of all nodes.
    fn next_timer(&mut self) -> Option<(usize, u64)> {
        let workers = self.states.iter_mut().enumerate();
        workers
            .filter_map(|(number, state)| Some((number, state.units.next_due()?)))
            .min_by_key(|(_, due)| *due)
    }

    fn is_enabled(&self, lane: usize) -> bool {
        match self.lanes.get(lane) {
            Some(Some(number)) => {
                self.workers[*number].is_awake(&self.shared)
                    || self.timer.is_some_and(|(worker, _)| worker == *number)
            }
            Some(None) => {
                self.wires.as_ref().is_some_and(|wires| lane % LANES == OUT && wires.has(lane / LANES))
            }
            None => false,
        }
    }
}

impl Units for Team {
    fn each(&mut self, visit: &mut dyn FnMut(usize, &mut dyn Unit)) {
        self.states.iter_mut().for_each(|state| state.units.each(visit));
    }
}

impl Engine for Team {
    fn verdict(&self) -> &Arc<RunVerdict> {
        &self.shared.verdict
    }

    fn reset(&mut self, seed: u64) {
        self.shared.begin_alone();
        let mut draw = Draw::new(seed.rotate_left(32));
        for worker in &mut self.workers {
            worker.begin(draw.next());
        }
        if let Some(wires) = &mut self.wires {
            wires.begin(draw.next());
        }
    }

    fn run(&mut self, chooser: &mut Chooser, mut limits: RunLimits<'_>) -> Result<(), Box<Error>> {
        loop {
            limits.count()?;
            self.timer = self.next_timer();
            let Some(first) = (0..self.lanes.len()).find(|lane| self.is_enabled(*lane)) else { break };
            let lane = chooser.next(first, |lane| self.is_enabled(lane));
            let mut timed_out = None;
            match (self.lanes[lane], &mut self.wires) {
                (Some(number), wires) => {
                    self.at = number;
                    let (worker, state) = (&mut self.workers[number], &mut self.states[number]);
                    let timer = self.timer.filter(|(worker, _)| *worker == number).map(|(_, due)| due);
                    if worker.step(&self.shared, state, self.batch, timer)? {
                        timed_out = timer;
                    }
                    if let Some(wires) = wires {
                        worker.nodes.iter().for_each(|node| wires.look(*node));
                    }
                }
                (None, Some(wires)) => wires.carry(lane / LANES, &self.roads),
                (None, None) => unreachable!("a lane without a worker needs wires"),
            }
            if let Some(due) = timed_out {
                self.each(&mut |_, unit| unit.su().into_iter().for_each(|su| su.set_time(due)));
            }
            limits.check()?;
            if self.shared.verdict.is_over() {
                break;
            }
        }
        let works = self.states.iter_mut().any(|state| state.units.has_work());
        assert!(!works, "at the end of a run no unit has work, and no worker sleeps with work left");
        assert!(self.shared.verdict.is_over(), "the workers detect the end of a run");
        Ok(())
    }

    fn acting(&mut self) -> (usize, Option<&mut ExecutionUnit>) {
        self.states[self.at].units.acting()
    }

    fn clocks(&mut self) -> Clocks {
        let mut clocks = Clocks { elapsed: 0, busy: vec![(0, None); self.lanes.len() / LANES] };
        self.each(&mut |node, unit| {
            if let Some(eu) = unit.eu() {
                clocks.busy[node].0 = eu.su.now;
                clocks.elapsed = clocks.elapsed.max(eu.su.now);
            }
        });
        clocks
    }
}
