//! Hints to the processor about cells of a queue that are going to be used.

/// The bytes of a cache line.
const LINE: usize = 64;

/// Lets the processor fetch the `line`-th cache line of a value into its cache while it goes on. Where it cannot be told,
/// nothing happens.
#[inline(always)]
pub(crate) fn to_read<T>(value: &T, line: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

        let start = std::ptr::from_ref(value).cast::<i8>();
        // SAFETY: a prefetch reads and writes nothing, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(line * LINE)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (value, line);
}

/// Lets the processor take a value of so many cache lines away from others, to write there, while it goes on. Where it cannot be
/// told, nothing happens.
#[inline(always)]
pub(crate) fn to_write<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};

        let start = std::ptr::from_ref(value).cast::<i8>();
        for line in 0..size_of::<T>().div_ceil(LINE) {
            // SAFETY: a prefetch reads and writes nothing, whatever the address.
            unsafe { _mm_prefetch::<_MM_HINT_ET0>(start.wrapping_add(line * LINE)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
