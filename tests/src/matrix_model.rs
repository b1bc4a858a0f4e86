//! The two-dimensional FFT in one thread: the bitwise reference for the parallel programs.
//!
//! The model transforms rows, transposes, transforms rows and transposes, with the row kernels of the program
//! under test. A transpose rounds nothing, so the bits do not depend on how a program cuts the matrix into
//! tiles. The model itself is tested against the definition. With kernels in double precision it is also the
//! fast reference for matrices of any size.
//!
//! *Cost.* A second matrix, and a stride of a whole row in each transpose. The model is a reference and not
//! meant to be fast.

use earth_kernels::{Direction, Real, RowKernel, scale};
use num_complex::Complex;

/// Transforms a row-major matrix into natural order; the inverse is divided by the number of points. `along`
/// transforms its rows, so its length is the number of columns. `across` transforms its columns.
///
/// # Panics
///
/// If the number of points is not the product of the lengths of both kernels.
pub fn matrix_model<T: Real>(
    direction: Direction,
    along: &dyn RowKernel<T>,
    across: &dyn RowKernel<T>,
    matrix: &[Complex<T>],
) -> Vec<Complex<T>> {
    let (rows, cols) = (across.len(), along.len());
    assert_eq!(matrix.len(), rows * cols, "the points of a matrix of {rows} x {cols}");
    let mut matrix = matrix.to_vec();
    along.transform(direction, &mut matrix, &mut along.scratch());
    let mut columns = transposed(&matrix, cols);
    across.transform(direction, &mut columns, &mut across.scratch());
    if direction == Direction::Inverse {
        scale(&mut columns, T::of(1.0 / matrix.len() as f64));
    }
    transposed(&columns, rows)
}

/// Transposes a matrix whose rows have `cols` points.
fn transposed<T: Real>(matrix: &[Complex<T>], cols: usize) -> Vec<Complex<T>> {
    (0..cols).flat_map(|column| matrix.iter().skip(column).step_by(cols)).copied().collect()
}

#[cfg(test)]
mod tests {
    use earth_kernels::{bound, dft_nd, relative_error};
    use earth_rustfft::RustFft;

    use super::*;
    use crate::noise::noise;

    fn it_is_the_definition<T: Real>() {
        for (rows, cols) in [(1, 1), (1, 9), (9, 1), (2, 3), (5, 4), (16, 16), (13, 31), (64, 12)] {
            let matrix = noise::<T>(rows * cols, 1);
            let (along, across) = (RustFft::<T>::new(cols), RustFft::<T>::new(rows));
            for direction in [Direction::Forward, Direction::Inverse] {
                let expected = dft_nd(&[rows, cols], &matrix, direction);
                let found = matrix_model(direction, &along, &across, &matrix);
                let error = relative_error(&found, &expected);
                assert!(error <= bound::<T>(rows * cols), "{rows} x {cols}, {direction:?}: {error}");
            }
        }
    }

    #[test]
    fn it_is_the_definition_in_both_precisions() {
        it_is_the_definition::<f32>();
        it_is_the_definition::<f64>();
    }
}
