//! Whole matrices on the library's threads.

use bytemuck::cast_slice_mut;
use earth_fftw::{Effort, Library, LibraryError};
use earth_kernels::{Direction, Real, dft_2d, inverse_dft_2d};
use num_complex::Complex;
use standin_fftw::copy_without;

use super::{BOTH, Standin, Subject, close, counts, noise, subjects};

fn matrices_are_transformed<T: Real>(Subject { name, library }: &Subject) {
    for (rows, cols) in [(1, 1), (1, 7), (6, 1), (3, 5), (16, 16), (12, 20)] {
        let input = noise::<T>(rows * cols, 3);
        for direction in BOTH {
            let expected = match direction {
                Direction::Forward => dft_2d(rows, cols, &input),
                Direction::Inverse => {
                    let points = (rows * cols) as f64;
                    inverse_dft_2d(rows, cols, &input).into_iter().map(|x| x * points).collect()
                }
            };
            for threads in [1, 2, 5] {
                let plan = library.plan_2d::<T>(rows, cols, threads, direction, Effort::Estimate).unwrap();
                assert_eq!(plan.threads(), threads);
                // A second time, so that nothing is left of the first.
                for _ in 0..2 {
                    let mut matrix = input.clone();
                    plan.transform(&mut matrix).unwrap();
                    close(&matrix, &expected, || format!("{name}, {direction:?}, {rows} x {cols}"));
                }
            }
        }
    }
}

#[test]
fn matrices_of_any_shape_are_transformed() {
    let standin = Standin::new();
    for subject in subjects(&standin) {
        if subject.library.describe().precisions.iter().any(|half| half.threads.is_err()) {
            println!("{} has no threads here", subject.name);
            continue;
        }
        matrices_are_transformed::<f32>(&subject);
        matrices_are_transformed::<f64>(&subject);
    }
}

#[test]
fn the_planner_is_left_as_it_plans_for_one_thread() {
    let standin = Standin::new();
    let plan = |threads, side| {
        let planned =
            standin.library().plan_2d::<f64>(side, side, threads, Direction::Forward, Effort::Estimate);
        (planned.map(|_| ()), standin.counts())
    };
    for threads in [3u8, 1, 2] {
        let (planned, counts) = plan(threads.into(), 4);
        assert_eq!(planned, Ok(()));
        assert_eq!((counts.matrix_threads, counts.threads), (threads.into(), 1));
    }
    // The same if there is no plan.
    let (planned, counts) = plan(2, standin_fftw::UNPLANNABLE);
    let what = "4099 x 4099 points by 2 threads in f64".to_owned();
    assert_eq!(planned, Err(LibraryError::NoPlan { path: standin.path.clone(), what }));
    assert_eq!((counts.threads, counts.misuses), (1, 0));
}

#[test]
fn threads_may_have_a_library_of_their_own() {
    for suffix in ["_threads", "_omp"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("libfftw3.so.3");
        let with_threads = folder.path().join(format!("libfftw3{suffix}.so.3"));
        copy_without(&path, |name| name.contains("threads") || name.starts_with("MKL")).unwrap();
        copy_without(&with_threads, |name| !name.contains("threads")).unwrap();
        let library = Library::open(&path).unwrap();
        let plan = library.plan_2d::<f64>(4, 6, 2, Direction::Forward, Effort::Estimate).unwrap();
        let input = noise::<f64>(24, 1);
        let mut matrix = input.clone();
        plan.transform(&mut matrix).unwrap();
        close(&matrix, &dft_2d(4, 6, &input), || suffix.to_owned());
        let counts = counts(&with_threads);
        assert_eq!((counts.threads, counts.misuses), (1, 0));

        let single = library.plan_2d::<f32>(4, 6, 2, Direction::Forward, Effort::Estimate);
        let Err(LibraryError::NoThreads { path: of, because }) = single.map(|_| ()) else {
            panic!("threads in single precision came from nowhere");
        };
        assert_eq!(of, path);
        assert!(because.contains("it has no fftwf_init_threads"), "{because}");
    }
}

#[test]
fn without_threads_there_is_one() {
    let standin = Standin::without(|name| name.contains("threads") || name.starts_with("MKL"));
    let plan = |threads| {
        let plan =
            standin.library().plan_2d::<f64>(4, 4, threads, Direction::Forward, Effort::Estimate).map(|_| ());
        plan.map_err(|error| error.to_string())
    };
    assert_eq!(plan(1), Ok(()));
    let (path, folder) = (standin.path.display(), standin.path.parent().unwrap().display());
    let expected = format!(
        "{path} has no threads: it has no fftw_init_threads, and there is no {folder}/libfftw3_threads.so.3, \
         and there is no {folder}/libfftw3_omp.so.3"
    );
    assert_eq!(plan(2), Err(expected));
}

#[test]
fn a_matrix_that_is_not_aligned_is_refused() {
    let standin = Standin::new();
    let plan = standin.library().plan_2d::<f64>(2, 3, 1, Direction::Forward, Effort::Estimate).unwrap();
    let mut memory = vec![Complex::new(0.0, 0.0); 7];
    let off: &mut [Complex<f64>] = cast_slice_mut(&mut cast_slice_mut::<_, f64>(&mut memory)[1..13]);
    assert_eq!(plan.transform(off), Err(LibraryError::Misaligned { path: standin.path.clone() }));
    assert_eq!(standin.counts().matrices, 0);
}

#[test]
#[should_panic(expected = "a matrix of other points than the 2 x 3 planned")]
fn a_matrix_of_another_size_is_refused() {
    let library = Standin::new().library();
    let plan = library.plan_2d::<f64>(2, 3, 1, Direction::Forward, Effort::Estimate).unwrap();
    let _ = plan.transform(&mut noise(7, 1));
}
