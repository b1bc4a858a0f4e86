//! Machine on real cores. Each unit has a thread if there are enough cores; else a thread steps several units
//! in turn.
//!
//! The calling thread is worker 0 and runs node 0. The other workers live as long as the machine. Between
//! runs they poll for the next run for a while and then sleep at the gate. The phases of a run are:
//!
//! 1. The caller prepares all units, hands each worker its set of units, opens the gate and steps its own
//!    set.
//! 2. A worker whose units have no work publishes its counts and checks for quiescence. If the run is not
//!    quiet, the worker looks for work for longer than a wake-up costs, then sleeps. A worker that sends to
//!    it or shares tokens wakes it. A worker whose messages are blocked also sleeps, until another worker
//!    makes progress.
//! 3. The worker that detects quiescence, or whose unit meets an error, declares the verdict and wakes all
//!    workers.
//! 4. The unit sets return to the caller. After an error the caller drops them with every frame, queue and
//!    token before `run` returns.
//!
//! A sleeping machine uses no processor time: workers wait for a wake-up without a timeout.
//!
//! A forked child does not have its parent's workers. The child leaks the pool and builds another one,
//! because the pool's locks, gate and sleepers may be in any state. If a fiber forks, the child leaves the
//! run at the end of the pass.
//!
//! This file contains the machine and the caller's part.
//!
//! * [`worker`]: the work of each worker during a run.
//! * [`others`]: the calling thread steps all units while no core is free for the other workers.
//! * [`injector`]: threads outside of the run start functions.
//! * [`surroundings`]: the state of the nodes as a stall monitor sees it.

mod borrowed_units;
mod idle;
mod injector;
mod surroundings;
mod transport;
mod worker;

use std::sync::Arc;
use std::task;
use std::time::{Duration, Instant};

use earth_signal::{Active, Flag, Gate, Ledger, Offers, Process, Quiet, Sleepers, quiet};

use idle::IdleTime;
use injector::{Outside, PoolInjector};
use transport::Offering;
pub(super) use transport::SharedTransport;
pub(super) use transport::ThreadsTransport;
pub(super) use worker::Idle;

use super::cancel::{CancelToken, Cancels};
use super::core_binding::{Bound, CoreBinding, Cpus, Usable, current_cpu};
use super::panics::{drop_ignoring_panics, with_faults};
use super::queues::{Builder, Charges, Wakers, have_memory, queues};
use super::schedule::Recording;
use super::settings::Settings;
use super::stall::{self, StallMonitor};
use super::unit_set::UnitSet;
use super::units::{Program, RunResult, Unit, Units};
use super::{Machine, thread};
use crate::node::function::UnitTransport;
use crate::node::verdict::RunVerdict;
use crate::primitive::thread::JoinHandle;
use crate::primitive::{Mutex, sync};
use crate::probe::records::{Clock, Records};
use crate::transport::Waker;
use crate::vocabulary::error::Error;
use crate::vocabulary::placement::workers_of;

/// Number of times that a worker polls the gate between runs before it sleeps.
const GATE_SPIN: usize = 20_000;

/// State that the workers of a machine share.
pub(super) struct ThreadsShared {
    /// Process that owns the worker threads.
    process: Process,
    pub(super) verdict: Arc<RunVerdict>,
    pub(super) sleepers: Arc<Sleepers>,
    pub(super) quiet: Quiet,
    gate: Gate,
    cores: usize,
    /// Whether the workers detect the end of the run. On a machine of ranks the calling thread does.
    is_whole: bool,
    /// Number of times that an idle worker looks for work before it sleeps.
    pub(super) spin: usize,
    cancel: Option<CancelToken>,
    /// State of each worker while it is not working.
    pub(super) states: Vec<Mutex<Option<WorkerState>>>,
    /// Messages sent from outside of the run.
    outside: Mutex<Outside>,
    /// Lock of the one thread outside that sleeps until there is room.
    waiting: sync::Mutex<()>,
    /// Raised while the calling thread steps the units of all workers.
    one_thread: Flag,
    /// Raised during a run with input whose workers use all cores.
    crowded: Flag,
}

/// State of a worker: its units, its ledger and its idle time.
pub(super) struct WorkerState {
    pub(super) units: UnitSet,
    pub(super) ledger: Ledger,
    pub(super) idle: IdleTime,
}

impl ThreadsShared {
    /// Makes the state of `workers` workers without units. If `waker` is given, the calling thread rests by
    /// means of its own.
    pub(super) fn new(workers: usize, cores: usize, settings: &Settings, waker: Option<task::Waker>) -> Self {
        // The last ledger and the last sleeper belong to the threads outside.
        let (quiet, mut ledgers) = quiet(workers + 1);
        let outside = ledgers.split_off(workers).into_iter().map(Outside::new).map(Mutex::new).next();
        ThreadsShared {
            process: Process::current(),
            verdict: Arc::new(RunVerdict::new()),
            sleepers: Arc::new(Sleepers::resting_by(workers + 1, waker)),
            quiet,
            gate: Gate::new(workers - 1),
            cores,
            is_whole: settings.ranks.is_none(),
            spin: settings.policy().spin as usize,
            cancel: settings.cancel.clone(),
            states: ledgers
                .into_iter()
                .map(|ledger| WorkerState { units: UnitSet::default(), ledger, idle: IdleTime::default() })
                .map(|state| Mutex::new(Some(state)))
                .collect(),
            outside: outside.unwrap_or_else(|| unreachable!("there is a ledger more than workers")),
            waiting: sync::Mutex::default(),
            one_thread: Flag::new(),
            crowded: Flag::new(),
        }
    }

    /// Returns whether the threads belong to this process.
    pub(super) fn is_here(&self) -> bool {
        self.process.is_current()
    }

    /// Takes the states of all workers. The caller then steps their units.
    pub(super) fn take_states(&self) -> Vec<WorkerState> {
        self.states.iter().filter_map(|state| state.lock().take()).collect()
    }

    /// Prepares for a run without input.
    pub(super) fn begin_alone(&self) {
        self.quiet.reset();
        self.sleepers.wake_all();
        let mut outside = self.outside.lock();
        outside.begin();
        outside.close(0);
    }

    /// Lets the other workers begin a run without input. Returns the state of the calling thread's worker.
    pub(super) fn begin_rank(&self) -> Option<WorkerState> {
        let mut outside = self.outside.lock();
        outside.begin();
        outside.close(0);
        self.one_thread.clear();
        self.crowded.clear();
        let own = self.states[0].lock().take();
        self.gate.open();
        own
    }

    /// Waits until the other workers have ended their part of a run that is over.
    pub(super) fn wait_for_workers(&self) {
        self.sleepers.wake_all();
        self.gate.wait_done(GATE_SPIN);
    }

    /// Visits the state of each worker while no worker is working.
    pub(super) fn each_state(&self, mut visit: impl FnMut(&mut WorkerState)) {
        self.states.iter().for_each(|state| state.lock().iter_mut().for_each(&mut visit));
    }

    /// Gives the nodes the first calls of the run, and opens its input. Returns whether the run has input.
    fn open(self: &Arc<Self>, program: Program<'_>, roads: Arc<SharedTransport>) -> bool {
        let start = |call| {
            if let Err(error) = (&**self).start(call) {
                self.verdict.fail(error);
            }
        };
        program.first.into_iter().for_each(start);
        self.outside.lock().begin();
        let injector = Arc::new(PoolInjector { shared: Arc::clone(self), roads });
        let has_other_events = program.input.is_some_and(|input| input.begin(injector, start));
        self.crowded.clear();
        if !has_other_events {
            self.outside.lock().close(0);
        } else if self.states.len() >= self.cores {
            self.crowded.raise();
        }
        has_other_events
    }

    /// Steps the units until the run is over. The calling thread steps all units while no core is free for
    /// the other workers, unless `needs_workers` is true.
    fn step(&self, needs_workers: bool, now: Instant, active: &mut Active) -> Result<(), Error> {
        self.one_thread.clear();
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

    /// Makes the units of the nodes of this process and deals them to the workers. `transport_of` makes the
    /// transport of a node, which it gets by its number among them.
    pub(super) fn build_units(
        &self,
        settings: &Settings,
        charges: Charges<'_>,
        mut transport_of: impl FnMut(usize, &Arc<SharedTransport>) -> UnitTransport,
    ) -> (Vec<UnitSet>, Arc<SharedTransport>) {
        let ThreadsShared { sleepers, states, verdict, .. } = self;
        let per_node = settings.units() / settings.nodes;
        let workers = states.len();
        let own = settings.policies.placement.as_ref();
        let placed = workers_of(own, settings.nodes, per_node, workers, !self.is_whole);
        // Events go to a node's synchronization unit, the last of its units.
        let (executors, homes): (Vec<_>, Vec<_>) = placed.iter().map(|&[eu, su]| (eu, su)).unzip();
        let mut thieves = vec![false; workers + 1];
        for &home in &homes {
            thieves[home] = true;
        }
        let (own, ends) = queues(settings);
        verdict.set_askers(ends.askers.clone());
        let offers = Offers::new(settings.nodes);
        let one_unit = per_node == 1;
        let roads = Arc::new(SharedTransport {
            ends,
            offers,
            homes,
            executors,
            thieves,
            sleepers: Arc::clone(sleepers),
            one_unit,
        });
        let mut unit_sets: Vec<_> = (0..workers).map(|_| UnitSet::default()).collect();
        for (node, queues) in own.into_iter().enumerate() {
            let (eu, su) = (roads.executors[node], roads.homes[node]);
            let waker = |worker| if eu == su { Waker::none() } else { Waker::new(sleepers, worker) };
            let wakers = Wakers { eu: waker(eu), su: waker(su) };
            let number = settings.first_node() + node;
            let builder = Builder::new(settings, number, verdict, charges);
            let offer = Box::new(Offering::new(node, &roads));
            let made = builder.units(queues, transport_of(node, &roads), offer, wakers);
            for (worker, made) in placed[node].into_iter().zip(made) {
                unit_sets[worker].push(number, made);
            }
        }
        (unit_sets, roads)
    }
}

/// Units of all workers, while no worker is working.
impl Units for &ThreadsShared {
    fn each(&mut self, visit: &mut dyn FnMut(usize, &mut dyn Unit)) {
        self.each_state(|state| state.units.each(visit));
    }
}

/// Worker threads of a machine, and their work.
pub(super) struct WorkerPool {
    pub(super) shared: Arc<ThreadsShared>,
    settings: Settings,
    workers: Vec<JoinHandle<()>>,
    /// Handles that the calling thread uses to bind the worker threads to CPUs.
    threads: Vec<Bound>,
    /// Queues between the nodes; the units hold the other ends. Dropped after a failed run and rebuilt by the
    /// next one.
    built: Option<Arc<SharedTransport>>,
    /// CPUs that the threads are bound to, if they are bound.
    cpus: Option<Box<Cpus>>,
    /// Records of the last run, if it was traced and has failed.
    pub(super) failed: Option<Box<Records>>,
    /// The order of the last run, if it was recorded.
    pub(super) recording: Option<Recording>,
}

impl WorkerPool {
    pub(super) fn build(settings: &Settings) -> Result<Self, Error> {
        let usable = Usable::here();
        Self::of_workers(settings.units().min(usable.cores), settings, usable, None)
    }

    /// Builds a machine of `count` workers, at most one for each unit.
    pub(super) fn of_workers(
        count: usize,
        settings: &Settings,
        usable: Usable,
        waker: Option<task::Waker>,
    ) -> Result<Self, Error> {
        let settings = &settings.watched()?;
        let (units, cores) = (settings.units(), usable.cores);
        let variable = Machine::pin_variable()?;
        let pin = settings.pin.filter(|_| variable != Some(false));
        if pin == Some(true) && units > cores {
            return Err(Error::CannotBuild(format!(
                "pinning {units} units needs {units} cores, and {cores} can be used"
            )));
        }
        have_memory(settings)?;
        let shared = Arc::new(ThreadsShared::new(count, cores, settings, waker));
        if let Some(token) = &settings.cancel {
            let watched: Arc<dyn Cancels> = Arc::clone(&shared) as _;
            token.notify_on_cancel(Arc::downgrade(&watched));
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
            recording: None,
        };
        let one_by_one = thread::are_limited();
        let mut threads = Vec::new();
        for worker in 1..count {
            let (shared, (set_askers, told)) = (Arc::clone(&pool.shared), sync::mpsc::sync_channel(1));
            // If this thread cannot be started, the threads started before are joined.
            pool.workers.push(thread::start(&format!("earth-{worker}"), settings.stack_size, move || {
                // Sending fails if another thread could not be started.
                let _ = set_askers.send(Bound::current());
                shared.serve(worker);
            })?);
            threads.push(told);
            if one_by_one {
                pool.threads.extend(threads.drain(..).filter_map(|told| told.recv().ok()));
            }
        }
        // Each thread sends its handle as it starts.
        pool.threads.extend(threads.into_iter().filter_map(|told| told.recv().ok()));
        Ok(pool)
    }

    pub(super) fn run(&mut self, program: Program<'_>) -> Result<RunResult, Error> {
        // Counts this thread as active until this call ends. A thread that the system stops between two short
        // runs has no core either.
        let mut active = Active::new();
        let roads = self.prepare(&program, ThreadsTransport::boxed).and_then(|roads| {
            // A later cancellation ends the run through the verdict.
            let cancelled = self.shared.cancel.as_ref().is_some_and(CancelToken::is_cancelled);
            if cancelled { Err(Error::Cancelled) } else { Ok(roads) }
        });
        let roads = match roads {
            Ok(roads) => roads,
            Err(error) => {
                drop_ignoring_panics(program.first);
                return Err(error);
            }
        };
        let WorkerPool { shared, settings, threads, cpus, .. } = self;
        // The machine does not move a calling thread that it must not bind.
        let caller = if settings.pin_caller { None } else { current_cpu() };
        let cpus = cpus.as_mut().map(|cpus| cpus.hold(caller));
        if let Some(cpus) = &cpus {
            (1..).zip(threads).for_each(|(worker, thread)| thread.bind(cpus.of(worker), cpus));
        }
        // The monitor's thread starts before this thread is bound to a core: threads of a bound thread
        // inherit its mask.
        let scene = || surroundings::watched_run(shared, &roads);
        let watch = stall::watch(settings.stall_monitor.as_ref(), scene)?;
        let has_other_events = shared.open(program, roads);
        let own = cpus.as_ref().filter(|_| settings.pin_caller).and_then(|cpus| cpus.of(0));
        let binding = CoreBinding::on(own);
        let started = Instant::now();
        // Runs with input and pinned machines need all workers.
        shared.step(has_other_events || cpus.is_some(), started, &mut active)?;
        let elapsed = started.elapsed();
        drop((binding, cpus, watch));
        self.collect(elapsed)
    }

    /// Prepares all units for a run, and builds them if they do not exist. Returns the queues between nodes.
    /// Fails if a policy places the units wrongly.
    pub(super) fn prepare(
        &mut self,
        program: &Program<'_>,
        transport_of: fn(usize, &Arc<SharedTransport>, &Settings) -> UnitTransport,
    ) -> Result<Arc<SharedTransport>, Error> {
        let WorkerPool { shared, settings, built, failed, recording, .. } = self;
        (*failed, *recording) = (None, None);
        if settings.order {
            settings.check_recorded(program.input.is_some())?;
        }
        shared.verdict.reset();
        shared.quiet.reset();
        let build = || {
            let transport_of = |node, roads: &Arc<SharedTransport>| transport_of(node, roads, settings);
            let (unit_sets, roads) = shared.build_units(settings, Charges::None, transport_of);
            let mut unit_sets = unit_sets.into_iter();
            shared.each_state(|state| {
                state.units = unit_sets.next().unwrap_or_default();
                state.idle = IdleTime::measure(|| state.units.has_events());
            });
            roads
        };
        let roads = match built {
            Some(roads) => roads,
            None => built.insert(with_faults(|| Ok(build()))?),
        };
        let roads = Arc::clone(roads);
        shared.each_state(|state| {
            state.idle.begin();
            state.units.begin(&program.decoding, program.began);
        });
        Ok(roads)
    }

    /// Returns the monitor that watches the runs.
    pub(super) fn stall_monitor(&self) -> Option<&StallMonitor> {
        self.settings.stall_monitor.as_ref()
    }

    /// Drops all units. The next run builds others.
    pub(super) fn drop_units(&mut self) {
        self.built = None;
        let mut left = Vec::new();
        self.shared.each_state(|state| left.push(std::mem::take(&mut state.units)));
        left.into_iter().for_each(drop_ignoring_panics);
    }

    /// Returns the result of the run that has ended and took `elapsed`.
    fn collect(&mut self, elapsed: Duration) -> Result<RunResult, Error> {
        let mut shared = &*self.shared;
        // The verdict keeps the error, because a thread outside may still look for it.
        let mut outcome = match shared.verdict.error() {
            Some(error) => Err(*error),
            None => shared.settle(self.settings.nodes),
        };
        let ended_well = matches!(outcome, Ok(RunResult { value: Some(_), .. }));
        if let Ok(RunResult { value: Some(_), by_node, .. }) = &mut outcome {
            shared.each_state(|state| state.units.add_times(elapsed, state.idle.total(), by_node));
        } else {
            self.failed = self.settings.trace.map(|_| Box::new(shared.records(Clock::Host)));
        }
        self.record(self.settings.nodes);
        if !ended_well {
            self.drop_units();
        }
        outcome
    }

    /// Keeps the order of the last run, on a machine of `nodes` nodes that records it. Then drops the
    /// units: the numbers of frames in a recording are the numbers in new units.
    pub(super) fn record(&mut self, nodes: usize) {
        if self.settings.order {
            let orders = (&*self.shared).orders(self.settings.config, nodes);
            self.recording = Some(Recording::of_orders(orders));
            self.built = None;
        }
    }

    /// Returns the records of the last run, which succeeded, if it was traced.
    pub(super) fn records(&mut self) -> Option<Records> {
        self.settings.trace.map(|_| (&*self.shared).records(Clock::Host))
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        if !self.shared.is_here() {
            // Even detaching a thread that does not exist in this process is undefined behavior.
            return std::mem::forget(std::mem::take(&mut self.workers));
        }
        self.shared.gate.shut();
        for worker in self.workers.drain(..) {
            // A worker catches its fibers' panics, so the result of `join` holds no information.
            let _ = worker.join();
        }
    }
}
