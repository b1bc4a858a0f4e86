//! Rows compared with the definition, for every instruction set of the machine.

use earth_codelets::{Isa, real, rows, smooth_part};
use earth_kernels::{Direction, Real, RowKernel, bound, dft, evaluated, inverse_dft, relative_error, scale};
use num_complex::Complex;

use crate::common::{elsewhere, noise};

/// Compares rows with the definition. The inverse is still to be scaled.
pub(crate) fn are_transformed<T: Real>(
    what: &dyn RowKernel<T>,
    direction: Direction,
    input: &[Complex<T>],
    found: &[Complex<T>],
) {
    let n = what.len();
    for (found, input) in found.chunks(n).zip(input.chunks(n)) {
        let mut found = found.to_vec();
        let expected = match direction {
            Direction::Forward => dft(input),
            Direction::Inverse => {
                scale(&mut found, T::of(1.0 / n as f64));
                inverse_dft(input)
            }
        };
        let error = relative_error(&found, &expected);
        assert!(error <= bound::<T>(n), "{what:?}, {direction:?}: {error}");
    }
}

/// Transforms three rows of one length in place and out of place. Returns whether such rows exist.
fn rows_are_transformed<T: Real>(isa: Isa, n: usize) -> bool {
    let Some(kernel) = rows::<T>(isa, n) else { return false };
    assert_eq!(kernel.len(), n);
    let input = noise::<T>(3 * n);
    let mut scratch = kernel.scratch();
    for direction in [Direction::Forward, Direction::Inverse] {
        let mut there = vec![elsewhere(); 3 * n];
        kernel.transform_into(direction, &input, &mut there, &mut scratch);
        are_transformed(&*kernel, direction, &input, &there);
        let mut here = input.clone();
        kernel.transform(direction, &mut here, &mut scratch);
        assert_eq!(here, there, "{kernel:?}, {direction:?}");
    }
    true
}

#[test]
fn rows_of_any_length_with_small_factors_are_transformed() {
    for isa in Isa::all() {
        for n in (1..=512).chain([625, 1000, 1024, 1440, 2048, 2187, 2400, 4096]) {
            assert_eq!(rows_are_transformed::<f64>(isa, n), smooth_part(n) == n, "{n} points");
            assert_eq!(rows_are_transformed::<f32>(isa, n), smooth_part(n) == n, "{n} points");
        }
        assert!(rows::<f64>(isa, 0).is_none());
    }
}

/// Covers the lengths that the other tests skip.
#[test]
fn rows_of_any_length_to_4096_are_transformed_in_long_checks() {
    if std::env::var_os("EARTH_LONG").is_none() {
        return;
    }
    for isa in Isa::all() {
        for n in 513..=4096 {
            assert_eq!(rows_are_transformed::<f64>(isa, n), smooth_part(n) == n, "{n} points");
            assert_eq!(rows_are_transformed::<f32>(isa, n), smooth_part(n) == n, "{n} points");
        }
    }
}

/// Checks that long rows return to their input. Each direction was compared with the definition for short
/// rows.
fn there_and_back<T: Real>(isa: Isa, n: usize) {
    let kernel = rows::<T>(isa, n).unwrap();
    let (input, mut scratch) = (noise::<T>(n), kernel.scratch());
    let mut row = input.clone();
    kernel.forward(&mut row, &mut scratch);
    for k in [0, 1, n / 3, n - 1] {
        let bin = earth_kernels::dft_bin(&[input.len()], &input, k, Direction::Forward);
        let error = relative_error(&row[k..=k], &[bin]);
        assert!(error <= 100.0 * bound::<T>(n), "{kernel:?}, output {k}: {error}");
    }
    kernel.inverse(&mut row, &mut scratch);
    scale(&mut row, T::of(1.0 / n as f64));
    let expected: Vec<_> = input.iter().map(|z| Complex::new(z.re.widen(), z.im.widen())).collect();
    let error = relative_error(&row, &expected);
    assert!(error <= 2.0 * bound::<T>(n), "{kernel:?}: {error}");
}

#[test]
fn long_rows_go_there_and_back() {
    for isa in Isa::all() {
        for n in [1 << 13, 1 << 14, 1 << 17, 3 << 15, 59_049, 100_000, 117_649, 1 << 19, 5 << 18] {
            there_and_back::<f64>(isa, n);
            there_and_back::<f32>(isa, n);
        }
    }
}

/// Checks rows at a distance, with any alignment and number: each is bitwise equal to a row alone, and the
/// points between rows stay unchanged.
fn rows_may_lie_anywhere<T: Real>(isa: Isa, n: usize) {
    let kernel = rows::<T>(isa, n).unwrap();
    for (distance, count, begin) in [(n, 1, 1), (n + 1, 3, 0), (n + 5, 17, 3), (2 * n, 40, 2)] {
        let end = begin + (count - 1) * distance + n;
        let input = noise::<T>(end + 7);
        let mut found = input.clone();
        let mut scratch = vec![elsewhere(); kernel.scratch_len() + 3];
        kernel.transform_spaced(Direction::Forward, &mut found[begin..end], distance, &mut scratch[3..]);
        let mut expected = input;
        for row in 0..count {
            let row = &mut expected[begin + row * distance..][..n];
            kernel.forward(row, &mut scratch);
        }
        assert_eq!(found, expected, "{kernel:?}, {count} rows at a distance of {distance}");
    }
}

#[test]
fn rows_at_any_place_are_the_same_to_the_bit() {
    for isa in Isa::all() {
        // One length for each method and number of lanes.
        for n in [3, 27, 60, 64, 96, 225, 256] {
            rows_may_lie_anywhere::<f64>(isa, n);
            rows_may_lie_anywhere::<f32>(isa, n);
        }
    }
}

/// Rows whose length only narrower vectors divide use these vectors.
#[test]
fn the_name_shows_the_instructions() {
    for isa in Isa::all() {
        let name = |len| rows::<f64>(isa, len).unwrap().name();
        // The first instruction set from this one on whose vectors divide 12.
        let narrow = match (isa.name(), Isa::all()[1].name()) {
            ("avx512", next @ ("avx512vl" | "avx2")) => next,
            (name, _) => name,
        };
        // Short rows have no pieces of their own with half vectors of AVX-512.
        let sorted = if isa.name() == "avx512vl" { "avx2" } else { isa.name() };
        let expected = [isa.name(), narrow, sorted].map(|isa| format!("earth-{isa}"));
        assert_eq!([name(4096), name(12), name(64)], expected);
    }
}

#[test]
fn one_plan_serves_many_threads() {
    let kernel = rows::<f64>(Isa::best(), 256).unwrap();
    let input = noise::<f64>(256);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut row = input.clone();
                kernel.forward(&mut row, &mut kernel.scratch());
                are_transformed(&*kernel, Direction::Forward, &input, &row);
            });
        }
    });
}

#[test]
#[should_panic(expected = "10 points are no whole number of rows of 4")]
fn a_part_of_a_row_is_refused() {
    let kernel = rows::<f64>(Isa::best(), 4).unwrap();
    kernel.forward(&mut noise(10), &mut kernel.scratch());
}

#[test]
#[should_panic(expected = "points where")]
fn a_short_scratch_is_refused() {
    let kernel = rows::<f64>(Isa::best(), 4096).unwrap();
    kernel.forward(&mut noise(4096), &mut noise(kernel.scratch_len() - 1));
}

#[test]
#[should_panic(expected = "another length")]
fn slices_of_different_lengths_are_refused() {
    let kernel = rows::<f64>(Isa::best(), 4).unwrap();
    kernel.transform_into(Direction::Forward, &noise(4), &mut noise(8), &mut kernel.scratch());
}

/// A plan evaluates one octant for all tables of both directions.
#[test]
fn a_plan_evaluates_an_octant() {
    for isa in Isa::all() {
        for n in [1024, 3000, 1 << 14] {
            let before = evaluated();
            let kernel = rows::<f64>(isa, n).unwrap();
            assert_eq!(evaluated() - before, n as u64 / 8 + 1, "{kernel:?}");
            let before = evaluated();
            let kernel = real::<f32>(isa, n).unwrap();
            assert_eq!(evaluated() - before, n as u64 / 8 + 1, "{kernel:?}");
        }
    }
}
