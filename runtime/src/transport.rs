//! The way out of a node, which a machine brings for each of its nodes, and that from the execution unit of a DUAL node to
//! the other unit.

use std::sync::Arc;
use std::task;

use earth_signal::{Sent, Sleepers};

use crate::node::event::Note;
use crate::node::event_slab::{EventKey, EventSlab};
use crate::node::issue_meter::IssueMeter;
use crate::ranks::Mailbox;

/// A handle that wakes the worker of the other unit of a DUAL node, if that is another worker.
#[derive(Clone)]
pub(crate) struct Waker {
    worker: Option<(Arc<Sleepers>, usize)>,
    /// What ends the rest of a worker that [rests](Sleepers::rest) otherwise than among the sleepers.
    rest: Option<task::Waker>,
}

impl Waker {
    /// A handle that wakes `worker`.
    pub(crate) fn new(sleepers: &Arc<Sleepers>, worker: usize) -> Self {
        Waker { worker: Some((Arc::clone(sleepers), worker)), rest: None }
    }

    /// A handle that wakes `worker`, whose rest is ended by this, if it is.
    pub(crate) fn of_rest(sleepers: &Arc<Sleepers>, worker: usize, rest: Option<task::Waker>) -> Self {
        Waker { rest, ..Self::new(sleepers, worker) }
    }

    /// A handle that wakes nobody: one worker runs both units.
    pub(crate) const fn none() -> Self {
        Waker { worker: None, rest: None }
    }

    /// Whether it wakes nobody.
    #[inline]
    pub(crate) fn is_none(&self) -> bool {
        self.worker.is_none()
    }

    /// Wakes the worker if it is seen to sleep. Returns whether it is to be [woken](Self::wake) as well, before the caller
    /// rests: it may be about to sleep, unseen.
    #[inline]
    pub(crate) fn nudge(&self) -> bool {
        self.worker.as_ref().is_some_and(|(sleepers, worker)| {
            // Whoever takes the announcement ends the rest: nobody else will.
            if sleepers.nudge(*worker)
                && let Some(rest) = &self.rest
            {
                rest.wake_by_ref();
            }
            true
        })
    }

    #[inline]
    pub(crate) fn wake(&self) {
        if let Some((sleepers, worker)) = &self.worker
            && sleepers.wake(*worker)
            && let Some(rest) = &self.rest
        {
            rest.wake_by_ref();
        }
    }
}

/// The exchange between a unit that is stepped in virtual time and the machine that steps it, of events `E` and tokens `T`.
pub(crate) struct Port<E, T> {
    /// The machine's outbox while this unit acts; an empty one otherwise.
    pub(crate) outbox: Box<Outbox<E>>,
    /// A token that came from another node and waits to be [taken](Transport::steal).
    pub(crate) token: Option<Stolen<T>>,
}

impl<E: Default, T> Port<E, T> {
    pub(crate) fn new() -> Self {
        Port { outbox: Box::new(Outbox::new()), token: None }
    }
}

/// A token that came from node `from`.
pub(crate) enum Stolen<T> {
    /// The token itself: both nodes are in this process.
    Token { from: u32, token: T },
    /// The token as its node has packed it.
    Bytes { from: u32, bytes: Vec<u8> },
}

/// An event that leaves a node.
#[derive(Clone, Copy)]
pub(crate) struct Departure {
    pub(crate) to: u32,
    pub(crate) key: EventKey,
    /// The bytes of its blocks.
    pub(crate) bulk: u64,
    pub(crate) at: u64,
}

/// The events that units send. A machine has one outbox, which it lends to the unit it steps.
pub(crate) struct Outbox<E> {
    /// The events sent since the machine last looked.
    pub(crate) sent: Vec<Departure>,
    /// Whether the node shared tokens since the machine last looked.
    pub(crate) shares: bool,
    /// The events, until they are received.
    pub(crate) events: Box<EventSlab<E>>,
}

impl<E: Default> Outbox<E> {
    pub(crate) fn new() -> Self {
        Outbox { sent: Vec::new(), shares: false, events: Box::default() }
    }
}

/// Carries events `E` to other nodes and tokens `T` between them. Object-safe: a machine is a
/// value, and so is its network.
pub(crate) trait Transport<E: From<Note>, T>: Send {
    /// Prepares for a run, as new.
    fn begin(&mut self) {}

    /// Sends `event` to node `to`. Never waits: an event that finds no room is held back here, and so is every
    /// later one for that node, until [`flush`](Transport::flush) has sent those before it. Events for one node
    /// arrive there in the order in which they were sent; nothing else is promised about their order. While
    /// anything is held back, the node takes no new token. `now` is the sender's clock, which a machine that
    /// charges for sending lets run on.
    fn send(&mut self, to: u32, event: E, now: &mut u64) -> Sent;

    /// Sends a signal to the node of its slot as [`send`](Transport::send) does.
    fn signal(&mut self, note: Note, now: &mut u64) -> Sent {
        self.send(note.to.node(), note.into(), now)
    }

    /// How many events are held back for lack of room.
    fn held_back(&self) -> usize;

    /// Tries again to send what is held back. Returns how many events are held back still.
    fn flush(&mut self) -> usize;

    /// Takes a token that another node shares.
    fn steal(&mut self) -> Option<Stolen<T>>;

    /// Whether another node shares a token at this moment.
    fn can_steal(&self) -> bool;

    /// Tells sleeping nodes that this one shares tokens.
    fn shares(&mut self);

    /// The port that a simulated machine looks into after each step; `None` on other machines.
    fn port(&mut self) -> Option<&mut Port<E, T>> {
        None
    }

    /// What a simulated machine takes the operations of a DUAL node's execution unit from; `None` on other ways.
    fn meter(&mut self) -> Option<&mut IssueMeter<E>> {
        None
    }

    /// What a machine of ranks sends and receives by; `None` on other machines.
    fn mailbox(&mut self) -> Option<&mut Option<Box<Mailbox>>> {
        None
    }
}
