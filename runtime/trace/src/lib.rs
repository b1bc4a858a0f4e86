//! What a run of [`earth`] looked like: which fiber ran when on which unit, what enabled it, and how long queues were.
//!
//! A machine that was told to [trace](earth::Machine::trace) gives the [records](earth::records) of each run, of which a
//! [`Trace`] is made:
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
//! let trace = Trace::of(&run.records.expect("the machine was told to trace"));
//! assert_eq!(trace.slices.len() as u64, run.counters.fibers);
//! assert_eq!((trace.arrows[0].from, trace.arrows[0].to), (0, 1));
//! println!("{}", trace.critical_path());
//! # Ok::<(), earth::Error>(())
//! ```
//!
//! It is plain data: [slices](Slice) are the fibers that ran, [arrows](Arrow) what made them run, [services](Service)
//! the work of synchronization units, [depths](Depth) the lengths of queues. It is the same from real cores and from a
//! simulated machine but for its [clock](Clock), and three things are made of it:
//!
//! * [`Trace::write_chrome`]: Chrome's trace-event JSON, which Perfetto and `chrome://tracing` open;
//! * [`Trace::write_svg`]: a timeline as one picture;
//! * [`Trace::critical_path`]: work, span and parallelism.
#![forbid(unsafe_code)]

mod chrome;
mod critical_path;
mod link;
mod timeline;

pub use critical_path::{CriticalPath, OnPath};
pub use earth::records::{Clock, Queue};

/// The trace of a run: which fibers ran, when, and why.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct Trace {
    /// The clock of all times, which begin with the run.
    pub clock: Clock,
    /// How many nodes the machine had.
    pub nodes: usize,
    /// The fibers of the program that ran, by name.
    pub names: Vec<TraceName>,
    /// The fibers that ran: those of a node side by side, in the order in which they ran.
    pub slices: Vec<Slice>,
    /// The times at which synchronization units attended to events, those of a node side by side, in order. In SPN
    /// these are the events that came from other nodes; what a fiber does on its own node is part of the fiber.
    pub services: Vec<Service>,
    /// The arrows that say what made fibers run: one for each signal, and one for each function started and each fiber
    /// spawned, but for those whose sender or receiver was dropped, and the main function, which no fiber started.
    pub arrows: Vec<Arrow>,
    /// The lengths of queues whenever one was found to have changed, those of a node side by side, in order.
    pub depths: Vec<Depth>,
    /// How much was not kept, since a unit had written down as much as it
    /// [may](earth::Machine::trace_limit).
    pub dropped: u64,
}

/// A time for people.
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
    /// The function.
    pub function: String,
    /// The fiber of that function.
    pub fiber: String,
}

impl std::fmt::Display for TraceName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.function, self.fiber)
    }
}

/// A fiber that ran, on the execution unit of its node. Unlike a message, it is not divided: on a simulated
/// machine with a watchdog, the time of the messages that interrupted it is part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slice {
    /// The node.
    pub node: u32,
    /// The name of the fiber: an index into [`Trace::names`].
    pub name: u32,
    /// The index of the fiber: that of the slot which enabled it, or 0.
    pub index: u32,
    /// When the fiber began: the time taken to find it is part of it.
    pub begin: u64,
    /// When the fiber was over.
    pub end: u64,
}

impl Slice {
    /// How long the fiber took.
    pub fn time(&self) -> u64 {
        self.end - self.begin
    }
}

/// A synchronization unit attended to events. In DUAL that is one batch, or one event on a simulated machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Service {
    /// The node.
    pub node: u32,
    /// When it began.
    pub begin: u64,
    /// When it was over.
    pub end: u64,
}

/// An arrow of a trace: one fiber made another run, alone or with others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrow {
    /// The fiber that made the other run: an index into [`Trace::slices`].
    pub from: u32,
    /// The fiber that was made to run: an index into [`Trace::slices`].
    pub to: u32,
    /// The way in which it did.
    pub kind: ArrowKind,
}

/// How a fiber makes another run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ArrowKind {
    /// The fiber sent a signal, with or without a value, to the slot that enabled the other. The answer to a question
    /// to a cell is sent by the fiber that did the later of the two: asked, or wrote the cell. A value that was parked
    /// is sent by the fiber that put it.
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

/// The length of a queue from a moment on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Depth {
    /// The node.
    pub node: u32,
    /// The queue of that node.
    pub queue: Queue,
    /// When the queue was found to be so long: after a fiber (SPN), or after the node's synchronization unit attended
    /// to events.
    pub at: u64,
    /// The length of the queue.
    pub length: u32,
}

impl Trace {
    /// When the last unit was done.
    pub fn end(&self) -> u64 {
        let fibers = self.slices.iter().map(|slice| slice.end);
        fibers.chain(self.services.iter().map(|service| service.end)).max().unwrap_or(0)
    }

    /// The name of a slice's fiber.
    ///
    /// # Panics
    ///
    /// If it is of another trace.
    pub fn name(&self, slice: &Slice) -> &TraceName {
        &self.names[slice.name as usize]
    }
}
