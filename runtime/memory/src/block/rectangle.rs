//! The rectangle that a block covers, as pure arithmetic on four 32-bit numbers.
//!
//! A storage of `stride` columns holds its elements in row-major order. A rectangle starts at row `top` and
//! column `left`. It consists of the elements `(top + i) * stride + left + j` for `i < rows`, `j < cols`. The
//! stride belongs to the storage and is equal for all of its rectangles, so they do not keep it.
//!
//! No code here touches memory. The safety of [`Block`](crate::Block) rests on three facts, which the tests
//! of this file check:
//!
//! * *Inside.* The rectangle of a whole storage contains every element of it once. The parts of a split
//!   contain only elements of the rectangle that was split. So `top + rows` never exceeds the storage's rows,
//!   nor `left + cols` its columns.
//! * *Disjoint.* The two parts of a split share no element and lose none.
//! * *Union.* A join contains exactly the elements of its two parts, or is refused.
//!
//! An empty rectangle still has a position. So splitting off an empty part and joining it again restores
//! exactly the original.

use std::ops::Range;

/// Reason why a shape does not fit its elements, or does not fit a block at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// A side does not fit in 32 bits, or the block exceeds 2^48 bytes or the address space.
    #[error(
        "a block of {rows} x {cols} elements is too large: a side has at most 2^32 - 1 elements, a block at most 2^48 bytes"
    )]
    TooLarge {
        /// Requested number of rows.
        rows: usize,
        /// Requested number of columns.
        cols: usize,
    },
    /// The number of elements does not match the shape.
    #[error("a block of {rows} x {cols} elements cannot be made of {found} elements")]
    Length {
        /// Requested number of rows.
        rows: usize,
        /// Requested number of columns.
        cols: usize,
        /// Number of elements that were given.
        found: usize,
    },
    /// The rows are not contiguous.
    #[error("a block with gaps between its rows cannot be reshaped: copy it to a contiguous block first")]
    Gaps,
    /// A row begins before the row above it ends.
    #[error("rows of {cols} elements overlap when they begin {distance} elements apart")]
    Overlap {
        /// Length of a row, in elements.
        cols: usize,
        /// Distance from the start of a row to the start of the next, in elements.
        distance: usize,
    },
}

/// Maximum size of a block, in bytes. Processors can address this much, and sums and costs of such sizes fit
/// in 64 bits.
const MOST_BYTES: u128 = 1 << 48;

/// Rectangle of `rows` x `cols` elements of a storage, starting at row `top` and column `left`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rectangle {
    top: u32,
    left: u32,
    rows: u32,
    cols: u32,
}

impl Rectangle {
    /// Returns the rectangle of a whole storage of `rows * cols` elements of `size` bytes each, in row-major
    /// order.
    pub(crate) fn whole(rows: usize, cols: usize, size: usize) -> Result<Self, ShapeError> {
        let too_large = ShapeError::TooLarge { rows, cols };
        let side = |n: usize| u32::try_from(n).map_err(|_| too_large);
        let whole = Self { top: 0, left: 0, rows: side(rows)?, cols: side(cols)? };
        // Zero-sized elements must be countable, too.
        let bytes = rows as u128 * cols as u128 * size.max(1) as u128;
        let fits = bytes <= MOST_BYTES && usize::try_from(bytes).is_ok();
        if fits { Ok(whole) } else { Err(too_large) }
    }

    /// Returns [`whole`](Self::whole) after checking that the storage has `found == rows * cols` elements.
    pub(crate) fn whole_of(rows: usize, cols: usize, size: usize, found: usize) -> Result<Self, ShapeError> {
        let whole = Self::whole(rows, cols, size)?;
        if whole.len() == found { Ok(whole) } else { Err(ShapeError::Length { rows, cols, found }) }
    }

    /// Returns the rectangle of all rows of a storage whose rows begin `distance` elements apart. Checks that
    /// the last of the `found` elements is the last element of the last row.
    pub(crate) fn spaced(
        rows: usize,
        cols: usize,
        distance: usize,
        size: usize,
        found: usize,
    ) -> Result<Self, ShapeError> {
        let whole = Self::whole(rows, cols, size)?;
        if rows > 1 && distance < cols {
            return Err(ShapeError::Overlap { cols, distance });
        }
        let above = rows.saturating_sub(1).checked_mul(distance);
        let needed = if rows == 0 { Some(0) } else { above.and_then(|above| above.checked_add(cols)) };
        if needed == Some(found) { Ok(whole) } else { Err(ShapeError::Length { rows, cols, found }) }
    }

    pub(crate) fn rows(self) -> usize {
        self.rows as usize
    }

    pub(crate) fn cols(self) -> usize {
        self.cols as usize
    }

    pub(crate) fn len(self) -> usize {
        self.rows() * self.cols()
    }

    /// Returns the range of row `i` in a storage of this stride, or `None` past the last row.
    pub(crate) fn row(self, i: usize, stride: usize) -> Option<Range<usize>> {
        (i < self.rows()).then(|| {
            let start = (self.top as usize + i) * stride + self.left as usize;
            start..start + self.cols()
        })
    }

    /// Returns the range of all elements, if they are contiguous.
    pub(crate) fn contiguous(self, stride: usize) -> Option<Range<usize>> {
        // An empty rectangle may start past the last element.
        let start = if self.len() == 0 { 0 } else { self.top as usize * stride + self.left as usize };
        let gapless = self.len() == 0 || self.rows == 1 || self.cols() == stride;
        gapless.then(|| start..start + self.len())
    }

    /// Returns the first `k` rows and the rest, or `None` if there are fewer than `k`.
    pub(crate) fn split_rows(self, k: usize) -> Option<(Self, Self)> {
        let k = u32::try_from(k).ok().filter(|&k| k <= self.rows)?;
        Some((Self { rows: k, ..self }, Self { top: self.top + k, rows: self.rows - k, ..self }))
    }

    /// Returns the first `k` columns and the rest, or `None` if there are fewer than `k`.
    pub(crate) fn split_cols(self, k: usize) -> Option<(Self, Self)> {
        let k = u32::try_from(k).ok().filter(|&k| k <= self.cols)?;
        Some((Self { cols: k, ..self }, Self { left: self.left + k, cols: self.cols - k, ..self }))
    }

    /// Returns `self` joined with `below` under it, or `None` unless they touch along a whole side.
    pub(crate) fn join_rows(self, below: Self) -> Option<Self> {
        let touch = self.left == below.left && self.cols == below.cols && self.top + self.rows == below.top;
        touch.then(|| Self { rows: self.rows + below.rows, ..self })
    }

    /// Returns `self` joined with `right` beside it, or `None` unless they touch along a whole side.
    pub(crate) fn join_cols(self, right: Self) -> Option<Self> {
        let touch = self.top == right.top && self.rows == right.rows && self.left + self.cols == right.left;
        touch.then(|| Self { cols: self.cols + right.cols, ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elements(r: Rectangle, stride: usize) -> Vec<usize> {
        (0..r.rows()).flat_map(|i| r.row(i, stride).unwrap()).collect()
    }

    /// Returns every rectangle inside a `rows x cols` storage, made by splitting only.
    fn every_part(rows: usize, cols: usize) -> Vec<Rectangle> {
        let whole = Rectangle::whole(rows, cols, 8).unwrap();
        let mut parts = Vec::new();
        for top in 0..=rows {
            for bottom in top..=rows {
                for left in 0..=cols {
                    for right in left..=cols {
                        let band = whole.split_rows(bottom).unwrap().0.split_rows(top).unwrap().1;
                        parts.push(band.split_cols(right).unwrap().0.split_cols(left).unwrap().1);
                    }
                }
            }
        }
        parts
    }

    #[test]
    fn the_whole_names_every_element_once() {
        for (rows, cols) in [(0, 0), (0, 5), (5, 0), (1, 7), (7, 1), (3, 4)] {
            let whole = Rectangle::whole_of(rows, cols, 8, rows * cols).unwrap();
            assert_eq!(elements(whole, cols), (0..rows * cols).collect::<Vec<_>>());
            assert_eq!(whole.contiguous(cols), Some(0..rows * cols));
        }
    }

    #[test]
    fn a_split_loses_nothing_shares_nothing_and_joins_again() {
        for part in every_part(3, 4) {
            let mut all = elements(part, 4);
            all.sort_unstable();
            for k in 0..=part.rows() {
                let (top, bottom) = part.split_rows(k).unwrap();
                let mut parts = [elements(top, 4), elements(bottom, 4)].concat();
                parts.sort_unstable();
                assert_eq!(parts, all);
                assert_eq!(top.join_rows(bottom), Some(part));
            }
            for k in 0..=part.cols() {
                let (left, right) = part.split_cols(k).unwrap();
                let mut parts = [elements(left, 4), elements(right, 4)].concat();
                parts.sort_unstable();
                assert_eq!(parts, all);
                assert_eq!(left.join_cols(right), Some(part));
            }
            assert_eq!(part.split_rows(part.rows() + 1), None);
            assert_eq!(part.split_cols(part.cols() + 1), None);
        }
    }

    /// Checks all pairs of disjoint parts: a granted join contains exactly the union, each element once.
    #[test]
    fn a_join_is_the_exact_union_or_refused() {
        let (mut granted, parts) = (0, every_part(3, 3));
        for &a in &parts {
            for &b in &parts {
                let mut union = [elements(a, 3), elements(b, 3)].concat();
                union.sort_unstable();
                if union.windows(2).any(|pair| pair[0] == pair[1]) {
                    continue; // overlapping parts never exist at the same time
                }
                for joined in [a.join_rows(b), a.join_cols(b)].into_iter().flatten() {
                    let mut all = elements(joined, 3);
                    all.sort_unstable();
                    assert_eq!(all, union, "{a:?} with {b:?} gave {joined:?}");
                    assert!(joined.left + joined.cols <= 3 && joined.top + joined.rows <= 3);
                    granted += usize::from(!all.is_empty());
                }
            }
        }
        assert!(granted > 100, "only {granted} joins were granted");
    }

    #[test]
    fn rows_with_gaps_name_the_missing_rows() {
        for (rows, cols, distance) in [(0, 3, 5), (1, 3, 2), (3, 2, 5), (4, 0, 2), (2, 3, 3)] {
            let found = if rows == 0 { 0 } else { (rows - 1) * distance + cols };
            let spaced = Rectangle::spaced(rows, cols, distance, 8, found).unwrap();
            let wanted: Vec<_> = (0..found).filter(|at| cols > 0 && at % distance.max(cols) < cols).collect();
            assert_eq!(elements(spaced, distance), wanted, "{rows} x {cols} by {distance}");
            let other = Rectangle::spaced(rows, cols, distance, 8, found + 1);
            assert_eq!(other, Err(ShapeError::Length { rows, cols, found: found + 1 }));
        }
        let overlap = ShapeError::Overlap { cols: 3, distance: 2 };
        assert_eq!(Rectangle::spaced(2, 3, 2, 8, 5), Err(overlap));
        let far = Rectangle::spaced(3, 1, usize::MAX, 8, 7);
        assert_eq!(far, Err(ShapeError::Length { rows: 3, cols: 1, found: 7 }));
    }

    #[test]
    fn contiguity_is_exact() {
        for part in every_part(3, 4) {
            let all = elements(part, 4);
            let gapless = all.windows(2).all(|pair| pair[0] + 1 == pair[1]);
            assert_eq!(part.contiguous(4).map(Iterator::collect), gapless.then_some(all));
        }
    }

    #[test]
    fn two_rows_do_not_join_as_columns() {
        let (top, bottom) = Rectangle::whole(2, 4, 8).unwrap().split_rows(1).unwrap();
        assert_eq!(top.join_cols(bottom), None);
    }

    #[test]
    fn sides_are_limited_to_32_bits_and_bytes_to_48() {
        let large = 1usize << 32;
        for (rows, cols, size) in
            [(large, 0, 1), (0, large, 1), (large, 1, 1), (large - 1, large - 1, 0), (1 << 24, 1 << 24, 2)]
        {
            assert_eq!(Rectangle::whole(rows, cols, size), Err(ShapeError::TooLarge { rows, cols }));
        }
        for (rows, cols, size) in [(1 << 24, 1 << 24, 1), (large - 1, 1, 16), (1 << 22, 1 << 22, 16)] {
            assert_eq!(Rectangle::whole(rows, cols, size).unwrap().len(), rows * cols);
        }
        let short = Rectangle::whole_of(2, 3, 8, 5);
        assert_eq!(short, Err(ShapeError::Length { rows: 2, cols: 3, found: 5 }));
    }

    /// Checks positions past 2^32: the last elements are in the right place, and an empty part joins the part
    /// it was split from, on the right side only.
    #[test]
    fn positions_past_32_bits_come_out_right() {
        let (rows, cols) = (1 << 17, (1 << 17) + 3);
        let whole = Rectangle::whole(rows, cols, 16).unwrap();
        let (left, right) = whole.split_cols(40_000).unwrap();
        assert_eq!(right.row(rows - 1, cols), Some(rows * cols - cols + 40_000..rows * cols));
        for part in [whole, left, right] {
            let (all, none) = part.split_rows(rows).unwrap();
            assert_eq!((none.len(), none.contiguous(cols)), (0, Some(0..0)));
            assert_eq!(all.join_rows(none), Some(part));
            assert_eq!([none.join_rows(all), none.join_cols(all)], [None; 2]);
        }
        let (_, last) = right.split_rows(rows - 1).unwrap();
        assert_eq!(last.contiguous(cols), last.row(0, cols));
    }
}
