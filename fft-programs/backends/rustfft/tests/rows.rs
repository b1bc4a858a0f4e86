//! Rows by rustfft, compared with the definition.

use earth_kernels::{Direction, Real, RowKernel, bound, dft, inverse_dft, relative_error, scale};
use earth_rustfft::RustFft;
use num_complex::Complex;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt as _, SeedableRng as _};

/// Returns `n` points in -1..1, determined by `n`.
fn noise<T: Real>(n: usize) -> Vec<Complex<T>> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(n as u64);
    let mut part = || T::of(random.random_range(-1.0..1.0));
    (0..n).map(|_| Complex::new(part(), part())).collect()
}

/// Compares three rows of one call with the definition.
fn rows_are_transformed<T: Real>(n: usize) {
    for kernel in [RustFft::new(n), RustFft::scalar(n)] {
        rows_are_transformed_by::<T>(&kernel, n);
    }
}

fn rows_are_transformed_by<T: Real>(kernel: &RustFft<T>, n: usize) {
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

/// Transforms three rows with other points after each row, or after all rows except the last.
#[test]
fn rows_may_begin_further_apart_than_they_are_long() {
    let (n, elsewhere) = (12, Complex::new(7.0, -7.0));
    let kernel: &dyn RowKernel<f64> = &RustFft::new(n);
    for (distance, points) in [(12, 36), (13, 38), (13, 39), (40, 92), (40, 120)] {
        let input = noise::<f64>(points);
        let mut rows = input.clone();
        rows.chunks_mut(distance).for_each(|row| row[n..].fill(elsewhere));
        kernel.transform_spaced(Direction::Forward, &mut rows, distance, &mut kernel.scratch());
        for (found, input) in rows.chunks(distance).zip(input.chunks(distance)) {
            let error = relative_error(&found[..n], &dft(&input[..n]));
            assert!(error <= bound::<f64>(n), "a distance of {distance}: {error}");
            assert!(found[n..].iter().all(|x| *x == elsewhere), "a distance of {distance}");
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
