//! Columns of separately stored rows: bitwise equal to the columns of a contiguous matrix; invalid rows are
//! refused.

use earth_kernels::{Direction, Real, bound, relative_error};
use earth_serial::{CallError, ColumnPlan, ComplexPlan, Layout, PlanError, Shape, ShapeError};
use num_complex::Complex;
use snapbox::{assert_data_eq, str};

use crate::common::{Of, expected, noise};

/// Returns the transpose of a matrix with rows of `columns` points.
fn transposed<T: Copy>(matrix: &[T], columns: usize) -> Vec<T> {
    (0..columns).flat_map(|column| matrix[column..].iter().step_by(columns)).copied().collect()
}

fn are_right<T: Real>(of: Of, len: usize, columns: usize) {
    let plan = ColumnPlan::<T>::new(len, &of).unwrap();
    let points = noise::<T>(len * columns);
    let mut scratch = noise(plan.scratch_len());
    let lines = Shape::new(&[len]).batch(columns);
    for direction in [Direction::Forward, Direction::Inverse] {
        let mut rows: Vec<_> = points.chunks(columns).rev().map(<[_]>::to_vec).collect();
        let mut slices: Vec<_> = rows.iter_mut().rev().map(|row| &mut row[..]).collect();
        plan.process(direction, &mut slices, &mut scratch).unwrap();
        let found: Vec<_> = rows.into_iter().rev().flatten().collect();
        let wanted = expected(&lines, &transposed(&points, columns), direction);
        let error = relative_error(&transposed(&found, columns), &wanted);
        assert!(error <= bound::<T>(len), "{plan}, {columns} of them, {direction:?}: {error}");

        // Compare with the pass of a plan for whole arrays, if it also uses a column kernel.
        let layout = Layout { strides: vec![columns], distance: 1 };
        let whole = ComplexPlan::<T>::new(&lines, &layout, &layout, &of).unwrap();
        if whole.to_string().contains(&plan.to_string()) {
            let mut matrix = points.clone();
            whole.process(direction, T::one(), &mut matrix, &mut noise(whole.scratch_len())).unwrap();
            assert_eq!(matrix, found, "{plan}, {columns} of them, {direction:?}");
        }
    }
}

#[test]
fn columns_of_every_length_and_number_are_right() {
    for of in Of::all() {
        for len in (1..=24).chain([31, 64, 97, 120, 256]) {
            for columns in [1, 3, 8, 37] {
                are_right::<f32>(of, len, columns);
                are_right::<f64>(of, len, columns);
            }
        }
        are_right::<f64>(of, 34, 400);
        are_right::<f64>(of, 24, 400);
    }
}

#[test]
fn rows_that_are_no_matrix_are_refused() {
    let plan = ColumnPlan::<f64>::new(4, &Of::RustFft).unwrap();
    let process = |points: &mut [Complex<f64>], columns: usize, less: usize| {
        let mut scratch = noise(plan.scratch_len() - less);
        let mut rows: Vec<_> = points.chunks_mut(columns).collect();
        plan.process(Direction::Forward, &mut rows, &mut scratch)
    };
    let before = noise::<f64>(8);
    let mut points = before.clone();
    assert_eq!(process(&mut points, 4, 0), Err(CallError::Rows { given: 2, needed: 4 }));
    assert_eq!(process(&mut points[..7], 2, 0), Err(CallError::Uneven { row: 3, given: 1, needed: 2 }));
    let needed = plan.scratch_len();
    assert_eq!(process(&mut points, 2, 1), Err(CallError::Scratch { given: needed - 1, needed }));
    assert_eq!(points, before);
    assert_eq!(process(&mut points, 2, 0), Ok(()));
    let refused = ColumnPlan::<f64>::new(0, &Of::RustFft).unwrap_err();
    assert_eq!(refused, PlanError::Shape(ShapeError::NoPoints(0)));
    assert_data_eq!(CallError::Rows { given: 2, needed: 4 }.to_string(), str!["2 rows where 4 are needed"]);
    let uneven = CallError::Uneven { row: 3, given: 1, needed: 2 };
    assert_data_eq!(uneven.to_string(), str!["row 3 has 1 points where 2 are needed"]);
}

#[test]
fn no_columns_need_no_points() {
    for of in Of::all() {
        let plan = ColumnPlan::<f64>::new(3, &of).unwrap();
        let mut scratch = noise(plan.scratch_len());
        let mut rows: [&mut [Complex<f64>]; 3] = [&mut [], &mut [], &mut []];
        assert_eq!(plan.process(Direction::Forward, &mut rows, &mut scratch), Ok(()));
    }
}
