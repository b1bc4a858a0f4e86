//! Merge sort: tokens halve a range until a piece is small. Each piece is sorted by its fiber, and the
//! function that halved a range merges the halves. The result is compared with one sort of all numbers.
//!
//! Each merge is one fiber, so one node does the last merge, of all numbers: the speed-up stays below the
//! logarithm of their number. `samplesort` has no such limit.
//!
//! `cargo run --release -p earth-programs -- mergesort [numbers] [grain] [nodes] [spn|dual]`

use std::ops::Range;

use earth::collective::Combine;
use earth::patterns::{Grain, MapReduce, Maps};
use earth::{Wire, Work};

use crate::program::{Instance, Program, ProgramError, Size};

/// Sorts a piece of the numbers.
#[derive(Clone, Wire)]
struct Sorts;

impl Maps for Sorts {
    type Output = Vec<u64>;

    fn map(&self, range: Range<usize>) -> Vec<u64> {
        let mut numbers: Vec<_> = range.map(number).collect();
        numbers.sort_unstable();
        numbers
    }

    fn cost(&self, range: &Range<usize>) -> Work {
        let count = range.len() as u64;
        Work::Cycles(5 * count * u64::from(count.max(2).ilog2()))
    }
}

/// Merges two sorted lists.
#[derive(Clone, Wire)]
struct Merge;

impl Combine<Vec<u64>> for Merge {
    fn combine(&self, left: Vec<u64>, right: Vec<u64>) -> Vec<u64> {
        let mut merged = Vec::with_capacity(left.len() + right.len());
        let mut right = right.into_iter().peekable();
        for number in left {
            while let Some(smaller) = right.next_if(|&other| other < number) {
                merged.push(smaller);
            }
            merged.push(number);
        }
        merged.extend(right);
        merged
    }
}

/// Returns number `i` of the input: pseudorandom and reproducible.
fn number(i: usize) -> u64 {
    (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
        >> 40
}

/// Sorts numbers by merging.
pub struct MergeSort;

impl Program for MergeSort {
    fn name(&self) -> &'static str {
        "mergesort"
    }

    fn title(&self) -> &'static str {
        "merge sort"
    }

    fn sizes(&self) -> &'static [Size] {
        const { &[Size::new("numbers", 300_000, 1_000).within(0, 1 << 32), Size::new("grain", 4_000, 70)] }
    }

    fn instance(&self, sizes: &[u64]) -> Result<Instance, ProgramError> {
        let (count, grain) = (sizes[0] as usize, Grain::of(sizes[1] as usize));
        let plain = move || {
            let mut numbers: Vec<_> = (0..count).map(number).collect();
            numbers.sort_unstable();
            numbers
        };
        Ok(Instance::new(
            plain,
            move |machine| machine.run(|out| MapReduce::call(0..count, grain, Sorts, Merge, out)),
            |numbers| format!("{} numbers in order", numbers.len()),
        ))
    }
}
