//! The two precisions in which signals are held and transformed.

use std::fmt::Debug;
use std::ops::Neg;

use earth_memory::Element;
use num_traits::NumAssign;

/// `f32` or `f64`: what the programs need of a real number.
///
/// It is an [`Element`], so that a [`Complex`](num_complex::Complex) of it may stand in a block of the runtime's
/// memory; it has the arithmetic that kernels use; and it knows how exact a transform in it has to be.
/// Constants and twiddle factors are computed in double precision and narrowed once, by [`of`](Self::of).
///
/// There are no others: code that is compiled once for each precision, in one crate, is found by
/// [`choose`](Self::choose).
pub trait Real: Element + NumAssign + Neg<Output = Self> + Debug + sealed::Sealed {
    /// The name for messages and tables: `"f32"` or `"f64"`.
    const NAME: &'static str;

    /// The relative L2 error that a transform may have for each doubling of its length; see
    /// [`bound`](crate::bound).
    const ERROR_PER_LEVEL: f64;

    /// The nearest number in this precision.
    fn of(x: f64) -> Self;

    /// This number in double precision, exactly.
    fn widen(self) -> f64;

    /// The value for this precision.
    fn choose<B: InBoth>() -> B::Of<Self>;
}

/// A value in each precision, of which generic code has the one of its own.
pub trait InBoth {
    /// The value in a precision.
    type Of<T: Real>;

    /// The value for `f32`.
    fn single() -> Self::Of<f32>;

    /// The value for `f64`.
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

    fn choose<B: InBoth>() -> B::Of<Self> {
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

    fn choose<B: InBoth>() -> B::Of<Self> {
        B::double()
    }
}

#[cfg(test)]
mod tests {
    use num_complex::Complex;

    use super::*;

    /// Compiles because a complex number of any `Real` may stand in a block.
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
