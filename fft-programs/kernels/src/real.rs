//! Floating-point precisions of signals and transforms.

use std::fmt::Debug;
use std::ops::Neg;

use earth_memory::Element;
use num_traits::NumAssign;

/// Precision of a transform: `f32` or `f64`.
///
/// The trait provides:
///
/// * [`Element`], so that blocks of the runtime's memory can hold [`Complex`](num_complex::Complex) numbers
///   of this type;
/// * the arithmetic of the kernels;
/// * the accuracy that a transform must have.
///
/// Constants and twiddle factors are computed in double precision and rounded once, by [`of`](Self::of). The
/// trait is sealed. [`choose`](Self::choose) selects code that one crate compiles once for each precision.
pub trait Real: Element + NumAssign + Neg<Output = Self> + Debug + sealed::Sealed {
    /// Name for messages and tables: `"f32"` or `"f64"`.
    const NAME: &'static str;

    /// Relative L2 error that a transform may have for each doubling of its length; see
    /// [`bound`](crate::bound).
    const ERROR_PER_LEVEL: f64;

    /// Returns the nearest number in this precision.
    fn of(x: f64) -> Self;

    /// Returns this number in double precision, exactly.
    fn widen(self) -> f64;

    /// Returns the value for this precision.
    fn choose<B: PerPrecision>() -> B::Of<Self>;
}

/// Family of values, one for each precision. Generic code selects the value for its precision with
/// [`Real::choose`].
pub trait PerPrecision {
    /// Type of the value in a precision.
    type Of<T: Real>;

    /// Returns the value for `f32`.
    fn single() -> Self::Of<f32>;

    /// Returns the value for `f64`.
    fn double() -> Self::Of<f64>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

impl Real for f32 {
    const NAME: &'static str = "f32";
    const ERROR_PER_LEVEL: f64 = 6e-7;

    fn of(x: f64) -> Self {
        x as Self
    }

    fn widen(self) -> f64 {
        f64::from(self)
    }

    fn choose<B: PerPrecision>() -> B::Of<Self> {
        B::single()
    }
}

impl Real for f64 {
    const NAME: &'static str = "f64";
    const ERROR_PER_LEVEL: f64 = 1e-15;

    fn of(x: f64) -> Self {
        x
    }

    fn widen(self) -> f64 {
        self
    }

    fn choose<B: PerPrecision>() -> B::Of<Self> {
        B::double()
    }
}

#[cfg(test)]
mod tests {
    use num_complex::Complex;

    use super::*;

    /// Compiles only if a block can hold complex numbers of any `Real`.
    fn in_a_block<T: Real>() -> usize {
        earth_memory::Block::<Complex<T>>::zeroed(2, 3).bytes()
    }

    #[test]
    fn complex_numbers_stand_in_blocks() {
        assert_eq!((in_a_block::<f32>(), in_a_block::<f64>()), (48, 96));
    }

    #[test]
    fn narrowing_is_to_the_nearest_and_widening_exact() {
        let third = 1.0 / 3.0;
        assert_eq!(f64::of(third).to_bits(), third.to_bits());
        assert_eq!(f32::of(third).widen().to_bits(), f64::from(third as f32).to_bits());
        assert_eq!((f32::NAME, f64::NAME), ("f32", "f64"));
    }
}
