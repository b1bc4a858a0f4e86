//! Transposes of a matrix in place, by blocks of several sizes, as in the paper's appendix D.
//!
//! Blocks follow each other row by row. Each point right of the diagonal is swapped with its mirror image.
//! One core does a transpose; the paper distributes the blocks over all cores.

use std::time::Instant;

use earth_fft::Precision;
use num_complex::Complex;

use super::bench::BenchError;
use super::rows::further::{SIDES, SideTime, Transposes};
use crate::pfft::measure::{Reliability, repeat};

/// Transposes a matrix of `n` x `n` in place, by blocks of `side` x `side` points.
fn transpose<T: Copy>(matrix: &mut [T], n: usize, side: usize) {
    for i in (0..n).step_by(side) {
        for j in (i..n).step_by(side) {
            for row in i..n.min(i + side) {
                for col in j.max(row + 1)..n.min(j + side) {
                    matrix.swap(row * n + col, col * n + row);
                }
            }
        }
    }
}

/// Measures a transpose of a matrix of `n` x `n` by each size of blocks that it has room for, two runs in
/// each round.
pub(super) fn measured<T: Precision>(
    matrix: &mut [Complex<T>],
    n: usize,
    reliability: Reliability,
) -> Result<Transposes, BenchError> {
    let sides: Vec<_> = SIDES.into_iter().filter(|&side| side <= n).collect();
    let run = |times: &mut [f64]| {
        for turn in times.chunks_mut(sides.len()) {
            for (&side, time) in sides.iter().zip(turn) {
                let begun = Instant::now();
                transpose(matrix, n, side);
                *time = begun.elapsed().as_secs_f64();
            }
        }
        Ok::<(), BenchError>(())
    };
    let points = repeat(reliability, 2 * sides.len(), run)?.points;
    let (first, second) = points.split_at(sides.len());
    let times = first.iter().zip(second).zip(&sides);
    let sides = times.map(|((&time, &again), &side)| SideTime { side, time, again }).collect();
    Ok(Transposes { n, sides, took: 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_any_side_transpose_the_matrix() {
        for n in [1, 7, 8, 20] {
            for side in [1, 3, 8, 64] {
                let mut matrix: Vec<_> = (0..n * n).collect();
                transpose(&mut matrix, n, side);
                let expected: Vec<_> = (0..n * n).map(|at| at % n * n + at / n).collect();
                assert_eq!(matrix, expected, "{n}, {side}");
            }
        }
    }

    #[test]
    fn sides_are_measured_that_fit() {
        let reliability = Reliability { least: 2, most: 2, ..Reliability::default() };
        let mut matrix = vec![Complex::new(0.0_f64, 0.0); 40 * 40];
        let measured = measured(&mut matrix, 40, reliability).unwrap();
        assert_eq!(measured.sides.iter().map(|of| of.side).collect::<Vec<_>>(), [8, 16, 32]);
        assert!(measured.sides.iter().all(|of| of.time.repetitions == 2 && of.again.mean > 0.0));
    }
}
