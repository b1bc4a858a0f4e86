//! Vectors of AVX-512, and of AVX2 with FMA.
//!
//! Each type wraps a register. Each operation is one instruction or, for the shuffles of AVX2, a few. All
//! functions are inlined, so that they are compiled in a function with these instructions enabled.

#[allow(
    clippy::wildcard_imports,
    reason = "sixty instructions, each of which is named where it is used"
)]
use std::arch::x86_64::*;

use super::Vector;

/// Implements [`Vector`] by the instructions of one width and precision. The braces at the end have the
/// functions that differ in structure.
macro_rules! vector {
    ($(#[$doc:meta])* $name:ident($register:ty) of $lanes:literal $real:ty, mask $mask:ty, {
        $set1:ident $load:ident $store:ident $stream:ident $add:ident $sub:ident $mul:ident $fma:ident $fms:ident $fnma:ident
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
                // SAFETY: the caller guarantees this.
                unsafe { Self($set1(from.read())) }
            }

            #[inline(always)]
            unsafe fn load(from: *const $real) -> Self {
                // SAFETY: the caller guarantees this.
                unsafe { Self($load(from)) }
            }

            #[inline(always)]
            unsafe fn store(self, to: *mut $real) {
                // SAFETY: the caller guarantees this.
                unsafe { $store(to, self.0) }
            }

            #[inline(always)]
            unsafe fn store_non_temporal(self, to: *mut $real) {
                // SAFETY: the caller guarantees this.
                unsafe { $stream(to, self.0) }
            }

            #[inline(always)]
            #[allow(clippy::cast_lossless, reason = "in one of both precisions nothing is lost")]
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

/// Returns quarter `j` of the four registers in one register, for each `j`.
///
/// # Safety
///
/// The machine has AVX-512.
#[inline(always)]
unsafe fn quarters_pd(
    a: __m512d,
    b: __m512d,
    c: __m512d,
    d: __m512d,
) -> (__m512d, __m512d, __m512d, __m512d) {
    // SAFETY: the caller guarantees this.
    unsafe {
        let (even, odd) = (_mm512_shuffle_f64x2::<0x88>(a, b), _mm512_shuffle_f64x2::<0xdd>(a, b));
        let (even_2, odd_2) = (_mm512_shuffle_f64x2::<0x88>(c, d), _mm512_shuffle_f64x2::<0xdd>(c, d));
        (
            _mm512_shuffle_f64x2::<0x88>(even, even_2),
            _mm512_shuffle_f64x2::<0x88>(odd, odd_2),
            _mm512_shuffle_f64x2::<0xdd>(even, even_2),
            _mm512_shuffle_f64x2::<0xdd>(odd, odd_2),
        )
    }
}

vector! {
    /// Eight doubles, by AVX-512.
    F64x8(__m512d) of 8 f64, mask __mmask8, {
        _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_stream_pd _mm512_add_pd _mm512_sub_pd _mm512_mul_pd
        _mm512_fmadd_pd _mm512_fmsub_pd _mm512_fnmadd_pd
    } {
        unsafe fn mask(count: usize) -> __mmask8 {
            if count >= 8 { !0 } else { (1 << count) - 1 }
        }
        unsafe fn load_masked(from: *const f64, mask: __mmask8) -> Self {
            // SAFETY: the caller guarantees this; lanes outside of the mask are not read.
            unsafe { Self(_mm512_maskz_loadu_pd(mask, from)) }
        }
        unsafe fn store_masked(self, to: *mut f64, mask: __mmask8) {
            // SAFETY: the caller guarantees this; lanes outside of the mask are not written.
            unsafe { _mm512_mask_storeu_pd(to, mask, self.0) }
        }
        fn order(lane: usize) -> usize {
            lane / 2 + lane % 2 * 4
        }
        fn split(self, o: Self) -> (Self, Self) {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { (Self(_mm512_unpacklo_pd(self.0, o.0)), Self(_mm512_unpackhi_pd(self.0, o.0))) }
        }
        fn join(self, im: Self) -> (Self, Self) {
            self.split(im)
        }
        fn alternating(self, x: f64) -> Self {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { Self(_mm512_setr_pd(-x, x, -x, x, -x, x, -x, x)) }
        }
        fn swap(self) -> Self {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { Self(_mm512_permute_pd::<0x55>(self.0)) }
        }
        fn evens(self) -> Self {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { Self(_mm512_movedup_pd(self.0)) }
        }
        fn odds(self) -> Self {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { Self(_mm512_permute_pd::<0xff>(self.0)) }
        }
        fn mul_sub_add(self, b: Self, c: Self) -> Self {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { Self(_mm512_fmaddsub_pd(self.0, b.0, c.0)) }
        }
        fn transpose_pairs<const W: usize>(rows: [Self; W]) -> [Self; W] {
            let mut columns = rows;
            // SAFETY: the machine has the instructions of a vector that exists.
            let quarters = unsafe { quarters_pd(rows[0].0, rows[1].0, rows[2].0, rows[3].0) };
            (columns[0].0, columns[1].0, columns[2].0, columns[3].0) = quarters;
            columns
        }
        fn reverse(self) -> Self {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { Self(_mm512_permutexvar_pd(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), self.0)) }
        }
        fn transpose<const L: usize>(rows: [Self; L]) -> [Self; L] {
            let ((a, b), (c, d)) = (rows[0].split(rows[1]), rows[2].split(rows[3]));
            let ((e, f), (g, h)) = (rows[4].split(rows[5]), rows[6].split(rows[7]));
            let mut columns = rows;
            // SAFETY: the machine has the instructions of a vector that exists.
            let (even, odd) = unsafe { (quarters_pd(a.0, c.0, e.0, g.0), quarters_pd(b.0, d.0, f.0, h.0)) };
            (columns[0].0, columns[2].0, columns[4].0, columns[6].0) = even;
            (columns[1].0, columns[3].0, columns[5].0, columns[7].0) = odd;
            columns
        }
    }
}

vector! {
    /// Sixteen floats, by AVX-512.
    F32x16(__m512) of 16 f32, mask __mmask16, {
        _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_stream_ps _mm512_add_ps _mm512_sub_ps _mm512_mul_ps
        _mm512_fmadd_ps _mm512_fmsub_ps _mm512_fnmadd_ps
    } {
        unsafe fn mask(count: usize) -> __mmask16 {
            if count >= 16 { !0 } else { (1 << count) - 1 }
        }
        unsafe fn load_masked(from: *const f32, mask: __mmask16) -> Self {
            // SAFETY: the caller guarantees this; lanes outside of the mask are not read.
            unsafe { Self(_mm512_maskz_loadu_ps(mask, from)) }
        }
        unsafe fn store_masked(self, to: *mut f32, mask: __mmask16) {
            // SAFETY: the caller guarantees this; lanes outside of the mask are not written.
            unsafe { _mm512_mask_storeu_ps(to, mask, self.0) }
        }
        fn order(lane: usize) -> usize {
            lane / 4 * 2 + lane % 2 + lane / 2 % 2 * 8
        }
        fn split(self, o: Self) -> (Self, Self) {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { (Self(_mm512_shuffle_ps::<0x88>(self.0, o.0)), Self(_mm512_shuffle_ps::<0xdd>(self.0, o.0))) }
        }
        fn join(self, im: Self) -> (Self, Self) {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { (Self(_mm512_unpacklo_ps(self.0, im.0)), Self(_mm512_unpackhi_ps(self.0, im.0))) }
        }
        fn alternating(self, x: f64) -> Self {
            let x = x as f32;
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { Self(_mm512_setr_ps(-x, x, -x, x, -x, x, -x, x, -x, x, -x, x, -x, x, -x, x)) }
        }
        fn swap(self) -> Self {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { Self(_mm512_permute_ps::<0xb1>(self.0)) }
        }
        fn evens(self) -> Self {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { Self(_mm512_moveldup_ps(self.0)) }
        }
        fn odds(self) -> Self {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { Self(_mm512_movehdup_ps(self.0)) }
        }
        fn mul_sub_add(self, b: Self, c: Self) -> Self {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { Self(_mm512_fmaddsub_ps(self.0, b.0, c.0)) }
        }
        fn transpose_pairs<const W: usize>(rows: [Self; W]) -> [Self; W] {
            // SAFETY: the machine has the instructions of a vector that exists.
            let doubles = rows.map(|row| F64x8(unsafe { _mm512_castps_pd(row.0) }));
            // SAFETY: as before.
            F64x8::transpose(doubles).map(|column| Self(unsafe { _mm512_castpd_ps(column.0) }))
        }
        fn reverse(self) -> Self {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { Self(_mm512_permutexvar_ps(_mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), self.0)) }
        }
        fn transpose<const L: usize>(rows: [Self; L]) -> [Self; L] {
            let mut columns = rows;
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe {
                let mut fours = [_mm512_castps_pd(rows[0].0); 16];
                let mut i = 0;
                while i < 4 {
                    let (a, b, c, d) = (rows[4 * i].0, rows[4 * i + 1].0, rows[4 * i + 2].0, rows[4 * i + 3].0);
                    let low = (_mm512_castps_pd(_mm512_unpacklo_ps(a, b)), _mm512_castps_pd(_mm512_unpacklo_ps(c, d)));
                    let high = (_mm512_castps_pd(_mm512_unpackhi_ps(a, b)), _mm512_castps_pd(_mm512_unpackhi_ps(c, d)));
                    fours[i] = _mm512_unpacklo_pd(low.0, low.1);
                    fours[4 + i] = _mm512_unpackhi_pd(low.0, low.1);
                    fours[8 + i] = _mm512_unpacklo_pd(high.0, high.1);
                    fours[12 + i] = _mm512_unpackhi_pd(high.0, high.1);
                    i += 1;
                }
                let mut q = 0;
                while q < 4 {
                    let (a, b, c, d) = quarters_pd(fours[4 * q], fours[4 * q + 1], fours[4 * q + 2], fours[4 * q + 3]);
                    columns[q] = Self(_mm512_castpd_ps(a));
                    columns[4 + q] = Self(_mm512_castpd_ps(b));
                    columns[8 + q] = Self(_mm512_castpd_ps(c));
                    columns[12 + q] = Self(_mm512_castpd_ps(d));
                    q += 1;
                }
            }
            columns
        }
    }
}

/// Eight set lanes, then eight cleared ones: the mask of the first `count` of eight lanes begins at
/// `8 - count`.
static LANES_32: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];
/// Four set lanes, then four cleared ones: the mask of the first `count` of four lanes begins at `4 - count`.
static LANES_64: [i64; 8] = [-1, -1, -1, -1, 0, 0, 0, 0];

vector! {
    /// Four doubles, by AVX2 and FMA.
    F64x4(__m256d) of 4 f64, mask __m256i, {
        _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_stream_pd _mm256_add_pd _mm256_sub_pd _mm256_mul_pd
        _mm256_fmadd_pd _mm256_fmsub_pd _mm256_fnmadd_pd
    } {
        unsafe fn mask(count: usize) -> __m256i {
            // SAFETY: the caller guarantees this; the four numbers begin at most four into the table of
            // eight.
            unsafe { _mm256_loadu_si256(LANES_64.as_ptr().add(4 - count.min(4)).cast()) }
        }
        unsafe fn load_masked(from: *const f64, mask: __m256i) -> Self {
            // SAFETY: the caller guarantees this; lanes outside of the mask are not read.
            unsafe { Self(_mm256_maskload_pd(from, mask)) }
        }
        unsafe fn store_masked(self, to: *mut f64, mask: __m256i) {
            // SAFETY: the caller guarantees this; lanes outside of the mask are not written.
            unsafe { _mm256_maskstore_pd(to, mask, self.0) }
        }
        fn order(lane: usize) -> usize {
            lane / 2 + lane % 2 * 2
        }
        fn split(self, o: Self) -> (Self, Self) {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { (Self(_mm256_unpacklo_pd(self.0, o.0)), Self(_mm256_unpackhi_pd(self.0, o.0))) }
        }
        fn join(self, im: Self) -> (Self, Self) {
            self.split(im)
        }
        fn alternating(self, x: f64) -> Self {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { Self(_mm256_setr_pd(-x, x, -x, x)) }
        }
        fn swap(self) -> Self {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { Self(_mm256_permute_pd::<0x5>(self.0)) }
        }
        fn evens(self) -> Self {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { Self(_mm256_movedup_pd(self.0)) }
        }
        fn odds(self) -> Self {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { Self(_mm256_permute_pd::<0xf>(self.0)) }
        }
        fn mul_sub_add(self, b: Self, c: Self) -> Self {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { Self(_mm256_fmaddsub_pd(self.0, b.0, c.0)) }
        }
        fn transpose_pairs<const W: usize>(rows: [Self; W]) -> [Self; W] {
            let mut columns = rows;
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe {
                columns[0] = Self(_mm256_permute2f128_pd::<0x20>(rows[0].0, rows[1].0));
                columns[1] = Self(_mm256_permute2f128_pd::<0x31>(rows[0].0, rows[1].0));
            }
            columns
        }
        fn reverse(self) -> Self {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { Self(_mm256_permute4x64_pd::<0x1b>(self.0)) }
        }
        fn transpose<const L: usize>(rows: [Self; L]) -> [Self; L] {
            let (a, b) = rows[0].split(rows[1]);
            let (c, d) = rows[2].split(rows[3]);
            let mut columns = rows;
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe {
                columns[0] = Self(_mm256_permute2f128_pd::<0x20>(a.0, c.0));
                columns[1] = Self(_mm256_permute2f128_pd::<0x20>(b.0, d.0));
                columns[2] = Self(_mm256_permute2f128_pd::<0x31>(a.0, c.0));
                columns[3] = Self(_mm256_permute2f128_pd::<0x31>(b.0, d.0));
            }
            columns
        }
    }
}

vector! {
    /// Eight floats, by AVX2 and FMA.
    F32x8(__m256) of 8 f32, mask __m256i, {
        _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_stream_ps _mm256_add_ps _mm256_sub_ps _mm256_mul_ps
        _mm256_fmadd_ps _mm256_fmsub_ps _mm256_fnmadd_ps
    } {
        unsafe fn mask(count: usize) -> __m256i {
            // SAFETY: the caller guarantees this; the eight numbers begin at most eight into the table of
            // sixteen.
            unsafe { _mm256_loadu_si256(LANES_32.as_ptr().add(8 - count.min(8)).cast()) }
        }
        unsafe fn load_masked(from: *const f32, mask: __m256i) -> Self {
            // SAFETY: the caller guarantees this; lanes outside of the mask are not read.
            unsafe { Self(_mm256_maskload_ps(from, mask)) }
        }
        unsafe fn store_masked(self, to: *mut f32, mask: __m256i) {
            // SAFETY: the caller guarantees this; lanes outside of the mask are not written.
            unsafe { _mm256_maskstore_ps(to, mask, self.0) }
        }
        fn order(lane: usize) -> usize {
            lane / 4 * 2 + lane % 2 + lane / 2 % 2 * 4
        }
        fn split(self, o: Self) -> (Self, Self) {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { (Self(_mm256_shuffle_ps::<0x88>(self.0, o.0)), Self(_mm256_shuffle_ps::<0xdd>(self.0, o.0))) }
        }
        fn join(self, im: Self) -> (Self, Self) {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { (Self(_mm256_unpacklo_ps(self.0, im.0)), Self(_mm256_unpackhi_ps(self.0, im.0))) }
        }
        fn alternating(self, x: f64) -> Self {
            let x = x as f32;
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { Self(_mm256_setr_ps(-x, x, -x, x, -x, x, -x, x)) }
        }
        fn swap(self) -> Self {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { Self(_mm256_permute_ps::<0xb1>(self.0)) }
        }
        fn evens(self) -> Self {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { Self(_mm256_moveldup_ps(self.0)) }
        }
        fn odds(self) -> Self {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { Self(_mm256_movehdup_ps(self.0)) }
        }
        fn mul_sub_add(self, b: Self, c: Self) -> Self {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { Self(_mm256_fmaddsub_ps(self.0, b.0, c.0)) }
        }
        fn transpose_pairs<const W: usize>(rows: [Self; W]) -> [Self; W] {
            // SAFETY: the machine has the instructions of a vector that exists.
            let doubles = rows.map(|row| F64x4(unsafe { _mm256_castps_pd(row.0) }));
            // SAFETY: as before.
            F64x4::transpose(doubles).map(|column| Self(unsafe { _mm256_castpd_ps(column.0) }))
        }
        fn reverse(self) -> Self {
            // SAFETY: the machine has the instructions of a vector that exists.
            unsafe { Self(_mm256_permutevar8x32_ps(self.0, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0))) }
        }
        fn transpose<const L: usize>(rows: [Self; L]) -> [Self; L] {
            let mut fours = rows;
            let mut i = 0;
            while i < 2 {
                let (low, high) = (rows[4 * i].join(rows[4 * i + 1]), rows[4 * i + 2].join(rows[4 * i + 3]));
                // SAFETY: the machine has the instructions of a vector that exists.
                unsafe {
                    fours[i] = Self(_mm256_shuffle_ps::<0x44>(low.0.0, high.0.0));
                    fours[2 + i] = Self(_mm256_shuffle_ps::<0xee>(low.0.0, high.0.0));
                    fours[4 + i] = Self(_mm256_shuffle_ps::<0x44>(low.1.0, high.1.0));
                    fours[6 + i] = Self(_mm256_shuffle_ps::<0xee>(low.1.0, high.1.0));
                }
                i += 1;
            }
            let mut columns = rows;
            let mut q = 0;
            while q < 4 {
                // SAFETY: the machine has the instructions of a vector that exists.
                unsafe {
                    columns[q] = Self(_mm256_permute2f128_ps::<0x20>(fours[2 * q].0, fours[2 * q + 1].0));
                    columns[4 + q] = Self(_mm256_permute2f128_ps::<0x31>(fours[2 * q].0, fours[2 * q + 1].0));
                }
                q += 1;
            }
            columns
        }
    }
}
