//! Both kinds of request give the bits of the model on every machine, because dataflow fixes the arithmetic.
//! The model in one thread is itself tested against the definition.

use earth::Machine;
use earth_fft::Precision;
use earth_kernels::{Direction, ReceiverOrder};
use earth_papers::receiver::RequestMode;
use earth_tests::{BOTH, RowByRow, bits, noise, powers, receiver_by, receiver_model};
use num_complex::Complex;

use crate::alike::everywhere;

pub(crate) const ASKINGS: [RequestMode; 2] = [RequestMode::Tree, RequestMode::Shared];

/// One transform and its expected bits.
struct Case<T> {
    direction: Direction,
    signal: Vec<Complex<T>>,
    expected: Vec<[u64; 2]>,
}

impl<T: Precision> Case<T> {
    fn new(points: usize, nodes: usize, direction: Direction) -> Self {
        let signal = noise(points, points as u64);
        let order = ReceiverOrder::new(points, nodes).unwrap();
        let kernel = RowByRow::<T>::new(order.share());
        let expected = bits(&receiver_model(order, direction, &kernel, &signal));
        Self { direction, signal, expected }
    }

    #[track_caller]
    fn check(&self, machine: &mut Machine, name: &str) {
        self.check_by(machine, None, name);
    }

    /// Checks a transform with both kinds of request, with `roots` roots under way at a time.
    #[track_caller]
    fn check_by(&self, machine: &mut Machine, roots: Option<usize>, name: &str) {
        for asking in ASKINGS {
            let found = receiver_by(machine, self.signal.clone(), asking, roots, self.direction);
            let found = bits(&found.unwrap_or_else(|error| panic!("{name}: {error}")).spectrum);
            let points = self.signal.len();
            assert!(found == self.expected, "{points} points, {asking:?}, {:?}, {name}", self.direction);
        }
    }
}

fn the_bits_are_the_models<T: Precision>(nodes: usize, most: usize) {
    let sizes = powers(most).filter(|&points| points >= nodes);
    let cases: Vec<_> =
        sizes.flat_map(|points| BOTH.map(|direction| Case::<T>::new(points, nodes, direction))).collect();
    everywhere(nodes, &[1, 2], &cases, Case::check);
}

fn in_both_precisions(nodes: usize, most: usize) {
    the_bits_are_the_models::<f32>(nodes, most);
    the_bits_are_the_models::<f64>(nodes, most);
}

#[test]
fn on_one_node() {
    in_both_precisions(1, 1024);
}

#[test]
fn on_two_nodes() {
    in_both_precisions(2, 1024);
}

#[test]
fn on_four_nodes() {
    in_both_precisions(4, 256);
}

#[test]
fn on_eight_nodes() {
    the_bits_are_the_models::<f64>(8, 128);
}

/// Far more nodes than cores, and more than one root per node.
#[test]
fn on_sixty_four_nodes() {
    let case = Case::<f64>::new(128, 64, Direction::Forward);
    everywhere(64, &[5], &[case], Case::check);
}

/// One root at a time, a number that does not divide the roots, and a number that exceeds them.
#[test]
fn with_fewer_roots_at_a_time() {
    for nodes in [1, 4] {
        let case = Case::<f64>::new(64, nodes, Direction::Forward);
        everywhere(nodes, &[3, 4], &[1, 5, 1 << 20], |&roots, machine, name| {
            case.check_by(machine, Some(roots), &format!("{roots} roots, {name}"));
        });
    }
}

/// Machines that park nothing and have room for one event per queue.
#[test]
fn nothing_is_parked_and_full_queues_do_not_matter() {
    let case = Case::<f64>::new(64, 4, Direction::Forward);
    for seed in 0..20 {
        for config in [earth::Config::Spn, earth::Config::Dual] {
            let machine = Machine::stepper(seed).nodes(4).config(config).parking_limit(0);
            let mut machine = machine.queue_capacity(1 << (seed % 3));
            case.check(&mut machine, &format!("seed {seed}, {config}"));
        }
    }
}
