//! The way out of a node: what a machine brings for each of its nodes.

use std::sync::Arc;

use earth_signal::Sleepers;

use super::balance::Token;
use super::event::Event;

/// Wakes the thread that runs the other unit of a DUAL node, if that is another thread.
#[derive(Clone)]
pub(crate) struct Bell {
    worker: Option<(Arc<Sleepers>, usize)>,
}

impl Bell {
    /// Wakes `worker`.
    pub(crate) fn of(sleepers: &Arc<Sleepers>, worker: usize) -> Self {
        Bell { worker: Some((Arc::clone(sleepers), worker)) }
    }

    /// Wakes nobody: one thread runs both units.
    pub(crate) const fn silent() -> Self {
        Bell { worker: None }
    }

    #[inline]
    pub(crate) fn ring(&self) {
        if let Some((sleepers, worker)) = &self.worker {
            sleepers.wake(*worker);
        }
    }
}

/// Carries events to other nodes and tokens between them. Object-safe: a machine is a
/// value, and so is its network.
pub(crate) trait Transport: Send {
    /// Sends `event` to node `to`. Never waits: what finds no room is kept here and goes out by
    /// [`flush`](Transport::flush); whether nothing had to be kept. While something is, the node takes no new
    /// token. Nothing is promised about the order of events.
    fn send(&mut self, to: u32, event: Event) -> bool;

    /// How much is kept for lack of room.
    fn kept(&self) -> usize;

    /// Tries again to send what is kept. How much is kept still.
    fn flush(&mut self) -> usize;

    /// Takes a token that another node shares.
    fn steal(&mut self) -> Option<Token>;

    /// Whether another node shares a token at this moment.
    fn can_steal(&self) -> bool;

    /// Tells sleeping nodes that this one shares tokens.
    fn shares(&mut self);
}
