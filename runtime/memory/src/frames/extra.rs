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
use crate::no_memory::try_room;

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

    /// Lays the elements out as these tables say, and has them begin. Memory is allocated only if that takes more than any
    /// frame before.
    #[inline(always)]
    pub(super) fn lay_out(&mut self, tables: Rc<Tables<H>>) {
        if self.words.len() < tables.words as usize {
            self.grow(tables.words as usize);
        }
        let begins = tables.counts + tables.masks > 0;
        self.tables = Some(tables);
        if begins {
            self.begin();
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, words: usize) {
        self.tables = None;
        self.words = Vec::new();
        self.words = try_room(words, "arrays of a frame").unwrap_or_else(|none| none.unwind());
        self.words.resize_with(words, || UnsafeCell::new(MaybeUninit::uninit()));
    }

    /// Has the elements begin: no inlet that has a mask here is full, and each slot has the count of its first round.
    #[inline(never)]
    fn begin(&self) {
        let Some(Tables { slots, counts, masks, .. }) = self.tables() else { return };
        for slots in slots {
            for word in slots.at..slots.at + slots.extent.elements() {
                // SAFETY: the counts of the array are the words from `at` on.
                unsafe { *self.word(word) = slots.first }
            }
        }
        for word in *counts..counts + masks {
            // SAFETY: the masks are these words.
            unsafe { *self.word::<u64>(word) = 0 }
        }
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

    /// Whether an inlet of an array is full that has its mask here.
    pub(super) fn has_full(&self) -> bool {
        let masks = self.tables().map_or(0..0, |tables| tables.counts..tables.counts + tables.masks);
        // SAFETY: the masks are these words.
        masks.into_iter().any(|word| unsafe { *self.word::<u64>(word) } != 0)
    }

    /// The mask here that says whether inlet `number` is full.
    ///
    /// # Safety
    ///
    /// It is an element of an array of this extra that has no bit in the first mask of the frame.
    #[inline(always)]
    pub(super) unsafe fn mask_of(&self, tables: &Tables<H>, number: u32) -> *mut u32 {
        // SAFETY: by this function's contract: the masks are those from word `counts` on, two a word.
        unsafe { self.word::<u32>(tables.counts).add((number / MASK_BITS - 1) as usize) }
    }

    /// What lies in the words from this one on.
    #[inline(always)]
    pub(super) fn word<T>(&self, at: u32) -> *mut T {
        UnsafeCell::raw_get(self.words.as_ptr().wrapping_add(at as usize)).cast()
    }
}
