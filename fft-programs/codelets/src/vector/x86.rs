//! The vectors of AVX-512 and of AVX2 with FMA.
//!
//! Each type wraps a register, and each operation is one instruction or, for AVX2's shuffles, a few. They are in
//! line everywhere, so that they end up in a function that is compiled for the instructions.

use std::arch::x86_64::*;

use super::Vector;

/// Implements [`Vector`] by the instructions of one width and precision; the braces at the end hold what is of
/// different shape in each.
macro_rules! vector {
    ($(#[$doc:meta])* $name:ident($register:ty) of $lanes:literal $real:ty, mask $mask:ty, {
        $set1:ident $load:ident $store:ident $add:ident $sub:ident $mul:ident $fma:ident $fms:ident $fnma:ident
    } { $($shapes:item)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $name($register);

        impl Vector for $name {
            type Real = $real;
            type Mask = $mask;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn broadcast(from: *const $real) -> Self {
                // SAFETY: the caller's.
                unsafe { Self($set1(from.read())) }
            }

            #[inline(always)]
            unsafe fn load(from: *const $real) -> Self {
                // SAFETY: the caller's.
                unsafe { Self($load(from)) }
            }

            #[inline(always)]
            unsafe fn store(self, to: *mut $real) {
                // SAFETY: the caller's.
                unsafe { $store(to, self.0) }
            }

            #[inline(always)]
            #[allow(clippy::cast_lossless)]
            fn constant(self, x: f64) -> Self {
                // SAFETY: the machine has the instructions of a vector that exists.
                unsafe { Self($set1(x as $real)) }
            }

            #[inline(always)]
            fn add(self, o: Self) -> Self {
                // SAFETY: the machine has the instructions of a vector that exists.
                unsafe { Self($add(self.0, o.0)) }
            }

            #[inline(always)]
            fn sub(self, o: Self) -> Self {
                // SAFETY: the machine has the instructions of a vector that exists.
                unsafe { Self($sub(self.0, o.0)) }
            }

            #[inline(always)]
            fn mul(self, o: Self) -> Self {
                // SAFETY: the machine has the instructions of a vector that exists.
                unsafe { Self($mul(self.0, o.0)) }
            }

            #[inline(always)]
            fn mul_add(self, b: Self, c: Self) -> Self {
                // SAFETY: the machine has the instructions of a vector that exists.
                unsafe { Self($fma(self.0, b.0, c.0)) }
            }

            #[inline(always)]
            fn mul_sub(self, b: Self, c: Self) -> Self {
                // SAFETY: the machine has the instructions of a vector that exists.
                unsafe { Self($fms(self.0, b.0, c.0)) }
            }

            #[inline(always)]
            fn neg_mul_add(self, b: Self, c: Self) -> Self {
                // SAFETY: the machine has the instructions of a vector that exists.
                unsafe { Self($fnma(self.0, b.0, c.0)) }
            }

            $(#[inline(always)] $shapes)*
        }
    };
}

vector! {
    /// Eight doubles, by AVX-512.
    F64x8(__m512d) of 8 f64, mask __mmask8, {
        _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_add_pd _mm512_sub_pd _mm512_mul_pd
        _mm512_fmadd_pd _mm512_fmsub_pd _mm512_fnmadd_pd
    } {
        unsafe fn mask(count: usize) -> __mmask8 {
            if count >= 8 { !0 } else { (1 << count) - 1 }
        }
        unsafe fn load_masked(from: *const f64, mask: __mmask8) -> Self {
            // SAFETY: the caller's; lanes outside of the mask are not read.
            unsafe { Self(_mm512_maskz_loadu_pd(mask, from)) }
        }
        unsafe fn store_masked(self, to: *mut f64, mask: __mmask8) {
            // SAFETY: the caller's; lanes outside of the mask are not written.
            unsafe { _mm512_mask_storeu_pd(to, mask, self.0) }
        }
        fn zip(self, o: Self) -> (Self, Self) {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe {
                let first = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
                let second = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
                (Self(_mm512_permutex2var_pd(self.0, first, o.0)), Self(_mm512_permutex2var_pd(self.0, second, o.0)))
            }
        }
        fn unzip(self, o: Self) -> (Self, Self) {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe {
                let even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
                let odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
                (Self(_mm512_permutex2var_pd(self.0, even, o.0)), Self(_mm512_permutex2var_pd(self.0, odd, o.0)))
            }
        }
    }
}

vector! {
    /// Sixteen floats, by AVX-512.
    F32x16(__m512) of 16 f32, mask __mmask16, {
        _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_add_ps _mm512_sub_ps _mm512_mul_ps
        _mm512_fmadd_ps _mm512_fmsub_ps _mm512_fnmadd_ps
    } {
        unsafe fn mask(count: usize) -> __mmask16 {
            if count >= 16 { !0 } else { (1 << count) - 1 }
        }
        unsafe fn load_masked(from: *const f32, mask: __mmask16) -> Self {
            // SAFETY: the caller's; lanes outside of the mask are not read.
            unsafe { Self(_mm512_maskz_loadu_ps(mask, from)) }
        }
        unsafe fn store_masked(self, to: *mut f32, mask: __mmask16) {
            // SAFETY: the caller's; lanes outside of the mask are not written.
            unsafe { _mm512_mask_storeu_ps(to, mask, self.0) }
        }
        fn zip(self, o: Self) -> (Self, Self) {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe {
                let first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
                let second = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
                (Self(_mm512_permutex2var_ps(self.0, first, o.0)), Self(_mm512_permutex2var_ps(self.0, second, o.0)))
            }
        }
        fn unzip(self, o: Self) -> (Self, Self) {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe {
                let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
                let odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
                (Self(_mm512_permutex2var_ps(self.0, even, o.0)), Self(_mm512_permutex2var_ps(self.0, odd, o.0)))
            }
        }
    }
}

/// Eight lanes and then eight that are not: the mask of the first `count` of up to eight begins `8 - count` in.
static LANES_32: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];
/// The same for four lanes.
static LANES_64: [i64; 8] = [-1, -1, -1, -1, 0, 0, 0, 0];

vector! {
    /// Four doubles, by AVX2 and FMA.
    F64x4(__m256d) of 4 f64, mask __m256i, {
        _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_add_pd _mm256_sub_pd _mm256_mul_pd
        _mm256_fmadd_pd _mm256_fmsub_pd _mm256_fnmadd_pd
    } {
        unsafe fn mask(count: usize) -> __m256i {
            // SAFETY: the caller's; the four numbers begin at most four into the table of eight.
            unsafe { _mm256_loadu_si256(LANES_64.as_ptr().add(4 - count.min(4)).cast()) }
        }
        unsafe fn load_masked(from: *const f64, mask: __m256i) -> Self {
            // SAFETY: the caller's; lanes outside of the mask are not read.
            unsafe { Self(_mm256_maskload_pd(from, mask)) }
        }
        unsafe fn store_masked(self, to: *mut f64, mask: __m256i) {
            // SAFETY: the caller's; lanes outside of the mask are not written.
            unsafe { _mm256_maskstore_pd(to, mask, self.0) }
        }
        fn zip(self, o: Self) -> (Self, Self) {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe {
                let (low, high) = (_mm256_unpacklo_pd(self.0, o.0), _mm256_unpackhi_pd(self.0, o.0));
                (Self(_mm256_permute2f128_pd::<0x20>(low, high)), Self(_mm256_permute2f128_pd::<0x31>(low, high)))
            }
        }
        fn unzip(self, o: Self) -> (Self, Self) {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe {
                let low = _mm256_permute2f128_pd::<0x20>(self.0, o.0);
                let high = _mm256_permute2f128_pd::<0x31>(self.0, o.0);
                (Self(_mm256_unpacklo_pd(low, high)), Self(_mm256_unpackhi_pd(low, high)))
            }
        }
    }
}

vector! {
    /// Eight floats, by AVX2 and FMA.
    F32x8(__m256) of 8 f32, mask __m256i, {
        _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_add_ps _mm256_sub_ps _mm256_mul_ps
        _mm256_fmadd_ps _mm256_fmsub_ps _mm256_fnmadd_ps
    } {
        unsafe fn mask(count: usize) -> __m256i {
            // SAFETY: the caller's; the eight numbers begin at most eight into the table of sixteen.
            unsafe { _mm256_loadu_si256(LANES_32.as_ptr().add(8 - count.min(8)).cast()) }
        }
        unsafe fn load_masked(from: *const f32, mask: __m256i) -> Self {
            // SAFETY: the caller's; lanes outside of the mask are not read.
            unsafe { Self(_mm256_maskload_ps(from, mask)) }
        }
        unsafe fn store_masked(self, to: *mut f32, mask: __m256i) {
            // SAFETY: the caller's; lanes outside of the mask are not written.
            unsafe { _mm256_maskstore_ps(to, mask, self.0) }
        }
        fn zip(self, o: Self) -> (Self, Self) {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe {
                let (low, high) = (_mm256_unpacklo_ps(self.0, o.0), _mm256_unpackhi_ps(self.0, o.0));
                (Self(_mm256_permute2f128_ps::<0x20>(low, high)), Self(_mm256_permute2f128_ps::<0x31>(low, high)))
            }
        }
        fn unzip(self, o: Self) -> (Self, Self) {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe {
                let low = _mm256_permute2f128_ps::<0x20>(self.0, o.0);
                let high = _mm256_permute2f128_ps::<0x31>(self.0, o.0);
                (Self(_mm256_shuffle_ps::<0x88>(low, high)), Self(_mm256_shuffle_ps::<0xdd>(low, high)))
            }
        }
    }
}
