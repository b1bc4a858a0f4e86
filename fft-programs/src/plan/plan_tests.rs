use std::num::NonZeroUsize;

use super::*;
use crate::{Planner, Policy};

/// Checks that a call does not wait for a held machine: the calling thread does all the work, by passes that
/// the call plans.
#[test]
fn a_busy_machine_is_not_waited_for() {
    let planner = Planner::new().algorithm("two-pass").nodes(NonZeroUsize::MIN.saturating_add(1));
    let plan = planner.plan::<f64>(&Problem::complex(&[6, 6])).unwrap();
    let mut points = vec![Complex::from(0.0); 36];
    plan.process(&mut points).unwrap();
    assert!(plan.alone.get().is_none());
    assert!(plan.to_string().ends_with("\n  passes planned by the first such call"), "{plan}");
    points.fill(Complex::from(1.0));
    let machine = Arc::clone(&plan.on_nodes.as_ref().unwrap().machine);
    let held = machine.lock();
    assert!(!plan.by_nodes(&mut Slices::InPlace(&mut points)).unwrap());
    plan.process(&mut points).unwrap();
    assert!((points[0] - Complex::from(36.0)).norm() < 1e-12 && points[35].norm() < 1e-12);
    assert!(plan.to_string().contains("complex transform of 6 x 6 points of f64"), "{plan}");
    drop(held);
    assert!(plan.by_nodes(&mut Slices::InPlace(&mut points)).unwrap());
}

#[test]
fn the_machine_has_the_requested_settings_and_does_not_bind_its_caller() {
    let policy = Policy { feed: 3, ..Policy::default() };
    let planner = Planner::new().algorithm("two-pass").config(Config::Dual).policy(policy);
    let plan = planner.nodes(NonZeroUsize::MIN).plan::<f64>(&Problem::complex(&[4, 4])).unwrap();
    assert_eq!((plan.nodes(), plan.why()), (Some(1), Why::Named));
    let machine = format!("{:?}", plan.on_nodes.unwrap().machine.lock());
    let settings = [
        "nodes: 1,".to_owned(),
        "config: Dual,".to_owned(),
        format!("{policy:?}"),
        "pin_caller: false,".to_owned(),
    ];
    for setting in settings {
        assert!(machine.contains(&setting), "{machine}");
    }
}

#[test]
fn plans_of_a_planner_share_the_machine_of_as_many_nodes() {
    let planner = Planner::new().algorithm("two-pass");
    let machine = |planner: &Planner, nodes: usize| {
        let planner = planner.clone().nodes(NonZeroUsize::new(nodes).unwrap());
        let plan = planner.plan::<f64>(&Problem::complex(&[4, 4])).unwrap();
        Arc::clone(&plan.on_nodes.unwrap().machine)
    };
    let [two, three, again] = [2, 3, 2].map(|nodes| machine(&planner, nodes));
    assert!(Arc::ptr_eq(&two, &again) && !Arc::ptr_eq(&two, &three));
    let other = machine(&planner.clone().config(Config::Dual), 2);
    assert!(!Arc::ptr_eq(&two, &other));
    // The planner keeps no machine.
    let weak = Arc::downgrade(&two);
    drop((two, again));
    assert!(weak.upgrade().is_none());
}
