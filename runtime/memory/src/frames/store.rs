//! The store of frames: its parts, and how frames are found and entered.

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
use super::taken::ValueBlock;
use crate::erased::FirstPanic;
use crate::kind::Kind;

/// The frame that lives or last lived under a number.
#[derive(Debug)]
pub struct Last<'a, F: Function> {
    /// Identity of the frame. If the frame has ended, the generation is one more.
    word: u64,
    /// Description of its function.
    pub function: &'static F,
    /// Key of the frame's sizes; empty if it has no arrays.
    pub numbers: &'a [u32],
}

impl<F: Function> Last<'_, F> {
    /// Whether it is the frame of this identity, live or ended.
    pub fn was(&self, id: FrameId) -> bool {
        self.word == id.word() || self.word == id.word().wrapping_add(GENERATION)
    }
}

/// Free frames of one class, and the chunk that supplies new ones.
pub(super) struct Class<F: Function> {
    pub(super) free: *mut Head<F>,
    pub(super) chunk: u32,
    pub(super) used: u32,
}

/// The frames of one node.
pub struct Frames<F: Function> {
    pub(super) chunks: Vec<Chunk>,
    pub(super) classes: [Class<F>; CLASSES],
    /// Frame of the running fiber; null if none has been made.
    pub(super) entered: *mut Head<F>,
    /// Guess at the frame of the next fiber; may be stale.
    pub(super) recent: Cell<*mut Head<F>>,
    /// Frame whose state is borrowed.
    pub(super) lent: *mut Head<F>,
    /// Extras that belong to no frame.
    pub(super) extras: Vec<Box<Extra<F>>>,
    pub(super) tables: LastTables<F>,
    /// First of the linked blocks that hold no values.
    pub(super) spares: Cell<Option<Box<ValueBlock>>>,
    pub(super) past: Past<F>,
    /// Whether the store numbers its frames, instead of adopting the numbers of another store.
    pub(super) numbers: bool,
}

// SAFETY: all contents of frames are `Send` (values, states, and the runtime's data). The pointers are the
// store's own, and so are all handles of its tables. Layouts and kinds are `Sync` constants, by the bounds of
// `Function`.
unsafe impl<F: Function> Send for Frames<F> {}

impl<F: Function> Default for Frames<F> {
    fn default() -> Self {
        Self::new()
    }
}

impl<F: Function> Frames<F> {
    /// Returns a store without frames.
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

    /// Returns the frame of a number, live or not.
    pub(super) fn frame(&self, number: u32) -> Option<*mut Head<F>> {
        let chunk = self.chunks.get((number >> INDEX_BITS) as usize).filter(|chunk| !chunk.is_none())?;
        Some(chunk.at(number))
    }

    #[inline(always)]
    pub(super) fn live(&self, id: FrameId) -> Option<Frame<'_, F>> {
        let head: *mut Head<F> = self.chunks.get((id.number() >> INDEX_BITS) as usize)?.at(id.number());
        // SAFETY: Live: a head is always present. In a missing chunk it has no identity.
        unsafe { if (*head).id == id.word() { Some(Frame::new(head)) } else { None } }
    }

    /// Returns the live frame of this identity. It is usually the entered frame.
    #[inline(always)]
    pub(super) fn entered_or_live(&self, id: FrameId) -> Option<Frame<'_, F>> {
        self.entered_frame().filter(|frame| frame.id() == id).or_else(|| self.live(id))
    }

    /// Returns the live frame of this identity, or with `whichever` the live frame of its number. It is
    /// usually the recent one.
    #[inline(always)]
    pub(super) fn recent_or_live(&self, id: FrameId, whichever: bool) -> Option<Frame<'_, F>> {
        // SAFETY: Still; Live: a head is always present.
        unsafe {
            if (*self.recent.get()).id == id.word() {
                return Some(Frame::new(self.recent.get()));
            }
        }
        self.live_under(id, whichever)
    }

    /// Returns the live frame of this identity, or with `whichever` the live frame of its number.
    #[inline(always)]
    pub(super) fn live_under(&self, id: FrameId, whichever: bool) -> Option<Frame<'_, F>> {
        if !whichever {
            return self.live(id);
        }
        // SAFETY: Live: a head is always present.
        unsafe { self.frame(id.number()).filter(|head| is_live((**head).id)).map(|head| Frame::new(head)) }
    }

    /// Returns the description of the function of a live frame.
    pub fn live_function(&self, id: FrameId) -> Option<&'static F> {
        Some(self.live(id)?.layout().function())
    }

    /// Returns the description of the function of a frame that lives or has lived. After its number has
    /// served another function, the store forgets the old one once a thousand numbers have changed their
    /// functions.
    pub fn function_of(&self, id: FrameId) -> Option<&'static F> {
        self.past.function(id.word(), self.last(id.number())?.function)
    }

    /// Leaves the entered frame, or starts a function that has no frame yet.
    #[inline(always)]
    pub fn leave(&mut self) {
        self.entered = ptr::null_mut();
    }

    /// Returns the identity of the running fiber's frame, if it has been made.
    #[inline(always)]
    pub fn entered(&self) -> Option<FrameId> {
        self.entered_frame().map(Frame::id)
    }

    /// Enters a live frame to run one of its fibers. Returns the description of its function. If its first
    /// fiber has not ended, or panicked, the frame has no state. It can still be entered, but its state is
    /// neither [lent](super::with_state) nor [taken](Self::take_state).
    #[inline(always)]
    pub fn enter(&mut self, id: FrameId) -> Option<&'static F> {
        let frame = self.live(id)?;
        let (head, function) = (frame.head(), frame.layout().function());
        self.entered = head;
        Some(function)
    }

    /// Enters a live frame of this layout. Returns whether the frame is live and has a layout at this
    /// address.
    #[inline(always)]
    pub fn enter_of(&mut self, id: FrameId, layout: &'static FrameLayout<F>) -> bool {
        // SAFETY: Still; Live: a head is always present.
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

    /// Makes the live frame of this identity the recent one, if it exists.
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
        // SAFETY: by this function's contract. Every head has room for the pointer to the next free frame,
        // and the class of a layout exists.
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

    /// Iterates over all frames that were ever made.
    pub(super) fn heads(&self) -> impl Iterator<Item = *mut Head<F>> + '_ {
        let made = |head: &*mut Head<F>| {
            // SAFETY: Still: a head is always present.
            !unsafe { (**head).layout }.is_null()
        };
        let chunks = self.chunks.iter().filter(|chunk| !chunk.is_none());
        chunks.flat_map(|chunk| (0..chunk.frames()).map(|index| chunk.at(index))).filter(made)
    }

    /// Iterates over the identities of all live frames, in the order of their numbers.
    pub fn live_frames(&self) -> impl Iterator<Item = FrameId> + '_ {
        // SAFETY: Still.
        self.heads().filter_map(|head| FrameId::from_word(unsafe { (*head).id }))
    }

    /// Returns the frame that lives or last lived under a number.
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

    /// Drops the runtime's data in frames and frees all memory. The frames hold no values or states any more.
    ///
    /// # Safety
    ///
    /// No frame is used afterwards.
    pub(super) unsafe fn free(&mut self, panics: &mut FirstPanic) {
        for head in self.heads().collect::<Vec<_>>() {
            // SAFETY: Still. The extra of a frame that has lived is a box of its own, which is not used
            // afterwards.
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

    /// Returns the declared slot of slot `number` of the entered frame, and the index if the slot is an array
    /// element.
    #[inline(always)]
    pub fn declared(&self, number: u32) -> Option<(usize, usize)> {
        let frame = self.entered_frame()?;
        if (number as usize) < frame.layout().slots.len() {
            return Some((number as usize, 0));
        }
        let (_, declared, index) = frame.extra()?.tables.slot(number)?;
        Some((declared, index as usize))
    }

    /// Returns the numbers of a declared array of slots of the entered frame, if it has one.
    #[inline(always)]
    pub fn entered_slots(&self, declared: u32) -> Option<Extent> {
        Some(self.entered_frame()?.extra()?.tables.slots.get(declared as usize)?.extent)
    }

    /// Returns the numbers of a declared array of inlets of the entered frame, if it has one.
    #[inline(always)]
    pub fn entered_inlets(&self, declared: u32) -> Option<Extent> {
        Some(self.entered_frame()?.extra()?.tables.inlets.get(declared as usize)?.extent)
    }

    /// Returns the kind of the values of an inlet of a live frame. The inlet may be an array element.
    pub fn inlet_kind(&self, id: FrameId, number: u32) -> Option<&'static Kind<F::Value>> {
        Some(self.live(id)?.inlet(number)?.kind)
    }

    /// Returns the number of the slot that an inlet of a live frame signals.
    pub fn slot_of(&self, id: FrameId, inlet: u32) -> Option<u32> {
        Some(self.live(id)?.inlet(inlet)?.slot)
    }

    /// Returns the number of the first empty inlet that a slot counts.
    pub fn lacking(&self, id: FrameId, slot: u32) -> Option<u32> {
        let frame = self.live(id)?;
        let is_empty = |number: &u32| frame.inlet(*number).is_some_and(|inlet| !inlet.is_full());
        frame.counted_by(&frame.slot(slot)?).find(is_empty)
    }

    /// Iterates over the numbers of the inlets that a slot of a live frame counts.
    pub fn inlets_of(&self, id: FrameId, slot: u32) -> impl Iterator<Item = u32> + '_ {
        let inlets = self.live(id).and_then(|frame| Some(frame.counted_by(&frame.slot(slot)?)));
        inlets.into_iter().flatten()
    }

    /// Whether an inlet of a live frame holds a value.
    pub fn is_full(&self, id: FrameId, inlet: u32) -> bool {
        self.live(id).and_then(|frame| frame.inlet(inlet)).is_some_and(|inlet| inlet.is_full())
    }

    /// Returns the numbers of the inlets of a live frame that hold values.
    pub fn full_inlets(&self, id: FrameId) -> Vec<u32> {
        self.live(id).into_iter().flat_map(Frame::full_inlets).map(|(number, _)| number).collect()
    }

    /// Iterates over the numbers of the slots of a live frame.
    pub fn slot_numbers(&self, id: FrameId) -> impl Iterator<Item = u32> + '_ {
        self.live(id).into_iter().flat_map(|frame| {
            let ends = frame.extra().into_iter().flat_map(|extra| &extra.tables.slots);
            let end = ends.map(|slots| slots.extent.first + slots.extent.len).max().unwrap_or(0);
            (0..end.max(frame.layout().slots.len() as u32))
                .filter(move |&number| frame.slot(number).is_some())
        })
    }
}
