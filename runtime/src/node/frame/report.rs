//! Names for reports: the declarations behind the numbers in a frame, and the state of frames that wait.

use super::entry::Ready;
use super::store::FrameStore;
use crate::vocabulary::address::FrameId;
use crate::vocabulary::choice::WaitingWork;
use crate::vocabulary::error::{EntryName, Stuck, StuckFrame, StuckSlot};
use crate::vocabulary::layout::Sizes;

impl FrameStore {
    /// Returns names for a report: the function of a live or ended frame, and its slots, inlets and cells by
    /// number. If the frame's number has changed its sizes since, elements of arrays are named by number
    /// only.
    pub(crate) fn names(&self, at: FrameId) -> Names<'_> {
        let last = self.memory.last(at.number()).filter(|last| last.was(at));
        let numbers = last.map_or(&[][..], |last| last.numbers);
        Names { sizes: self.memory.function_of(at).map(|function| Sizes::new(function.layout, numbers)) }
    }

    /// Adds the frames, values and rounds left on this node to a report.
    pub(crate) fn report(&self, node: usize, stuck: &mut Stuck) {
        stuck.frames += (self.counters.frames - self.counters.frames_ended) as usize;
        stuck.parked += self.parked.len();
        self.report_rounds(node, stuck);
        let live = self.memory.live_frames().take(Stuck::SHOWN.saturating_sub(stuck.shown.len()));
        stuck.shown.extend(live.map(|id| self.report_frame(id, node)));
    }

    /// Adds to the shown frames of this node the addresses that their states hold, if the type of a state can
    /// be packed. This takes the states out of their frames, which is allowed because the run is over.
    pub(crate) fn collect_addresses(&mut self, node: usize, stuck: &mut Stuck) {
        for shown in stuck.shown.iter_mut().filter(|frame| frame.node == node && !frame.reports_addresses) {
            let Some(id) = FrameId::new(shown.frame as u32, (shown.frame >> 32) as u32) else { continue };
            let function = self.memory.function_of(id);
            let Some(held) = function.and_then(|function| (function.held)(self, id)) else { continue };
            shown.reports_addresses = true;
            shown.holds.extend(held.into_iter().map(|frame| (frame.node as usize, frame.id.word())));
        }
    }

    fn report_frame(&self, id: FrameId, node: usize) -> StuckFrame {
        let names = self.names(id);
        let counts = self.memory.slot_numbers(id);
        let counts = counts.filter_map(|slot| self.memory.counts(id, slot).map(|counts| (slot, counts)));
        let waiting = counts.filter(|(_, (left, _))| *left > 0).map(|(slot, (left, total))| StuckSlot {
            slot: names.slot(slot),
            got: total - left,
            expected: total,
        });
        let full = self.memory.full_inlets(id).into_iter();
        let cells = self.memory.user(id).into_iter().flat_map(|extra| &extra.cells);
        let unwritten = (0..).zip(cells).filter(|(_, cell)| !cell.readers.is_empty());
        let asked = unwritten.clone().flat_map(|(_, cell)| self.readers.iter(cell.readers));
        StuckFrame {
            function: names.function(),
            node,
            frame: id.word(),
            holds: asked.map(|reader| (reader.to.node() as usize, reader.to.id().word())).collect(),
            reports_addresses: false,
            waiting: waiting.take(Stuck::SHOWN).collect(),
            full: full
                .map(|inlet| (names.inlet(inlet), self.parked_at(id, inlet)))
                .take(Stuck::SHOWN)
                .collect(),
            unwritten: unwritten
                .map(|(number, cell)| (names.cell(number), self.readers.count(cell.readers)))
                .take(Stuck::SHOWN)
                .collect(),
        }
    }
}

/// The names of a frame's function and entries.
pub(crate) struct Names<'a> {
    sizes: Option<Sizes<'a>>,
}

impl<'a> Names<'a> {
    fn name(&self, number: u32, of: fn(Sizes<'a>, u32) -> String) -> String {
        self.sizes.map_or_else(|| format!("number {number}"), |sizes| of(sizes, number))
    }

    pub(crate) fn function(&self) -> String {
        self.sizes.map_or_else(|| "a function that ended long ago".to_owned(), |sizes| sizes.layout().name())
    }

    pub(crate) fn slot(&self, number: u32) -> String {
        self.name(number, Sizes::slot_name)
    }

    pub(crate) fn fiber(&self, slot: u32) -> String {
        self.fiber_of(slot).unwrap_or("?").to_owned()
    }

    fn fiber_of(&self, slot: u32) -> Option<&'static str> {
        let sizes = self.sizes?;
        let declared = sizes.slots().position(|(extent, ..)| extent.has(slot))?;
        Some(sizes.layout().fiber_name(sizes.layout().fiber_of(declared as u32)))
    }

    /// Describes an enabled fiber of the frame to a policy.
    pub(crate) fn waiting(&self, ready: &Ready) -> WaitingWork {
        let layout = self.sizes.map(Sizes::layout);
        let fiber = match (layout, ready.by().slot()) {
            (Some(layout), Some(slot)) if layout.slot_arrays => self.fiber_of(slot),
            (Some(layout), _) => Some(layout.fiber_name(ready.by().fiber(layout))),
            (None, _) => None,
        };
        WaitingWork {
            layout,
            fiber: fiber.unwrap_or("?"),
            enabled: Some((ready.id.word(), ready.by().0)),
            index: ready.index(),
            passed_over: 0,
        }
    }

    pub(crate) fn inlet(&self, number: u32) -> String {
        self.name(number, Sizes::inlet_name)
    }

    pub(crate) fn cell(&self, number: u32) -> String {
        self.name(number, Sizes::cell_name)
    }

    /// Returns the full name of an entry: its kind, its own name, the frame's function and node.
    pub(crate) fn entry(&self, what: &'static str, name: String, node: u32) -> EntryName {
        EntryName { what: what.into(), name, function: self.function(), node: node as usize }
    }
}
