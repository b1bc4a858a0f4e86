//! Rows, against the definition.

use earth_codelets::{Isa, rows};
use earth_kernels::{Direction, Real, bound, dft, inverse_dft, relative_error, scale};
use num_complex::Complex;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt as _, SeedableRng as _};

/// `n` points in -1..1, always the same ones.
fn noise<T: Real>(n: usize) -> Vec<Complex<T>> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(n as u64);
    let mut part = || T::of(random.random_range(-1.0..1.0));
    (0..n).map(|_| Complex::new(part(), part())).collect()
}

/// Three rows at once, each against the definition.
fn rows_are_transformed<T: Real>(isa: Isa, n: usize) -> bool {
    let Some(kernel) = rows::<T>(isa, n) else { return false };
    assert_eq!((kernel.name(), kernel.len()), ("earth", n));
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
            assert!(error <= bound::<T>(n), "{kernel:?} {} points in {}, {direction:?}: {error}", n, T::NAME);
        }
    }
    true
}

#[test]
fn rows_of_any_length_are_transformed() {
    for isa in Isa::all() {
        let mut count = 0;
        for n in (1..=512).chain([1024, 2048, 4096]) {
            count += usize::from(rows_are_transformed::<f64>(isa, n));
            count += usize::from(rows_are_transformed::<f32>(isa, n));
        }
        println!("{} {count}", isa.name());
    }
}
