//! The sender-initiated FFT in one thread: the bitwise reference for the parallel programs.
//!
//! The model has the butterflies, factors and kernel of the dataflow program in the same order. It copies the
//! whole array where the program exchanges points. Dataflow fixes the order of the arithmetic, so a program
//! on any machine gives exactly the bits of this model. The model itself is tested against the definition.
//!
//! *Cost.* One copy of the array per stage. The model is a reference and not meant to be fast.

use earth_kernels::{Direction, Real, RowKernel, SenderOrder, Twiddles, scale};
use num_complex::Complex;

/// Transforms `signal` into natural order; the inverse is divided by N.
///
/// # Panics
///
/// If the length of the signal is not the order's number of points, or the kernel's length is not the order's
/// block.
pub fn sender_model<T: Real>(
    order: SenderOrder,
    direction: Direction,
    kernel: &dyn RowKernel<T>,
    signal: &[Complex<T>],
) -> Vec<Complex<T>> {
    assert_eq!(signal.len(), order.points(), "a signal of another length than the order's");
    assert_eq!(kernel.len(), order.block(), "a kernel of another length than the order's block");
    let factors = Twiddles::new(order.points(), direction);
    let mut blocks = signal.to_vec();
    for stage in 0..order.stages() {
        let sent = blocks.clone();
        for (thread, mine) in blocks.chunks_mut(order.block()).enumerate() {
            let theirs = &sent[order.mate(thread, stage) * order.block()..][..order.block()];
            order.combine(thread, stage, mine, theirs, &factors);
        }
    }
    kernel.transform(direction, &mut blocks, &mut kernel.scratch());
    if direction == Direction::Inverse {
        scale(&mut blocks, T::of(1.0 / order.points() as f64));
    }
    let mut natural = blocks.clone();
    order.natural_order(&blocks, &mut natural);
    natural
}

#[cfg(test)]
mod tests {
    use earth_kernels::{bound, dft, inverse_dft, relative_error, twiddle, verify};
    use earth_rustfft::RustFft;

    use super::*;
    use crate::noise::noise;

    /// Compares every block length of every power of two up to 1024 with the definition.
    fn it_is_the_definition<T: Real>() {
        let mut tried = 0;
        for points in (0..=10).map(|bits| 1 << bits) {
            let signal = noise::<T>(points, 1);
            let (spectrum, original) = (dft(&signal), inverse_dft(&signal));
            for block in (0..=10).map(|bits| 1 << bits).take_while(|&block| block <= points) {
                let (order, kernel) = (SenderOrder::new(points, block).unwrap(), RustFft::<T>::new(block));
                for (direction, expected) in
                    [(Direction::Forward, &spectrum), (Direction::Inverse, &original)]
                {
                    let error = relative_error(&sender_model(order, direction, &kernel, &signal), expected);
                    assert!(error <= bound::<T>(points), "{order:?} in {}, {direction:?}: {error}", T::NAME);
                    tried += 1;
                }
            }
        }
        assert_eq!(tried, 2 * 66);
    }

    #[test]
    fn it_is_the_definition_in_single_precision() {
        it_is_the_definition::<f32>();
    }

    #[test]
    fn it_is_the_definition_in_double_precision() {
        it_is_the_definition::<f64>();
    }

    /// Transforms each unit impulse and compares it with the matching row of the Fourier matrix. Unlike with
    /// noise, two errors cannot cancel.
    #[test]
    fn impulses_give_the_circle() {
        let order = SenderOrder::new(64, 4).unwrap();
        for at in 0..64 {
            let mut signal = vec![Complex::new(0.0f64, 0.0); 64];
            signal[at] = Complex::new(1.0, 0.0);
            let spectrum = sender_model(order, Direction::Forward, &RustFft::new(4), &signal);
            for (k, x) in spectrum.iter().enumerate() {
                assert!((x - twiddle::<f64>(at * k, 64)).norm() < 1e-15);
            }
        }
    }

    #[test]
    fn long_transforms_hold_too() {
        let order = SenderOrder::new(1 << 14, 16).unwrap();
        let signal = noise::<f64>(1 << 14, 1);
        for direction in [Direction::Forward, Direction::Inverse] {
            let output = sender_model(order, direction, &RustFft::new(16), &signal);
            let verified = verify(&[signal.len()], &signal, &output, direction, 5, RustFft::new);
            assert!(verified.holds(), "{verified:?}");
        }
    }
}
