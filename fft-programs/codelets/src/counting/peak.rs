//! Peak rate of multiplications and additions of one core: a loop of fused multiply-adds only.
//!
//! Each round computes `sum * b + c` for twelve sums. Twelve independent sums cover the latency of the
//! instruction on processors that start two per cycle. They also leave enough of sixteen registers for `b`
//! and `c`.

use std::marker::PhantomData;

use crate::isa::{Isa, Lane, Piece};
use crate::vector::Vector;

/// Number of sums, in registers.
const SUMS: usize = 12;

/// Result of [`peak`](crate::peak()).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Peak {
    /// Number of multiplications and additions.
    pub operations: u64,
    /// Sum of all lanes of all sums. Each lane begins with 0 and is halved and increased by 1 in each round.
    pub sum: f64,
}

struct Sums<T>(PhantomData<T>);

struct Job<T> {
    rounds: u32,
    zero: T,
    lanes: *mut T,
}

impl<T: Lane> Piece for Sums<T> {
    type Real = T;
    type Job = Job<T>;

    /// # Safety
    ///
    /// `job.zero` is 0, and `job.lanes` has room for the lanes of all sums.
    #[inline(always)]
    unsafe fn run<V: Vector<Real = T>>(job: &Job<T>) {
        // SAFETY: a reference may be read, and the caller guarantees that the machine has the instructions.
        let zero = unsafe { V::broadcast(&raw const job.zero) };
        let (half, one) = (zero.constant(0.5), zero.constant(1.0));
        let mut sums = [zero; SUMS];
        for _ in 0..job.rounds {
            for sum in &mut sums {
                *sum = sum.mul_add(half, one);
            }
        }
        for (at, sum) in sums.into_iter().enumerate() {
            // SAFETY: the caller guarantees this.
            unsafe { sum.store(job.lanes.add(at * V::LANES)) };
        }
    }
}

/// Runs `rounds` rounds on the calling thread, with the instructions of `isa`.
pub(crate) fn peak<T: Lane>(isa: Isa, rounds: u32) -> Peak {
    let mut lanes = vec![T::zero(); SUMS * isa.lanes::<T>()];
    let job = Job { rounds, zero: T::zero(), lanes: lanes.as_mut_ptr() };
    // SAFETY: `lanes` has the lanes of all sums.
    unsafe { isa.entry::<Sums<T>>().run(&job) };
    let operations = 2 * u64::from(rounds) * lanes.len() as u64;
    Peak { operations, sum: lanes.iter().map(|lane| lane.widen()).sum() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_round_is_done_in_every_lane() {
        for isa in Isa::all() {
            for (rounds, each) in [(0, 0.0), (1, 1.0), (2, 1.5), (3, 1.75)] {
                let lanes = [isa.lanes::<f32>(), isa.lanes::<f64>()].map(|lanes| 12 * lanes);
                let of = |lanes: usize| Peak {
                    operations: u64::from(rounds) * 2 * lanes as u64,
                    sum: each * lanes as f64,
                };
                assert_eq!([peak::<f32>(isa, rounds), peak::<f64>(isa, rounds)], lanes.map(of), "{isa:?}");
            }
        }
    }
}
