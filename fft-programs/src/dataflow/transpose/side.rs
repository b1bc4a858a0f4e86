//! How a side of the matrix is cut into parts, and who has which of them.
//!
//! The columns of a matrix of points are dealt part by part. Of those in which points of real numbers depend on each
//! other in pairs, the mate of column `c` of `C` is column `C - c`, so one worker has both: it gets a part of the lower
//! half, columns 0 to `C/2`, and the part of their mates. Column 0 and, if `C` is even, column `C/2` are their own mates.

use std::ops::Range;

use crate::dataflow::MatrixError;
use crate::dataflow::cut::{Cut, node_of_neighbours};

/// A side, cut.
#[derive(Debug)]
pub struct Side {
    /// All parts, in natural order.
    cut: Cut,
    /// The same parts in points, where a line is that of several transforms side by side.
    points: Cut,
    /// The first line of each part, and the end of the last one.
    begins: Vec<usize>,
    /// The parts of each worker, the one of the lower half first.
    workers: Vec<Parts>,
}

/// The parts of a worker.
#[derive(Clone, Copy, Debug)]
struct Parts {
    first: usize,
    mates: Option<usize>,
}

impl Side {
    /// A side of `len` lines of `width` points across, `block` of them for each worker, but for the last one; in mirrored
    /// pairs, if told.
    ///
    /// # Errors
    ///
    /// [`MatrixError::NoRows`] if a worker has none.
    pub(super) fn new(len: usize, width: usize, block: usize, mirrored: bool) -> Result<Self, MatrixError> {
        if block == 0 {
            return Err(MatrixError::NoRows);
        }
        // Line C/2, which has no mate, goes with those before it: alone it would count as much as a whole part when parts are
        // dealt.
        let (lower, cut, block) =
            if mirrored { (len / 2 + 1, len.div_ceil(2), block.div_ceil(2)) } else { (len, len, block) };
        let end = |at: usize| if at + block < cut { at + block } else { lower };
        let firsts: Vec<_> = (0..cut).step_by(block).map(|at| at..end(at)).collect();
        let mates: Vec<_> =
            if mirrored { firsts.iter().map(|part| mates(len, part)).collect() } else { Vec::new() };
        let mut lines: Vec<_> = firsts.iter().map(Range::len).collect();
        let mut workers: Vec<_> = (0..firsts.len()).map(|first| Parts { first, mates: None }).collect();
        for (worker, mates) in mates.iter().enumerate().rev().filter(|(_, mates)| !mates.is_empty()) {
            workers[worker].mates = Some(lines.len());
            lines.push(mates.len());
        }
        let ends = lines.iter().scan(0, |end, lines| {
            *end += lines;
            Some(*end)
        });
        let begins = [0].into_iter().chain(ends).collect();
        let points: Vec<_> = lines.iter().map(|lines| lines * width).collect();
        Ok(Self { begins, cut: Cut::of(&lines), points: Cut::of(&points), workers })
    }

    /// The number of workers: row blocks, or strips.
    pub fn workers(&self) -> usize {
        self.workers.len()
    }

    /// The node of a worker, on a machine of `nodes` nodes.
    pub fn node_of(&self, worker: usize, nodes: usize) -> usize {
        node_of_neighbours(worker, self.workers(), nodes)
    }

    /// All parts, in natural order.
    pub(super) fn cut(&self) -> &Cut {
        &self.cut
    }

    /// All parts in points.
    pub(super) fn points(&self) -> &Cut {
        &self.points
    }

    /// The number of parts.
    pub fn parts(&self) -> usize {
        self.cut.count()
    }

    /// The parts of a worker by their numbers: one, or two.
    ///
    /// # Panics
    ///
    /// If there is no such worker.
    pub fn parts_of(&self, worker: usize) -> impl Iterator<Item = usize> + use<> {
        let Parts { first, mates } = self.workers[worker];
        [first].into_iter().chain(mates)
    }

    /// For each part its worker, and its number among the worker's.
    pub(super) fn owners(&self) -> Vec<[usize; 2]> {
        let mut owners = vec![[0; 2]; self.parts()];
        for worker in 0..self.workers() {
            self.parts_of(worker).enumerate().for_each(|(number, part)| owners[part] = [worker, number]);
        }
        owners
    }

    /// The lines of a part.
    ///
    /// # Panics
    ///
    /// If there is no such part.
    pub(super) fn lines(&self, part: usize) -> Range<usize> {
        self.begins[part]..self.begins[part + 1]
    }

    /// The lines of a worker.
    pub(crate) fn lines_of(&self, worker: usize) -> usize {
        self.parts_of(worker).map(|part| self.lines(part).len()).sum()
    }
}

/// The columns of a part of the lower half of `cols` columns that have mates elsewhere.
pub(super) fn paired(cols: usize, part: &Range<usize>) -> Range<usize> {
    let begin = part.start.max(1);
    begin..part.end.min(cols.div_ceil(2)).max(begin)
}

/// Their mates.
pub(super) fn mates(cols: usize, part: &Range<usize>) -> Range<usize> {
    let Range { start, end } = paired(cols, part);
    cols + 1 - end..cols + 1 - start
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Brute force: every column is in one part, and whoever has it has its mate.
    #[test]
    fn a_worker_has_columns_and_their_mates() {
        for len in 1..=40 {
            for block in 1..=len + 1 {
                for mirrored in [false, true] {
                    let side = Side::new(len, 3, block, mirrored).unwrap();
                    let mut owners = vec![None; len];
                    for worker in 0..side.workers() {
                        for part in side.parts_of(worker) {
                            assert!(!side.lines(part).is_empty(), "{len} by {block}");
                            for line in side.lines(part) {
                                assert_eq!(owners[line].replace(worker), None, "{line} of {len} by {block}");
                            }
                        }
                        assert!(
                            side.lines_of(worker) <= block + 2 * usize::from(mirrored),
                            "{len} by {block}"
                        );
                    }
                    let pairs = if mirrored { len.div_ceil(2) } else { len };
                    let half = if mirrored { block.div_ceil(2) } else { block };
                    assert_eq!(side.workers(), pairs.div_ceil(half), "{len} by {block}");
                    for worker in (0..side.workers()).filter(|_| mirrored) {
                        let parts: Vec<_> = side.parts_of(worker).map(|part| side.lines(part)).collect();
                        let mates = mates(len, &parts[0]);
                        let given = parts.get(1).cloned().into_iter().flatten();
                        assert!(mates.eq(given), "{len} by {block}");
                    }
                    assert_eq!(side.cut().rows().sum::<usize>(), len);
                    assert!(side.points().rows().eq(side.cut().rows().map(|lines| 3 * lines)));
                    for (line, owner) in owners.iter().enumerate() {
                        let mate = if mirrored { (len - line) % len } else { line };
                        assert!(owner.is_some() && *owner == owners[mate], "{line} of {len} by {block}");
                    }
                }
            }
        }
        assert_eq!(Side::new(4, 1, 0, true).unwrap_err(), MatrixError::NoRows);
    }
}
