//! Peak rates of this computer: multiplications and additions in registers, and memory traffic.
//!
//! 1. *Arithmetic:* a loop of fused multiply-adds with the widest instructions ([`earth_codelets::peak`]).
//! 2. *Memory:* the numbers of an array larger than the caches are halved in place. Each is read and written
//!    once, as by a pass of a transform in place.
//!
//! One thread does each, and then all threads at once, which start together. The best of some trials counts,
//! since the result is an upper bound.

use std::sync::Barrier;
use std::time::Instant;

use earth_codelets::{Isa, peak};
use earth_console::threads::together;
use earth_fft::{Precision, memory};
use earth_kernels::scale;
use num_complex::Complex;
use serde::{Deserialize, Serialize};

/// Trials; the best counts.
const TRIALS: usize = 5;

/// Rounds of arithmetic a trial: some milliseconds.
const ROUNDS: u32 = 1 << 19;

/// Size of the array in bytes, unless there is less memory.
const BYTES: u64 = 1 << 27;

/// Rates of this computer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Roof {
    /// By one thread and by all.
    pub(super) rates: Vec<Rates>,
    /// Vector instructions of the arithmetic.
    pub(super) instructions: String,
}

/// Rates of a number of threads.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Rates {
    pub(super) threads: usize,
    /// Multiplications and additions a second, in 10^9.
    pub(super) gflops: f64,
    /// Bytes read and written a second, in 10^9.
    pub(super) gigabytes: f64,
}

impl Rates {
    /// Returns the most operations a second, in 10^9, at this number of operations for each byte read or
    /// written.
    pub(super) fn most(&self, operations_a_byte: f64) -> f64 {
        self.gflops.min(self.gigabytes * operations_a_byte)
    }
}

impl Roof {
    /// Returns the rates of this number of threads, or of the largest measured one.
    pub(super) fn by(&self, threads: usize) -> Option<&Rates> {
        self.rates.iter().find(|rates| rates.threads == threads).or(self.rates.last())
    }

    /// Measures by one thread, and by `threads` if that is another number. It takes some tenths of a second.
    /// Rates of threads that cannot be started are left out.
    pub(super) fn measured<T: Precision>(threads: usize) -> Self {
        let isa = Isa::best();
        let by = |threads: usize| {
            let (operations, bytes) = (arithmetic::<T>(isa, threads)?, bytes::<T>(threads)?);
            Some(Rates { threads, gflops: operations / 1e9, gigabytes: bytes / 1e9 })
        };
        let all = (threads > 1).then_some(threads);
        let rates = [1].into_iter().chain(all).filter_map(by).collect();
        Self { rates, instructions: isa.name().to_owned() }
    }
}

fn arithmetic<T: Precision>(isa: Isa, threads: usize) -> Option<f64> {
    let mut parts: Vec<_> = vec![(); threads];
    best(&mut parts, |()| peak::<T>(isa, ROUNDS).operations as f64)
}

fn bytes<T: Precision>(threads: usize) -> Option<f64> {
    let points = (BYTES.min(memory::available() / 4) / size_of::<Complex<T>>() as u64) as usize;
    let mut array = vec![Complex::new(T::one(), T::one()); points.max(threads)];
    let half = T::of(0.5);
    let each = array.len().div_ceil(threads);
    let mut parts: Vec<_> = array.chunks_mut(each).collect();
    best(&mut parts, |part| {
        scale(part, half);
        2.0 * size_of_val(*part) as f64
    })
}

/// Returns the best rate of some trials: the sum of the results of `work`, one thread a part, over the time
/// from the first start to the last end. Returns `None` if the threads cannot be started.
fn best<P: Send>(parts: &mut [P], work: impl Fn(&mut P) -> f64 + Sync) -> Option<f64> {
    let mut rate = 0.0_f64;
    for _ in 0..TRIALS {
        let start = Barrier::new(parts.len());
        let times = together(parts.iter_mut().collect(), |part| {
            start.wait();
            let from = Instant::now();
            let done = work(part);
            (from, Instant::now(), done)
        })?;
        let ends = (times.iter().map(|time| time.0).min(), times.iter().map(|time| time.1).max());
        if let (Some(from), Some(to)) = ends {
            let done: f64 = times.iter().map(|time| time.2).sum();
            rate = rate.max(done / to.duration_since(from).as_secs_f64());
        }
    }
    Some(rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_roof_is_the_lower_of_both_rates() {
        let rates = Rates { threads: 1, gflops: 10.0, gigabytes: 4.0 };
        for (intensity, most) in [(0.5, 2.0), (2.5, 10.0), (8.0, 10.0)] {
            assert!((rates.most(intensity) - most).abs() < 1e-12, "{intensity}");
        }
    }

    #[test]
    fn all_parts_are_done_in_every_trial() {
        let mut parts = [0_u32; 3];
        let rate = best(&mut parts, |part| {
            *part += 1;
            1.0
        });
        assert_eq!(parts, [TRIALS as u32; 3]);
        assert!(rate.is_some_and(|rate| rate > 0.0 && rate.is_finite()));
    }
}
