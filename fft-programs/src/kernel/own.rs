//! The choice of the project's kernel for rows of any length, by the length alone.
//!
//! 1. [Stages](earth_codelets::rows()) of small radices, where they [pay](earth_codelets::pays).
//! 2. rustfft for other products of small primes, for lengths below [`SHORT`] with both small and large
//!    primes, below [`FEW`], and without vector instructions.
//! 3. [`Composite`] for a length with small primes and a factor of at least [`SHORT`]: columns by stages,
//!    rows by the kernel of that factor. From [`LONG`] on rustfft, whose plan takes as long as 1 to 2
//!    transforms there.
//! 4. [`Rader`] for a prime, if there are stages for the length minus one.
//! 5. [`Chirp`] (Bluestein) for other products of large primes.
//!
//! *Cost.* rustfft calls sine and cosine for each factor of its tables. Measured with AVX2, its plan takes as
//! long as 2 to 6 transforms in double precision and 3 to 11 in single precision. The other plans take as
//! long as 1 to 4 transforms. So a length with small primes and a factor below [`SHORT`] is composite in
//! single precision: its plan takes as long as 1 to 3 transforms instead of 3 to 5, though a transform takes
//! 1.1 to 1.3 times as long.

use std::sync::Arc;

use earth_codelets::{Chirp, Composite, Isa, Rader, pays, smooth_part};
use earth_kernels::{Real, RowKernel, prime_factors};
use earth_rustfft::RustFft;

/// Shorter rows without stages are transformed by rustfft, whose butterflies are faster there.
const SHORT: usize = 1 << 10;

/// Shorter rows with large primes alone are faster by rustfft.
const FEW: usize = 64;

/// Longer rows are faster by rustfft than by composite kernels.
const LONG: usize = 1 << 17;

/// The largest prime with a butterfly in rustfft.
const BUTTERFLIES: usize = 31;

/// Returns rustfft's kernel for rows of `len` points. It uses no vector instructions if the project's own
/// kernels use none.
pub(super) fn rustfft<T: Real>(len: usize) -> RustFft<T> {
    if Isa::best().name() == "portable" { RustFft::scalar(len) } else { RustFft::new(len) }
}

/// Returns the kernel for rows of `len` points.
///
/// # Panics
///
/// If `len` is 0.
pub fn own_rows<T: Real>(len: usize) -> Arc<dyn RowKernel<T>> {
    let isa = Isa::best();
    let by_stages = |len| if pays::<T>(isa, len) { earth_codelets::rows::<T>(isa, len) } else { None };
    if let Some(rows) = by_stages(len) {
        return rows;
    }
    let smooth = smooth_part(len);
    let few = || smooth < 4 && prime_factors(len).iter().all(|prime| *prime <= BUTTERFLIES);
    if len < if smooth > 1 { SHORT } else { FEW } || smooth == len || !pays::<T>(isa, SHORT) || few() {
        return Arc::new(rustfft(len));
    }
    if smooth > 1 {
        let rest = len / smooth;
        let pays = len < LONG && (rest >= SHORT || size_of::<T>() == 4);
        return match earth_codelets::columns(isa, smooth).filter(|_| pays) {
            Some(columns) => Arc::new(Composite::new(columns, own_rows(rest))),
            None => Arc::new(rustfft(len)),
        };
    }
    if Rader::<T>::is_for(len)
        && let Some(through) = by_stages(len - 1)
    {
        return Arc::new(Rader::new(through));
    }
    match by_stages(Chirp::<T>::usual(len)) {
        Some(through) => Arc::new(Chirp::new(len, through)),
        None => Arc::new(rustfft(len)),
    }
}

#[cfg(test)]
mod tests {
    use earth_kernels::{Direction, bound, relative_error};
    use num_complex::Complex;

    use super::*;

    /// Returns the kernel names of a length in double and in single precision. Stages of all instructions are
    /// named `earth`.
    fn names(len: usize) -> [&'static str; 2] {
        let names = [own_rows::<f64>(len).name(), own_rows::<f32>(len).name()];
        names.map(|name| if name.starts_with("earth-") { "earth" } else { name })
    }

    #[test]
    fn a_length_has_the_kernel_that_pays() {
        let with_vectors = [
            (1, ["rustfft"; 2]),
            (36, ["rustfft"; 2]),
            (61, ["rustfft"; 2]),
            (100, ["earth"; 2]),
            (210, ["earth"; 2]),
            (254, ["rustfft"; 2]),
            (71, ["rader"; 2]),
            (1021, ["chirp"; 2]),
            (1024, ["earth"; 2]),
            (3000, ["earth"; 2]),
            (11_264, ["earth"; 2]),
            // 23^3
            (12_167, ["rustfft"; 2]),
            (1031, ["chirp"; 2]),
            (1153, ["rader"; 2]),
            // 2 x 1031
            (2062, ["composite"; 2]),
            // 2^8 x 17
            (4352, ["rustfft", "composite"]),
            // 27 x 37,037
            (999_999, ["rustfft"; 2]),
        ];
        for (len, expected) in with_vectors {
            let expected = if Isa::best().name() == "portable" { ["rustfft"; 2] } else { expected };
            assert_eq!(names(len), expected, "{len} points");
        }
    }

    /// Checks lengths that no vector length divides, where the precision decides which lengths pay.
    #[test]
    fn a_length_that_vectors_do_not_divide_has_the_kernel_that_pays() {
        let (lengths, expected) = match Isa::best().name() {
            "avx512" => (
                &[24, 81, 144, 256, 729, 2197, 500, 1500, 1512, 2187, 2250, 3375, 9450][..],
                [
                    &[false, true, true, true, true, false, true, true, true, true, true, true, true][..],
                    &[false, false, true, true, true, false, true, true, true, true, true, true, true],
                ],
            ),
            "avx2" => (
                &[27, 81, 144, 256, 729, 500, 1500, 2187, 2197, 3969, 4375, 19_683][..],
                [
                    &[false, true, true, true, true, true, true, true, true, true, true, false][..],
                    &[false, false, true, true, true, true, true, true, true, true, true, true],
                ],
            ),
            _ => return,
        };
        let found = [0, 1]
            .map(|precision| lengths.iter().map(|len| names(*len)[precision] == "earth").collect::<Vec<_>>());
        assert_eq!(found, expected.map(<[bool]>::to_vec));
    }

    fn are_transforms<T: Real>(len: usize) {
        let point = |j: usize| Complex::new(T::of((j % 7) as f64 - 3.0), T::of((j % 5) as f64));
        let input: Vec<_> = (0..len).map(point).collect();
        let expected: Vec<_> = {
            let wide = |x: &Complex<T>| Complex::new(x.re.widen(), x.im.widen());
            let (rustfft, mut row) = (RustFft::<f64>::new(len), input.iter().map(wide).collect::<Vec<_>>());
            rustfft.forward(&mut row, &mut rustfft.scratch());
            row
        };
        let own = own_rows::<T>(len);
        let mut row = input.clone();
        own.transform(Direction::Forward, &mut row, &mut own.scratch());
        let error = relative_error(&row, &expected);
        assert!(error <= 2.0 * bound::<T>(len), "{own:?}: {error}");
    }

    #[test]
    fn long_rows_of_all_kernels_are_transforms() {
        for len in [1031, 1153, 2062, 4352, 12_289, 20_014, 40_009] {
            are_transforms::<f32>(len);
            are_transforms::<f64>(len);
        }
    }
}
