//! Vectors for any machine: arrays, which the compiler maps to vector registers of 16 bytes where they exist.
//!
//! `mul_add` is not fused: on machines without such an instruction, it would be a function call.

use earth_kernels::Real;

use super::Vector;

/// Vector of `L` numbers.
#[derive(Clone, Copy)]
pub(crate) struct Array<T, const L: usize>([T; L]);

impl<T: Real, const L: usize> Array<T, L> {
    #[inline(always)]
    fn with(self, o: Self, f: impl Fn(T, T) -> T) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], o.0[i])))
    }
}

impl<T: Real, const L: usize> Vector for Array<T, L> {
    type Real = T;
    type Mask = usize;
    const LANES: usize = L;

    #[inline(always)]
    unsafe fn broadcast(from: *const T) -> Self {
        // SAFETY: the caller guarantees this.
        Self([unsafe { from.read() }; L])
    }

    #[inline(always)]
    unsafe fn load(from: *const T) -> Self {
        // SAFETY: the caller guarantees this; an array has the alignment of its numbers.
        Self(unsafe { from.cast::<[T; L]>().read() })
    }

    #[inline(always)]
    unsafe fn mask(count: usize) -> usize {
        count.min(L)
    }

    #[inline(always)]
    unsafe fn load_masked(from: *const T, mask: usize) -> Self {
        if mask == L {
            // SAFETY: the caller guarantees this.
            return unsafe { Self::load(from) };
        }
        // SAFETY: the caller guarantees this for the lanes of the mask.
        Self(std::array::from_fn(|i| if i < mask { unsafe { from.add(i).read() } } else { T::zero() }))
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut T) {
        // SAFETY: the caller guarantees this; an array has the alignment of its numbers.
        unsafe { to.cast::<[T; L]>().write(self.0) }
    }

    #[inline(always)]
    unsafe fn store_non_temporal(self, to: *mut T) {
        // SAFETY: the caller guarantees this.
        unsafe { self.store(to) }
    }

    #[inline(always)]
    unsafe fn store_masked(self, to: *mut T, mask: usize) {
        for (i, x) in self.0.into_iter().enumerate().take(mask) {
            // SAFETY: the caller guarantees this for the lanes of the mask.
            unsafe { to.add(i).write(x) }
        }
    }

    #[inline(always)]
    fn constant(self, x: f64) -> Self {
        Self([T::of(x); L])
    }

    #[inline(always)]
    fn alternating(self, x: f64) -> Self {
        Self(std::array::from_fn(|i| T::of(if i.is_multiple_of(2) { -x } else { x })))
    }

    #[inline(always)]
    fn add(self, o: Self) -> Self {
        self.with(o, |a, b| a + b)
    }

    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        self.with(o, |a, b| a - b)
    }

    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        self.with(o, |a, b| a * b)
    }

    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        self.mul(b).add(c)
    }

    #[inline(always)]
    fn mul_sub(self, b: Self, c: Self) -> Self {
        self.mul(b).sub(c)
    }

    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        c.sub(self.mul(b))
    }

    #[inline(always)]
    fn order(lane: usize) -> usize {
        lane
    }

    #[inline(always)]
    fn split(self, o: Self) -> (Self, Self) {
        let number = |i: usize| if i < L { self.0[i] } else { o.0[i - L] };
        (Self(std::array::from_fn(|i| number(2 * i))), Self(std::array::from_fn(|i| number(2 * i + 1))))
    }

    #[inline(always)]
    fn join(self, im: Self) -> (Self, Self) {
        let number = |i: usize| if i.is_multiple_of(2) { self.0[i / 2] } else { im.0[i / 2] };
        (Self(std::array::from_fn(number)), Self(std::array::from_fn(|i| number(L + i))))
    }

    #[inline(always)]
    fn swap(self) -> Self {
        Self(std::array::from_fn(|i| self.0[i ^ 1]))
    }

    #[inline(always)]
    fn evens(self) -> Self {
        Self(std::array::from_fn(|i| self.0[i & !1]))
    }

    #[inline(always)]
    fn odds(self) -> Self {
        Self(std::array::from_fn(|i| self.0[i | 1]))
    }

    #[inline(always)]
    fn mul_sub_add(self, b: Self, c: Self) -> Self {
        let (less, more) = (self.mul_sub(b, c), self.mul_add(b, c));
        Self(std::array::from_fn(|i| if i.is_multiple_of(2) { less.0[i] } else { more.0[i] }))
    }

    #[inline(always)]
    fn transpose_pairs<const W: usize>(rows: [Self; W]) -> [Self; W] {
        std::array::from_fn(|j| Self(std::array::from_fn(|i| rows[i / 2].0[2 * j + i % 2])))
    }

    #[inline(always)]
    fn reverse(self) -> Self {
        Self(std::array::from_fn(|i| self.0[L - 1 - i]))
    }

    #[inline(always)]
    fn transpose<const M: usize>(rows: [Self; M]) -> [Self; M] {
        std::array::from_fn(|j| Self(std::array::from_fn(|i| rows[i].0[j])))
    }
}
