//! Where a DUAL node's execution unit hands its events over, on a machine that charges for operations.

use std::collections::VecDeque;

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
    /// How many events may be handed over before the machine looks.
    pub(crate) room: usize,
    /// The time at which each event that found no room was to be handed over, and the node that it is for.
    late: VecDeque<(u64, u32)>,
}

impl<E: Default> IssueMeter<E> {
    pub(crate) fn new() -> Self {
        IssueMeter {
            events: Box::default(),
            issued: Box::new(Fifo::new()),
            room: usize::MAX,
            late: VecDeque::new(),
        }
    }

    /// Hands over an event for node `to`, with `bulk` bytes of blocks if that is another one, if there is room and
    /// nothing `waits` for some; else it is handed over [later](Self::issue_late). `at` is the time at which the unit has
    /// paid for it.
    #[inline(always)]
    pub(super) fn issue(&mut self, event: E, to: u32, bulk: u64, waits: bool, at: u64) -> Result<(), E> {
        if waits || self.issued.len() >= self.room {
            self.late.push_back((at, to));
            return Err(event);
        }
        let key = self.events.insert(event);
        self.issued.push(Issued { at, to, key, bulk });
        Ok(())
    }

    /// Hands over the oldest event that found no room, with the time at which it was to be, if there is room now.
    pub(super) fn issue_late(&mut self, event: E, bulk: u64) -> Result<(), E> {
        if self.issued.len() >= self.room {
            return Err(event);
        }
        let Some((at, to)) = self.late.pop_front() else { unreachable!("it was to be handed over before") };
        let key = self.events.insert(event);
        self.issued.push(Issued { at, to, key, bulk });
        Ok(())
    }
}
