//! The rectangle a block covers, as pure arithmetic on four 32-bit numbers.
//!
//! A storage of `stride` columns holds its elements row after row. A rectangle names the rows from `top` on and
//! the columns from `left` on, hence the elements `(top + i) * stride + left + j` for `i < rows`, `j < cols`.
//! The stride is the storage's, the same for all of its rectangles, so none keeps it. Nothing here touches
//! memory; what [`Block`](crate::Block) proves about its memory rests on these three facts, which the tests of
//! this file check:
//!
//! * *Inside.* The rectangle of a whole storage names every one of its elements once; the parts of a split
//!   name only elements of what was split. So `top + rows` is never past the storage's last row, nor
//!   `left + cols` past its last column.
//! * *Disjoint.* The two parts of a split share no element and lose none.
//! * *Union.* A join names exactly the elements of its two parts, or is refused.
//!
//! An empty rectangle still has a position, so that splitting off nothing and joining it again gives back the
//! original, and nothing else.

use std::ops::Range;

/// Why a shape does not fit its elements, or does not fit a block at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// A side does not fit in 32 bits, or the elements are more bytes than can be addressed.
    #[error(
        "a block of {rows} x {cols} elements is too large: a side has 32 bits, and all bytes are at most 2^48"
    )]
    TooLarge {
        /// The rows asked for.
        rows: usize,
        /// The columns asked for.
        cols: usize,
    },
    /// The number of elements given is not rows times columns.
    #[error("a block of {rows} x {cols} elements cannot be made of {found}")]
    Length {
        /// The rows asked for.
        rows: usize,
        /// The columns asked for.
        cols: usize,
        /// The number of elements that were given.
        found: usize,
    },
    /// The elements are not one after another.
    #[error("a block with gaps between its rows has one shape")]
    Gaps,
    /// Rows begin before those above them end.
    #[error("rows of {cols} elements overlap when they begin {distance} elements apart")]
    Overlap {
        /// The elements of a row.
        cols: usize,
        /// The elements from the beginning of a row to that of the next.
        distance: usize,
    },
}

/// The most bytes of a block: what processors address, and few enough that sums and costs of them fit 64 bits.
const MOST_BYTES: u128 = 1 << 48;

/// `rows` x `cols` elements of a storage, from row `top` and column `left` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rectangle {
    top: u32,
    left: u32,
    rows: u32,
    cols: u32,
}

impl Rectangle {
    /// All elements of a storage that holds `rows * cols` of them, of `size` bytes each, row after row.
    pub(crate) fn whole(rows: usize, cols: usize, size: usize) -> Result<Self, ShapeError> {
        let too_large = ShapeError::TooLarge { rows, cols };
        let side = |n: usize| u32::try_from(n).map_err(|_| too_large);
        let whole = Self { top: 0, left: 0, rows: side(rows)?, cols: side(cols)? };
        // Elements without bytes must be countable, too.
        let bytes = rows as u128 * cols as u128 * size.max(1) as u128;
        let fits = bytes <= MOST_BYTES && usize::try_from(bytes).is_ok();
        if fits { Ok(whole) } else { Err(too_large) }
    }

    /// [`whole`](Self::whole), checked against the number of elements there are.
    pub(crate) fn whole_of(rows: usize, cols: usize, size: usize, found: usize) -> Result<Self, ShapeError> {
        let whole = Self::whole(rows, cols, size)?;
        if whole.len() == found { Ok(whole) } else { Err(ShapeError::Length { rows, cols, found }) }
    }

    /// All rows of a storage of `found` elements that begin `distance` elements apart, checked against what there is: the
    /// last element is that of the last row.
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

    /// The elements of row `i` in a storage of this stride; `None` past the last row.
    pub(crate) fn row(self, i: usize, stride: usize) -> Option<Range<usize>> {
        (i < self.rows()).then(|| {
            let start = (self.top as usize + i) * stride + self.left as usize;
            start..start + self.cols()
        })
    }

    /// All elements, if they follow one another without a gap.
    pub(crate) fn contiguous(self, stride: usize) -> Option<Range<usize>> {
        // Below the last row there is no element to begin at.
        let start = if self.len() == 0 { 0 } else { self.top as usize * stride + self.left as usize };
        let gapless = self.len() == 0 || self.rows == 1 || self.cols() == stride;
        gapless.then(|| start..start + self.len())
    }

    /// The first `k` rows and the rest; `None` if there are fewer.
    pub(crate) fn split_rows(self, k: usize) -> Option<(Self, Self)> {
        let k = u32::try_from(k).ok().filter(|&k| k <= self.rows)?;
        Some((Self { rows: k, ..self }, Self { top: self.top + k, rows: self.rows - k, ..self }))
    }

    /// The first `k` columns and the rest; `None` if there are fewer.
    pub(crate) fn split_cols(self, k: usize) -> Option<(Self, Self)> {
        let k = u32::try_from(k).ok().filter(|&k| k <= self.cols)?;
        Some((Self { cols: k, ..self }, Self { left: self.left + k, cols: self.cols - k, ..self }))
    }

    /// `self` with `below` under it; `None` unless they touch along a whole side.
    pub(crate) fn join_rows(self, below: Self) -> Option<Self> {
        let touch = self.left == below.left && self.cols == below.cols && self.top + self.rows == below.top;
        touch.then(|| Self { rows: self.rows + below.rows, ..self })
    }

    /// `self` with `right` beside it; `None` unless they touch along a whole side.
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

    /// Every rectangle inside a `rows x cols` storage, by splitting only.
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

    /// All pairs of disjoint parts: a join that is granted names exactly the union, each element once.
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
    fn rows_with_gaps_name_what_lies_between_these() {
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
    fn contiguous_is_told_exactly() {
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

    /// More elements than 32 bits count: the last ones are where they belong, and an empty part joins what it
    /// was split from, and only that.
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
