//! The values of an array of inlets, all taken at once. The fiber owns them while its frame receives new
//! values.
//!
//! The values move unchanged from the frame into a block of the store, and the fiber takes them from either
//! end. The block returns to the store when the fiber has ended, so a round does not allocate.
//!
//! # Invariant
//!
//! * **Held.** A block has [`words_of`] words for each of `len` values, and these words hold a `T` as a frame
//!   stores it. Once [`Arrived`] gives values out, only the words of the values in `left` hold one.

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

/// Block of words. The store keeps the blocks without values in a linked list.
#[derive(Default)]
pub(super) struct ValueBlock {
    words: Vec<MaybeUninit<u64>>,
    next: Option<Box<ValueBlock>>,
}

/// The values of an array of inlets, taken out of their frame. Its drop drops the values that were not given
/// out. It has two words, which are moved one by one.
pub struct Taken<T> {
    /// Block that holds the values; `None` once it is given back.
    block: Option<Box<ValueBlock>>,
    len: usize,
    holds: PhantomData<T>,
}

/// The values that arrived at an array of inlets, in the order of the inlets. A fiber gets them as a
/// parameter `#[inlets(len)] x: Arrived<'_, T>`.
///
/// The iterator gives each value out once, from either end, and its drop drops the remaining ones. The
/// runtime reuses their memory, so no round allocates. [`iter`](Self::iter) and indexing give references to
/// the remaining values. To keep the values, collect them: `x.collect::<Vec<_>>()`.
pub struct Arrived<'a, T> {
    words: *const MaybeUninit<u64>,
    left: Range<usize>,
    of: PhantomData<&'a mut Taken<T>>,
}

// SAFETY: only this type owns the values.
unsafe impl<T: Send> Send for Arrived<'_, T> {}
// SAFETY: sharing it gives shared references to values only.
unsafe impl<T: Sync> Sync for Arrived<'_, T> {}

impl<T> Taken<T> {
    /// Returns an iterator that owns the values.
    #[inline(always)]
    pub fn arrived(&mut self) -> Arrived<'_, T> {
        let words = self.block.as_ref().map_or(ptr::null(), |block| block.words.as_ptr());
        Arrived { words, left: 0..take(&mut self.len), of: PhantomData }
    }

    /// Adds a value after the others.
    pub fn push(&mut self, value: T) {
        let (words, at) = (words_of::<T>(), self.len * words_of::<T>());
        let block = self.block.get_or_insert_default();
        // The words of values that were given out may still be present.
        block.words.resize(at + words, MaybeUninit::uninit());
        // SAFETY: the words from `at` on have room for one value and hold none; Held.
        unsafe { write_value(block.words.as_mut_ptr().add(at).cast(), value) }
        self.len += 1;
    }
}

impl<T> Arrived<'_, T> {
    /// Returns the address of value `at`.
    #[inline(always)]
    fn place(&self, at: usize) -> *const u8 {
        self.words.wrapping_add(at * words_of::<T>()).cast()
    }

    /// Drops the remaining values. If several drops panic, the first panic is resumed after all drops.
    #[cold]
    fn drop_each(&mut self) {
        let mut panics = FirstPanic::none();
        for value in self {
            panics.catch(|| drop(value));
        }
        panics.resume();
    }

    /// Iterates over references to the remaining values.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator + Clone {
        let (first, words) = (self.place(self.left.start), 8 * words_of::<T>());
        // SAFETY: Held. The values are not given out while the references borrow this iterator.
        (0..self.len()).map(move |index| unsafe { value_at(first.add(index * words)) })
    }
}

impl<T> Index<usize> for Arrived<'_, T> {
    type Output = T;

    /// Returns a reference to one of the remaining values.
    ///
    /// # Panics
    ///
    /// If `index` is not less than the number of remaining values.
    #[inline]
    fn index(&self, index: usize) -> &T {
        let len = self.len();
        assert!(index < len, "value {index} is out of range: {len} values are left");
        // SAFETY: Held. The value is not given out while the reference borrows this iterator.
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
        // SAFETY: Held. The value is no longer in `left`.
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
        // SAFETY: Held. The value is no longer in `left`.
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
    /// Returns a block without values.
    #[expect(clippy::unnecessary_box_returns, reason = "a block stays where it is")]
    #[inline(always)]
    fn spare(&self) -> Box<ValueBlock> {
        let mut block = self.spares.take().unwrap_or_default();
        self.spares.set(block.next.take());
        block
    }

    /// Returns an empty list of values, in a block of the store.
    #[inline(always)]
    pub fn none_taken<T>(&mut self) -> Taken<T> {
        Taken { block: Some(self.spare()), len: 0, holds: PhantomData }
    }

    /// Takes the values of a declared array of inlets of the entered frame. Returns `None` if the frame has
    /// no such array or one of the inlets is empty.
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
        // SAFETY: the extra has this array. Full: all inlets hold values of this kind, and none does
        // afterwards; Held.
        unsafe {
            if !extra.all_full(frame.mask(), inlets) {
                return None;
            }
            let len = inlets.extent.len as usize;
            let from = extra.word::<MaybeUninit<u64>>(inlets.at);
            // Word by word: a wider load would wait for the stores of values that have just arrived.
            let words = (0..len * words_of::<T>()).map(|word| from.add(word).read_volatile());
            let mut block = self.spare();
            block.words.clear();
            block.words.extend(words);
            extra.empty(frame.mask(), inlets);
            Some(Taken { block: Some(block), len, holds: PhantomData })
        }
    }

    /// Takes the block of values back and drops the remaining values.
    #[inline(always)]
    pub fn give_back<T>(&mut self, mut taken: Taken<T>) {
        drop(taken.arrived());
        if let Some(mut block) = taken.block.take() {
            // The overwritten fields are always empty, so `forget` skips their drop.
            forget(replace(&mut block.next, self.spares.take()));
            forget(self.spares.replace(Some(block)));
        }
    }
}
