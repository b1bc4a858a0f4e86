//! How frames are made: under the next free number of their class, or under an identity that another store
//! gave.

use std::ptr;

use super::chunk::{Chunk, INDEX_BITS};
use super::count::Count;
use super::frame::Frame;
use super::head::{FLAGS, HAS_STATE, Head, is_live};
use super::id::{FrameId, GENERATION};
use super::layout::{FrameLayout, Function, SlotLayout};

use super::store::{Class, Frames};

impl<F: Function> Frames<F> {
    /// Makes the frame of the running fiber and returns its identity.
    #[inline(always)]
    pub fn make(&mut self, layout: &'static FrameLayout<F>) -> FrameId {
        self.make_of(layout, layout.flags, |_, place| place.first)
    }

    /// Makes the frame of the running fiber, with these flags and the `first` counts of its slots.
    #[inline(always)]
    pub(super) fn make_of(
        &mut self,
        layout: &'static FrameLayout<F>,
        flags: u32,
        first: impl Fn(usize, &SlotLayout) -> Count,
    ) -> FrameId {
        let head = self.allocate(layout);
        // SAFETY: the frame is of the layout's class and is not live.
        unsafe {
            if seeded!(SameGeneration) && (*head).id >= GENERATION {
                (*head).id -= GENERATION;
            } else {
                (*head).id += GENERATION;
            }
            Self::begin(head, layout, flags, first);
            self.entered = head;
            self.recent.set(head);
            FrameId::from_live((*head).id)
        }
    }

    /// Makes the frame of the running fiber, with a state.
    ///
    /// # Panics
    ///
    /// If the layout has states of another type.
    #[inline(always)]
    pub fn make_with<S: Send + 'static>(&mut self, layout: &'static FrameLayout<F>, state: S) -> FrameId {
        assert!(layout.is_of::<S>(), "a state must have the type of the layout's states");
        // The flag is written together with the others. If a byte of a word is written and the word is read
        // soon after, the read waits until the stores have left the store buffer (store-forwarding stall).
        let id = self.make_of(layout, layout.flags | HAS_STATE, |_, place| place.first);
        // SAFETY: Entered; Stated: a new frame has room for a state, and gets it here.
        unsafe { Self::put_state(self.entered, layout.state_at, state) }
        id
    }

    /// Returns the identity that the next call of [`make`](Self::make) gives to a frame of this layout.
    #[inline]
    pub fn next_id(&self, layout: &'static FrameLayout<F>) -> FrameId {
        let Class { free, chunk, used } = &self.classes[layout.class];
        if !free.is_null() {
            // SAFETY: Still: a head is always present. The generation of a free frame is even.
            return unsafe { FrameId::from_live((**free).id + GENERATION) };
        }
        let (chunk, index) = match self.chunks.get(*chunk as usize) {
            Some(known) if *used < known.frames() => (*chunk, *used),
            _ => (self.chunks.len() as u32, 0),
        };
        // SAFETY: 1 is odd.
        unsafe { FrameId::from_live(GENERATION | u64::from(chunk << INDEX_BITS | index)) }
    }

    /// Makes a frame under an identity that another store gave, unless it lives already. All frames of one
    /// number have one class.
    ///
    /// # Panics
    ///
    /// If the number serves another class, or this store numbers its frames itself.
    #[inline(always)]
    pub fn adopt(&mut self, id: FrameId, layout: &'static FrameLayout<F>) {
        let number = (id.number() >> INDEX_BITS) as usize;
        let Some(head) = self.chunks.get(number).map(|chunk| chunk.at::<Head<F>>(id.number())) else {
            return self.adopt_slow(id, layout);
        };
        // SAFETY: Still, Live: a head is always present. A frame of this layout has its class.
        unsafe {
            if self.numbers || is_live((*head).id) || !ptr::eq((*head).layout, layout) {
                return self.adopt_slow(id, layout);
            }
            Self::begin_adopted(head, id, layout);
        }
        // The next operation is usually for this frame.
        self.recent.set(head);
    }

    /// Adopts a frame whose number last served another layout, or none.
    #[inline(never)]
    fn adopt_slow(&mut self, id: FrameId, layout: &'static FrameLayout<F>) {
        assert!(!self.numbers, "a store cannot both number its frames and adopt frames");
        let number = (id.number() >> INDEX_BITS) as usize;
        if self.chunks.len() <= number {
            self.chunks.resize(number + 1, Chunk::NONE);
        }
        if self.chunks[number].is_none() {
            self.chunks[number] = Chunk::new(number, layout.class);
        }
        assert!(self.chunks[number].is_of(layout.class), "all frames of one number must have one class");
        let Some(head) = self.frame(id.number()) else { return };
        // SAFETY: the frame has the layout's class. A live frame stays unchanged.
        unsafe {
            if !is_live((*head).id) {
                if !ptr::eq((*head).layout, layout) {
                    self.change(head, id.word(), layout);
                }
                Self::begin_adopted(head, id, layout);
            }
        }
    }

    /// Begins a frame under this identity.
    ///
    /// # Safety
    ///
    /// The frame is not live, and it has this layout and its class.
    #[inline(always)]
    unsafe fn begin_adopted(head: *mut Head<F>, id: FrameId, layout: &'static FrameLayout<F>) {
        // SAFETY: by this function's contract.
        unsafe {
            (*head).id = id.word();
            match layout.slots {
                [slot] if layout.resets_at == 0 && layout.more_masks == 0 && !Self::keeps_counts(head) => {
                    let frame = Frame::new(head);
                    frame.flags().set(layout.flags);
                    frame.mask().set(0);
                    frame.count_at(0).set(slot.first);
                }
                _ => Self::begin_any(head, layout),
            }
        }
    }

    /// Begins an adopted frame with any slots and inlets.
    ///
    /// # Safety
    ///
    /// As [`begin`](Self::begin).
    #[inline(never)]
    unsafe fn begin_any(head: *mut Head<F>, layout: &'static FrameLayout<F>) {
        // SAFETY: by this function's contract.
        unsafe { Self::begin(head, layout, layout.flags, |_, place| place.first) }
    }

    /// Whether a frame wrongly keeps the counts of its predecessor (a seeded bug).
    ///
    /// # Safety
    ///
    /// `head` is a frame.
    #[inline(always)]
    unsafe fn keeps_counts(head: *mut Head<F>) -> bool {
        // SAFETY: by this function's contract.
        seeded!(StaleCounts) && unsafe { (*head).id } > 2 * GENERATION
    }

    /// Returns a free frame of a layout's class.
    #[inline(always)]
    fn allocate(&mut self, layout: &'static FrameLayout<F>) -> *mut Head<F> {
        // SAFETY: the class of a layout exists.
        let class = unsafe { self.classes.get_unchecked_mut(layout.class) };
        let mut head = class.free;
        // SAFETY: Still. A free frame stores the pointer to the next one in its head.
        unsafe {
            if head.is_null() {
                head = self.next_number(layout.class);
            } else {
                class.free = Head::place::<*mut Head<F>>(head, FLAGS).read();
            }
            if !ptr::eq((*head).layout, layout) {
                self.change(head, (*head).id + GENERATION, layout);
            }
        }
        head
    }

    /// Prepares the number of a frame to serve another function, or its first one.
    ///
    /// # Safety
    ///
    /// `head` is a frame that has ended or never existed.
    #[cold]
    unsafe fn change(&mut self, head: *mut Head<F>, word: u64, next: &'static FrameLayout<F>) {
        // SAFETY: by this function's contract. A layout is a constant.
        unsafe {
            if let Some(last) = (*head).layout.as_ref() {
                self.past.change(word, last.function());
            }
            self.recycle_extra(head, next);
            (*head).layout = next;
        }
    }

    /// Returns the frame of a number that was never used.
    #[cold]
    fn next_number(&mut self, class: usize) -> *mut Head<F> {
        assert!(
            self.numbers || self.chunks.is_empty(),
            "a store cannot both number its frames and adopt frames"
        );
        self.numbers = true;
        let Class { chunk, used, .. } = &mut self.classes[class];
        if self.chunks.get(*chunk as usize).is_none_or(|chunk| *used == chunk.frames()) {
            *chunk = u32::try_from(self.chunks.len())
                .ok()
                .filter(|chunk| *chunk < FrameId::ROOT.number() >> INDEX_BITS)
                .expect("the number of a frame must fit in 32 bits");
            *used = 0;
            self.chunks.push(Chunk::new(*chunk as usize, class));
        }
        let index = *used;
        *used += 1;
        let head: *mut Head<F> = self.chunks[*chunk as usize].at(index);
        // SAFETY: Still. No other code has the frame yet.
        unsafe { (*head).id = u64::from(*chunk << INDEX_BITS | index) };
        head
    }

    /// Writes the initial contents of a frame.
    ///
    /// # Safety
    ///
    /// `head` is a frame without values and state, and its `layout` field is this layout.
    #[inline(always)]
    unsafe fn begin(
        head: *mut Head<F>,
        layout: &'static FrameLayout<F>,
        flags: u32,
        first: impl Fn(usize, &SlotLayout) -> Count,
    ) {
        // SAFETY: by this function's contract. The layout gives the offsets of counts and masks.
        unsafe {
            let stale = Self::keeps_counts(head);
            let frame = Frame::new(head);
            frame.flags().set(flags);
            frame.mask().set(0);
            for (slot, place) in layout.slots.iter().enumerate().filter(|_| !stale) {
                frame.count_at(slot as u32).set(first(slot, place));
            }
            if layout.resets_at != 0 {
                for (slot, place) in (0..).zip(layout.slots) {
                    frame.reset_at(layout, slot).set(place.due.next);
                }
            }
            for word in 0..layout.more_masks {
                frame.mask_at(layout.masks_at + 4 * word).set(0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::head::NoFunction;
    use super::super::layout::ExtraContents;
    use super::*;

    static LAYOUT: FrameLayout<NoFunction> =
        FrameLayout::new::<u64>(&[], &[], ExtraContents::Nothing, NoFunction);

    #[test]
    fn a_number_whose_generations_are_used_up_is_retired() {
        let mut frames = Frames::<NoFunction>::new();
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
