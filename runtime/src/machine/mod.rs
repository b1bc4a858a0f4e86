//! Floor 4: the machine as a value. The same program, unchanged, runs on each.

mod cancel;
mod core_binding;
mod draw;
pub mod input;
mod queues;
mod ranks;
mod settings;
pub mod simulated;
mod stall;
mod threads;
mod topology;
mod unit_set;

use std::time::{Duration, Instant};

pub use cancel::CancelToken;
pub use settings::{Config, ConfigError};
pub use stall::Stall;

use input::{Gate, Input, NextInput};
use ranks::Ranks;
use settings::Settings;
use simulated::{Faults, Profile, Recording, Schedule, Simulated, Simulation};
use stall::StallMonitor;
use threads::WorkerPool;
use unit_set::{UnitSet, quietly};

use crate::node::function::{Call, ErasedCall, Threaded, kind};
use crate::probe::recorder::Limits;
use crate::program::Run;
use crate::ranks::Link;
use crate::vocabulary::address::{EntryRef, FrameId, FrameRef, Reply};
use crate::vocabulary::counters::Counters;
use crate::vocabulary::error::{Error, Stuck};
use crate::vocabulary::policy::Policy;
use crate::vocabulary::shared::SharedValues;
use crate::vocabulary::value::{self, Carried, Decoding, Value};
use crate::vocabulary::wire::Wire;

/// A machine to run programs on.
///
/// ```
/// # use earth::{Config, Eu, Machine, Reply, threaded};
/// # struct Answer;
/// # #[threaded]
/// # impl Answer {
/// #     fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
/// #         eu.put(out, 42);
/// #     }
/// # }
/// let mut machine = Machine::threads(2).config(Config::Dual);
/// assert_eq!(machine.run(Answer::call)?.value, 42);
/// # Ok::<(), earth::Error>(())
/// ```
///
/// Threads are started by the first run and kept: between runs they look for the next one for
/// a short time, then sleep.
pub struct Machine {
    settings: Settings,
    kind: Kind,
    /// What will be sent to the next run.
    next_input: NextInput,
}

enum Kind {
    Threads(Option<WorkerPool>),
    Simulated(Box<Simulation>, Option<Box<Simulated>>),
    Ranks(Box<Ranks>),
}

/// What a run of any kind of machine is given.
struct Program<'a> {
    main: ErasedCall,
    /// Where other functions come from.
    input: Option<&'a Gate>,
    decoding: Decoding,
    began: Instant,
}

impl Machine {
    /// The most nodes that a machine may have.
    pub const MOST_NODES: usize = Settings::MOST_NODES;

    /// A machine of `nodes` nodes, 1 to [`MOST_NODES`](Machine::MOST_NODES), on this computer's cores. SPN unless
    /// [configured](Machine::config) otherwise.
    ///
    /// With more units (nodes, or twice as many in DUAL) than usable cores, a thread steps several of them.
    /// The calling thread runs node 0.
    pub fn threads(nodes: usize) -> Self {
        Self::of(Settings::new(nodes), Kind::Threads(None))
    }

    /// A machine that steps the same units in the calling thread, in an order drawn from `seed`: one seed,
    /// one run. Events between nodes arrive in any order that keeps those of one node for another as they were sent,
    /// and queues are tiny. For tests and for finding out what a program relies on. 2 nodes unless told otherwise by [`nodes`](Machine::nodes).
    ///
    /// It is the [simulated](Machine::simulated) machine on which nothing takes any time.
    pub fn stepper(seed: u64) -> Self {
        Self::simulated(&Profile::free()).schedule(Schedule::Random).seed(seed).queue_capacity(4)
    }

    /// A machine of 1 to 1024 nodes that runs the same programs, units and fibers in virtual time, in the
    /// calling thread: what anything takes is what `profile` says. Programs give their real results; the run's
    /// [`elapsed`](Run::elapsed) is virtual time. 2 nodes unless told otherwise by [`nodes`](Machine::nodes).
    pub fn simulated(profile: &Profile) -> Self {
        let simulation = Simulation {
            profile: profile.clone(),
            schedule: Schedule::Time,
            faults: Faults::default(),
            record: false,
            most_steps: u64::MAX,
        };
        let settings = Settings { queue: Some(64), ..Settings::new(2) };
        Self::of(settings, Kind::Simulated(Box::new(simulation), None))
    }

    /// The part that this process has of a machine whose nodes are processes: the node with the number of its rank. `link`
    /// carries what they tell each other; [`ranks`](crate::ranks) tells how they run together.
    ///
    /// The number of nodes is the link's. A machine that is dropped tells the other ranks that this one takes part in no
    /// further run. It writes down no [records](Machine::trace), and binds its thread to no core.
    pub fn ranks(link: impl Link + 'static) -> Self {
        let ranks = Ranks::new(Box::new(link));
        let (_, nodes) = ranks.numbers();
        let settings = Settings { through_bytes: true, ..Settings::new(nodes) };
        Self::of(settings, Kind::Ranks(Box::new(ranks)))
    }

    fn of(settings: Settings, kind: Kind) -> Self {
        Machine { settings, kind, next_input: NextInput::default() }
    }

    /// Sets the order in which a simulated machine lets its units act. It has no effect on other machines.
    #[must_use]
    pub fn schedule(self, schedule: Schedule) -> Self {
        self.simulate(|simulation| simulation.schedule = schedule)
    }

    /// Sets what goes wrong on a simulated machine. It has no effect on other machines.
    #[must_use]
    pub fn faults(self, faults: Faults) -> Self {
        self.simulate(|simulation| simulation.faults = faults)
    }

    /// The seed of a simulated machine's random choices, its [schedule's](Machine::schedule) and its
    /// [faults'](Machine::faults); 0 unless told otherwise.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        self.set(|settings| settings.seed = seed)
    }

    /// Whether a simulated machine keeps the order in which its units act in a run, for
    /// [`recording`](Machine::recording). No other machine can be told.
    #[must_use]
    pub fn record(self, record: bool) -> Self {
        self.simulate(|simulation| simulation.record = record)
    }

    /// Whether its time is virtual: a simulated machine or a stepper.
    pub fn is_simulated(&self) -> bool {
        matches!(self.kind, Kind::Simulated(..))
    }

    /// The order in which units acted in the last run, whether it gave a value or an error, if this machine
    /// was told to [record](Machine::record) it.
    pub fn recording(&self) -> Option<&Recording> {
        match &self.kind {
            Kind::Simulated(_, Some(simulated)) => simulated.recording.as_ref(),
            Kind::Simulated(_, None) | Kind::Threads(_) | Kind::Ranks(_) => None,
        }
    }

    /// Ends a run of a simulated machine that takes more than `steps` steps (a fiber, a message, an event of a
    /// synchronization unit) with [`Error::TooManySteps`], so that no test of a program that never ends hangs.
    /// No other machine can be told; without a word there is no limit.
    #[must_use]
    pub fn step_limit(self, steps: u64) -> Self {
        self.simulate(|simulation| simulation.most_steps = steps)
    }

    fn simulate(mut self, change: impl FnOnce(&mut Simulation)) -> Self {
        if let Kind::Simulated(simulation, built) = &mut self.kind {
            change(simulation);
            *built = None;
        }
        self
    }

    /// Sets the number of nodes, 1 to [`MOST_NODES`](Machine::MOST_NODES).
    #[must_use]
    pub fn nodes(self, nodes: usize) -> Self {
        self.set(|settings| settings.nodes = nodes)
    }

    /// The number of nodes it was asked to have.
    pub fn node_count(&self) -> usize {
        self.settings.nodes
    }

    /// Sets whether a node's two units share a thread (SPN) or have one each (DUAL).
    #[must_use]
    pub fn config(self, config: Config) -> Self {
        self.set(|settings| settings.config = config)
    }

    /// Sets in which order nodes take up what waits for them, in SPN and DUAL alike. Without a word it is the usual
    /// [`Policy`], or what the profile of a simulated machine says.
    #[must_use]
    pub fn policy(self, policy: Policy) -> Self {
        self.set(|settings| settings.policy = Some(policy))
    }

    /// Whether each thread is bound to a core, the calling thread for the time of a run. `true` is an error if there
    /// are fewer cores than units; `false` leaves all to the system. Without a word, a machine of several threads
    /// binds each to a core of its own, as far as there are cores that no other machine has; the calling thread, if it
    /// is on its core already, only after its first fiber, so that a run which is over in a moment does not
    /// pay for it.
    ///
    /// Cores are those of the affinity mask that the calling thread has when the machine is built, by its first run.
    /// Threads go to cores that share a cache before others, and to one hardware thread of each core before the second
    /// ones. A machine holds its cores while it runs: threads of other machines of this process that run meanwhile and
    /// find no free core run unbound, or share one after `pin(true)`. Machines that run in turn have the same cores. Threads are bound on Linux alone.
    #[must_use]
    pub fn pin(self, pin: bool) -> Self {
        self.set(|settings| settings.pin = Some(pin))
    }

    /// Whether the calling thread is bound where the others are; without a word it is. `false` leaves its affinity mask
    /// alone, as a library does that is called by other people's threads. A CPU is held for it all the same, so that no
    /// other thread of the machine is bound there.
    #[must_use]
    pub fn pin_caller(self, pin_caller: bool) -> Self {
        self.set(|settings| settings.pin_caller = pin_caller)
    }

    /// Passes every event between nodes through its bytes, as a machine without shared memory would.
    #[must_use]
    pub fn through_bytes(self, through_bytes: bool) -> Self {
        self.set(|settings| settings.through_bytes = through_bytes)
    }

    /// How many values may be parked at full inlets of one node; 1,048,576 unless told otherwise.
    #[must_use]
    pub fn parking_limit(self, limit: usize) -> Self {
        self.set(|settings| settings.parking_limit = limit)
    }

    /// The capacity of each queue between units: a power of two. Unless told otherwise it is 1024 up to 64 nodes, and
    /// less the more nodes there are, 64 with 1024 (64 on the simulated machine, 4 on the stepper). The rings between the
    /// two units of a DUAL node on threads have a quarter as many cells, at least one, with room for 1 to 7 messages
    /// each. What finds a queue full is held back by its sender, with all later events for the same node behind it.
    #[must_use]
    pub fn queue_capacity(self, capacity: usize) -> Self {
        self.set(|settings| settings.queue = Some(capacity))
    }

    /// Whether each run gives [`records`](crate::Run::records) of what ran when and why, of which the crate `earth-trace`
    /// makes a trace; `false` unless told otherwise.
    ///
    /// Off, it costs nothing. On, a fiber with one signal on its own node takes some 12 ns more, an event between
    /// units, a function that is invoked or a token that another node takes an allocation more, and a node writes
    /// down 40 bytes a fiber, 16 more if the length of a queue has changed, and 16 a signal (32 if it came from another
    /// node), at most 230 MB, the longest of runs (see [`trace_limit`](Machine::trace_limit)). On real cores the first
    /// such machine of a process takes up to 0.2 s to compare clocks. Virtual time does not change.
    #[must_use]
    pub fn trace(self, trace: bool) -> Self {
        self.set(|settings| settings.trace = if trace { Some(Limits::default()) } else { None })
    }

    /// Switches [tracing](Machine::trace) on, with at most so many fibers a node: 1,048,576 unless told otherwise.
    /// For each of them up to four signals are kept and one service of the synchronization unit. The rest is
    /// [counted](crate::records::NodeRecords::dropped).
    #[must_use]
    pub fn trace_limit(self, fibers: usize) -> Self {
        self.set(|settings| settings.trace = Some(Limits::fibers(fibers)))
    }

    /// Ends every run with [`Error::Cancelled`] once `token` is cancelled.
    #[must_use]
    pub fn cancel_token(self, token: CancelToken) -> Self {
        self.set(|settings| settings.cancel = Some(token))
    }

    /// Has every run watched by a thread that calls `report`, once for each fiber that has been running for the time
    /// `after` and has not returned. A run that does not end names the reason in this way. `report` may
    /// [cancel](CancelToken) the run, which then ends as soon as the fiber returns.
    ///
    /// Without a monitor it costs nothing. With one, the fibers of real cores run by the code that traces them, without
    /// the writing, and a fiber is published by two stores. The thread lives as long as the run, looks four times in the
    /// time `after`, but not more often than once a millisecond, and sleeps in between. `run` returns when a report that
    /// is on has returned. A report that panics changes nothing in the run.
    ///
    /// ```
    /// # use std::sync::atomic::{AtomicBool, Ordering};
    /// # use std::time::Duration;
    /// # use earth::{Eu, Machine, Reply, Stall, threaded};
    /// static GO_ON: AtomicBool = AtomicBool::new(false);
    ///
    /// struct Hangs;
    ///
    /// #[threaded]
    /// impl Hangs {
    ///     fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
    ///         while !GO_ON.load(Ordering::Relaxed) { std::thread::yield_now(); }
    ///         eu.put(out, 42);
    ///     }
    /// }
    ///
    /// let mut machine = Machine::threads(2).stall_monitor(Duration::from_millis(50), |stall: &Stall| {
    ///     // fiber `start` of Hangs on node 0 has been running for 50 ms and has not returned
    ///     eprintln!("{stall}");
    ///     assert_eq!((stall.at.function.as_str(), stall.at.fiber.as_str()), ("Hangs", "start"));
    ///     GO_ON.store(true, Ordering::Relaxed);
    /// });
    /// assert_eq!(machine.run(Hangs::call)?.value, 42);
    /// # Ok::<(), earth::Error>(())
    /// ```
    #[must_use]
    pub fn stall_monitor(self, after: Duration, report: impl Fn(&Stall) + Send + Sync + 'static) -> Self {
        self.set(|settings| settings.stall_monitor = Some(StallMonitor::new(after, report)))
    }

    /// A changed machine is a new one: what was built for the old settings goes.
    fn set(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        self.kind = match self.kind {
            Kind::Threads(_) => Kind::Threads(None),
            Kind::Simulated(simulation, _) => Kind::Simulated(simulation, None),
            Kind::Ranks(mut ranks) => {
                ranks.forget();
                (_, self.settings.nodes) = ranks.numbers();
                self.settings.through_bytes = true;
                Kind::Ranks(ranks)
            }
        };
        self.next_input.set_nodes(self.settings.nodes);
        self
    }

    /// A handle by which other threads start functions in the next run of this machine, which goes on as long as one
    /// of its handles is left: see [`input`]. What is sent before the run begins is started with the main function.
    pub fn input(&mut self) -> Input {
        self.next_input.handle(self.settings.nodes)
    }

    /// Runs a function on node 0 until nothing is left to run anywhere, and gives the value put to the reply that
    /// `main` puts into the call.
    ///
    /// ```
    /// use earth::{Eu, Machine, Reply, threaded};
    ///
    /// struct Product;
    ///
    /// #[threaded]
    /// impl Product {
    ///     fn start(a: u64, b: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
    ///         eu.put(out, a * b);
    ///     }
    /// }
    ///
    /// assert_eq!(Machine::threads(1).run(|out| Product::call(6, 7, out))?.value, 42);
    /// # Ok::<(), earth::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first [`Error`] ends the run. Everything of the run has been dropped when this returns, and the
    /// machine can run again. If the drop of a value panics then, that is passed over.
    pub fn run<F: Threaded, R: Wire>(
        &mut self,
        main: impl FnOnce(Reply<R>) -> Call<F>,
    ) -> Result<Run<R>, Error> {
        self.run_with(SharedValues::default(), main)
    }

    /// Runs a function as [`run`](Machine::run) does, after every process was given these values: a
    /// [`Shared`](crate::Shared) of one of them travels everywhere, through bytes too.
    ///
    /// ```
    /// # use earth::{Eu, Machine, NodeId, Reply, Shared, SharedValues, threaded};
    /// /// The entry of a table, looked up on the last node.
    /// struct Looks;
    ///
    /// #[threaded]
    /// impl Looks {
    ///     fn start(table: Shared<Vec<u64>>, at: usize, out: Reply<u64>, eu: &mut Eu<Self>) {
    ///         let last = NodeId::new(eu.nodes() - 1);
    ///         if eu.node() == last {
    ///             eu.put(out, table[at]);
    ///         } else {
    ///             eu.invoke(last, Looks::call(table, at, out));
    ///         }
    ///     }
    /// }
    ///
    /// let table = Shared::new(vec![0, 1, 4, 9]);
    /// let values = SharedValues::default().with(&table);
    /// let run = Machine::threads(2).through_bytes(true).run_with(values, |out| Looks::call(table, 3, out))?;
    /// assert_eq!(run.value, 9);
    /// # Ok::<(), earth::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`run`](Machine::run).
    pub fn run_with<F: Threaded, R: Wire>(
        &mut self,
        shared: SharedValues,
        main: impl FnOnce(Reply<R>) -> Call<F>,
    ) -> Result<Run<R>, Error> {
        // A run that a fiber asks for is none.
        if unit_set::inside_fiber() {
            quietly(main);
            return Err(Error::InsideFiber);
        }
        let mut next_input = std::mem::take(&mut self.next_input);
        next_input.during(|input| self.run_of(input, shared, main))
    }

    fn run_of<F: Threaded, R: Wire>(
        &mut self,
        input: Option<&Gate>,
        shared: SharedValues,
        main: impl FnOnce(Reply<R>) -> Call<F>,
    ) -> Result<Run<R>, Error> {
        if let Err(error) = self.check(|rank| rank == 0) {
            quietly(main);
            return Err(error);
        }
        let root = EntryRef::new(FrameRef { node: 0, id: FrameId::ROOT }, 0);
        let call = main(Reply::new(root));
        let started = Instant::now();
        let program = Program {
            main: ErasedCall::new(call, kind::<F>()),
            input,
            decoding: Decoding { result: value::unpack::<R>, shared, nodes: self.settings.nodes as u32 },
            began: started,
        };
        let (result, by_node, virtual_cycles) = match &mut self.kind {
            Kind::Threads(pool) => {
                let ready = match pool.take() {
                    Some(pool) => pool,
                    None => match WorkerPool::build(&self.settings) {
                        Ok(pool) => pool,
                        Err(error) => {
                            quietly(program);
                            return Err(error);
                        }
                    },
                };
                let (result, by_node) = pool.insert(ready).run(program)?;
                (result, by_node, None)
            }
            Kind::Ranks(ranks) => {
                let Program { main, input, decoding, began } = program;
                match ranks.run(&self.settings, &decoding, Some(main), input, began)? {
                    Some(outcome) => (outcome.value, outcome.by_node, None),
                    None => unreachable!("rank 0 is not told by another one that there are no more runs"),
                }
            }
            Kind::Simulated(simulation, built) => {
                let ready =
                    built.take().unwrap_or_else(|| Box::new(Simulated::build(&self.settings, simulation)));
                let outcome = built.insert(ready).run(program)?;
                (
                    outcome.value,
                    outcome.by_node,
                    Some((outcome.cycles, simulation.profile.time(outcome.cycles))),
                )
            }
        };
        let elapsed = virtual_cycles.map_or_else(|| started.elapsed(), |(_, time)| time);
        let cycles = virtual_cycles.map(|(cycles, _)| cycles);
        let value = result.and_then(|mut value| value.take(R::KIND));
        let value = value.ok_or_else(|| Error::NoValue { function: F::LAYOUT.name() })?;
        let records = match &mut self.kind {
            Kind::Threads(pool) => pool.as_mut().and_then(WorkerPool::records),
            Kind::Ranks(_) => None,
            Kind::Simulated(_, built) => built.as_mut().and_then(|built| built.records()),
        };
        Ok(Run { value, counters: by_node.iter().sum(), by_node, elapsed, cycles, records })
    }

    /// Takes part in a run that rank 0 of a machine of [ranks](Machine::ranks) begins, as another rank of it. Gives the run, without
    /// its value, or nothing if rank 0 begins no further run, since its machine was dropped.
    ///
    /// A process that is there to serve is `while machine.serve()?.is_some() {}`.
    ///
    /// # Errors
    ///
    /// The first [`Error`] of any rank ends the run on all of them. This rank can take part in the next one, unless a rank
    /// is lost.
    pub fn serve(&mut self) -> Result<Option<Run<()>>, Error> {
        self.serve_with(SharedValues::default())
    }

    /// Takes part in a run as [`serve`](Machine::serve) does, in one that rank 0 begins with as many [values](Machine::run_with), of
    /// the same types: these are this process's own.
    ///
    /// # Errors
    ///
    /// Those of [`serve`](Machine::serve).
    pub fn serve_with(&mut self, shared: SharedValues) -> Result<Option<Run<()>>, Error> {
        let mut next_input = std::mem::take(&mut self.next_input);
        next_input.during(|input| self.serve_of(input, shared))
    }

    fn serve_of(&mut self, input: Option<&Gate>, shared: SharedValues) -> Result<Option<Run<()>>, Error> {
        self.check(|rank| rank > 0)?;
        let Kind::Ranks(ranks) = &mut self.kind else { return Err(Error::WrongRank(NO_RANK.into())) };
        let began = Instant::now();
        let decoding = Decoding { shared, nodes: self.settings.nodes as u32, ..Decoding::nothing() };
        let outcome = ranks.run(&self.settings, &decoding, None, input, began)?;
        Ok(outcome.map(|ranks::Outcome { by_node, .. }| {
            let (counters, elapsed) = (by_node.iter().sum(), began.elapsed());
            Run { value: (), counters, by_node, elapsed, cycles: None, records: None }
        }))
    }

    /// Whether this thread may begin a run on this machine now, if it is not one of ranks or its rank `is_right`.
    fn check(&self, is_right: impl FnOnce(usize) -> bool) -> Result<(), Error> {
        if unit_set::inside_fiber() {
            return Err(Error::InsideFiber);
        }
        self.settings.check()?;
        let Kind::Ranks(ranks) = &self.kind else { return Ok(()) };
        ranks.check(&self.settings)?;
        match ranks.numbers() {
            (rank, _) if is_right(rank) => Ok(()),
            (0, _) => Err(Error::WrongRank("rank 0 begins runs, and only the others serve".into())),
            _ => Err(Error::WrongRank("rank 0 begins runs, and this rank serves".into())),
        }
    }
}

impl std::fmt::Debug for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = match self.kind {
            Kind::Threads(_) => "threads",
            Kind::Simulated(..) => "simulated",
            Kind::Ranks(_) => "ranks",
        };
        f.debug_struct("Machine").field("kind", &kind).field("settings", &self.settings).finish()
    }
}

/// Why a machine of another kind does not serve.
const NO_RANK: &str = "only a machine of ranks serves runs that another process begins";

/// The result of a run whose units are quiet: its value and the counters of each node, or a report of what still
/// waits.
fn settle(nodes: usize, unit_sets: &mut [UnitSet]) -> Result<(Option<Value>, Vec<Counters>), Error> {
    let mut stuck = Stuck::default();
    for units in &*unit_sets {
        units.report(&mut stuck);
    }
    if !seeded!(EarlyEnd) && !stuck.is_empty() {
        return Err(Error::Stuck(Box::new(stuck)));
    }
    let mut by_node = vec![Counters::default(); nodes];
    for units in &*unit_sets {
        units.count(&mut by_node);
    }
    unit_sets.iter_mut().for_each(UnitSet::end);
    Ok((unit_sets.iter_mut().find_map(UnitSet::take_result), by_node))
}
