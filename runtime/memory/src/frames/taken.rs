//! The values of an array of inlets, all taken out at once: the fiber has them while its frame is filled anew.
//!
//! They move, as they were in the frame, into a block that the store keeps for this, and the fiber takes them out of there
//! from either end. The block goes back to the store when the fiber has ended, so a round does not allocate.
//!
//! # Invariant
//!
//! * **Held.** A block has [`words_of`] words for each of `len` values, and these hold a `T` as a frame holds it. Once
//!   [`Arrived`] gives values out, the words of the values that are `left` do.

use std::fmt;
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::mem::{MaybeUninit, forget, needs_drop, replace, take};
use std::ops::{Index, Range};
use std::ptr;

use super::layout::Function;
use super::store::Frames;
use crate::erased::FirstPanic;
use crate::kind::{KindOf, read_value, value_at, words_of, write_value};

/// A block of words. One that holds no values is kept by the store, with the next such block.
#[derive(Default)]
pub(super) struct Block {
    words: Vec<MaybeUninit<u64>>,
    next: Option<Box<Block>>,
}

/// The values of an array of inlets, out of their frame. Those that were not given out are dropped with it. Two words, which
/// are moved one by one.
pub struct Taken<T> {
    /// What they lie in, until it is given back.
    block: Option<Box<Block>>,
    len: usize,
    holds: PhantomData<T>,
}

/// The values that arrived at an array of inlets, in the order of the inlets: what a fiber gets of a parameter
/// `#[inlets(len)] x: Arrived<'_, T>`.
///
/// They are given out once, from either end; what is left is dropped with it. It holds them in memory that the runtime uses
/// again, so that no round allocates any. Those that are left may be looked at before, by [`iter`](Self::iter) or by index;
/// who wants to keep them collects them, `x.collect::<Vec<_>>()`.
pub struct Arrived<'a, T> {
    words: *const MaybeUninit<u64>,
    left: Range<usize>,
    of: PhantomData<&'a mut Taken<T>>,
}

// SAFETY: it has the values alone.
unsafe impl<T: Send> Send for Arrived<'_, T> {}
// SAFETY: who shares it looks at values.
unsafe impl<T: Sync> Sync for Arrived<'_, T> {}

impl<T> Taken<T> {
    /// The values, to be given out: they belong to the result.
    #[inline(always)]
    pub fn arrived(&mut self) -> Arrived<'_, T> {
        let words = self.block.as_ref().map_or(ptr::null(), |block| block.words.as_ptr());
        Arrived { words, left: 0..take(&mut self.len), of: PhantomData }
    }

    /// Adds a value behind the others.
    pub fn push(&mut self, value: T) {
        let (words, at) = (words_of::<T>(), self.len * words_of::<T>());
        let block = self.block.get_or_insert_default();
        // Values that were given out may have left words behind.
        block.words.resize(at + words, MaybeUninit::uninit());
        // SAFETY: the words from `at` on are for one value and hold none; Held.
        unsafe { write_value(block.words.as_mut_ptr().add(at).cast(), value) }
        self.len += 1;
    }
}

impl<T> Arrived<'_, T> {
    /// Where value `at` lies.
    #[inline(always)]
    fn place(&self, at: usize) -> *const u8 {
        self.words.wrapping_add(at * words_of::<T>()).cast()
    }

    /// Drops the values that are left. Of several panics the first goes on, when all are dropped.
    #[cold]
    fn drop_each(&mut self) {
        let mut panics = FirstPanic::none();
        for value in self {
            panics.catch(|| drop(value));
        }
        panics.resume();
    }

    /// The values that are left, to be looked at.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator + Clone {
        let (first, words) = (self.place(self.left.start), 8 * words_of::<T>());
        // SAFETY: Held, and not given out as long as the references borrow this.
        (0..self.len()).map(move |index| unsafe { value_at(first.add(index * words)) })
    }
}

impl<T> Index<usize> for Arrived<'_, T> {
    type Output = T;

    /// A value of those that are left.
    ///
    /// # Panics
    ///
    /// If fewer are left.
    #[inline]
    fn index(&self, index: usize) -> &T {
        let len = self.len();
        assert!(index < len, "value {index} of {len} that arrived");
        // SAFETY: Held, and not given out as long as the reference borrows this.
        unsafe { value_at(self.place(self.left.start + index)) }
    }
}

impl<T> Drop for Taken<T> {
    #[inline(always)]
    fn drop(&mut self) {
        drop(self.arrived());
    }
}

impl<T> Drop for Arrived<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        if needs_drop::<T>() && !self.left.is_empty() {
            self.drop_each();
        }
    }
}

impl<T> Iterator for Arrived<'_, T> {
    type Item = T;

    #[inline(always)]
    fn next(&mut self) -> Option<T> {
        let at = self.left.next()?;
        // SAFETY: Held, and not any more.
        Some(unsafe { read_value(self.place(at)) })
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }
}

impl<T> DoubleEndedIterator for Arrived<'_, T> {
    #[inline(always)]
    fn next_back(&mut self) -> Option<T> {
        let at = self.left.next_back()?;
        // SAFETY: Held, and not any more.
        Some(unsafe { read_value(self.place(at)) })
    }
}

impl<T> ExactSizeIterator for Arrived<'_, T> {}
impl<T> FusedIterator for Arrived<'_, T> {}

impl<T> fmt::Debug for Arrived<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arrived").field("len", &self.len()).finish_non_exhaustive()
    }
}

impl<F: Function> Frames<F> {
    /// A block that holds no values.
    #[expect(clippy::unnecessary_box_returns, reason = "a block stays where it is")]
    #[inline(always)]
    fn spare(&self) -> Box<Block> {
        let mut block = self.spares.take().unwrap_or_default();
        self.spares.set(block.next.take());
        block
    }

    /// No values, in a block of the store.
    #[inline(always)]
    pub fn none_taken<T>(&mut self) -> Taken<T> {
        Taken { block: Some(self.spare()), len: 0, holds: PhantomData }
    }

    /// Takes the values of a declared array of inlets of the frame that is entered; `None` if it has no such array, or one of
    /// the inlets is empty.
    #[inline]
    pub fn take_all<T: Send + 'static>(
        &mut self,
        declared: u32,
        kind: &'static KindOf<T, F::Value>,
    ) -> Option<Taken<T>> {
        let frame = self.entered_frame()?;
        let extra = frame.extra()?;
        let inlets = extra.tables.inlets.get(declared as usize)?;
        if !inlets.extent.array || !inlets.kind.is_same(kind.erased()) {
            return None;
        }
        // SAFETY: the array is one of the extra. Full: all inlets hold values of this kind, and none does afterwards; Held.
        unsafe {
            if !extra.all_full(frame.mask(), inlets) {
                return None;
            }
            let len = inlets.extent.len as usize;
            let from = extra.word::<MaybeUninit<u64>>(inlets.at);
            // Word by word: a wider load would wait for the stores of values that came just now.
            let words = (0..len * words_of::<T>()).map(|word| from.add(word).read_volatile());
            let mut block = self.spare();
            block.words.clear();
            block.words.extend(words);
            extra.empty(frame.mask(), inlets);
            Some(Taken { block: Some(block), len, holds: PhantomData })
        }
    }

    /// Takes the block of values back. Those that are left are dropped.
    #[inline(always)]
    pub fn give_back<T>(&mut self, mut taken: Taken<T>) {
        drop(taken.arrived());
        if let Some(mut block) = taken.block.take() {
            // The values that are written over are empty each time, so their drop is left out.
            forget(replace(&mut block.next, self.spares.take()));
            forget(self.spares.replace(Some(block)));
        }
    }
}
