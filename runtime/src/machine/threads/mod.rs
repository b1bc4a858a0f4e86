//! Real cores: one thread a unit where there are cores enough, else a thread steps several units in turn.
//!
//! The calling thread is worker 0 and runs node 0. The other workers live as long as the machine: between
//! runs they look for the next one for a while, then sleep at the gate. A run goes:
//!
//! 1. the caller prepares all units, hands each worker its set of them, opens the gate and steps its own set;
//! 2. a worker whose units have nothing to do publishes its counts and looks whether all is quiet; if
//!    not, it looks for work a while longer than a wake-up costs, then sleeps. Whoever sends to it, or
//!    shares tokens, wakes it. One that holds what cannot go on sleeps, too, until others have made progress;
//! 3. the worker that finds all quiet, or whose unit meets an error, declares the
//!    verdict and wakes everybody;
//! 4. the unit sets come back to the caller. After an error they are dropped there, with every frame, queue and
//!    token, before `run` returns.
//!
//! A sleeping machine uses no processor: every worker waits to be woken, none for a time.
//!
//! A forked child has no workers of its parent. The pool is leaked there and another one built, since its locks, gate
//! and sleepers may be in any state. A child that a fiber forks leaves its parent's run at the end of a pass.
//!
//! The machine and the caller's part stand here, what each worker does during a run in [`worker`], how the calling thread
//! steps all units while there is no core for the others in [`others`], how threads outside of the run start functions in
//! [`injector`].

mod idle;
mod injector;
mod others;
mod transport;
mod worker;

use std::sync::Arc;
use std::time::{Duration, Instant};

use earth_signal::{Active, Gate, Ledger, Offers, Process, Quiet, Sleepers, quiet};

use idle::IdleTime;
use injector::{Outside, PoolInjector};
pub(super) use transport::Roads;
use transport::{Offering, ThreadsTransport};
pub(super) use worker::Idle;

use super::cancel::{CancelToken, Cancels};
use super::core_binding::{Bound, CoreBinding, Cpus, Usable, current_cpu};
use super::panics::quietly;
use super::queues::{Builder, Charges, Wakers, have_memory, queues};
use super::settings::Settings;
use super::unit_set::UnitSet;
use super::units::{Outcome, Program, Unit, Units};
use super::{Machine, stall, thread};
use crate::node::function::{InboxSender, Way};
use crate::node::verdict::RunVerdict;
use crate::primitive::thread::JoinHandle;
use crate::primitive::{Mutex, sync};
use crate::probe::records::{Clock, Records};
use crate::transport::Waker;
use crate::vocabulary::error::Error;

/// How often a worker polls the gate between runs before it sleeps.
const GATE_SPIN: usize = 20_000;

/// The state that the workers of a machine share.
pub(super) struct Shared {
    /// The process that has the worker threads.
    process: Process,
    pub(super) verdict: Arc<RunVerdict>,
    pub(super) sleepers: Arc<Sleepers>,
    pub(super) quiet: Quiet,
    gate: Gate,
    cores: usize,
    /// How often an idle worker looks for work before it sleeps.
    spin: usize,
    cancel: Option<CancelToken>,
    /// The state of each worker while it is not at work.
    pub(super) states: Vec<Mutex<Option<WorkerState>>>,
    /// What was sent from outside of the run.
    outside: Mutex<Outside>,
    /// Locked by the one of the threads outside that sleeps until there is room.
    waiting: sync::Mutex<()>,
}

/// What a worker works with: its units, its ledger and its idle time.
pub(super) struct WorkerState {
    pub(super) units: UnitSet,
    pub(super) ledger: Ledger,
    idle: IdleTime,
}

impl Shared {
    /// The state of `workers` workers without units.
    pub(super) fn new(workers: usize, cores: usize, settings: &Settings) -> Self {
        // The last ledger, and the last sleeper, belong to the threads outside.
        let (quiet, mut ledgers) = quiet(workers + 1);
        let outside = ledgers.split_off(workers).into_iter().map(Outside::new).map(Mutex::new).next();
        Shared {
            process: Process::current(),
            verdict: Arc::new(RunVerdict::new()),
            sleepers: Arc::new(Sleepers::new(workers + 1)),
            quiet,
            gate: Gate::new(workers - 1),
            cores,
            spin: settings.policy().spin as usize,
            cancel: settings.cancel.clone(),
            states: ledgers
                .into_iter()
                .map(|ledger| WorkerState { units: UnitSet::default(), ledger, idle: IdleTime::default() })
                .map(|state| Mutex::new(Some(state)))
                .collect(),
            outside: outside.unwrap_or_else(|| unreachable!("there is a ledger more than workers")),
            waiting: sync::Mutex::default(),
        }
    }

    /// Whether its threads are threads of this process.
    pub(super) fn is_here(&self) -> bool {
        self.process.is_current()
    }

    /// Takes the states of all workers, which the caller steps.
    pub(super) fn take_states(&self) -> Vec<WorkerState> {
        self.states.iter().filter_map(|state| state.lock().take()).collect()
    }

    /// Prepares for a run without input.
    pub(super) fn begin_alone(&self) {
        self.quiet.reset();
        self.sleepers.wake_all();
        let mut outside = self.outside.lock();
        outside.begin();
        outside.close();
    }

    /// Visits the state of each worker, while no worker is at work.
    fn each_state(&self, mut visit: impl FnMut(&mut WorkerState)) {
        self.states.iter().for_each(|state| state.lock().iter_mut().for_each(&mut visit));
    }

    /// Gives nodes the first calls of the run, and opens its input. Returns whether it has one.
    fn open(self: &Arc<Self>, program: Program<'_>, roads: Arc<Roads>) -> bool {
        let start = |call| {
            if let Err(error) = (&**self).start(call) {
                self.verdict.fail(error);
            }
        };
        program.first.into_iter().for_each(start);
        self.outside.lock().begin();
        let injector = Arc::new(PoolInjector { shared: Arc::clone(self), roads });
        let hears_others = program.input.is_some_and(|input| input.begin(injector, start));
        if !hears_others {
            self.outside.lock().close();
        }
        hears_others
    }

    /// Steps the units until the run is over. While no core is free for the other workers, and `needs_workers` is false, the
    /// calling thread steps all units.
    fn step(&self, needs_workers: bool, now: Instant, active: &mut Active) -> Result<(), Error> {
        let mut others = if needs_workers || self.has_cores() { None } else { Some(self.others(now)) };
        if others.is_none() {
            self.gate.open();
        }
        self.work(0, active, others.as_mut());
        if !self.is_here() {
            return Err(Error::Forked { what: "the run".into() });
        }
        if others.is_none_or(|others| others.are_at_work()) {
            self.gate.wait_done(GATE_SPIN);
        }
        Ok(())
    }

    /// Makes the units of all nodes and deals them to the workers, those of one node side by side. `inboxes_of` is given
    /// the number of a node and the inboxes of all nodes, and returns where that node sends to.
    pub(super) fn build_units(
        &self,
        settings: &Settings,
        charges: Charges<'_>,
        mut inboxes_of: impl FnMut(usize, Arc<[InboxSender]>) -> Arc<[InboxSender]>,
    ) -> (Vec<UnitSet>, Arc<Roads>) {
        let Shared { sleepers, states, verdict, .. } = self;
        let per_node = settings.units() / settings.nodes;
        let workers = states.len();
        let worker_of = |unit: usize| unit * workers / settings.units();
        // Events go to a node's synchronization unit, the last of its units.
        let homes: Vec<_> = (0..settings.nodes).map(|node| worker_of((node + 1) * per_node - 1)).collect();
        let mut thieves = vec![false; workers + 1];
        for &home in &homes {
            thieves[home] = true;
        }
        let (own, ends) = queues(settings);
        verdict.tell(ends.askers.clone());
        let offers = Offers::new(settings.nodes);
        let one_unit = per_node == 1;
        let roads =
            Arc::new(Roads { ends, offers, homes, thieves, sleepers: Arc::clone(sleepers), one_unit });
        let mut unit_sets: Vec<_> = (0..workers).map(|_| UnitSet::default()).collect();
        for (node, queues) in own.into_iter().enumerate() {
            let first = node * per_node;
            let (eu, su) = (worker_of(first), roads.homes[node]);
            let waker = |worker| if eu == su { Waker::none() } else { Waker::new(sleepers, worker) };
            let inboxes = inboxes_of(node, Arc::clone(&roads.ends.inboxes));
            let transport = ThreadsTransport::new(node, &roads, inboxes, settings);
            let wakers = Wakers { eu: waker(eu), su: waker(su) };
            let builder = Builder::new(settings, node, verdict, charges);
            let offer = Box::new(Offering::new(node, &roads));
            let made = builder.units(queues, Way::Machine(Box::new(transport)), offer, wakers);
            for (unit, made) in (first..).zip(made) {
                unit_sets[worker_of(unit)].push(node, made);
            }
        }
        (unit_sets, roads)
    }
}

/// The units of all workers, while no worker is at work.
impl Units for &Shared {
    fn each(&mut self, visit: &mut dyn FnMut(usize, &mut dyn Unit)) {
        self.each_state(|state| state.units.each(visit));
    }
}

/// The worker threads of a machine and what they run.
pub(super) struct WorkerPool {
    pub(super) shared: Arc<Shared>,
    settings: Settings,
    workers: Vec<JoinHandle<()>>,
    /// Their handles by which the calling thread binds them to CPUs.
    threads: Vec<Bound>,
    /// Its nodes' queues, of which the units have the other ends; dropped after a failed run, built anew by the next
    /// one.
    built: Option<Arc<Roads>>,
    /// The CPUs that its threads are bound to, if they are.
    cpus: Option<Box<Cpus>>,
    /// What was written down of the last run, if it was traced and has failed.
    pub(super) failed: Option<Box<Records>>,
}

impl WorkerPool {
    pub(super) fn build(settings: &Settings) -> Result<Self, Error> {
        let usable = Usable::here();
        Self::of_workers(settings.units().min(usable.cores), settings, usable)
    }

    /// A machine of `count` workers, at most one for each unit.
    fn of_workers(count: usize, settings: &Settings, usable: Usable) -> Result<Self, Error> {
        let (units, cores) = (settings.units(), usable.cores);
        let variable = Machine::pin_variable()?;
        let pin = settings.pin.filter(|_| variable != Some(false));
        if pin == Some(true) && units > cores {
            return Err(Error::CannotBuild(format!(
                "pinning {units} units needs {units} cores, and {cores} can be used"
            )));
        }
        have_memory(settings)?;
        let shared = Arc::new(Shared::new(count, cores, settings));
        if let Some(token) = &settings.cancel {
            let watched: Arc<dyn Cancels> = Arc::clone(&shared) as _;
            token.tell(Arc::downgrade(&watched));
        }
        let binds = pin.unwrap_or(variable == Some(true) && count > 1);
        let cpus = binds.then(|| Cpus::new(count, usable)).flatten().map(Box::new);
        let mut pool = WorkerPool {
            shared,
            settings: settings.clone(),
            workers: Vec::new(),
            threads: Vec::new(),
            built: None,
            cpus,
            failed: None,
        };
        let one_by_one = thread::are_limited();
        let mut threads = Vec::new();
        for worker in 1..count {
            let (shared, (tell, told)) = (Arc::clone(&pool.shared), sync::mpsc::sync_channel(1));
            // The threads that have been started are joined if this one cannot be started.
            pool.workers.push(thread::start(&format!("earth-{worker}"), settings.stack_size, move || {
                // It fails if another thread could not be started.
                let _ = tell.send(Bound::current());
                shared.serve(worker);
            })?);
            threads.push(told);
            if one_by_one {
                pool.threads.extend(threads.drain(..).filter_map(|told| told.recv().ok()));
            }
        }
        // Each sends as it starts.
        pool.threads.extend(threads.into_iter().filter_map(|told| told.recv().ok()));
        Ok(pool)
    }

    pub(super) fn run(&mut self, program: Program<'_>) -> Result<Outcome, Error> {
        // Counted to the end of this call: a thread that the system stops between two short runs has no core either.
        let mut active = Active::new();
        let Some(roads) = self.prepare(&program) else {
            quietly(program.first);
            return Err(Error::Cancelled);
        };
        let WorkerPool { shared, settings, threads, cpus, .. } = self;
        // A calling thread that is left alone stays where it is.
        let caller = if settings.pin_caller { None } else { current_cpu() };
        let cpus = cpus.as_mut().map(|cpus| cpus.hold(caller));
        if let Some(cpus) = &cpus {
            (1..).zip(threads).for_each(|(worker, thread)| thread.bind(cpus.of(worker), cpus));
        }
        // Started before this thread is bound to a core, which its own threads would be bound to as well.
        let watch = stall::watch(settings.stall_monitor.as_ref(), || (&**shared).activities())?;
        let hears_others = shared.open(program, roads);
        let own = cpus.as_ref().filter(|_| settings.pin_caller).and_then(|cpus| cpus.of(0));
        let binding = CoreBinding::on(own);
        let started = Instant::now();
        // Threads outside, and whoever has pinned it, count on its workers.
        shared.step(hears_others || cpus.is_some(), started, &mut active)?;
        let elapsed = started.elapsed();
        drop((binding, cpus, watch));
        self.collect(elapsed)
    }

    /// Prepares all units for a run, and builds them if they are not there. Returns the queues between nodes, unless the
    /// run is cancelled already.
    fn prepare(&mut self, program: &Program<'_>) -> Option<Arc<Roads>> {
        let WorkerPool { shared, settings, built, failed, .. } = self;
        *failed = None;
        shared.verdict.reset();
        shared.quiet.reset();
        // A later cancellation ends the run by the verdict.
        if shared.cancel.as_ref().is_some_and(CancelToken::is_cancelled) {
            return None;
        }
        let build = || {
            let (unit_sets, roads) = shared.build_units(settings, Charges::Nothing, |_, inboxes| inboxes);
            let mut unit_sets = unit_sets.into_iter();
            shared.each_state(|state| {
                state.units = unit_sets.next().unwrap_or_default();
                state.idle = IdleTime::measure(|| state.units.hears());
            });
            roads
        };
        let roads = Arc::clone(built.get_or_insert_with(build));
        shared.each_state(|state| {
            state.idle.begin();
            state.units.begin(&program.decoding, program.began);
        });
        Some(roads)
    }

    /// The result of the run that has ended, and took `elapsed`.
    fn collect(&mut self, elapsed: Duration) -> Result<Outcome, Error> {
        let mut shared = &*self.shared;
        // A thread outside may look for the error still.
        let mut outcome = match shared.verdict.error() {
            Some(error) => Err(*error),
            None => shared.settle(self.settings.nodes),
        };
        if let Ok(Outcome { value: Some(_), by_node, .. }) = &mut outcome {
            shared.each_state(|state| state.units.add_times(elapsed, state.idle.total(), by_node));
        } else {
            self.built = None;
            self.failed = self.settings.trace.map(|_| Box::new(shared.records(Clock::Host)));
            let mut left = Vec::new();
            shared.each_state(|state| left.push(std::mem::take(&mut state.units)));
            left.into_iter().for_each(quietly);
        }
        outcome
    }

    /// The records of the last run, which has succeeded, if it was traced.
    pub(super) fn records(&mut self) -> Option<Records> {
        self.settings.trace.map(|_| (&*self.shared).records(Clock::Host))
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        if !self.shared.is_here() {
            // Even to let go of a thread that is not there is undefined.
            return std::mem::forget(std::mem::take(&mut self.workers));
        }
        self.shared.gate.shut();
        for worker in self.workers.drain(..) {
            // A worker catches what its fibers do; it has nothing to say here.
            let _ = worker.join();
        }
    }
}
