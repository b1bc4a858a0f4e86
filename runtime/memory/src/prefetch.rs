//! A hint to the processor: some memory is going to be used.

/// Lets the processor fetch a value into its cache while it goes on. Where it cannot be told, nothing happens.
///
/// Cost: an instruction for each 64 bytes, and one more. It helps where a value was not used for long and will be some hundred
/// instructions later.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

        let start = std::ptr::from_ref(value).cast::<i8>();
        // A loop that is counted at compile time, and the last byte, which may lie in a line of its own.
        let mut offset = 0;
        while offset < size_of::<T>() {
            // SAFETY: a prefetch reads and writes nothing, whatever the address.
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
