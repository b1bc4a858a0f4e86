//! The extra of a frame: arrays whose lengths are known when the frame starts, and the runtime's data.
//!
//! All elements are in one block of words, at the positions given by its [tables](super::tables). Both are
//! reused: the block by the next frame of the number, the tables by all frames of equal sizes.
//!
//! An inlet with a number below 32 has its bit in the frame's first mask, whether it is declared or an array
//! element. So for a small array, one access to that mask tests whether it is full, empties it, or finds it
//! empty when its frame ends. The masks of all other elements are in the extra.

use std::cell::{Cell, UnsafeCell};
use std::iter;
use std::mem::MaybeUninit;
use std::rc::Rc;

use super::count::Counter;
use super::inlet::InletView;
use super::layout::{Function, MASK_BITS};
use super::tables::{Extent, Inlets, Tables};
use crate::no_memory::try_room;

/// Word of elements, written while the extra is shared. No other reference to it exists.
type Word = UnsafeCell<MaybeUninit<u64>>;

/// The parts of a frame outside its own memory.
pub(super) struct Extra<F: Function> {
    /// Positions of the elements.
    pub(super) tables: Rc<Tables<F>>,
    /// At least the number of words that the tables need.
    words: Vec<Word>,
    /// The runtime's data.
    pub(super) user: F::Extra,
}

impl<F: Function> Extra<F> {
    /// Makes an extra whose elements the caller [lays out](Self::lay_out) next, by these tables.
    pub(super) fn new(tables: Rc<Tables<F>>) -> Self {
        Extra { tables, words: Vec::new(), user: F::Extra::default() }
    }

    /// Lays out the elements by these tables and initializes them. Allocates only if they need more memory
    /// than every earlier frame.
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
        // If memory is short, this unwinds and the extra stays unchanged.
        let mut more = try_room(words, "arrays of a frame").unwrap_or_else(|none| none.unwind());
        more.resize_with(words, || UnsafeCell::new(MaybeUninit::uninit()));
        self.words = more;
    }

    /// Initializes the elements: clears the masks in this extra, and sets each slot to the count of its first
    /// round.
    #[inline(never)]
    fn begin(&self) {
        for slots in &self.tables.slots {
            for word in slots.at..slots.at + slots.extent.elements() {
                // SAFETY: the counts of the array are the words from `at` on.
                unsafe { self.counter(word) }.set(slots.first);
            }
        }
        // SAFETY: these words hold the masks.
        self.words_of_masks().for_each(|word| unsafe { self.word::<u64>(word).write(0) });
    }

    /// Returns the words that hold the masks of elements, two masks a word.
    fn words_of_masks(&self) -> std::ops::Range<u32> {
        self.tables.counts..self.tables.counts + self.tables.masks
    }

    /// Returns the count of element `offset`, where the arrays of slots follow one another.
    #[inline(always)]
    pub(super) fn count_of(&self, offset: u32) -> Option<&Counter> {
        // SAFETY: the first words hold counts.
        (offset < self.tables.counts).then(|| unsafe { self.counter(offset) })
    }

    /// Returns the count in this word.
    ///
    /// # Safety
    ///
    /// The word holds a count.
    #[inline(always)]
    pub(super) unsafe fn counter(&self, word: u32) -> &Counter {
        // SAFETY: by this function's contract. All references to a count refer to its cell.
        unsafe { &*self.word(word) }
    }

    /// Whether an array inlet with its mask in this extra is full.
    pub(super) fn has_full(&self) -> bool {
        // SAFETY: these words hold the masks.
        self.words_of_masks().any(|word| unsafe { *self.word::<u64>(word) } != 0)
    }

    /// Returns the address of word `at`, valid for that word and the words after it.
    #[inline(always)]
    pub(super) fn word<T>(&self, at: u32) -> *mut T {
        UnsafeCell::raw_get(self.words.as_ptr().wrapping_add(at as usize)).cast()
    }

    /// Returns an element of an array of inlets. `first` is the first mask of its frame.
    ///
    /// # Safety
    ///
    /// The array belongs to this extra and has an element of this index.
    #[inline(always)]
    pub(super) unsafe fn element<'a>(
        &'a self,
        first: &'a Cell<u32>,
        inlets: &Inlets<F::Value>,
        index: u32,
    ) -> InletView<'a, F::Value> {
        let number = inlets.extent.first + index;
        InletView {
            kind: inlets.kind,
            slot: inlets.slot + inlets.step * index,
            value: self.word(inlets.at + index * inlets.words),
            // SAFETY: by this function's contract; Sized.
            mask: unsafe { self.mask_of(first, number) },
            bit: 1 << (number % MASK_BITS),
            due: inlets.due,
        }
    }

    /// Returns the mask that shows whether inlet `number` is full. `first` is the first mask of its frame.
    ///
    /// # Safety
    ///
    /// An array has an element of this number.
    #[inline(always)]
    unsafe fn mask_of<'a>(&'a self, first: &'a Cell<u32>, number: u32) -> &'a Cell<u32> {
        if number < MASK_BITS {
            return first;
        }
        // SAFETY: by this function's contract. The masks start at word `counts`, two a word.
        unsafe { &*self.word::<Cell<u32>>(self.tables.counts).add((number / MASK_BITS - 1) as usize) }
    }

    /// Iterates over the masks of the elements of an array, each with the elements' bits in it.
    ///
    /// # Safety
    ///
    /// The array belongs to this extra.
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
    /// The array belongs to this extra.
    #[inline(always)]
    pub(super) unsafe fn all_full(&self, first: &Cell<u32>, inlets: &Inlets<F::Value>) -> bool {
        if inlets.bits != 0 {
            return first.get() & inlets.bits == inlets.bits;
        }
        // SAFETY: by this function's contract.
        unsafe { self.masks(first, inlets.extent) }.all(|(mask, bits)| mask.get() & bits == bits)
    }

    /// Marks all elements of an array as empty.
    ///
    /// # Safety
    ///
    /// The array belongs to this extra.
    #[inline(always)]
    pub(super) unsafe fn empty(&self, first: &Cell<u32>, inlets: &Inlets<F::Value>) {
        if inlets.bits != 0 {
            return first.set(first.get() & !inlets.bits);
        }
        // SAFETY: by this function's contract.
        unsafe { self.masks(first, inlets.extent) }.for_each(|(mask, bits)| mask.set(mask.get() & !bits));
    }
}
