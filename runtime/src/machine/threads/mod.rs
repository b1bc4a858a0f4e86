//! Real cores: one thread a unit where there are cores enough, else a thread steps several units in turn.
//!
//! The calling thread is worker 0 and runs node 0. The other workers live as long as the machine: between
//! runs they look for the next one for a while, then sleep at the gate. A run goes:
//!
//! 1. the caller prepares all units, hands each worker its crew, opens the gate and steps its own crew;
//! 2. a worker whose crew has nothing to do publishes its counts and looks whether all is quiet; if
//!    not, it looks for work a while longer than a wake-up costs, then sleeps. Whoever sends to it, or
//!    shares tokens, wakes it;
//! 3. the worker that finds all quiet, or whose unit meets an error, declares the
//!    verdict and wakes everybody;
//! 4. the crews come back to the caller. After an error they are dropped there, with every frame, queue and
//!    token, before `run` returns.
//!
//! A sleeping machine uses no processor: every worker waits for a bell, none for a clock.
//!
//! The machine and the caller's part stand here, what each worker does during a run in [`worker`].

mod idle;
mod transport;
mod worker;

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use core_affinity::CoreId;
use earth_signal::{Gate, Ledger, Quiet, Sleepers, quiet};
use parking_lot::Mutex;

use idle::IdleTime;
use transport::ThreadsTransport;

use super::Program;
use super::cancel::{CancelToken, Cancels};
use super::crew::{Crew, quietly};
use super::queues::{Bells, Wiring, queues, units};
use super::settings::Settings;
use super::stay::Stay;
use crate::counters::Counters;
use crate::error::Error;
use crate::trace::{Recorders, Trace, TraceClock};
use crate::unit::transport::Bell;
use crate::unit::verdict::RunVerdict;
use crate::vocabulary::value::Value;

/// How often a worker polls the gate between runs before it sleeps.
const GATE_SPIN: usize = 20_000;

/// What the workers of a machine share.
struct Shared {
    verdict: Arc<RunVerdict>,
    sleepers: Arc<Sleepers>,
    quiet: Quiet,
    gate: Gate,
    /// How often an idle worker looks for work before it sleeps.
    spin: usize,
    cancel: Option<CancelToken>,
    /// Each worker's crew and ledger while they are not at work.
    benches: Vec<Mutex<Option<Bench>>>,
}

/// A crew, and the ledger and the idle time of its worker.
struct Bench {
    crew: Crew,
    ledger: Ledger,
    idle: IdleTime,
}

/// The threads of a machine and what they run.
pub(super) struct Fleet {
    shared: Arc<Shared>,
    settings: Settings,
    workers: Vec<JoinHandle<()>>,
    /// Dropped after a failed run, built anew by the next one.
    built: bool,
    /// Where the calling thread stays during a run, if it has other threads beside it
    /// and was not bound for good.
    home: Option<CoreId>,
}

impl Fleet {
    pub(super) fn build(settings: &Settings) -> Result<Self, Error> {
        let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let units = settings.units();
        if settings.pin == Some(true) && units > cores {
            return Err(Error::CannotBuild(format!(
                "pinning {units} units needs {units} cores, and {cores} can be used"
            )));
        }
        let count = units.min(cores);
        let (quiet, ledgers) = quiet(count);
        let shared = Arc::new(Shared {
            verdict: Arc::new(RunVerdict::new()),
            sleepers: Arc::new(Sleepers::new(count)),
            quiet,
            gate: Gate::new(count - 1),
            spin: settings.policy().spin as usize,
            cancel: settings.cancel.clone(),
            benches: ledgers
                .into_iter()
                .map(|ledger| {
                    let crew = Crew::new(Vec::new(), Vec::new());
                    Mutex::new(Some(Bench { crew, ledger, idle: IdleTime::default() }))
                })
                .collect(),
        });
        if let Some(token) = &settings.cancel {
            let watched: Arc<dyn Cancels> = Arc::clone(&shared) as _;
            token.tell(Arc::downgrade(&watched));
        }
        let mut fleet =
            Fleet { shared, settings: settings.clone(), workers: Vec::new(), built: false, home: None };
        let places = if count > 1 && settings.pin != Some(false) || settings.pin == Some(true) {
            places(settings, count)?
        } else {
            vec![None; count]
        };
        for (worker, place) in places.into_iter().enumerate() {
            if worker == 0 {
                // The caller's thread is the caller's: it is bound for good only when that was asked for.
                match (place, settings.pin) {
                    (Some(core), Some(true)) => {
                        core_affinity::set_for_current(core);
                    }
                    _ => fleet.home = place,
                }
                continue;
            }
            let shared = Arc::clone(&fleet.shared);
            let body = move || {
                if let Some(core) = place {
                    core_affinity::set_for_current(core);
                }
                shared.serve(worker);
            };
            let thread = thread::Builder::new().name(format!("earth-{worker}")).spawn(body);
            fleet.workers.push(
                thread.map_err(|why| Error::CannotBuild(format!("a thread could not be started: {why}")))?,
            );
        }
        Ok(fleet)
    }

    /// Makes the units of all nodes and deals them to the workers, those of one node side by side.
    fn build_units(&self) -> Vec<Crew> {
        let Shared { sleepers, benches, verdict, .. } = &*self.shared;
        let per_node = self.settings.units() / self.settings.nodes;
        let workers = benches.len();
        let worker_of = |unit: usize| unit * workers / self.settings.units();
        // Events go to a node's synchronization unit, the last of its units.
        let homes: Arc<[usize]> =
            (0..self.settings.nodes).map(|node| worker_of((node + 1) * per_node - 1)).collect();
        let (own, ends) = queues(&self.settings);
        let mut crews: Vec<(Vec<_>, Vec<_>)> = (0..workers).map(|_| (Vec::new(), Vec::new())).collect();
        for (node, queues) in own.into_iter().enumerate() {
            let first = node * per_node;
            let (eu, su) = (worker_of(first), homes[node]);
            let bell = |worker| if eu == su { Bell::silent() } else { Bell::of(sleepers, worker) };
            let transport =
                ThreadsTransport::new(node, &homes, sleepers, &ends, self.settings.policy().steal);
            let bells = Bells { eu: bell(eu), su: bell(su) };
            let wiring =
                Wiring { own_inbox: &ends.inboxes[node], transport: Box::new(transport), bells, costs: None };
            let made = units(&self.settings, node, queues, wiring, verdict);
            for (unit, made) in (first..).zip(made) {
                let crew = &mut crews[worker_of(unit)];
                crew.0.push(made);
                crew.1.push(node);
            }
        }
        crews.into_iter().map(|(units, nodes)| Crew::new(units, nodes)).collect()
    }

    pub(super) fn run(&mut self, program: Program) -> Result<(Option<Value>, Vec<Counters>), Error> {
        if !self.built {
            for (bench, mut crew) in self.shared.benches.iter().zip(self.build_units()) {
                if let Some(bench) = &mut *bench.lock() {
                    bench.idle = IdleTime::measure(|| crew.has_work());
                    bench.crew = crew;
                }
            }
            self.built = true;
        }
        let shared = &*self.shared;
        shared.verdict.reset();
        shared.quiet.reset();
        // Whoever cancels later than this ends the run by the verdict.
        if shared.cancel.as_ref().is_some_and(CancelToken::is_cancelled) {
            quietly(program.main);
            return Err(Error::Cancelled);
        }
        let functions = Arc::new(program.functions);
        for bench in &shared.benches {
            if let Some(bench) = &mut *bench.lock() {
                bench.idle.begin();
                bench.crew.begin(&functions, program.read_result, program.began);
            }
        }
        // Started before this thread is bound to a core, which its own threads would be bound to as well.
        let watch = match &self.settings.stall_monitor {
            Some(monitor) => {
                let benches = shared.benches.iter().map(Mutex::lock);
                let units = benches.flat_map(|bench| {
                    bench.iter().flat_map(|bench| bench.crew.activities()).collect::<Vec<_>>()
                });
                Some(monitor.watch(units.collect(), &functions)?)
            }
            None => None,
        };
        if let Some(bench) = &mut *shared.benches[0].lock() {
            // In DUAL the synchronization unit of node 0 may be another worker's.
            if bench.crew.starts_node_0() {
                bench.crew.start(program.main);
            } else if let Some(next) = &mut *shared.benches[1].lock() {
                next.crew.start(program.main);
            }
        }
        let stay = Stay::on(self.home);
        let started = Instant::now();
        shared.gate.open();
        shared.work(0);
        shared.gate.wait_done(GATE_SPIN);
        let elapsed = started.elapsed();
        drop((stay, watch));

        let mut crews: Vec<Crew> = Vec::new();
        for bench in &shared.benches {
            if let Some(bench) = &mut *bench.lock() {
                crews.push(std::mem::replace(&mut bench.crew, Crew::new(Vec::new(), Vec::new())));
            }
        }
        let mut outcome = match shared.verdict.take_error() {
            Some(error) => Err(*error),
            None => super::settle(self.settings.nodes, &mut crews),
        };
        if let Ok((Some(_), by_node)) = &mut outcome {
            for (bench, crew) in shared.benches.iter().zip(crews) {
                if let Some(bench) = &mut *bench.lock() {
                    crew.add_times(elapsed, bench.idle.total(), by_node);
                    bench.crew = crew;
                }
            }
        } else {
            self.built = false;
            crews.into_iter().for_each(quietly);
        }
        outcome
    }
}

impl Fleet {
    /// What the last run looked like, which has succeeded, if it was traced.
    pub(super) fn trace(&self) -> Option<Trace> {
        self.settings.trace?;
        let benches: Vec<_> = self.shared.benches.iter().map(Mutex::lock).collect();
        let mut recorders = Recorders::default();
        for bench in benches.iter().filter_map(|bench| bench.as_ref()) {
            bench.crew.recorders(&mut recorders);
        }
        Some(recorders.link(self.settings.nodes, TraceClock::Host))
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        self.shared.gate.shut();
        for worker in self.workers.drain(..) {
            // A worker catches what its fibers do; it has nothing to say here.
            let _ = worker.join();
        }
    }
}

/// A core for each worker: those that the process may use, in order.
fn places(settings: &Settings, count: usize) -> Result<Vec<Option<CoreId>>, Error> {
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    if cores.len() < count {
        return match settings.pin {
            Some(true) => Err(Error::CannotBuild(format!(
                "pinning needs {count} cores, and {} can be bound to",
                cores.len()
            ))),
            _ => Ok(vec![None; count]),
        };
    }
    Ok(cores.into_iter().take(count).map(Some).collect())
}

impl Crew {
    /// Whether this crew has the unit that a run's main function is given to.
    fn starts_node_0(&self) -> bool {
        self.units.iter().any(|unit| !matches!(unit, super::queues::Unit::Eu(_)))
    }
}
