//! Plans and planners that were used before a fork.

use std::num::NonZeroUsize;

use earth_fft::{Complex, Planner, Problem};

use super::{alone, in_child};

/// Returns a planner for two nodes.
fn planner() -> Planner {
    Planner::new().algorithm("two-pass").nodes(NonZeroUsize::new(2).expect("two"))
}

/// Checks that a plan transforms ones into their sum, on nodes or in the calling thread.
macro_rules! assert_sums {
    ($plan:expr) => {{
        let mut points = [Complex::from(1.0); 64];
        $plan.process(&mut points).expect("it is a plan of 64 points");
        assert!((points[0] - Complex::from(64.0)).norm() < 1e-12 && points[63].norm() < 1e-12);
    }};
}

#[test]
fn plans_that_ran_and_plans_that_did_not_are_called_in_a_child_and_dropped() {
    let _alone = alone();
    let planner = planner();
    let problem = Problem::complex(&[8, 8]);
    let ran = planner.plan::<f64>(&problem).expect("it is a matrix");
    assert_sums!(ran);
    let new = planner.plan::<f64>(&problem).expect("it is a matrix");
    let mut all = Some((ran, new, planner));
    in_child(|| {
        let (ran, new, planner) = all.take().expect("a child has a copy");
        (0..2).for_each(|_| {
            assert_sums!(ran);
            assert_sums!(new);
        });
        assert_sums!(planner.plan::<f64>(&problem).expect("it is a matrix"));
        in_child(|| {
            assert_sums!(ran);
            assert_sums!(planner.plan::<f64>(&problem).expect("it is a matrix"));
        });
    });
    in_child(|| drop(all.take()));
    let (ran, new, _) = all.expect("the parent has its own");
    assert_sums!(ran);
    assert_sums!(new);
}

/// If another thread of the parent has taken a plan's machine, no thread of the child returns it.
#[test]
fn a_plan_whose_machine_another_thread_had_runs_in_the_calling_thread() {
    let _alone = alone();
    let planner = planner();
    let plan = planner.plan::<f64>(&Problem::complex(&[8, 8])).expect("it is a matrix");
    assert_sums!(plan);
    std::thread::scope(|scope| {
        let (stop, stopped) = std::sync::mpsc::channel::<()>();
        let (plan, planner) = (&plan, &planner);
        scope.spawn(move || {
            while stopped.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
                assert_sums!(plan);
            }
        });
        for _ in 0..20 {
            in_child(|| {
                assert_sums!(plan);
                assert_sums!(planner.plan::<f64>(&Problem::complex(&[8, 8])).expect("it is a matrix"));
            });
        }
        drop(stop);
    });
}
