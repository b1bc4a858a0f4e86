//! What a frame has besides its piece of memory: arrays whose length is known when the frame starts, and what the user of
//! frames keeps with it.
//!
//! All elements lie in one block of words, as its [tables](super::tables) say. Both are kept: the block is used again by the
//! next frame of the number, the tables by all frames of the same sizes.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::rc::Rc;

use super::count::Count;
use super::layout::{Family, MASK_BITS};
use super::tables::{Inlets, Slots, Tables};

/// A word of elements, which is written while the extra is shared: nobody else refers to it.
type Word = UnsafeCell<MaybeUninit<u64>>;

/// What a frame has besides its piece of memory.
pub struct Extra<H: Family> {
    /// Where the elements lie; nothing before the first frame of a function is laid out.
    tables: Option<Rc<Tables<H>>>,
    /// As many words as the tables say, or more.
    words: Vec<Word>,
    /// What the user of frames keeps with the frame.
    pub user: H::Extra,
}

impl<H: Family> Default for Extra<H> {
    fn default() -> Self {
        Extra { tables: None, words: Vec::new(), user: H::Extra::default() }
    }
}

impl<H: Family> Extra<H> {
    /// Where the elements lie, if it is laid out.
    #[inline(always)]
    pub(super) fn tables(&self) -> Option<&Tables<H>> {
        self.tables.as_deref()
    }

    /// What its sizes are known by.
    pub(super) fn numbers(&self) -> &[u32] {
        self.tables().map_or(&[], |tables| &tables.numbers)
    }

    /// The declared slots, none if it is not laid out.
    #[inline(always)]
    pub(super) fn slots(&self) -> &[Slots] {
        self.tables().map_or(&[], |tables| &tables.slots)
    }

    /// The declared inlets, none if it is not laid out.
    #[inline(always)]
    pub(super) fn inlets(&self) -> &[Inlets<H>] {
        self.tables().map_or(&[], |tables| &tables.inlets)
    }

    /// Lays the elements out as these tables say. Memory is allocated only if that takes more than any frame before.
    #[inline]
    pub(super) fn lay_out(&mut self, tables: Rc<Tables<H>>) {
        let words = tables.words as usize;
        if self.words.len() < words {
            self.tables = None;
            self.words = Vec::with_capacity(words);
            self.words.resize_with(words, || UnsafeCell::new(MaybeUninit::uninit()));
        }
        self.tables = Some(tables);
    }

    /// Has the elements begin: no inlet is full, and each slot has the count of its first round.
    #[inline]
    pub(super) fn begin(&mut self) {
        for slots in self.slots() {
            for word in slots.at..slots.at + slots.extent.elements() {
                // SAFETY: the counts of the array are the words from `at` on.
                unsafe { *self.word(word) = slots.first }
            }
        }
        self.inlets().iter().for_each(|inlets| self.empty(inlets));
    }

    /// Forgets the elements, which are those of another function.
    pub(super) fn clear(&mut self) {
        self.tables = None;
    }

    /// The count of the element of an array of slots that has the `offset`-th number after those of declarations.
    #[inline(always)]
    pub(super) fn count_of(&self, offset: u32) -> Option<*mut Count> {
        (offset < self.tables()?.counts).then(|| self.word(offset))
    }

    /// Whether an inlet of an array is full.
    pub(super) fn has_full(&self) -> bool {
        self.inlets().iter().any(|inlets| self.masks(inlets).any(|mask| mask != 0))
    }

    /// The words of the masks of an array of inlets.
    fn masks(&self, inlets: &Inlets<H>) -> impl Iterator<Item = u64> {
        let masks = inlets.mask_at..inlets.mask_at + inlets.masks;
        // SAFETY: the array's masks are these words.
        masks.map(|word| unsafe { *self.word(word) })
    }

    /// The mask that says whether an element of an array of inlets is full, with its bit there, and the place of its value.
    ///
    /// # Safety
    ///
    /// The array is one of this extra, and has an element of this index.
    #[inline(always)]
    pub(super) unsafe fn element(&self, inlets: &Inlets<H>, index: u32) -> (*mut u32, u32, *mut u8) {
        let masks: *mut u32 = self.word(inlets.mask_at);
        // SAFETY: the array's masks are those from word `mask_at` on, two a word.
        let mask = unsafe { masks.add((index / MASK_BITS) as usize) };
        (mask, 1 << (index % MASK_BITS), self.word(inlets.at + index * inlets.words))
    }

    /// Whether all elements of an array of inlets are full.
    #[inline(always)]
    pub(super) fn all_full(&self, inlets: &Inlets<H>) -> bool {
        if inlets.masks == 1 {
            // SAFETY: the array's masks are this word.
            return unsafe { *self.word::<u64>(inlets.mask_at) } == inlets.last_mask;
        }
        self.all_of_many_full(inlets)
    }

    #[inline(never)]
    fn all_of_many_full(&self, inlets: &Inlets<H>) -> bool {
        (1..)
            .zip(self.masks(inlets))
            .all(|(word, mask)| mask == if word == inlets.masks { inlets.last_mask } else { u64::MAX })
    }

    /// Has all elements of an array of inlets be empty.
    #[inline(always)]
    pub(super) fn empty(&self, inlets: &Inlets<H>) {
        if inlets.masks == 1 {
            // SAFETY: the array's masks are this word.
            unsafe { *self.word::<u64>(inlets.mask_at) = 0 }
        } else {
            self.empty_many(inlets);
        }
    }

    #[inline(never)]
    fn empty_many(&self, inlets: &Inlets<H>) {
        // SAFETY: the array's masks are these words.
        (0..inlets.masks).for_each(|word| unsafe { *self.word::<u64>(inlets.mask_at + word) = 0 });
    }

    /// What lies in the words from this one on.
    #[inline(always)]
    pub(super) fn word<T>(&self, at: u32) -> *mut T {
        UnsafeCell::raw_get(self.words.as_ptr().wrapping_add(at as usize)).cast()
    }
}
