//! A prefetch hint to the processor.

/// Asks the processor to fetch a value into its cache. It has no effect on processors other than x86-64.
///
/// Cost: one instruction for each 64 bytes, and one more. It helps for a value that was not used recently and
/// will be used some hundred instructions later.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

        let start = std::ptr::from_ref(value).cast::<i8>();
        // The loop count is a compile-time constant. The last byte may be in a further cache line.
        let mut offset = 0;
        while offset < size_of::<T>() {
            // SAFETY: a prefetch neither reads nor writes a value, whatever the address.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(offset)) };
            offset += 64;
        }
        if size_of::<T>() > 1 {
            // SAFETY: as above.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(size_of::<T>() - 1)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
