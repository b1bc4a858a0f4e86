//! Frames by name: what a number in a frame was declared as, and what is left in frames that wait.

use super::store::{FrameStore, Misuse};
use crate::error::{EntryName, Stuck, StuckFrame, StuckSlot};
use crate::vocabulary::address::{FrameId, FrameRef};
use crate::vocabulary::layout::{CellSpec, Extent, InletSpec, Layout, Sizes, name_of};

impl FrameStore {
    /// The declaration of an inlet of a live frame.
    pub(crate) fn inlet_spec(&mut self, at: FrameRef, inlet: u32) -> Result<&'static InletSpec, Misuse> {
        let frame = self.live(at.id)?;
        let layout = frame.layout.ok_or(Misuse::Stale)?;
        let extents = frame.sizes.as_ref().map(|sizes| &sizes.inlets[..]);
        declared(layout.inlets, extents, inlet).ok_or(Misuse::NoInlet)
    }

    /// The declaration of a cell of a live frame.
    pub(crate) fn cell_spec(&mut self, at: FrameRef, cell: u32) -> Result<&'static CellSpec, Misuse> {
        let frame = self.live(at.id)?;
        let layout = frame.layout.ok_or(Misuse::Stale)?;
        let extents = frame.sizes.as_ref().map(|sizes| &sizes.cells[..]);
        declared(layout.cells, extents, cell).ok_or(Misuse::NoCell)
    }

    /// Names for a report: the function of a frame, live or ended, and its slots, inlets and cells by number. Of a
    /// frame whose number has changed its sizes since, elements of arrays have no name but the number.
    pub(crate) fn names(&self, at: FrameId) -> Names<'_> {
        let frame = self.frames.get(at.number() as usize);
        Names {
            layout: frame.and_then(|frame| self.past.layout(at, frame.layout?)),
            sizes: frame
                .and_then(|frame| frame.sizes.as_deref())
                .filter(|sizes| sizes.generation == at.generation()),
        }
    }

    /// Adds what is left on this node to a report.
    pub(crate) fn report(&self, node: usize, stuck: &mut Stuck) {
        stuck.frames += (self.made - self.ended) as usize;
        stuck.parked += self.parked.len();
        self.report_rounds(node, stuck);
        let numbered = self.frames.iter().enumerate().filter(|(_, frame)| frame.is_live());
        for (number, frame) in numbered.take(Stuck::SHOWN.saturating_sub(stuck.shown.len())) {
            let names = self.names(FrameId::new(number as u32, frame.generation));
            let waiting = frame.slots.iter().enumerate().filter(|(_, slot)| slot.count > 0);
            let full = frame.inlets.iter().enumerate().filter(|(_, inlet)| !inlet.value.is_empty());
            let unwritten = frame.cells.iter().enumerate().filter(|(_, cell)| !cell.readers.is_empty());
            stuck.shown.push(StuckFrame {
                function: names.function(),
                node,
                waiting: waiting
                    .map(|(i, slot)| {
                        let (got, expected) = slot.progress(names.first_count(i as u32));
                        StuckSlot { slot: names.slot(i as u32), got, expected }
                    })
                    .take(Stuck::SHOWN)
                    .collect(),
                full: full
                    .map(|(i, _)| (names.inlet(i as u32), self.parked.count(frame.lists[i].parked)))
                    .take(Stuck::SHOWN)
                    .collect(),
                unwritten: unwritten
                    .map(|(i, cell)| (names.cell(i as u32), self.readers.count(cell.readers)))
                    .take(Stuck::SHOWN)
                    .collect(),
            });
        }
    }
}

/// The declaration that a number belongs to.
fn declared<S>(specs: &'static [S], extents: Option<&[Extent]>, number: u32) -> Option<&'static S> {
    specs.get(ordinal(extents, number)?)
}

/// The index of that declaration among those of its kind. Without extents there are no arrays.
fn ordinal(extents: Option<&[Extent]>, number: u32) -> Option<usize> {
    let Some(extents) = extents else { return Some(number as usize) };
    let within = |extent: &Extent| number.checked_sub(extent.first).is_some_and(|offset| offset < extent.len);
    extents.iter().position(within)
}

/// The names of a frame's function and entries.
pub(crate) struct Names<'a> {
    layout: Option<&'static Layout>,
    sizes: Option<&'a Sizes>,
}

impl Names<'_> {
    pub(crate) fn function(&self) -> String {
        self.layout.map_or_else(|| "a function that ended long ago".to_owned(), Layout::name)
    }

    pub(crate) fn slot(&self, number: u32) -> String {
        name_of(self.layout.map_or(&[], |layout| layout.slots), self.sizes.map(|s| &s.slots[..]), number)
    }

    /// How many signals the first round of a slot takes, if its count is not raised.
    pub(super) fn first_count(&self, slot: u32) -> u32 {
        let declared = ordinal(self.sizes.map(|s| &s.slots[..]), slot);
        match (declared, self.sizes, self.layout) {
            (Some(declared), Some(sizes), _) => sizes.counts.get(declared).map_or(0, |(count, _)| *count),
            (Some(declared), None, Some(layout)) => layout.slots.get(declared).map_or(0, |spec| spec.count),
            _ => 0,
        }
    }

    pub(crate) fn inlet(&self, number: u32) -> String {
        name_of(self.layout.map_or(&[], |layout| layout.inlets), self.sizes.map(|s| &s.inlets[..]), number)
    }

    pub(crate) fn cell(&self, number: u32) -> String {
        name_of(self.layout.map_or(&[], |layout| layout.cells), self.sizes.map(|s| &s.cells[..]), number)
    }

    /// The full name of an entry of the frame: what it is, its own name, the frame's function and node.
    pub(crate) fn entry(&self, what: &'static str, name: String, node: u32) -> EntryName {
        EntryName { what, name, function: self.function(), node: node as usize }
    }
}
