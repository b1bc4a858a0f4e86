//! The boxes of all ranks, as heFFTe takes them.
//!
//! heFFTe counts axes from the fastest one, and its boxes contain their highest indices. An array in
//! row-major order therefore has its lengths in reverse. An array of two dimensions gets a third axis of
//! length 1, the slowest.

use std::ffi::c_int;
use std::ops::Range;

use crate::error::HeffteError;

/// Lowest and highest index of a box on each axis, the fastest axis first.
pub(crate) type Corners = [[c_int; 3]; 2];

/// Boxes of all ranks, before and after a transform. They fill the array and do not overlap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Boxes {
    lengths: Vec<usize>,
    /// Boxes of each rank: of its input and of its output.
    of_ranks: Vec<[Corners; 2]>,
}

impl Boxes {
    /// Checks the boxes of an array of two or three dimensions in row-major order. A box is a range of each
    /// dimension. The lists have a box for each rank. The result is the same on all ranks.
    ///
    /// # Errors
    ///
    /// [`HeffteError::Dimensions`], [`HeffteError::TooLarge`], [`HeffteError::NoTiling`].
    pub fn new(
        lengths: &[usize],
        input: &[Vec<Range<usize>>],
        output: &[Vec<Range<usize>>],
    ) -> Result<Self, HeffteError> {
        if !(2..=3).contains(&lengths.len()) {
            return Err(HeffteError::Dimensions(lengths.len()));
        }
        // heFFTe has numbers of points as `int`.
        let points = lengths.iter().try_fold(1, |points: usize, &length| points.checked_mul(length));
        if points.is_none_or(|points| c_int::try_from(points).is_err()) {
            return Err(HeffteError::TooLarge(lengths.to_vec()));
        }
        let fills = |boxes: &[Vec<Range<usize>>]| fills(lengths, boxes);
        if input.len() != output.len() || !fills(input) || !fills(output) {
            return Err(HeffteError::NoTiling(lengths.to_vec()));
        }
        let of_ranks = input.iter().zip(output).map(|(input, output)| [corners(input), corners(output)]);
        Ok(Self { lengths: lengths.to_vec(), of_ranks: of_ranks.collect() })
    }

    /// Returns the lengths of the array.
    pub fn lengths(&self) -> &[usize] {
        &self.lengths
    }

    /// Returns the number of ranks.
    pub fn ranks(&self) -> usize {
        self.of_ranks.len()
    }

    /// Returns the boxes of a rank's input and output.
    pub(crate) fn of_rank(&self, rank: usize) -> [Corners; 2] {
        self.of_ranks[rank]
    }
}

/// Whether the boxes fill the array and do not overlap. Each has a point, since heFFTe requires one on every
/// rank.
fn fills(lengths: &[usize], boxes: &[Vec<Range<usize>>]) -> bool {
    let lies_inside = |ranges: &Vec<Range<usize>>| {
        ranges.len() == lengths.len()
            && ranges.iter().zip(lengths).all(|(range, &length)| !range.is_empty() && range.end <= length)
    };
    let overlap = |one: &[Range<usize>], other: &[Range<usize>]| {
        one.iter().zip(other).all(|(one, other)| one.start < other.end && other.start < one.end)
    };
    let points = |ranges: &Vec<Range<usize>>| ranges.iter().map(ExactSizeIterator::len).product::<usize>();
    boxes.iter().all(lies_inside)
        && boxes.iter().map(points).sum::<usize>() == lengths.iter().product()
        && boxes.iter().enumerate().all(|(at, one)| boxes[..at].iter().all(|other| !overlap(one, other)))
}

/// Returns the corners of a box that has a point and is inside of an array of [`c_int`] points.
fn corners(ranges: &[Range<usize>]) -> Corners {
    let mut corners = [[0; 3]; 2];
    for (axis, range) in ranges.iter().rev().enumerate() {
        corners[0][axis] = range.start as c_int;
        corners[1][axis] = range.end as c_int - 1;
    }
    corners
}

#[cfg(test)]
mod tests {
    use std::iter;

    use super::*;

    #[test]
    fn axes_are_reversed_and_the_highest_index_is_inside() {
        let columns = [vec![0..4, 0..2], vec![0..4, 2..6]];
        let boxes = Boxes::new(&[4, 6], &[vec![0..1, 0..6], vec![1..4, 0..6]], &columns).unwrap();
        assert_eq!(boxes.of_rank(0), [[[0, 0, 0], [5, 0, 0]], [[0, 0, 0], [1, 3, 0]]]);
        assert_eq!(boxes.of_rank(1), [[[0, 1, 0], [5, 3, 0]], [[2, 0, 0], [5, 3, 0]]]);
        assert_eq!((boxes.lengths(), boxes.ranks()), (&[4, 6][..], 2));
        let slabs = [vec![0..2, 0..3, 0..5], vec![2..3, 0..3, 0..5]];
        let boxes = Boxes::new(&[3, 3, 5], &slabs, &slabs).unwrap();
        assert_eq!(boxes.of_rank(1), [[[0, 0, 2], [4, 2, 2]]; 2]);
    }

    #[test]
    fn other_boxes_are_refused() {
        let whole = [vec![0..4, 0..6]];
        let none = |boxes: &[Vec<Range<usize>>]| Boxes::new(&[4, 6], boxes, &whole).err();
        let no_tiling = Some(HeffteError::NoTiling(vec![4, 6]));
        assert_eq!(none(&whole), None);
        assert_eq!(none(&[]), no_tiling);
        // A missing row, a dimension too few, a box past the end, and no point on a rank.
        for boxes in [vec![0..3, 0..6], iter::once(0..24).collect(), vec![0..5, 0..6], vec![2..2, 0..6]] {
            assert_eq!(none(&[boxes]), no_tiling);
        }
        // Two ranks for one, and an overlap with the right number of points.
        assert_eq!(none(&[vec![0..2, 0..6], vec![2..4, 0..6]]), no_tiling);
        let overlap = [vec![0..2, 0..6], vec![1..3, 0..6]];
        assert_eq!(Boxes::new(&[4, 6], &overlap, &overlap), Err(HeffteError::NoTiling(vec![4, 6])));
    }

    #[test]
    fn series_and_points_past_an_int_are_refused() {
        let series = [iter::once(0..8).collect()];
        assert_eq!(Boxes::new(&[8], &series, &series), Err(HeffteError::Dimensions(1)));
        let lengths = [1 << 20, 1 << 20];
        let large = [vec![0..lengths[0], 0..lengths[1]]];
        assert_eq!(Boxes::new(&lengths, &large, &large), Err(HeffteError::TooLarge(lengths.to_vec())));
        let most = [usize::MAX, usize::MAX];
        let large = [vec![0..most[0], 0..most[1]]];
        assert_eq!(Boxes::new(&most, &large, &large), Err(HeffteError::TooLarge(most.to_vec())));
    }
}
