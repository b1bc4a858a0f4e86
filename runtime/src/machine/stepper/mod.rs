//! The stepper: the workers of a machine on real cores, with the units, queues and rings that ship, stepped by the calling
//! thread in an order that follows from a seed.
//!
//! 1. The seed draws how many workers there are (so which units share one), and whether messages between nodes go through
//!    [wires](wires) or straight into inboxes.
//! 2. A [schedule](super::schedule) chooses who acts next: a [worker](worker), which steps its units as it would on its own
//!    thread, or the way out of a node, which moves one message from a wire into an inbox. Of each step are drawn how many
//!    fibers and messages the units take up.
//! 3. A worker without work announces its sleep in one step and looks for work once more in a later step. Then it sleeps, and
//!    acts only after a wake-up. So a missing wake-up shows as a run that does not end.
//! 4. The run is over when the workers' own detection of the end says so, or an error.
//!
//! After each run that ends well the stepper checks that all messages were received and that no unit has work. A run also
//! fails if it is not over and no worker can act.
//!
//! *Limits.* A step is atomic. Races of two workers for one word are therefore not tried here, but by the models of
//! `tests/model`.

mod wires;
mod worker;

use std::sync::Arc;

use super::draw::Draw;
use super::queues::{Charges, have_memory};
use super::runs::{Program, settle};
use super::schedule::{Choice, Chooser, LANES, Limits, OUT, PROCESSOR, Recording, SU};
use super::settings::{Config, Settings};
use super::simulated::{Outcome, Profile, Simulation};
use super::stall::StallMonitor;
use super::threads::{Roads, Shared, WorkerState};
use super::unit_set::{self, UnitSet, quietly};
use crate::probe::costs::END_OF_TIME;
use crate::probe::records::{Clock, Records};
use crate::vocabulary::counters::Counters;
use crate::vocabulary::error::Error;
use crate::vocabulary::value::Value;
use wires::Wires;
use worker::Worker;

/// A machine whose workers are stepped by one thread.
pub(super) struct Stepper {
    settings: Settings,
    simulation: Simulation,
    team: Option<Team>,
    /// The choices of the last run, if it was recorded.
    pub(super) recording: Option<Recording>,
    /// The records of the last run, if it was traced and has failed.
    pub(super) failed: Option<Records>,
}

/// The value of a run and the counters of each node.
type Settled = (Option<Value>, Vec<Counters>);

/// The workers of a stepper, and the way between their nodes.
struct Team {
    shared: Shared,
    roads: Arc<Roads>,
    workers: Vec<Worker>,
    states: Vec<WorkerState>,
    wires: Option<Wires>,
    /// The worker of each lane, if it has one.
    lanes: Vec<Option<usize>>,
}

impl Stepper {
    pub(super) fn build(settings: &Settings, simulation: &Simulation) -> Self {
        let policy = settings.policy.unwrap_or(simulation.profile.policy);
        let settings = Settings { policy: Some(policy), ..settings.clone() };
        let simulation = simulation.clone();
        Stepper { settings, simulation, team: None, recording: None, failed: None }
    }

    /// The records of the last run, whose units are here, if it was traced.
    pub(super) fn records(&mut self) -> Option<Records> {
        self.settings.trace?;
        let clock = Clock::Virtual { mhz: self.simulation.profile.clock_mhz };
        let states = &mut self.team.as_mut()?.states;
        Some(unit_set::records(clock, states.iter_mut().map(|state| &mut state.units)))
    }

    pub(super) fn run(&mut self, program: Program<'_>) -> Result<Outcome, Error> {
        self.failed = None;
        let Stepper { settings, simulation, team, .. } = self;
        let ready = match team.take() {
            Some(team) => team,
            None => match Team::build(settings, simulation) {
                Ok(team) => team,
                Err(error) => {
                    quietly(program);
                    return Err(error);
                }
            },
        };
        let ready = team.insert(ready);
        // Units that were given a call have to be stepped, so what may fail comes first.
        let activities = || ready.states.iter().flat_map(|state| state.units.activities()).collect();
        let watch = |monitor: &StallMonitor| monitor.watch(activities());
        let watch = settings.stall_monitor.as_ref().map(watch).transpose()?;
        let first = ready.begin(program, settings.seed);
        let mut chooser =
            Chooser::new(&simulation.schedule, settings.seed, ready.lanes.len(), simulation.record);
        let mut choices = Vec::new();
        let outcome = first.and_then(|()| {
            ready.run(&mut chooser, settings, simulation.most_steps, |choice| {
                if simulation.record {
                    choices.push(choice);
                }
            })
        });
        drop(watch);
        self.recording = simulation.record.then(|| Recording::new(false, choices));
        // A fiber that unwinds has declared its error before.
        let outcome = outcome.map_err(|error| *ready.shared.verdict.take_error().unwrap_or(error));
        let outcome = outcome.and_then(|()| ready.settle(settings.nodes));
        let clocks: Vec<_> = ready.states.iter().flat_map(|state| state.units.clocks()).collect();
        let cycles = clocks.iter().map(|(_, cycles)| *cycles).max().unwrap_or(0);
        let outcome =
            outcome.and_then(|value| if cycles < END_OF_TIME { Ok(value) } else { Err(Error::TooLong) });
        match outcome {
            Ok((Some(value), mut by_node)) => {
                let time = |cycles| simulation.profile.time(cycles);
                for (node, busy) in clocks {
                    by_node[node].eu_busy = time(busy);
                    by_node[node].eu_idle = time(cycles - busy);
                }
                Ok(Outcome { value: Some(value), by_node, cycles })
            }
            other => {
                self.failed = self.records();
                quietly(self.team.take());
                other.map(|(value, by_node)| Outcome { value, by_node, cycles })
            }
        }
    }
}

/// How many workers a machine has: as a rule one for each unit, else one for each node, or any number.
fn count_of_workers(settings: &Settings, draw: &mut Draw) -> usize {
    let units = settings.units();
    match draw.below(8) {
        0..4 => units,
        4..6 if settings.config == Config::Dual => settings.nodes,
        _ => 1 + draw.below(units),
    }
}

impl Team {
    fn build(settings: &Settings, simulation: &Simulation) -> Result<Self, Error> {
        have_memory(settings)?;
        let mut draw = Draw::new(settings.seed);
        let count = count_of_workers(settings, &mut draw);
        let mut wires = Wires::new(settings, &mut draw);
        // The units of real cores charge for work alone.
        let profile = &simulation.profile;
        let costs = Profile { clock_mhz: profile.clock_mhz, work: profile.work.clone(), ..Profile::free() };
        let costs = costs.costs(settings.config, 1);
        let shared = Shared::new(count, count, settings);
        let (unit_sets, roads) =
            shared.build_units(settings, Charges::Work(&costs), |node, inboxes| match &mut wires {
                Some(wires) => wires.out_of(node),
                None => inboxes,
            });
        let mut lanes = vec![None; LANES * settings.nodes];
        let mut workers = Vec::new();
        let mut states = shared.take_states();
        for (number, (state, units)) in states.iter_mut().zip(unit_sets).enumerate() {
            let (node, second) = units.first().unwrap_or_else(|| unreachable!("a worker has a unit"));
            lanes[LANES * node + if second { SU } else { PROCESSOR }] = Some(number);
            workers.push(Worker::new(number, (0..settings.nodes).filter(|n| roads.homes[*n] == number)));
            state.units = units;
        }
        Ok(Team { shared, roads, workers, states, wires, lanes })
    }

    /// Prepares for a run.
    fn begin(&mut self, program: Program<'_>, seed: u64) -> Result<(), Box<Error>> {
        let Program { first, decoding, began, .. } = program;
        self.shared.begin_alone();
        let mut draw = Draw::new(seed.rotate_left(32));
        for (worker, state) in self.workers.iter_mut().zip(&mut self.states) {
            state.units.begin(&decoding, began);
            worker.begin(draw.next());
        }
        if let Some(wires) = &mut self.wires {
            wires.begin(draw.next());
        }
        for (node, call) in first {
            let mut call = Some(call);
            for state in &mut self.states {
                if let Some(it) = call.take() {
                    call = state.units.start(node, it)?;
                }
            }
        }
        Ok(())
    }

    /// Lets workers and wires act until the run is over.
    fn run(
        &mut self,
        chooser: &mut Chooser,
        settings: &Settings,
        most_steps: u64,
        mut chosen: impl FnMut(Choice),
    ) -> Result<(), Box<Error>> {
        let verdict = Arc::clone(&self.shared.verdict);
        let mut limits = Limits::new(&verdict, settings.cancel.as_ref(), most_steps);
        let batch = settings.policy().batch;
        loop {
            limits.count()?;
            let Some(first) = (0..self.lanes.len()).find(|lane| self.is_enabled(*lane)) else { break };
            let choice = chooser.next(first, |lane| self.is_enabled(lane));
            chosen(choice);
            let lane = choice.lane as usize;
            match (self.lanes[lane], &mut self.wires) {
                (Some(number), wires) => {
                    let (worker, state) = (&mut self.workers[number], &mut self.states[number]);
                    worker.step(&self.shared, state, batch)?;
                    if let Some(wires) = wires {
                        worker.nodes.iter().for_each(|node| wires.look(*node));
                    }
                }
                (None, Some(wires)) => wires.carry(lane / LANES, &self.roads),
                (None, None) => unreachable!("who has no worker is a way out by wires"),
            }
            limits.check()?;
            if verdict.is_over() {
                break;
            }
        }
        self.check()
    }

    /// Whether a lane can act.
    fn is_enabled(&self, lane: usize) -> bool {
        match self.lanes.get(lane) {
            Some(Some(number)) => self.workers[*number].is_awake(&self.shared),
            Some(None) => {
                self.wires.as_ref().is_some_and(|wires| lane % LANES == OUT && wires.has(lane / LANES))
            }
            None => false,
        }
    }

    /// Checks that all messages were received, that no unit has work, and that the run is over.
    fn check(&mut self) -> Result<(), Box<Error>> {
        let Team { shared, states, .. } = self;
        let Some((first, rest)) = states.split_first_mut() else { return Ok(()) };
        first.units.guarded(|units| {
            let mut works = units.has_work();
            let (mut sent, mut received) = units.messages();
            for state in rest {
                let (more_sent, more_received) = state.units.messages();
                (sent, received) = (sent.wrapping_add(more_sent), received.wrapping_add(more_received));
                works |= state.units.has_work();
            }
            assert!(!works, "no unit has work at the end, and nobody sleeps over some");
            assert_eq!(sent, received, "all that was sent was received at the end");
            assert!(shared.verdict.is_over(), "the end is noticed");
            Ok(())
        })
    }

    /// The result of a run that has ended well.
    fn settle(&mut self, nodes: usize) -> Result<Settled, Error> {
        let none = || UnitSet::new(Vec::new(), Vec::new());
        let mut sets: Vec<_> =
            self.states.iter_mut().map(|state| std::mem::replace(&mut state.units, none())).collect();
        let outcome = settle(nodes, &mut sets);
        for (state, units) in self.states.iter_mut().zip(sets) {
            state.units = units;
        }
        outcome
    }
}
