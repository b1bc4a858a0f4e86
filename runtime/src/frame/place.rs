//! The places of a frame: slot, inlet, write-once cell.

use super::list::Queue;
use crate::vocabulary::layout::SlotSpec;
use crate::vocabulary::value::Value;

/// Which round of which slot: what enabled a fiber, and what a value came with. A fiber may take exactly the values of its own tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Tag {
    pub(crate) slot: u32,
    pub(crate) round: u32,
}

impl Tag {
    /// That of a fiber no slot enabled: the first one, or one that was spawned.
    pub(crate) const NONE: Tag = Tag { slot: u32::MAX, round: 0 };
}

/// The end of the list of inlets that a slot covers.
pub(crate) const NO_INLET: u32 = u32::MAX;

/// A counted slot. Its synchronization unit alone decrements it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlotPlace {
    /// Signals still awaited; 0 when the slot expects none.
    pub(crate) count: u32,
    /// The count of the next round; 0 for a one-shot slot.
    pub(crate) reset: u32,
    /// How often it has reached zero.
    pub(crate) round: u32,
    /// How many of this round's signals so far came with a value.
    pub(crate) values: u32,
    /// The inlets that hold them, newest first; kept only where values are handed over with the fiber (DUAL).
    pub(crate) covered: u32,
    /// The fiber it enables, and with which index.
    pub(crate) fiber: u32,
    pub(crate) index: u32,
}

impl SlotPlace {
    #[inline(always)]
    pub(crate) fn new(spec: &SlotSpec, count: u32, reset: u32, index: u32) -> Self {
        SlotPlace { count, reset, round: 0, values: 0, covered: NO_INLET, fiber: spec.fiber, index }
    }
}

/// An inlet: empty, or full with a value that came with signals of one round of one slot.
#[derive(Debug)]
pub(crate) struct InletPlace {
    pub(crate) value: Value,
    pub(crate) tag: Tag,
    /// The next inlet that the same slot covers.
    pub(crate) next: u32,
    /// Values that came while it was full.
    pub(crate) parked: Queue,
}

impl InletPlace {
    pub(crate) const EMPTY: InletPlace =
        InletPlace { value: Value::empty(), tag: Tag::NONE, next: NO_INLET, parked: Queue::EMPTY };
}

/// A write-once cell and those who asked before it was written.
#[derive(Debug)]
pub(crate) struct CellPlace {
    pub(crate) value: Value,
    pub(crate) readers: Queue,
}

impl CellPlace {
    pub(crate) const EMPTY: CellPlace = CellPlace { value: Value::empty(), readers: Queue::EMPTY };
}
