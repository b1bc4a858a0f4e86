//! Write-once cells, and the readers that wait at unwritten cells (I-structures).

use earth_memory::frames::Refusal;

use super::entry::{CellEntry, Reader};
use super::store::{FrameStore, Memory};
use crate::vocabulary::address::{EntryRef, FrameId};
use crate::vocabulary::layout::{CellSpec, Sizes};
use crate::vocabulary::origin::Origin;
use crate::vocabulary::value::Value;

impl FrameStore {
    pub(super) fn make_cells(&mut self, id: FrameId, cells: usize) {
        if let Some(extra) = self.memory.user_mut(id) {
            extra.cells.resize_with(cells, || CellEntry::EMPTY);
        }
    }

    pub(super) fn drop_cells_of(&mut self, id: FrameId) {
        let Some(extra) = self.memory.user_mut(id) else { return };
        for cell in &mut extra.cells {
            if !seeded!(StaleCells) {
                cell.value = Value::empty();
            }
        }
    }

    /// Returns the declaration of a cell of a live frame.
    pub(crate) fn cell_spec(&self, at: EntryRef) -> Result<&'static CellSpec, Refusal> {
        spec(&self.memory, at)
    }

    /// Writes a cell. Calls `answer` for each waiting reader, oldest first, with a copy of the value and the
    /// reader's origin.
    pub(crate) fn write(
        &mut self,
        at: EntryRef,
        value: Value,
        mut answer: impl FnMut(EntryRef, Value, Origin),
    ) -> Result<(), Refusal> {
        self.cell_accesses += 1;
        let (cell, spec) = cell(&mut self.memory, at)?;
        if !cell.value.is_empty() && !seeded!(WrittenTwice) {
            return Err(Refusal::Full);
        }
        cell.value = value;
        let mut answered = 0;
        while let Some(Reader { to, origin }) = self.readers.pop(&mut cell.readers) {
            answered += 1;
            answer(to, (spec.copy)(&cell.value).ok_or(Refusal::NoSuchPart)?, origin);
            if seeded!(OneReader) {
                break;
            }
        }
        (0..answered).for_each(|_| self.memory.park(at.id(), false));
        Ok(())
    }

    /// Returns a copy of a cell's value, or adds the reader to those that wait at the cell.
    pub(crate) fn read(
        &mut self,
        at: EntryRef,
        to: EntryRef,
        origin: Origin,
    ) -> Result<Option<Value>, Refusal> {
        self.cell_accesses += 1;
        let (cell, spec) = cell(&mut self.memory, at)?;
        if !cell.value.is_empty() {
            return (spec.copy)(&cell.value).map(Some).ok_or(Refusal::NoSuchPart);
        }
        if seeded!(ReaderLost) {
            return Ok(None);
        }
        self.readers.push(&mut cell.readers, Reader { to, origin });
        self.memory.park(at.id(), true);
        self.counters.deferred_reads += 1;
        Ok(None)
    }
}

fn spec(memory: &Memory, at: EntryRef) -> Result<&'static CellSpec, Refusal> {
    let function = memory.live_function(at.id()).ok_or(Refusal::Stale)?;
    let layout = function.layout;
    let cells = Sizes::new(layout, memory.numbers(at.id())).cells();
    let found = layout.cells.iter().zip(cells).find(|(_, extent)| extent.has(at.number()));
    found.map(|(spec, _)| spec).ok_or(Refusal::NoSuchPart)
}

/// Returns a cell of a live frame, and its declaration.
fn cell(memory: &mut Memory, at: EntryRef) -> Result<(&mut CellEntry, &'static CellSpec), Refusal> {
    let spec = spec(memory, at)?;
    let extra = memory.user_mut(at.id());
    let cell = extra.and_then(|extra| extra.cells.get_mut(at.number() as usize));
    cell.map(|cell| (cell, spec)).ok_or(Refusal::NoSuchPart)
}
