//! The two-dimensional FFT in one thread: what the parallel programs are to compute, to the bit.
//!
//! Rows, transpose, rows, transpose, with the row kernels that a program uses. A transpose rounds nothing, so
//! a program may cut the matrix into whatever tiles it likes and still gives the very bits of this model; and
//! the model is tested against the definition. With kernels in double precision it is also the fast reference
//! for matrices of any size.
//!
//! *Cost.* A second matrix, and a stride of a whole row in each transpose: a reference, not a contender.

use earth_kernels::{Direction, Real, RowKernel, scale};
use num_complex::Complex;

/// The transform of a matrix, given row by row, in natural order, the inverse divided by the
/// number of points. `along` transforms its rows, so it is for as many points as there are
/// columns; `across` its columns.
///
/// # Panics
///
/// If there are not as many points as the lengths of both kernels multiply to.
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

/// The transpose of a matrix of rows of `cols` points.
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
