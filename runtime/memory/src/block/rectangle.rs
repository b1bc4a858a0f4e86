//! The rectangle a block covers, as pure arithmetic on four 32-bit numbers.
//!
//! A rectangle names the elements `offset + i * stride + j` for `i < rows`, `j < cols` of some storage.
//! Nothing here touches memory; what [`Block`](crate::Block) proves about its memory rests on these three
//! facts, which the tests of this file check:
//!
//! * *Inside.* The rectangle of a whole storage names every one of its elements once; the parts of a split
//!   name only elements of what was split.
//! * *Disjoint.* `cols <= stride` always, so that the rows of a rectangle do not overlap; the two parts of a
//!   split share no element and lose none.
//! * *Union.* A join names exactly the elements of its two parts, or is refused.
//!
//! An empty rectangle still has a position, so that splitting off nothing and joining it again gives back the
//! original. That position may lie past the end (below the last row, right of the last column); it is kept
//! modulo 2^32 and never looked up. Two positions that agree modulo 2^32 by accident can only join an empty
//! part to the other one, which is the identity.

use std::ops::Range;

/// Why a shape does not fit its elements, or does not fit a block at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// A side, or the number of elements, does not fit in 32 bits.
    #[error("a block of {rows} x {cols} elements is too large: sides and elements are counted in 32 bits")]
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
}

/// The elements `offset + i * stride + j` for `i < rows`, `j < cols`; `cols <= stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rectangle {
    offset: u32,
    rows: u32,
    cols: u32,
    stride: u32,
}

impl Rectangle {
    /// All elements of a storage that holds `rows * cols` of them, row after row.
    pub(crate) fn whole(rows: usize, cols: usize) -> Result<Self, ShapeError> {
        let too_large = ShapeError::TooLarge { rows, cols };
        let side = |n: usize| u32::try_from(n).map_err(|_| too_large);
        let (rows, cols) = (side(rows)?, side(cols)?);
        rows.checked_mul(cols).ok_or(too_large)?;
        Ok(Self { offset: 0, rows, cols, stride: cols })
    }

    /// [`whole`](Self::whole), checked against the number of elements there are.
    pub(crate) fn whole_of(rows: usize, cols: usize, found: usize) -> Result<Self, ShapeError> {
        let whole = Self::whole(rows, cols)?;
        if whole.len() == found { Ok(whole) } else { Err(ShapeError::Length { rows, cols, found }) }
    }

    pub(crate) fn rows(self) -> usize {
        self.rows as usize
    }

    pub(crate) fn cols(self) -> usize {
        self.cols as usize
    }

    pub(crate) fn stride(self) -> usize {
        self.stride as usize
    }

    pub(crate) fn len(self) -> usize {
        self.rows() * self.cols()
    }

    /// The elements of row `i`; `None` past the last row.
    pub(crate) fn row(self, i: usize) -> Option<Range<usize>> {
        (i < self.rows()).then(|| {
            // An empty row has no place: its position may lie past the storage's end.
            let start = if self.cols == 0 { 0 } else { self.offset as usize + i * self.stride() };
            start..start + self.cols()
        })
    }

    /// All elements, if they follow one another without a gap.
    pub(crate) fn contiguous(self) -> Option<Range<usize>> {
        let start = if self.len() == 0 { 0 } else { self.offset as usize };
        (self.len() == 0 || self.rows == 1 || self.cols == self.stride).then(|| start..start + self.len())
    }

    /// The first `k` rows and the rest; `None` if there are fewer.
    pub(crate) fn split_rows(self, k: usize) -> Option<(Self, Self)> {
        let k = u32::try_from(k).ok().filter(|&k| k <= self.rows)?;
        let below = self.below(k);
        Some((Self { rows: k, ..self }, Self { offset: below, rows: self.rows - k, ..self }))
    }

    /// The first `k` columns and the rest; `None` if there are fewer.
    pub(crate) fn split_cols(self, k: usize) -> Option<(Self, Self)> {
        let k = u32::try_from(k).ok().filter(|&k| k <= self.cols)?;
        let right = self.offset.wrapping_add(k);
        Some((Self { cols: k, ..self }, Self { offset: right, cols: self.cols - k, ..self }))
    }

    /// `self` with `below` under it; `None` unless they touch along a whole side.
    pub(crate) fn join_rows(self, below: Self) -> Option<Self> {
        let touch =
            self.cols == below.cols && self.stride == below.stride && self.below(self.rows) == below.offset;
        let rows = self.rows.checked_add(below.rows)?;
        touch.then_some(Self { rows, ..self })
    }

    /// `self` with `right` beside it; `None` unless they touch along a whole side.
    pub(crate) fn join_cols(self, right: Self) -> Option<Self> {
        let beside = self.offset.wrapping_add(self.cols) == right.offset;
        let touch = self.rows == right.rows && self.stride == right.stride && beside;
        // Wider than the stride would run into the next row: the end of one row
        // touches the start of the next.
        let cols = self.cols.checked_add(right.cols).filter(|&cols| cols <= self.stride)?;
        touch.then_some(Self { cols, ..self })
    }

    /// The position `k` rows further down, modulo 2^32.
    fn below(self, k: u32) -> u32 {
        self.offset.wrapping_add(k.wrapping_mul(self.stride))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elements(r: Rectangle) -> Vec<usize> {
        (0..r.rows()).flat_map(|i| r.row(i).unwrap()).collect()
    }

    /// Every rectangle inside a `rows x cols` storage, by splitting only.
    fn every_part(rows: usize, cols: usize) -> Vec<Rectangle> {
        let whole = Rectangle::whole(rows, cols).unwrap();
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
            let whole = Rectangle::whole_of(rows, cols, rows * cols).unwrap();
            assert_eq!(elements(whole), (0..rows * cols).collect::<Vec<_>>());
            assert_eq!(whole.contiguous(), Some(0..rows * cols));
        }
    }

    #[test]
    fn a_split_loses_nothing_shares_nothing_and_joins_again() {
        for part in every_part(3, 4) {
            let mut all = elements(part);
            all.sort_unstable();
            for k in 0..=part.rows() {
                let (top, bottom) = part.split_rows(k).unwrap();
                let mut parts = [elements(top), elements(bottom)].concat();
                parts.sort_unstable();
                assert_eq!(parts, all);
                assert_eq!(top.join_rows(bottom), Some(part));
            }
            for k in 0..=part.cols() {
                let (left, right) = part.split_cols(k).unwrap();
                let mut parts = [elements(left), elements(right)].concat();
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
                let mut union = [elements(a), elements(b)].concat();
                union.sort_unstable();
                if union.windows(2).any(|pair| pair[0] == pair[1]) {
                    continue; // overlapping parts never exist at the same time
                }
                for joined in [a.join_rows(b), a.join_cols(b)].into_iter().flatten() {
                    let mut all = elements(joined);
                    all.sort_unstable();
                    assert_eq!(all, union, "{a:?} with {b:?} gave {joined:?}");
                    assert!(joined.cols <= joined.stride);
                    granted += usize::from(!all.is_empty());
                }
            }
        }
        assert!(granted > 100, "only {granted} joins were granted");
    }

    #[test]
    fn contiguous_is_told_exactly() {
        for part in every_part(3, 4) {
            let all = elements(part);
            let gapless = all.windows(2).all(|pair| pair[0] + 1 == pair[1]);
            assert_eq!(part.contiguous().map(Iterator::collect), gapless.then_some(all));
        }
    }

    #[test]
    fn two_rows_do_not_join_as_columns() {
        let (top, bottom) = Rectangle::whole(2, 4).unwrap().split_rows(1).unwrap();
        assert_eq!(top.join_cols(bottom), None);
    }

    #[test]
    fn shapes_are_limited_to_32_bits() {
        let large = 1usize << 32;
        for (rows, cols) in [(large, 0), (0, large), (large, 1), (1 << 16, 1 << 16)] {
            assert_eq!(Rectangle::whole(rows, cols), Err(ShapeError::TooLarge { rows, cols }));
        }
        assert!(Rectangle::whole(65_535, 65_537).is_ok(), "2^32 - 1 elements fit");
        let short = Rectangle::whole_of(2, 3, 5);
        assert_eq!(short, Err(ShapeError::Length { rows: 2, cols: 3, found: 5 }));
    }

    /// An empty part whose position wraps still joins, and only to what it was split from.
    #[test]
    fn positions_past_32_bits_wrap_harmlessly() {
        let whole = Rectangle::whole(65_535, 65_537).unwrap();
        let (left, right) = whole.split_cols(40_000).unwrap();
        for part in [whole, left, right] {
            let (all, none) = part.split_rows(65_535).unwrap();
            assert_eq!(none.len(), 0);
            assert_eq!(all.join_rows(none), Some(part));
        }
        assert_eq!(right.row(65_534), Some((1 << 32) - 1 - 25_537..(1 << 32) - 1));
    }
}
