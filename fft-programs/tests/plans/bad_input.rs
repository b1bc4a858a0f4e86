//! Checks problems that cannot be planned and calls that fail: one sentence, a typed error, and unchanged
//! memory.

use earth::Machine;
use earth_fft::kernel::Kernel;
use earth_fft::{
    CallError, Complex, ComplexToReal, Layout, Plan, PlanError, Planner, Problem, ProblemError,
    RealToComplex, TransformError,
};
use earth_papers::{Grouped, Groups};
use snapbox::{IntoData, assert_data_eq, str};

use crate::nodes;
use crate::oracle::noise;

#[track_caller]
fn refused(planner: &Planner, problem: &Problem, said: impl IntoData) -> PlanError {
    let error = planner.plan::<f64>(problem).map(|plan| plan.to_string()).unwrap_err();
    assert_data_eq!(error.to_string(), said);
    error
}

#[test]
fn problems_that_are_none() {
    let planner = earth_papers::planner();
    let layout = |strides: &[usize]| Layout { strides: strides.to_vec(), distance: 1 };
    for (problem, said) in [
        (Problem::complex(&[]), str!["a transform has 1 to 3 dimensions, not 0"]),
        (Problem::complex(&[2; 4]), str!["a transform has 1 to 3 dimensions, not 4"]),
        (Problem::complex(&[4, 0]), str!["dimension 1 has length 0"]),
        (Problem::complex(&[4, 4]).layout(layout(&[1])), str!["the input has 1 strides for 2 dimensions"]),
        (Problem::complex(&[4]).output(layout(&[0])), str!["the output has a stride of 0"]),
        (Problem::complex(&[4, 4]).layout(layout(&[2, 1])), str!["elements of the output overlap"]),
        (
            Problem::complex(&[1 << 20, 1 << 20, 1 << 20]),
            str!["the input spans more points than any memory holds"],
        ),
        (
            Problem::complex(&[4]).input(layout(&[usize::MAX])),
            str!["the input spans more points than any memory holds"],
        ),
    ] {
        assert!(matches!(refused(&planner, &problem, said), PlanError::Problem(_)), "{problem}");
    }
    let twice = Problem::complex(&[8]).batch(2).output(Layout { strides: vec![1], distance: 7 });
    let error = refused(&planner, &twice, str!["elements of the output overlap"]);
    assert_eq!(error, PlanError::Problem(ProblemError::Overlap(earth_serial::Array::Output)));
}

/// Checks that a slice of another length is refused by nodes and by the calling thread, and is unchanged.
#[test]
fn slices_of_other_lengths() {
    for planner in [
        earth_papers::planner().nodes(nodes(1)),
        earth_papers::planner().algorithm("two-pass").nodes(nodes(2)),
    ] {
        let plan = planner.plan::<f64>(&Problem::complex(&[6, 4])).unwrap();
        let there = planner.plan_real_to_complex::<f64>(&Problem::real_to_complex(&[6, 4]).padded()).unwrap();
        let back = planner.plan_complex_to_real::<f64>(&Problem::complex_to_real(&[6, 4])).unwrap();
        let short = |array: &str, given: usize, needed: usize| {
            format!("the {array} has {given} elements where {needed} are needed")
        };
        let said = |called: Result<(), TransformError>| called.unwrap_err().to_string();
        for given in [0, 23, 25, 48] {
            let (mut points, mut scratch) = (noise::<f64>(given), noise(plan.scratch_len()));
            let before = points.clone();
            assert_eq!(said(plan.process(&mut points)), short("array", given, 24));
            assert_eq!(said(plan.process_with_scratch(&mut points, &mut scratch)), short("array", given, 24));
            assert_eq!(said(plan.process_out_of_place(&before, &mut noise(24))), short("input", given, 24));
            assert_eq!(said(plan.process_out_of_place(&noise(24), &mut points)), short("output", given, 24));
            assert_eq!(points, before);
            let mut numbers = vec![1.0; given];
            assert_eq!(said(back.process(&mut noise(18), &mut numbers)), short("output", given, 24));
            assert_eq!(said(back.process(&mut points, &mut [0.0; 24])), short("input", given, 18));
            assert_eq!(numbers, vec![1.0; given]);
        }
        for given in [35, 37, 72] {
            assert_eq!(said(there.process_padded(&mut vec![1.0; given])), short("array", given, 36));
        }
        // The last row of numbers need not be padded, and its padding is a part of the array.
        for given in 34..=36 {
            there.process(&vec![1.0; given], &mut noise(18)).unwrap();
        }
        assert_eq!(said(there.process(&[1.0; 37], &mut noise(18))), short("input", 37, 34));
    }
}

/// Checks that an empty batch is valid and has no effect.
#[test]
fn empty_batches_have_no_effect() {
    let planner = earth_papers::planner().effort(earth_fft::Effort::Measure);
    for planner in [planner.clone().effort(None), planner] {
        let plan = planner.plan::<f64>(&Problem::complex(&[3, 4]).batch(0)).unwrap();
        plan.process(&mut []).unwrap();
        plan.process_out_of_place(&[], &mut []).unwrap();
        plan.process_with_scratch(&mut [], &mut noise(plan.scratch_len())).unwrap();
        assert!(plan.to_string().starts_with("0 times 3 x 4 points"), "{plan}");
        let refused = plan.process(&mut noise(12)).unwrap_err();
        assert_data_eq!(refused.to_string(), str!["the array has 12 elements where 0 are needed"]);
        assert!(plan.run_on(&mut Machine::stepper(1), Vec::new()).unwrap().output.into_vec().is_empty());
        let there = planner.plan_real_to_complex::<f64>(&Problem::real_to_complex(&[5]).batch(0)).unwrap();
        there.process(&[], &mut []).unwrap();
        let back = planner.plan_complex_to_real::<f64>(&Problem::complex_to_real(&[5]).batch(0)).unwrap();
        back.process(&mut [], &mut []).unwrap();
    }
}

/// Checks that rows whose tables no memory holds are refused before any allocation.
#[test]
fn rows_that_are_too_long() {
    for lengths in [&[1 << 46][..], &[2, 1 << 46]] {
        let error = earth_papers::planner().plan::<f64>(&Problem::complex(lengths)).map(drop).unwrap_err();
        assert!(matches!(error, PlanError::TooLittleMemory { .. }), "{error}");
    }
}

#[test]
fn requests_that_a_program_refuses() {
    let by = |algorithm| earth_papers::planner().algorithm(algorithm).nodes(nodes(2));
    let matrix = Problem::complex(&[4, 4]);
    for (algorithm, problem, said) in [
        (
            "sender",
            Problem::complex(&[12]),
            str!["the algorithm 'sender' needs a power of two of samples, not 12; 'auto' takes any number"],
        ),
        (
            "receiver",
            Problem::complex(&[1]),
            str![
                "the algorithm 'receiver' runs on a power of two of nodes, at most one for each of the 1 samples, not on 2"
            ],
        ),
        (
            "sender",
            matrix.clone(),
            str!["the algorithm 'sender' transforms one series; 'auto' takes matrices, too"],
        ),
        (
            "grouped",
            Problem::complex(&[16]),
            str!["the algorithm 'grouped' transforms matrices and images; 'auto' takes both"],
        ),
        (
            "grouped",
            matrix.clone().batch(2),
            str!["the algorithm 'grouped' transforms one matrix without gaps; 'auto' takes any problem"],
        ),
        (
            "grouped",
            Problem::complex(&[4, 4, 4]),
            str!["the algorithm 'grouped' transforms one matrix without gaps; 'auto' takes any problem"],
        ),
    ] {
        refused(&by(algorithm), &problem, said);
    }
    refused(
        &earth_papers::planner().nodes(nodes(1025)),
        &matrix,
        str!["a machine has 1 to 1024 nodes, not 1025"],
    );
    let nowhere = earth_papers::planner().kernel(Kernel::File("/nowhere/libfftw3.so".into()));
    let error = nowhere.plan::<f32>(&matrix).map(drop).unwrap_err();
    assert!(matches!(error, PlanError::Kernel(_)), "{error}");
}

/// Checks that a call that fails leaves all slices unchanged.
#[test]
fn slices_that_do_not_fit() {
    for planner in [earth_papers::planner(), earth_papers::planner().nodes(nodes(2))] {
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
            str!["the array has 47 elements where 48 are needed"],
            str!["the array has 47 elements where 48 are needed"],
            str!["the output has 47 elements where 48 are needed"],
            str!["the input has 47 elements where 48 are needed"],
        ];
        for (failure, sentence) in failures.into_iter().zip(said) {
            assert_data_eq!(failure.unwrap_err().to_string(), sentence);
        }
        let needed = scratch.len();
        let given = needed.checked_sub(1).unwrap();
        assert_eq!(
            plan.process_with_scratch(&mut whole, &mut scratch[1..]),
            Err(TransformError::Call(CallError::Scratch { given, needed }))
        );
        assert_eq!((&short[..], &whole), (&points[..47], &points));
    }
}

/// Checks that real problems are refused like complex ones, in both directions.
#[test]
fn real_problems_that_are_none() {
    let layout = |strides: &[usize], distance| Layout { strides: strides.to_vec(), distance };
    let refused = |there: Problem<RealToComplex>, back: Problem<ComplexToReal>, planner: &Planner| {
        let there = planner.plan_real_to_complex::<f64>(&there).map(|plan| plan.to_string()).unwrap_err();
        let back = planner.plan_complex_to_real::<f64>(&back).map(|plan| plan.to_string()).unwrap_err();
        [there, back]
    };
    let planner = earth_papers::planner();
    for (lengths, said) in [
        (&[][..], str!["a transform has 1 to 3 dimensions, not 0"]),
        (&[2; 4], str!["a transform has 1 to 3 dimensions, not 4"]),
        (&[0, 4], str!["dimension 0 has length 0"]),
        (&[1 << 21; 3], str!["the input spans more points than any memory holds"]),
    ] {
        let [there, back] =
            refused(Problem::real_to_complex(lengths), Problem::complex_to_real(lengths).padded(), &planner);
        assert_data_eq!(there.to_string(), said.clone());
        assert_data_eq!(back.to_string().replace("output", "input"), said);
    }
    let (there, back) =
        (Problem::real_to_complex(&[6, 4]).batch(2), Problem::complex_to_real(&[6, 4]).batch(2));
    let output = earth_serial::Array::Output;
    for ([rows, distance], error) in [
        ([[2, 2], [100, 100]], ProblemError::Overlap(output)),
        // The last row of a transform overlaps the next transform.
        ([[3, 4], [17, 23]], ProblemError::Overlap(output)),
    ] {
        let [near, nearer] = [0, 1].map(|which| layout(&[rows[which], 1], distance[which]));
        let found = refused(there.clone().output(near), back.clone().output(nearer), &planner);
        assert_eq!(found, [PlanError::Problem(error), PlanError::Problem(error)]);
    }
    let huge = layout(&[usize::MAX / 2, 1], 1);
    let errors = refused(there.clone().input(huge.clone()), back.clone().input(huge), &planner);
    assert!(
        errors.iter().all(|error| matches!(error, PlanError::Problem(ProblemError::TooLarge(_)))),
        "{errors:?}"
    );

    let long = refused(Problem::real_to_complex(&[1 << 46]), Problem::complex_to_real(&[1 << 46]), &planner);
    assert!(long.iter().all(|error| matches!(error, PlanError::TooLittleMemory { .. })));
    let groups = planner.clone().with(Grouped::new().groups(Groups::default()));
    for (planner, name) in [(planner.algorithm("sender"), "sender"), (groups, "grouped")] {
        let named = refused(there.clone(), back.clone(), &planner);
        let said =
            format!("the algorithm '{name}' transforms complex points; 'auto' takes real numbers, too");
        assert_eq!(named.map(|error| error.to_string()), [said.clone(), said]);
    }
    let phantom =
        earth_papers::planner().phantom().plan_real_to_complex::<f64>(&Problem::real_to_complex(&[4]));
    let refused = phantom.unwrap().process(&[0.0; 4], &mut [Complex::default(); 3]);
    assert_eq!(refused, Err(TransformError::Phantom));
}

/// Checks that a real call that fails leaves all slices unchanged.
#[test]
fn real_slices_that_do_not_fit() {
    let planner = earth_papers::planner();
    let forward = planner.plan_real_to_complex::<f64>(&Problem::real_to_complex(&[6, 5])).unwrap();
    let inverse = planner.plan_complex_to_real::<f64>(&Problem::complex_to_real(&[6, 5])).unwrap();
    let (mut numbers, mut spectrum) = (vec![1.5; 30], noise::<f64>(18));
    let before = (numbers.clone(), spectrum.clone());
    let mut scratch = noise(forward.scratch_len());
    let failures = [
        forward.process(&numbers[1..], &mut spectrum),
        forward.process(&numbers, &mut spectrum[1..]),
        forward.process_with_scratch(&numbers, &mut spectrum, &mut scratch[1..]),
        forward.process_padded(&mut numbers),
        inverse.process(&mut spectrum[1..], &mut numbers),
        inverse.process(&mut spectrum, &mut numbers[1..]),
        inverse.process_with_scratch(&mut spectrum, &mut numbers, &mut []),
        inverse.process_padded(&mut numbers),
    ];
    let said = [
        str!["the input has 29 elements where 30 are needed"],
        str!["the output has 17 elements where 18 are needed"],
        str!["the scratch has [..] points where [..] are needed"],
        str!["a transform in place needs the same layout for its input and its output"],
        str!["the input has 17 elements where 18 are needed"],
        str!["the output has 29 elements where 30 are needed"],
        str!["the scratch has 0 points where [..] are needed"],
        str!["a transform in place needs the same layout for its input and its output"],
    ];
    for (failure, sentence) in failures.into_iter().zip(said) {
        assert_data_eq!(failure.unwrap_err().to_string(), sentence);
    }
    assert_eq!((numbers, spectrum), before);
    let padded = planner.plan_real_to_complex::<f64>(&Problem::real_to_complex(&[6, 5]).padded()).unwrap();
    let refused = padded.process_padded(&mut [0.0; 35]).unwrap_err();
    assert_data_eq!(refused.to_string(), str!["the array has 35 elements where 36 are needed"]);
}

#[test]
fn layouts_that_differ_have_no_transform_in_place() {
    let transposed = Layout { strides: vec![1, 4], distance: 1 };
    let plan: Plan<f64> =
        earth_papers::planner().plan(&Problem::complex(&[4, 4]).output(transposed)).unwrap();
    let mut points = noise::<f64>(16);
    let failed = plan.process(&mut points).unwrap_err();
    assert_data_eq!(
        failed.to_string(),
        str!["a transform in place needs the same layout for its input and its output"]
    );
    assert_eq!(points, noise::<f64>(16));
    let refused = plan.run_on(&mut Machine::stepper(1), points).map(drop).unwrap_err();
    assert_eq!(refused, TransformError::Gaps);
}

#[test]
fn machines_and_points_that_a_run_cannot_have() {
    let plan: Plan<f64> = earth_papers::planner().nodes(nodes(2)).plan(&Problem::complex(&[4, 4])).unwrap();
    let run = |nodes, count| plan.run_on(&mut Machine::stepper(1).nodes(nodes), noise(count)).map(drop);
    assert_eq!(run(2, 16), Ok(()));
    assert_data_eq!(
        run(3, 16).unwrap_err().to_string(),
        str!["the plan is for 2 nodes, and the machine has 3"]
    );
    for count in [15, 17] {
        assert!(matches!(run(2, count), Err(TransformError::Shape(_))), "{count}");
    }
    let alone: Plan<f64> = earth_papers::planner().plan(&Problem::complex(&[16])).unwrap();
    for count in [15, 17] {
        let points = vec![Complex::from(1.0); count];
        let refused = alone.run_on(&mut Machine::stepper(1), points).map(drop);
        assert!(matches!(refused, Err(TransformError::Shape(_))), "{refused:?}");
    }
}
