//! Where a DUAL node's execution unit hands its events over, on a machine that charges for operations.

use super::event_slab::{EventKey, EventSlab};
use super::fifo::Fifo;

/// An event that was handed over. The event itself lies in a slab, so that one for another node goes there without being
/// touched again.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Issued {
    /// When it was handed over.
    pub(crate) at: u64,
    /// The node that it is for.
    pub(crate) to: u32,
    pub(crate) key: EventKey,
    /// The bytes of its blocks, if it is for another node.
    pub(crate) bulk: u64,
}

/// What a DUAL node's execution unit hands over on a machine that charges for it: the machine that steps both units takes
/// it from here, so that it goes through no queue between threads.
#[derive(Debug)]
pub(crate) struct IssueMeter<E> {
    /// The machine's events while the unit acts; none otherwise.
    pub(crate) events: Box<EventSlab<E>>,
    /// The events that were handed over since the machine last looked.
    pub(crate) issued: Box<Fifo<Issued>>,
}

impl<E: Default> IssueMeter<E> {
    pub(crate) fn new() -> Self {
        IssueMeter { events: Box::default(), issued: Box::new(Fifo::new()) }
    }

    /// Hands over an event for node `to`, with `bulk` bytes of blocks if that is another one. `at` is the time at which the
    /// unit has paid for it.
    #[inline(always)]
    pub(super) fn issue(&mut self, event: E, to: u32, bulk: u64, at: u64) {
        let key = self.events.insert(event);
        self.issued.push(Issued { at, to, key, bulk });
    }
}
