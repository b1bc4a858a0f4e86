//! The receiver-initiated FFT in one thread: the bitwise reference for the parallel programs.
//!
//! The model computes level by level instead of by request, but every point from the same operands by the
//! same arithmetic. The tree of requests computes most points several times, and the shared requests compute
//! each point once. Both give exactly the bits of this model.
//!
//! *Cost.* One new array per level. The model is a reference and not meant to be fast.

use earth_kernels::{Direction, Real, ReceiverOrder, RowKernel, Twiddles, scale};
use num_complex::Complex;

/// Transforms `signal` into natural order; the inverse is divided by N.
///
/// # Panics
///
/// If the length of the signal is not the order's number of points, or the kernel's length is not the order's
/// share.
pub fn receiver_model<T: Real>(
    order: ReceiverOrder,
    direction: Direction,
    kernel: &dyn RowKernel<T>,
    signal: &[Complex<T>],
) -> Vec<Complex<T>> {
    assert_eq!(signal.len(), order.points(), "a signal of another length than the order's");
    assert_eq!(kernel.len(), order.share(), "a kernel of another length than the order's share");
    let mut values: Vec<_> =
        (0..order.nodes()).flat_map(|node| order.samples(node)).map(|sample| signal[sample]).collect();
    kernel.transform(direction, &mut values, &mut kernel.scratch());
    if direction == Direction::Inverse {
        scale(&mut values, T::of(1.0 / order.points() as f64));
    }
    let factors = Twiddles::new(order.points(), direction);
    for level in 1..=order.levels() {
        let combine = |point| {
            let operands = order.operands(point, level).map(|operand| values[operand]);
            order.combine(point, level, operands, &factors)
        };
        values = (0..order.points()).map(combine).collect();
    }
    values
}

#[cfg(test)]
mod tests {
    use earth_kernels::{bound, dft, inverse_dft, relative_error, verify};
    use earth_rustfft::RustFft;

    use super::*;
    use crate::noise::noise;

    /// Compares every number of nodes and every power of two up to 512 with the definition.
    fn it_is_the_definition<T: Real>() {
        let mut tried = 0;
        for points in (0..=9).map(|bits| 1 << bits) {
            let signal = noise::<T>(points, 1);
            let (spectrum, original) = (dft(&signal), inverse_dft(&signal));
            for nodes in (0..=9).map(|bits| 1 << bits).take_while(|&nodes| nodes <= points) {
                let order = ReceiverOrder::new(points, nodes).unwrap();
                let kernel = RustFft::<T>::new(order.share());
                for (direction, expected) in
                    [(Direction::Forward, &spectrum), (Direction::Inverse, &original)]
                {
                    let error = relative_error(&receiver_model(order, direction, &kernel, &signal), expected);
                    assert!(error <= bound::<T>(points), "{order:?} in {}, {direction:?}: {error}", T::NAME);
                    tried += 1;
                }
            }
        }
        assert_eq!(tried, 2 * 55);
    }

    #[test]
    fn it_is_the_definition_in_both_precisions() {
        it_is_the_definition::<f32>();
        it_is_the_definition::<f64>();
    }

    #[test]
    fn long_transforms_hold_too() {
        let order = ReceiverOrder::new(1 << 14, 64).unwrap();
        let signal = noise::<f64>(1 << 14, 1);
        for direction in [Direction::Forward, Direction::Inverse] {
            let output = receiver_model(order, direction, &RustFft::new(order.share()), &signal);
            let verified = verify(&[signal.len()], &signal, &output, direction, 5, RustFft::new);
            assert!(verified.holds(), "{verified:?}");
        }
    }
}
