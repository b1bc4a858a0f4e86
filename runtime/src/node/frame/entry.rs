//! What a node keeps with its frames beside their own memory: cells, values that are parked, questions that wait.

use super::list::Queue;
use crate::probe::recorder::FiberRef;
use crate::vocabulary::address::{EntryRef, FrameId};
use crate::vocabulary::enabler::Enabler;
use crate::vocabulary::origin::Origin;
use crate::vocabulary::value::Value;

/// What a frame has that has cells.
#[derive(Debug, Default)]
pub(crate) struct Extras {
    pub(super) cells: Vec<CellEntry>,
}

/// A write-once cell and those who asked before it was written.
#[derive(Debug)]
pub(super) struct CellEntry {
    pub(super) value: Value,
    pub(super) readers: Queue,
}

impl CellEntry {
    pub(super) const EMPTY: CellEntry = CellEntry { value: Value::empty(), readers: Queue::EMPTY };
}

/// A value that came to a full inlet, with the fiber that sent it, by its name and by its record.
#[derive(Debug)]
pub(crate) struct Parked {
    pub(crate) value: Value,
    pub(crate) origin: Origin,
    pub(crate) sender: FiberRef,
}

/// A question that came to a cell before its value.
#[derive(Debug)]
pub(super) struct Reader {
    pub(super) to: EntryRef,
    pub(super) origin: Origin,
}

/// A fiber that may run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ready {
    pub(crate) id: FrameId,
    /// What enabled it, in the lower half, and what it was spawned with: one word, so that it is written at once.
    enabled: u64,
    /// What a trace knows it by, on a machine that traces, in the lower half, and the list of values that were handed over
    /// before it (DUAL): one word, too.
    linked: u64,
}

/// An empty list of values, as a fiber has it.
const NO_VALUES: u64 = (Queue::EMPTY.head() as u64) << 32;

impl Ready {
    #[inline(always)]
    pub(crate) fn enabled(id: FrameId, slot: u32, link: u32) -> Self {
        Ready { id, enabled: u64::from(slot), linked: NO_VALUES | u64::from(link) }
    }

    pub(crate) fn spawned(id: FrameId, fiber: u32, index: u32, link: u32) -> Self {
        let enabled = u64::from(Enabler::spawned(fiber).0) | u64::from(index) << 32;
        Ready { id, enabled, linked: NO_VALUES | u64::from(link) }
    }

    /// What enabled it.
    #[inline(always)]
    pub(crate) fn by(&self) -> Enabler {
        Enabler(self.enabled as u32)
    }

    /// What it was spawned with.
    #[inline(always)]
    pub(crate) fn index(&self) -> u32 {
        (self.enabled >> 32) as u32
    }

    /// What a trace knows it by: the number of the signal that enabled it, or of the fiber that spawned it.
    #[inline(always)]
    pub(crate) fn link(&self) -> u32 {
        self.linked as u32
    }

    /// Gives the fiber the values that were handed over before it.
    pub(crate) fn with(self, values: Queue) -> Self {
        Ready { linked: u64::from(values.head()) << 32 | u64::from(self.link()), ..self }
    }

    /// The values that were handed over [with](Self::with) the fiber.
    pub(crate) fn handed_over(&self) -> Queue {
        Queue::from_head((self.linked >> 32) as u32)
    }
}
