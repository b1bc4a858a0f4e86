//! Memory to plan on.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ffi::c_void;
use std::ptr::NonNull;

use num_complex::Complex;

use crate::error::LibraryError;

/// The alignment of the memory, in bytes: that of a cache line, and more than any vector instruction of the
/// libraries asks for.
pub(crate) const ALIGNMENT: usize = 64;

/// The alignment that the system's allocator gives unasked, in bytes; for it alone it gives zeroed pages.
const USUAL: usize = 16;

/// Zeroed memory that a planner may overwrite. From the system it comes as pages that exist once they are
/// touched, so it costs nothing where planning does not measure.
pub(crate) struct Workspace {
    memory: NonNull<u8>,
    layout: Layout,
}

impl Workspace {
    /// Memory of that many points, at least one.
    pub(crate) fn new<T>(points: usize) -> Result<Self, LibraryError> {
        let none = LibraryError::NoMemory { points };
        // Asked for more alignment, the allocator would write all the zeros.
        let bytes =
            points.checked_mul(size_of::<Complex<T>>()).and_then(|bytes| bytes.checked_add(ALIGNMENT));
        let Some(layout) = bytes.and_then(|bytes| Layout::from_size_align(bytes, USUAL).ok()) else {
            return Err(none);
        };
        // SAFETY: the layout has a size above 0.
        let memory = unsafe { alloc_zeroed(layout) };
        NonNull::new(memory).map(|memory| Self { memory, layout }).ok_or(none)
    }

    /// A lower bound of the bytes from [`array`](Self::array) to the end.
    pub(crate) fn bytes(&self) -> usize {
        self.layout.size() - ALIGNMENT
    }

    /// The first address that is aligned.
    pub(crate) fn array(&self) -> *mut c_void {
        let past = self.memory.addr().get() % ALIGNMENT;
        // At most as many bytes as were asked for beyond those of the points.
        self.memory.as_ptr().wrapping_add((ALIGNMENT - past) % ALIGNMENT).cast()
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and freed once.
        unsafe { dealloc(self.memory.as_ptr(), self.layout) };
    }
}
