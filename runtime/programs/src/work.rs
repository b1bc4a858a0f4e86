//! Work of a chosen length on a real processor: rounds of arithmetic. Each round needs the result of the one
//! before.

use std::hint::black_box;
use std::time::Instant;

/// Rounds of a measurement of their time, and the number of measurements.
const ROUNDS: u64 = 1 << 16;
const TIMES: usize = 11;

/// Does a number of rounds on a value.
pub fn work(value: u64, rounds: u64) -> u64 {
    (0..rounds).fold(value, |value, _| (value ^ (value >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) | 1)
}

/// Measures the nanoseconds of a round here. The least time counts, because interruptions only add time.
pub fn nanoseconds_per_round() -> f64 {
    let measured = || {
        let began = Instant::now();
        black_box(work(black_box(1), black_box(ROUNDS)));
        began.elapsed().as_secs_f64() * 1e9 / ROUNDS as f64
    };
    (0..TIMES).map(|_| measured()).fold(f64::INFINITY, f64::min)
}
