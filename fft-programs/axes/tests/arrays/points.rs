//! Transforms along axes against sums by definition: any rank, strides of any sign with gaps, in place and
//! out of place, with equal and other layouts of input and output.

use std::num::NonZeroUsize;

use crate::common::{Array, Layout, dft, error};
use earth_axes::{AxesError, AxesPlan, AxesProblem, Axis, RealAxis, RealPlan, RealProblem, RealTransform};
use earth_fft::{Complex, Direction, Norm, Planner, default_nodes};
use proptest::prelude::{Strategy, any, prop};
use proptest::test_runner::{Config, TestRunner};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The rank of the transform, the number of repeated axes, the lengths of all axes, and a seed for layouts
/// and data.
fn cases() -> impl Strategy<Value = (usize, Vec<usize>, u64)> {
    let lengths = |rank: usize| prop::collection::vec(1_usize..6, rank);
    (0_usize..6, 0_usize..3, any::<u64>()).prop_flat_map(move |(rank, repeated, seed)| {
        (proptest::strategy::Just(rank), lengths(rank + repeated), proptest::strategy::Just(seed))
    })
}

fn check(cases_run: u32, case: impl Fn(usize, Vec<usize>, &mut Xoshiro256PlusPlus)) {
    let mut runner =
        TestRunner::new(Config { cases: cases_run, failure_persistence: None, ..Config::default() });
    let run = runner.run(&cases(), |(rank, lengths, seed)| {
        case(rank, lengths, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
        Ok(())
    });
    if let Err(error) = run {
        panic!("{error}");
    }
}

/// Returns transformed axes and repeated axes.
fn axes(rank: usize, lengths: &[usize], input: &Layout, output: &Layout) -> (Vec<Axis>, Vec<Axis>) {
    let mut all: Vec<_> = lengths
        .iter()
        .enumerate()
        .map(|(at, length)| Axis::new(*length, input.strides[at], output.strides[at]))
        .collect();
    let repeated = all.split_off(rank);
    (all, repeated)
}

fn direction(rng: &mut Xoshiro256PlusPlus) -> Direction {
    if rng.random() { Direction::Forward } else { Direction::Inverse }
}

#[test]
fn points_from_one_array_to_another() {
    check(200, |rank, lengths, rng| {
        let [input, output] = [Layout::random(&lengths, rng), Layout::random(&lengths, rng)];
        let (transformed, repeated) = axes(rank, &lengths, &input, &output);
        let (to, values) = (direction(rng), Array::points(&lengths, rng));
        let problem = AxesProblem::complex(to, &transformed, &repeated).norm(Norm::Ortho);
        let plan = AxesPlan::<f64>::new(&Planner::new(), &problem).unwrap();
        assert_eq!(plan.extents(), [input.extent(), output.extent()]);
        let from = input.filled(&values);
        let mut found = output.gaps();
        plan.out_of_place(&from, &mut found).unwrap();
        let wanted = output.filled(&dft(&values, rank, to, Norm::Ortho));
        assert!(error(&found, &wanted) < 1e-13, "{lengths:?} {input:?} {output:?}\n{plan}");
        assert_eq!(from, input.filled(&values), "the input is unchanged");
    });
}

#[test]
fn points_in_place() {
    check(200, |rank, lengths, rng| {
        let input = Layout::random(&lengths, rng);
        let output = if rng.random() { input.clone() } else { Layout::random(&lengths, rng) };
        let (transformed, repeated) = axes(rank, &lengths, &input, &output);
        let (to, values) = (direction(rng), Array::points(&lengths, rng));
        let problem = AxesProblem::complex(to, &transformed, &repeated).in_place();
        let plan = AxesPlan::<f64>::new(&Planner::new(), &problem).unwrap();
        let whole = plan.extent_in_place();
        let mut data = vec![Complex::from(-7.0); whole.span];
        input.fill(whole.origin, &values, &mut data);
        plan.in_place(&mut data).unwrap();
        let found = output.read(whole.origin, &lengths, &data);
        let wanted = dft(&values, rank, to, Norm::Backward);
        assert!(error(&found, &wanted.values) < 1e-13, "{lengths:?} {input:?} {output:?}\n{plan}");
    });
}

#[test]
fn numbers_to_points_and_back() {
    check(200, |rank, lengths, rng| {
        let mut halves = lengths.clone();
        if rank > 0 {
            halves[rank - 1] = lengths[rank - 1] / 2 + 1;
        }
        let [numbers, points] = [Layout::random(&lengths, rng), Layout::random(&halves, rng)];
        let values = Array::numbers(&lengths, rng);
        let spectrum = dft(&values, rank, Direction::Forward, Norm::Backward).half(rank);
        let (transformed, repeated) = axes(rank, &lengths, &numbers, &points);
        let there = AxesProblem::real_to_complex(&transformed, &repeated);
        let plan = AxesPlan::<f64>::new(&Planner::new(), &there).unwrap();
        assert_eq!(plan.extents(), [numbers.extent(), points.extent()]);
        let mut found = points.gaps();
        plan.forward(&numbers.filled_numbers(&values), &mut found).unwrap();
        assert!(
            error(&found, &points.filled(&spectrum)) < 1e-13,
            "{lengths:?} {numbers:?} {points:?}\n{plan}"
        );

        let (transformed, repeated) = axes(rank, &lengths, &points, &numbers);
        let back = AxesProblem::complex_to_real(&transformed, &repeated);
        let keeping: bool = rng.random();
        let back = if keeping { back.keep_input() } else { back };
        let plan = AxesPlan::<f64>::new(&Planner::new(), &back).unwrap();
        let mut spectra = points.filled(&spectrum);
        let mut found = numbers.gaps_of_numbers();
        if keeping {
            plan.inverse_keeping(&spectra, &mut found).unwrap();
            assert_eq!(spectra, points.filled(&spectrum), "the input is unchanged");
        } else {
            plan.inverse(&mut spectra, &mut found).unwrap();
        }
        let [found, wanted] = [found, numbers.filled_numbers(&values)]
            .map(|numbers| numbers.into_iter().map(Complex::from).collect::<Vec<_>>());
        assert!(error(&found, &wanted) < 1e-13, "{lengths:?} {points:?} {numbers:?}\n{plan}");
    });
}

#[test]
fn numbers_in_place() {
    check(200, |rank, lengths, rng| {
        let mut halves = lengths.clone();
        if rank > 0 {
            halves[rank - 1] = lengths[rank - 1] / 2 + 1;
        }
        let points = Layout::random(&halves, rng);
        // Either any layout, or each line where the line of its spectrum begins.
        let (points, numbers) = if rank > 0 && rng.random() {
            let points = Layout::nested(&halves, rank - 1, rng);
            let mut numbers = points.clone();
            numbers.lengths = lengths.clone();
            for (at, stride) in numbers.strides.iter_mut().enumerate() {
                *stride *= if at == rank - 1 { 1 } else { 2 };
            }
            (points, numbers)
        } else {
            (points, Layout::random(&lengths, rng))
        };
        let values = Array::numbers(&lengths, rng);
        let spectrum = dft(&values, rank, Direction::Forward, Norm::Backward).half(rank);
        let (transformed, repeated) = axes(rank, &lengths, &numbers, &points);
        let there = AxesProblem::real_to_complex(&transformed, &repeated).in_place();
        let plan = AxesPlan::<f64>::new(&Planner::new(), &there).unwrap();
        let whole = plan.extent_in_place();
        let mut data = vec![-7.0; whole.span];
        numbers.fill_numbers(whole.origin, &values, &mut data);
        plan.in_place_numbers(&mut data).unwrap();
        let found = points.read_points(whole.origin, &data);
        assert!(error(&found, &spectrum.values) < 1e-13, "{lengths:?} {numbers:?} {points:?}\n{plan}");

        let (transformed, repeated) = axes(rank, &lengths, &points, &numbers);
        let back = AxesProblem::complex_to_real(&transformed, &repeated).in_place();
        let plan = AxesPlan::<f64>::new(&Planner::new(), &back).unwrap();
        assert_eq!(plan.extent_in_place(), whole);
        let mut data = vec![-7.0; whole.span];
        points.fill_points(whole.origin, &spectrum, &mut data);
        plan.in_place_numbers(&mut data).unwrap();
        let found = numbers.read(whole.origin, &lengths, &data);
        let found: Vec<_> = found.into_iter().map(Complex::from).collect();
        assert!(error(&found, &values.values) < 1e-13, "{lengths:?} {points:?} {numbers:?}\n{plan}");
    });
}

#[test]
fn parts_of_long_axes() {
    // More than a part along a repeated axis that cannot be a batch, with a rest.
    let (n, lines) = (7, 12_345);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let lengths = [n, lines];
    let values = Array::points(&lengths, &mut rng);
    let input = Layout { lengths: lengths.to_vec(), strides: vec![-2, 14] };
    let output = Layout { lengths: lengths.to_vec(), strides: vec![1, 7] };
    let (transformed, repeated) = axes(1, &lengths, &input, &output);
    let problem = AxesProblem::complex(Direction::Forward, &transformed, &repeated);
    let plan = AxesPlan::<f64>::new(&Planner::new(), &problem).unwrap();
    assert!(plan.copies());
    let mut found = output.gaps();
    plan.out_of_place(&input.filled(&values), &mut found).unwrap();
    let wanted = output.filled(&dft(&values, 1, Direction::Forward, Norm::Backward));
    assert!(error(&found, &wanted) < 1e-13);
}

#[test]
fn parts_of_complex_numbers_in_two_arrays() {
    let (lengths, mut rng) = ([4, 3, 5], Xoshiro256PlusPlus::seed_from_u64(5));
    let values = Array::points(&lengths, &mut rng);
    let layout = Layout::random(&lengths, &mut rng);
    let (transformed, repeated) = axes(2, &lengths, &layout, &layout);
    let problem = AxesProblem::complex(Direction::Inverse, &transformed, &repeated).copied();
    let plan = AxesPlan::<f64>::new(&Planner::new(), &problem).unwrap();
    let from = layout.filled(&values);
    let [re, im]: [Vec<_>; 2] = [from.iter().map(|z| z.re).collect(), from.iter().map(|z| z.im).collect()];
    let mut found = [vec![-7.0; re.len()], vec![0.0; im.len()]];
    let [found_re, found_im] = &mut found;
    plan.copying(&[&re[..], &im[..]], &mut [&mut found_re[..], &mut found_im[..]]).unwrap();
    let found: Vec<_> = found[0].iter().zip(&found[1]).map(|(re, im)| Complex::new(*re, *im)).collect();
    let wanted = layout.filled(&dft(&values, 2, Direction::Inverse, Norm::Backward));
    assert!(error(&found, &wanted) < 1e-13);
}

#[test]
fn a_window_that_slides_over_its_input() {
    let (signal, n, windows) = ((0..40).map(f64::from).collect::<Vec<_>>(), 8, 33);
    let axis = [Axis::new(n, 1, 1)];
    let problem = AxesProblem::real_to_complex(&axis, &[Axis::new(windows, 1, 5)]);
    let plan = AxesPlan::<f64>::new(&Planner::new(), &problem).unwrap();
    let mut found = vec![Complex::default(); 5 * windows];
    plan.forward(&signal, &mut found).unwrap();
    for window in 0..windows {
        let sum: f64 = signal[window..window + n].iter().sum();
        assert!((found[5 * window].re - sum).abs() < 1e-11);
    }
}

#[test]
fn bad_problems_are_refused() {
    let plan = |transformed: &[Axis], repeated: &[Axis]| {
        let problem = AxesProblem::complex(Direction::Forward, transformed, repeated);
        AxesPlan::<f64>::new(&Planner::new(), &problem)
    };
    assert_eq!(plan(&[Axis::new(0, 1, 1)], &[]).unwrap_err(), AxesError::NoElements);
    assert_eq!(plan(&[Axis::new(4, 1, 1)], &[Axis::new(2, 4, 3)]).unwrap_err(), AxesError::Overlap);
    assert_eq!(plan(&[Axis::new(4, 1, 0)], &[]).unwrap_err(), AxesError::Overlap);
    assert_eq!(plan(&[Axis::new(4, isize::MAX, 1)], &[]).unwrap_err(), AxesError::TooLarge);
    let nothing = plan(&[Axis::new(4, 1, 1)], &[Axis::new(0, 4, 4)]).unwrap();
    nothing.out_of_place(&[], &mut []).unwrap();
    let four = plan(&[Axis::new(4, 1, 1)], &[]).unwrap();
    let short = four.out_of_place(&[Complex::default(); 3], &mut [Complex::default(); 4]).unwrap_err();
    assert_eq!(short, AxesError::Slice { array: "input", given: 3, needed: 4 });
    assert!(matches!(four.in_place_numbers(&mut [0.0; 8]), Err(AxesError::Call(_))));
    assert!(matches!(four.forward(&[0.0; 4], &mut [Complex::default(); 4]), Err(AxesError::Call(_))));
}

#[test]
fn nodes_that_share_a_plan() {
    let nodes = |asked: usize, repeated: &[Axis], strides: isize| {
        let rows = [Axis::new(8, 4 * strides, 4 * strides), Axis::new(4, strides, strides)];
        let problem = AxesProblem::complex(Direction::Forward, &rows, repeated);
        AxesPlan::<f64>::new(&Planner::new().nodes(NonZeroUsize::new(asked)), &problem).unwrap().nodes()
    };
    assert_eq!((nodes(1, &[], 1), nodes(2, &[], 1)), (1, 2));
    // Copied parts are shared, too.
    assert_eq!((nodes(1, &[], -1), nodes(2, &[], -1)), (1, 2));
    assert_eq!(nodes(2, &[Axis::new(0, 32, 32)], 1), 1);
}

/// Columns of more than 63 real numbers are transposed by copies.
#[test]
fn columns_of_real_numbers() {
    for (rows, columns) in [(63, 5), (64, 5), (150, 40)] {
        let repeated = [Axis::new(columns, 1, 1)];
        let distance = columns.cast_signed();
        let problem = AxesProblem::real_to_complex(&[Axis::new(rows, distance, distance)], &repeated);
        let plan = AxesPlan::<f64>::new(&Planner::new(), &problem).unwrap();
        assert_eq!(plan.copies(), rows > 63);
        let numbers: Vec<_> = (0..rows * columns).map(|at| f64::from(at as u32 * 37 % 101)).collect();
        let mut points = vec![Complex::default(); (rows / 2 + 1) * columns];
        plan.forward(&numbers, &mut points).unwrap();
        let row = [Axis::new(rows, 1, 1)];
        let line = AxesPlan::<f64>::new(&Planner::new(), &AxesProblem::real_to_complex(&row, &[])).unwrap();
        for column in 0..columns {
            let of: Vec<_> = numbers[column..].iter().step_by(columns).copied().collect();
            let mut expected = vec![Complex::default(); rows / 2 + 1];
            line.forward(&of, &mut expected).unwrap();
            let found = points[column..].iter().step_by(columns);
            assert!(found.zip(&expected).all(|(found, expected)| (found - expected).norm() < 1e-9));
        }
    }
}

/// Small problems have one thread, whatever is asked for.
#[test]
fn threads_that_share_a_plan() {
    let nodes = |points: usize, threads: usize| {
        let problem = AxesProblem::complex(Direction::Forward, &[Axis::new(points, 1, 1)], &[]);
        AxesPlan::<f64>::with_threads(&Planner::new(), &problem, threads).unwrap().nodes()
    };
    let cores = default_nodes(earth_fft::Config::Spn);
    assert_eq!([nodes(1024, 1), nodes(1024, 2), nodes(1024, 0)], [1; 3]);
    assert_eq!([nodes(1 << 18, 1), nodes(1 << 18, 2)], [1, cores.min(2)]);
    let axis = RealAxis { axis: Axis::new(1024, 1, 1), transform: RealTransform::Cosine2 };
    let problem = RealProblem::new(&[axis], &[]);
    assert!(RealPlan::<f64>::with_threads(&Planner::new(), &problem, 2).is_ok());
}
