//! The frames of one node, or of one unit of it.
//!
//! Signals, puts and reads name their target by address: number, generation, entry. The common case of each
//! is in line, in [`Frames`]. A failed operation returns a [`Refusal`], which the unit turns into an error
//! with names.
//!
//! # The round of a value
//!
//! An inlet belongs to one slot, and a value is stored only in an empty inlet. When the slot reaches zero,
//! the values of its round are therefore the ones in its inlets. They stay there until the enabled fiber
//! takes them (SPN), or until they are handed over with the fiber (DUAL). A value for a full inlet is parked
//! together with its signal (rule 3 of ARCHITECTURE.md). It enters the inlet when the inlet has been emptied,
//! and then belongs to the round of that moment. (If the value were parked but its signal counted, two early
//! signals of one producer could fire a slot of two.)

use std::collections::HashMap;

use earth_memory::frames::{Counted, Frames, Left, Refusal};

use super::entry::{Parked, Reader};
use super::gate::Gates;
use super::list::{EntryList, Slab};
use crate::node::domain::is_gate;
use crate::node::function::{Function, FunctionLayout};
use crate::node::word_hasher::BuildWordHasher;
use crate::vocabulary::address::{EntryRef, FrameId};
use crate::vocabulary::counters::Counters;
use crate::vocabulary::error::UnfinishedRound;
use crate::vocabulary::layout::Sizes;
use crate::vocabulary::value::{ReadValue, Value};

pub(super) type Memory = Frames<Function>;

pub(crate) struct FrameStore {
    pub(crate) memory: Memory,
    pub(super) parked: Slab<Parked>,
    /// The values parked at each inlet that has any.
    pub(super) queues: HashMap<(FrameId, u32), EntryList, BuildWordHasher>,
    pub(super) readers: Slab<Reader>,
    pub(crate) parking_limit: usize,
    /// The counts of frames, parked values and deferred reads since the run began.
    pub(crate) counters: Counters,
    /// The number of reads and writes of cells.
    pub(crate) cell_accesses: u64,
    /// The number of slots whose round was cut short by the end of their frame, and the first few of these
    /// slots.
    pub(super) unfinished: usize,
    pub(super) rounds: Vec<UnfinishedRound>,
    /// The gates of isolated calls, until their answers.
    pub(crate) gates: Gates,
    /// The highest generation of each frame number that was discarded.
    pub(super) discarded: HashMap<u32, u32>,
}

impl FrameStore {
    pub(crate) fn new(parking_limit: usize) -> Self {
        FrameStore {
            memory: Frames::new(),
            parked: Slab::new(),
            queues: HashMap::default(),
            readers: Slab::new(),
            parking_limit,
            counters: Counters::default(),
            cell_accesses: 0,
            unfinished: 0,
            rounds: Vec::new(),
            gates: Gates::new(),
            discarded: HashMap::new(),
        }
    }

    /// Resets the counters for a run.
    pub(crate) fn begin(&mut self) {
        self.counters = Counters::default();
        self.unfinished = 0;
        self.rounds.clear();
        self.gates.clear();
        self.discarded.clear();
    }

    #[inline(always)]
    fn count_frame(&mut self) {
        let Counters { frames, frames_ended, frames_high, .. } = &mut self.counters;
        *frames += 1;
        if *frames - *frames_ended > *frames_high {
            *frames_high = *frames - *frames_ended;
        }
    }

    /// Makes the frame of the running fiber, with its state. The function's frames have no
    /// [extra](Layout::has_extra).
    #[inline(always)]
    pub(crate) fn make_with<S: Send + 'static>(
        &mut self,
        frame: &'static FunctionLayout,
        state: S,
    ) -> FrameId {
        self.count_frame();
        self.memory.make_with(frame, state)
    }

    /// Makes the frame of the running fiber, with its state. The function's frames have arrays and no cells;
    /// `numbers` are the frame's [sizes](Sizes).
    #[inline(always)]
    pub(crate) fn make_sized<S: Send + 'static>(
        &mut self,
        frame: &'static FunctionLayout,
        state: S,
        numbers: &[u32],
    ) -> FrameId {
        self.count_frame();
        let extents = || Sizes::new(frame.function().layout, numbers).all();
        self.memory.make_sized(frame, state, numbers, extents)
    }

    /// Sets the counts of the slots of a new frame that has no extra memory.
    #[inline(always)]
    pub(crate) fn begin_rounds(&mut self, id: FrameId, sizes: Sizes<'_>) {
        self.memory.begin_rounds(id, sizes.slots().map(|(_, count, reset)| (count, reset)));
    }

    /// Makes the frame of the running fiber. `numbers` are its [sizes](Sizes), if the declaration leaves some
    /// open.
    pub(crate) fn make(&mut self, frame: &'static FunctionLayout, numbers: &[u32]) -> FrameId {
        self.count_frame();
        let id = self.memory.make(frame);
        self.lay_out(id, frame, numbers);
        id
    }

    /// Adds a frame whose identity another store has assigned.
    pub(crate) fn adopt(&mut self, id: FrameId, frame: &'static FunctionLayout, numbers: &[u32]) {
        self.count_frame();
        self.memory.adopt(id, frame);
        self.lay_out(id, frame, numbers);
    }

    /// As [`adopt`](Self::adopt), for a function whose frames have no [extra](Layout::has_extra) and no
    /// sizes.
    #[inline(always)]
    pub(crate) fn adopt_plain(&mut self, id: FrameId, frame: &'static FunctionLayout) {
        self.count_frame();
        self.memory.adopt(id, frame);
    }

    fn lay_out(&mut self, id: FrameId, frame: &'static FunctionLayout, numbers: &[u32]) {
        let layout = frame.function().layout;
        let sizes = Sizes::new(layout, numbers);
        if !layout.has_extra() {
            if layout.is_sized() {
                self.begin_rounds(id, sizes);
            }
            return;
        }
        self.memory.lay_out(id, numbers, || sizes.all());
        if !layout.cells.is_empty() {
            self.make_cells(id, sizes.cells_total());
        }
    }

    /// Describes why a frame that should end is still needed.
    #[cold]
    fn needed(&self, id: Option<FrameId>, left: Left) -> Box<str> {
        if left != Left::Values {
            return "while values were parked at its inlets or reads waited at its cells".into();
        }
        let full = id.map(|id| (self.names(id), self.memory.full_inlets(id)));
        let more = full.as_ref().map_or(0, |(_, full)| full.len().saturating_sub(1));
        let first = full.and_then(|(names, full)| Some(names.inlet(*full.first()?))).unwrap_or_default();
        match more {
            0 => format!("while its inlet `{first}` held a value that no fiber had taken").into(),
            _ => format!("while its inlet `{first}` and {more} more held values that no fiber had taken")
                .into(),
        }
    }

    /// Ends the frame of the running fiber, which has this layout.
    ///
    /// # Errors
    ///
    /// A description of the values or readers that still need the frame.
    #[inline(always)]
    pub(crate) fn end(&mut self, frame: &'static FunctionLayout) -> Result<(), Box<str>> {
        self.counters.frames_ended += 1;
        if !frame.function().layout.cells.is_empty()
            && let Some(id) = self.memory.entered()
        {
            self.drop_cells_of(id);
        }
        match self.memory.end(frame) {
            Ok(()) => Ok(()),
            Err(left) => self.end_looking(self.memory.entered(), left),
        }
    }

    /// Ends a frame whose only remaining entries are unfinished rounds, and records these first.
    #[cold]
    fn end_looking(&mut self, id: Option<FrameId>, left: Left) -> Result<(), Box<str>> {
        let left = match (left, id) {
            (Left::Rounds, Some(id)) => {
                self.note_unfinished(id);
                self.memory.mark_rounds_checked(id);
                match self.memory.end_of(id) {
                    Ok(()) => return Ok(()),
                    Err(left) => left,
                }
            }
            _ => left,
        };
        self.counters.frames_ended -= 1;
        Err(self.needed(id, left))
    }

    /// Ends a frame whose identity another store has assigned, if that is [plain](Frames::end_plain) to do.
    /// Returns whether it ended.
    #[inline(always)]
    pub(crate) fn end_plain(&mut self, id: FrameId) -> bool {
        let ends = self.memory.end_plain(id);
        self.counters.frames_ended += u64::from(ends);
        ends
    }

    /// Ends a frame whose identity another store has assigned.
    pub(crate) fn end_adopted(&mut self, id: FrameId) -> Result<(), Box<str>> {
        self.counters.frames_ended += 1;
        self.drop_cells_of(id);
        self.memory.end_of(id).or_else(|left| self.end_looking(Some(id), left))
    }

    /// Stores a value in an inlet and counts its signal, as one operation. Returns a value for a full inlet
    /// to the caller.
    pub(crate) fn put(
        &mut self,
        id: FrameId,
        inlet: u32,
        value: Value,
    ) -> Result<Result<Counted, Value>, Refusal> {
        let kind = value.kind().ok_or(Refusal::NoSuchPart)?;
        match self.memory.find(id, inlet, kind) {
            Ok(place) => Ok(Ok(place.store_parcel(value))),
            Err(Refusal::Full) => Ok(Err(value)),
            Err(refusal) => Err(refusal),
        }
    }

    /// Returns the function that reads a value for an inlet of a live frame from bytes.
    pub(crate) fn unpack_of(&self, to: EntryRef) -> Result<ReadValue, Refusal> {
        let id = to.id();
        if is_gate(id) {
            return self.gates.get(&id).map(|gate| gate.opening.hooks.unpack).ok_or(Refusal::Stale);
        }
        self.memory.live_function(id).ok_or(Refusal::Stale)?;
        let kind = self.memory.inlet_kind(id, to.number()).ok_or(Refusal::NoSuchPart)?;
        Ok(kind.hooks().unpack)
    }
}
