//! The values of an array of inlets, all taken out at once: the fiber has them while its frame is filled anew.
//!
//! They move, as they lay in the frame, into a block that the store keeps for this, and the fiber takes them out of there
//! from either end. The block goes back to the store when the fiber has ended, so a round allocates nothing.
//!
//! # Invariant
//!
//! * **Held.** Of the block's words, each [`words_of`] from `next` to `end` hold a `T` as a frame holds it.

use std::fmt;
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::mem::{MaybeUninit, needs_drop};
use std::ops::Index;
use std::ptr;

use super::layout::{Family, ValueOf};
use super::store::Frames;
use crate::erased::FirstPanic;
use crate::kind::{KindOf, read_value, value_at, words_of, write_value};

/// A block of words. One that holds no values is kept by the store, with the next such block.
#[derive(Default)]
pub(super) struct Block {
    /// Of length 0: what counts is the capacity.
    words: Vec<MaybeUninit<u64>>,
    next: Option<Box<Block>>,
}

/// The values of an array of inlets, out of their frame. What is left of them is dropped with it.
pub struct Taken<T> {
    /// What they lie in, until it is given back.
    block: Option<Box<Block>>,
    next: u32,
    end: u32,
    holds: PhantomData<T>,
}

/// The values that arrived at an array of inlets, in the order of the inlets: what a fiber gets of a parameter
/// `#[inlets(len)] x: Arrived<'_, T>`.
///
/// They are given out once, from either end; what is left is dropped with it. It holds them in memory that the runtime uses
/// again, so that no round allocates any. Those that are left may be looked at before, by [`iter`](Self::iter) or by index;
/// who wants to keep them collects them, `x.collect::<Vec<_>>()`.
pub struct Arrived<'a, T>(&'a mut Taken<T>);

impl<T> Taken<T> {
    /// The values, to be given out.
    #[inline(always)]
    pub fn arrived(&mut self) -> Arrived<'_, T> {
        Arrived(self)
    }

    /// Adds a value behind the others.
    pub fn push(&mut self, value: T) {
        let (words, end) = (words_of::<T>(), self.end as usize);
        self.end = self.end.checked_add(1).expect("an array has a length of 32 bits");
        let block = self.block.get_or_insert_default();
        block.words.reserve((end + 1) * words);
        // SAFETY: there is room for one more value, which nobody holds; Held.
        unsafe { write_value(block.words.as_mut_ptr().add(end * words).cast(), value) }
    }

    /// Where value `at` lies, if there is one.
    #[inline(always)]
    fn place(&self, at: u32) -> *const u8 {
        let words = self.block.as_ref().map_or(ptr::null(), |block| block.words.as_ptr());
        words.wrapping_add(at as usize * words_of::<T>()).cast()
    }

    /// How many values there are.
    #[inline(always)]
    fn len(&self) -> usize {
        (self.end - self.next) as usize
    }

    /// Reads a value out.
    ///
    /// # Safety
    ///
    /// It is Held at `at`, and is not any more from now on.
    #[inline(always)]
    unsafe fn read(&self, at: u32) -> T {
        // SAFETY: by this function's contract.
        unsafe { read_value(self.place(at)) }
    }

    #[inline(always)]
    fn pop_front(&mut self) -> Option<T> {
        let at = self.next;
        if at == self.end {
            return None;
        }
        self.next = at + 1;
        // SAFETY: Held.
        Some(unsafe { self.read(at) })
    }

    #[inline(always)]
    fn pop_back(&mut self) -> Option<T> {
        if self.next == self.end {
            return None;
        }
        self.end -= 1;
        // SAFETY: Held.
        Some(unsafe { self.read(self.end) })
    }

    /// Drops the values that are left. Of several panics the first goes on, when all are dropped.
    #[inline(always)]
    fn drop_rest(&mut self) {
        if needs_drop::<T>() && self.next != self.end {
            self.drop_each();
        }
        self.next = self.end;
    }

    #[cold]
    fn drop_each(&mut self) {
        let mut panics = FirstPanic::none();
        while let Some(value) = self.pop_front() {
            panics.catch(|| drop(value));
        }
        panics.resume();
    }
}

impl<T> Arrived<'_, T> {
    /// The values that are left, to be looked at.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator + Clone {
        let (first, words) = (self.0.place(self.0.next), 8 * words_of::<T>());
        // SAFETY: Held, and not given out as long as the references borrow this.
        (0..self.0.len()).map(move |index| unsafe { value_at(first.add(index * words)) })
    }
}

impl<T> Index<usize> for Arrived<'_, T> {
    type Output = T;

    /// A value of those that are left.
    ///
    /// # Panics
    ///
    /// If there are not so many.
    #[inline]
    fn index(&self, index: usize) -> &T {
        let len = self.len();
        assert!(index < len, "value {index} of {len} that arrived");
        // SAFETY: Held, and not given out as long as the reference borrows this.
        unsafe { value_at(self.0.place(self.0.next + index as u32)) }
    }
}

impl<T> Drop for Taken<T> {
    fn drop(&mut self) {
        self.drop_rest();
    }
}

impl<T> Drop for Arrived<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.0.drop_rest();
    }
}

impl<T> Iterator for Arrived<'_, T> {
    type Item = T;

    #[inline(always)]
    fn next(&mut self) -> Option<T> {
        self.0.pop_front()
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.len(), Some(self.0.len()))
    }
}

impl<T> DoubleEndedIterator for Arrived<'_, T> {
    #[inline(always)]
    fn next_back(&mut self) -> Option<T> {
        self.0.pop_back()
    }
}

impl<T> ExactSizeIterator for Arrived<'_, T> {}
impl<T> FusedIterator for Arrived<'_, T> {}

impl<T> fmt::Debug for Arrived<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arrived").field("len", &self.len()).finish_non_exhaustive()
    }
}

impl<H: Family> Frames<H> {
    /// A block that holds no values.
    #[inline(always)]
    fn spare(&mut self) -> Box<Block> {
        let mut block = self.spares.take().unwrap_or_default();
        self.spares = block.next.take();
        block
    }

    /// No values, in a block of the store.
    #[inline(always)]
    pub fn none_taken<T>(&mut self) -> Taken<T> {
        Taken { block: Some(self.spare()), next: 0, end: 0, holds: PhantomData }
    }

    /// Takes the values of a declared array of inlets of the frame that is entered; `None` if it has no such array, or one of
    /// the inlets is empty.
    pub fn take_all<T: Send + 'static>(
        &mut self,
        declared: u32,
        kind: &'static KindOf<T, ValueOf<H>>,
    ) -> Option<Taken<T>> {
        let head = self.entered;
        if head.is_null() {
            return None;
        }
        // SAFETY: Entered; Full: all inlets hold values of this kind, and none does afterwards; Held.
        unsafe {
            let arrays = Self::arrays(head)?;
            let inlets = arrays.tables.inlets.get(declared as usize)?;
            if !inlets.extent.array || !inlets.kind.is_same(kind.erased()) || !arrays.all_full(inlets) {
                return None;
            }
            let mut block = self.spare();
            let (end, words) = (inlets.extent.len, inlets.extent.len as usize * words_of::<T>());
            block.words.reserve(words);
            let (from, to) = (arrays.extra.word::<MaybeUninit<u64>>(inlets.at), block.words.as_mut_ptr());
            for word in 0..words {
                // Word by word: a wider load would wait for the stores of values that came just now.
                to.add(word).write(from.add(word).read_volatile());
            }
            arrays.empty(inlets);
            Some(Taken { block: Some(block), next: 0, end, holds: PhantomData })
        }
    }

    /// Takes the block of values back. Those that are left are dropped.
    #[inline(always)]
    pub fn give_back<T>(&mut self, mut taken: Taken<T>) {
        taken.drop_rest();
        if let Some(mut block) = taken.block.take() {
            block.next = self.spares.take();
            self.spares = Some(block);
        }
    }
}
