//! Signals that are products of lines, one per dimension. Their spectra are the products of the lines'
//! spectra, which are computed by the definition. Products span all signals, so any error of a linear map
//! shows on some product of noise.

use std::fmt::Display;

use earth_fft::{Complex, Direction, Norm, Precision};
use earth_kernels::{Real, bound, dft, inverse_dft, relative_error};

pub(crate) const NORMS: [Norm; 3] = [Norm::Backward, Norm::Ortho, Norm::Forward];

/// A line of noise and its unscaled transforms.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) points: Vec<Complex<f64>>,
    pub(crate) forward: Vec<Complex<f64>>,
    pub(crate) inverse: Vec<Complex<f64>>,
}

impl Line {
    fn of(points: Vec<Complex<f64>>) -> Self {
        let n = points.len() as f64;
        let inverse = inverse_dft(&points).into_iter().map(|x| x * n).collect();
        Self { forward: dft(&points), inverse, points }
    }

    pub(crate) fn complex(n: usize) -> Self {
        Self::of(earth_tests::noise(n, n as u64))
    }

    pub(crate) fn real(n: usize) -> Self {
        let noise: Vec<Complex<f64>> = earth_tests::noise(n, 1000 + n as u64);
        Self::of(noise.into_iter().map(|x| Complex::from(x.re)).collect())
    }

    /// Creates the line of a batch: a dimension of real numbers that is not transformed.
    pub(crate) fn batch(n: usize) -> Self {
        let points = Self::real(n).points;
        Self { forward: points.clone(), inverse: points.clone(), points }
    }
}

/// Returns the product of lines. The last dimension has `last` elements.
pub(crate) fn product<'a>(
    lines: impl Iterator<Item = &'a Vec<Complex<f64>>>,
    last: usize,
) -> Vec<Complex<f64>> {
    let mut lines: Vec<_> = lines.map(|line| &line[..]).collect();
    if let Some(line) = lines.last_mut() {
        *line = &line[..last];
    }
    lines.into_iter().fold(vec![Complex::from(1.0)], |product, line| {
        product.iter().flat_map(|x| line.iter().map(move |y| x * y)).collect()
    })
}

pub(crate) fn narrow<T: Real>(points: &[Complex<f64>]) -> Vec<Complex<T>> {
    points.iter().map(|x| Complex::new(T::of(x.re), T::of(x.im))).collect()
}

pub(crate) fn real_parts<T: Real>(points: &[Complex<f64>]) -> Vec<T> {
    points.iter().map(|x| T::of(x.re)).collect()
}

pub(crate) fn as_points<T: Real>(numbers: &[T]) -> Vec<Complex<T>> {
    numbers.iter().map(|x| Complex::new(*x, T::zero())).collect()
}

/// Returns the factor of a transform of `points` points.
pub(crate) fn factor(norm: Norm, direction: Direction, points: usize) -> f64 {
    match (norm, direction) {
        (Norm::Backward, Direction::Inverse) | (Norm::Forward, Direction::Forward) => 1.0 / points as f64,
        (Norm::Ortho, _) => 1.0 / (points as f64).sqrt(),
        _ => 1.0,
    }
}

/// Checks that the transforms of `points` points that a plan computed are the expected values times the
/// factor.
#[track_caller]
pub(crate) fn check<T: Precision>(
    plan: &impl Display,
    points: usize,
    found: &[Complex<T>],
    expected: &[Complex<f64>],
    factor: f64,
) {
    let expected: Vec<_> = expected.iter().map(|x| x * factor).collect();
    let error = relative_error(found, &expected);
    assert!(error <= bound::<T>(points), "{plan}\n{error}");
}
