//! The whole program compared with the definition, on real cores, and its refusals.

use earth::{Config, Machine};
use earth_fft::{PlanError, Precision, ProblemError};
use earth_kernels::{Direction, bound, relative_error};
use earth_papers::receiver::RequestMode;
use earth_tests::{noise, powers, receiver};

use super::everywhere::ASKINGS;
use crate::alike::{against_the_definition, holds};

fn it_is_the_definition<T: Precision>() {
    for (config, nodes) in [(Config::Spn, 2), (Config::Dual, 4)] {
        let mut machine = Machine::threads(nodes).config(config);
        for points in powers(512).filter(|&points| points >= nodes) {
            against_the_definition::<T, _>(points, &ASKINGS, |signal, direction, asking| {
                receiver(&mut machine, signal, asking, direction).unwrap().spectrum
            });
        }
    }
}

#[test]
fn it_is_the_definition_in_both_precisions() {
    it_is_the_definition::<f32>();
    it_is_the_definition::<f64>();
}

/// Many roots at a time, and 64 nodes on any number of cores.
#[test]
fn long_transforms_hold() {
    for (points, nodes, asking) in [
        (1 << 14, 2, RequestMode::Tree),
        (1 << 14, 2, RequestMode::Shared),
        (1 << 12, 16, RequestMode::Tree),
        (1 << 12, 64, RequestMode::Shared),
        (1 << 10, 64, RequestMode::Tree),
    ] {
        let mut machine = Machine::threads(nodes);
        holds(points, &format!("{nodes} nodes, {asking:?}"), |signal, direction| {
            receiver(&mut machine, signal, asking, direction).unwrap().spectrum
        });
    }
}

#[test]
fn forward_and_inverse_undo_each_other() {
    let (mut machine, signal) = (Machine::threads(4), noise::<f64>(2048, 7));
    for asking in ASKINGS {
        let spectrum = receiver(&mut machine, signal.clone(), asking, Direction::Forward).unwrap().spectrum;
        let back = receiver(&mut machine, spectrum, asking, Direction::Inverse).unwrap().spectrum;
        assert!(relative_error(&back, &signal) <= 2.0 * bound::<f64>(2048));
    }
}

#[test]
fn undistributable_shapes_are_refused_and_the_machine_runs_again() {
    let mut machine = Machine::threads(3);
    for asking in ASKINGS {
        let algorithm = if asking == RequestMode::Tree { "receiver" } else { "receiver-shared" };
        let error = receiver(&mut machine, noise::<f64>(8, 1), asking, Direction::Forward).unwrap_err();
        assert_eq!(error, earth_papers::Error::NodesNotAPowerOfTwo { algorithm, nodes: 3, n: 8 }.into());
        machine = machine.nodes(4);
        for (points, why) in [
            (12, earth_papers::Error::NotAPowerOfTwo { algorithm, n: 12 }.into()),
            (2, earth_papers::Error::NodesNotAPowerOfTwo { algorithm, nodes: 4, n: 2 }.into()),
            (0, PlanError::Problem(ProblemError::NoPoints(0))),
        ] {
            let error =
                receiver(&mut machine, noise::<f64>(points, 1), asking, Direction::Forward).unwrap_err();
            assert_eq!(error, why.into());
        }
        assert!(receiver(&mut machine, noise::<f64>(4, 1), asking, Direction::Forward).is_ok());
        machine = machine.nodes(3);
    }
}
