//! Scratch of a call: points that the caller allocates. A kernel uses the part from the first cache line on.

use earth_kernels::{Real, RowKernel};
use num_complex::Complex;

/// Size of a cache line and of the widest vector, in bytes.
pub(crate) const LINE: usize = 64;

/// Value that begins with a cache line.
#[repr(align(64))]
pub(crate) struct Lines<A>(pub(crate) A);

/// Granularity of lists in a scratch, in numbers of any precision. The memory after a list then begins with a
/// cache line.
const ALIGNED: usize = 16;

/// Returns the size of a list of `pointers` pointers, in numbers.
pub(crate) fn list_numbers<T>(pointers: usize) -> usize {
    (pointers * size_of::<*mut T>()).div_ceil(size_of::<T>()).next_multiple_of(ALIGNED)
}

/// Returns the length of a scratch that has `numbers` numbers from a cache line on, in points; 0 for 0
/// numbers.
pub(crate) fn aligned_points<T>(numbers: usize) -> usize {
    if numbers == 0 { 0 } else { (numbers + LINE / size_of::<T>()).div_ceil(2) }
}

/// Checks the slices of a call of contiguous rows.
///
/// # Panics
///
/// If `rows` is not a whole number of rows, or if the scratch is shorter than
/// [`scratch_len`](RowKernel::scratch_len).
pub(crate) fn check_call<T: Real>(kernel: &dyn RowKernel<T>, rows: &[Complex<T>], scratch: &[Complex<T>]) {
    let (n, found, needed, given) = (kernel.len(), rows.len(), kernel.scratch_len(), scratch.len());
    assert!(found.is_multiple_of(n), "{found} points are no whole number of rows of {n}");
    assert!(given >= needed, "a scratch of {given} points where {needed} are needed");
}

/// Returns the address of `numbers` numbers of a scratch, beginning with a cache line.
///
/// # Panics
///
/// If the scratch is shorter than [`aligned_points`].
pub(crate) fn aligned<T>(scratch: &mut [Complex<T>], numbers: usize) -> *mut T {
    let (needed, given) = (aligned_points::<T>(numbers), scratch.len());
    assert!(given >= needed, "a scratch of {given} points where {needed} are needed");
    let begin = scratch.as_mut_ptr().cast::<T>();
    // Numbers are aligned to their own size, and a line is a multiple of this size.
    begin.wrapping_byte_add(begin.addr().next_multiple_of(LINE) - begin.addr())
}
