//! Bandwidths: the numbers of an array are negated in place, again and again, so that each is read and
//! written.
//!
//! Rows are traversed contiguously. Columns are traversed in strips of two cache lines, as column transforms
//! do. Threads share an array part by part and rotate the parts each round, so each thread reads data that
//! another one wrote, as in the passes of a transform on nodes. A round takes as long as its slowest thread.

use std::sync::{Barrier, Mutex, PoisonError};
use std::time::Instant;

use earth_console::threads::together;
use earth_fft::advisor::{Curve, MemoryRates, Pattern};
use earth_fft::memory;
use earth_report::spread::median;

use super::CalibrationEffort;

/// Numbers in a strip of two cache lines.
const STRIP: usize = 16;

/// Bytes of the smallest array of one thread, and of the smallest array that threads share. Below the latter,
/// the threads wait for each other longer than they work.
const SMALLEST: [usize; 2] = [1 << 13, 1 << 19];

/// Fewest rounds.
const FEWEST: usize = 4;

/// Measures the bandwidths of one thread, and of all threads unless they cannot be started.
pub(super) fn bandwidths(threads: usize, care: CalibrationEffort) -> Vec<MemoryRates> {
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

/// Measures the bandwidth, in bytes per nanosecond.
fn bandwidth(pattern: Pattern, threads: usize, bytes: usize, care: CalibrationEffort) -> Option<f64> {
    let each = bytes / threads / size_of::<f64>();
    // The columns belong to a roughly square part.
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
    // The first round touches the memory, so it does not count.
    let slowest = (1..rounds).map(|round| times.iter().map(|times| times[round]).fold(1.0, f64::max));
    let done = if pattern == Pattern::Columns { each / width * width } else { each };
    Some(2.0 * (done * threads * size_of::<f64>()) as f64 / median(slowest)?)
}

/// Returns the rounds that take about `care.milliseconds`, at 10^10 bytes per second.
fn rounds(bytes: usize, care: CalibrationEffort) -> usize {
    let round = 2.0 * bytes as f64 / 1e7;
    ((care.milliseconds / round) as usize).clamp(FEWEST, 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_and_all_have_both_bandwidths() {
        let care = CalibrationEffort { milliseconds: 0.0, bytes: 1 << 19 };
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
