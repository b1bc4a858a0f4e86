//! Arithmetic of complex points in registers, in two layouts.
//!
//! * [`Points`]: real parts in one register, imaginary parts in another. A multiplication by an imaginary
//!   number takes no instruction.
//! * [`Pairs`]: both parts of a point side by side in one register, as in memory. A multiplication by an
//!   imaginary number takes a shuffle. A butterfly needs half of the registers, and contiguous points need no
//!   shuffles when they are loaded or stored.

use super::{Points, Vector};

/// Complex points in registers.
pub(crate) trait Complexes: Copy {
    /// Computes `self + o`.
    fn add(self, o: Self) -> Self;

    /// Computes `self - o`.
    fn sub(self, o: Self) -> Self;

    /// Computes `self + i o`.
    fn add_i(self, o: Self) -> Self;

    /// Computes `self - i o`.
    fn sub_i(self, o: Self) -> Self;

    /// Computes `self * (re + i im)`, with the same constant for every point.
    fn turn(self, re: f64, im: f64) -> Self;

    /// Computes `self + x o` for a real constant.
    fn add_scaled(self, x: f64, o: Self) -> Self;

    /// Computes `self - x o` for a real constant.
    fn sub_scaled(self, x: f64, o: Self) -> Self;

    /// Computes `self + i x o` for a real constant.
    fn add_scaled_i(self, x: f64, o: Self) -> Self;

    /// Computes `self - i x o` for a real constant.
    fn sub_scaled_i(self, x: f64, o: Self) -> Self;

    /// Computes `x self` for a real constant.
    fn scale(self, x: f64) -> Self;
}

impl<V: Vector> Complexes for Points<V> {
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self { re: self.re.add(o.re), im: self.im.add(o.im) }
    }

    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self { re: self.re.sub(o.re), im: self.im.sub(o.im) }
    }

    #[inline(always)]
    fn add_i(self, o: Self) -> Self {
        Self { re: self.re.sub(o.im), im: self.im.add(o.re) }
    }

    #[inline(always)]
    fn sub_i(self, o: Self) -> Self {
        Self { re: self.re.add(o.im), im: self.im.sub(o.re) }
    }

    #[inline(always)]
    fn turn(self, re: f64, im: f64) -> Self {
        self.mul(Self { re: self.re.constant(re), im: self.re.constant(im) })
    }

    #[inline(always)]
    fn add_scaled(self, x: f64, o: Self) -> Self {
        let x = self.re.constant(x);
        Self { re: x.mul_add(o.re, self.re), im: x.mul_add(o.im, self.im) }
    }

    #[inline(always)]
    fn sub_scaled(self, x: f64, o: Self) -> Self {
        let x = self.re.constant(x);
        Self { re: x.neg_mul_add(o.re, self.re), im: x.neg_mul_add(o.im, self.im) }
    }

    #[inline(always)]
    fn add_scaled_i(self, x: f64, o: Self) -> Self {
        let x = self.re.constant(x);
        Self { re: x.neg_mul_add(o.im, self.re), im: x.mul_add(o.re, self.im) }
    }

    #[inline(always)]
    fn sub_scaled_i(self, x: f64, o: Self) -> Self {
        let x = self.re.constant(x);
        Self { re: x.mul_add(o.im, self.re), im: x.neg_mul_add(o.re, self.im) }
    }

    #[inline(always)]
    fn scale(self, x: f64) -> Self {
        let x = self.re.constant(x);
        Self { re: x.mul(self.re), im: x.mul(self.im) }
    }
}

/// Vector of complex points, each a pair of adjacent lanes.
#[derive(Clone, Copy)]
pub(crate) struct Pairs<V>(V);

impl<V: Vector> Pairs<V> {
    /// Takes the numbers of a vector as points.
    pub(crate) fn of(numbers: V) -> Self {
        Self(numbers)
    }

    /// Loads contiguous points, with alternating real and imaginary parts.
    ///
    /// # Safety
    ///
    /// As for [`Vector::load`].
    #[inline(always)]
    pub(crate) unsafe fn load(from: *const V::Real) -> Self {
        // SAFETY: the caller guarantees this.
        Self(unsafe { V::load(from) })
    }

    /// Stores points contiguously, with alternating real and imaginary parts.
    ///
    /// # Safety
    ///
    /// As for [`Vector::store`].
    #[inline(always)]
    pub(crate) unsafe fn store(self, to: *mut V::Real) {
        // SAFETY: the caller guarantees this.
        unsafe { self.0.store(to) }
    }

    /// Computes `self * w`, point by point. The real part of each factor is in both lanes of its point in
    /// `re`, the imaginary part in `im`.
    #[inline(always)]
    pub(crate) fn mul(self, re: V, im: V) -> Self {
        Self(self.0.mul_sub_add(re, self.0.swap().mul(im)))
    }

    /// Transposes vectors of points: point `j` of vector `i` becomes point `i` of vector `j`.
    ///
    /// # Panics
    ///
    /// If `W` is not the number of points in a vector.
    #[inline(always)]
    pub(crate) fn transpose<const W: usize>(rows: [Self; W]) -> [Self; W] {
        V::transpose_pairs(rows.map(|row| row.0)).map(Self)
    }
}

impl<V: Vector> Complexes for Pairs<V> {
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self(self.0.add(o.0))
    }

    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self(self.0.sub(o.0))
    }

    #[inline(always)]
    fn add_i(self, o: Self) -> Self {
        self.add_scaled_i(1.0, o)
    }

    #[inline(always)]
    fn sub_i(self, o: Self) -> Self {
        self.sub_scaled_i(1.0, o)
    }

    #[inline(always)]
    fn turn(self, re: f64, im: f64) -> Self {
        Self(self.0.mul_add(self.0.constant(re), self.0.swap().mul(self.0.alternating(im))))
    }

    #[inline(always)]
    fn add_scaled(self, x: f64, o: Self) -> Self {
        Self(o.0.mul_add(self.0.constant(x), self.0))
    }

    #[inline(always)]
    fn sub_scaled(self, x: f64, o: Self) -> Self {
        Self(o.0.neg_mul_add(self.0.constant(x), self.0))
    }

    #[inline(always)]
    fn add_scaled_i(self, x: f64, o: Self) -> Self {
        Self(o.0.swap().mul_add(self.0.alternating(x), self.0))
    }

    #[inline(always)]
    fn sub_scaled_i(self, x: f64, o: Self) -> Self {
        Self(o.0.swap().neg_mul_add(self.0.alternating(x), self.0))
    }

    #[inline(always)]
    fn scale(self, x: f64) -> Self {
        Self(self.0.mul(self.0.constant(x)))
    }
}
