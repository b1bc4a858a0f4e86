//! The row kernel that is always there: rustfft.
//!
//! rustfft plans any length, finds the widest vector instructions of the machine by itself, and its plans may
//! be used from many threads. Planning a row in both directions costs about what transforming it does (2^24
//! points: 0.8 s against 0.9, measured) and allocates its tables, so plan once and share the kernel.

use std::fmt;
use std::sync::Arc;

use num_complex::Complex;
use rustfft::Fft;

use crate::real::Real;
use crate::row_kernel::RowKernel;

/// Rows of one length, planned in both directions; a clone shares the plans.
#[derive(Clone)]
pub struct RustFft<T: Real> {
    forward: Arc<dyn Fft<T>>,
    inverse: Arc<dyn Fft<T>>,
}

impl<T: Real> RustFft<T> {
    /// Plans rows of `n` points.
    ///
    /// # Panics
    ///
    /// If `n` is 0.
    pub fn new(n: usize) -> Self {
        assert!(n > 0, "a row of 0 points has no transform");
        let [forward, inverse] = T::plan_rows(n);
        Self { forward, inverse }
    }

    fn process(fft: &dyn Fft<T>, rows: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        let (n, found) = (fft.len(), rows.len());
        assert!(found.is_multiple_of(n), "{found} points are no whole number of rows of {n}");
        let (needed, given) = (fft.get_inplace_scratch_len(), scratch.len());
        assert!(given >= needed, "a scratch of {given} points where {needed} are needed");
        fft.process_with_scratch(rows, &mut scratch[..needed]);
    }
}

impl<T: Real> RowKernel<T> for RustFft<T> {
    fn name(&self) -> &'static str {
        "rustfft"
    }

    fn len(&self) -> usize {
        self.forward.len()
    }

    fn scratch_len(&self) -> usize {
        self.forward.get_inplace_scratch_len().max(self.inverse.get_inplace_scratch_len())
    }

    fn forward(&self, rows: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        Self::process(&*self.forward, rows, scratch);
    }

    fn inverse(&self, rows: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        Self::process(&*self.inverse, rows, scratch);
    }
}

impl<T: Real> fmt::Debug for RustFft<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RustFft").field("real", &T::NAME).field("len", &self.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dft::{dft, inverse_dft};
    use crate::error::{bound, relative_error};
    use crate::noise::noise;
    use crate::row_kernel::scale;
    use crate::twiddle::Direction;

    /// Three rows at once, each against the definition.
    fn rows_are_transformed<T: Real>(n: usize) {
        let kernel: &dyn RowKernel<T> = &RustFft::new(n);
        assert_eq!((kernel.name(), kernel.len()), ("rustfft", n));
        let input = noise::<T>(3 * n);
        for direction in [Direction::Forward, Direction::Inverse] {
            let (mut rows, mut scratch) = (input.clone(), kernel.scratch());
            kernel.transform(direction, &mut rows, &mut scratch);
            if direction == Direction::Inverse {
                scale(&mut rows, T::of(1.0 / n as f64));
            }
            for (found, input) in rows.chunks(n).zip(input.chunks(n)) {
                let expected = if direction == Direction::Forward { dft(input) } else { inverse_dft(input) };
                let error = relative_error(found, &expected);
                assert!(error <= bound::<T>(n), "{} points in {}, {direction:?}: {error}", n, T::NAME);
            }
        }
    }

    #[test]
    fn rows_of_any_length_are_transformed() {
        for n in (1..=64).chain([97, 100, 128, 256, 360, 509, 512, 1024]) {
            rows_are_transformed::<f32>(n);
            rows_are_transformed::<f64>(n);
        }
    }

    /// Three rows with something else after each, or after all but the last one.
    #[test]
    fn rows_may_lie_apart() {
        let (n, elsewhere) = (12, Complex::new(7.0, -7.0));
        let kernel: &dyn RowKernel<f64> = &RustFft::new(n);
        for (distance, points) in [(12, 36), (13, 38), (13, 39), (40, 92), (40, 120)] {
            let input = noise::<f64>(points);
            let mut rows = input.clone();
            rows.chunks_mut(distance).for_each(|row| row[n..].fill(elsewhere));
            kernel.transform_spaced(Direction::Forward, &mut rows, distance, &mut kernel.scratch());
            for (found, input) in rows.chunks(distance).zip(input.chunks(distance)) {
                let error = relative_error(&found[..n], &dft(&input[..n]));
                assert!(error <= bound::<f64>(n), "{distance} apart: {error}");
                assert!(found[n..].iter().all(|x| *x == elsewhere), "{distance} apart");
            }
        }
    }

    #[test]
    fn one_plan_serves_many_threads() {
        let kernel = RustFft::<f64>::new(256);
        let input = noise::<f64>(256);
        let expected = dft(&input);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let (mut row, mut scratch) = (input.clone(), kernel.scratch());
                    kernel.forward(&mut row, &mut scratch);
                    assert!(relative_error(&row, &expected) <= bound::<f64>(256));
                });
            }
        });
    }

    #[test]
    #[should_panic(expected = "10 points are no whole number of rows of 4")]
    fn a_part_of_a_row_is_refused() {
        let kernel = RustFft::<f64>::new(4);
        kernel.forward(&mut noise(10), &mut kernel.scratch());
    }

    #[test]
    #[should_panic(expected = "points where")]
    fn a_short_scratch_is_refused() {
        let kernel = RustFft::<f64>::new(97);
        kernel.forward(&mut noise(97), &mut []);
    }

    #[test]
    #[should_panic(expected = "a row of 0 points")]
    fn a_row_of_no_points_is_refused() {
        let _ = RustFft::<f64>::new(0);
    }
}
