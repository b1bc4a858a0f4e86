//! Long transforms in two passes, columns and then rows that become columns, compared with the definition;
//! and refused calls.

use earth_kernels::{Direction, Real, bound, relative_error};
use earth_serial::{CallError, ColumnPlan, PlanError, Shape, ShapeError, TransposingPlan};
use num_complex::Complex;

use crate::common::{Of, expected, noise};

/// Transforms `rows * len` points in two passes: the columns out of place, and the rows in two parts, all as
/// separate slices.
fn are_right<T: Real>(of: Of, rows: usize, len: usize) {
    for nested in [false, true] {
        let plan = if nested { TransposingPlan::nested } else { TransposingPlan::new };
        with_rows_are_right::<T>(of, &plan(len, rows, &of).unwrap(), rows, len);
    }
}

fn with_rows_are_right<T: Real>(of: Of, turned: &TransposingPlan<T>, rows: usize, len: usize) {
    let columns = ColumnPlan::<T>::new(rows, &of).unwrap();
    let points = noise::<T>(rows * len);
    let mut scratch = noise(columns.scratch_len().max(turned.scratch_len()));
    for direction in [Direction::Forward, Direction::Inverse] {
        let from: Vec<_> = points.chunks(len).collect();
        let mut aside = noise::<T>(rows * (len + 1));
        let mut to: Vec<_> = aside.chunks_mut(len + 1).map(|row| &mut row[..len]).collect();
        columns.process_into(direction, &from, &mut to, &mut scratch).unwrap();
        let from: Vec<_> = aside.chunks(len + 1).map(|row| &row[..len]).collect();
        let mut found = noise::<T>(rows * len);
        let parted = rows / 3;
        let (mut left, mut right): (Vec<_>, Vec<_>) =
            found.chunks_mut(rows).map(|row| row.split_at_mut(parted)).unzip();
        let factor = T::of(0.25);
        turned.process(direction, factor, 0, &from[..parted], &mut left, &mut scratch).unwrap();
        turned.process(direction, factor, parted, &from[parted..], &mut right, &mut scratch).unwrap();
        let line = Shape::new(&[rows * len]);
        let wanted: Vec<_> = expected(&line, &points, direction).iter().map(|x| x / 4.0).collect();
        let error = relative_error(&found, &wanted);
        assert!(error <= bound::<T>(rows * len), "{columns}, {turned}, {direction:?}: {error}");
    }
}

#[test]
fn long_transforms_in_two_passes_are_right() {
    for of in Of::all() {
        for rows in (1..=9).chain([11, 16, 45]) {
            for len in (1..=9).chain([13, 24, 32, 50]) {
                are_right::<f32>(of, rows, len);
                are_right::<f64>(of, rows, len);
            }
        }
    }
}

#[test]
fn parts_outside_of_the_matrix_are_refused() {
    for of in [Of::RustFft, Of::Own(earth_codelets::Isa::best())] {
        let plan = TransposingPlan::<f64>::new(4, 6, &of).unwrap();
        let process = |first: usize, len: usize, result: [usize; 2], less: usize| {
            let points = noise::<f64>(2 * len);
            let from: Vec<_> = points.chunks(len).collect();
            let before = noise::<f64>(result[0] * result[1]);
            let mut after = before.clone();
            let mut to: Vec<_> = after.chunks_mut(result[1]).collect();
            let mut scratch = noise(plan.scratch_len() - less);
            let done = plan.process(Direction::Forward, 1.0, first, &from, &mut to, &mut scratch);
            assert_eq!(done.is_err(), before == after);
            done
        };
        assert_eq!(process(4, 4, [4, 2], 0), Ok(()));
        assert_eq!(process(5, 4, [4, 2], 0), Err(CallError::Rows { given: 7, needed: 6 }));
        assert_eq!(process(usize::MAX, 4, [4, 2], 0), Err(CallError::Rows { given: usize::MAX, needed: 6 }));
        assert_eq!(process(0, 3, [4, 2], 0), Err(CallError::Uneven { row: 0, given: 3, needed: 4 }));
        assert_eq!(process(0, 4, [3, 2], 0), Err(CallError::Rows { given: 3, needed: 4 }));
        assert_eq!(process(0, 4, [4, 3], 0), Err(CallError::Uneven { row: 0, given: 3, needed: 2 }));
        let needed = plan.scratch_len();
        assert_eq!(process(0, 4, [4, 2], 1), Err(CallError::Scratch { given: needed - 1, needed }));
    }
    for (sides, dimension) in [([4, 0], 0), ([0, 4], 1)] {
        let refused = TransposingPlan::<f64>::new(sides[0], sides[1], &Of::RustFft).unwrap_err();
        assert_eq!(refused, PlanError::Shape(ShapeError::NoPoints(dimension)));
    }
    assert!(matches!(
        TransposingPlan::<f64>::new(1 << 30, 1 << 30, &Of::RustFft).unwrap_err(),
        PlanError::Shape(ShapeError::TooLarge(_))
    ));
    let plan = ColumnPlan::<f64>::new(2, &Of::RustFft).unwrap();
    let (points, mut to) = (noise::<f64>(4), noise::<f64>(6));
    let from: Vec<&[Complex<f64>]> = points.chunks(2).collect();
    let mut to: Vec<_> = to.chunks_mut(3).collect();
    let done = plan.process_into(Direction::Forward, &from, &mut to, &mut noise(plan.scratch_len()));
    assert_eq!(done, Err(CallError::Uneven { row: 0, given: 3, needed: 2 }));
}
