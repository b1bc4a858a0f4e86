//! Many threads execute one plan while others plan.

use std::thread;

use earth_fftw::{Effort, WholeProblem};
use earth_kernels::{Direction, RowKernel, RowShape};

use super::{Standin, Subject, close, defined, noise, subjects};

#[test]
fn many_threads_execute_one_plan_while_others_plan() {
    let standin = Standin::new();
    for Subject { name, library } in &subjects(&standin) {
        let shape = RowShape { len: 48, rows: 4, distance: 50 };
        let kernel = library.plan_rows::<f32>(shape, Effort::Estimate).unwrap();
        let input = noise::<f32>(200, 9);
        let expected: Vec<_> = input.chunks(50).map(|row| defined(&row[..48], Direction::Forward)).collect();
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut scratch = kernel.scratch();
                    for _ in 0..50 {
                        let mut rows = input.clone();
                        kernel.transform_spaced(Direction::Forward, &mut rows, 50, &mut scratch);
                        for (found, expected) in rows.chunks(50).zip(&expected) {
                            close(&found[..48], expected, || format!("{name}, one of many threads"));
                        }
                    }
                });
            }
            for planner in 0..3 {
                scope.spawn(move || {
                    for n in 2..20 {
                        // Both precisions, rows and matrices share the planner.
                        let shape = RowShape::contiguous(n + planner, 2);
                        drop(library.plan_rows::<f64>(shape, Effort::Measure).unwrap());
                        drop(library.plan_rows::<f32>(shape, Effort::Estimate).unwrap());
                        let shared = WholeProblem {
                            threads: 2,
                            effort: Effort::Measure,
                            ..WholeProblem::new(&[n, planner + 1])
                        };
                        drop(library.plan_whole::<f32>(shared).unwrap());
                    }
                });
            }
        });
    }
    let counts = standin.counts();
    assert_eq!((counts.collisions, counts.misuses, counts.threads), (0, 0, 1));
    assert_eq!(counts.plans, counts.destroyed);
    assert_eq!(counts.many_rows, 200);
}
