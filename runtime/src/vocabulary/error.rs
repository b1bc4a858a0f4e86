//! Errors of a run, by name.
//!
//! The first error ends a run: units finish their current fiber, then every frame, queue and token is
//! dropped, and the machine can run again. No error causes a hang, provided that each fiber returns.

use std::fmt;

use super::wire::Wire;

/// The reason why a run returned no value.
///
/// A `main` that returns the error prints it by `Debug`. So `Debug` prints the sentence of `Display`, and
/// then the [section](Error::section) to read about cause and remedy:
///
/// ```
/// use earth::Error;
///
/// assert_eq!(Error::Cancelled.to_string(), "the run was cancelled");
/// assert_eq!(format!("{:?}", Error::Cancelled), "the run was cancelled (guide, errors: Cancelled)");
/// ```
#[derive(Clone, PartialEq, Eq, thiserror::Error, Wire)]
#[non_exhaustive]
pub enum Error {
    /// A fiber panicked.
    #[error("{at} panicked: {message}")]
    Panicked {
        /// The fiber.
        at: FiberName,
        /// The panic message, if it was text.
        message: String,
    },

    /// A node could not allocate memory for its frames, its queues or the arrays of a fiber.
    #[error("{at} could not allocate {bytes} bytes for {what}")]
    NoMemory {
        /// The fiber.
        at: FiberName,
        /// The requested size, in bytes.
        bytes: u64,
        /// The use of the memory.
        what: String,
    },

    /// A policy, network or cost model of the program panicked, or gave an answer that cannot be right.
    #[error("the policy `{policy}` of node {node} {why}")]
    Policy {
        /// The name of the policy.
        policy: String,
        /// The node that called it. For a network it is the sender of the message.
        node: usize,
        /// The fault.
        why: String,
    },

    /// A fiber returned an error.
    #[error("{at} failed: {why}")]
    Failed {
        /// The fiber.
        at: FiberName,
        /// The error, as text.
        why: String,
    },

    /// No fiber can run any more, and one of these is left over:
    ///
    /// * a frame that waits;
    /// * a value that is parked at a full inlet;
    /// * a slot with a reset whose frame ended in the middle of a round.
    #[error("the run is stuck: {0}")]
    Stuck(Box<Stuck>),

    /// A signal came for a slot that expects none: a one-shot slot at zero, or a slot that never got a count.
    #[error("{slot} received more signals than its count; the extra signal came from {sender}")]
    TooManySignals {
        /// The slot.
        slot: EntryName,
        /// The fiber that sent the signal, or that requested the value of the signal.
        sender: Box<FiberName>,
    },

    /// A count that is computed when the frame starts is 0, and the first fiber did not end the function. No
    /// signal would ever enable the slot's fiber.
    #[error("{slot} starts with a count of 0, so its fiber `{fiber}` would never run")]
    NeverEnabled {
        /// The slot.
        slot: EntryName,
        /// The fiber that the slot enables.
        fiber: String,
    },

    /// The count of a one-shot slot was raised after the slot had reached zero, or was raised beyond 32 bits.
    #[error("the count of {slot} cannot be raised: {why}")]
    CannotRaise {
        /// The slot.
        slot: EntryName,
        /// The reason.
        why: Box<str>,
    },

    /// An address outlived its frame, or names a slot, inlet or cell that the frame does not have.
    #[error("{sender} sent {what} to {to}, which {why}")]
    StaleAddress {
        /// The message: "a signal", "a value" or "a read request".
        what: Box<str>,
        /// The slot, inlet or cell. The name of a function whose frame ended many frames ago is no longer
        /// known.
        to: EntryName,
        /// The fault of the address.
        why: Box<str>,
        /// The fiber that sent the message, or that requested the value.
        sender: Box<FiberName>,
    },

    /// Signals without values enabled a fiber before a value for one of its inlets had arrived.
    #[error(
        "{at} was enabled before a value came for {inlet}: its slot got more signals than it counts beside its inlets"
    )]
    NotDelivered {
        /// The fiber.
        at: FiberName,
        /// The inlet.
        inlet: String,
    },

    /// More values than the limit were parked at full inlets of one node.
    #[error("more than {limit} values are parked at full inlets of node {node}; the last was for {inlet}")]
    ParkingFull {
        /// The node.
        node: usize,
        /// The limit, set by [`Machine::parking_limit`](crate::Machine::parking_limit).
        limit: usize,
        /// The inlet.
        inlet: EntryName,
    },

    /// A write-once cell was written twice.
    #[error("{cell} was written twice")]
    WrittenTwice {
        /// The cell.
        cell: EntryName,
    },

    /// A frame ended while a value, a reader or a fiber still needed it.
    #[error("{function} on node {node} ended {why}")]
    EndedTooEarly {
        /// The function.
        function: String,
        /// The node.
        node: usize,
        /// The reason why the frame was still needed.
        why: Box<str>,
    },

    /// A fiber named a node that the machine does not have.
    #[error("{at} named node {node}, but the nodes of the machine are 0..{nodes}")]
    NoSuchNode {
        /// The fiber.
        at: FiberName,
        /// The node named.
        node: usize,
        /// The number of nodes of the machine.
        nodes: usize,
    },

    /// A fiber used a slot, inlet, cell or fiber that its function or this frame does not have, or sizes of a
    /// frame that do not fit 32 bits.
    #[error("{at} used {what}{}", at_place(.place.as_deref()))]
    NoSuchEntry {
        /// The fiber.
        at: FiberName,
        /// The entry or the size that the fiber used.
        what: String,
        /// The place of the use in the program, `file:line:column`, if it is known.
        place: Option<String>,
    },

    /// The bytes of an event did not encode a valid event.
    #[error("node {node} could not decode the bytes of an event from node {from}")]
    Undecodable {
        /// The node that received the event.
        node: usize,
        /// The node that sent the event.
        from: usize,
    },

    /// A value that stays in its process, such as a [`Shared`](crate::Shared), was sent to another node
    /// through bytes.
    #[error(
        "a value that holds a `{type_name}`, which stays in its process, was sent to node {node} through bytes"
    )]
    StaysInProcess {
        /// The name of the type.
        type_name: String,
        /// The receiving node.
        node: usize,
    },

    /// Everything ended and no fiber had put a value to the reply of the main function.
    #[error("the main function {function} ended without a value")]
    NoValue {
        /// The main function.
        function: String,
    },

    /// The run ended before any fiber had put a value to the reply of a request from outside.
    #[error("the run ended without an answer to this request")]
    Unanswered,

    /// A second value was put to the reply of the main function.
    #[error("the reply of the main function was given a second value")]
    SecondValue,

    /// Memory cannot be lent to the run in the requested shape.
    #[error("memory cannot be lent to the run: {0}")]
    WrongShape(Box<str>),

    /// The machine cannot be built with the requested options.
    #[error("the machine cannot be built: {0}")]
    CannotBuild(String),

    /// An environment variable has an invalid value.
    #[error("the environment variable {variable} must be {expected}, not `{value}`")]
    Environment {
        /// The name of the variable.
        variable: String,
        /// The valid values.
        expected: String,
        /// The value of the variable.
        value: String,
    },

    /// A machine of ranks whose link is bound to a thread ran in another thread.
    #[error("the machine's link is bound to the thread that made the machine; run it there")]
    WrongThread,

    /// A forked process used a copy of a run, an input or a machine of ranks that belongs to its parent.
    #[error("{what} belongs to the process from which this one was forked")]
    Forked {
        /// The object.
        what: Box<str>,
    },

    /// The [`CancelToken`](crate::CancelToken) of the run ended it.
    #[error("the run was cancelled")]
    Cancelled,

    /// A recorded run cannot be repeated: the recording is of another program, or the recorded run was ended
    /// from outside.
    #[error("the recorded run cannot be repeated: {0}")]
    NotReplayed(String),

    /// A run of a simulated machine did not end within its [limit](crate::Machine::step_limit).
    #[error("the run did not end within {limit} steps of the simulated machine")]
    TooManySteps {
        /// The limit, in steps.
        limit: u64,
    },

    /// A run of a simulated machine takes 2^62 cycles of virtual time or more.
    #[error("the run takes 2^62 cycles of the simulated machine or more")]
    TooLong,

    /// A rank of a machine of [ranks](crate::ranks) is gone: its link lost it, or its machine was dropped.
    #[error("rank {rank} is lost: {why}")]
    LostRank {
        /// The rank.
        rank: usize,
        /// The cause.
        why: String,
    },

    /// A rank of a machine of [ranks](crate::ranks) runs another program, or begins the run with other
    /// values.
    #[error("rank {rank} cannot take part in the run: {why}")]
    OtherProgram {
        /// The rank.
        rank: usize,
        /// The difference from this rank.
        why: String,
    },

    /// A rank called the wrong function: rank 0 of a machine of [ranks](crate::ranks) calls `run`, the others
    /// call `serve`.
    #[error("{0}")]
    WrongRank(Box<str>),

    /// A fiber called `run` or a method of an [`Input`](crate::input::Input), or waited for an
    /// [`Answer`](crate::input::Answer).
    #[error("a run was started inside a fiber; a fiber starts functions by `invoke` and `token`")]
    InsideFiber,
}

/// Returns the end of a sentence about something that happened at this place.
fn at_place(place: Option<&str>) -> String {
    place.map(|place| format!(", at {place}")).unwrap_or_default()
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} (guide, {})", self.section())
    }
}

/// Implements `section` for all variants, which it lists.
macro_rules! sections {
    ($($variant:ident)+) => {
        impl Error {
            /// Returns the section of the guide that has the cause of this error and the remedy, such as
            /// `errors: Stuck`: the page "Errors", and the name of the variant in its table.
            pub const fn section(&self) -> &'static str {
                match self {
                    $(Error::$variant { .. } => concat!("errors: ", stringify!($variant)),)+
                }
            }
        }
    };
}

sections! {
    Panicked NoMemory Policy Failed Stuck TooManySignals NeverEnabled CannotRaise StaleAddress NotDelivered
    ParkingFull WrittenTwice EndedTooEarly NoSuchNode NoSuchEntry Undecodable StaysInProcess NoValue
    Unanswered SecondValue WrongShape CannotBuild Environment WrongThread Forked Cancelled TooManySteps NotReplayed TooLong
    LostRank
    OtherProgram WrongRank InsideFiber
}

/// A fiber of a function on a node.
#[derive(Clone, PartialEq, Eq, Debug, Wire)]
pub struct FiberName {
    /// The function.
    pub function: String,
    /// The fiber.
    pub fiber: String,
    /// The node.
    pub node: usize,
}

impl fmt::Display for FiberName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "fiber `{}` of {} on node {}", self.fiber, self.function, self.node)
    }
}

/// A slot, inlet or cell of a frame on a node.
#[derive(Clone, PartialEq, Eq, Debug, Wire)]
pub struct EntryName {
    /// The kind of the entry: slot, inlet or cell.
    pub what: Box<str>,
    /// The name of the entry: `name[index]` for an element of an array.
    pub name: String,
    /// The function.
    pub function: String,
    /// The node.
    pub node: usize,
}

impl fmt::Display for EntryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}` of {} on node {}", self.what, self.name, self.function, self.node)
    }
}

/// The state that was left when no fiber could run any more.
#[derive(Clone, PartialEq, Eq, Debug, Default, Wire)]
pub struct Stuck {
    /// The number of live frames.
    pub frames: usize,
    /// The number of values parked at full inlets.
    pub parked: usize,
    /// The first live frames, ordered by node and frame; at most [`Stuck::SHOWN`].
    pub shown: Vec<StuckFrame>,
    /// The number of slots with a reset that were in the middle of a round when their frame ended.
    pub unfinished: usize,
    /// The first of these slots, ordered by node; at most [`Stuck::SHOWN`].
    pub rounds: Vec<UnfinishedRound>,
}

/// A frame that was live when no fiber could run any more.
#[derive(Clone, PartialEq, Eq, Debug, Default, Wire)]
pub struct StuckFrame {
    /// The function.
    pub function: String,
    /// The node.
    pub node: usize,
    /// An identity that is unique among the frames of its node.
    pub frame: u64,
    /// The frames, with their nodes, whose addresses this frame held. They are the frames that wait to read
    /// its cells and, if its state is [`Wire`], the frames of all addresses in the state.
    pub holds: Vec<(usize, u64)>,
    /// Whether its state is [`Wire`], so that `holds` contains all addresses in it.
    pub reports_addresses: bool,
    /// Slots that still waited; at most [`Stuck::SHOWN`].
    pub waiting: Vec<StuckSlot>,
    /// Full inlets, each with the number of values parked behind it; at most [`Stuck::SHOWN`].
    pub full: Vec<(String, usize)>,
    /// Cells that were read but not written, each with the number of reads; at most [`Stuck::SHOWN`].
    pub unwritten: Vec<(String, usize)>,
}

/// A slot that waited for signals when no fiber could run any more.
#[derive(Clone, PartialEq, Eq, Debug, Wire)]
pub struct StuckSlot {
    /// The slot.
    pub slot: String,
    /// The number of signals of its round that had come.
    pub got: u32,
    /// The number of signals that the round takes.
    pub expected: u32,
}

/// A round of a slot with a reset that had some, but not all, of its signals when the slot's frame ended.
#[derive(Clone, PartialEq, Eq, Debug, Wire)]
pub struct UnfinishedRound {
    /// The slot.
    pub slot: EntryName,
    /// The number of signals of the round that had come.
    pub got: u32,
    /// The number of signals that the round takes.
    pub expected: u32,
}

impl Stuck {
    /// The most frames that a report shows, and the most slots, inlets and cells of each.
    pub const SHOWN: usize = 8;

    /// Adds the report of other nodes.
    pub(crate) fn add(&mut self, more: Stuck) {
        let Stuck { frames, parked, shown, unfinished, rounds } = more;
        for (sum, more) in
            [(&mut self.frames, frames), (&mut self.parked, parked), (&mut self.unfinished, unfinished)]
        {
            *sum = sum.saturating_add(more);
        }
        self.shown.extend(shown);
        self.shown.sort_by_key(|frame| frame.node);
        self.shown.truncate(Self::SHOWN);
        self.rounds.extend(rounds);
        self.rounds.sort_by_key(|round| round.slot.node);
        self.rounds.truncate(Self::SHOWN);
    }

    /// Whether no frame, value or round was left over.
    pub(crate) fn is_empty(&self) -> bool {
        self.frames == 0 && self.parked == 0 && self.unfinished == 0
    }
}

impl fmt::Display for Stuck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural =
            |count: usize, one: &'static str, many: &'static str| if count == 1 { one } else { many };
        let mut kinds = vec![
            (self.frames, plural(self.frames, "frame is live", "frames are live")),
            (self.parked, plural(self.parked, "value is parked", "values are parked")),
            (self.unfinished, plural(self.unfinished, "round was cut short", "rounds were cut short")),
        ];
        kinds.retain(|(count, _)| *count > 0);
        for (at, (count, what)) in kinds.into_iter().enumerate() {
            write!(f, "{}{count} {what}", if at > 0 { " and " } else { "" })?;
        }
        for frame in &self.shown {
            write!(f, "; {frame}")?;
            self.describe_holders(frame, f)?;
        }
        if self.frames > self.shown.len() {
            write!(f, "; and {} more", self.frames - self.shown.len())?;
        }
        for round in &self.rounds {
            write!(f, "; {round}")?;
        }
        if self.unfinished > self.rounds.len() {
            write!(f, "; and {} more", self.unfinished - self.rounds.len())?;
        }
        Ok(())
    }
}

impl fmt::Display for UnfinishedRound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} got {} of {} signals before its frame ended", self.slot, self.got, self.expected)
    }
}

impl fmt::Display for StuckFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on node {}", self.function, self.node)?;
        for StuckSlot { slot, got, expected } in &self.waiting {
            let count = expected.wrapping_sub(*got);
            let signals = if count == 1 { "signal" } else { "signals" };
            write!(f, ", slot `{slot}` waits for {count} {signals} (got {got} of {expected})")?;
        }
        for (inlet, parked) in &self.full {
            write!(f, ", inlet `{inlet}` is full")?;
            if *parked > 0 {
                write!(f, " with {parked} parked behind")?;
            }
        }
        for (cell, readers) in &self.unwritten {
            write!(f, ", cell `{cell}` was requested {readers} times and never written")?;
        }
        Ok(())
    }
}
