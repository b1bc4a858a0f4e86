//! Layer 3 of the runtime: a machine as a value. Every kind of machine runs the same unchanged program.

mod cancel;
mod core_binding;
mod draw;
pub mod explore;
mod gate;
pub mod input;
mod options;
mod panics;
pub(crate) mod policies;
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
mod stuck_file;
mod thread;
mod threads;
mod topology;
mod unit_set;
mod units;

use std::ops::Range;

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

/// Machine that runs programs.
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
/// The first run starts the threads, and the machine keeps them. Between runs the threads poll for the next
/// run for a short time, then sleep.
///
/// *Processes that fork.* Suppose a process forks while no other thread is in a call of this crate. The
/// child's machine then behaves as if it had never run: its next run starts new threads. The child leaks the
/// objects of the parent's threads. A machine of [ranks](Machine::ranks) belongs to the process that used it
/// first. An [`Input`](crate::input::Input) belongs to the process that opened the run. Both return
/// [`Error::Forked`](crate::Error::Forked) in a child.
pub struct Machine {
    settings: Settings,
    kind: Kind,
    /// Calls that the next run starts with.
    first: FirstCalls,
}

enum Kind {
    Threads(Option<Box<WorkerPool>>),
    Simulated(Box<Simulation>, Stepped),
    Ranks(Box<Ranks>),
}

type Maker = Box<dyn FnOnce() -> Machine + Send + Sync>;

impl Machine {
    /// Maximum number of nodes of a machine.
    pub const MOST_NODES: usize = Settings::MOST_NODES;

    /// Default stack size of the threads that a machine starts, in bytes. [`stack_size`](Machine::stack_size)
    /// changes it. Most main threads have a stack of this size.
    pub const USUAL_STACK: usize = 8 << 20;

    /// Returns a machine of `nodes` nodes, 1 to [`MOST_NODES`](Machine::MOST_NODES), on this computer's
    /// cores. The default [configuration](Machine::config) is SPN.
    ///
    /// An SPN node has one unit, and a DUAL node has two. If there are more units than usable cores, each
    /// thread steps several units. The calling thread runs node 0. While other machines of the process keep
    /// all cores busy, the calling thread runs all nodes, and the other threads join when a core becomes
    /// free. So no fiber may block its thread to wait for another fiber. [`pin`](Machine::pin)ned machines
    /// and runs with [input](crate::input) always use all their threads.
    #[doc(alias = "worker")]
    #[doc(alias = "worker_threads")]
    #[doc(alias = "num_threads")]
    pub fn threads(nodes: usize) -> Self {
        Self::of(Settings::new(nodes), Kind::Threads(None))
    }

    /// Returns a machine that steps the units of [real cores](Machine::threads) in the calling thread, in an
    /// order drawn from `seed`. Equal seeds give equal runs. Use it for tests, and to find out which event
    /// orders a program relies on. The default is 2 [`nodes`](Machine::nodes).
    ///
    /// * Workers sleep and are woken as on real cores.
    /// * Events from one node to another keep their order; otherwise events between nodes arrive in any
    ///   order.
    /// * Queues are tiny.
    ///
    /// The seed draws which units share a worker. It also draws, for each step, how many waiting fibers and
    /// messages the units take up. Time is virtual, and advances by the [work](crate::Eu::work) that fibers
    /// report.
    ///
    /// A [simulated](Machine::simulated) machine of any profile is a stepper if its
    /// [schedule](Machine::schedule) does not follow virtual time.
    pub fn stepper(seed: u64) -> Self {
        Self::simulated(&Profile::free()).schedule(Schedule::Random).seed(seed).queue_capacity(4)
    }

    /// Returns a machine of 1 to 1024 nodes that runs the same programs, units and fibers in virtual time, in
    /// the calling thread. `profile` gives the cost of every operation. Programs compute their real results,
    /// and the run's [`elapsed`](crate::Run::elapsed) is virtual time. The default is 2
    /// [`nodes`](Machine::nodes).
    pub fn simulated(profile: &Profile) -> Self {
        let settings = Settings { queue: Some(64), ..Settings::new(2) };
        Self::of(settings, Kind::Simulated(Box::new(Simulation::of(profile)), Stepped::default()))
    }

    /// Returns this process's part of a machine whose nodes are in several processes. `link` carries the
    /// messages between these ranks. [`ranks`](crate::ranks) describes how they run together.
    ///
    /// Each rank has one node, or the number of [`nodes`](Machine::nodes) that all ranks set. With `k` nodes
    /// each, rank `r` has the nodes from `r * k` to `r * k + k - 1`. A dropped machine informs the other
    /// ranks that this rank takes part in no further run. The machine does not bind its threads to cores. If
    /// it [traces](Machine::trace), rank 0 gets the records of all nodes.
    pub fn ranks(link: impl Link + 'static) -> Self {
        let ranks = Ranks::new(Box::new(link));
        let settings = Settings { ranks: Some(ranks.numbers()), ..Settings::new(1) };
        Self::of(settings, Kind::Ranks(Box::new(ranks))).set(|_| ())
    }

    /// Returns a function that makes a machine with the same settings in a child of this process.
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
                Box::new(move || Self::of(settings, Kind::Ranks(Box::new(Ranks::forked_child(numbers)))))
            }
        }
    }

    fn of(settings: Settings, kind: Kind) -> Self {
        Machine { settings, kind, first: FirstCalls::default() }
    }

    /// Returns whether this machine's time is virtual: it is a simulated machine or a stepper.
    pub fn is_simulated(&self) -> bool {
        matches!(self.kind, Kind::Simulated(..))
    }

    /// Returns the order in which units acted in the last run, if this machine [records](Machine::record) it.
    /// Runs that end with an error are recorded too. A
    /// machine of ranks has the order of its own node; [`Recording::joined`] joins the ranks' orders.
    pub fn recording(&self) -> Option<&Recording> {
        match &self.kind {
            Kind::Simulated(_, stepped) => stepped.recording.as_ref(),
            Kind::Threads(pool) => pool.as_ref()?.recording.as_ref(),
            Kind::Ranks(ranks) => ranks.recording(),
        }
    }

    /// Returns the records of the last run, if it ended with an error and this machine
    /// [traces](Machine::trace).
    ///
    /// They describe the fibers that had returned when the run ended, and the signals that slots had counted.
    /// Only the error names a fiber that the error cut short. The records do not contain the sender of that
    /// fiber's signals. On a machine of ranks they are the records of this rank's nodes.
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
    /// let names =
    ///     records.nodes().flat_map(|node| node.fibers().map(|ran| ran.fiber.name()).collect::<Vec<_>>());
    /// assert_eq!(names.collect::<Vec<_>>(), ["start"]);
    /// ```
    pub fn failed_records(&self) -> Option<&Records> {
        match &self.kind {
            Kind::Threads(pool) => pool.as_ref()?.failed.as_deref(),
            Kind::Simulated(_, stepped) => stepped.failed.as_ref(),
            Kind::Ranks(ranks) => ranks.failed.as_deref(),
        }
    }

    /// Returns the requested number of nodes.
    pub fn node_count(&self) -> usize {
        self.settings.all_nodes()
    }

    /// Returns the numbers of the nodes that this process runs: all nodes, or the nodes of this
    /// [rank](Machine::ranks).
    pub fn own_nodes(&self) -> Range<usize> {
        let first = self.settings.first_node();
        first..first + self.settings.nodes
    }

    /// Changes a setting, and drops everything that was built for the old settings.
    fn set(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        self.kind = match self.kind {
            Kind::Threads(_) => Kind::Threads(None),
            Kind::Simulated(simulation, _) => Kind::Simulated(simulation, Stepped::default()),
            Kind::Ranks(mut ranks) => {
                ranks.forget();
                self.settings.packing = ranks.packing(&self.settings);
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
            Kind::Ranks { .. } => "ranks",
        };
        f.debug_struct("Machine")
            .field("kind", &kind)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
