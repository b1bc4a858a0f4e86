//! The transform by the definition in several dimensions, and the indices of points.

use earth_fft::{Complex, Direction, Layout, Norm};
use earth_kernels::{Real, dft, inverse_dft};

/// Returns the transform by the definition, along one dimension after another.
pub(crate) fn expected<T: Real>(
    lengths: &[usize],
    points: &[Complex<T>],
    direction: Direction,
    norm: Norm,
) -> Vec<Complex<f64>> {
    let mut points: Vec<_> = points.iter().map(|x| Complex::new(x.re.widen(), x.im.widen())).collect();
    let total = points.len() as f64;
    for (dimension, &n) in lengths.iter().enumerate() {
        let inner: usize = lengths[dimension + 1..].iter().product();
        for first in (0..points.len()).filter(|at| (at / inner).is_multiple_of(n)) {
            let line: Vec<_> = (0..n).map(|j| points[first + j * inner]).collect();
            let line = if direction == Direction::Forward { dft(&line) } else { inverse_dft(&line) };
            for (j, value) in line.into_iter().enumerate() {
                points[first + j * inner] = value;
            }
        }
    }
    // The definition's inverse divides by the number of points.
    let divided = if direction == Direction::Forward { 1.0 } else { total };
    let factor = divided
        * match (norm, direction) {
            (Norm::Backward, Direction::Forward) | (Norm::Forward, Direction::Inverse) => 1.0,
            (Norm::Ortho, _) => 1.0 / total.sqrt(),
            (Norm::Backward, Direction::Inverse) | (Norm::Forward, Direction::Forward) => 1.0 / total,
        };
    points.into_iter().map(|x| x * factor).collect()
}

/// Returns pseudorandom numbers, equal for equal counts.
pub(crate) fn noise<T: Real>(count: usize) -> Vec<Complex<T>> {
    let mut state = count as u32;
    let mut part = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        T::of(f64::from(state >> 8) / f64::from(1 << 23) - 1.0)
    };
    (0..count).map(|_| Complex::new(part(), part())).collect()
}

/// Returns the indices of the points of all transforms, in their order.
pub(crate) fn places(lengths: &[usize], batch: usize, layout: &Layout) -> Vec<usize> {
    let mut places: Vec<_> = (0..batch).map(|at| at * layout.distance).collect();
    for (&n, &stride) in lengths.iter().zip(&layout.strides) {
        places = places.iter().flat_map(|at| (0..n).map(move |j| at + j * stride)).collect();
    }
    places
}
