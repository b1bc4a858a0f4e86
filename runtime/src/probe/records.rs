//! What a machine that [traces](crate::Machine::trace) wrote down of a run: [`Run::records`](crate::Run::records), or
//! [`Machine::failed_records`](crate::Machine::failed_records) of a run that ended with an error.
//!
//! These are the notes of each node as its units took them, as plain data: the fibers that ran, the signals that slots
//! counted, the times in which synchronization units attended to events. The crate `earth-trace` makes a trace of them:
//! what enabled what, work and span, pictures.
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
//! use earth::records::Cause;
//!
//! let run = Machine::threads(1).trace(true).run(Answer::call)?;
//! let records = run.records.expect("the machine was told to trace");
//! let node = records.nodes().next().expect("it has one node");
//! let [start, say] = node.fibers().collect::<Vec<_>>()[..] else { panic!("two fibers ran") };
//! assert_eq!((start.fiber.name(), say.fiber.name()), ("start", "say"));
//! assert!(start.end <= say.begin && say.cause == Cause::Enabled { signal: 0 });
//! let signal = node.signals().next().expect("the slot counted one");
//! assert_eq!(signal.sender.map(|sender| sender.number()), Some(0));
//! # Ok::<(), earth::Error>(())
//! ```
//!
//! Records take no copy: a run shares what its machine's units wrote, and the next run writes over it once nobody else
//! has it any more.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

pub use super::recorder::FiberRef;
use super::recorder::{FiberLog, RawFiber, RawSignal, SignalLog};
use crate::vocabulary::enabler::Enabler;
use crate::vocabulary::layout::Layout;

/// The records of a run. A clone shares them.
#[derive(Clone, Debug, Default)]
pub struct Records {
    clock: Clock,
    /// By node.
    fibers: Vec<Arc<FiberLog>>,
    signals: Vec<Arc<SignalLog>>,
}

/// The clock in whose ticks times are counted.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Clock {
    /// Nanoseconds of the host.
    #[default]
    Host,
    /// Cycles of a simulated machine's processors.
    Virtual {
        /// Cycles in a microsecond.
        mhz: f64,
    },
}

impl Clock {
    /// Converts ticks of this clock to microseconds.
    pub fn micros(self, ticks: u64) -> f64 {
        match self {
            Clock::Host => ticks as f64 / 1e3,
            Clock::Virtual { mhz } => ticks as f64 / mhz,
        }
    }
}

/// A queue of a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Queue {
    /// Enabled fibers; in DUAL what the synchronization unit has handed over, values and functions to start
    /// included.
    Ready,
    /// Tokens that no other node can take.
    Tokens,
    /// Events for the synchronization unit: those that wait in its queue, on a simulated machine also those on
    /// their way to it.
    Inbox,
}

impl Queue {
    /// All of them, in the order of the lengths in records.
    pub const ALL: [Queue; 3] = [Queue::Ready, Queue::Tokens, Queue::Inbox];

    /// The name of the queue, for people.
    pub fn name(self) -> &'static str {
        match self {
            Queue::Ready => "ready queue",
            Queue::Tokens => "token queue",
            Queue::Inbox => "event queue",
        }
    }
}

impl Records {
    /// `fibers` and `signals` are of each node, in any order.
    pub(crate) fn new(
        clock: Clock,
        mut fibers: Vec<Arc<FiberLog>>,
        mut signals: Vec<Arc<SignalLog>>,
    ) -> Self {
        fibers.sort_by_key(|log| log.node);
        signals.sort_by_key(|log| log.node);
        Records { clock, fibers, signals }
    }

    /// The clock of all times, which begin with the run.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// The records of each node, node 0 first.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = NodeRecords<'_>> + Clone {
        let began = self.fibers.iter().map(|log| log.began).min().unwrap_or(0);
        let both = self.fibers.iter().zip(&self.signals);
        both.map(move |(fibers, signals)| NodeRecords { began, fibers, signals })
    }
}

/// The records of one node.
#[derive(Clone, Copy, Debug)]
pub struct NodeRecords<'a> {
    began: u64,
    fibers: &'a FiberLog,
    signals: &'a SignalLog,
}

impl<'a> NodeRecords<'a> {
    /// The number of the node.
    pub fn number(&self) -> u32 {
        self.fibers.node
    }

    /// How many fibers, signals and services were not kept, since a unit had written down as much as it
    /// [may](crate::Machine::trace_limit).
    pub fn dropped(&self) -> u64 {
        self.fibers.fibers.dropped + self.signals.signals.dropped + self.signals.services.dropped
    }

    /// How many fibers there are.
    pub fn fiber_count(&self) -> usize {
        self.fibers.fibers.len()
    }

    /// How many signals there are.
    pub fn signal_count(&self) -> usize {
        self.signals.signals.len()
    }

    /// The fibers that ran, in the order in which they did.
    pub fn fibers(&self) -> impl Iterator<Item = FiberRecord> + use<'a> {
        let node = *self;
        let mut changes = node.fibers.lengths.iter().peekable();
        let mut lengths = [0; 3];
        (0..).zip(node.fibers.fibers.iter()).map(move |(number, raw)| {
            if let Some(change) = changes.next_if(|change| change.fiber == number) {
                lengths = change.lengths;
            }
            FiberRecord::new(&node, raw, node.fibers.tells_lengths.then_some(lengths))
        })
    }

    /// The signals that slots counted, in the order in which they were. The value of the run is none of them.
    pub fn signals(&self) -> impl Iterator<Item = SignalRecord> + use<'a> {
        let node = *self;
        let mut senders = node.signals.senders.iter().peekable();
        (0..).zip(node.signals.signals.iter()).map(move |(number, raw)| SignalRecord {
            frame: raw.frame.word(),
            slot: raw.slot & !RawSignal::ENABLES,
            enables: raw.slot & RawSignal::ENABLES != 0,
            sender: match senders.next_if(|(of, _)| *of == number) {
                Some((_, sender)) => sender.known(),
                None => FiberRef::new(node.number(), raw.from).known(),
            },
        })
    }

    /// The times in which the synchronization unit attended to events, in order.
    pub fn services(&self) -> impl Iterator<Item = ServiceRecord> + use<'a> {
        let node = *self;
        node.signals.services.iter().map(move |raw| ServiceRecord {
            begin: node.time(raw.begin),
            end: node.time(raw.end),
            lengths: raw.lengths,
        })
    }

    /// The time from the beginning of the run to a stamp.
    fn time(&self, stamp: u64) -> u64 {
        self.fibers.stamps.between(self.began, stamp)
    }
}

/// A fiber that ran, on the execution unit of its node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct FiberRecord {
    /// When it began, in ticks of the [clock](Records::clock): the time taken to find it is part of it.
    pub begin: u64,
    /// When it was over.
    pub end: u64,
    /// Which fiber of which function it was.
    pub fiber: FiberId,
    /// Its index: that of the slot which enabled it, what it was spawned with, or 0.
    pub index: u32,
    /// What made it run.
    pub cause: Cause,
    /// The lengths of the node's queues when it was over, in the order of [`Queue::ALL`]. In DUAL synchronization units alone
    /// tell of queues.
    pub lengths: Option<[u32; 3]>,
}

impl FiberRecord {
    fn new(node: &NodeRecords<'_>, raw: &RawFiber, lengths: Option<[u32; 3]>) -> Self {
        let RawFiber { begin, end, layout, by, of, index } = *raw;
        let of_node = |node| FiberRef::new(node, of).known();
        let cause = match by {
            Enabler::START => Cause::Started { by: of_node(index) },
            by if by.slot().is_some() => Cause::Enabled { signal: of },
            _ => Cause::Spawned { by: of_node(node.number()) },
        };
        FiberRecord {
            begin: node.time(begin),
            end: node.time(end),
            fiber: FiberId { layout, number: by.fiber(layout) },
            index: if by == Enabler::START { 0 } else { index },
            cause,
            lengths,
        }
    }
}

/// Why a fiber ran.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// It is the first one of a function, which this fiber started; nobody started the main function.
    Started {
        /// The fiber that started it, if that is known.
        by: Option<FiberRef>,
    },
    /// Its slot had all its signals.
    Enabled {
        /// The last of them: how many signals the node had written down before it. One that was not kept has a number
        /// that no signal has.
        signal: u32,
    },
    /// A fiber of its own frame spawned it.
    Spawned {
        /// The fiber that spawned it, if that is known.
        by: Option<FiberRef>,
    },
}

/// Which fiber of which function. Several may have the same names.
#[derive(Clone, Copy, Debug)]
pub struct FiberId {
    layout: &'static Layout,
    number: u32,
}

impl FiberId {
    /// The name of the function, without the modules it is in. Cost: an allocation.
    pub fn function(self) -> String {
        self.layout.name()
    }

    /// The name of the fiber in its function.
    pub fn name(self) -> &'static str {
        self.layout.fiber_name(self.number)
    }
}

impl PartialEq for FiberId {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.layout, other.layout) && self.number == other.number
    }
}

impl Eq for FiberId {}

impl Hash for FiberId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (std::ptr::from_ref(self.layout), self.number).hash(state);
    }
}

/// A signal that a slot counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SignalRecord {
    /// The frame of the slot: no two frames of a node have the same.
    pub frame: u64,
    /// The number of the slot in its frame.
    pub slot: u32,
    /// Whether the slot had all its signals then, so that it enabled its fiber.
    pub enables: bool,
    /// The fiber that sent the signal, if that is known. It may be one that was not kept: its number is then no less than
    /// its node has fibers.
    pub sender: Option<FiberRef>,
}

/// A time in which a synchronization unit attended to events: in DUAL one batch, or one event on a simulated machine; in SPN
/// what came from other nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ServiceRecord {
    /// When it began, in ticks of the [clock](Records::clock).
    pub begin: u64,
    /// When it was over.
    pub end: u64,
    /// The lengths of the node's queues at its end, in the order of [`Queue::ALL`].
    pub lengths: [u32; 3],
}
