//! Merge sort: tokens halve a range until a piece is small. Each piece is sorted by its fiber, and the
//! function that halved a range merges the halves. The result is compared with one sort of all numbers.
//!
//! Each merge is one fiber, so one node does the last merge, of all numbers: the speed-up stays below the
//! logarithm of their number. `samplesort` has no such limit.
//!
//! `cargo run --release -p earth --example programs -- mergesort [numbers] [grain] [nodes] [spn|dual]`

use std::ops::Range;
use std::time::{Duration, Instant};

use earth::collective::Combine;
use earth::patterns::{Grain, MapReduce, Maps};
use earth::{Config, Machine, Wire, Work};

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

/// Sorts, and checks the result. Returns the times of one sort and of the run.
pub(crate) fn demonstrate(
    count: usize,
    grain: Grain,
    machine: &mut Machine,
) -> Result<[Duration; 2], Box<dyn std::error::Error>> {
    let began = Instant::now();
    let mut expected: Vec<_> = (0..count).map(number).collect();
    expected.sort_unstable();
    let plain = began.elapsed();
    let run = machine.run(|out| MapReduce::call(0..count, grain, Sorts, Merge, out))?;
    if run.value != expected {
        return Err("not sorted, or not the same numbers".into());
    }
    eprintln!(
        "{count} numbers in {} tokens, {} of them stolen",
        run.counters.tokens, run.counters.tokens_stolen
    );
    Ok([plain, run.elapsed])
}

/// Runs the program with its command-line arguments.
pub(crate) fn main(args: impl Iterator<Item = String>) -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = args.collect();
    let number = |i: usize, usual| args.get(i).map_or(Ok(usual), |arg| arg.parse());
    let config = args.get(3).map_or(Ok(Config::Spn), |arg| arg.parse())?;
    let grain = Grain::of(number(1, 10_000)?.max(1));
    demonstrate(number(0, 1_000_000)?, grain, &mut Machine::threads(number(2, 2)?).config(config)).map(drop)
}
