//! What a node keeps with its frames beside their own memory: cells, values that are parked, questions that wait.

use super::list::Queue;
use crate::vocabulary::address::{EntryRef, FrameId};
use crate::vocabulary::layout::Layout;
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

/// A value that came to a full inlet, with the fiber that sent it and its [link](Ready::link).
#[derive(Debug)]
pub(crate) struct Parked {
    pub(crate) value: Value,
    pub(crate) origin: Origin,
    pub(crate) sender: u64,
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
    /// What enabled it.
    pub(crate) by: Enabler,
    /// What it was spawned with.
    pub(crate) index: u32,
    /// What a trace knows it by, on a machine that traces: the number of the signal that enabled it, or of the fiber that
    /// spawned it.
    pub(crate) link: u32,
    /// The list of values that were handed over before it (DUAL).
    pub(crate) values: u32,
}

/// What enables a fiber: a slot, by its number, or a fiber that spawns it, by its own number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Enabler(pub(crate) u32);

/// What tells the number of a fiber from that of a slot.
pub(crate) const SPAWNED: u32 = 1 << 31;

/// The link of what was not written down.
pub(crate) const UNLINKED: u32 = u32::MAX;

impl Enabler {
    /// The first fiber of a function, which nothing enables.
    pub(crate) const START: Enabler = Enabler::spawned(0);

    #[inline(always)]
    pub(crate) const fn spawned(number: u32) -> Self {
        Enabler(SPAWNED | number)
    }

    /// The number of the slot, if it is one.
    #[inline(always)]
    pub(crate) const fn slot(self) -> Option<u32> {
        if self.0 & SPAWNED == 0 { Some(self.0) } else { None }
    }

    /// The number of the fiber, in a function of this layout whose slots have arrays of no length of their own, or by the
    /// ordinal of a declared slot.
    pub(crate) fn fiber(self, layout: &Layout) -> u32 {
        self.slot().map_or(self.0 & !SPAWNED, |slot| layout.fiber_of(slot))
    }
}

impl Ready {
    /// A fiber that a slot enables.
    #[inline(always)]
    pub(crate) fn enabled(id: FrameId, slot: u32, link: u32) -> Self {
        Ready { id, by: Enabler(slot), index: 0, link, values: UNLINKED }
    }

    /// A fiber that another one spawns.
    pub(crate) fn spawned(id: FrameId, fiber: u32, index: u32, link: u32) -> Self {
        Ready { id, by: Enabler::spawned(fiber), index, link, values: UNLINKED }
    }

    /// Gives the fiber the values that were handed over before it.
    pub(crate) fn with(self, values: Queue) -> Self {
        Ready { values: values.head(), ..self }
    }

    /// The values that were handed over [with](Self::with) the fiber.
    pub(crate) fn handed_over(&self) -> Queue {
        Queue::from_head(self.values)
    }
}
