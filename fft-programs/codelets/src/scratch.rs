//! The scratch of a call: points that a caller allocates, of which a kernel uses the part that begins with a cache line.

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
