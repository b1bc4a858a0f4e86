//! Traces of runs of [`earth`]: which fiber ran when on which unit, what enabled it, and how long queues
//! were.
//!
//! A machine with [tracing](earth::Machine::trace) returns the [records](earth::records) of each run. A
//! [`Trace`] is made of them:
//!
//! ```
//! # use earth::{Eu, Machine, Reply, threaded};
//! # struct Answer {
//! #     out: Reply<u64>,
//! # }
//! # #[threaded]
//! # impl Answer {
//! #     fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
//! #         eu.sync(Self::say());
//! #         Answer { out }
//! #     }
//! #     #[slot(sync)]
//! #     fn say(self, eu: &mut Eu<Self>) {
//! #         eu.put(self.out, 42);
//! #     }
//! # }
//! use earth_trace::Trace;
//!
//! let run = Machine::threads(1).trace(true).run(Answer::call)?;
//! let trace = Trace::of(&run.records.expect("tracing is on"));
//! assert_eq!(trace.slices.len() as u64, run.counters.fibers);
//! assert_eq!((trace.arrows[0].from, trace.arrows[0].to), (0, 1));
//! println!("{}", trace.critical_path());
//! # Ok::<(), earth::Error>(())
//! ```
//!
//! A trace is plain data:
//!
//! * [Slices](Slice) are the fibers that ran.
//! * [Arrows](Arrow) connect each fiber with the fibers that it made run.
//! * [Services](Service) are the work of synchronization units.
//! * [Depths](Depth) are the lengths of queues.
//!
//! Traces of real cores and of a simulated machine differ only in their [clock](Clock). A trace has four
//! functions:
//!
//! * [`Trace::write_chrome`] writes Chrome's trace-event JSON, which Perfetto and `chrome://tracing` open.
//! * [`Trace::write_svg`] draws a timeline as one picture.
//! * [`Trace::critical_path`] computes work, span and parallelism.
//! * [`Trace::levels`] computes how long the rest of a run depends on each fiber. A policy runs the fibers of
//!   the highest level first.
//!
//! [`write_difference`] draws two schedules that an [exploration](earth::explore) has found.
#![forbid(unsafe_code)]

mod chrome;
mod critical_path;
mod levels;
mod link;
mod schedules;
mod timeline;

pub use critical_path::{CriticalPath, OnPath};
pub use earth::records::{Clock, Queue};
pub use levels::{HighestLevelFirst, Level, Levels};
pub use schedules::write_difference;

/// The trace of a run: which fibers ran, when, and why.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct Trace {
    /// Clock of all times. Times start at 0 with the run.
    pub clock: Clock,
    /// Number of nodes of the machine.
    pub nodes: usize,
    /// Names of the fibers that ran.
    pub names: Vec<TraceName>,
    /// Fibers that ran, grouped by node and in the order in which they ran.
    pub slices: Vec<Slice>,
    /// Times at which synchronization units processed events, grouped by node and in order. In SPN only
    /// events from other nodes count. Operations of a fiber on its own node are part of the fiber.
    pub services: Vec<Service>,
    /// Arrows from a fiber to a fiber that it made run: one for each signal, each started function and each
    /// spawned fiber. An arrow is missing if its sender or receiver was dropped. No arrow leads to the main
    /// function, which no fiber started.
    pub arrows: Vec<Arrow>,
    /// Lengths of queues at each observed change, grouped by node and in order.
    pub depths: Vec<Depth>,
    /// Number of records that were dropped because a unit had reached its
    /// [limit](earth::Machine::trace_limit).
    pub dropped: u64,
    /// Largest [error](earth::records::NodeRecords::clock_error) of the times of a node relative to node 0's,
    /// in ticks of the clock. It is 0 if all nodes are in one process.
    pub clock_error: u64,
}

/// Formats a time in microseconds for people.
fn time(us: f64) -> String {
    let (value, unit) = match us {
        us if us >= 1e6 => (us / 1e6, "s"),
        us if us >= 1e3 => (us / 1e3, "ms"),
        us if us >= 1.0 || us == 0.0 => (us, "µs"),
        us => (us * 1e3, "ns"),
    };
    let digits = if value >= 100.0 || value.fract() == 0.0 { 0 } else { 2 };
    format!("{value:.digits$} {unit}")
}

/// The name of a fiber and of its function.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TraceName {
    /// Name of the function.
    pub function: String,
    /// Name of the fiber in that function.
    pub fiber: String,
}

impl std::fmt::Display for TraceName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.function, self.fiber)
    }
}

/// Run of a fiber on the execution unit of its node. It is never divided: on a simulated machine with a
/// watchdog, it includes the time of the messages that interrupted it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slice {
    /// Number of the node.
    pub node: u32,
    /// Name of the fiber, as an index into [`Trace::names`].
    pub name: u32,
    /// Index of the fiber: the index of the slot that enabled it, or 0.
    pub index: u32,
    /// Start of the fiber, in ticks of the clock. It includes the time to find the fiber.
    pub begin: u64,
    /// End of the fiber, in ticks of the clock.
    pub end: u64,
}

impl Slice {
    /// Returns the duration of the fiber, in ticks of the clock.
    pub fn time(&self) -> u64 {
        self.end - self.begin
    }
}

/// Time in which a synchronization unit processed events. In DUAL it is one batch, or one event on a
/// simulated machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Service {
    /// Number of the node.
    pub node: u32,
    /// Start, in ticks of the clock.
    pub begin: u64,
    /// End, in ticks of the clock.
    pub end: u64,
}

/// Arrow from a fiber to another fiber that it made run, alone or together with others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrow {
    /// Fiber that made the other run, as an index into [`Trace::slices`].
    pub from: u32,
    /// Fiber that was made to run, as an index into [`Trace::slices`].
    pub to: u32,
    /// The way in which it was made to run.
    pub kind: ArrowKind,
}

/// The way in which a fiber makes another run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ArrowKind {
    /// The fiber sent a signal, with or without a value, to the slot that enabled the other. The reply to a
    /// request to a cell counts as sent by the fiber that acted last: the one that made the request, or the
    /// one that wrote the cell. A parked value counts as sent by the fiber that put it.
    Signal,
    /// The fiber started the function of the other, with a token or on a named node.
    Start,
    /// The fiber spawned the other.
    Spawn,
}

impl ArrowKind {
    fn name(self) -> &'static str {
        match self {
            ArrowKind::Signal => "signal",
            ArrowKind::Start => "start",
            ArrowKind::Spawn => "spawn",
        }
    }
}

/// Length of a queue from a point in time on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Depth {
    /// Number of the node.
    pub node: u32,
    /// Queue of that node.
    pub queue: Queue,
    /// Time of the observation, in ticks of the clock. Lengths are observed after each fiber (SPN), or after
    /// the node's synchronization unit has processed events.
    pub at: u64,
    /// Length.
    pub length: u32,
}

impl Trace {
    /// Returns the time at which the last unit finished, in ticks of the clock.
    pub fn end(&self) -> u64 {
        let fibers = self.slices.iter().map(|slice| slice.end);
        fibers.chain(self.services.iter().map(|service| service.end)).max().unwrap_or(0)
    }

    /// Returns the name of a slice's fiber.
    ///
    /// # Panics
    ///
    /// If the slice belongs to another trace and its name is out of range.
    pub fn name(&self, slice: &Slice) -> &TraceName {
        &self.names[slice.name as usize]
    }
}
