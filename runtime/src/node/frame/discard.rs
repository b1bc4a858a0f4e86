//! Frames that end because their [domain](crate::node::domain) failed, with all that they hold. A mark for
//! each shows whether a late message is for such a frame.

use super::entry::CellEntry;
use super::list::EntryList;
use super::store::FrameStore;
use crate::node::domain::is_gate;
use crate::vocabulary::address::FrameId;
use crate::vocabulary::unwinding::drop_ignoring_panics;

impl FrameStore {
    /// Ends a frame, if it lives, and drops its state, its values, its cells and their readers. Panics of
    /// these drops go no further. Messages that still come for the frame are [excused](Self::was_discarded).
    pub(crate) fn discard(&mut self, id: FrameId) {
        self.drop_parked(id);
        self.drop_cells_and_readers(id);
        self.counters.frames_ended += u64::from(self.memory.discard(id));
        let last = self.discarded.entry(id.number()).or_insert(0);
        *last = id.generation().max(*last);
    }

    /// Whether messages for a frame that does not live are dropped without an error: the frame, or a later
    /// one of its number, was discarded; or the address is one of a gate, whose call has ended.
    #[cold]
    pub(crate) fn was_discarded(&self, id: FrameId) -> bool {
        is_gate(id) || self.discarded.get(&id.number()).is_some_and(|last| id.generation() <= *last)
    }

    fn drop_parked(&mut self, id: FrameId) {
        if !self.memory.has_parked(id) {
            return;
        }
        let FrameStore { queues, parked, .. } = self;
        queues.retain(|(frame, _), queue| {
            if *frame != id {
                return true;
            }
            while let Some(value) = parked.pop(queue) {
                drop_ignoring_panics(value);
            }
            false
        });
    }

    fn drop_cells_and_readers(&mut self, id: FrameId) {
        let Some(extra) = self.memory.user_mut(id) else { return };
        for cell in &mut extra.cells {
            let CellEntry { value, readers } = std::mem::replace(cell, CellEntry::EMPTY);
            drop_ignoring_panics(value);
            let mut readers: EntryList = readers;
            while self.readers.pop(&mut readers).is_some() {}
        }
    }
}
