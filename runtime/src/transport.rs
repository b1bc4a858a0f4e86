//! Paths out of a node: the transport that a machine provides for each node, and the waker of a DUAL node's
//! other unit.

use std::any::Any;
use std::sync::Arc;

use earth_signal::{Sent, Sleepers};

use crate::node::event::Note;
use crate::ranks::Message;

/// A handle that wakes the worker of a DUAL node's other unit, if that is another worker.
#[derive(Clone)]
pub(crate) struct Waker(Option<(Arc<Sleepers>, usize)>);

impl Waker {
    /// Returns a handle that wakes `worker`.
    pub(crate) fn new(sleepers: &Arc<Sleepers>, worker: usize) -> Self {
        Waker(Some((Arc::clone(sleepers), worker)))
    }

    /// Returns a handle that wakes no worker: one worker runs both units.
    pub(crate) const fn none() -> Self {
        Waker(None)
    }

    /// Whether it wakes no worker.
    #[inline]
    pub(crate) fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// Wakes the worker if its announcement is visible. Returns whether the caller must also call
    /// [`wake`](Self::wake) before it rests, because the worker may be about to sleep unseen.
    #[inline]
    pub(crate) fn nudge(&self) -> bool {
        self.0.as_ref().is_some_and(|(sleepers, worker)| {
            sleepers.nudge(*worker);
            true
        })
    }

    #[inline]
    pub(crate) fn wake(&self) {
        if let Some((sleepers, worker)) = &self.0 {
            sleepers.wake(*worker);
        }
    }
}

/// A token that came from node `from` of this process.
pub(crate) struct StolenToken<T> {
    pub(crate) from: u32,
    pub(crate) token: T,
}

/// Carries events `E` to other nodes and tokens `T` between them. It is object-safe, because a machine is a
/// value, and so is its network. A machine finds its own transport by its type.
pub(crate) trait Transport<E: From<Note>, T>: Send + Any {
    /// Resets the transport for a run.
    fn begin(&mut self) {}

    /// Sends `event` to node `to`. Never waits. An event that finds no room is held back here, and so is
    /// every later event for that node, until [`flush`](Transport::flush) has sent the earlier ones. Events
    /// for one node arrive there in the order in which they were sent; no other order is promised. While any
    /// event is held back, the node takes no new token. `now` is the sender's clock; a machine that charges
    /// for sending advances it.
    fn send(&mut self, to: u32, event: E, now: &mut u64) -> Sent;

    /// Sends an event that `pack` packs, on a machine whose nodes are processes.
    fn send_packed(&mut self, to: u32, pack: &mut dyn FnMut(&mut Message)) -> Sent {
        let _ = (to, pack);
        unreachable!("only nodes that are processes pack events into messages")
    }

    /// Sends a signal to the node of its slot as [`send`](Transport::send) does.
    fn signal(&mut self, note: Note, now: &mut u64) -> Sent {
        self.send(note.to.node(), note.into(), now)
    }

    /// Returns the number of events held back for lack of room. A transport that always has room keeps this
    /// and `flush`.
    fn held_back(&self) -> usize {
        0
    }

    /// Retries the events held back. Returns how many are still held back.
    fn flush(&mut self) -> usize {
        0
    }

    /// Makes progress on messages inside a long fiber, on a machine whose nodes are processes.
    fn attend(&mut self) {}

    /// Takes a token that another node shares.
    fn steal(&mut self) -> Option<StolenToken<T>> {
        None
    }

    /// Takes the next further token of the last [`steal`](Transport::steal), which took several.
    fn steal_further(&mut self) -> Option<StolenToken<T>> {
        None
    }

    /// Whether another node shares a token at this moment.
    fn can_steal(&self) -> bool {
        false
    }

    /// Reports that the node has taken events from its inbox: senders that sleep for lack of room there may
    /// continue.
    fn notify_room(&mut self) {}

    /// Reports to sleeping nodes that this one shares tokens.
    fn shares(&mut self) {}

    /// Reports that none of the tokens shared by this node is left.
    fn shares_none(&mut self) {}
}

/// Shows other nodes whether a node shares tokens.
pub(crate) trait Offer: Send {
    /// Reports that the node shares tokens.
    fn raise(&mut self);

    /// Reports that the node no longer shares tokens.
    fn lower(&mut self);
}

/// For a node whose other unit looks at the shared tokens itself, and only needs a wake-up.
impl Offer for Waker {
    fn raise(&mut self) {
        self.wake();
    }

    fn lower(&mut self) {}
}
