//! Checks a solver of another crate: plans, directions, norms, wisdom and verification treat it like a solver
//! of this crate.

use std::time::Duration;

use earth_fft::{Complex, Direction, Effort, Norm, Planner, Problem, Why, Wisdom, verified};

use super::nodes;
use super::oracle::noise;
use example::ByDefinition;

#[path = "../../examples/own_solver.rs"]
#[expect(dead_code, reason = "only the example runs its main function")]
mod example;

#[test]
fn its_plans_are_verified() {
    let planner = Planner::new().with(ByDefinition);
    for (n, norm) in [(1, Norm::Backward), (12, Norm::Ortho), (31, Norm::Forward)] {
        for direction in [Direction::Forward, Direction::Inverse] {
            let problem = Problem::complex(&[n]).direction(direction).norm(norm);
            let plan = planner.plan::<f64>(&problem).unwrap();
            assert_eq!((plan.algorithm(), plan.nodes()), ("definition", Some(1)));
            let samples: Vec<Complex<f64>> = noise(n);
            let mut spectrum = samples.clone();
            plan.process(&mut spectrum).unwrap();
            let scale = Norm::Backward.factor(direction, n as f64) / norm.factor(direction, n as f64);
            for bin in &mut spectrum {
                *bin *= scale;
            }
            let verified = verified(&[n], &samples, &spectrum, direction, 1);
            assert!(verified.holds(), "{n} {direction:?}: {verified:?}");
        }
    }
}

#[test]
fn it_refuses_by_its_name() {
    let planner = Planner::new().with(ByDefinition);
    let error = planner.plan::<f64>(&Problem::complex(&[4, 4])).unwrap_err();
    assert!(error.to_string().contains("definition"), "{error}");
}

#[test]
fn wisdom_keeps_it_for_planners_that_know_it() {
    let (wisdom, problem) = (Wisdom::new(), Problem::complex(&[8]));
    let planner = Planner::new().with(ByDefinition).algorithm("auto").nodes(nodes(2)).wisdom(wisdom.clone());
    // It pays for so few points, and the time limit leaves no time for other candidates.
    let measuring = planner.clone().effort(Effort::Measure).time_limit(Duration::ZERO);
    assert_eq!(measuring.plan::<f64>(&problem).unwrap().measured().len(), 1);
    let read: Wisdom = wisdom.to_string().parse().unwrap();
    let taken = planner.wisdom(read.clone()).plan::<f64>(&problem).unwrap();
    assert_eq!((taken.algorithm(), taken.why()), ("definition", Why::Unbeaten));
    let unaware = Planner::new().nodes(nodes(2)).wisdom(read).plan::<f64>(&problem).unwrap();
    assert_ne!(unaware.algorithm(), "definition");
}
