//! Positions of a rank's points: in the file of the whole array, and in the memory of the rank.
//!
//! A rank has a box of the array, with its points in row-major order. The file has the array in row-major
//! order, or with its first two axes exchanged. A box is cut into pieces of bounded size. A piece passes
//! through a buffer in the order of the file:
//!
//! 1. [`Place::pieces`] cuts the box along the slowest axis of the file, and along later axes if it must.
//! 2. [`Place::runs`] tells which positions of the file a piece has.
//! 3. [`Place::lines`] tells where the piece is in memory.
//!
//! *Cost.* One position of the file for each run of consecutive points. With natural order and slabs a piece
//! is one run. Exchanged axes make a piece a transposition, by squares that fit in the cache.

use std::ops::Range;

use earth_fft::distributed::Part;

/// Box in a file of three axes, the slowest first. A file of fewer axes has axes of length 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    /// Lengths of the axes of the file.
    file: [usize; 3],
    /// Range of the box in each axis.
    ranges: [Range<usize>; 3],
    /// Distance in memory between neighbors of each axis. The last one is 1.
    strides: [usize; 3],
}

/// Part of a box: its range in each axis of the file.
pub(crate) type Piece = [Range<usize>; 3];

/// Side of the squares of a transposition, in points.
const SIDE: usize = 16;

impl Place {
    /// Returns the place of a rank's part among the parts of all ranks, which cover the array.
    pub(crate) fn of(parts: &[Part], rank: usize, exchanged: bool) -> Self {
        let own = parts[rank].ranges();
        let length = |axis: usize| parts.iter().map(|part| part.ranges()[axis].end).max().unwrap_or(0);
        // The missing axes are the slowest of the file, or the fastest if the first two exchange.
        let before = if exchanged { 0 } else { 3 - own.len() };
        let axis = |axis: usize| axis.checked_sub(before).filter(|&axis| axis < own.len());
        let mut file = [0, 1, 2].map(|at| axis(at).map_or(1, length));
        let mut ranges = [0, 1, 2].map(|at| axis(at).map_or(0..1, |axis| own[axis].clone()));
        let mut strides = [ranges[1].len() * ranges[2].len(), ranges[2].len(), 1];
        if exchanged {
            file.swap(0, 1);
            ranges.swap(0, 1);
            strides.swap(0, 1);
        }
        Self { file, ranges, strides }
    }

    /// Cuts the box into pieces of at most `points` points, in the order of the file.
    pub(crate) fn pieces(&self, points: usize) -> Vec<Piece> {
        let mut pieces = vec![self.ranges.clone()];
        for axis in 0..3 {
            let unit: usize = self.ranges[axis + 1..].iter().map(ExactSizeIterator::len).product();
            let step = (points / unit.max(1)).max(1);
            let cut = |piece: Piece| {
                let range = piece[axis].clone();
                range.clone().step_by(step).map(move |start| {
                    let mut piece = piece.clone();
                    piece[axis] = start..range.end.min(start + step);
                    piece
                })
            };
            pieces = pieces.into_iter().flat_map(cut).collect();
        }
        pieces
    }

    /// Yields the ranges of consecutive points of the file that a piece has, in its order.
    pub(crate) fn runs(&self, piece: &Piece) -> impl Iterator<Item = Range<usize>> + use<> {
        let [planes, rows, cols] = piece.clone();
        let [_, height, width] = self.file;
        let many_rows = if cols.len() == width { rows.len() } else { 1 };
        let many_planes = if many_rows == height { planes.len() } else { 1 };
        let length = many_planes * many_rows * cols.len();
        planes.step_by(many_planes).flat_map(move |plane| {
            let first = cols.start;
            rows.clone().step_by(many_rows).map(move |row| {
                let start = (plane * height + row) * width + first;
                start..start + length
            })
        })
    }

    /// Yields the lines of a piece, the points with one index in each of the first two axes: the offset in
    /// memory, and the offset in the piece. They have the length of its last range.
    pub(crate) fn lines(&self, piece: &Piece) -> impl Iterator<Item = [usize; 2]> + use<> {
        let [planes, rows, cols] = piece.clone();
        let [of_plane, of_row, of_col] = self.strides;
        let [first_plane, first_row, first_col] = [0, 1, 2].map(|axis| self.ranges[axis].start);
        rows.clone().step_by(SIDE).flat_map(move |side| {
            let (rows, cols, lines) = (rows.clone(), cols.clone(), side..rows.end.min(side + SIDE));
            let first = planes.start;
            planes.clone().flat_map(move |plane| {
                let (rows, cols) = (rows.clone(), cols.clone());
                lines.clone().map(move |row| {
                    let memory = (plane - first_plane) * of_plane
                        + (row - first_row) * of_row
                        + (cols.start - first_col) * of_col;
                    [memory, ((plane - first) * rows.len() + row - rows.start) * cols.len()]
                })
            })
        })
    }
}

/// Returns the number of points of a piece.
pub(crate) fn points(piece: &Piece) -> usize {
    piece.iter().map(ExactSizeIterator::len).product()
}

#[cfg(test)]
mod tests {
    use earth_fft::distributed::Order;
    use earth_fft::{Planner, Problem};

    use super::*;

    /// Copies an array whose points are their numbers into the memory of each rank, and back to a file.
    fn there_and_back(lengths: &[usize], ranks: usize, order: Order, points_of_piece: usize) {
        let plan = Planner::new().plan_distributed::<f64>(&Problem::complex(lengths), ranks, order).unwrap();
        let parts: Vec<_> = (0..ranks).map(|rank| plan.local_output(rank)).collect();
        let n = lengths.iter().product();
        let mut file = vec![usize::MAX; n];
        for (rank, part) in parts.iter().enumerate() {
            let ranges = part.ranges();
            let mut index: Vec<_> = ranges.iter().map(|range| range.start).collect();
            let sides: Vec<_> = (0..index.len())
                .map(|at| parts.iter().map(|part| part.ranges()[at].end).max().unwrap())
                .collect();
            // Numbers of the points of the part, in row-major order.
            let mut memory = Vec::new();
            while memory.len() < part.len() {
                memory.push(index.iter().zip(&sides).fold(0, |number, (at, side)| number * side + at));
                for at in (0..index.len()).rev() {
                    index[at] += 1;
                    if index[at] < ranges[at].end {
                        break;
                    }
                    index[at] = ranges[at].start;
                }
            }
            let place = Place::of(&parts, rank, order == Order::Transposed);
            for piece in place.pieces(points_of_piece) {
                assert!(points(&piece) <= points_of_piece);
                let mut buffer = vec![0; points(&piece)];
                for [from, to] in place.lines(&piece) {
                    let length = piece[2].len();
                    buffer[to..to + length].copy_from_slice(&memory[from..from + length]);
                }
                let mut from = 0;
                for run in place.runs(&piece) {
                    for at in run {
                        assert_eq!(file[at], usize::MAX, "a position has two points");
                        file[at] = buffer[from];
                        from += 1;
                    }
                }
                assert_eq!(from, buffer.len());
            }
        }
        let expected: Vec<usize> = match (order, lengths) {
            (Order::Natural | Order::Root, _) => (0..n).collect(),
            (Order::Transposed, _) => {
                let (rows, cols, rest) = (lengths[0], lengths[1], lengths[2..].iter().product::<usize>());
                let at = |number: usize| {
                    let (col, row, last) = (number / rest / rows, number / rest % rows, number % rest);
                    (row * cols + col) * rest + last
                };
                (0..n).map(at).collect()
            }
        };
        assert_eq!(file, expected, "{lengths:?}, {ranks} ranks, {order}, pieces of {points_of_piece}");
    }

    #[test]
    fn each_point_has_its_position() {
        for points in [1, 7, 40, 1000] {
            for ranks in [1, 2, 3, 7, 12] {
                for lengths in [&[6, 5][..], &[40, 33], &[3, 4, 5], &[2, 6, 1], &[1, 9]] {
                    for order in [Order::Natural, Order::Transposed] {
                        there_and_back(lengths, ranks, order, points);
                    }
                }
                for n in [1, 12, 13, 240] {
                    there_and_back(&[n], ranks, Order::Natural, points);
                }
            }
        }
    }

    #[test]
    fn slabs_in_natural_order_are_one_run() {
        let plan = Planner::new();
        let plan = plan.plan_distributed::<f64>(&Problem::complex(&[8, 6, 5]), 2, Order::Natural).unwrap();
        let parts = [0, 1].map(|rank| plan.local_input(rank));
        let place = Place::of(&parts, 1, false);
        let pieces = place.pieces(1000);
        assert_eq!(pieces, [[4..8, 0..6, 0..5]]);
        let runs: Vec<_> = place.runs(&pieces[0]).map(|run| (run.start, run.end)).collect();
        assert_eq!(runs, [(120, 240)]);
    }
}
