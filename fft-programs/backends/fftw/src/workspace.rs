//! Memory for planning.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ffi::c_void;
use std::ptr::NonNull;

use num_complex::Complex;

use crate::error::LibraryError;

/// Alignment of the memory, in bytes: a cache line, which is more than any vector instruction of the
/// libraries requires.
pub(crate) const ALIGNMENT: usize = 64;

/// Default alignment of the system's allocator, in bytes. Only at this alignment, the allocator provides
/// zeroed pages.
const USUAL: usize = 16;

/// Zeroed memory that a planner may overwrite. The system provides it as pages that are allocated at the
/// first access. So it costs no time if planning does not measure.
pub(crate) struct Workspace {
    memory: NonNull<u8>,
    layout: Layout,
}

impl Workspace {
    /// Allocates memory for `points` points, at least one.
    pub(crate) fn new<T>(points: usize) -> Result<Self, LibraryError> {
        let none = LibraryError::NoMemory { points };
        // With a larger alignment in the layout, the allocator would write all the zeros.
        let bytes =
            points.checked_mul(size_of::<Complex<T>>()).and_then(|bytes| bytes.checked_add(ALIGNMENT));
        let Some(layout) = bytes.and_then(|bytes| Layout::from_size_align(bytes, USUAL).ok()) else {
            return Err(none);
        };
        // SAFETY: the layout has a size above 0.
        let memory = unsafe { alloc_zeroed(layout) };
        NonNull::new(memory).map(|memory| Self { memory, layout }).ok_or(none)
    }

    /// Returns a lower bound of the bytes from [`array`](Self::array) to the end.
    pub(crate) fn bytes(&self) -> usize {
        self.layout.size() - ALIGNMENT
    }

    /// Returns the first aligned address.
    pub(crate) fn array(&self) -> *mut c_void {
        let past = self.memory.addr().get() % ALIGNMENT;
        // The offset is at most the `ALIGNMENT` bytes that were allocated beyond the points.
        self.memory.as_ptr().wrapping_add((ALIGNMENT - past) % ALIGNMENT).cast()
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and freed once.
        unsafe { dealloc(self.memory.as_ptr(), self.layout) };
    }
}
