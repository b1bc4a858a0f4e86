//! The FFT programs on ranks. What a program shares, a plan and what hangs on it, each rank makes for itself; rank 0 runs the
//! job and holds its spectrum against the definition of the transform.

use earth::{Block, Call, Machine, Reply, Shared, SharedValues, Threaded, Wire};
use earth_fft::dataflow::Done;
use earth_fft::dataflow::matrix::MatrixPlan;
use earth_fft::dataflow::matrix::dealing::Dealing;
use earth_fft::dataflow::receiver::{Asking, ReceiverFft, ReceiverJob, ReceiverPlan};
use earth_fft::dataflow::rectangle::{RectangleFft, RectangleJob};
use earth_fft::dataflow::sender::{SenderFft, SenderJob, SenderPlan};
use earth_fft::dataflow::square::{SquareFft, SquareJob};
use earth_fft::dataflow::transpose::{Arrays, Form, TransposeFft, TransposeJob, TransposePlan};
use earth_fft::dataflow::two_pass::{TwoPassFft, TwoPassJob, TwoPassPlan};
use earth_fft::{Algorithm, Effort, Kernel, Problem};
use earth_kernels::{Direction, bound, dft, dft_2d, inverse_dft, inverse_dft_2d, relative_error};
use earth_tests::{BOTH, noise};
use num_complex::Complex;

use crate::Outcome;

/// The points of a signal, and the rows and columns of a matrix and of a square.
const POINTS: usize = 256;
const MATRIX: [usize; 2] = [15, 12];
const SQUARE: usize = 12;

/// Every program, in both directions.
pub(crate) fn transforms(machine: &mut Machine, rank: usize) -> Outcome {
    for direction in BOTH {
        lines(machine, rank, direction)?;
        matrices(machine, rank, direction)?;
    }
    Ok(())
}

fn lines(machine: &mut Machine, rank: usize, direction: Direction) -> Outcome {
    let signal = noise::<f64>(POINTS, 7);
    let expected = match direction {
        Direction::Forward => dft(&signal),
        Direction::Inverse => inverse_dft(&signal),
    };
    let points = || Block::from_vec(1, POINTS, signal.clone());
    for block in [16, POINTS] {
        let job = SenderJob::new(
            points()?,
            Shared::new(SenderPlan::new(POINTS, block, direction)?),
            machine.node_count(),
        );
        holds(machine, rank, job.shared(), |out| SenderFft::call(job, out), &expected)?;
    }
    for asking in [Asking::Tree, Asking::Shared] {
        let plan = ReceiverPlan::new(POINTS, machine.node_count(), direction, asking)?;
        let job = ReceiverJob::new(points()?, Shared::new(plan));
        holds(machine, rank, job.shared(), |out| ReceiverFft::call(job, out), &expected)?;
    }
    for algorithm in [Algorithm::Transpose, Algorithm::Ffte] {
        let form = Form::of(algorithm, POINTS).expect("it is a power of two");
        let problem = Problem::complex(&[POINTS]).direction(direction);
        let plan = TransposePlan::new(&problem, form, [3, 5], &Kernel::Earth, Effort::default())?;
        let arrays = Arrays { series: points()?, result: None, last: None, aside: Some(points()?) };
        let job = TransposeJob::new(arrays, Shared::new(plan));
        holds(machine, rank, job.shared(), |out| TransposeFft::call(job, out), &expected)?;
    }
    Ok(())
}

fn matrices(machine: &mut Machine, rank: usize, direction: Direction) -> Outcome {
    let definition = |rows, cols, points: &[Complex<f64>]| match direction {
        Direction::Forward => dft_2d(rows, cols, points),
        Direction::Inverse => inverse_dft_2d(rows, cols, points),
    };
    let plan = |sides: [usize; 2], blocks| {
        MatrixPlan::new(&Dealing::of_matrix(sides, blocks), &direction.into()).map(Shared::new)
    };
    let [rows, cols] = MATRIX;
    let points = noise::<f64>(rows * cols, 8);
    let expected = definition(rows, cols, &points);
    let problem = Problem::complex(&MATRIX).direction(direction);
    let two_passes = TwoPassPlan::new(&problem, [4, 5], &Kernel::Earth, Effort::default())?;
    let job = TwoPassJob::new(Block::from_vec(rows, cols, points.clone())?, Shared::new(two_passes));
    holds(machine, rank, job.shared(), |out| TwoPassFft::call(job, out), &expected)?;
    let job = RectangleJob::new(Block::from_vec(rows, cols, points)?, plan(MATRIX, [4, 5])?);
    holds(machine, rank, job.shared(), |out| RectangleFft::call(job, out), &expected)?;

    let points = noise::<f64>(SQUARE * SQUARE, 9);
    let expected = definition(SQUARE, SQUARE, &points);
    let job = SquareJob::new(Block::from_vec(SQUARE, SQUARE, points)?, plan([SQUARE; 2], [5, 5])?);
    holds(machine, rank, job.shared(), |out| SquareFft::call(job, out), &expected)
}

/// Runs a program on rank 0, where its spectrum must be the one that is expected, and serves the run on another rank.
fn holds<F: Threaded, O: Wire + Into<Done<f64>>>(
    machine: &mut Machine,
    rank: usize,
    shared: SharedValues,
    main: impl FnOnce(Reply<O>) -> Call<F>,
    expected: &[Complex<f64>],
) -> Outcome {
    if rank > 0 {
        assert!(machine.serve_with(shared)?.is_some(), "rank 0 runs as many programs as are served");
        return Ok(());
    }
    let done: Done<f64> = machine.run_with(shared, main)?.value.into();
    let spectrum = done.spectrum.into_vec();
    let error = relative_error(&spectrum, expected);
    assert!(error <= bound::<f64>(expected.len()), "{}: {error:e}", std::any::type_name::<F>());
    Ok(())
}
