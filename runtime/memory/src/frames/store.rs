//! The store: what it is made of, and how a frame is found and entered.

use std::cell::Cell;
use std::ptr;

use super::chunk::{Chunk, INDEX_BITS};
use super::extra::Extra;
use super::frame::Frame;
use super::id::{FrameId, GENERATION};
use super::layout::{CLASSES, COUNTS, FULL_ELSEWHERE, FrameLayout, Function, MASK};
use super::past::Past;
use super::tables::LastTables;
use super::taken::Block;
use crate::erased::FirstPanic;

/// The first bytes of every frame.
#[repr(C)]
pub(super) struct Head<F: Function> {
    /// The generation in the upper half, the number in the lower.
    pub(super) id: u64,
    /// The layout of the frame that lives or lived last here; null before the first.
    pub(super) layout: *const FrameLayout<F>,
    /// [`HAS_STATE`], [`ROUNDS`](super::layout::ROUNDS), [`FULL_ELSEWHERE`], and how many values are [parked](PARKED) at the frame's inlets.
    pub(super) flags: Cell<u32>,
    /// Which of the first inlets are full.
    pub(super) mask: Cell<u32>,
}

const _: () = assert!(size_of::<Head<NoFunction>>() == COUNTS as usize);
const _: () = assert!(std::mem::offset_of!(Head<NoFunction>, mask) == MASK as usize);

/// The function of frames in tests of their memory alone.
#[derive(Debug)]
pub(super) struct NoFunction;

impl Function for NoFunction {
    type Value = ();
    type Extra = ();
}

/// Where the flags and the mask of a frame are, one word in all. A frame that has ended keeps the next one of its class there.
pub(super) const FLAGS: u32 = 16;

/// The flag of a frame that holds a state.
pub(super) const HAS_STATE: u32 = 1 << 31;

/// The bits of the flags that count what is parked.
pub(super) const PARKED: u32 = FULL_ELSEWHERE - 1;

/// Whether a word is the identity of a live frame.
#[inline(always)]
pub(super) const fn is_live(id: u64) -> bool {
    id & GENERATION != 0
}

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

    /// The place `at` bytes from the beginning of a frame.
    ///
    /// # Safety
    ///
    /// The frame's class has these bytes. The layout sees to the alignment: a frame begins on a multiple of 32.
    #[inline(always)]
    pub(super) unsafe fn place<T>(head: *mut Head<F>, at: u32) -> *mut T {
        // SAFETY: by this function's contract.
        unsafe { head.cast::<u8>().add(at as usize).cast() }
    }

    /// The frame of a number, whatever lives there.
    pub(super) fn frame(&self, number: u32) -> Option<*mut Head<F>> {
        let chunk = self.chunks.get((number >> INDEX_BITS) as usize).filter(|chunk| !chunk.is_none())?;
        Some(chunk.at(number))
    }

    /// The live frame of this identity.
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
                Self::place::<*mut Head<F>>(head, FLAGS).write(class.free);
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
            let numbers = Self::extra_at(head).as_ref().map_or(&[][..], |extra| &extra.tables.numbers);
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
            let extra = unsafe { Self::extra_at(head) };
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
