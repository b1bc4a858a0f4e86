//! Bandwidths: numbers of an array are changed in place, again and again, so that each is read and written.
//!
//! Along rows one after another; down columns in strips of two cache lines, as columns are transformed. Threads share
//! an array part by part, and change parts from round to round: each goes through what another one has written, as in the
//! passes of a transform on nodes. A round takes as long as its slowest thread.

use std::sync::{Barrier, Mutex, PoisonError};
use std::time::Instant;

use earth_console::threads::together;
use earth_fft::advisor::{Curve, MemoryRates, Pattern};
use earth_fft::memory;

use super::Care;
use crate::calibrate::times::median;

/// The numbers of a strip of two cache lines.
const STRIP: usize = 16;

/// The bytes of the smallest array, and of the smallest that threads share: less takes no longer than they wait for each other.
const SMALLEST: [usize; 2] = [1 << 13, 1 << 19];

/// The fewest rounds.
const FEWEST: usize = 4;

/// The bandwidths of one thread, and of all of them, unless they cannot be started.
pub(super) fn bandwidths(threads: usize, care: Care) -> Vec<MemoryRates> {
    let most = care.bytes.min(usize::try_from(memory::available() / 8).unwrap_or(usize::MAX));
    let shared = (threads > 1).then_some((threads, SMALLEST[1]));
    let mut found = Vec::new();
    for (threads, smallest) in [(1, SMALLEST[0])].into_iter().chain(shared) {
        for pattern in [Pattern::Stream, Pattern::Columns] {
            let sizes = (0..usize::BITS).map(|bit| 1_usize << bit);
            let sizes = sizes.filter(|size| (smallest..=most.max(smallest)).contains(size));
            let rate = sizes.map(|bytes| Some([bytes as f64, bandwidth(pattern, threads, bytes, care)?]));
            let rate: Option<Vec<_>> = rate.collect();
            found.extend(rate.map(|rate| MemoryRates { pattern, threads, rate: Curve::new(rate) }));
        }
    }
    found
}

/// Bytes a nanosecond.
fn bandwidth(pattern: Pattern, threads: usize, bytes: usize, care: Care) -> Option<f64> {
    let each = bytes / threads / size_of::<f64>();
    // Columns of a part that is about as wide as it is long.
    let width = (1..32).map(|bit| STRIP << bit).find(|width| width * width >= 2 * each).unwrap_or(STRIP);
    let parts: Vec<_> = (0..threads).map(|_| Mutex::new(vec![1.0_f64; each])).collect();
    let rounds = rounds(bytes, care);
    let barrier = Barrier::new(threads);
    let run = |thread: usize| {
        let mut times = Vec::new();
        for round in 0..rounds {
            let mut part = parts[(thread + round) % threads].lock().unwrap_or_else(PoisonError::into_inner);
            barrier.wait();
            let begin = Instant::now();
            match pattern {
                Pattern::Stream => part.iter_mut().for_each(|number| *number = -*number),
                Pattern::Columns => {
                    for column in (0..width).step_by(STRIP) {
                        let rows = part.chunks_exact_mut(width);
                        rows.for_each(|row| {
                            row[column..column + STRIP].iter_mut().for_each(|number| *number = -*number);
                        });
                    }
                }
            }
            times.push(begin.elapsed().as_secs_f64() * 1e9);
        }
        times
    };
    let times = if threads == 1 { vec![run(0)] } else { together((0..threads).collect(), run)? };
    // The first round touches the memory.
    let slowest = (1..rounds).map(|round| times.iter().map(|times| times[round]).fold(1.0, f64::max));
    let done = if pattern == Pattern::Columns { each / width * width } else { each };
    Some(2.0 * (done * threads * size_of::<f64>()) as f64 / median(slowest.collect()))
}

/// The rounds that take about as long as a figure is measured, at 10^10 bytes a second.
fn rounds(bytes: usize, care: Care) -> usize {
    let round = 2.0 * bytes as f64 / 1e7;
    ((care.milliseconds / round) as usize).clamp(FEWEST, 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_and_all_have_both_bandwidths() {
        let care = Care { milliseconds: 0.0, bytes: 1 << 19 };
        let found = bandwidths(2, care);
        let told: Vec<_> = found.iter().map(|of| (of.threads, of.pattern, of.rate.points().len())).collect();
        assert_eq!(
            told,
            [
                (1, Pattern::Stream, 7),
                (1, Pattern::Columns, 7),
                (2, Pattern::Stream, 1),
                (2, Pattern::Columns, 1)
            ]
        );
        assert!(found.iter().all(|of| of.rate.makes_sense()), "{found:?}");
        assert_eq!(bandwidths(1, care).len(), 2);
    }
}
