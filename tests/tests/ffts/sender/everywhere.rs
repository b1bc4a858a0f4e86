//! Every machine gives the bits of the model, because dataflow fixes the arithmetic. The model in one thread
//! is itself tested against the definition.

use earth::Machine;
use earth_fft::Precision;
use earth_kernels::{Direction, RowKernel, SenderOrder, scale};
use earth_tests::{BOTH, RowByRow, bits, machines, noise, powers, row, sender, sender_model};
use num_complex::Complex;

use crate::alike::everywhere;

/// One transform and its expected bits.
struct Case<T> {
    block: usize,
    direction: Direction,
    signal: Vec<Complex<T>>,
    expected: Vec<[u64; 2]>,
}

impl<T: Precision> Case<T> {
    fn new(points: usize, block: usize, direction: Direction) -> Self {
        let signal = noise(points, points as u64);
        let order = SenderOrder::new(points, block).unwrap();
        let expected = bits(&sender_model(order, direction, &RowByRow::<T>::new(block), &signal));
        Self { block, direction, signal, expected }
    }

    #[track_caller]
    fn check(&self, machine: &mut Machine, name: &str) {
        let found = sender(machine, self.signal.clone(), self.block, self.direction);
        let found = bits(&found.unwrap_or_else(|error| panic!("{name}: {error}")).spectrum);
        let (points, block) = (self.signal.len(), self.block);
        assert!(found == self.expected, "{points} points by {block}, {:?}, {name}", self.direction);
    }
}

fn the_bits_are_the_models<T: Precision>(nodes: usize) {
    // Every block length of short signals, and some block lengths of longer ones, down to blocks of one
    // point.
    let short = powers(32).flat_map(|points| powers(points).map(move |block| (points, block)));
    let long = powers(4096).filter(|&points| points > 32);
    let long = long.flat_map(|points| [1, 16, points / 4, points].map(|block| (points, block)));
    let sizes = short.chain(long.filter(|&(points, block)| points / block <= 512));
    let cases: Vec<_> = sizes
        .flat_map(|(points, block)| BOTH.map(|direction| Case::<T>::new(points, block, direction)))
        .collect();
    assert_eq!(cases.len(), 2 * (21 + 25));
    everywhere(nodes, &[nodes as u64], &cases, Case::check);
}

#[test]
fn on_one_node() {
    the_bits_are_the_models::<f64>(1);
}

#[test]
fn on_two_nodes() {
    the_bits_are_the_models::<f32>(2);
    the_bits_are_the_models::<f64>(2);
}

#[test]
fn on_three_nodes() {
    the_bits_are_the_models::<f64>(3);
}

#[test]
fn on_four_nodes() {
    the_bits_are_the_models::<f64>(4);
}

#[test]
fn on_eight_nodes() {
    the_bits_are_the_models::<f64>(8);
}

/// More threads than any queue has room for.
#[test]
fn thousands_of_threads_of_one_point() {
    let case = Case::<f64>::new(4096, 1, Direction::Forward);
    everywhere(3, &[5], &[case], Case::check);
}

#[test]
fn the_row_kernel_is_the_same_kernel_on_every_machine() {
    for points in [1, 2, 97, 309, 1024] {
        let (signal, kernel) = (noise::<f64>(points, 9), RowByRow::new(points));
        for direction in BOTH {
            let mut expected = signal.clone();
            kernel.transform(direction, &mut expected, &mut kernel.scratch());
            if direction == Direction::Inverse {
                scale(&mut expected, 1.0 / points as f64);
            }
            for mut named in machines(2, &[3]) {
                let found = row(&mut named.machine, signal.clone(), direction).unwrap();
                assert!(bits(&found.spectrum) == bits(&expected), "{points} points, {}", named.name);
                let counters = found.counters;
                let bytes = 16 * points as u64;
                assert_eq!((counters.fibers, counters.signals, counters.bytes_moved), (1, 1, bytes));
                assert_eq!(
                    (counters.invokes, counters.tokens, counters.block_moves, counters.frames),
                    (0, 0, 0, 0)
                );
            }
        }
    }
}
