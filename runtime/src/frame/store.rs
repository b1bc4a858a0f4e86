//! The frames of one node, as its synchronization unit keeps them.
//!
//! Signals, puts and reads come by address: number, generation, entry. One comparison of generations
//! tells a live frame from one that ended. The common case of each operation is in line and takes no
//! branch that is hard to predict; whatever is wrong comes back as a [`Misuse`], which the unit turns
//! into an error with names.
//!
//! # What a value belongs to
//!
//! A value that fills an inlet is tagged with its slot and the round the slot is in. When the slot reaches zero its
//! round is over, and the fiber it enables carries that tag and the number of values: it takes exactly these. A value
//! for a full inlet is parked whole, value and signal (rule 3 of ARCHITECTURE.md), and comes in when the inlet has
//! been emptied: then it belongs to the round of that moment. (Parking the value but counting its signal could let two
//! early signals of one producer fire a slot of two.)
//!
//! # Memory
//!
//! The entries of a frame live in vectors of the frame's number, so a number that is used again allocates
//! nothing unless it needs more entries than ever before.

use std::sync::Arc;

use super::entry::{CellEntry, InletEntry, InletLists, NO_INLET, SlotEntry, Tag};
use super::list::{Queue, Slab};
use super::one::{BETWEEN, BY_LAYOUT, Frame, RAISED};
use super::past::Past;
use super::witness::{ParkingWitness, Witness};
use crate::error::UnfinishedRound;
use crate::vocabulary::address::{FrameId, FrameRef, SlotRef};
use crate::vocabulary::layout::{Layout, Sizes, SlotSpec};
use crate::vocabulary::origin::Origin;
use crate::vocabulary::value::{Carried, Value};
use crate::vocabulary::wire::Wire;

/// A fiber that may run: its frame, what enabled it, and how many values came with that.
///
/// The order of the fields keeps what is stored apart from being read as one (such a load waits until
/// the stores are through).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Ready {
    pub(crate) own: FrameId,
    pub(crate) fiber: u32,
    pub(crate) index: u32,
    pub(crate) tag: Tag,
    pub(crate) values: u32,
    /// The inlets that hold them, a list; where the fiber was handed over with them, the values themselves.
    covered: u32,
}

impl Ready {
    /// A fiber that no slot enables; `tag` is [`Tag::NONE`] or that of its [spawner](Tag::spawned_by).
    pub(crate) fn spawned(own: FrameId, tag: Tag, fiber: u32, index: u32) -> Self {
        Ready { own, tag, fiber, index, values: 0, covered: NO_INLET }
    }

    /// Gives the fiber the values that were handed over before it (DUAL).
    pub(crate) fn with(self, values: Queue) -> Self {
        Ready { covered: values.head(), ..self }
    }

    /// The values that were handed over [with](Self::with) the fiber.
    pub(crate) fn handed_over(&self) -> Queue {
        Queue::from_head(self.covered)
    }
}

/// What is wrong with an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Misuse {
    /// The frame ended, or never was.
    Stale,
    NoSlot,
    NoInlet,
    NoCell,
    TooManySignals,
    RaisedTooLate,
    RaisedTooFar,
    ParkingFull,
    WrittenTwice,
}

/// What became of a read of a write-once cell.
#[derive(Debug)]
pub(crate) enum Reading {
    /// The cell is written: a copy of what it holds.
    Now(Value),
    /// The reader waits at the cell.
    Deferred,
}

#[derive(Debug)]
pub(super) struct Parked {
    slot: u32,
    value: Value,
    origin: Origin,
}

#[derive(Debug)]
pub(super) struct Reader {
    to: SlotRef,
    inlet: u32,
    origin: Origin,
}

/// The frames of one node.
#[derive(Debug)]
pub(crate) struct FrameStore {
    pub(super) frames: Vec<Frame>,
    pub(super) past: Past,
    pub(super) parked: Slab<Parked>,
    pub(super) readers: Slab<Reader>,
    parking_limit: usize,
    /// Frames made and ended since the run began.
    pub(crate) made: u64,
    pub(crate) ended: u64,
    pub(crate) live_high: u64,
    pub(crate) parked_total: u64,
    pub(crate) parked_high: usize,
    pub(crate) deferred_total: u64,
    /// How often cells were read or written.
    pub(crate) cell_accesses: u64,
    /// Slots whose round was cut short by the end of their frame, and the first few of them.
    pub(super) unfinished: usize,
    pub(super) rounds: Vec<UnfinishedRound>,
}

/// Counts one signal. A signal for a slot that expects none is an error.
#[inline(always)]
fn signal(slot: &mut SlotEntry, to: SlotRef, witness: impl Witness) -> Result<Option<Ready>, Misuse> {
    if seeded!(OverSignal) && slot.count == 0 {
        return Ok(None);
    }
    slot.count = slot.count.checked_sub(1).ok_or(Misuse::TooManySignals)?;
    witness.counted(to.id(), Tag::new(to.slot(), slot.round));
    let enabled = slot.count == 0 || seeded!(EarlyFiber) && slot.count == 1;
    Ok(if enabled { Some(fire(slot, to)) } else { None })
}

/// A slot at zero starts its next round and enables its fiber.
#[inline(always)]
fn fire(slot: &mut SlotEntry, at: SlotRef) -> Ready {
    let SlotEntry { reset, round, values, covered, fiber, index, .. } = *slot;
    slot.count = if seeded!(LostReset) { 0 } else { reset };
    slot.round = round.wrapping_add(u32::from(!seeded!(SameRound)));
    slot.values = 0;
    slot.raised = 0;
    slot.covered = NO_INLET;
    Ready { own: at.id(), fiber, index, tag: Tag::new(at.slot(), round), values, covered }
}

impl FrameStore {
    pub(crate) fn new(parking_limit: usize) -> Self {
        FrameStore {
            frames: Vec::new(),
            past: Past::default(),
            parked: Slab::new(),
            readers: Slab::new(),
            parking_limit,
            made: 0,
            ended: 0,
            live_high: 0,
            parked_total: 0,
            parked_high: 0,
            deferred_total: 0,
            cell_accesses: 0,
            unfinished: 0,
            rounds: Vec::new(),
        }
    }

    /// Forgets what was counted.
    pub(crate) fn begin(&mut self) {
        self.made = 0;
        self.ended = 0;
        self.live_high = 0;
        self.parked_total = 0;
        self.parked_high = 0;
        self.deferred_total = 0;
        self.unfinished = 0;
        self.rounds.clear();
    }

    /// Makes the entries of frame `number` at `generation`.
    #[inline(always)]
    pub(crate) fn open(
        &mut self,
        number: u32,
        generation: u32,
        layout: &'static Layout,
        sizes: Option<Arc<Sizes>>,
    ) {
        self.made += 1;
        if self.made - self.ended > self.live_high {
            self.live_high = self.made - self.ended;
        }
        match self.frames.get_mut(number as usize) {
            // Its entries are those of the last frame, and as that one left them: inlets and cells
            // empty, slots counted down.
            Some(frame)
                if sizes.is_none()
                    && frame.layout.is_some_and(|last| std::ptr::eq(last, layout) && !last.sized) =>
            {
                frame.generation = generation;
                for (entry, spec) in frame.slots.iter_mut().zip(layout.slots) {
                    if !seeded!(StaleCounts) {
                        entry.count = spec.count;
                    }
                    entry.round = 0;
                }
            }
            _ => self.lay_out(number, generation, layout, sizes),
        }
    }

    #[cold]
    fn lay_out(&mut self, number: u32, generation: u32, layout: &'static Layout, sizes: Option<Arc<Sizes>>) {
        if self.frames.len() <= number as usize {
            self.frames.resize_with(number as usize + 1, || Frame::NEVER);
        }
        let frame = &mut self.frames[number as usize];
        frame.generation = generation;
        if let Some(before) = frame.layout.replace(layout)
            && !std::ptr::eq(before, layout)
        {
            self.past.change(FrameId::new(number, generation), before, layout);
        }
        frame.slots.clear();
        let totals = [layout.slots.len() as u32, layout.inlets.len() as u32, layout.cells.len() as u32];
        let [slots, inlets, cells] = sizes.as_ref().and_then(|sizes| sizes.totals()).unwrap_or(totals);
        match &sizes {
            None => frame
                .slots
                .extend(layout.slots.iter().map(|spec| SlotEntry::new(spec, spec.count, spec.reset, 0))),
            Some(sizes) => {
                let unused = SlotEntry::new(&SlotSpec::new("", 0, None, 0), 0, 0, 0);
                frame.slots.resize(slots as usize, unused);
                for (spec, (extent, &(count, reset))) in
                    layout.slots.iter().zip(sizes.slots.iter().zip(&sizes.counts))
                {
                    let entries = &mut frame.slots[extent.first as usize..][..extent.len as usize];
                    for (index, entry) in entries.iter_mut().enumerate() {
                        *entry = SlotEntry::new(spec, count, reset, index as u32);
                    }
                }
            }
        }
        frame.looks =
            if cells > 0 || frame.slots.iter().any(SlotEntry::has_long_rounds) { BY_LAYOUT } else { 0 };
        frame.inlets.resize_with(inlets as usize, || InletEntry::EMPTY);
        frame.lists.resize_with(inlets as usize, || InletLists::EMPTY);
        frame.cells.resize_with(cells as usize, || CellEntry::EMPTY);
        frame.sizes = sizes;
    }

    /// Ends frame `number` and drops its values. If something still needed the frame, the error says what.
    #[inline(always)]
    pub(crate) fn close(&mut self, number: u32) -> Result<(), &'static str> {
        let frame = &mut self.frames[number as usize];
        frame.generation = BETWEEN;
        self.ended += 1;
        if frame.full | frame.waiting | frame.looks == 0 || seeded!(EndedFull) {
            Ok(())
        } else {
            self.close_looking(number)
        }
    }

    /// The common case of a value and its signal: the frame is live, the inlet empty, the signal
    /// expected. Otherwise nothing has changed and the value comes back, for [`put`](FrameStore::put)
    /// to say what is to be done.
    #[inline(always)]
    pub(crate) fn put_plain<T: Wire>(
        &mut self,
        to: SlotRef,
        inlet: u32,
        value: T,
        witness: impl Witness,
    ) -> Result<Option<Ready>, T> {
        let Some(frame) = self.frames.get_mut(to.id().number() as usize) else { return Err(value) };
        let (Some(slot), Some(entry)) =
            (frame.slots.get_mut(to.slot() as usize), frame.inlets.get_mut(inlet as usize))
        else {
            return Err(value);
        };
        if frame.generation != to.id().generation() && !seeded!(LatePut)
            || slot.count == 0
            || !entry.value.is_empty()
        {
            return Err(value);
        }
        entry.value.fill(value, T::KIND);
        entry.tag = Tag::new(to.slot(), slot.round);
        witness.counted(to.id(), entry.tag);
        slot.values += 1;
        frame.full += 1;
        slot.count -= 1;
        Ok(if slot.count == 0 { Some(fire(slot, to)) } else { None })
    }

    #[inline(always)]
    pub(super) fn live(&mut self, at: FrameId) -> Result<&mut Frame, Misuse> {
        match self.frames.get_mut(at.number() as usize) {
            Some(frame) if frame.generation == at.generation() || seeded!(LateSignal) => Ok(frame),
            _ => Err(Misuse::Stale),
        }
    }

    /// Counts a signal at the slot that it names.
    #[inline(always)]
    pub(crate) fn signal(&mut self, to: SlotRef, witness: impl Witness) -> Result<Option<Ready>, Misuse> {
        let frame = self.live(to.id())?;
        let slot = frame.slots.get_mut(to.slot() as usize).ok_or(Misuse::NoSlot)?;
        signal(slot, to, witness)
    }

    /// Stores a value in an inlet and counts its signal, as one operation.
    pub(crate) fn put(
        &mut self,
        to: SlotRef,
        inlet: u32,
        value: Value,
        origin: Origin,
        witness: impl ParkingWitness,
    ) -> Result<Option<Ready>, Misuse> {
        let frame = self.live(to.id())?;
        let slot = frame.slots.get_mut(to.slot() as usize).ok_or(Misuse::NoSlot)?;
        let entry = frame.inlets.get_mut(inlet as usize).ok_or(Misuse::NoInlet)?;
        if !entry.value.is_empty() {
            return self.park(to, inlet, value, origin, witness);
        }
        if slot.count == 0 {
            return Err(Misuse::TooManySignals);
        }
        entry.value = value;
        entry.tag = Tag::new(to.slot(), slot.round);
        frame.lists[inlet as usize].next = std::mem::replace(&mut slot.covered, inlet);
        slot.values += 1;
        frame.full += 1;
        signal(slot, to, witness)
    }

    #[cold]
    fn park(
        &mut self,
        to: SlotRef,
        inlet: u32,
        value: Value,
        origin: Origin,
        witness: impl ParkingWitness,
    ) -> Result<Option<Ready>, Misuse> {
        if seeded!(ParkedLost) {
            return Ok(None);
        }
        if self.parked.len() >= self.parking_limit {
            return Err(Misuse::ParkingFull);
        }
        witness.parked(to.id(), inlet);
        let frame = &mut self.frames[to.id().number() as usize];
        self.parked.push(&mut frame.lists[inlet as usize].parked, Parked { slot: to.slot(), value, origin });
        frame.waiting += 1;
        self.parked_total += 1;
        self.parked_high = self.parked_high.max(self.parked.len());
        if seeded!(ParkedSignalCounted) { self.signal(to, ()) } else { Ok(None) }
    }

    /// Lets the next value parked at an emptied inlet come in. An error names the slot and the fiber that sent the
    /// value.
    #[cold]
    pub(crate) fn unpark(
        &mut self,
        at: FrameRef,
        inlet: u32,
        witness: impl ParkingWitness,
    ) -> Result<Option<Ready>, (Misuse, u32, Origin)> {
        let frame = &mut self.frames[at.id.number() as usize];
        let Some(Parked { slot, value, origin }) = self.parked.pop(&mut frame.lists[inlet as usize].parked)
        else {
            return Ok(None);
        };
        frame.waiting -= 1;
        self.put(SlotRef::new(at, slot), inlet, value, origin, witness)
            .map_err(|misuse| (misuse, slot, origin))
    }

    /// Takes from an inlet of a live frame what came with `tag`, if nothing is parked in the frame.
    #[inline(always)]
    pub(crate) fn take_plain<T: Wire>(&mut self, own: FrameId, inlet: u32, tag: Tag) -> Option<T> {
        let frame = self.frames.get_mut(own.number() as usize)?;
        if frame.waiting == 0 { frame.take(inlet, tag) } else { None }
    }

    /// Takes from an inlet of a frame, which may not have been made yet, what came with `tag`. A value parked there
    /// may come in [afterwards](Self::unpark).
    pub(crate) fn take<T: Wire>(&mut self, own: FrameId, inlet: u32, tag: Tag) -> Option<T> {
        self.frames.get_mut(own.number() as usize)?.take(inlet, tag)
    }

    /// Hands over the values of a fiber that was enabled just now, with their inlets. An inlet with parked values goes
    /// to `emptied`. Returns whether the fiber has values and its slot a reset, so that it may be enabled with other
    /// values before it has run.
    pub(crate) fn hand_over(
        &mut self,
        ready: &Ready,
        mut give: impl FnMut(u32, Value),
        emptied: &mut Vec<(FrameRef, u32)>,
        node: u32,
    ) -> bool {
        let frame = &mut self.frames[ready.own.number() as usize];
        let mut inlet = ready.covered;
        while inlet != NO_INLET {
            let entry = &mut frame.inlets[inlet as usize];
            give(inlet, std::mem::take(&mut entry.value));
            frame.full -= 1;
            let lists = &frame.lists[inlet as usize];
            if !lists.parked.is_empty() && !seeded!(ParkedForgottenDual) {
                emptied.push((FrameRef { node, id: ready.own }, inlet));
            }
            inlet = lists.next;
        }
        let slot = ready.tag.slot().filter(|_| ready.values > 0);
        slot.is_some_and(|slot| frame.slots[slot as usize].reset > 0)
    }

    /// Raises the count of a slot.
    pub(crate) fn raise(&mut self, slot: SlotRef, by: u32) -> Result<(), Misuse> {
        let frame = self.live(slot.id())?;
        let entry = frame.slots.get_mut(slot.slot() as usize).ok_or(Misuse::NoSlot)?;
        if entry.count == 0 && entry.round > 0 && !seeded!(RaisedTooLate) {
            return Err(Misuse::RaisedTooLate);
        }
        entry.count = entry.count.checked_add(by).ok_or(Misuse::RaisedTooFar)?;
        entry.raised = entry.raised.wrapping_add(by);
        frame.looks |= RAISED;
        Ok(())
    }

    /// Writes a cell; `answer` gets each reader that waited, oldest first, with a copy and who asked.
    pub(crate) fn write(
        &mut self,
        at: FrameRef,
        cell: u32,
        value: Value,
        mut answer: impl FnMut(SlotRef, u32, Value, Origin),
    ) -> Result<(), Misuse> {
        self.cell_accesses += 1;
        let copy = self.cell_spec(at, cell)?.copy;
        let frame = &mut self.frames[at.id.number() as usize];
        let entry = &mut frame.cells[cell as usize];
        if !entry.value.is_empty() && !seeded!(WrittenTwice) {
            return Err(Misuse::WrittenTwice);
        }
        entry.value = value;
        while let Some(Reader { to, inlet, origin }) = self.readers.pop(&mut entry.readers) {
            frame.waiting -= 1;
            answer(to, inlet, copy(&entry.value).ok_or(Misuse::NoCell)?, origin);
            if seeded!(OneReader) {
                break;
            }
        }
        Ok(())
    }

    /// Reads a cell, or leaves the reader waiting at it.
    pub(crate) fn read(
        &mut self,
        at: FrameRef,
        cell: u32,
        to: SlotRef,
        inlet: u32,
        origin: Origin,
    ) -> Result<Reading, Misuse> {
        self.cell_accesses += 1;
        let copy = self.cell_spec(at, cell)?.copy;
        let frame = &mut self.frames[at.id.number() as usize];
        let entry = &mut frame.cells[cell as usize];
        if entry.value.is_empty() {
            if seeded!(ReaderLost) {
                return Ok(Reading::Deferred);
            }
            self.readers.push(&mut entry.readers, Reader { to, inlet, origin });
            frame.waiting += 1;
            self.deferred_total += 1;
            return Ok(Reading::Deferred);
        }
        copy(&entry.value).map(Reading::Now).ok_or(Misuse::NoCell)
    }

    /// How many values may be parked at once.
    pub(crate) fn parking_limit(&self) -> usize {
        self.parking_limit
    }
}
