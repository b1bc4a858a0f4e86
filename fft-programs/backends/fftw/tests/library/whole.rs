//! Whole transforms on the library's threads.

use bytemuck::{cast_slice, cast_slice_mut};
use std::time::Duration;

use earth_fftw::{Arrays, Kind, Library, LibraryError, LibraryWhole, WholeProblem};
use earth_kernels::{Direction, Real, RowShapeError, dft_bin, dft_nd};
use num_complex::Complex;
use snapbox::{assert_data_eq, str};
use standin_fftw::{NO_LIMIT, copy_without};

use super::{BOTH, Standin, Subject, close, counts, noise, subjects};

/// Marker for memory that no transform may write. No transform returns this value.
const UNTOUCHED: f64 = 12_345.0;

/// Transforms an array twice by a plan, so that leftovers of the first run would show. The points between
/// rows, and the input of an out-of-place transform, must stay unchanged.
fn transformed<T: Real>(plan: &LibraryWhole<T>, input: &[Complex<T>]) -> Vec<Complex<T>> {
    let problem = plan.problem();
    let (rows, width, distance) = (problem.rows(), problem.width(), problem.distance);
    let mark = Complex::new(T::of(UNTOUCHED), T::zero());
    let mut spread = vec![mark; rows * distance];
    for (to, from) in spread.chunks_mut(distance).zip(input.chunks(width)) {
        to[..width].copy_from_slice(from);
    }
    let mut found = Vec::new();
    for _ in 0..2 {
        let mut output = if problem.in_place { spread.clone() } else { vec![mark; rows * distance] };
        let kept = spread.clone();
        if problem.in_place {
            plan.transform(Arrays::InPlace(&mut output), 1).unwrap();
        } else {
            plan.transform(Arrays::OutOfPlace(&spread, &mut output), 1).unwrap();
        }
        assert!(spread == kept, "the input of {plan:?}");
        found = rows_of(&output, plan, mark);
    }
    found
}

/// Transforms real numbers by a plan, and checks that the memory between the rows stays unchanged.
fn spectrum<T: Real>(plan: &LibraryWhole<T>, numbers: &[T]) -> Vec<Complex<T>> {
    let problem = plan.problem();
    let (len, mark) = (problem.lengths[2], T::of(UNTOUCHED));
    if problem.in_place {
        let mut data = vec![mark; problem.rows() * problem.distance * 2];
        for (to, from) in data.chunks_mut(2 * problem.distance).zip(numbers.chunks(len)) {
            to[..len].copy_from_slice(from);
        }
        plan.transform(Arrays::RealInPlace(&mut data), 1).unwrap();
        return rows_of(cast_slice(&data), plan, Complex::new(mark, mark));
    }
    let mark = Complex::new(mark, mark);
    let mut output = vec![mark; problem.rows() * problem.distance];
    let kept = numbers.to_vec();
    plan.transform(Arrays::RealOutOfPlace(numbers, &mut output), 1).unwrap();
    assert!(numbers == kept, "the input of {plan:?}");
    rows_of(&output, plan, mark)
}

/// Transforms half spectra back to numbers by a plan, and checks that the memory between the rows stays
/// unchanged.
fn numbers<T: Real>(plan: &LibraryWhole<T>, half: &[Complex<f64>]) -> Vec<T> {
    let problem = plan.problem();
    let (len, mark, width, distance) =
        (problem.lengths[2], T::of(UNTOUCHED), problem.width(), problem.distance);
    let mut points = vec![Complex::new(mark, mark); problem.rows() * distance];
    for (to, from) in points.chunks_mut(distance).zip(half.chunks(width)) {
        to[..width].iter_mut().zip(from).for_each(|(to, x)| *to = Complex::new(T::of(x.re), T::of(x.im)));
    }
    if !problem.in_place {
        let mut output = vec![mark; problem.rows() * len + 1];
        plan.transform(Arrays::SpectrumOutOfPlace(&mut points, &mut output), 1).unwrap();
        assert!(output.pop() == Some(mark), "past the end of {plan:?}");
        return output;
    }
    let data: &mut [T] = cast_slice_mut(&mut points);
    plan.transform(Arrays::SpectrumInPlace(data), 1).unwrap();
    assert!(data.chunks(2 * distance).all(|row| row[2 * width..].iter().all(|x| *x == mark)), "{plan:?}");
    data.chunks(2 * distance).flat_map(|row| row[..len].to_vec()).collect()
}

/// Returns the rows of an output, and checks that only `mark` is between them.
fn rows_of<T: Real>(output: &[Complex<T>], plan: &LibraryWhole<T>, mark: Complex<T>) -> Vec<Complex<T>> {
    let (width, distance) = (plan.problem().width(), plan.problem().distance);
    assert!(output.chunks(distance).all(|row| row[width..].iter().all(|x| *x == mark)), "gaps of {plan:?}");
    output.chunks(distance).flat_map(|row| row[..width].to_vec()).collect()
}

/// Computes the definition, unscaled.
fn defined<T: Real>(lengths: &[usize], input: &[Complex<T>], direction: Direction) -> Vec<Complex<f64>> {
    (0..input.len()).map(|at| dft_bin(lengths, input, at, direction)).collect()
}

const SHAPES: [[usize; 3]; 8] =
    [[1, 1, 1], [1, 1, 7], [1, 6, 1], [1, 3, 5], [1, 16, 16], [1, 12, 20], [3, 5, 4], [2, 1, 6]];

/// Returns combinations of threads, points between rows, whether the transform is in place, and whether each
/// row is a transform of its own.
fn ways() -> impl Iterator<Item = (usize, usize, bool, bool)> {
    let places = [(0, true), (8, false), (8, true), (0, false)];
    let places =
        places.into_iter().flat_map(|(gap, in_place)| [(gap, in_place, false), (gap, in_place, true)]);
    let with = |threads| move |(gap, in_place, separate_rows)| (threads, gap, in_place, separate_rows);
    [1, 2, 5].into_iter().flat_map(move |threads| places.clone().map(with(threads)))
}

/// Returns the transform by the definition: of the whole array, and of each row.
fn both_defined<T: Real>(
    lengths: &[usize; 3],
    input: &[Complex<T>],
    direction: Direction,
) -> [Vec<Complex<f64>>; 2] {
    let row = |row: &[Complex<T>]| defined(&[1, 1, lengths[2]], row, direction);
    [defined(lengths, input, direction), input.chunks(lengths[2]).flat_map(row).collect()]
}

fn points_are_transformed<T: Real>(Subject { name, library }: &Subject) {
    for lengths in SHAPES {
        let input = noise::<T>(lengths.iter().product(), 3);
        for direction in BOTH {
            let expected = both_defined(&lengths, &input, direction);
            for (threads, gap, in_place, separate_rows) in ways() {
                let problem = WholeProblem::new(&lengths).of(Kind::Complex(direction));
                let distance = problem.distance + gap;
                let problem = WholeProblem { distance, separate_rows, in_place, threads, ..problem };
                let plan = library.plan_whole::<T>(problem).unwrap();
                assert_eq!(plan.problem(), problem);
                let expected = &expected[usize::from(separate_rows)];
                close(&transformed(&plan, &input), expected, || format!("{name}, {problem:?}"));
            }
        }
    }
}

fn numbers_are_transformed<T: Real>(Subject { name, library }: &Subject) {
    for lengths in SHAPES {
        let input: Vec<_> =
            noise::<T>(lengths.iter().product(), 5).into_iter().map(|point| point.re).collect();
        let points: Vec<_> = input.iter().map(|&number| number.into()).collect();
        let half = both_defined(&lengths, &points, Direction::Forward).map(|whole| {
            whole.chunks(lengths[2]).flat_map(|row| row[..=lengths[2] / 2].to_vec()).collect::<Vec<_>>()
        });
        for (threads, gap, in_place, separate_rows) in ways() {
            let problem = WholeProblem::new(&lengths).of(Kind::RealToComplex);
            let distance = problem.distance + gap;
            let problem = WholeProblem { distance, separate_rows, in_place, threads, ..problem };
            let plan = library.plan_whole::<T>(problem).unwrap();
            let half = &half[usize::from(separate_rows)];
            close(&spectrum(&plan, &input), half, || format!("{name}, {problem:?}"));

            let problem = WholeProblem { kind: Kind::ComplexToReal, ..problem };
            let plan = library.plan_whole::<T>(problem).unwrap();
            assert_eq!(plan.problem(), problem);
            let len = if separate_rows { lengths[2] } else { lengths.iter().product() } as f64;
            let scaled = |x: &Complex<T>| Complex::new(len * x.re.widen(), 0.0);
            let expected: Vec<_> = points.iter().map(scaled).collect();
            let back: Vec<_> = numbers(&plan, half).into_iter().map(Complex::from).collect();
            close(&back, &expected, || format!("{name}, {problem:?}"));
        }
    }
}

#[test]
fn points_and_numbers_of_any_shape_are_transformed() {
    let standin = Standin::new();
    for subject in subjects(&standin) {
        if subject.library.describe().precisions.iter().any(|half| half.threads.is_err()) {
            println!("{} has no threads here", subject.name);
            continue;
        }
        points_are_transformed::<f32>(&subject);
        points_are_transformed::<f64>(&subject);
        numbers_are_transformed::<f32>(&subject);
        numbers_are_transformed::<f64>(&subject);
    }
}

#[test]
fn libraries_without_real_transforms_have_complex_ones() {
    for (kind, end) in [(Kind::RealToComplex, "r2c"), (Kind::ComplexToReal, "c2r")] {
        let standin = Standin::without(|name| name.ends_with(end) || name.starts_with("MKL"));
        let library = standin.library();
        assert!(library.plan_whole::<f64>(WholeProblem::new(&[4])).is_ok());
        let refused = library.plan_whole::<f64>(WholeProblem::new(&[4]).of(kind)).map(|_| ());
        let symbol = format!("fftw_plan_many_dft_{end}");
        assert_eq!(refused, Err(LibraryError::MissingSymbol { path: standin.path.clone(), symbol }));
    }
}

#[test]
fn the_planner_is_left_as_it_plans_for_one_thread_and_without_a_limit() {
    let standin = Standin::new();
    let plan = |threads, limit, side| {
        let problem = WholeProblem { threads, limit, ..WholeProblem::new(&[side, side]) };
        let planned = standin.library().plan_whole::<f64>(problem).map(|plan| plan.is_cut_short());
        (planned, standin.counts())
    };
    let limit = Some(Duration::from_secs(90));
    for (threads, limit, told) in [(3u8, None, NO_LIMIT), (1, limit, 90_000), (2, None, NO_LIMIT)] {
        let (planned, counts) = plan(threads.into(), limit, 4);
        assert_eq!(planned, Ok(false));
        assert_eq!((counts.whole_threads, counts.threads), (threads.into(), 1));
        assert_eq!((counts.whole_limit, counts.limit), (told, NO_LIMIT));
    }
    // A limit that every planner reaches.
    assert_eq!(plan(1, Some(Duration::ZERO), 4).0, Ok(true));
    // The limit is also reset if the library makes no plan.
    let (planned, counts) = plan(2, Some(Duration::from_secs(1)), standin_fftw::UNPLANNABLE);
    let what = "4099 x 4099 points by 2 threads in f64".to_owned();
    assert_eq!(planned, Err(LibraryError::NoPlan { path: standin.path.clone(), what }));
    assert_eq!((counts.threads, counts.limit, counts.misuses), (1, NO_LIMIT, 0));
}

#[test]
fn several_transforms_in_place_are_one_of_another() {
    let plan = Standin::new().library().plan_whole::<f64>(WholeProblem::new(&[2, 6])).unwrap();
    let mut points = noise::<f64>(12, 4);
    let expected = dft_nd(&[2, 6], &dft_nd(&[2, 6], &points, Direction::Inverse), Direction::Inverse);
    plan.transform(Arrays::InPlace(&mut points), 0).unwrap();
    assert_eq!(points, noise::<f64>(12, 4));
    // Two forward transforms equal two inverse ones, except for a factor.
    plan.transform(Arrays::InPlace(&mut points), 2).unwrap();
    let expected: Vec<_> = expected.into_iter().map(|x| x * 144.0).collect();
    close(&points, &expected, || "twice".to_owned());
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
        let shared = WholeProblem { threads: 2, ..WholeProblem::new(&[4, 6]) };
        let plan = library.plan_whole::<f64>(shared).unwrap();
        let input = noise::<f64>(24, 1);
        let mut matrix = input.clone();
        plan.transform(Arrays::InPlace(&mut matrix), 1).unwrap();
        close(&matrix, &dft_nd(&[4, 6], &input, Direction::Forward), || suffix.to_owned());
        let counts = counts(&with_threads);
        assert_eq!((counts.threads, counts.misuses), (1, 0));

        let single = library.plan_whole::<f32>(shared);
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
        let problem = WholeProblem { threads, ..WholeProblem::new(&[4, 4]) };
        let plan = standin.library().plan_whole::<f64>(problem).map(|_| ());
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
fn arrays_that_a_plan_is_not_for_are_refused() {
    let standin = Standin::new();
    let plan = |in_place| {
        let problem = WholeProblem { in_place, distance: 4, ..WholeProblem::new(&[2, 3]) };
        standin.library().plan_whole::<f64>(problem).unwrap()
    };
    let (within, between) = (plan(true), plan(false));
    let mut memory = vec![Complex::new(0.0, 0.0); 8];
    let (input, mut output) = (noise::<f64>(7, 1), noise::<f64>(7, 2));
    let off: &mut [Complex<f64>] = cast_slice_mut(&mut cast_slice_mut::<_, f64>(&mut memory)[1..15]);
    let misaligned = Err(LibraryError::Misaligned { path: standin.path.clone() });
    assert_eq!(within.transform(Arrays::InPlace(off), 1), misaligned);
    assert_eq!(between.transform(Arrays::OutOfPlace(off, &mut output), 1), misaligned);
    assert_eq!(between.transform(Arrays::OutOfPlace(&input, off), 1), misaligned);
    let short = Err(LibraryError::Short { given: 6, needed: 7 });
    assert_eq!(within.transform(Arrays::InPlace(&mut output[..6]), 1), short);
    assert_eq!(between.transform(Arrays::OutOfPlace(&input[..6], &mut output), 1), short);
    assert_eq!(between.transform(Arrays::OutOfPlace(&input, &mut output[..6]), 1), short);
    let refused = |transformed: Result<(), LibraryError>| transformed.unwrap_err().to_string();
    assert_data_eq!(
        refused(between.transform(Arrays::InPlace(&mut output), 1)),
        str!["the plan is for points from one array to another, not for points in place"]
    );
    assert_data_eq!(
        refused(within.transform(Arrays::OutOfPlace(&input, &mut output), 1)),
        str!["the plan is for points in place, not for points from one array to another"]
    );
    let spectra = WholeProblem { distance: 4, ..WholeProblem::new(&[2, 3]).of(Kind::ComplexToReal) };
    let back = |in_place| standin.library().plan_whole::<f64>(WholeProblem { in_place, ..spectra }).unwrap();
    let (within, between, mut data) = (back(true), back(false), [0.0; 16]);
    assert_eq!(spectra.to_string(), "2 x 3 to real");
    // Six points and their gap; in place also the padding of the last row.
    let transformed = |input: usize, data: &mut [f64]| {
        between.transform(Arrays::SpectrumOutOfPlace(&mut noise::<f64>(input, 1), data), 1)
    };
    assert_eq!(transformed(5, &mut data), Err(LibraryError::Short { given: 5, needed: 6 }));
    assert_eq!(transformed(6, &mut data[..5]), Err(LibraryError::Short { given: 5, needed: 6 }));
    assert_eq!(
        within.transform(Arrays::SpectrumInPlace(&mut data[..10]), 1),
        Err(LibraryError::Short { given: 5, needed: 6 })
    );
    assert_data_eq!(
        refused(within.transform(Arrays::RealInPlace(&mut data), 1)),
        str!["the plan is for spectra of real numbers in place, not for real numbers in place"]
    );
    assert_data_eq!(
        refused(between.transform(Arrays::SpectrumInPlace(&mut data), 1)),
        str![
            "the plan is for spectra of real numbers from one array to another, not for spectra of real numbers \
             in place"
        ]
    );
    assert_eq!(standin.counts().wholes, 0);
    let overlap = WholeProblem { distance: 2, ..WholeProblem::new(&[2, 3]) };
    let refused = standin.library().plan_whole::<f64>(overlap).map(|_| ());
    assert_eq!(refused, Err(RowShapeError::Overlap { len: 3, distance: 2 }.into()));
}
