//! Recording of a run by a machine that [traces](crate::Machine::trace):
//! [`Run::records`](crate::Run::records), or [`Machine::failed_records`](crate::Machine::failed_records) of a
//! run that ended with an error.
//!
//! These are the notes of each node as its units took them, as plain data: the fibers that ran, the signals
//! that slots counted, the periods in which synchronization units handled events. The crate `earth-trace`
//! makes a trace of them: dependencies, work and span, pictures.
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
//! let records = run.records.expect("the machine traces");
//! let node = records.nodes().next().expect("it has one node");
//! let [start, say] = node.fibers().collect::<Vec<_>>()[..] else { panic!("two fibers ran") };
//! assert_eq!((start.fiber.name(), say.fiber.name()), ("start", "say"));
//! assert!(start.end <= say.begin && say.cause == Cause::Enabled { signal: 0 });
//! let signal = node.signals().next().expect("the slot counted one");
//! assert_eq!(signal.sender.map(|sender| sender.number()), Some(0));
//! # Ok::<(), earth::Error>(())
//! ```
//!
//! [`Records`] can be serialized, to JSON for example:
//!
//! ```
//! # use earth::{Eu, Machine, Reply, threaded};
//! # struct Answer;
//! # #[threaded]
//! # impl Answer {
//! #     fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
//! #         eu.put(out, 42);
//! #     }
//! # }
//! let run = Machine::threads(1).trace(true).run(Answer::call)?;
//! let json = serde_json::to_value(&run.records).expect("records are plain data");
//! let ran = &json["nodes"][0]["fibers"][0];
//! assert_eq!(ran["fiber"], serde_json::json!({"function": "Answer", "name": "start"}));
//! assert!(ran["begin_ticks"].as_u64() <= ran["end_ticks"].as_u64());
//! # Ok::<(), earth::Error>(())
//! ```
//!
//! | object | keys |
//! |---|---|
//! | records | `clock`, `nodes` in the order of their numbers |
//! | clock | `kind`: `host`, whose ticks are nanoseconds, or `virtual`, whose ticks are cycles, with `mhz` |
//! | node | `number`, `dropped`, `clock_error_ticks`, and the lists `fibers`, `signals`, `services` |
//! | fiber that ran | `begin_ticks`, `end_ticks`, `fiber` (its `function` and `name`), `index`, `cause`, `lengths` |
//! | cause | `kind`: `started` or `spawned` with `by`, `enabled` with `signal` |
//! | signal | `frame`, `slot`, `enables`, `sender` |
//! | service | `begin_ticks`, `end_ticks`, `lengths` |
//!
//! A sender, and the fiber `by`, are objects with `node` and `number`, or null. `lengths` are in the order of
//! [`Queue::ALL`]. Times are ticks of the clock since the run began. Serialization makes a text for each
//! fiber's function, and keeps no copy of the records.
//!
//! On a machine of [ranks](crate::ranks), rank 0 gets the records of all nodes at the end of a run. Times of
//! other processes are converted to the clock of rank 0, and [`clock_error`](NodeRecords::clock_error) bounds
//! their error.
//!
//! Records of one process are not copied. A run shares the logs of its machine's units. The next run
//! overwrites them if no other owner is left.

pub(crate) mod gathered;
mod serialize;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde::Serialize;

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

/// The clock whose ticks measure times.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Clock {
    /// Nanoseconds of the host.
    #[default]
    Host,
    /// Cycles of a simulated machine's processors.
    Virtual {
        /// Cycles per microsecond.
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
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Queue {
    /// Enabled fibers. In DUAL: all items that the synchronization unit has handed over, including values and
    /// functions to start.
    Ready,
    /// Tokens that no other node can take.
    Tokens,
    /// Events for the synchronization unit that wait in its queue. On a simulated machine, also the events on
    /// their way to it.
    Inbox,
}

impl Queue {
    /// All queues, in the order of the lengths in records.
    pub const ALL: [Queue; 3] = [Queue::Ready, Queue::Tokens, Queue::Inbox];

    /// Returns the display name of the queue.
    pub fn name(self) -> &'static str {
        match self {
            Queue::Ready => "ready queue",
            Queue::Tokens => "token queue",
            Queue::Inbox => "event queue",
        }
    }
}

impl Records {
    /// Builds the records of a run from each node's `fibers` and `signals`, in any order.
    pub(crate) fn new(
        clock: Clock,
        mut fibers: Vec<Arc<FiberLog>>,
        mut signals: Vec<Arc<SignalLog>>,
    ) -> Self {
        fibers.sort_by_key(|log| log.node);
        signals.sort_by_key(|log| log.node);
        Records { clock, fibers, signals }
    }

    /// Adds the records of further nodes of this process.
    pub(crate) fn add(&mut self, more: Records) {
        let Records { mut fibers, mut signals, .. } = std::mem::take(self);
        fibers.extend(more.fibers);
        signals.extend(more.signals);
        *self = Records::new(more.clock, fibers, signals);
    }

    /// Adds empty records of the nodes that other processes have, for a machine of `nodes` nodes.
    pub(crate) fn of_all_nodes(self, nodes: usize) -> Records {
        let Records { clock, mut fibers, mut signals } = self;
        let own: Vec<_> = fibers.iter().map(|log| log.node).collect();
        // Times of other processes do not count as the beginning of the run.
        let began = fibers.iter().map(|log| log.began).min().unwrap_or(0);
        for node in (0..nodes as u32).filter(|node| !own.contains(node)) {
            fibers.push(Arc::new(FiberLog::empty(node, began)));
            signals.push(Arc::new(SignalLog::empty(node)));
        }
        Records::new(clock, fibers, signals)
    }

    /// Returns the clock of all times. Times begin with the run.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Returns the records of each node, node 0 first.
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
    /// Returns the number of the node.
    pub fn number(&self) -> u32 {
        self.fibers.node
    }

    /// Returns the largest error of the node's times relative to node 0's, in ticks of the
    /// [clock](Records::clock). It is 0 if the node is in the process of node 0.
    pub fn clock_error(&self) -> u64 {
        self.fibers.clock_error
    }

    /// Returns how many fibers, signals and services were not kept, because a unit had reached its
    /// [limit](crate::Machine::trace_limit).
    pub fn dropped(&self) -> u64 {
        self.fibers.fibers.dropped + self.signals.signals.dropped + self.signals.services.dropped
    }

    /// Returns the number of fibers.
    pub fn fiber_count(&self) -> usize {
        self.fibers.fibers.len()
    }

    /// Returns the number of signals.
    pub fn signal_count(&self) -> usize {
        self.signals.signals.len()
    }

    /// Returns the fibers in the order in which they ran.
    pub fn fibers(&self) -> impl Iterator<Item = FiberRecord> + use<'a> {
        let node = *self;
        let mut changes = node.fibers.lengths.iter().peekable();
        let mut lengths = [0; 3];
        (0..).zip(node.fibers.fibers.iter()).map(move |(number, raw)| {
            if let Some(change) = changes.next_if(|change| change.fiber == number) {
                lengths = change.lengths;
            }
            FiberRecord::new(&node, raw, node.fibers.records_lengths.then_some(lengths))
        })
    }

    /// Returns the signals in the order in which slots counted them. The value of the run is not among them.
    pub fn signals(&self) -> impl Iterator<Item = SignalRecord> + use<'a> {
        let node = *self;
        let mut senders = node.signals.senders.iter().peekable();
        (0..).zip(node.signals.signals.iter()).map(move |(number, raw)| SignalRecord {
            frame: raw.frame,
            slot: raw.slot & !RawSignal::ENABLES,
            enables: raw.slot & RawSignal::ENABLES != 0,
            sender: match senders.next_if(|(of, _)| *of == number) {
                Some((_, sender)) => sender.known(),
                None => FiberRef::new(node.number(), raw.from).known(),
            },
        })
    }

    /// Returns the periods in which the synchronization unit handled events, in order.
    pub fn services(&self) -> impl Iterator<Item = ServiceRecord> + use<'a> {
        let node = *self;
        node.signals.services.iter().map(move |raw| ServiceRecord {
            begin: node.time(raw.begin),
            end: node.time(raw.end),
            lengths: raw.lengths,
        })
    }

    /// Returns the time from the beginning of the run to a stamp.
    fn time(&self, stamp: u64) -> u64 {
        self.fibers.stamps.between(self.began, stamp)
    }
}

/// A fiber that ran, on the execution unit of its node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct FiberRecord {
    /// When it began, in ticks of the [clock](Records::clock), including the time taken to find it.
    #[serde(rename = "begin_ticks")]
    pub begin: u64,
    /// When it ended.
    #[serde(rename = "end_ticks")]
    pub end: u64,
    /// Its function and its number in the function.
    pub fiber: FiberId,
    /// Its index: the index of the slot that enabled it, the index it was spawned with, or 0.
    pub index: u32,
    /// The cause of its run.
    pub cause: Cause,
    /// The lengths of the node's queues when it ended, in the order of [`Queue::ALL`]. In DUAL only
    /// synchronization units record queue lengths.
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
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Cause {
    /// It is the first fiber of a function, which the fiber `by` started. The main function has no starter.
    Started {
        /// The fiber that started it, if known.
        by: Option<FiberRef>,
    },
    /// Its slot had all its signals.
    Enabled {
        /// The number of signals that the node had recorded before its last signal. If the last signal was
        /// not kept, no signal has this number.
        signal: u32,
    },
    /// A fiber of its own frame spawned it.
    Spawned {
        /// The fiber that spawned it, if known.
        by: Option<FiberRef>,
    },
}

/// Identity of a fiber in its function. Several may have the same names.
#[derive(Clone, Copy, Debug)]
pub struct FiberId {
    layout: &'static Layout,
    number: u32,
}

impl FiberId {
    /// Returns the name of the function, without its modules. Cost: an allocation.
    pub fn function(self) -> String {
        self.layout.name()
    }

    pub(crate) fn layout(self) -> &'static Layout {
        self.layout
    }

    pub(crate) fn number(self) -> u32 {
        self.number
    }

    /// Returns the name of the fiber in its function.
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
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct SignalRecord {
    /// The frame of the slot, unique on its node.
    pub frame: u64,
    /// The number of the slot in its frame.
    pub slot: u32,
    /// Whether this was the last missing signal of the slot, so that it enabled its fiber.
    pub enables: bool,
    /// The fiber that sent the signal, if known. If that fiber was not kept, its number is at least its
    /// node's number of fibers.
    pub sender: Option<FiberRef>,
}

/// A period in which a synchronization unit handled events: in DUAL one batch, or one event on a simulated
/// machine; in SPN the events from other nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct ServiceRecord {
    /// When it began, in ticks of the [clock](Records::clock).
    #[serde(rename = "begin_ticks")]
    pub begin: u64,
    /// When it ended.
    #[serde(rename = "end_ticks")]
    pub end: u64,
    /// The lengths of the node's queues at its end, in the order of [`Queue::ALL`].
    pub lengths: [u32; 3],
}
