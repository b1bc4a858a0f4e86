//! Floor 3: the machine as a value. The same program, unchanged, runs on each.

mod cancel;
mod core_binding;
mod draw;
mod gate;
pub mod input;
mod options;
mod panics;
mod queues;
mod ranks;
pub mod running;
mod runs;
mod schedule;
mod settings;
pub mod simulated;
mod stall;
mod stepped;
mod stepper;
mod thread;
mod threads;
mod topology;
mod unit_set;
mod units;

pub use cancel::CancelToken;
pub use settings::{Config, ConfigError};
pub use stall::Stall;

use input::FirstCalls;
use ranks::Ranks;
use settings::Settings;
use simulated::{Profile, Recording, Schedule};
use stepped::{Simulation, Stepped};
use threads::WorkerPool;

use crate::probe::records::Records;
use crate::ranks::Link;

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
///
/// *Processes that fork.* A child that was forked while no call of this crate was under way in another thread has a
/// machine as if it had never run: its next run there starts new threads, and what belongs to the threads of the parent
/// is leaked. A machine of [ranks](Machine::ranks) belongs to the process that used it first, and an
/// [`Input`](crate::input::Input) to the one that opened the run: in a child they give [`Error::Forked`](crate::Error::Forked).
pub struct Machine {
    settings: Settings,
    kind: Kind,
    /// The calls that the next run starts with.
    first: FirstCalls,
}

enum Kind {
    Threads(Option<Box<WorkerPool>>),
    Simulated(Box<Simulation>, Stepped),
    Ranks(Box<Ranks>),
}

type Maker = Box<dyn FnOnce() -> Machine + Send + Sync>;

impl Machine {
    /// The most nodes that a machine may have.
    pub const MOST_NODES: usize = Settings::MOST_NODES;

    /// The bytes of the stack of a thread that a machine starts, unless [`stack_size`](Machine::stack_size) says otherwise. Most
    /// main threads have the same.
    pub const USUAL_STACK: usize = 8 << 20;

    /// A machine of `nodes` nodes, 1 to [`MOST_NODES`](Machine::MOST_NODES), on this computer's cores. SPN unless
    /// [configured](Machine::config) otherwise.
    ///
    /// With more units (nodes, or twice as many in DUAL) than usable cores, a thread steps several of them.
    /// The calling thread runs node 0. While other machines of the process keep all cores busy, it runs all nodes, and the
    /// other threads join it when a core becomes free. So no fiber may wait for another fiber in its thread.
    /// [`pin`](Machine::pin)ned machines and runs with [input](crate::input) always use all their threads.
    pub fn threads(nodes: usize) -> Self {
        Self::of(Settings::new(nodes), Kind::Threads(None))
    }

    /// A machine that steps the units of [real cores](Machine::threads) in the calling thread, in an order drawn from
    /// `seed`: one seed, one run. Workers sleep and are woken as there, events between nodes arrive in any order that keeps those
    /// of one node for another as they were sent, and queues are tiny. For tests and for finding out what a program relies on. 2
    /// nodes unless told otherwise by [`nodes`](Machine::nodes).
    ///
    /// The seed draws which units share a worker, and for each step how much of what waits is taken up. Its time is
    /// virtual, and passes by the [work](crate::Eu::work) that fibers say they do.
    ///
    /// It is also the [simulated](Machine::simulated) machine of any profile under another [schedule](Machine::schedule)
    /// than that of time.
    pub fn stepper(seed: u64) -> Self {
        Self::simulated(&Profile::free()).schedule(Schedule::Random).seed(seed).queue_capacity(4)
    }

    /// A machine of 1 to 1024 nodes that runs the same programs, units and fibers in virtual time, in the
    /// calling thread: what anything takes is what `profile` says. Programs give their real results; the run's
    /// [`elapsed`](crate::Run::elapsed) is virtual time. 2 nodes unless told otherwise by [`nodes`](Machine::nodes).
    pub fn simulated(profile: &Profile) -> Self {
        let settings = Settings { queue: Some(64), ..Settings::new(2) };
        Self::of(settings, Kind::Simulated(Box::new(Simulation::of(profile)), Stepped::default()))
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

    /// Makes a machine of the same settings in a child of this process.
    fn maker(&self) -> Maker {
        let settings = self.settings.clone();
        match &self.kind {
            Kind::Threads(_) => Box::new(|| Self::of(settings, Kind::Threads(None))),
            Kind::Simulated(simulation, _) => {
                let simulation = simulation.clone();
                Box::new(|| Self::of(settings, Kind::Simulated(simulation, Stepped::default())))
            }
            Kind::Ranks(ranks) => {
                let numbers = ranks.numbers();
                Box::new(move || Self::of(settings, Kind::Ranks(Box::new(Ranks::elsewhere(numbers)))))
            }
        }
    }

    fn of(settings: Settings, kind: Kind) -> Self {
        Machine { settings, kind, first: FirstCalls::default() }
    }

    /// Whether its time is virtual: a simulated machine or a stepper.
    pub fn is_simulated(&self) -> bool {
        matches!(self.kind, Kind::Simulated(..))
    }

    /// The order in which units acted in the last run, whether it gave a value or an error, if this machine
    /// was told to [record](Machine::record) it.
    pub fn recording(&self) -> Option<&Recording> {
        match &self.kind {
            Kind::Simulated(_, stepped) => stepped.recording.as_ref(),
            Kind::Threads(_) | Kind::Ranks(_) => None,
        }
    }

    /// What was written down of the last run, if it ended with an error and this machine [traces](Machine::trace).
    ///
    /// These are the fibers that had returned when the run ended, and the signals that slots had counted. A fiber that
    /// was cut short by the error is named by the error alone; what it sent has a sender of whom there is no record.
    ///
    /// ```
    /// # use earth::{Error, Eu, Machine, Reply, threaded};
    /// struct Fails;
    ///
    /// #[threaded]
    /// impl Fails {
    ///     fn start(_out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
    ///         eu.sync(Self::fail());
    ///         Fails
    ///     }
    ///     #[slot(sync)]
    ///     fn fail(self) -> Result<(), &'static str> {
    ///         Err("there is no value")
    ///     }
    /// }
    ///
    /// let mut machine = Machine::threads(1).trace(true);
    /// assert!(matches!(machine.run(Fails::call), Err(Error::Failed { .. })));
    /// let records = machine.failed_records().expect("the run was traced");
    /// let names = records.nodes().flat_map(|node| node.fibers().map(|ran| ran.fiber.name()).collect::<Vec<_>>());
    /// assert_eq!(names.collect::<Vec<_>>(), ["start"]);
    /// ```
    pub fn failed_records(&self) -> Option<&Records> {
        match &self.kind {
            Kind::Threads(pool) => pool.as_ref()?.failed.as_deref(),
            Kind::Simulated(_, stepped) => stepped.failed.as_ref(),
            Kind::Ranks(_) => None,
        }
    }

    /// The number of nodes it was asked to have.
    pub fn node_count(&self) -> usize {
        self.settings.nodes
    }

    /// A changed machine is a new one: what was built for the old settings goes.
    fn set(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        self.kind = match self.kind {
            Kind::Threads(_) => Kind::Threads(None),
            Kind::Simulated(simulation, _) => Kind::Simulated(simulation, Stepped::default()),
            Kind::Ranks(mut ranks) => {
                ranks.forget();
                (_, self.settings.nodes) = ranks.numbers();
                self.settings.through_bytes = true;
                Kind::Ranks(ranks)
            }
        };
        self
    }
}

impl std::fmt::Debug for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = match self.kind {
            Kind::Threads(_) => "threads",
            Kind::Simulated(..) => "simulated",
            Kind::Ranks(_) => "ranks",
        };
        f.debug_struct("Machine")
            .field("kind", &kind)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
