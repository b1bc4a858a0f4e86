//! The whole program on real cores, compared with the definition and with the transform by one thread, and
//! checked by its laws.

use earth::{Config, Machine};
use earth_fft::dataflow::MatrixError;
use earth_fft::dataflow::two_pass::TwoPassPlan;
use earth_fft::{Complex, Direction, Layout, PlanError, Precision, Problem, ProblemError};
use earth_kernels::{bound, dft_nd, relative_error};
use earth_tests::{BOTH, noise};

use super::transformed;

fn it_is_the_definition<T: Precision>(arrays: impl Iterator<Item = (usize, usize)>, blocks: [usize; 2]) {
    let mut machines = [Config::Spn, Config::Dual].map(|config| Machine::threads(3).config(config));
    for (rows, cols) in arrays {
        let points = noise::<T>(rows * cols, 2);
        for direction in BOTH {
            let expected = dft_nd(&[rows, cols], &points, direction);
            let machine = &mut machines[(rows / 2 + cols + usize::from(direction == BOTH[0])) % 2];
            let found = transformed(machine, &[rows, cols], &points, blocks, direction);
            let error = relative_error(&found.value.spectrum.into_vec(), &expected);
            assert!(error <= bound::<T>(rows * cols), "{rows} x {cols}, {direction:?}: {error}");
        }
    }
}

#[test]
fn every_small_matrix_is_the_definition() {
    let arrays = || (1..=24).flat_map(|rows| (1..=24).map(move |cols| (rows, cols)));
    it_is_the_definition::<f64>(arrays(), [4, 8]);
    it_is_the_definition::<f32>(arrays().filter(|(rows, cols)| (rows + cols) % 3 == 0), [5, 7]);
}

#[test]
fn primes_single_rows_and_columns_and_long_ones_are_the_definition() {
    let arrays = [(1, 128), (97, 1), (53, 7), (2, 250), (250, 2), (3, 127), (127, 40), (64, 101)];
    it_is_the_definition::<f64>(arrays.into_iter(), [10, 16]);
}

/// One thread and two nodes may transform rows by different kernels, which may round differently. Their
/// difference has the bound of a transform's error.
#[test]
fn large_arrays_are_those_of_one_thread() {
    fn check<T: Precision>(machine: &mut Machine, lengths: &[usize]) {
        let points = noise::<T>(lengths.iter().product(), 3);
        for direction in BOTH {
            let problem = Problem::complex(lengths).direction(direction);
            let plan =
                earth_papers::planner().nodes(std::num::NonZeroUsize::MIN).plan::<T>(&problem).unwrap();
            let mut expected = points.clone();
            plan.process(&mut expected).unwrap();
            assert_eq!(plan.nodes(), None);
            let expected: Vec<_> =
                expected.iter().map(|x| Complex::new(x.re.widen(), x.im.widen())).collect();
            let found = transformed(machine, lengths, &points, [40, 64], direction);
            let error = relative_error(&found.value.spectrum.into_vec(), &expected);
            assert!(error <= bound::<T>(points.len()), "{lengths:?}, {direction:?}: {error}");
        }
    }
    let mut machine = Machine::threads(2);
    for lengths in [&[1024, 512][..], &[300, 300], &[70, 1009], &[509, 64], &[64, 48, 80], &[40, 33, 19]] {
        check::<f32>(&mut machine, lengths);
        check::<f64>(&mut machine, lengths);
    }
}

#[test]
fn there_and_back_is_the_signal() {
    let mut machine = Machine::threads(2);
    for lengths in [&[20, 20][..], &[12, 35], &[6, 10, 15]] {
        let points = noise::<f64>(lengths.iter().product(), 5);
        let there = transformed(&mut machine, lengths, &points, [3, 5], Direction::Forward);
        let there = there.value.spectrum.into_vec();
        let back = transformed(&mut machine, lengths, &there, [4, 4], Direction::Inverse);
        assert!(relative_error(&back.value.spectrum.into_vec(), &points) <= bound::<f64>(points.len()));
    }
}

#[test]
fn files_that_are_no_matrix_are_refused() {
    let plan = |problem: &Problem, blocks| {
        TwoPassPlan::<f64>::new(problem, blocks, Some(&Direction::Forward.into())).map(|_| ()).unwrap_err()
    };
    let layout = |strides: [usize; 2]| Layout { strides: strides.to_vec(), distance: 0 };
    let matrix = || Problem::complex(&[4, 4]);
    let there = matrix().input(layout([4, 1])).output(layout([6, 1]));
    for problem in
        [matrix().batch(2), matrix().layout(layout([1, 4])), matrix().layout(layout([12, 2])), there]
    {
        assert!(matches!(plan(&problem, [2, 2]), PlanError::NeedsOneArray { .. }), "{problem}");
    }
    for blocks in [[0, 1], [1, 0]] {
        assert_eq!(plan(&Problem::complex(&[4, 4]), blocks), PlanError::Matrix(MatrixError::NoRows));
    }
    for (lengths, error) in [
        (&[0, 3][..], ProblemError::NoPoints(0)),
        (&[3, 0], ProblemError::NoPoints(1)),
        (&[2, 2, 2, 2], ProblemError::Dimensions(4)),
        (&[], ProblemError::Dimensions(0)),
    ] {
        assert_eq!(plan(&Problem::complex(lengths), [1, 1]), PlanError::Problem(error));
    }
    let none = TwoPassPlan::<f64>::new(&Problem::complex(&[0, 4]), [1, 1], None).map(drop).unwrap_err();
    assert_eq!(none, PlanError::Problem(ProblemError::NoPoints(0)));
}
