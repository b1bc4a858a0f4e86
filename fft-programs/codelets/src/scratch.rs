//! The scratch of a call: points that a caller allocates, of which a kernel uses the part that begins with a cache line.

use earth_kernels::{Real, RowKernel};
use num_complex::Complex;

/// The bytes of a cache line, and of the widest vector.
pub(crate) const LINE: usize = 64;

/// The numbers of any precision that a list in a scratch is a multiple of, so that what follows it begins with a cache
/// line.
const ALIGNED: usize = 16;

/// The numbers of a list of so many pointers.
pub(crate) fn list_numbers<T>(pointers: usize) -> usize {
    (pointers * size_of::<*mut T>()).div_ceil(size_of::<T>()).next_multiple_of(ALIGNED)
}

/// The points of a scratch in which so many numbers lie from the beginning of a cache line on; none for none.
pub(crate) fn aligned_points<T>(numbers: usize) -> usize {
    if numbers == 0 { 0 } else { (numbers + LINE / size_of::<T>()).div_ceil(2) }
}

/// Checks the slices of a call of contiguous rows.
///
/// # Panics
///
/// If the rows are no whole number of them, or the scratch is shorter than the kernel says.
pub(crate) fn check_call<T: Real>(kernel: &dyn RowKernel<T>, rows: &[Complex<T>], scratch: &[Complex<T>]) {
    let (n, found, needed, given) = (kernel.len(), rows.len(), kernel.scratch_len(), scratch.len());
    assert!(found.is_multiple_of(n), "{found} points are no whole number of rows of {n}");
    assert!(given >= needed, "a scratch of {given} points where {needed} are needed");
}

/// So many numbers of a scratch, from the beginning of a cache line on.
///
/// # Panics
///
/// If the scratch is shorter than [`aligned_points`] says.
pub(crate) fn aligned<T>(scratch: &mut [Complex<T>], numbers: usize) -> *mut T {
    let (needed, given) = (aligned_points::<T>(numbers), scratch.len());
    assert!(given >= needed, "a scratch of {given} points where {needed} are needed");
    let begin = scratch.as_mut_ptr().cast::<T>();
    // Numbers are aligned to their own size, and a line is a multiple of that.
    begin.wrapping_byte_add(begin.addr().next_multiple_of(LINE) - begin.addr())
}
