//! Allocations whose size depends on input. These functions return an error when memory is short; they
//! neither panic nor abort.
//!
//! Small allocations go through the global allocator, and the process aborts when it fails. Therefore each
//! function here leaves [`SPARE`] bytes free if it allocates more than that.

use std::collections::VecDeque;
use std::sync::OnceLock;

/// The error of an allocation that the system refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no memory for {bytes} bytes of {what}")]
pub struct NoMemory {
    /// Size of the requested memory, in bytes.
    pub bytes: u64,
    /// Use of the memory, in words for people.
    pub what: &'static str,
}

/// Address space that stays free for small allocations, in bytes.
pub const SPARE: u64 = 1 << 20;

impl NoMemory {
    /// Returns the error for `len` elements of type `T`.
    fn of<T>(len: usize, what: &'static str) -> Self {
        Self { bytes: (len as u64).saturating_mul(size_of::<T>() as u64), what }
    }

    /// Unwinds with this error as the payload, without printing a panic message. On a thread of the runtime,
    /// the run returns the error. On another thread the caller has to catch it.
    #[cold]
    pub fn unwind(self) -> ! {
        if cfg!(panic = "abort") {
            // The process aborts without a message of its own.
            eprintln!("{self}");
        }
        std::panic::resume_unwind(Box::new(self))
    }
}

/// Returns an empty vector with room for exactly `len` elements.
///
/// # Errors
///
/// [`NoMemory`], which names `what` as the use of the memory.
pub fn try_room<T>(len: usize, what: &'static str) -> Result<Vec<T>, NoMemory> {
    let mut room = Vec::new();
    try_reserve(&mut room, len, what)?;
    Ok(room)
}

/// Reserves room at the end of a vector for exactly `more` elements.
///
/// # Errors
///
/// [`NoMemory`]. The vector is then unchanged.
pub fn try_reserve<T>(room: &mut Vec<T>, more: usize, what: &'static str) -> Result<(), NoMemory> {
    let len = room.len().saturating_add(more);
    let none = NoMemory::of::<T>(len, what);
    if len > room.capacity() && none.bytes >= SPARE {
        check_available(none.bytes, what)?;
    }
    room.try_reserve_exact(more).map_err(|_| none)
}

/// Makes room for `more` elements at the end of a vector whose final length is unknown. A vector that grows
/// at least doubles its capacity.
///
/// # Errors
///
/// [`NoMemory`]. The vector is then unchanged.
#[inline]
pub fn try_grow<T>(elements: &mut Vec<T>, more: usize, what: &'static str) -> Result<(), NoMemory> {
    if elements.capacity() - elements.len() >= more {
        return Ok(());
    }
    let doubled = more.max(elements.capacity());
    try_reserve(elements, doubled, what)
}

/// Returns a vector of `len` copies of a value.
///
/// # Errors
///
/// [`NoMemory`].
pub fn try_filled<T: Clone>(value: T, len: usize, what: &'static str) -> Result<Vec<T>, NoMemory> {
    let mut filled = try_room(len, what)?;
    filled.resize(len, value);
    Ok(filled)
}

/// Returns a vector of `len` elements of zero bytes, in pages that the process has not touched yet.
///
/// # Errors
///
/// [`NoMemory`].
pub fn try_zeroed<T: bytemuck::Zeroable>(len: usize, what: &'static str) -> Result<Vec<T>, NoMemory> {
    let none = NoMemory::of::<T>(len, what);
    if none.bytes >= SPARE {
        check_available(none.bytes, what)?;
    }
    bytemuck::allocation::try_zeroed_vec(len).map_err(|()| none)
}

/// Returns a vector of the elements of an iterator of known length.
///
/// # Errors
///
/// [`NoMemory`].
pub fn try_collected<T>(
    elements: impl ExactSizeIterator<Item = T>,
    what: &'static str,
) -> Result<Vec<T>, NoMemory> {
    let mut collected = try_room(elements.len(), what)?;
    collected.extend(elements);
    Ok(collected)
}

/// Adds a value to the end of a queue. A full queue doubles its capacity first, and unwinds with [`NoMemory`]
/// if it cannot.
#[inline(always)]
pub fn push_back<T>(queue: &mut VecDeque<T>, value: T) {
    if queue.len() == queue.capacity() {
        grow(queue);
    }
    queue.push_back(value);
}

/// Adds an element to the end of a vector. Unwinds with [`NoMemory`] if the vector cannot grow.
#[inline(always)]
pub fn push<T>(elements: &mut Vec<T>, element: T) {
    if elements.len() == elements.capacity() && elements.try_reserve(1).is_err() {
        NoMemory::of::<T>(elements.len().saturating_mul(2), "a list").unwind();
    }
    elements.push(element);
}

#[cold]
#[inline(never)]
fn grow<T>(queue: &mut VecDeque<T>) {
    if queue.try_reserve(1).is_err() {
        NoMemory::of::<T>(queue.len().saturating_mul(2), "a queue").unwind();
    }
}

/// Whether all threads allocate from the heap of the first one.
static ONE_HEAP: OnceLock<()> = OnceLock::new();

/// Makes all threads that start later allocate from one heap, if the C library is GNU's. Without it, each
/// allocating thread reserves [some address space](heap_of_thread). It is meant for programs with a limited
/// address space. Its cost is that threads wait for each other when they allocate at the same time.
pub fn share_one_heap() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    ONE_HEAP.get_or_init(|| {
        // SAFETY: the call sets a number under the library's own lock.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    });
}

/// Returns the address space, in bytes, that the C library reserves when another thread first allocates. It
/// is 64 MiB in GNU's library, unless all threads [share one heap](share_one_heap).
pub fn heap_of_thread() -> u64 {
    if cfg!(target_env = "gnu") && ONE_HEAP.get().is_none() { 64 << 20 } else { 0 }
}

/// Checks that `bytes` plus [`SPARE`] bytes can be allocated now, by mapping and unmapping that many. No page
/// is touched. The cost is two system calls, about 2 us.
///
/// # Errors
///
/// [`NoMemory`]. The check detects a limit on the address space or the data of the process, and strict
/// accounting of memory. It does not detect a lack of physical memory.
pub fn check_available(bytes: u64, what: &'static str) -> Result<(), NoMemory> {
    let none = || NoMemory { bytes, what };
    let length = usize::try_from(bytes.saturating_add(SPARE)).map_err(|_| none())?;
    if maps(length) { Ok(()) } else { Err(none()) }
}

#[cfg(target_os = "linux")]
fn maps(length: usize) -> bool {
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: the system chooses the address, so the new mapping covers no memory that is in use.
    let mapped = unsafe { libc::mmap(std::ptr::null_mut(), length, access, kind, -1, 0) };
    if mapped == libc::MAP_FAILED {
        return false;
    }
    // SAFETY: the mapping has this length, and no other code has its address.
    unsafe { libc::munmap(mapped, length) };
    true
}

#[cfg(not(target_os = "linux"))]
fn maps(length: usize) -> bool {
    Vec::<u8>::new().try_reserve_exact(length).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_made_or_the_error_names_bytes_and_use() {
        assert_eq!(try_filled(7, 3, "sevens"), Ok(vec![7; 3]));
        assert_eq!(try_zeroed::<u16>(2, "zeros"), Ok(vec![0; 2]));
        assert_eq!(try_collected(1..4, "numbers"), Ok(vec![1, 2, 3]));
        assert_eq!(try_room::<u64>(5, "room").map(|room| room.capacity()), Ok(5));
        // More than any processor addresses, and more than a `u64` counts.
        for (len, bytes) in [(1 << 57, 1 << 60), (usize::MAX, u64::MAX)] {
            let none = NoMemory { bytes, what: "numbers" };
            assert_eq!(try_filled(0_u64, len, "numbers"), Err(none.clone()));
            assert_eq!(try_zeroed::<u64>(len, "numbers"), Err(none.clone()));
            assert_eq!(try_reserve(&mut vec![1_u64; 0], len, "numbers"), Err(none.clone()));
            assert_eq!(check_available(bytes, "numbers"), Err(none));
        }
        let text = NoMemory { bytes: 48, what: "frames" }.to_string();
        assert_eq!(text, "there is no memory for 48 bytes of frames");
    }
}
