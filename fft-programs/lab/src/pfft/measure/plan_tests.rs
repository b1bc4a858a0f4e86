use earth_papers::partition::Point;
use proptest::prelude::*;

use super::*;

fn sizes(plan: &Plan) -> Vec<(usize, usize)> {
    plan.sizes().map(|size| (size.rows, size.length)).collect()
}

fn measure(function: &mut SpeedFunction, size: Size, mean: f64) {
    let point = Point { mean, half_width: 0.0, repetitions: 10, normality: None };
    function.insert(size, point).unwrap();
}

#[test]
fn a_full_plan_has_all_multiples_below_the_diagonal() {
    let plan = Plan::full(400, 128).unwrap();
    assert_eq!(sizes(&plan), [(128, 128), (128, 256), (256, 256), (128, 384), (256, 384), (384, 384)]);
    // The paper's plan: 500 steps.
    assert_eq!(Plan::full(64_000, 128).unwrap().sizes().count(), 500 * 501 / 2);
    assert_eq!(sizes(&plan.within(128 * 256)), [(128, 128), (128, 256)]);
    // Rows of one point are left out.
    assert_eq!(sizes(&Plan::full(2, 1).unwrap()), [(1, 2), (2, 2)]);
}

#[test]
fn a_partial_plan_goes_outward_from_the_balanced_share() {
    let rows = |plan: Plan| sizes(&plan).into_iter().map(|(rows, _)| rows).collect::<Vec<_>>();
    let plan = Plan::around(1024, 4096, 4, 128).unwrap();
    assert!(plan.sizes().all(|size| size.length == 4096));
    assert_eq!(rows(plan), [256, 128, 384, 512, 640, 768, 896, 1024]);
    // 1000/3 = 333.3 is nearer to 300 than to 400.
    assert_eq!(
        rows(Plan::around(1000, 8, 3, 100).unwrap()),
        [300, 400, 200, 500, 100, 600, 700, 800, 900, 1000]
    );
    // A share below the step.
    assert_eq!(rows(Plan::around(300, 8, 10, 128).unwrap()), [128, 256]);
}

#[test]
fn a_plan_goes_on_behind_what_is_there() {
    let plan = Plan::around(1024, 64, 2, 256).unwrap();
    let size = |rows| Size { length: 64, rows };
    let (mut one, mut other) = (SpeedFunction::new(), SpeedFunction::new());
    measure(&mut one, size(512), 1.0);
    measure(&mut other, size(512), 2.0);
    // Only one group has the first size; the second size was not planned.
    measure(&mut one, size(256), 7.0);
    measure(&mut one, Size { length: 32, rows: 1 }, 50.0);
    measure(&mut other, Size { length: 32, rows: 1 }, 50.0);
    let mut progress = plan.resume(&[one, other]);
    assert_eq!(progress.left(), 3);
    assert_eq!((progress.next(), progress.left()), (Some(size(256)), 2));
    assert_eq!(progress.collect::<Vec<_>>(), [size(768), size(1024)]);
    assert_eq!(plan.resume(&[]).left(), 4);
}

#[test]
fn plans_that_measure_nothing_are_refused() {
    assert_eq!(Plan::full(100, 128), Err(SizesError::BadStep { step: 128, most: 100 }));
    assert_eq!(Plan::full(100, 0), Err(SizesError::BadStep { step: 0, most: 100 }));
    assert_eq!(Plan::full(1, 1), Err(SizesError::BadLength { length: 1 }));
    assert_eq!(Plan::around(100, 64, 2, 101), Err(SizesError::BadStep { step: 101, most: 100 }));
    assert_eq!(Plan::around(100, 1, 2, 10), Err(SizesError::BadLength { length: 1 }));
    assert_eq!(Plan::around(100, 64, 0, 10), Err(SizesError::NoGroups));
}

proptest! {
    /// All multiples occur once, in order of distance.
    #[test]
    fn outward_is_a_sort_by_distance(rows in 1..2_000_usize, groups in 1..9_usize, step in 1..300_usize) {
        let mut expected: Vec<_> = (1..=rows / step).map(|k| k * step).collect();
        expected.sort_by_key(|&x| ((x * groups).abs_diff(rows), x));
        prop_assert_eq!(outward(rows, groups, step).collect::<Vec<_>>(), expected);
    }
}
