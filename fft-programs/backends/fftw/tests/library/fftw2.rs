//! FFTW 2: rows, whole transforms, and the transforms that it is not used for. With the stand-in, and with
//! FFTW 2 where it is installed.

use std::path::PathBuf;
use std::thread;

use earth_fftw::{Arrays, Effort, Kind, Library, LibraryError, WholeProblem};
use earth_kernels::{Direction, RowKernel, RowShape, dft_bin};
use num_complex::Complex;
use standin_fftw::{UNPLANNABLE, copy_fftw2};
use tempfile::TempDir;

use super::{BOTH, close, counts, defined, noise};

/// Copy of the stand-in with FFTW 2's interface only.
struct Standin {
    _folder: TempDir,
    path: PathBuf,
}

impl Standin {
    fn without(unwanted: impl Fn(&str) -> bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("libfftw.so.2");
        copy_fftw2(&path, unwanted).unwrap();
        Self { _folder: folder, path }
    }

    fn library(&self) -> Library {
        Library::open(&self.path).unwrap()
    }
}

/// Returns the stand-in, and FFTW 2 if it is installed.
fn subjects(standin: &Standin) -> Vec<(&'static str, Library)> {
    let mut subjects = vec![("stand-in for FFTW 2", standin.library())];
    match Library::fftw2() {
        Ok(library) => {
            println!("with FFTW 2: {:?}", library.describe());
            subjects.push(("FFTW 2", library));
        }
        Err(error) => println!("without FFTW 2, because {error}"),
    }
    subjects
}

#[test]
fn rows_at_any_distance_are_transformed() {
    let standin = Standin::without(|_| false);
    for (name, library) in subjects(&standin) {
        for n in (1..=16).chain([60, 97, 1024]) {
            let effort = if n == 60 { Effort::Measure } else { Effort::Estimate };
            for distance in [n, n + 3] {
                let shape = RowShape { len: n, rows: 3, distance };
                let kernel = library.plan_rows::<f64>(shape, effort).unwrap();
                assert_eq!((kernel.name(), kernel.scratch_len()), ("fftw2", n));
                // The planned call, other numbers of rows, and another distance.
                for (rows, distance) in [(3, distance), (1, distance), (2, distance + 1)] {
                    let input = noise::<f64>(rows * distance, n as u64);
                    for direction in BOTH {
                        let mut found = input.clone();
                        kernel.transform_spaced(direction, &mut found, distance, &mut kernel.scratch());
                        let what = || format!("{name}, {direction:?}, {rows} rows of {n}, {distance} apart");
                        for (found, input) in found.chunks(distance).zip(input.chunks(distance)) {
                            close(&found[..n], &defined(&input[..n], direction), what);
                            assert_eq!(found[n..], input[n..], "{}", what());
                        }
                    }
                }
            }
        }
    }
    assert_eq!((counts(&standin.path).misuses, counts(&standin.path).collisions), (0, 0));
}

#[test]
fn whole_transforms_of_points_are_transformed_on_threads() {
    let standin = Standin::without(|_| false);
    for (name, library) in subjects(&standin) {
        if library.describe().precisions[0].threads.is_err() {
            println!("{name} has no threads here");
            continue;
        }
        for lengths in [[1, 1, 1], [1, 1, 97], [1, 3, 7], [1, 24, 36], [3, 4, 5]] {
            let input = noise::<f64>(lengths.iter().product(), 3);
            for (direction, threads, in_place) in BOTH
                .into_iter()
                .flat_map(|way| [(way, 1, true), (way, 2, true), (way, 1, false), (way, 2, false)])
            {
                let problem = WholeProblem::new(&lengths).of(Kind::Complex(direction));
                let plan = library.plan_whole::<f64>(WholeProblem { threads, in_place, ..problem }).unwrap();
                let mut output = if in_place { input.clone() } else { vec![Complex::default(); input.len()] };
                let kept = input.clone();
                let arrays = if in_place {
                    Arrays::InPlace(&mut output)
                } else {
                    Arrays::OutOfPlace(&input, &mut output)
                };
                plan.transform(arrays, 1).unwrap();
                assert_eq!(input, kept);
                let defined: Vec<_> =
                    (0..input.len()).map(|at| dft_bin(&lengths, &input, at, direction)).collect();
                close(&output, &defined, || format!("{name}, {lengths:?} by {threads}, {direction:?}"));
            }
        }
    }
    let counts = counts(&standin.path);
    assert_eq!((counts.misuses, counts.whole_threads), (0, 2));
    assert_eq!(counts.plans, counts.destroyed);
}

#[test]
fn many_threads_execute_one_plan_of_fftw_2_while_others_plan() {
    let standin = Standin::without(|_| false);
    for (name, library) in &subjects(&standin) {
        // A long length, whose factors need tables, and a prime.
        for n in [97, 210] {
            let kernel = library.plan_rows::<f64>(RowShape::contiguous(n, 2), Effort::Estimate).unwrap();
            let input = noise::<f64>(2 * n, 9);
            let expected: Vec<_> = input.chunks(n).map(|row| defined(row, Direction::Forward)).collect();
            thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(|| {
                        let mut scratch = kernel.scratch();
                        for _ in 0..20 {
                            let mut rows = input.clone();
                            kernel.forward(&mut rows, &mut scratch);
                            for (found, expected) in rows.chunks(n).zip(&expected) {
                                close(found, expected, || format!("{name}, one of many threads"));
                            }
                        }
                    });
                }
                for len in [n, n + 1] {
                    scope.spawn(move || {
                        for rows in 1..20 {
                            let shape = RowShape::contiguous(len, rows);
                            drop(library.plan_rows::<f64>(shape, Effort::Estimate).unwrap());
                        }
                    });
                }
            });
        }
    }
    let counts = counts(&standin.path);
    assert_eq!((counts.collisions, counts.misuses, counts.plans), (0, 0, counts.destroyed));
}

/// The threads of FFTW 2 make its symbols visible to libraries that are loaded later.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn a_library_that_is_loaded_after_fftw_2_uses_its_own_symbols() {
    let second = Standin::without(|name| name.contains("threads"));
    copy_fftw2(&second.path.with_file_name("libfftw_threads.so.2"), |_| false).unwrap();
    let library = second.library();
    assert_eq!(library.describe().precisions[0].threads, Ok(()));
    let third = super::Standin::new();
    drop(third.library().plan_rows::<f64>(RowShape::contiguous(4, 1), Effort::Estimate).unwrap());
    assert_eq!((third.counts().destroyed, counts(&second.path).destroyed), (2, 0));
}

#[test]
fn threads_of_fftw_2_may_have_a_library_of_their_own() {
    let standin = Standin::without(|name| name.contains("threads"));
    let plan = |threads| {
        let problem = WholeProblem { threads, ..WholeProblem::new(&[4, 4]) };
        standin.library().plan_whole::<f64>(problem).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(plan(1), Ok(()));
    let (path, folder) = (standin.path.display(), standin.path.parent().unwrap().display());
    let why = format!("it has no fftw_threads_init, and there is no {folder}/libfftw_threads.so.2");
    assert_eq!(plan(2), Err(format!("{path} has no threads: {why}")));

    let standin = Standin::without(|name| name.contains("threads"));
    let threads = standin.path.with_file_name("libfftw_threads.so.2");
    copy_fftw2(&threads, |_| false).unwrap();
    let problem = WholeProblem { threads: 2, ..WholeProblem::new(&[2, 2]) };
    let plan = standin.library().plan_whole::<f64>(problem).unwrap();
    let mut matrix: Vec<_> = [4.0, 3.0, 2.0, 1.0].map(Complex::from).into();
    plan.transform(Arrays::InPlace(&mut matrix), 1).unwrap();
    close(&matrix, &[10.0, 2.0, 4.0, 0.0].map(Complex::from), || "threads beside".to_owned());
    assert_eq!((counts(&threads).whole_threads, counts(&threads).misuses), (2, 0));
}

#[test]
fn transforms_that_fftw_2_is_not_used_for_are_refused() {
    let standin = Standin::without(|_| false);
    let library = standin.library();
    assert_eq!(library.describe().name, "fftw2");
    assert_eq!((library.wisdom::<f64>(), library.learn::<f64>("(fftw)")), (None, false));
    let whole = |problem| library.plan_whole::<f64>(problem).map(|_| ());
    let problem = WholeProblem::new(&[2, 3]);
    assert_eq!(whole(WholeProblem { distance: 4, ..problem }), Err(LibraryError::NotByFftw2));
    assert_eq!(whole(problem.of(Kind::RealToComplex)), Err(LibraryError::NotByFftw2));
    let single = library.plan_rows::<f32>(RowShape::contiguous(4, 1), Effort::Estimate).map(|_| ());
    let told = format!(
        "{} has no transforms in f32: FFTW 2 is used for complex points in double precision only, \
         and for matrices without gaps between rows",
        standin.path.display()
    );
    assert_eq!(single.unwrap_err().to_string(), told);

    let rows = |len, rows, distance| {
        let shape = RowShape { len, rows, distance };
        library.plan_rows::<f64>(shape, Effort::Estimate).map(|_| ()).unwrap_err()
    };
    // A position in an array is an `int`.
    let value = (1 << 31) + 1;
    assert_eq!(rows(1, 3, 1 << 30), LibraryError::TooLarge { what: "a number of points", value });
    let what = "1 rows of 4099 points, 4099 apart, in f64".to_owned();
    assert_eq!(rows(UNPLANNABLE, 1, UNPLANNABLE), LibraryError::NoPlan { path: standin.path.clone(), what });
    let symbol = "fftwnd".to_owned();
    let lacking = Standin::without(|name| name == symbol);
    let refused = Library::open(&lacking.path).map(|_| ()).unwrap_err();
    assert_eq!(refused, LibraryError::MissingSymbol { path: lacking.path.clone(), symbol });
}
