//! The entries of a frame: slots, inlets, write-once cells.

use super::list::Queue;
use crate::vocabulary::layout::SlotSpec;
use crate::vocabulary::value::Value;

/// A round of a slot. A fiber bears the tag of the round that enabled it, a value that of the round it came with; a
/// fiber may take exactly the values with its own tag.
///
/// A tag is one word, so that it is written, read and compared as one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Tag(u64);

impl Tag {
    /// The tag of a fiber that no slot enabled: a function's first one, or one that was spawned.
    pub(crate) const NONE: Tag = Tag(u64::MAX);

    #[inline(always)]
    pub(crate) fn new(slot: u32, round: u32) -> Self {
        Tag(u64::from(slot) << 32 | u64::from(round))
    }

    /// The slot, if one enabled the fiber.
    pub(crate) fn slot(self) -> Option<u32> {
        let slot = (self.0 >> 32) as u32;
        (slot != u32::MAX).then_some(slot)
    }

    /// The tag of a fiber that was spawned by the fiber with this number on its node. It has a slot number that no
    /// slot has, so no value bears it.
    pub(crate) fn spawned_by(fiber: u32) -> Self {
        Tag::new(u32::MAX, fiber)
    }

    /// The number of the fiber that spawned the one with this tag, if it was spawned.
    pub(crate) fn spawner(self) -> Option<u32> {
        if self.0 >> 32 == u64::from(u32::MAX) { Some(self.0 as u32) } else { None }
    }
}

/// The end of the list of inlets that a slot covers.
pub(crate) const NO_INLET: u32 = u32::MAX;

/// A counted slot. Its synchronization unit alone decrements it.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct SlotEntry {
    // What signals change comes first: a wide load of the rest does not wait for their stores.
    /// Signals still awaited; 0 when the slot expects none.
    pub(crate) count: u32,
    /// How many of this round's signals so far came with a value.
    pub(crate) values: u32,
    /// How often the count has reached zero.
    pub(crate) round: u32,
    /// The count of the next round; 0 for a one-shot slot.
    pub(crate) reset: u32,
    /// The inlets that hold these values, newest first: a list through [`InletLists::next`]. SPN does not keep it,
    /// DUAL needs it to hand the values over with the fiber.
    pub(crate) covered: u32,
    /// The fiber that the slot enables, and the index it is given.
    pub(crate) fiber: u32,
    pub(crate) index: u32,
    /// The sum by which the count was raised in this round.
    pub(crate) raised: u32,
}

impl SlotEntry {
    #[inline(always)]
    pub(crate) fn new(spec: &SlotSpec, count: u32, reset: u32, index: u32) -> Self {
        SlotEntry {
            count,
            reset,
            round: 0,
            values: 0,
            raised: 0,
            covered: NO_INLET,
            fiber: spec.fiber,
            index,
        }
    }
}

/// An inlet: empty, or full with a value that came with signals of one round of one slot. One cache line.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct InletEntry {
    pub(crate) value: Value,
    pub(crate) tag: Tag,
}

impl InletEntry {
    pub(crate) const EMPTY: InletEntry = InletEntry { value: Value::empty(), tag: Tag::NONE };
}

const _: () = assert!(size_of::<SlotEntry>() == 32 && size_of::<InletEntry>() == 64);

/// The lists that an inlet is in or has, which the common case of a value does not touch.
#[derive(Debug)]
pub(crate) struct InletLists {
    /// The next inlet that the same slot covers.
    pub(crate) next: u32,
    /// Values that came while the inlet was full.
    pub(crate) parked: Queue,
}

impl InletLists {
    pub(crate) const EMPTY: InletLists = InletLists { next: NO_INLET, parked: Queue::EMPTY };
}

/// A write-once cell and those who asked before it was written.
#[derive(Debug)]
pub(crate) struct CellEntry {
    pub(crate) value: Value,
    pub(crate) readers: Queue,
}

impl CellEntry {
    pub(crate) const EMPTY: CellEntry = CellEntry { value: Value::empty(), readers: Queue::EMPTY };
}
