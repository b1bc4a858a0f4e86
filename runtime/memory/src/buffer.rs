//! Raw memory that returns to a shelf when it is dropped.
//!
//! *Invariants* that the `unsafe` code here, in `pool.rs` and in `storage.rs` rests on: a [`Buffer`] owns
//! `capacity` initialized bytes at `base` until its drop (**Owned**). Its bytes are reached through one
//! `Landed`, or through the one storage that was made of it (**Single**).

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::{BTreeMap, VecDeque};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::no_memory::{SPARE, check_available};
use crate::pages::{LARGE, in_large_pages};

/// Alignment of the memory, in bytes: a cache line.
pub(crate) const ALIGNMENT: usize = 64;

/// Use of the memory, in the error.
pub(crate) const ARRIVING: &str = "an arriving block";

/// Smallest class, in bytes: a page.
const LEAST: usize = 1 << 12;

/// The memory that a pool keeps, and its account. Clones share the memory.
#[derive(Clone, Default)]
pub(crate) struct Shelf(Arc<Mutex<Account>>);

#[derive(Default)]
struct Account {
    /// Free memory by class, each with the number of its return, oldest first.
    free: BTreeMap<usize, VecDeque<(u64, Memory)>>,
    /// Number of returns so far.
    returns: u64,
    kept: usize,
    used: usize,
    most_used: usize,
}

/// Initialized bytes of a class, in a longer allocation.
///
/// They begin at a multiple of [`ALIGNMENT`], or at a large page if they fill one. The allocation itself has
/// the least alignment: only then is it made of the system's zeroed pages, which are untouched.
struct Memory {
    allocated: NonNull<u8>,
    base: NonNull<u8>,
    capacity: usize,
}

// SAFETY: a `Memory` owns its bytes as a `Vec<u8>` does (Owned).
unsafe impl Send for Memory {}
// SAFETY: a shared `Memory` gives out no reference to its bytes.
unsafe impl Sync for Memory {}

/// Memory that returns to its shelf.
pub(crate) struct Buffer {
    /// `None` after the drop has taken it.
    memory: Option<Memory>,
    shelf: Weak<Mutex<Account>>,
}

impl Shelf {
    /// Returns a buffer of at least `len` bytes, or `None` if memory is short.
    pub(crate) fn take(&self, len: usize) -> Option<Buffer> {
        let capacity = class(len)?;
        let kept = {
            let mut account = locked(&self.0);
            let kept = account.free.get_mut(&capacity).and_then(VecDeque::pop_back);
            account.kept -= if kept.is_some() { capacity } else { 0 };
            kept.map(|(_, memory)| memory)
        };
        let memory = kept.or_else(|| Memory::new(capacity))?;
        let mut account = locked(&self.0);
        account.used += capacity;
        account.most_used = account.most_used.max(account.used);
        Some(Buffer { memory: Some(memory), shelf: Arc::downgrade(&self.0) })
    }

    /// Returns the number of bytes that are kept.
    pub(crate) fn kept(&self) -> usize {
        locked(&self.0).kept
    }
}

impl Account {
    /// Keeps memory that is not in use any more. Returns the memory that exceeds the bound, the least
    /// recently used.
    fn keep(&mut self, memory: Memory) -> Vec<Memory> {
        self.used -= memory.capacity;
        self.kept += memory.capacity;
        self.returns += 1;
        self.free.entry(memory.capacity).or_default().push_back((self.returns, memory));
        let mut excess = Vec::new();
        while self.kept > self.most_used {
            let oldest =
                self.free.values_mut().min_by_key(|kept| kept.front().map_or(u64::MAX, |kept| kept.0));
            let Some((_, memory)) = oldest.and_then(VecDeque::pop_front) else { break };
            self.kept -= memory.capacity;
            excess.push(memory);
        }
        excess
    }
}

fn locked(account: &Mutex<Account>) -> MutexGuard<'_, Account> {
    account.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the class of a length, or `None` if no memory is that large.
pub(crate) fn class(len: usize) -> Option<usize> {
    let len = len.max(LEAST);
    let step = (len.checked_next_power_of_two()? / 8).max(ALIGNMENT);
    len.checked_next_multiple_of(step).filter(|&capacity| isize::try_from(capacity + LARGE).is_ok())
}

impl Memory {
    /// Allocates zeroed memory, or returns `None` if memory is short. `capacity` is a class.
    fn new(capacity: usize) -> Option<Self> {
        if capacity as u64 > SPARE {
            check_available(capacity as u64, ARRIVING).ok()?;
        }
        // SAFETY: a class is larger than zero.
        let allocated = NonNull::new(unsafe { alloc_zeroed(Self::layout(capacity)) })?;
        let start = allocated.addr().get();
        let before = start.next_multiple_of(Self::alignment(capacity)) - start;
        // SAFETY: the allocation is longer than `capacity` by the alignment.
        let base = unsafe { allocated.add(before) };
        let mut memory = Memory { allocated, base, capacity };
        in_large_pages(memory.bytes_mut(capacity));
        Some(memory)
    }

    fn alignment(capacity: usize) -> usize {
        if capacity < LARGE { ALIGNMENT } else { LARGE }
    }

    fn layout(capacity: usize) -> Layout {
        let layout = Layout::array::<u8>(capacity + Self::alignment(capacity));
        layout.unwrap_or_else(|_| unreachable!("a class fits a layout"))
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
        unsafe { dealloc(self.allocated.as_ptr(), Self::layout(self.capacity)) };
    }
}

impl Buffer {
    /// Returns the address of the bytes. The caller keeps **Single**.
    pub(crate) fn base(&self) -> *mut u8 {
        self.memory.as_ref().map_or(std::ptr::null_mut(), |memory| memory.base.as_ptr())
    }

    /// Returns the first `len` bytes.
    ///
    /// # Panics
    ///
    /// If there are fewer.
    pub(crate) fn bytes_mut(&mut self, len: usize) -> &mut [u8] {
        self.memory.as_mut().map_or(&mut [], |memory| memory.bytes_mut(len))
    }
}

impl Drop for Buffer {
    /// Gives the memory back to its shelf.
    fn drop(&mut self) {
        let (Some(memory), Some(shelf)) = (self.memory.take(), self.shelf.upgrade()) else { return };
        // The lock is released before the memory.
        let excess = locked(&shelf).keep(memory);
        drop(excess);
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

    /// Zeroing this memory by hand would back it with small pages before the system is asked for large ones.
    #[test]
    #[cfg(all(target_os = "linux", not(miri)))]
    fn fresh_memory_fills_large_pages_and_is_untouched() {
        // The allocator maps more than 32 MiB separately, so these pages are new.
        let mut memory = Memory::new(64 << 20).expect("there is memory");
        assert!(memory.base.addr().get().is_multiple_of(LARGE));
        let mut resident = vec![0_u8; memory.capacity >> 12];
        // SAFETY: these pages are mapped, and `resident` has a byte for each of them.
        let asked =
            unsafe { libc::mincore(memory.base.as_ptr().cast(), memory.capacity, resident.as_mut_ptr()) };
        assert_eq!((asked, resident.iter().filter(|&&page| page & 1 == 1).count()), (0, 0));
        assert!(memory.bytes_mut(8 << 20).iter().all(|&byte| byte == 0));
    }
}
