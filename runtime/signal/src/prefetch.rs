//! Prefetch hints for queue cells that will be used soon.

/// Size of a cache line, in bytes.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Prefetches the `line`-th cache line of a value for reading. Does nothing on targets without this hint.
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

/// Prefetches all cache lines of a value for writing, which takes them from other cores. Does nothing on
/// targets without this hint.
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
