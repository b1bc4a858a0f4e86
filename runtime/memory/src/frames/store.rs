//! The store: how frames are made, entered and ended.

use std::ptr;

use super::chunk::{Chunk, INDEX_BITS};
use super::count::Count;
use super::entered::Laid;
use super::extra::Extra;
use super::id::{FrameId, GENERATION};
use super::layout::{CLASSES, COUNTS, Declared, Family, FrameLayout, MASK, ROUNDS};
use super::past::Past;
use super::tables::LastTables;
use super::taken::Spare;
use crate::erased::FirstPanic;

/// The first bytes of every frame.
#[repr(C)]
pub(super) struct Head<H: Family> {
    /// The generation in the upper half, the number in the lower.
    pub(super) id: u64,
    /// The layout of the frame that lives or lived last here; null before the first.
    pub(super) layout: *const FrameLayout<H>,
    /// [`HAS_STATE`], [`ROUNDS`], and how many values are [parked](PARKED) at the frame's inlets.
    pub(super) flags: u32,
    /// Which of the first inlets are full.
    pub(super) mask: u32,
}

const _: () = assert!(size_of::<Head<NoFamily>>() == COUNTS as usize);
const _: () = assert!(std::mem::offset_of!(Head<NoFamily>, mask) == MASK as usize);

#[derive(Debug)]
enum NoFamily {}
impl Declared for NoFamily {
    type Value = ();
    type Slot = ();
    type Inlet = ();
}
impl Family for NoFamily {
    type Declared = NoFamily;
    type Function = ();
    type Extra = ();
}

/// Where the flags and the mask of a frame are, one word in all. A frame that has ended keeps the next one of its class there.
const FLAGS: u32 = 16;

/// The flag of a frame that holds a state.
pub(super) const HAS_STATE: u32 = 1 << 31;

/// The bits of the flags that count what is parked.
pub(super) const PARKED: u32 = ROUNDS - 1;

/// Whether a word is the identity of a live frame.
#[inline(always)]
const fn is_live(id: u64) -> bool {
    id & GENERATION != 0
}

/// The frame that lives or lived last under a number.
#[derive(Debug)]
pub struct Last<'a, H: Family> {
    /// Its identity. Of a frame that has ended the generation is one more.
    word: u64,
    /// What is known of its function.
    pub function: &'static H::Function,
    /// What its sizes are known by, if it has arrays.
    pub numbers: &'a [u32],
}

impl<H: Family> Last<'_, H> {
    /// Whether it is the frame of this identity, which lives or has ended.
    pub fn was(&self, id: FrameId) -> bool {
        self.word == id.word() || self.word == id.word().wrapping_add(GENERATION)
    }
}

/// The frames of one class that are free, and the chunk that new ones come from.
struct Class<H: Family> {
    free: *mut Head<H>,
    chunk: u32,
    used: u32,
}

/// The frames of one node.
pub struct Frames<H: Family> {
    chunks: Vec<Chunk>,
    classes: [Class<H>; CLASSES],
    /// The frame of the fiber that runs, if it is made.
    pub(super) entered: *mut Head<H>,
    /// The frame a slot of which was the last to reach zero, or another one, or one that is not there: where the next fiber
    /// is most often found.
    pub(super) fired: *mut Head<H>,
    /// The frame whose state is borrowed.
    pub(super) lent: *mut Head<H>,
    /// Extras that no frame has.
    pub(super) extras: Vec<Box<Extra<H>>>,
    pub(super) tables: LastTables<H>,
    /// Blocks that hold no values.
    pub(super) spares: Vec<Spare>,
    past: Past<H::Function>,
    /// Whether it gives frames their numbers, and does not adopt them under those of another store.
    numbers: bool,
}

// SAFETY: whatever lies in frames is `Send` (values and states are, and so is what the user keeps); the pointers are the
// store's own, and so are all handles of its tables.
unsafe impl<H: Family> Send for Frames<H> {}

impl<H: Family> Default for Frames<H> {
    fn default() -> Self {
        Self::new()
    }
}

impl<H: Family> Frames<H> {
    /// A store without frames.
    pub const fn new() -> Self {
        Frames {
            chunks: Vec::new(),
            classes: [const { Class { free: ptr::null_mut(), chunk: u32::MAX, used: 0 } }; CLASSES],
            entered: ptr::null_mut(),
            fired: Chunk::NONE.at(0),
            lent: ptr::null_mut(),
            extras: Vec::new(),
            tables: LastTables::new(),
            spares: Vec::new(),
            past: Past::new(),
            numbers: false,
        }
    }

    /// What lies in a frame `at` so many bytes from its beginning.
    ///
    /// # Safety
    ///
    /// The frame's class has so many bytes. The layout sees to the alignment: a frame begins on a multiple of 32.
    #[inline(always)]
    pub(super) unsafe fn place<T>(head: *mut Head<H>, at: u32) -> *mut T {
        // SAFETY: by this function's contract.
        unsafe { head.cast::<u8>().add(at as usize).cast() }
    }

    /// The count of a declared slot.
    ///
    /// # Safety
    ///
    /// The frame is of a layout that has this slot.
    #[inline(always)]
    pub(super) unsafe fn count_at(head: *mut Head<H>, slot: u32) -> *mut Count {
        // SAFETY: by this function's contract: counts lie behind the head, one after another.
        unsafe { Self::place::<Count>(head, COUNTS).add(slot as usize) }
    }

    /// The count of each later round of a declared slot.
    ///
    /// # Safety
    ///
    /// The frame is of this layout, which has this slot and `resets_at`.
    #[inline(always)]
    pub(super) unsafe fn reset_at(head: *mut Head<H>, layout: &FrameLayout<H>, slot: u32) -> *mut Count {
        // SAFETY: by this function's contract: they lie one after another.
        unsafe { Self::place::<Count>(head, layout.resets_at).add(slot as usize) }
    }

    /// The frame of a number, whatever lives there.
    fn frame(&self, number: u32) -> Option<*mut Head<H>> {
        let chunk = self.chunks.get((number >> INDEX_BITS) as usize).filter(|chunk| !chunk.is_none())?;
        Some(chunk.at(number))
    }

    /// The live frame of this identity.
    #[inline(always)]
    pub(super) fn live(&self, id: FrameId) -> Option<*mut Head<H>> {
        let head: *mut Head<H> = self.chunks.get((id.number() >> INDEX_BITS) as usize)?.at(id.number());
        // SAFETY: Live: a head is there always, and where a chunk has none yet, one without an identity.
        if unsafe { (*head).id } == id.word() { Some(head) } else { None }
    }

    /// The live frame of this identity, which is most often the one that is entered.
    #[inline(always)]
    pub(super) fn entered_or_live(&self, id: FrameId) -> Option<*mut Head<H>> {
        if self.entered() == Some(id) { Some(self.entered) } else { self.live(id) }
    }

    /// The live frame of this identity, or `whichever` has its number.
    #[inline(always)]
    pub(super) fn live_under(&self, id: FrameId, whichever: bool) -> Option<*mut Head<H>> {
        if !whichever {
            return self.live(id);
        }
        // SAFETY: Live: a head is there always.
        self.frame(id.number()).filter(|head| is_live(unsafe { (**head).id }))
    }

    /// The layout of a live frame.
    ///
    /// # Safety
    ///
    /// `head` is Live.
    #[inline(always)]
    pub(super) unsafe fn layout(head: *mut Head<H>) -> &'static FrameLayout<H> {
        // SAFETY: a live frame has a layout, which is a constant.
        unsafe { &*(*head).layout }
    }

    /// Makes the frame of the fiber that runs. Returns its identity.
    #[inline(always)]
    pub fn make(&mut self, layout: &'static FrameLayout<H>) -> FrameId {
        self.make_flagged(layout, layout.flags)
    }

    /// Makes the frame of the fiber that runs, with these flags.
    #[inline(always)]
    fn make_flagged(&mut self, layout: &'static FrameLayout<H>, flags: u32) -> FrameId {
        let head = self.allocate(layout);
        // SAFETY: the frame is of the layout's class and is not live.
        unsafe {
            if seeded!(SameGeneration) && (*head).id >= GENERATION {
                (*head).id -= GENERATION;
            } else {
                (*head).id += GENERATION;
            }
            Self::begin(head, layout, flags);
            self.entered = head;
            FrameId::from_live((*head).id)
        }
    }

    /// Makes the frame of the fiber that runs, of the layout of `L`, with a state.
    ///
    /// # Panics
    ///
    /// If that has states of another type.
    #[inline(always)]
    pub fn make_with<L: Laid<H>, F: Send + 'static>(&mut self, state: F) -> FrameId {
        assert!(L::FRAME.is_of::<F>(), "a frame has states of one type");
        // The flag is written with the others: a byte that is written into a word which is read as a whole soon after makes
        // that wait until both have left the store buffer.
        let id = self.make_flagged(L::FRAME, L::FRAME.flags | HAS_STATE);
        // SAFETY: Entered; Stated: a new frame has room for a state, and nothing happens before it has one.
        unsafe { Self::put_state(self.entered, L::FRAME.state_at, state) }
        id
    }

    /// The identity that [`make`](Self::make) gives a frame of this layout, if it is made next.
    #[inline]
    pub fn next_id(&self, layout: &'static FrameLayout<H>) -> FrameId {
        let Class { free, chunk, used } = &self.classes[layout.class];
        if !free.is_null() {
            // SAFETY: Still: a head is there always; the generation of a free frame is even.
            return unsafe { FrameId::from_live((**free).id + GENERATION) };
        }
        let (chunk, index) = match self.chunks.get(*chunk as usize) {
            Some(known) if *used < known.frames() => (*chunk, *used),
            _ => (self.chunks.len() as u32, 0),
        };
        // SAFETY: 1 is odd.
        unsafe { FrameId::from_live(GENERATION | u64::from(chunk << INDEX_BITS | index)) }
    }

    /// Makes a frame under an identity that another store has given it, unless it lives. A number serves one class.
    ///
    /// # Panics
    ///
    /// If the number serves another class, or the store gives numbers itself.
    pub fn adopt(&mut self, id: FrameId, layout: &'static FrameLayout<H>) {
        assert!(!self.numbers, "a store gives numbers or adopts those of another");
        let number = (id.number() >> INDEX_BITS) as usize;
        if self.chunks.len() <= number {
            self.chunks.resize(number + 1, Chunk::NONE);
        }
        if self.chunks[number].is_none() {
            self.chunks[number] = Chunk::new(number, layout.class);
        }
        assert!(self.chunks[number].is_of(layout.class), "a number serves one class");
        let Some(head) = self.frame(id.number()) else { return };
        // SAFETY: the frame is of the layout's class; a live one is left alone.
        unsafe {
            if !is_live((*head).id) {
                if !ptr::eq((*head).layout, layout) {
                    self.change(head, id.word(), layout);
                }
                (*head).id = id.word();
                Self::begin(head, layout, layout.flags);
            }
        }
    }

    /// A free frame of a layout's class.
    #[inline(always)]
    fn allocate(&mut self, layout: &'static FrameLayout<H>) -> *mut Head<H> {
        // SAFETY: layouts have classes that there are.
        let class = unsafe { self.classes.get_unchecked_mut(layout.class) };
        let mut head = class.free;
        // SAFETY: Still; a free frame holds the next one in its head.
        unsafe {
            if head.is_null() {
                head = self.next_number(layout.class);
            } else {
                class.free = Self::place::<*mut Head<H>>(head, FLAGS).read();
            }
            if !ptr::eq((*head).layout, layout) {
                self.change(head, (*head).id + GENERATION, layout);
            }
        }
        head
    }

    /// The number of a frame is going to serve another function, or one for the first time.
    ///
    /// # Safety
    ///
    /// `head` is a frame that has ended or never was.
    #[cold]
    unsafe fn change(&mut self, head: *mut Head<H>, word: u64, next: &'static FrameLayout<H>) {
        // SAFETY: by this function's contract; a layout is a constant.
        unsafe {
            if let Some(last) = (*head).layout.as_ref() {
                self.past.change(word, last.hooks(), next.hooks());
            }
            self.recycle_extra(head, next);
            (*head).layout = next;
        }
    }

    /// The frame of a number that was never used.
    #[cold]
    fn next_number(&mut self, class: usize) -> *mut Head<H> {
        assert!(self.numbers || self.chunks.is_empty(), "a store gives numbers or adopts those of another");
        self.numbers = true;
        let Class { chunk, used, .. } = &mut self.classes[class];
        if self.chunks.get(*chunk as usize).is_none_or(|chunk| *used == chunk.frames()) {
            *chunk = u32::try_from(self.chunks.len())
                .ok()
                .filter(|chunk| *chunk < FrameId::ROOT.number() >> INDEX_BITS)
                .expect("frames have numbers of 32 bits");
            *used = 0;
            self.chunks.push(Chunk::new(*chunk as usize, class));
        }
        let index = *used;
        *used += 1;
        let head: *mut Head<H> = self.chunks[*chunk as usize].at(index);
        // SAFETY: Still; nobody has the frame yet.
        unsafe { (*head).id = u64::from(*chunk << INDEX_BITS | index) };
        head
    }

    /// Writes what a new frame begins with.
    ///
    /// # Safety
    ///
    /// `head` is a frame of this layout, as it says itself, that holds nothing.
    #[inline(always)]
    unsafe fn begin(head: *mut Head<H>, layout: &'static FrameLayout<H>, flags: u32) {
        // SAFETY: by this function's contract; counts and masks lie where the layout says.
        unsafe {
            let stale = seeded!(StaleCounts) && (*head).id > 2 * GENERATION;
            (*head).flags = flags;
            (*head).mask = 0;
            for (slot, counts) in (0..).zip(layout.slots) {
                if !stale {
                    Self::count_at(head, slot).write(counts.first);
                }
                if layout.resets_at != 0 {
                    Self::reset_at(head, layout, slot).write(counts.next);
                }
            }
            for word in 0..layout.more_masks {
                Self::place::<u32>(head, layout.masks_at + 4 * word).write(0);
            }
        }
    }

    /// What is known of the function of a live frame.
    pub fn live_function(&self, id: FrameId) -> Option<&'static H::Function> {
        // SAFETY: Live.
        self.live(id).map(|head| unsafe { Self::layout(head) }.hooks())
    }

    /// What is known of the function of a frame that lives or has lived, unless its number has served several others
    /// since.
    pub fn function_of(&self, id: FrameId) -> Option<&'static H::Function> {
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
        // SAFETY: Entered.
        if self.entered.is_null() { None } else { Some(unsafe { FrameId::from_live((*self.entered).id) }) }
    }

    /// Enters a live frame, to run a fiber of it. Returns what is known of its function. A frame whose first fiber has not
    /// ended, or panicked, has no state: it is entered all the same, but its state is not [lent](super::with_state) and
    /// cannot be [taken](Self::take_state).
    #[inline(always)]
    pub fn enter(&mut self, id: FrameId) -> Option<&'static H::Function> {
        let head = self.live(id)?;
        self.entered = head;
        // SAFETY: Live.
        Some(unsafe { Self::layout(head) }.hooks())
    }

    /// Enters a live frame of this layout. Returns whether it is one; a layout at another address is another one.
    #[inline(always)]
    pub fn enter_of(&mut self, id: FrameId, layout: &'static FrameLayout<H>) -> bool {
        // SAFETY: Still; Live: a head is there always.
        let head = if unsafe { (*self.fired).id } == id.word() { Some(self.fired) } else { self.live(id) };
        let Some(head) = head.filter(|head| Self::is(*head, layout)) else { return false };
        self.entered = head;
        true
    }

    /// Frees a frame that holds nothing any more. A number whose generations are used up is retired.
    ///
    /// # Safety
    ///
    /// `head` is Live and holds neither values nor a state.
    #[inline(always)]
    pub(super) unsafe fn let_go(&mut self, head: *mut Head<H>, layout: &'static FrameLayout<H>) {
        // SAFETY: by this function's contract. The place of the next free one is in every head; layouts have classes that
        // there are.
        unsafe {
            let (id, used_up) = (*head).id.overflowing_add(GENERATION);
            (*head).id = id;
            let class = self.classes.get_unchecked_mut(layout.class);
            if !used_up && self.numbers {
                Self::place::<*mut Head<H>>(head, FLAGS).write(class.free);
                class.free = head;
            }
        }
    }

    pub(super) fn chunks_mut(&mut self) -> &mut Vec<Chunk> {
        &mut self.chunks
    }

    /// All frames that were ever made.
    pub(super) fn heads(&self) -> impl Iterator<Item = *mut Head<H>> + '_ {
        let made = |head: &*mut Head<H>| {
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
    pub fn last(&self, number: u32) -> Option<Last<'_, H>> {
        let head = self.frame(number)?;
        // SAFETY: Still; a frame that has lived keeps its layout and its extra until the next one begins.
        unsafe {
            if (*head).id as u32 != number || (*head).layout.is_null() {
                return None;
            }
            let numbers = Self::extra_of(head).map_or(&[][..], Extra::numbers);
            Some(Last { word: (*head).id, function: Self::layout(head).hooks(), numbers })
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

#[cfg(test)]
mod tests {
    use super::super::layout::Beside;
    use super::*;

    static LAYOUT: FrameLayout<NoFamily> = FrameLayout::new::<u64>(&[], &[], Beside::Nothing, ());

    #[test]
    fn a_number_whose_generations_are_used_up_is_retired() {
        let mut frames = Frames::<NoFamily>::new();
        let id = frames.make(&LAYOUT);
        // SAFETY: Entered; no other identity of the frame is used.
        unsafe { (*frames.entered).id |= (u64::MAX << 33) | GENERATION };
        let last = frames.entered().expect("a frame is entered");
        assert_eq!((last.generation(), last.number()), (u32::MAX, id.number()));
        assert_eq!((frames.end_of(id), frames.live_frames().count()), (Ok(()), 1));
        assert_eq!((frames.end_of(last), frames.live_frames().count()), (Ok(()), 0));
        assert_ne!(frames.make(&LAYOUT).number(), id.number());
    }
}
