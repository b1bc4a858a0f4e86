//! The way out of a node, which a machine brings for each of its nodes, and that from the execution unit of a DUAL node to
//! the other unit.

use std::any::Any;
use std::sync::Arc;
use std::task;

use earth_signal::{Sent, Sleepers};

use crate::node::event::Note;

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

/// A token that came from node `from`.
pub(crate) enum Stolen<T> {
    /// The token itself: both nodes are in this process.
    Token { from: u32, token: T },
    /// The token as its node has packed it.
    Bytes { from: u32, bytes: Vec<u8> },
}

/// Carries events `E` to other nodes and tokens `T` between them. Object-safe: a machine is a
/// value, and so is its network. A machine finds the one that it has brought by its type.
pub(crate) trait Transport<E: From<Note>, T>: Send + Any {
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

    /// How many events are held back for lack of room. A transport that has room for all keeps this and the next.
    fn held_back(&self) -> usize {
        0
    }

    /// Tries again to send what is held back. Returns how many events are held back still.
    fn flush(&mut self) -> usize {
        0
    }

    /// Takes a token that another node shares.
    fn steal(&mut self) -> Option<Stolen<T>> {
        None
    }

    /// Whether another node shares a token at this moment.
    fn can_steal(&self) -> bool {
        false
    }

    /// The node has taken events out of its inbox: senders that sleep for lack of room there may go on.
    fn makes_room(&mut self) {}

    /// Tells sleeping nodes that this one shares tokens.
    fn shares(&mut self) {}

    /// Nothing is left of the tokens that this node shared.
    fn shares_none(&mut self) {}
}

/// Tells other nodes whether a node shares tokens.
pub(crate) trait Offer: Send {
    /// The node shares tokens.
    fn raise(&mut self);

    /// The node shares none any more.
    fn lower(&mut self);
}

/// A node whose other unit looks by itself at what is shared, and is woken for that.
impl Offer for Waker {
    fn raise(&mut self) {
        self.wake();
    }

    fn lower(&mut self) {}
}
