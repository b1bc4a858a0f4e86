//! Every machine gives the bits of the model, because dataflow fixes the arithmetic. The model in one thread
//! is itself tested against the definition.

use earth::Machine;
use earth_fft::Precision;
use earth_kernels::Direction;
use earth_tests::{BOTH, RowByRow, bits, matrix, matrix_model, noise};
use num_complex::Complex;

use crate::alike::everywhere;

/// Returns the bits of a transform of `rows` x `cols` points.
pub(crate) fn expected<T: Precision>(
    rows: usize,
    cols: usize,
    signal: &[Complex<T>],
    direction: Direction,
) -> Vec<[u64; 2]> {
    bits(&matrix_model(direction, &RowByRow::<T>::new(cols), &RowByRow::new(rows), signal))
}

/// One transform and its expected bits, which do not depend on the cut.
struct Case<T> {
    rows: usize,
    cols: usize,
    blocks: Vec<Option<usize>>,
    direction: Direction,
    signal: Vec<Complex<T>>,
    expected: Vec<[u64; 2]>,
}

impl<T: Precision> Case<T> {
    fn new(rows: usize, cols: usize, blocks: Vec<Option<usize>>, direction: Direction) -> Self {
        let signal = noise(rows * cols, (100 * rows + cols) as u64);
        let expected = expected(rows, cols, &signal, direction);
        Self { rows, cols, blocks, direction, signal, expected }
    }

    #[track_caller]
    fn check(&self, machine: &mut Machine, name: &str) {
        let &Self { rows, cols, direction, .. } = self;
        for &block in &self.blocks {
            let found = matrix(machine, rows, cols, self.signal.clone(), block, direction);
            let found = found.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(found.in_place, Some(rows == cols));
            let same = bits(&found.spectrum) == self.expected;
            assert!(same, "{rows} x {cols} by {block:?}, {direction:?}, {name}");
        }
    }
}

/// Returns every square up to 32, with alternating directions, and some larger squares.
fn squares<T: Precision>() -> Vec<Case<T>> {
    let small = (1..=32).map(|n| Case::new(n, n, vec![None, Some(n.div_ceil(5))], BOTH[n % 2]));
    let larger = [(48, 7), (64, 64), (97, 32)];
    let larger = larger.map(|(n, block)| Case::new(n, n, vec![Some(block)], BOTH[n % 2]));
    small.chain(larger).collect()
}

/// Returns small rectangles of every shape, primes, single rows and columns, and very long ones.
fn rectangles<T: Precision>() -> Vec<Case<T>> {
    let small = (1..=9).flat_map(|rows| (1..=9).map(move |cols| (rows, cols)));
    let small = small.filter(|(rows, cols)| rows != cols);
    let small =
        small.map(|(rows, cols)| Case::new(rows, cols, vec![Some(1 + rows % 4)], BOTH[(rows + cols) % 2]));
    let larger = [(1, 64), (61, 1), (13, 29), (31, 17), (2, 300), (257, 3), (16, 64)];
    let larger = larger.into_iter().flat_map(|(rows, cols)| {
        BOTH.map(|direction| Case::new(rows, cols, vec![None, Some(11)], direction))
    });
    small.chain(larger).collect()
}

fn the_bits_are_the_models<T: Precision>(nodes: usize) {
    let cases: Vec<_> = squares::<T>().into_iter().chain(rectangles()).collect();
    assert_eq!(cases.len(), 35 + 72 + 14);
    everywhere(nodes, &[nodes as u64], &cases, Case::check);
}

fn in_both_precisions(nodes: usize) {
    the_bits_are_the_models::<f32>(nodes);
    the_bits_are_the_models::<f64>(nodes);
}

#[test]
fn on_one_node() {
    in_both_precisions(1);
}

#[test]
fn on_two_nodes() {
    in_both_precisions(2);
}

#[test]
fn on_three_nodes() {
    the_bits_are_the_models::<f64>(3);
}

/// More nodes than cores, and more nodes than most matrices have row blocks.
#[test]
fn on_four_to_eight_nodes() {
    for nodes in 4..=8 {
        let square = Case::<f64>::new(21, 21, vec![None, Some(2)], Direction::Inverse);
        let rectangle = Case::<f64>::new(15, 34, vec![None, Some(4)], Direction::Forward);
        everywhere(nodes, &[1, 2], &[square, rectangle], Case::check);
    }
}

/// Row blocks of one row: more tiles than any queue has room for.
#[test]
fn thousands_of_tiles_of_one_point() {
    for (rows, cols) in [(72, 72), (60, 85)] {
        let case = Case::<f64>::new(rows, cols, vec![Some(1)], Direction::Forward);
        everywhere(3, &[5], &[case], Case::check);
    }
}
