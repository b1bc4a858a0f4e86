//! What cannot be planned or called: one sentence, a typed error, and nothing written.

use earth::Machine;
use earth_fft::kernel::Kernel;
use earth_fft::request::Refusal;
use earth_fft::{
    Algorithm, CallError, Complex, Layout, Plan, PlanError, Planner, Problem, ProblemError, TransformError,
};

use crate::nodes;
use crate::oracle::noise;

#[track_caller]
fn refused(planner: &Planner, problem: &Problem, said: &str) -> PlanError {
    let error = planner.plan::<f64>(problem).map(|plan| plan.to_string()).unwrap_err();
    assert_eq!(error.to_string(), said);
    error
}

#[test]
fn problems_that_are_none() {
    let planner = Planner::new();
    let layout = |strides: &[usize]| Layout { strides: strides.to_vec(), distance: 1 };
    for (problem, said) in [
        (Problem::complex(&[]), "a transform has 1 to 3 dimensions, not 0"),
        (Problem::complex(&[2; 4]), "a transform has 1 to 3 dimensions, not 4"),
        (Problem::complex(&[4, 0]), "dimension 1 has length 0"),
        (Problem::complex(&[4]).batch(0), "a batch has at least one transform"),
        (Problem::complex(&[4, 4]).layout(layout(&[1])), "the input has 1 strides for 2 dimensions"),
        (Problem::complex(&[4]).output(layout(&[0])), "the output has a stride of 0"),
        (Problem::complex(&[4, 4]).layout(layout(&[2, 1])), "elements of the output overlap"),
        (Problem::complex(&[1 << 20, 1 << 20, 1 << 20]), "the input spans more points than any memory holds"),
        (
            Problem::complex(&[4]).input(layout(&[usize::MAX])),
            "the input spans more points than any memory holds",
        ),
    ] {
        assert!(matches!(refused(&planner, &problem, said), PlanError::Problem(_)), "{problem}");
    }
    let twice = Problem::complex(&[8]).batch(2).output(Layout { strides: vec![1], distance: 7 });
    let error = refused(&planner, &twice, "elements of the output overlap");
    assert_eq!(error, PlanError::Problem(ProblemError::Overlap(earth_serial::Array::Output)));
}

/// Rows whose tables no memory holds are refused before they are asked for.
#[test]
fn rows_that_are_too_long() {
    for lengths in [&[1 << 46][..], &[2, 1 << 46]] {
        let error = Planner::new().plan::<f64>(&Problem::complex(lengths)).map(drop).unwrap_err();
        assert!(matches!(error, PlanError::Refused(Refusal::TooLittleMemory { .. })), "{error}");
    }
}

#[test]
fn what_a_program_cannot_do() {
    let by = |algorithm| Planner::new().algorithm(algorithm).nodes(nodes(2));
    let matrix = Problem::complex(&[4, 4]);
    for (algorithm, problem, said) in [
        (
            Algorithm::Sender,
            Problem::complex(&[12]),
            "the algorithm 'sender' takes a power of two of samples and there are 12; 'auto' takes any number",
        ),
        (
            Algorithm::Receiver,
            Problem::complex(&[1]),
            "the algorithm 'receiver' runs on a power of two of nodes, at most one for each of the 1 samples, not on 2",
        ),
        (
            Algorithm::Sender,
            matrix.clone(),
            "the algorithm 'sender' transforms one series; 'grouped' and 'auto' take matrices",
        ),
        (
            Algorithm::Grouped,
            Problem::complex(&[16]),
            "the algorithm 'grouped' transforms matrices and images; 'auto' takes both",
        ),
        (
            Algorithm::Grouped,
            matrix.clone().batch(2),
            "the algorithm 'grouped' transforms one series or matrix without gaps; 'auto' takes any problem",
        ),
        (
            Algorithm::Grouped,
            Problem::complex(&[4, 4, 4]),
            "the algorithm 'grouped' transforms one series or matrix without gaps; 'auto' takes any problem",
        ),
    ] {
        refused(&by(algorithm), &problem, said);
    }
    refused(&Planner::new().nodes(nodes(1025)), &matrix, "a machine has 1 to 1024 nodes, not 1025");
    let nowhere = Planner::new().kernel(Kernel::File("/nowhere/libfftw3.so".into()));
    let error = nowhere.plan::<f32>(&matrix).map(drop).unwrap_err();
    assert!(matches!(error, PlanError::Kernel(_)), "{error}");
}

/// A call that can do nothing writes nothing.
#[test]
fn slices_that_do_not_fit() {
    for planner in [Planner::new(), Planner::new().nodes(nodes(2))] {
        let plan: Plan<f64> = planner.plan(&Problem::complex(&[6, 8])).unwrap();
        let points = noise::<f64>(48);
        let (mut short, mut whole, mut scratch) =
            (points[..47].to_vec(), points.clone(), noise(plan.scratch_len()));
        let failures = [
            plan.process(&mut short),
            plan.process_with_scratch(&mut short, &mut scratch),
            plan.process_out_of_place(&points, &mut short),
            plan.process_out_of_place(&points[..47], &mut whole),
        ];
        let said = [
            "the array has 47 elements where 48 are needed",
            "the array has 47 elements where 48 are needed",
            "the output has 47 elements where 48 are needed",
            "the input has 47 elements where 48 are needed",
        ];
        assert_eq!(failures.map(|failure| failure.unwrap_err().to_string()), said);
        let needed = scratch.len();
        let given = needed.checked_sub(1).unwrap();
        assert_eq!(
            plan.process_with_scratch(&mut whole, &mut scratch[1..]),
            Err(TransformError::Call(CallError::Scratch { given, needed }))
        );
        assert_eq!((&short[..], &whole), (&points[..47], &points));
    }
}

#[test]
fn layouts_that_differ_have_no_transform_in_place() {
    let transposed = Layout { strides: vec![1, 4], distance: 1 };
    let plan: Plan<f64> = Planner::new().plan(&Problem::complex(&[4, 4]).output(transposed)).unwrap();
    let mut points = noise::<f64>(16);
    let failed = plan.process(&mut points).unwrap_err();
    assert_eq!(failed.to_string(), "a transform in place needs an output that lies as its input does");
    assert_eq!(points, noise::<f64>(16));
    let refused = plan.run_on(&mut Machine::stepper(1), points).map(drop).unwrap_err();
    assert_eq!(refused, TransformError::Gaps);
}

#[test]
fn machines_and_points_that_a_run_cannot_have() {
    let plan: Plan<f64> = Planner::new().nodes(nodes(2)).plan(&Problem::complex(&[4, 4])).unwrap();
    let run = |nodes, count| plan.run_on(&mut Machine::stepper(1).nodes(nodes), noise(count)).map(drop);
    assert_eq!(run(2, 16), Ok(()));
    assert_eq!(run(3, 16).unwrap_err().to_string(), "the plan is for 2 nodes, and the machine has 3");
    for count in [15, 17] {
        assert!(matches!(run(2, count), Err(TransformError::Shape(_))), "{count}");
    }
    let alone: Plan<f64> = Planner::new().plan(&Problem::complex(&[16])).unwrap();
    for count in [15, 17] {
        let points = vec![Complex::from(1.0); count];
        let refused = alone.run_on(&mut Machine::stepper(1), points).map(drop);
        assert!(matches!(refused, Err(TransformError::Shape(_))), "{refused:?}");
    }
}
