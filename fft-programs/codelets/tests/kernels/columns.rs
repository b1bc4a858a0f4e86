//! Columns of a matrix, and rows that become columns, compared with the definition, for every instruction set
//! of the machine.

use earth_codelets::{Isa, columns, turned};
use earth_kernels::{
    Direction, Matrix, MatrixMut, Real, bound, dft, inverse_dft, relative_error, scale, twiddle,
};
use num_complex::Complex;

use crate::common::{elsewhere, noise};

fn column<T: Copy>(matrix: &[T], leading: usize, column: usize) -> Vec<T> {
    matrix[column..].iter().step_by(leading).copied().collect()
}

/// Transforms the first `count` columns of a matrix, in place and out of place. The matrix has any alignment
/// and ends with its last used point. Points beside the columns must stay unchanged.
fn columns_are_transformed<T: Real>(isa: Isa, n: usize, count: usize, leading: usize) {
    let kernel = columns::<T>(isa, n).unwrap();
    assert_eq!((kernel.name(), kernel.len()), (&*format!("earth-{}", isa.name()), n));
    let points = (n - 1) * leading + count;
    let input = &noise::<T>(points + 1)[1..];
    let mut scratch = kernel.scratch();
    for direction in [Direction::Forward, Direction::Inverse] {
        let mut here = input.to_vec();
        let to = MatrixMut::Spaced { points: &mut here, distance: leading };
        kernel.transform(direction, None, to, count, &mut scratch);
        for at in 0..leading.min(points) {
            let (mut found, input) = (column(&here, leading, at), column(input, leading, at));
            if at >= count {
                assert_eq!(found, input, "{kernel:?}, beside the columns");
                continue;
            }
            let expected = match direction {
                Direction::Forward => dft(&input),
                Direction::Inverse => {
                    scale(&mut found, T::of(1.0 / n as f64));
                    inverse_dft(&input)
                }
            };
            let error = relative_error(&found, &expected);
            assert!(error <= bound::<T>(n), "{kernel:?}, column {at} of {count}, {direction:?}: {error}");
        }
        let mut there = vec![elsewhere(); n * (count + 2)];
        let from = Matrix::Spaced { points: input, distance: leading };
        let to = MatrixMut::Spaced { points: &mut there, distance: count + 2 };
        kernel.transform(direction, Some(from), to, count, &mut scratch);
        for (row, there) in there.chunks(count + 2).enumerate() {
            assert_eq!(there[..count], here[row * leading..][..count], "{kernel:?}, row {row}");
            assert_eq!(there[count..], [elsewhere(); 2], "{kernel:?}, beside row {row}");
        }
        // Separately stored rows, the last one first in memory, in place and out of place.
        let row = |row: usize| input[row * leading..][..count].to_vec();
        let mut rows: Vec<_> = (0..n).rev().map(row).collect();
        let mut slices: Vec<_> = rows.iter_mut().rev().map(|row| &mut row[..]).collect();
        kernel.transform(direction, None, MatrixMut::Rows(&mut slices), count, &mut scratch);
        for (row, found) in rows.iter().rev().enumerate() {
            assert_eq!(found[..], here[row * leading..][..count], "{kernel:?}, row {row} by itself");
        }
        let from: Vec<_> = (0..n).map(|row| &input[row * leading..][..count]).collect();
        let mut to: Vec<_> = (0..n).map(|_| vec![elsewhere(); count]).collect();
        let mut slices: Vec<_> = to.iter_mut().map(|row| &mut row[..]).collect();
        let from = Some(Matrix::Rows(&from));
        kernel.transform(direction, from, MatrixMut::Rows(&mut slices), count, &mut scratch);
        assert_eq!(to, rows.into_iter().rev().collect::<Vec<_>>(), "{kernel:?}, from rows to rows");
    }
}

#[test]
fn columns_of_every_radix_are_transformed() {
    for isa in Isa::all() {
        for n in
            [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 15, 16, 21, 32, 45, 121, 143, 64, 128, 210, 243, 256, 1024]
        {
            for (count, leading) in [(1, 1), (5, 5), (8, 11), (37, 40)] {
                columns_are_transformed::<f64>(isa, n, count, leading);
                columns_are_transformed::<f32>(isa, n, count, leading);
            }
        }
        // Strips of all widths; the first one ends at a cache line.
        for n in [1, 6, 64] {
            columns_are_transformed::<f64>(isa, n, 299, 301);
            columns_are_transformed::<f32>(isa, n, 299, 300);
        }
        assert!(columns::<f64>(isa, 17).is_none() && columns::<f32>(isa, 0).is_none());
    }
}

/// Matrix that does not fit into the caches, because its rows are far apart.
struct Far<T> {
    points: Vec<Complex<T>>,
    leading: usize,
    begin: usize,
}

impl<T: Real> Far<T> {
    /// Creates rows of zeros that begin `offset` points after a cache line.
    fn new(rows: usize, offset: usize) -> Self {
        let leading = ((5 << 20) / size_of::<Complex<T>>() / (rows - 1)).next_multiple_of(64) + 8;
        let points = vec![Complex::new(T::zero(), T::zero()); leading * rows + 64];
        Self { leading, begin: points.as_ptr().align_offset(64) + offset, points }
    }

    /// Returns the first `count` points of each row.
    fn rows(&mut self, count: usize) -> Vec<&mut [Complex<T>]> {
        self.points[self.begin..]
            .chunks_exact_mut(self.leading)
            .map(|row| row.split_at_mut(count).0)
            .collect()
    }

    /// Returns whether all points are zeros except the first `count` of each row.
    fn is_zero_beside(&self, count: usize) -> bool {
        let zero = Complex::new(T::zero(), T::zero());
        let (before, rows) = self.points.split_at(self.begin);
        before.iter().all(|z| *z == zero)
            && rows.chunks(self.leading).all(|row| row.iter().skip(count).all(|z| *z == zero))
    }
}

/// Checks that columns and rows of matrices larger than the caches are bitwise equal to those in the caches,
/// at any offset of rows in a cache line.
fn far_matrices_are_transformed_alike<T: Real>(isa: Isa, n: usize, offset: usize) {
    let (kernel, count) = (columns::<T>(isa, n).unwrap(), 75);
    let (input, mut scratch) = (noise::<T>(n * count), kernel.scratch());
    let mut expected = input.clone();
    let matrix = MatrixMut::Spaced { points: &mut expected, distance: count };
    kernel.transform(Direction::Forward, None, matrix, count, &mut scratch);
    let [mut here, mut there] = [0, 3].map(|more| Far::<T>::new(n, (offset + more) % 4));
    here.rows(count).iter_mut().zip(input.chunks(count)).for_each(|(row, from)| row.copy_from_slice(from));
    let from = here.rows(count);
    let from: Vec<_> = from.iter().map(|row| &**row).collect();
    // One transform by the widest strips, and one with a scratch of the minimum length.
    let mut long = vec![elsewhere(); kernel.scratch_len_of(64 << 20)];
    let (from, mut to) = (Matrix::Rows(&from), there.rows(count));
    kernel.transform(Direction::Forward, Some(from), MatrixMut::Rows(&mut to), count, &mut long);
    let mut rows = here.rows(count);
    kernel.transform(Direction::Forward, None, MatrixMut::Rows(&mut rows), count, &mut scratch);
    for far in [&mut here, &mut there] {
        assert!(far.is_zero_beside(count), "{kernel:?}, {offset} points from a line");
        for (row, expected) in far.rows(count).iter().zip(expected.chunks(count)) {
            assert_eq!(row[..], *expected, "{kernel:?}, {offset} points from a line");
        }
    }

    let kernel = turned::<T>(isa, n, count).unwrap();
    let mut scratch = kernel.scratch();
    let from: Vec<_> = input.chunks(n).collect();
    let mut to: Vec<_> = expected.chunks_mut(count).collect();
    kernel.transform(Direction::Forward, T::of(0.5), 0, &from, &mut to, &mut scratch);
    let mut far_from = Far::<T>::new(count, offset);
    far_from.rows(n).iter_mut().zip(&from).for_each(|(row, from)| row.copy_from_slice(from));
    let from = far_from.rows(n);
    let from: Vec<_> = from.iter().map(|row| &**row).collect();
    let mut far_to = Far::<T>::new(n, offset);
    kernel.transform(Direction::Forward, T::of(0.5), 0, &from, &mut far_to.rows(count), &mut scratch);
    assert!(far_to.is_zero_beside(count), "{kernel:?}, {offset} points from a line");
    for (row, expected) in far_to.rows(count).iter().zip(expected.chunks(count)) {
        assert_eq!(row[..], *expected, "{kernel:?}, {offset} points from a line");
    }
}

#[test]
fn matrices_larger_than_the_caches_are_bitwise_equal() {
    for isa in Isa::all() {
        for (n, offset) in [(6, 0), (64, 1), (256, 2), (1024, 0), (1024, 3)] {
            far_matrices_are_transformed_alike::<f64>(isa, n, offset);
            far_matrices_are_transformed_alike::<f32>(isa, n, offset);
        }
    }
}

fn refused(points: usize, leading: usize, count: usize, scratch: usize) {
    let kernel = columns::<f64>(Isa::best(), 4).unwrap();
    let scratch = &mut vec![Complex::new(0.0, 0.0); kernel.scratch_len() - scratch];
    let matrix = MatrixMut::Spaced { points: &mut noise(points), distance: leading };
    kernel.transform(Direction::Forward, None, matrix, count, scratch);
}

#[test]
fn no_columns_need_no_points() {
    refused(0, 3, 0, 0);
}

#[test]
#[should_panic(expected = "rows of 4 points overlap when they begin 3 points apart")]
fn rows_that_overlap_are_refused() {
    refused(16, 3, 4, 0);
}

#[test]
#[should_panic(expected = "17 points are no 4 rows of 3 that begin 5 points apart")]
fn a_part_of_a_matrix_is_refused() {
    refused(17, 5, 3, 0);
}

#[test]
#[should_panic(expected = "points where")]
fn a_short_scratch_is_refused() {
    refused(16, 4, 4, 1);
}

#[test]
#[should_panic(expected = "the number of rows is not the length of a column")]
fn other_rows_than_a_column_has_points_are_refused() {
    let kernel = columns::<f64>(Isa::best(), 4).unwrap();
    let mut points = noise(3);
    let mut rows: Vec<_> = points.chunks_mut(1).collect();
    kernel.transform(Direction::Forward, None, MatrixMut::Rows(&mut rows), 1, &mut kernel.scratch());
}

#[test]
#[should_panic(expected = "rows of one matrix have one length")]
fn rows_of_different_lengths_are_refused() {
    let kernel = columns::<f64>(Isa::best(), 4).unwrap();
    let mut points = noise(7);
    let mut rows: Vec<_> = points.chunks_mut(2).collect();
    kernel.transform(Direction::Forward, None, MatrixMut::Rows(&mut rows), 2, &mut kernel.scratch());
}

/// Transforms some separately stored rows of a matrix into columns of separately stored rows. Points beside
/// them must stay unchanged.
fn rows_become_columns<T: Real>(isa: Isa, [rows, len]: [usize; 2], first: usize, count: usize) {
    let kernel = turned::<T>(isa, len, rows).unwrap();
    assert_eq!((kernel.name(), kernel.len(), kernel.rows()), (&*format!("earth-{}", isa.name()), len, rows));
    let input = noise::<T>(count * (len + 3));
    let input: Vec<_> = input.chunks(len + 3).map(|row| &row[1..=len]).collect();
    for direction in [Direction::Forward, Direction::Inverse] {
        let mut output = vec![elsewhere(); len * (count + 2)];
        let mut to: Vec<_> = output.chunks_mut(count + 2).map(|row| &mut row[1..=count]).collect();
        kernel.transform(direction, T::of(0.5), first, &input, &mut to, &mut kernel.scratch());
        for (row, points) in input.iter().enumerate() {
            let root = |column: usize| {
                let root: Complex<f64> = twiddle((first + row) * column, rows * len);
                if direction == Direction::Forward { root } else { root.conj() }
            };
            let points = points.iter().enumerate();
            let points: Vec<_> =
                points.map(|(j, z)| Complex::new(z.re.widen(), z.im.widen()) * root(j) / 2.0).collect();
            let mut found: Vec<_> = output.chunks(count + 2).map(|to| to[1 + row]).collect();
            let expected = match direction {
                Direction::Forward => dft(&points),
                Direction::Inverse => {
                    scale(&mut found, T::of(1.0 / len as f64));
                    inverse_dft(&points)
                }
            };
            let error = relative_error(&found, &expected);
            assert!(
                error <= bound::<T>(len),
                "{kernel:?}, row {row} from {first} on, {direction:?}: {error}"
            );
        }
        assert!(
            output.chunks(count + 2).all(|row| [row[0], row[1 + count]] == [elsewhere(); 2]),
            "{kernel:?}"
        );
    }
}

#[test]
fn rows_of_every_radix_become_columns() {
    for isa in Isa::all() {
        for len in
            [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 15, 16, 21, 32, 45, 121, 143, 64, 128, 210, 243, 256, 1024]
        {
            // Several strips with an incomplete last group, for short rows only, whose definition takes less
            // time.
            let most = if len > 64 { 9 } else { 35 };
            for (rows, first, count) in [(1, 0, 1), (40, 40 - most, most), (8, 8, 0)] {
                rows_become_columns::<f64>(isa, [rows, len], first, count);
                rows_become_columns::<f32>(isa, [rows, len], first, count);
            }
        }
        assert!(turned::<f64>(isa, 17, 8).is_none() && turned::<f32>(isa, 8, 0).is_none());
        assert!(turned::<f64>(isa, 1 << 27, 1 << 26).is_none());
    }
}

fn turned_otherwise(first: usize, len: usize, [result_rows, result_columns]: [usize; 2], scratch: usize) {
    let kernel = turned::<f64>(Isa::best(), 4, 6).unwrap();
    let points = noise(2 * len);
    let from: Vec<_> = points.chunks(len).collect();
    let mut result = noise(result_rows * result_columns);
    let mut to: Vec<_> = result.chunks_mut(result_columns).collect();
    let scratch = &mut vec![Complex::new(0.0, 0.0); kernel.scratch_len() - scratch];
    kernel.transform(Direction::Forward, 1.0, first, &from, &mut to, scratch);
}

#[test]
#[should_panic(expected = "2 rows from row 5 on of a matrix of 6")]
fn rows_that_the_matrix_has_not_are_refused() {
    turned_otherwise(5, 4, [4, 2], 0);
}

#[test]
#[should_panic(expected = "rows of another length than 4")]
fn rows_of_another_length_are_refused() {
    turned_otherwise(0, 3, [4, 2], 0);
}

#[test]
#[should_panic(expected = "the result does not have a row for each point of an input row")]
fn a_result_of_other_rows_is_refused() {
    turned_otherwise(0, 4, [3, 2], 0);
}

#[test]
#[should_panic(expected = "the result does not have a column for each input row")]
fn a_result_of_other_columns_is_refused() {
    turned_otherwise(0, 4, [4, 3], 0);
}

#[test]
#[should_panic(expected = "points where")]
fn a_short_scratch_for_rows_is_refused() {
    turned_otherwise(0, 4, [4, 2], 1);
}
