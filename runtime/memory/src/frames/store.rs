//! The store: what it is made of, and how a frame is found and entered.

use std::cell::Cell;
use std::ptr;

use super::chunk::{Chunk, INDEX_BITS};
use super::extra::Extra;
use super::frame::Frame;
use super::head::{FLAGS, Head, is_live};
use super::id::{FrameId, GENERATION};
use super::layout::{CLASSES, FrameLayout, Function};
use super::past::Past;
use super::tables::{Extent, LastTables};
use super::taken::Block;
use crate::erased::FirstPanic;
use crate::kind::Kind;

/// The frame that lives or lived last under a number.
#[derive(Debug)]
pub struct Last<'a, F: Function> {
    /// Its identity. Of a frame that has ended the generation is one more.
    word: u64,
    /// What is known of its function.
    pub function: &'static F,
    /// The key of its sizes, if it has arrays.
    pub numbers: &'a [u32],
}

impl<F: Function> Last<'_, F> {
    /// Whether it is the frame of this identity, which lives or has ended.
    pub fn was(&self, id: FrameId) -> bool {
        self.word == id.word() || self.word == id.word().wrapping_add(GENERATION)
    }
}

/// The frames of one class that are free, and the chunk that new ones come from.
pub(super) struct Class<F: Function> {
    pub(super) free: *mut Head<F>,
    pub(super) chunk: u32,
    pub(super) used: u32,
}

/// The frames of one node.
pub struct Frames<F: Function> {
    pub(super) chunks: Vec<Chunk>,
    pub(super) classes: [Class<F>; CLASSES],
    /// The frame of the fiber that runs, if it is made.
    pub(super) entered: *mut Head<F>,
    /// A guess at the frame of the next fiber; may be stale.
    pub(super) recent: Cell<*mut Head<F>>,
    /// The frame whose state is borrowed.
    pub(super) lent: *mut Head<F>,
    /// Extras that no frame has.
    pub(super) extras: Vec<Box<Extra<F>>>,
    pub(super) tables: LastTables<F>,
    /// The first of the blocks that hold no values.
    pub(super) spares: Cell<Option<Box<Block>>>,
    pub(super) past: Past<F>,
    /// Whether it gives frames their numbers, and does not adopt the numbers of another store.
    pub(super) numbers: bool,
}

// SAFETY: all contents of frames are `Send` (values, states, and the user's data); the pointers are the
// store's own, and so are all handles of its tables. Layouts and kinds are constants that are `Sync`, by the bounds of
// `Function`.
unsafe impl<F: Function> Send for Frames<F> {}

impl<F: Function> Default for Frames<F> {
    fn default() -> Self {
        Self::new()
    }
}

impl<F: Function> Frames<F> {
    /// A store without frames.
    pub const fn new() -> Self {
        Frames {
            chunks: Vec::new(),
            classes: [const { Class { free: ptr::null_mut(), chunk: u32::MAX, used: 0 } }; CLASSES],
            entered: ptr::null_mut(),
            recent: Cell::new(Chunk::NONE.at(0)),
            lent: ptr::null_mut(),
            extras: Vec::new(),
            tables: LastTables::new(),
            spares: Cell::new(None),
            past: Past::new(),
            numbers: false,
        }
    }

    /// The frame of a number, whatever lives there.
    pub(super) fn frame(&self, number: u32) -> Option<*mut Head<F>> {
        let chunk = self.chunks.get((number >> INDEX_BITS) as usize).filter(|chunk| !chunk.is_none())?;
        Some(chunk.at(number))
    }

    #[inline(always)]
    pub(super) fn live(&self, id: FrameId) -> Option<Frame<'_, F>> {
        let head: *mut Head<F> = self.chunks.get((id.number() >> INDEX_BITS) as usize)?.at(id.number());
        // SAFETY: Live: a head is there always, and where a chunk has none yet, one without an identity.
        unsafe { if (*head).id == id.word() { Some(Frame::new(head)) } else { None } }
    }

    /// The live frame of this identity, which is most often the one that is entered.
    #[inline(always)]
    pub(super) fn entered_or_live(&self, id: FrameId) -> Option<Frame<'_, F>> {
        self.entered_frame().filter(|frame| frame.id() == id).or_else(|| self.live(id))
    }

    /// The live frame of this identity, or `whichever` has its number: most often the recent one.
    #[inline(always)]
    pub(super) fn recent_or_live(&self, id: FrameId, whichever: bool) -> Option<Frame<'_, F>> {
        // SAFETY: Still; Live: a head is there always.
        unsafe {
            if (*self.recent.get()).id == id.word() {
                return Some(Frame::new(self.recent.get()));
            }
        }
        self.live_under(id, whichever)
    }

    /// The live frame of this identity, or `whichever` has its number.
    #[inline(always)]
    pub(super) fn live_under(&self, id: FrameId, whichever: bool) -> Option<Frame<'_, F>> {
        if !whichever {
            return self.live(id);
        }
        // SAFETY: Live: a head is there always.
        unsafe { self.frame(id.number()).filter(|head| is_live((**head).id)).map(|head| Frame::new(head)) }
    }

    /// What is known of the function of a live frame.
    pub fn live_function(&self, id: FrameId) -> Option<&'static F> {
        Some(self.live(id)?.layout().function())
    }

    /// What is known of the function of a frame that lives or has lived, unless its number has served another since, and
    /// the function of some number has changed a thousand times after that.
    pub fn function_of(&self, id: FrameId) -> Option<&'static F> {
        self.past.function(id.word(), self.last(id.number())?.function)
    }

    /// Leaves the frame that was entered, or starts a function that has no frame yet.
    #[inline(always)]
    pub fn leave(&mut self) {
        self.entered = ptr::null_mut();
    }

    /// The identity of the frame of the fiber that runs, if it is made.
    #[inline(always)]
    pub fn entered(&self) -> Option<FrameId> {
        self.entered_frame().map(Frame::id)
    }

    /// Enters a live frame, to run a fiber of it. Returns what is known of its function. A frame whose first fiber has not
    /// ended, or panicked, has no state: it is entered all the same, but its state is not [lent](super::with_state) and
    /// cannot be [taken](Self::take_state).
    #[inline(always)]
    pub fn enter(&mut self, id: FrameId) -> Option<&'static F> {
        let frame = self.live(id)?;
        let (head, function) = (frame.head(), frame.layout().function());
        self.entered = head;
        Some(function)
    }

    /// Enters a live frame of this layout. Returns whether it is one; a layout at another address is another one.
    #[inline(always)]
    pub fn enter_of(&mut self, id: FrameId, layout: &'static FrameLayout<F>) -> bool {
        // SAFETY: Still; Live: a head is there always.
        if unsafe { (*self.recent.get()).id } != id.word() {
            self.find_recent(id);
        }
        let head = self.recent.get();
        // SAFETY: as above.
        if unsafe { (*head).id != id.word() || !ptr::eq((*head).layout, layout) } {
            return false;
        }
        self.entered = head;
        true
    }

    /// Makes the live frame of this identity the recent one, if there is one.
    #[inline(never)]
    fn find_recent(&self, id: FrameId) {
        if let Some(frame) = self.live(id) {
            self.recent.set(frame.head());
        }
    }

    /// Frees a frame without values and state. A number whose generations are used up is retired.
    ///
    /// # Safety
    ///
    /// `head` is Live and holds neither values nor a state.
    #[inline(always)]
    pub(super) unsafe fn let_go(&mut self, head: *mut Head<F>, layout: &'static FrameLayout<F>) {
        // SAFETY: by this function's contract. The place of the next free one is in every head; layouts have classes that
        // there are.
        unsafe {
            let (id, used_up) = (*head).id.overflowing_add(GENERATION);
            (*head).id = id;
            let class = self.classes.get_unchecked_mut(layout.class);
            if !used_up && self.numbers {
                Head::place::<*mut Head<F>>(head, FLAGS).write(class.free);
                class.free = head;
            }
        }
    }

    /// All frames that were ever made.
    pub(super) fn heads(&self) -> impl Iterator<Item = *mut Head<F>> + '_ {
        let made = |head: &*mut Head<F>| {
            // SAFETY: Still: a head is there always.
            !unsafe { (**head).layout }.is_null()
        };
        let chunks = self.chunks.iter().filter(|chunk| !chunk.is_none());
        chunks.flat_map(|chunk| (0..chunk.frames()).map(|index| chunk.at(index))).filter(made)
    }

    /// The identities of all live frames, in the order of their numbers.
    pub fn live_frames(&self) -> impl Iterator<Item = FrameId> + '_ {
        // SAFETY: Still.
        self.heads().filter_map(|head| FrameId::from_word(unsafe { (*head).id }))
    }

    /// The frame that lives or lived last under a number.
    pub fn last(&self, number: u32) -> Option<Last<'_, F>> {
        let head = self.frame(number)?;
        // SAFETY: Still; a frame that has lived keeps its layout and its extra until the next one begins.
        unsafe {
            if (*head).id as u32 != number || (*head).layout.is_null() {
                return None;
            }
            let numbers = Head::extra_at(head).as_ref().map_or(&[][..], |extra| &extra.tables.numbers);
            Some(Last { word: (*head).id, function: (*(*head).layout).function(), numbers })
        }
    }

    /// Drops what the user keeps with frames, and gives the memory of all of them back. They hold nothing else any more.
    ///
    /// # Safety
    ///
    /// No frame is used afterwards.
    pub(super) unsafe fn free(&mut self, panics: &mut FirstPanic) {
        for head in self.heads().collect::<Vec<_>>() {
            // SAFETY: Still; the extra of a frame that has lived is a box of its own, which nobody uses afterwards.
            let extra = unsafe { Head::extra_at(head) };
            if !extra.is_null() {
                // SAFETY: as above.
                panics.catch(|| drop(unsafe { Box::from_raw(extra) }));
            }
        }
        for extra in self.extras.drain(..) {
            panics.catch(|| drop(extra));
        }
        for chunk in self.chunks.drain(..) {
            // SAFETY: by this function's contract.
            unsafe { chunk.free() }
        }
    }
}

impl<F: Function> Frames<F> {
    #[inline(always)]
    pub(super) fn entered_frame(&self) -> Option<Frame<'_, F>> {
        // SAFETY: Entered; the store is borrowed as long as the frame is used.
        if self.entered.is_null() { None } else { Some(unsafe { Frame::new(self.entered) }) }
    }

    #[inline(always)]
    pub(super) fn entered_of(&self, layout: &'static FrameLayout<F>) -> Option<Frame<'_, F>> {
        match self.entered_frame() {
            Some(frame) if ptr::eq(frame.layout(), layout) => Some(frame),
            _ => None,
        }
    }

    /// The declared slot of `number` and its index there: what enabled a fiber of the frame that is entered.
    #[inline(always)]
    pub fn declared(&self, number: u32) -> Option<(usize, usize)> {
        let frame = self.entered_frame()?;
        if (number as usize) < frame.layout().slots.len() {
            return Some((number as usize, 0));
        }
        let (_, declared, index) = frame.extra()?.tables.slot(number)?;
        Some((declared, index as usize))
    }

    /// The numbers of a declared array of slots of the frame that is entered, if it has one.
    #[inline(always)]
    pub fn entered_slots(&self, declared: u32) -> Option<Extent> {
        Some(self.entered_frame()?.extra()?.tables.slots.get(declared as usize)?.extent)
    }

    /// As [`entered_slots`](Self::entered_slots), of inlets.
    #[inline(always)]
    pub fn entered_inlets(&self, declared: u32) -> Option<Extent> {
        Some(self.entered_frame()?.extra()?.tables.inlets.get(declared as usize)?.extent)
    }

    /// The kind of the values of an inlet of a live frame, which may be an element of an array.
    pub fn inlet_kind(&self, id: FrameId, number: u32) -> Option<&'static Kind<F::Value>> {
        Some(self.live(id)?.inlet(number)?.kind)
    }

    /// The number of the slot that an inlet of a live frame signals.
    pub fn slot_of(&self, id: FrameId, inlet: u32) -> Option<u32> {
        Some(self.live(id)?.inlet(inlet)?.slot)
    }

    /// The number of the first inlet that a slot counts and that is empty.
    pub fn lacking(&self, id: FrameId, slot: u32) -> Option<u32> {
        let frame = self.live(id)?;
        let is_empty = |number: &u32| frame.inlet(*number).is_some_and(|inlet| !inlet.is_full());
        frame.counted_by(&frame.slot(slot)?).find(is_empty)
    }

    /// The numbers of the inlets that a slot of a live frame counts.
    pub fn inlets_of(&self, id: FrameId, slot: u32) -> impl Iterator<Item = u32> + '_ {
        let inlets = self.live(id).and_then(|frame| Some(frame.counted_by(&frame.slot(slot)?)));
        inlets.into_iter().flatten()
    }

    /// Whether an inlet of a live frame holds a value.
    pub fn is_full(&self, id: FrameId, inlet: u32) -> bool {
        self.live(id).and_then(|frame| frame.inlet(inlet)).is_some_and(|inlet| inlet.is_full())
    }

    /// The numbers of the inlets of a live frame that hold values.
    pub fn full_inlets(&self, id: FrameId) -> Vec<u32> {
        self.live(id).into_iter().flat_map(Frame::full_inlets).map(|(number, _)| number).collect()
    }

    /// The numbers of the slots of a live frame.
    pub fn slot_numbers(&self, id: FrameId) -> impl Iterator<Item = u32> + '_ {
        self.live(id).into_iter().flat_map(|frame| {
            let ends = frame.extra().into_iter().flat_map(|extra| &extra.tables.slots);
            let end = ends.map(|slots| slots.extent.first + slots.extent.len).max().unwrap_or(0);
            (0..end.max(frame.layout().slots.len() as u32))
                .filter(move |&number| frame.slot(number).is_some())
        })
    }
}
