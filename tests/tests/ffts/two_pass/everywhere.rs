//! Every machine and every cut gives the bits of one node with uncut passes. The result of a row or column
//! does not depend on the rows or columns that are transformed with it.

use earth::Machine;
use earth_fft::Precision;
use earth_kernels::Direction;
use earth_tests::{BOTH, bits, machines, noise};

use super::{sides, transformed};
use crate::alike::schedules;

/// Returns the bits of a transform by one node in one row block and one strip.
fn expected<T: Precision>(lengths: &[usize], seed: u64, direction: Direction) -> Vec<[u64; 2]> {
    let points = noise::<T>(lengths.iter().product(), seed);
    let whole = transformed(&mut Machine::stepper(1).nodes(1), lengths, &points, sides(lengths), direction);
    bits(&whole.value.spectrum.into_vec())
}

fn the_bits_are_those_of_one_node<T: Precision>(nodes: usize, arrays: &[&[usize]]) {
    let mut machines = machines(nodes, &[nodes as u64]);
    for (seed, &lengths) in arrays.iter().enumerate() {
        let (seed, direction) = (seed as u64, BOTH[seed % 2]);
        let expected = expected::<T>(lengths, seed, direction);
        let points = noise::<T>(lengths.iter().product(), seed);
        let [rows, cols] = sides(lengths);
        for blocks in [[rows.div_ceil(4), cols.div_ceil(3)], [3, 8], [1 + rows / 2, cols]] {
            for named in &mut machines {
                let done = transformed(&mut named.machine, lengths, &points, blocks, direction);
                let same = bits(&done.value.spectrum.into_vec()) == expected;
                assert!(same, "{lengths:?} by {blocks:?}, {direction:?}, {}", named.name);
            }
        }
    }
}

const ARRAYS: [&[usize]; 16] = [
    &[1, 1],
    &[2, 3],
    &[8, 8],
    &[13, 29],
    &[31, 17],
    &[1, 64],
    &[61, 1],
    &[2, 300],
    &[257, 3],
    &[16, 64],
    &[64, 40],
    &[48, 150],
    &[2, 3, 5],
    &[8, 8, 8],
    &[11, 6, 10],
    &[16, 9, 20],
];

#[test]
fn on_one_to_three_nodes() {
    the_bits_are_those_of_one_node::<f64>(1, &ARRAYS);
    the_bits_are_those_of_one_node::<f32>(2, &ARRAYS);
    the_bits_are_those_of_one_node::<f64>(2, &ARRAYS);
    the_bits_are_those_of_one_node::<f64>(3, &ARRAYS);
}

/// More nodes than cores, and more nodes than most arrays have row blocks.
#[test]
fn on_four_to_eight_nodes() {
    for nodes in 4..=8 {
        the_bits_are_those_of_one_node::<f64>(nodes, &[&[21, 21], &[15, 34], &[5, 4, 9]]);
    }
}

/// Tiles of one point: more than any queue has room for.
#[test]
fn thousands_of_tiles_of_one_point() {
    let lengths = [60, 85];
    let expected = expected::<f64>(&lengths, 1, Direction::Forward);
    let points = noise::<f64>(60 * 85, 1);
    for mut named in machines(3, &[5]) {
        let done = transformed(&mut named.machine, &lengths, &points, [1, 1], Direction::Forward);
        assert!(bits(&done.value.spectrum.into_vec()) == expected, "{}", named.name);
    }
}

#[test]
fn two_hundred_random_schedules() {
    for lengths in [&[10, 21][..], &[7, 3, 5]] {
        let expected = expected::<f64>(lengths, 1, Direction::Inverse);
        let points = noise::<f64>(lengths.iter().product(), 1);
        for (mut machine, name) in schedules(200) {
            let done = transformed(&mut machine, lengths, &points, [3, 4], Direction::Inverse);
            assert!(bits(&done.value.spectrum.into_vec()) == expected, "{lengths:?}, {name}");
        }
    }
}
