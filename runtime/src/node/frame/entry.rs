//! Data that a node keeps beside the memory of its frames: cells, parked values, waiting readers.

use super::list::EntryList;
use crate::probe::recorder::{FiberRef, UNLINKED};
use crate::vocabulary::address::{EntryRef, FrameId};
use crate::vocabulary::enabler::Enabler;
use crate::vocabulary::origin::Origin;
use crate::vocabulary::value::Value;

/// The extra data of a frame that has cells.
#[derive(Debug, Default)]
pub(crate) struct Extras {
    pub(super) cells: Vec<CellEntry>,
}

/// A write-once cell and the readers that wait for its value.
#[derive(Debug)]
pub(super) struct CellEntry {
    pub(super) value: Value,
    pub(super) readers: EntryList,
}

impl CellEntry {
    pub(super) const EMPTY: CellEntry = CellEntry { value: Value::empty(), readers: EntryList::EMPTY };
}

/// A value that arrived at a full inlet, with the fiber that sent it, by its name and by its record.
#[derive(Debug)]
pub(crate) struct Parked {
    pub(crate) value: Value,
    pub(crate) origin: Origin,
    pub(crate) sender: FiberRef,
}

/// A read that arrived at a cell before the cell's value.
#[derive(Debug)]
pub(super) struct Reader {
    pub(super) to: EntryRef,
    pub(super) origin: Origin,
}

/// A fiber that may run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ready {
    pub(crate) id: FrameId,
    /// The enabler in the lower half, and the spawn index in the upper half. One word, so that one store
    /// writes both.
    enabled: u64,
    /// The trace link in the lower half (on a machine that traces), and in the upper half the list of values
    /// that were handed over with the fiber (DUAL). Also one word.
    linked: u64,
}

/// The mark of a fiber that a timer enabled, in its link. A trace has fewer records than this.
const TIMED: u32 = 1 << 31;
/// The link of such a fiber whose cause was not recorded.
const TIMED_UNLINKED: u32 = UNLINKED - 1;

/// An empty list of values, in the upper half of `linked`.
const NO_VALUES: u64 = (EntryList::EMPTY.head() as u64) << 32;

impl Ready {
    #[inline(always)]
    pub(crate) fn enabled(id: FrameId, slot: u32, link: u32) -> Self {
        Ready { id, enabled: u64::from(slot), linked: NO_VALUES | u64::from(link) }
    }

    pub(crate) fn spawned(id: FrameId, fiber: u32, index: u32, link: u32) -> Self {
        let enabled = u64::from(Enabler::spawned(fiber).0) | u64::from(index) << 32;
        Ready { id, enabled, linked: NO_VALUES | u64::from(link) }
    }

    /// Returns the cause that enabled the fiber.
    #[inline(always)]
    pub(crate) fn by(&self) -> Enabler {
        Enabler(self.enabled as u32)
    }

    /// Returns the index with which the fiber was spawned.
    #[inline(always)]
    pub(crate) fn index(&self) -> u32 {
        (self.enabled >> 32) as u32
    }

    /// Returns a fiber that the signal of a timer enabled. It runs only if its frame lives then.
    pub(crate) fn timed(id: FrameId, slot: u32, link: u32) -> Self {
        Self::enabled(id, slot, if link == UNLINKED { TIMED_UNLINKED } else { link | TIMED })
    }

    /// Whether the signal of a timer enabled the fiber.
    pub(crate) fn is_timed(&self) -> bool {
        let mark = self.mark();
        mark & TIMED != 0 && mark != UNLINKED
    }

    /// Returns the trace link: the number of the signal that enabled the fiber, or of the fiber that spawned
    /// it.
    #[inline(always)]
    pub(crate) fn link(&self) -> u32 {
        match self.mark() {
            UNLINKED | TIMED_UNLINKED => UNLINKED,
            mark => mark & !TIMED,
        }
    }

    /// Returns the trace link with the mark of a timer.
    #[inline(always)]
    pub(crate) fn mark(&self) -> u32 {
        self.linked as u32
    }

    /// Attaches the values that were handed over before the fiber.
    pub(crate) fn with(self, values: EntryList) -> Self {
        Ready { linked: u64::from(values.head()) << 32 | u64::from(self.mark()), ..self }
    }

    /// Returns the values that were attached by [`with`](Self::with).
    pub(crate) fn handed_over(&self) -> EntryList {
        EntryList::from_head((self.linked >> 32) as u32)
    }
}
