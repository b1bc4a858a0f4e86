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
//! *Bound.* A pool keeps at most as many bytes as were in use at the same time at most. So a process holds at
//! most twice the memory that it ever needed.
//!
//! *Invariants* that the `unsafe` code here and in `storage.rs` rests on: a `Buffer` owns `capacity`
//! initialized bytes at `base` until its drop (**Owned**). Its bytes are reached through one [`Landed`], or
//! through the one storage that was made of it (**Single**): [`Landed::block`] makes a storage only if no
//! other handle of the memory is in use.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::BTreeMap;
use std::fmt;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::block::Block;
use crate::no_memory::{NoMemory, SPARE, check_available};
use crate::pages::in_large_pages;
use crate::storage::{Element, Storage};

/// Alignment of the memory, in bytes: a cache line.
const ALIGNMENT: usize = 64;

/// Use of the memory, in the error.
const ARRIVING: &str = "an arriving block";

/// Smallest class, in bytes: a page.
const LEAST: usize = 1 << 12;

/// A pool of memory. Clones share the memory.
#[derive(Clone, Default)]
pub struct Pool(Arc<Mutex<Shelf>>);

/// The memory that a pool keeps, and its account.
#[derive(Default)]
struct Shelf {
    /// Free memory by class.
    free: BTreeMap<usize, Vec<Memory>>,
    kept: usize,
    used: usize,
    most_used: usize,
}

/// Initialized bytes of a class.
struct Memory {
    base: NonNull<u8>,
    capacity: usize,
}

// SAFETY: a `Memory` owns its bytes as a `Vec<u8>` does (Owned).
unsafe impl Send for Memory {}
// SAFETY: a shared `Memory` gives out no reference to its bytes.
unsafe impl Sync for Memory {}

/// Memory that returns to its pool.
pub(crate) struct Buffer {
    /// `None` after the drop has taken it.
    memory: Option<Memory>,
    pool: Weak<Mutex<Shelf>>,
}

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
        let none = || NoMemory { bytes: len as u64, what: ARRIVING };
        let capacity = class(len).ok_or_else(none)?;
        let kept = {
            let mut shelf = shelf(&self.0);
            let kept = shelf.free.get_mut(&capacity).and_then(Vec::pop);
            shelf.kept -= kept.as_ref().map_or(0, |memory| memory.capacity);
            kept
        };
        let memory = kept.or_else(|| Memory::new(capacity)).ok_or_else(none)?;
        let mut shelf = shelf(&self.0);
        shelf.used += capacity;
        shelf.most_used = shelf.most_used.max(shelf.used);
        let buffer = Buffer { memory: Some(memory), pool: Arc::downgrade(&self.0) };
        Ok(Landed { buffer: Arc::new(buffer), len })
    }

    /// Returns the number of bytes that the pool keeps.
    pub fn kept(&self) -> usize {
        shelf(&self.0).kept
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("kept", &self.kept()).finish_non_exhaustive()
    }
}

fn shelf(shelf: &Mutex<Shelf>) -> MutexGuard<'_, Shelf> {
    shelf.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the class of a length, or `None` if no memory is that large.
fn class(len: usize) -> Option<usize> {
    let len = len.max(LEAST);
    let step = (len.checked_next_power_of_two()? / 8).max(ALIGNMENT);
    len.checked_next_multiple_of(step).filter(|&capacity| isize::try_from(capacity + ALIGNMENT).is_ok())
}

impl Memory {
    /// Allocates zeroed memory, or returns `None` if memory is short. `capacity` is a class.
    fn new(capacity: usize) -> Option<Self> {
        if capacity as u64 > SPARE {
            check_available(capacity as u64, ARRIVING).ok()?;
        }
        // SAFETY: a class is larger than zero.
        let base = NonNull::new(unsafe { alloc_zeroed(Self::layout(capacity)) })?;
        let mut memory = Memory { base, capacity };
        in_large_pages(memory.bytes_mut(capacity));
        Some(memory)
    }

    fn layout(capacity: usize) -> Layout {
        Layout::from_size_align(capacity, ALIGNMENT).unwrap_or_else(|_| unreachable!("a class fits a layout"))
    }

    fn bytes_mut(&mut self, len: usize) -> &mut [u8] {
        assert!(len <= self.capacity);
        // SAFETY: the bytes are initialized and belong to this memory, which is borrowed mutably (Owned).
        unsafe { std::slice::from_raw_parts_mut(self.base.as_ptr(), len) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: `new` allocated the memory with this layout, and a drop happens once (Owned).
        unsafe { dealloc(self.base.as_ptr(), Self::layout(self.capacity)) };
    }
}

impl Drop for Buffer {
    /// Gives the memory back to its pool.
    fn drop(&mut self) {
        let (Some(memory), Some(pool)) = (self.memory.take(), self.pool.upgrade()) else { return };
        let mut shelf = shelf(&pool);
        shelf.used -= memory.capacity;
        if shelf.kept + memory.capacity <= shelf.most_used {
            shelf.kept += memory.capacity;
            shelf.free.entry(memory.capacity).or_default().push(memory);
        }
    }
}

impl Buffer {
    /// Returns the address of the bytes. Whoever uses it keeps **Single**.
    pub(crate) fn base(&self) -> *mut u8 {
        self.memory.as_ref().map_or(std::ptr::null_mut(), |memory| memory.base.as_ptr())
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
        let len = self.len;
        Some(Arc::get_mut(&mut self.buffer)?.memory.as_mut()?.bytes_mut(len))
    }

    /// Makes a block of the memory, without a copy. Returns `None` if the shape does not take exactly these
    /// bytes, if an element needs a larger alignment than 64 bytes, or if a block of them exists.
    pub fn block<T: Element>(&mut self, rows: usize, cols: usize) -> Option<Block<T>> {
        let count = rows.checked_mul(cols)?;
        if count.checked_mul(size_of::<T>())? != self.len || align_of::<T>() > ALIGNMENT {
            return None;
        }
        Arc::get_mut(&mut self.buffer)?;
        // SAFETY: the memory has room for `count` elements and their alignment, and is initialized (Owned). No
        // storage of it exists, as this is the only handle. While the storage exists, `bytes_mut` and `block`
        // return `None` (Single).
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

    #[test]
    fn a_class_is_at_most_a_quarter_larger_than_the_length() {
        for len in (0..20_000).chain([1 << 20, (1 << 20) + 1, 3 << 40]) {
            let capacity = class(len).expect("there is memory of this length");
            assert!(
                capacity >= len && (capacity <= LEAST || 4 * (capacity - len) <= len),
                "{len}: {capacity}"
            );
            assert_eq!(class(capacity), Some(capacity));
        }
        assert_eq!([usize::MAX, isize::MAX as usize].map(class), [None; 2]);
    }

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
