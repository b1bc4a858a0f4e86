//! The extra of a frame: arrays whose length is known when the frame starts, and the data of the user of frames.
//!
//! All elements are in one block of words, as its [tables](super::tables) say. Both are kept: the block is used again by the
//! next frame of the number, the tables by all frames of the same sizes.
//!
//! An inlet with a number below 32 has its bit in the frame's first mask, an element as well as a declared one. So a small array is full, is emptied, and is found empty when its frame ends, by one look at that mask. The
//! masks of all other elements are in the extra.

use std::cell::{Cell, UnsafeCell};
use std::iter;
use std::mem::MaybeUninit;
use std::rc::Rc;

use super::count::Counter;
use super::inlet::Inlet;
use super::layout::{Function, MASK_BITS};
use super::tables::{Extent, Inlets, Tables};
use crate::no_memory::try_room;

/// A word of elements, which is written while the extra is shared. No other reference to it exists.
type Word = UnsafeCell<MaybeUninit<u64>>;

/// The parts of a frame outside of its piece of memory.
pub(super) struct Extra<F: Function> {
    /// The places of the elements.
    pub(super) tables: Rc<Tables<F>>,
    /// As many words as the tables say, or more.
    words: Vec<Word>,
    /// The data of the user of frames.
    pub(super) user: F::Extra,
}

impl<F: Function> Extra<F> {
    /// An extra whose elements are going to be [laid out](Self::lay_out) as these tables say.
    pub(super) fn new(tables: Rc<Tables<F>>) -> Self {
        Extra { tables, words: Vec::new(), user: F::Extra::default() }
    }

    /// Lays the elements out as these tables say, and has them begin. Memory is allocated only if that takes more than any
    /// frame before.
    #[inline(always)]
    pub(super) fn lay_out(&mut self, tables: Rc<Tables<F>>) {
        if self.words.len() < tables.words as usize {
            self.grow(tables.words as usize);
        }
        let begins = tables.counts + tables.masks > 0;
        self.tables = tables;
        if begins {
            self.begin();
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, words: usize) {
        // If there is no memory, the extra stays as it is.
        let mut more = try_room(words, "arrays of a frame").unwrap_or_else(|none| none.unwind());
        more.resize_with(words, || UnsafeCell::new(MaybeUninit::uninit()));
        self.words = more;
    }

    /// Has the elements begin: no inlet that has a mask here is full, and each slot has the count of its first round.
    #[inline(never)]
    fn begin(&self) {
        for slots in &self.tables.slots {
            for word in slots.at..slots.at + slots.extent.elements() {
                // SAFETY: the counts of the array are the words from `at` on.
                unsafe { self.counter(word) }.set(slots.first);
            }
        }
        // SAFETY: the masks are these words.
        self.words_of_masks().for_each(|word| unsafe { self.word::<u64>(word).write(0) });
    }

    /// The words of the masks of elements, two masks a word.
    fn words_of_masks(&self) -> std::ops::Range<u32> {
        self.tables.counts..self.tables.counts + self.tables.masks
    }

    /// The count of element `offset` of all arrays of slots, one array after another.
    #[inline(always)]
    pub(super) fn count_of(&self, offset: u32) -> Option<&Counter> {
        // SAFETY: the first words are counts.
        (offset < self.tables.counts).then(|| unsafe { self.counter(offset) })
    }

    /// The count in this word.
    ///
    /// # Safety
    ///
    /// It is one of the words of counts.
    #[inline(always)]
    pub(super) unsafe fn counter(&self, word: u32) -> &Counter {
        // SAFETY: by this function's contract; all references to a count are to its cell.
        unsafe { &*self.word(word) }
    }

    /// Whether an inlet of an array is full that has its mask here.
    pub(super) fn has_full(&self) -> bool {
        // SAFETY: the masks are these words.
        self.words_of_masks().any(|word| unsafe { *self.word::<u64>(word) } != 0)
    }

    /// The address of this word and the words behind it.
    #[inline(always)]
    pub(super) fn word<T>(&self, at: u32) -> *mut T {
        UnsafeCell::raw_get(self.words.as_ptr().wrapping_add(at as usize)).cast()
    }

    /// An element of an array of inlets, in the frame with this first mask.
    ///
    /// # Safety
    ///
    /// The array is one of this extra, and has an element of this index.
    #[inline(always)]
    pub(super) unsafe fn element<'a>(
        &'a self,
        first: &'a Cell<u32>,
        inlets: &Inlets<F::Value>,
        index: u32,
    ) -> Inlet<'a, F::Value> {
        let number = inlets.extent.first + index;
        Inlet {
            kind: inlets.kind,
            slot: inlets.slot + inlets.step * index,
            value: self.word(inlets.at + index * inlets.words),
            // SAFETY: by this function's contract; Sized.
            mask: unsafe { self.mask_of(first, number) },
            bit: 1 << (number % MASK_BITS),
            due: inlets.due,
        }
    }

    /// The mask that says whether inlet `number` is full, in the frame with this first mask.
    ///
    /// # Safety
    ///
    /// An array has an element of this number.
    #[inline(always)]
    unsafe fn mask_of<'a>(&'a self, first: &'a Cell<u32>, number: u32) -> &'a Cell<u32> {
        if number < MASK_BITS {
            return first;
        }
        // SAFETY: by this function's contract: the masks are those from word `counts` on, two a word.
        unsafe { &*self.word::<Cell<u32>>(self.tables.counts).add((number / MASK_BITS - 1) as usize) }
    }

    /// The masks of the elements of an array, each with the bits that they have there.
    ///
    /// # Safety
    ///
    /// The array is one of this extra.
    unsafe fn masks<'a>(
        &'a self,
        first: &'a Cell<u32>,
        extent: Extent,
    ) -> impl Iterator<Item = (&'a Cell<u32>, u32)> {
        let (mut number, end) = (extent.first, extent.first + extent.len);
        iter::from_fn(move || {
            if number == end {
                return None;
            }
            let from = number;
            number = (from | (MASK_BITS - 1)).saturating_add(1).min(end);
            let bits = ((1u64 << (number - from)) - 1) << (from % MASK_BITS);
            // SAFETY: by this function's contract.
            Some((unsafe { self.mask_of(first, from) }, bits as u32))
        })
    }

    /// Whether all elements of an array are full.
    ///
    /// # Safety
    ///
    /// The array is one of this extra.
    #[inline(always)]
    pub(super) unsafe fn all_full(&self, first: &Cell<u32>, inlets: &Inlets<F::Value>) -> bool {
        if inlets.bits != 0 {
            return first.get() & inlets.bits == inlets.bits;
        }
        // SAFETY: by this function's contract.
        unsafe { self.masks(first, inlets.extent) }.all(|(mask, bits)| mask.get() & bits == bits)
    }

    /// Has all elements of an array be empty.
    ///
    /// # Safety
    ///
    /// The array is one of this extra.
    #[inline(always)]
    pub(super) unsafe fn empty(&self, first: &Cell<u32>, inlets: &Inlets<F::Value>) {
        if inlets.bits != 0 {
            return first.set(first.get() & !inlets.bits);
        }
        // SAFETY: by this function's contract.
        unsafe { self.masks(first, inlets.extent) }.for_each(|(mask, bits)| mask.set(mask.get() & !bits));
    }
}
