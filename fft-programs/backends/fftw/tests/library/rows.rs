//! Rows compared with the definition: any length, number, distance and address.

use bytemuck::cast_slice_mut;
use earth_fftw::Effort;
use earth_kernels::{Direction, Real, RowKernel, RowShape};
use num_complex::Complex;

use super::{BOTH, Standin, Subject, allow, close, defined, noise, subjects};

/// Compares three rows of one call with the definition.
fn rows_are_transformed<T: Real>(subjects: &[Subject], n: usize) {
    let input = noise::<T>(3 * n, n as u64);
    for direction in BOTH {
        let expected: Vec<_> = input.chunks(n).map(|row| defined(row, direction)).collect();
        for Subject { name, library } in subjects {
            let kernel = library.plan_rows::<T>(RowShape::contiguous(n, 3), Effort::Estimate).unwrap();
            let (mut rows, mut scratch) = (input.clone(), kernel.scratch());
            kernel.transform(direction, &mut rows, &mut scratch);
            for (found, expected) in rows.chunks(n).zip(&expected) {
                close(found, expected, || format!("{name}, {direction:?}, rows of {n}"));
            }
        }
    }
}

#[test]
fn rows_of_any_length_are_transformed() {
    let standin = Standin::new();
    let subjects = subjects(&standin);
    for n in (1..=64).chain([97, 100, 128, 256, 360, 509, 512]) {
        rows_are_transformed::<f32>(&subjects, n);
        rows_are_transformed::<f64>(&subjects, n);
    }
    assert_eq!(standin.counts().misuses, 0);
}

#[test]
fn all_efforts_are_right() {
    let (standin, n) = (Standin::new(), 16);
    let input = noise::<f64>(2 * n, 1);
    for Subject { name, library } in subjects(&standin) {
        for effort in Effort::ALL {
            let kernel = library.plan_rows::<f64>(RowShape::contiguous(n, 2), effort).unwrap();
            assert_eq!((kernel.len(), kernel.shape().rows), (n, 2));
            let mut rows = input.clone();
            kernel.forward(&mut rows, &mut kernel.scratch());
            for (found, input) in rows.chunks(n).zip(input.chunks(n)) {
                close(found, &defined(input, Direction::Forward), || format!("{name}, {effort}"));
            }
        }
    }
}

/// Checks a call of rows at a distance. The slice ends with the last row, or with the points that follow it.
fn a_call<T: Real>(name: &str, kernel: &dyn RowKernel<T>, rows: usize, distance: usize, whole: bool) {
    let (n, elsewhere) = (kernel.len(), Complex::new(T::of(7.0), T::of(-7.0)));
    let points = if whole { rows * distance } else { (rows * distance).saturating_sub(distance - n) };
    for direction in BOTH {
        let input = noise::<T>(points, points as u64);
        let mut found = input.clone();
        found.chunks_mut(distance).for_each(|row| row[n..].fill(elsewhere));
        kernel.transform_spaced(direction, &mut found, distance, &mut kernel.scratch());
        let what = || format!("{name}, {direction:?}, {rows} rows of {n}, {distance} apart");
        for (found, input) in found.chunks(distance).zip(input.chunks(distance)) {
            close(&found[..n], &defined(&input[..n], direction), what);
            assert!(found[n..].iter().all(|x| *x == elsewhere), "{}: written between rows", what());
        }
    }
}

fn calls<T: Real>(subjects: &[Subject]) {
    for (n, distance) in [(12, 12), (12, 13), (15, 15), (15, 16), (15, 40)] {
        for Subject { name, library } in subjects {
            let shape = RowShape { len: n, rows: 4, distance };
            let kernel = library.plan_rows::<T>(shape, Effort::Estimate).unwrap();
            // The planned call, other numbers of rows, and another distance.
            for (rows, distance) in
                [(4, distance), (0, distance), (1, distance), (3, distance), (5, distance), (4, distance + 1)]
            {
                a_call(name, &kernel, rows, distance, true);
                a_call(name, &kernel, rows, distance, false);
            }
        }
    }
}

#[test]
fn calls_of_any_rows_are_right() {
    let standin = Standin::new();
    let subjects = subjects(&standin);
    calls::<f32>(&subjects);
    calls::<f64>(&subjects);
    assert_eq!(standin.counts().misuses, 0);
}

#[test]
fn planned_rows_are_one_execution_and_others_are_one_each() {
    let standin = Standin::new();
    let shape = RowShape { len: 6, rows: 4, distance: 8 };
    let kernel = standin.library().plan_rows::<f64>(shape, Effort::Estimate).unwrap();
    let mut scratch = kernel.scratch();
    let mut executions = |points: usize, distance: usize| {
        let before = standin.counts();
        kernel.transform_spaced(Direction::Forward, &mut noise(points, 1), distance, &mut scratch);
        let after = standin.counts();
        (after.many_rows - before.many_rows, after.single_rows - before.single_rows)
    };
    assert_eq!(executions(32, 8), (1, 0));
    assert_eq!(executions(30, 8), (1, 0));
    assert_eq!(executions(24, 8), (0, 3));
    assert_eq!(executions(24, 6), (0, 4));
    assert_eq!(executions(0, 8), (0, 0));
    let made = standin.counts();
    assert_eq!((made.plans, made.destroyed), (4, 0));
    drop(kernel);
    assert_eq!(standin.counts().destroyed, 4);

    let kernel = standin.library().plan_rows::<f64>(RowShape::contiguous(6, 1), Effort::Estimate).unwrap();
    assert_eq!(standin.counts().plans - made.plans, 2, "one row needs no plan of many");
    drop(kernel);
}

/// Checks that the result of a row is bitwise independent of its address.
fn anywhere<T: Real>(name: &str, kernel: &dyn RowKernel<T>) {
    let n = kernel.len();
    let input = noise::<T>(n, 5);
    let transformed = |skipped: usize, scratch_skipped: usize| {
        let mut memory = vec![Complex::new(T::zero(), T::zero()); n + 8];
        // By real numbers, because a slice of points guarantees their alignment only.
        let row = &mut cast_slice_mut::<_, T>(&mut memory)[skipped..][..2 * n];
        let row: &mut [Complex<T>] = cast_slice_mut(row);
        row.copy_from_slice(&input);
        let mut scratch = vec![Complex::new(T::zero(), T::zero()); kernel.scratch_len() + 8];
        let scratch = &mut cast_slice_mut::<_, T>(&mut scratch)[scratch_skipped..];
        let scratch = cast_slice_mut(&mut scratch[..2 * kernel.scratch_len()]);
        kernel.forward(row, scratch);
        row.to_vec()
    };
    let expected = transformed(0, 0);
    close(&expected, &defined(&input, Direction::Forward), || name.to_owned());
    for skipped in 0..8 {
        for scratch_skipped in 0..8 {
            let found = transformed(skipped, scratch_skipped);
            assert_eq!(found, expected, "{name}, {}, rows {skipped} off, scratch {scratch_skipped}", T::NAME);
        }
    }
}

#[test]
fn a_row_is_bitwise_equal_at_every_address() {
    let standin = Standin::new();
    for Subject { name, library } in subjects(&standin) {
        // MKL guarantees this for aligned rows only.
        if name != "MKL" {
            for shape in [RowShape::contiguous(45, 1), RowShape::contiguous(64, 2)] {
                anywhere(name, &library.plan_rows::<f32>(shape, Effort::Estimate).unwrap());
                anywhere(name, &library.plan_rows::<f64>(shape, Effort::Estimate).unwrap());
            }
        }
    }
    assert_eq!(standin.counts().misuses, 0);
}

/// Checks many rows whose alignment differs from the plan of many rows.
fn many_off<T: Real>(Subject { name, library }: &Subject) {
    let (n, rows) = (15, 4);
    let kernel = library.plan_rows::<T>(RowShape::contiguous(n, rows), Effort::Estimate).unwrap();
    let input = noise::<T>(n * rows, 6);
    let mut memory = vec![Complex::new(T::zero(), T::zero()); n * rows + 1];
    let found: &mut [Complex<T>] =
        cast_slice_mut(&mut cast_slice_mut::<_, T>(&mut memory)[1..][..2 * n * rows]);
    found.copy_from_slice(&input);
    kernel.inverse(found, &mut kernel.scratch());
    for (found, input) in found.chunks(n).zip(input.chunks(n)) {
        close(found, &defined(input, Direction::Inverse), || format!("{name}, off"));
    }
}

#[test]
fn many_rows_that_are_not_aligned_are_right() {
    let standin = Standin::new();
    for subject in subjects(&standin) {
        many_off::<f32>(&subject);
        many_off::<f64>(&subject);
    }
    assert_eq!(standin.counts().misuses, 0);
}

#[test]
fn mkl_is_kept_to_the_calling_thread_and_needs_no_scratch() {
    let standin = Standin::without(|_| false);
    let kernel = standin.library().plan_rows::<f64>(RowShape::contiguous(8, 2), Effort::Measure).unwrap();
    assert_eq!((kernel.name(), kernel.scratch_len()), ("mkl", 0));
    assert_eq!(allow(&standin.path, 3), 0);
    kernel.forward(&mut noise(16, 1), &mut []);
    kernel.forward(&mut noise(24, 1), &mut []);
    assert_eq!(allow(&standin.path, 0), 3, "what the thread allowed is put back");
    let counts = standin.counts();
    assert_eq!((counts.limited, counts.many_rows, counts.single_rows, counts.misuses), (4, 1, 3, 0));
}

#[test]
#[should_panic(expected = "10 points are no whole number of rows of 4 that begin 4 points apart")]
fn a_part_of_a_row_is_refused() {
    let kernel =
        Standin::new().library().plan_rows::<f64>(RowShape::contiguous(4, 2), Effort::Estimate).unwrap();
    kernel.forward(&mut noise(10, 1), &mut kernel.scratch());
}

#[test]
#[should_panic(expected = "a scratch of 0 points where 8 are needed")]
fn a_short_scratch_is_refused() {
    let kernel =
        Standin::new().library().plan_rows::<f64>(RowShape::contiguous(4, 2), Effort::Estimate).unwrap();
    kernel.forward(&mut noise(8, 1), &mut []);
}

/// A planner does not search for the results that it imported from another planner in this precision.
#[test]
fn wisdom_is_exported_and_imported() {
    let (wise, other) = (Standin::new(), Standin::new());
    let shape = RowShape { len: 6, rows: 2, distance: 8 };
    wise.library().plan_rows::<f64>(shape, Effort::Estimate).unwrap();
    assert_eq!(wise.counts().searches, 0);
    wise.library().plan_rows::<f64>(shape, Effort::Measure).unwrap();
    assert_eq!(wise.counts().searches, 4, "of one row and of two, in two directions");
    let told = wise.library().wisdom::<f64>().unwrap();
    assert!(other.library().learn::<f64>(&told));
    other.library().plan_rows::<f64>(shape, Effort::Patient).unwrap();
    assert_eq!((other.counts().plans, other.counts().searches), (4, 0));
    other.library().plan_rows::<f32>(shape, Effort::Measure).unwrap();
    assert_eq!(other.counts().searches, 4);
    for useless in ["", "useless", "0 \0 searches\n"] {
        assert!(!other.library().learn::<f64>(useless), "{useless:?}");
    }
    let silent = Standin::without(|name| name.ends_with("export_wisdom") || name.starts_with("MKL"));
    assert_eq!(silent.library().wisdom::<f64>(), None);
    assert!(!silent.library().forget::<f64>(), "the stand-in has no such function");
    assert!(!silent.library().learn::<f64>(&told));
}
