//! Memory for blocks that arrive, used again and again.
//!
//! Fresh memory of a large block costs a page fault for every 4 KiB, which takes longer than a copy. A
//! [`Pool`] therefore keeps the memory of blocks that were dropped, and gives it to later ones.
//!
//! 1. [`Pool::take`] rounds a length up to a *class*. There are four classes between two powers of two, so at
//!    most a fifth of the memory is unused.
//! 2. It returns kept memory of that class, or else allocates zeroed memory, whose pages are untouched.
//! 3. The last handle of the memory gives it back to its pool. A pool that has been dropped takes no memory
//!    back.
//!
//! *Bound.* The bytes that a pool keeps are never more than the most bytes that were in use at the same time.
//! So a process holds at most twice the memory that it ever needed. A pool keeps the memory that was used
//! last.
//!
//! *Single* (see `buffer.rs`): [`Landed::block`] makes a storage only if no other handle of the memory is in
//! use.

use std::fmt;
use std::sync::Arc;

use crate::block::Block;
use crate::buffer::{ALIGNMENT, ARRIVING, Buffer, Shelf};
use crate::no_memory::NoMemory;
use crate::storage::{Element, Storage};

/// A pool of memory. Clones share the memory.
#[derive(Clone, Default)]
pub struct Pool(Shelf);

/// Memory for one arriving block, which a transport fills.
pub struct Landed {
    buffer: Arc<Buffer>,
    /// Number of bytes of the block.
    len: usize,
}

impl Pool {
    /// Returns an empty pool.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns memory of `len` bytes with arbitrary contents.
    ///
    /// # Errors
    ///
    /// [`NoMemory`] if memory is short.
    pub fn take(&self, len: usize) -> Result<Landed, NoMemory> {
        let buffer = self.0.take(len).ok_or(NoMemory { bytes: len as u64, what: ARRIVING })?;
        Ok(Landed { buffer: Arc::new(buffer), len })
    }

    /// Returns the number of bytes that the pool keeps.
    pub fn kept(&self) -> usize {
        self.0.kept()
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("kept", &self.kept()).finish_non_exhaustive()
    }
}

impl Landed {
    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the bytes, for the transport that fills them. Returns `None` after a block was made of them.
    pub fn bytes_mut(&mut self) -> Option<&mut [u8]> {
        Some(Arc::get_mut(&mut self.buffer)?.bytes_mut(self.len))
    }

    /// Makes a block of the memory, without a copy. Returns `None` if the shape does not take exactly these
    /// bytes, if an element needs a larger alignment than 64 bytes, or if a block of them exists.
    pub fn block<T: Element>(&mut self, rows: usize, cols: usize) -> Option<Block<T>> {
        let count = rows.checked_mul(cols)?;
        if count.checked_mul(size_of::<T>())? != self.len || align_of::<T>() > ALIGNMENT {
            return None;
        }
        Arc::get_mut(&mut self.buffer)?;
        // SAFETY: the memory has room for `count` elements and their alignment, and is initialized (Owned).
        // No storage of it exists, as this is the only handle. While the storage exists, `bytes_mut` and
        // `block` return `None` (Single).
        let storage = unsafe { Storage::landed(Arc::clone(&self.buffer), count, cols) };
        Block::of_storage(rows, cols, storage)
    }
}

impl fmt::Debug for Landed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Landed").field("len", &self.len).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::class;

    #[test]
    fn memory_that_returns_is_used_again_and_no_more_than_was_in_use_is_kept() {
        let pool = Pool::new();
        let mut first = pool.take(10_000).expect("there is memory");
        first.bytes_mut().expect("no block exists").fill(7);
        let block = first.block::<u16>(50, 100).expect("the shape has these bytes");
        assert!(first.bytes_mut().is_none() && first.block::<u16>(50, 100).is_none());
        let base = block.row(0).as_ptr().addr();
        drop((first, block.split_rows(20)));
        assert_eq!(pool.kept(), class(10_000).expect("it is small"));
        let mut again = pool.take(9_999).expect("there is memory");
        let bytes = again.bytes_mut().expect("no block exists");
        assert_eq!((bytes.as_ptr().addr(), bytes[0], pool.kept()), (base, 7, 0));
        // More was in use at the same time, so more is kept.
        let others: Vec<_> = (0..3).map(|_| pool.take(10_000)).collect();
        drop((again, others));
        assert_eq!(pool.kept(), 4 * class(10_000).expect("it is small"));
        let other = pool.take(1 << 20).expect("there is memory");
        drop(other);
        // The pool has released memory of another length that was used earlier.
        assert_eq!(pool.kept(), 1 << 20);
        let again = pool.take(1 << 20).expect("there is memory");
        assert_eq!(pool.kept(), 0);
        drop((again, pool.take(10_000)));
        assert!(pool.kept() <= (1 << 20) + class(10_000).expect("it is small"));
    }

    #[test]
    fn memory_outlives_its_pool() {
        let pool = Pool::new();
        let mut landed = pool.take(64).expect("there is memory");
        drop(pool);
        landed.bytes_mut().expect("no block exists").fill(1);
        let block = landed.block::<u64>(2, 4).expect("the shape has these bytes");
        drop(landed);
        assert_eq!(block.into_vec(), [u64::from_ne_bytes([1; 8]); 8]);
    }

    #[test]
    fn shapes_that_do_not_fit_the_bytes_are_refused() {
        let mut landed = Pool::new().take(96).expect("there is memory");
        assert!(landed.block::<u64>(3, 5).is_none() && landed.block::<u64>(usize::MAX, 2).is_none());
        assert_eq!((landed.len(), landed.is_empty()), (96, false));
        let block = landed.block::<u64>(4, 3).map(|block| (block.rows(), block.cols(), block.is_borrowed()));
        assert_eq!(block, Some((4, 3, false)));
        assert!(Pool::new().take(isize::MAX as usize).is_err());
    }
}
