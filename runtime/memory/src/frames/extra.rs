//! What a frame has besides its piece of memory: arrays whose length is known when the frame starts, and what the user of
//! frames keeps with it.
//!
//! All elements lie in one block of words: the counts of the arrays of slots, the masks of the arrays of inlets, the
//! values. The block is kept and used again by the next frame of the number, as it is if that has the same sizes.

use std::cell::UnsafeCell;
use std::mem::{MaybeUninit, take};

use super::count::Count;
use super::layout::{Family, FrameLayout, MASK_BITS, rounds_of};

/// How many elements a declared slot or inlet has, and their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// The number of the first element; that of the declaration if it is no array.
    pub first: u32,
    /// How many there are.
    pub len: u32,
    /// Whether it is an array.
    pub array: bool,
}

impl Extent {
    /// A single one, of a function whose declarations have the numbers from 0 on.
    pub fn single(ordinal: u32) -> Self {
        Extent { first: ordinal, len: 1, array: false }
    }

    /// Whether it is an array with an element of this index.
    #[inline(always)]
    pub(super) fn has_element(self, index: u32) -> bool {
        self.array && index < self.len
    }

    /// How many elements there are, none if it is no array.
    pub(super) fn elements(self) -> u32 {
        if self.array { self.len } else { 0 }
    }

    /// Whether an element, or the single one, has this number.
    pub fn has(&self, number: u32) -> bool {
        number.checked_sub(self.first).is_some_and(|index| index < self.len)
    }
}

/// A slot, or an array of slots, in one frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slots {
    pub(super) extent: Extent,
    pub(super) first: Count,
    pub(super) next: Count,
    /// The word that holds the first count, if it is an array.
    at: u32,
}

/// An inlet, or an array of inlets, in one frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inlets {
    pub(super) extent: Extent,
    /// The slot that the first element signals, and how far apart the slots of two neighbours are: 0 or 1.
    pub(super) slot: u32,
    pub(super) step: u32,
    /// The first word of the mask, that of the values, and the words of a value.
    mask_at: u32,
    pub(super) at: u32,
    pub(super) words: u32,
}

/// A word of elements, which is written while the extra is shared: nobody else refers to it.
type Word = UnsafeCell<MaybeUninit<u64>>;

/// What a frame has besides its piece of memory.
pub struct Extra<H: Family> {
    pub(super) slots: Vec<Slots>,
    pub(super) inlets: Vec<Inlets>,
    words: Vec<Word>,
    /// How many of the words, from the first on, are the counts of all elements of arrays of slots in the order of their
    /// numbers, and where the masks of all arrays of inlets end, which follow.
    counts: u32,
    masks_end: u32,
    /// Whether it is laid out for the function of its frame, and the flags that such a frame begins with.
    laid: Option<u32>,
    /// What the user of frames keeps with the frame.
    pub user: H::Extra,
}

impl<H: Family> Default for Extra<H> {
    fn default() -> Self {
        Extra {
            slots: Vec::new(),
            inlets: Vec::new(),
            words: Vec::new(),
            counts: 0,
            masks_end: 0,
            laid: None,
            user: H::Extra::default(),
        }
    }
}

impl<H: Family> Extra<H> {
    /// Lays the elements of a frame out: for each declared slot its extent, the count of the first round and that of
    /// later ones; for each declared inlet its extent. Memory is allocated only if this takes more than any frame before.
    ///
    /// # Panics
    ///
    /// If these are not as many as `layout` declares, an array signals a shorter one, or the numbers of the elements of slots
    /// do not follow on those of declarations and on each other.
    pub(super) fn lay_out(
        &mut self,
        layout: &FrameLayout<H>,
        slots: impl ExactSizeIterator<Item = (Extent, u32, u32)>,
        inlets: impl ExactSizeIterator<Item = Extent>,
    ) {
        assert!(
            slots.len() == layout.slots.len() && inlets.len() == layout.inlets.len(),
            "sizes are those of the function's declarations"
        );
        let mut words = 0;
        let mut room = |len: u32, each: u32| {
            let at = words;
            let most = u64::from(at) + u64::from(len) * u64::from(each);
            words = u32::try_from(most).expect("the arrays of a frame have words with numbers of 32 bits");
            at
        };
        // No elements are there before all have words.
        self.clear();
        let (mut all_slots, mut all_inlets) = (take(&mut self.slots), take(&mut self.inlets));
        all_slots.reserve_exact(slots.len());
        all_inlets.reserve_exact(inlets.len());
        let mut flags = 0;
        for (extent, count, reset) in slots {
            let (first, next) = (Count::round(count), Count::after(reset));
            let at = room(extent.elements(), 1);
            assert!(
                !extent.array || extent.first as usize == layout.slots.len() + at as usize,
                "elements have the numbers that follow"
            );
            all_slots.push(Slots { extent, first, next, at });
            flags |= rounds_of(first, next);
        }
        let counts = room(0, 0);
        for (extent, place) in inlets.zip(layout.inlets) {
            assert!(extent.array == place.is_array(), "an array has no place in the frame");
            let slots = &all_slots[place.slot as usize].extent;
            let (slot, step) = if slots.array { (slots.first, 1) } else { (place.slot, 0) };
            assert!(!extent.array || !slots.array || extent.len <= slots.len, "each inlet has a slot");
            let mask_at = room(extent.elements().div_ceil(2 * MASK_BITS), 1);
            all_inlets.push(Inlets { extent, slot, step, mask_at, at: 0, words: 0 });
        }
        let masks_end = room(0, 0);
        for (inlets, place) in all_inlets.iter_mut().zip(layout.inlets) {
            inlets.words = place.kind.size.div_ceil(8);
            inlets.at = room(inlets.extent.elements(), inlets.words);
        }
        self.words.clear();
        self.words.reserve_exact(words as usize);
        self.words.resize_with(words as usize, || UnsafeCell::new(MaybeUninit::uninit()));
        (self.slots, self.inlets, self.counts, self.masks_end) = (all_slots, all_inlets, counts, masks_end);
        self.laid = Some(flags);
    }

    /// Has the elements begin: no inlet is full, and each slot has the count of its first round. Returns the flags that the
    /// frame begins with, nothing if it is not [laid out](Self::lay_out).
    pub(super) fn begin(&mut self) -> Option<u32> {
        let flags = self.laid?;
        for slots in &self.slots {
            let elements = &mut self.words[slots.at as usize..][..slots.extent.elements() as usize];
            elements.fill_with(|| UnsafeCell::new(slots.first.into_word()));
        }
        let masks = &mut self.words[self.counts as usize..self.masks_end as usize];
        masks.fill_with(|| UnsafeCell::new(MaybeUninit::new(0)));
        Some(flags)
    }

    /// Forgets the elements, which are those of another function.
    pub(super) fn clear(&mut self) {
        self.slots.clear();
        self.inlets.clear();
        (self.counts, self.masks_end, self.laid) = (0, 0, None);
    }

    /// The declared array that element `number` of slots belongs to, and its index there.
    #[inline]
    pub(super) fn slot(&self, number: u32) -> Option<(usize, u32)> {
        find(self.slots.iter().map(|slots| &slots.extent), number)
    }

    /// The declared array that element `number` of inlets belongs to, and its index there.
    #[inline]
    pub(super) fn inlet(&self, number: u32) -> Option<(usize, u32)> {
        find(self.inlets.iter().map(|inlets| &inlets.extent), number)
    }

    /// The count of the element of an array of slots that has the `offset`-th number after those of declarations.
    #[inline(always)]
    pub(super) fn count_of(&self, offset: u32) -> Option<*mut Count> {
        (offset < self.counts).then(|| self.word(offset))
    }

    /// Whether an inlet of an array is full.
    pub(super) fn has_full(&self) -> bool {
        (self.counts..self.masks_end).any(|word| {
            // SAFETY: the masks of all arrays are these words.
            unsafe { *self.word::<u64>(word) != 0 }
        })
    }

    /// The mask that says whether this element of an array of inlets is full, with its bit there, and the place of its
    /// value.
    #[inline(always)]
    pub(super) fn element(&self, inlets: &Inlets, index: u32) -> (*mut u32, u32, *mut u8) {
        assert!(inlets.extent.has_element(index), "an element of an array");
        let masks: *mut u32 = self.word(inlets.mask_at);
        // SAFETY: the array's masks are those from word `mask_at` on, two a word.
        let mask = unsafe { masks.add((index / MASK_BITS) as usize) };
        (mask, 1 << (index % MASK_BITS), self.word(inlets.at + index * inlets.words))
    }

    /// Whether all elements of an array of inlets are full.
    pub(super) fn all_full(&self, inlets: &Inlets) -> bool {
        let len = inlets.extent.elements();
        (0..len.div_ceil(MASK_BITS)).all(|word| {
            let (mask, ..) = self.element(inlets, word * MASK_BITS);
            let bits = (len - word * MASK_BITS).min(MASK_BITS);
            // SAFETY: the mask is one of the extra's own.
            unsafe { *mask == u32::MAX >> (MASK_BITS - bits) }
        })
    }

    /// Has all elements of an array of inlets be empty.
    pub(super) fn empty(&self, inlets: &Inlets) {
        for word in 0..inlets.extent.elements().div_ceil(2 * MASK_BITS) {
            // SAFETY: the array's masks are those from word `mask_at` on, two a word.
            unsafe { *self.word::<u64>(inlets.mask_at + word) = 0 }
        }
    }

    /// What lies in the words from this one on.
    #[inline(always)]
    pub(super) fn word<T>(&self, at: u32) -> *mut T {
        UnsafeCell::raw_get(self.words.as_ptr().wrapping_add(at as usize)).cast()
    }
}

fn find<'a>(extents: impl Iterator<Item = &'a Extent>, number: u32) -> Option<(usize, u32)> {
    extents.enumerate().find_map(|(declared, extent)| {
        let index = number.checked_sub(extent.first)?;
        (extent.array && index < extent.len).then_some((declared, index))
    })
}
