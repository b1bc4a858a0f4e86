//! Any schedule gives the same bits, and a run that ends early leaves no handle behind.

use earth::{Block, CancelToken, Config, Error, Eu, Machine, Reply, ShapeError, Shared, lend, threaded};
use earth_fft::dataflow::Done;
use earth_fft::{PlanError, ProblemError, TransformError};
use earth_kernels::Direction;
use earth_papers::matrix::{Dealing, MatrixFft, MatrixJob, MatrixPlan};
use earth_tests::{Cancel, bits, matrix, noise, token_to_cancel};
use num_complex::Complex;
use proptest::prelude::*;

use super::everywhere::expected;
use crate::alike::schedules;

/// Five row blocks, and four by seven, of uneven sizes: tiles of the second transpose overlap tiles of the
/// first.
#[test]
fn two_hundred_random_schedules() {
    for (rows, cols) in [(14, 14), (10, 21)] {
        let signal = noise::<f64>(rows * cols, 1);
        let expected = expected(rows, cols, &signal, Direction::Forward);
        for (mut machine, name) in schedules(200) {
            let done = matrix(&mut machine, rows, cols, signal.clone(), Some(3), Direction::Forward).unwrap();
            assert!(bits(&done.spectrum) == expected, "{rows} x {cols}, {name}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_matrix_on_any_machine_is_the_model(
        (rows, cols, signal) in (1usize..20, 1usize..20, any::<bool>()).prop_flat_map(|(rows, cols, square)| {
            let cols = if square { rows } else { cols };
            let value = prop_oneof![-1e3..1e3, Just(0.0), -1e300..1e300, Just(f64::MIN_POSITIVE)];
            (Just(rows), Just(cols), prop::collection::vec((value.clone(), value), rows * cols))
        }),
        block in prop::option::of(1usize..12),
        nodes in 1usize..9,
        seed: u64,
        dual: bool,
        through_bytes: bool,
        inverse: bool,
    ) {
        let signal: Vec<_> = signal.into_iter().map(|(re, im)| Complex::new(re, im)).collect();
        let direction = if inverse { Direction::Inverse } else { Direction::Forward };
        let config = if dual { Config::Dual } else { Config::Spn };
        let mut machine = Machine::stepper(seed).nodes(nodes).config(config).through_bytes(through_bytes);
        let expected = expected(rows, cols, &signal, direction);
        let found = matrix(&mut machine, rows, cols, signal, block, direction).unwrap().spectrum;
        prop_assert_eq!(bits(&found), expected);
    }
}

/// A transform and, beside it, a function that hops around for a while and then cancels the run.
struct Interrupted;

#[threaded]
impl Interrupted {
    fn start(
        matrix: Block<Complex<f64>>,
        plan: Shared<MatrixPlan<f64>>,
        hops: u64,
        out: Reply<Done<f64>>,
        eu: &mut Eu<Self>,
    ) {
        let here = eu.node();
        eu.invoke(here, MatrixFft::call(MatrixJob::new(matrix, plan), out));
        eu.invoke(here, Cancel::call(hops));
    }
}

/// The run borrows the matrix. If it left a handle of a block anywhere, `lend` would abort the process.
#[test]
fn a_run_cancelled_in_the_middle_leaves_nothing_and_a_usable_machine() {
    for (rows, cols) in [(12, 12), (9, 16)] {
        let dealt = Dealing::of_matrix([rows, cols], [3; 2]);
        let plan = Shared::new(MatrixPlan::new(&dealt, Some(&Direction::Forward.into())).unwrap());
        let signal = noise::<f64>(rows * cols, 2);
        let expected = expected(rows, cols, &signal, Direction::Forward);
        for hops in 0..30 {
            let kinds =
                [Machine::stepper(hops), Machine::threads(2), Machine::threads(2).config(Config::Dual)];
            for mut machine in kinds {
                machine = machine.cancel_token(token_to_cancel());
                let mut lent = signal.clone();
                let ended = lend(&mut lent, rows, cols, |matrix: Block<Complex<f64>>| {
                    machine.run(|out| Interrupted::call(matrix, plan.clone(), hops, out)).map(|_| ())
                });
                assert_eq!(ended.unwrap(), Err(Error::Cancelled), "{hops} hops, {machine:?}");
                machine = machine.cancel_token(CancelToken::new());
                let done =
                    matrix(&mut machine, rows, cols, signal.clone(), Some(3), Direction::Forward).unwrap();
                assert!(bits(&done.spectrum) == expected, "{machine:?}");
            }
        }
    }
}

#[test]
fn a_refused_matrix_leaves_the_machine_as_it_was() {
    let mut machine = Machine::threads(2);
    let mut run = |rows, cols, found, block| {
        matrix(&mut machine, rows, cols, noise::<f32>(found, 1), block, Direction::Inverse)
    };
    let no_points = |dimension| PlanError::Problem(ProblemError::NoPoints(dimension)).into();
    let length = |rows, cols, found| ShapeError::Length { rows, cols, found }.into();
    for (rows, cols, found, block, error) in [
        (0, 0, 0, None, no_points(0)),
        (0, 5, 0, Some(1), no_points(0)),
        (5, 0, 0, None, no_points(1)),
        (4, 4, 15, Some(1), length(4, 4, 15)),
        (2, 3, 7, None, length(2, 3, 7)),
    ] {
        let error: TransformError = error;
        assert_eq!(run(rows, cols, found, block).unwrap_err(), error);
        assert_eq!(run(4, 4, 16, None).unwrap().spectrum.len(), 16);
    }
}

#[test]
fn a_machine_that_cannot_be_built_is_an_error() {
    let mut machine = Machine::threads(Machine::MOST_NODES + 1);
    for block in [None, Some(1)] {
        let error = matrix(&mut machine, 2, 2, noise::<f64>(4, 1), block, Direction::Forward).unwrap_err();
        let most = Machine::MOST_NODES;
        assert_eq!(error, PlanError::NoSuchMachine { nodes: most + 1, most }.into());
    }
}
