//! Transpose of the paper (appendix D), access by access, on the [caches](super::cache) of its processor.
//!
//! A square is transposed in place by blocks of b x b points: each point right of the diagonal is swapped
//! with its mirror image. For a large square, a strip of rows with limited width is enough, because only the
//! leading dimension determines which lines and pages fall into the same sets. One core does the transpose;
//! the paper distributes the blocks over 36 cores.

use super::cache::{Caches, Misses};

/// Sides of the blocks that are tried; the paper's side is 64.
pub(super) const SIDES: [usize; 7] = [8, 16, 32, 64, 128, 256, 512];

/// Side of the paper's blocks.
pub(super) const PAPERS: usize = 64;

/// Powers of two, whose rows fall into the same sets; their neighbors among the paper's N; its example; and
/// its last N.
pub(super) const SQUARES: [usize; 7] = [1024, 1088, 4096, 4160, 16_384, 24_704, 64_000];

/// Rows of the strip, and its extent to the right of the diagonal.
const STRIP: [usize; 2] = [512, 768];

/// Size of a point, in bytes.
const POINT: u64 = 16;

/// Cost of a transpose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Transposed {
    pub(super) n: usize,
    pub(super) side: usize,
    /// Number of points that were moved.
    pub(super) points: u64,
    pub(super) misses: Misses,
}

impl Transposed {
    /// Returns the cycles per point spent waiting for lines and pages.
    pub(super) fn cycles(&self) -> f64 {
        self.misses.cycles() / self.points as f64
    }
}

/// Transposes a strip of a square by blocks of this side.
pub(super) fn transposed(n: usize, side: usize) -> Transposed {
    let [rows, right] = STRIP.map(|extent| extent.min(n));
    let (mut caches, mut points) = (Caches::haswell(), 0);
    let address = |row: usize, col: usize| (row as u64 * n as u64 + col as u64) * POINT;
    for i in (0..rows).step_by(side) {
        for j in (i..right).step_by(side) {
            for row in i..rows.min(i + side) {
                for col in j.max(row + 1)..right.min(j + side) {
                    caches.read(address(row, col));
                    caches.read(address(col, row));
                    points += 2;
                }
            }
        }
    }
    Transposed { n, side, points, misses: caches.misses }
}

/// Transposes all squares with all sides.
pub(super) fn all() -> Vec<Transposed> {
    SQUARES.iter().flat_map(|&n| SIDES.map(|side| transposed(n, side))).collect()
}

/// Returns the best side of each square, and the cycles of the paper's side relative to it.
pub(super) fn best(all: &[Transposed]) -> Vec<(Transposed, f64)> {
    let of = |n: usize| {
        let tried = || all.iter().filter(move |tried| tried.n == n);
        let best = tried().min_by(|a, b| a.cycles().total_cmp(&b.cycles()))?;
        let papers = tried().find(|tried| tried.side == PAPERS)?;
        Some((*best, papers.cycles() / best.cycles()))
    };
    SQUARES.into_iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every point right of the strip's diagonal is swapped exactly once, for any blocks.
    #[test]
    fn blocks_swap_each_pair_once() {
        // Points right of the diagonal up to column 768, in 512 rows.
        let pairs: u64 = (0..512).map(|row| 767 - row).sum();
        assert!([8, 64, 512].iter().all(|&side| transposed(1088, side).points == 2 * pairs));
    }

    /// Blocks of 8 points use whole lines: each line is missed once per block, and each pair of blocks has 2
    /// x 16 lines.
    #[test]
    fn small_blocks_miss_each_line_once() {
        let eight = transposed(1088, 8);
        // A quarter of a line per point.
        let share = eight.misses.lines[0] as f64 / eight.points as f64;
        assert!((share - 0.25).abs() < 0.01, "{share}");
        // With a power of two, rows fall into one set: beyond its 8 ways, each point down a column is a miss.
        let large = transposed(4096, 512);
        assert!(large.misses.lines[0] as f64 / large.points as f64 > 0.5, "{large:?}");
    }

    #[test]
    fn the_best_side_is_found() {
        let misses = |near| Misses { lines: [near, 0], pages: [0; 2] };
        let made = |side, near| Transposed { n: 1024, side, points: 12, misses: misses(near) };
        let found = best(&[made(32, 5), made(64, 6), made(128, 4)]);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].0.side, found[0].1), (128, 1.5));
    }
}
