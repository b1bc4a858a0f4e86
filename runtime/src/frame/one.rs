//! One frame as its synchronization unit keeps it.

use std::sync::Arc;

use super::entry::{CellEntry, InletEntry, InletLists, SlotEntry, Tag};
use crate::vocabulary::layout::{Layout, Sizes};
use crate::vocabulary::value::{Carried, Value};
use crate::vocabulary::wire::Wire;

/// The layout says that the end of a frame has to look at its entries.
pub(super) const BY_LAYOUT: u32 = 1;

/// The end of this frame has to look at its entries, because the count of a slot was raised.
pub(super) const RAISED: u32 = 2;

/// The generation of a number between two frames. No frame and no address has it.
pub(crate) const BETWEEN: u32 = u32::MAX;

/// A frame, live or between two lives. Found by number in one shift.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Frame {
    /// The generation of the live frame, or [`BETWEEN`].
    pub(super) generation: u32,
    /// Inlets that hold a value.
    pub(super) full: u32,
    /// Values parked at inlets and readers waiting at cells.
    pub(super) waiting: u32,
    /// Why the end of this frame has to look at its entries: 0 if it need not.
    pub(super) looks: u32,
    pub(super) slots: Vec<SlotEntry>,
    pub(super) inlets: Vec<InletEntry>,
    /// The layout of the frame that is live, or was last.
    pub(super) layout: Option<&'static Layout>,
    pub(super) lists: Vec<InletLists>,
    pub(super) cells: Vec<CellEntry>,
    /// The sizes of this frame, if its layout leaves them open.
    pub(super) sizes: Option<Arc<Sizes>>,
}

impl Frame {
    /// Drops the values of the cells of a frame that ended. Values that the frame never took are an error.
    #[cold]
    pub(super) fn empty(&mut self) -> Result<(), &'static str> {
        if self.waiting != 0 {
            return Err("while values were parked at its inlets or reads waited at its cells");
        }
        if self.full != 0 {
            return Err("while its inlets held values that no fiber had taken");
        }
        for cell in &mut self.cells {
            if !seeded!(StaleCells) {
                cell.value = Value::empty();
            }
        }
        Ok(())
    }

    pub(super) const NEVER: Frame = Frame {
        generation: BETWEEN,
        full: 0,
        waiting: 0,
        looks: 0,
        slots: Vec::new(),
        inlets: Vec::new(),
        layout: None,
        lists: Vec::new(),
        cells: Vec::new(),
        sizes: None,
    };

    #[inline(always)]
    pub(super) fn take<T: Wire>(&mut self, inlet: u32, tag: Tag) -> Option<T> {
        let entry = self.inlets.get_mut(inlet as usize).filter(|entry| entry.tag == tag)?;
        let value = entry.value.take(T::KIND)?;
        self.full -= 1;
        Some(value)
    }

    pub(super) fn is_live(&self) -> bool {
        self.generation != BETWEEN
    }
}
