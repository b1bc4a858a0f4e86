//! How an array is distributed over ranks: a grid of ranks, each of whose axes cuts one dimension.

use std::ops::Range;

/// Part of an array that a rank has: a box, with its elements in row-major order.
///
/// A plan of several arrays has such a box of each, one after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Range of each dimension. The first one counts the arrays of the batch.
    ranges: Vec<Range<usize>>,
}

impl Part {
    /// Makes a part with these ranges; the first one counts the arrays of the batch.
    pub(super) fn new(ranges: Vec<Range<usize>>) -> Self {
        Self { ranges }
    }

    /// Returns the range of each dimension of the array.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges[1..]
    }

    /// Returns the length of each dimension of the part.
    pub fn lengths(&self) -> Vec<usize> {
        self.ranges().iter().map(ExactSizeIterator::len).collect()
    }

    /// Returns the number of elements, of all arrays of the batch.
    pub fn len(&self) -> usize {
        self.product(0)
    }

    /// Whether the part has no elements.
    pub fn is_empty(&self) -> bool {
        self.ranges.iter().any(Range::is_empty)
    }

    /// Returns the least part that contains all these parts.
    pub(super) fn hull(parts: &[Self]) -> Self {
        let range = |at: usize| {
            let ranges = || parts.iter().map(|part| &part.ranges[at]);
            ranges().map(|range| range.start).min().unwrap_or(0)
                ..ranges().map(|range| range.end).max().unwrap_or(0)
        };
        Self { ranges: (0..parts[0].ranges.len()).map(range).collect() }
    }

    /// Returns the part of the same array whose last dimension has this range.
    pub(super) fn with_last(mut self, range: Range<usize>) -> Self {
        if let Some(last) = self.ranges.last_mut() {
            *last = range;
        }
        self
    }

    /// Returns the length of a dimension; 0 is the batch.
    pub(super) fn length(&self, dimension: usize) -> usize {
        self.ranges[dimension].len()
    }

    /// Returns the range of a dimension; 0 is the batch.
    pub(super) fn range(&self, dimension: usize) -> Range<usize> {
        self.ranges[dimension].clone()
    }

    /// Returns the start of the range of a dimension; 0 is the batch.
    pub(super) fn start(&self, dimension: usize) -> usize {
        self.ranges[dimension].start
    }

    /// Returns the product of the lengths of a dimension and all later ones: the number of elements between
    /// two neighbors in the dimension before.
    pub(super) fn product(&self, from: usize) -> usize {
        self.ranges[from..].iter().map(ExactSizeIterator::len).product()
    }

    /// Returns the elements that both parts have, or `None` if there are none.
    pub(super) fn common(&self, other: &Self) -> Option<Self> {
        let both = self.ranges.iter().zip(&other.ranges);
        let common = both.map(|(a, b)| a.start.max(b.start)..a.end.min(b.end));
        let is_empty = common.clone().any(|range| range.is_empty());
        (!is_empty).then(|| Self { ranges: common.collect() })
    }

    /// Returns the offset of the first element of `inner` in this part, which contains it.
    pub(super) fn offset_of(&self, inner: &Self) -> usize {
        let starts = self.ranges.iter().zip(&inner.ranges).enumerate();
        starts.map(|(at, (of, inner))| (inner.start - of.start) * self.product(at + 1)).sum()
    }

    /// Yields the runs of elements of `inner` that are consecutive in both parts, which contain it: the two
    /// offsets of each run, and the common length. The runs are in row-major order. There are none if `inner`
    /// is empty.
    pub(super) fn runs(
        [a, b]: [&Self; 2],
        inner: &Self,
    ) -> (impl Iterator<Item = [usize; 2]> + use<>, usize) {
        // The dimension of the runs: all later ones are whole in both parts.
        let is_cut = |&at: &usize| [a, b].iter().any(|part| part.length(at) != inner.length(at));
        let last = (1..a.ranges.len()).rev().find(is_cut).unwrap_or(0);
        let (first, run) = ([a, b].map(|part| part.offset_of(inner)), inner.product(last));
        let outer = (0..last).rev().map(|at| (inner.length(at), [a, b].map(|part| part.product(at + 1))));
        let outer: Vec<_> = outer.collect();
        let count = if run == 0 { 0 } else { outer.iter().map(|(length, _)| length).product() };
        let offsets = move |mut run: usize| {
            let mut offsets = first;
            for &(length, strides) in &outer {
                offsets.iter_mut().zip(strides).for_each(|(at, stride)| *at += run % length * stride);
                run /= length;
            }
            offsets
        };
        ((0..count).map(offsets), run.max(1))
    }

    /// Returns whether the elements of `inner`, which this part contains, are consecutive in it.
    pub(super) fn has_consecutive(&self, inner: &Self) -> bool {
        let (runs, run) = Self::runs([self, inner], inner);
        drop(runs);
        run >= inner.len()
    }

    /// Cuts the part into consecutive blocks of whole rows, of at most this number of points or one row. A
    /// row has all dimensions from `first`.
    pub(super) fn blocks(&self, first: usize, points: usize) -> Vec<Self> {
        let Some(dimension) = (0..first).find(|&at| self.length(at) > 1) else { return vec![self.clone()] };
        let unit = self.product(dimension + 1).max(1);
        let parts = self.split(dimension, self.length(dimension).div_ceil((points / unit).max(1)), 1);
        if unit <= points {
            parts
        } else {
            parts.iter().flat_map(|part| part.blocks(first, points)).collect()
        }
    }

    /// Returns the part of the transposed matrix: the last two dimensions change places.
    pub(super) fn transposed(&self) -> Self {
        let mut ranges = self.ranges.clone();
        let last = ranges.len() - 1;
        ranges.swap(last - 1, last);
        Self { ranges }
    }

    /// Returns the part of a single element of each dimension before this one, the `index`-th in row-major
    /// order, and all elements of the later ones.
    pub(super) fn matrix(&self, dimension: usize, mut index: usize) -> Self {
        let mut ranges = self.ranges.clone();
        for range in ranges[..dimension].iter_mut().rev() {
            let at = range.start + index % range.len();
            index /= range.len();
            *range = at..at + 1;
        }
        Self { ranges }
    }

    /// Returns the number of matrices of all dimensions from this one.
    pub(super) fn matrices(&self, dimension: usize) -> usize {
        self.ranges[..dimension].iter().map(ExactSizeIterator::len).product()
    }

    /// Returns whether all dimensions after this one have the same ranges in both parts.
    pub(super) fn has_lines_of(&self, other: &Self, dimension: usize) -> bool {
        self.ranges[dimension + 1..] == other.ranges[dimension + 1..]
    }

    /// Splits the part along a dimension into `parts` nearly equal parts, whose bounds are multiples of
    /// `multiple` if possible.
    pub(super) fn split(&self, dimension: usize, parts: usize, multiple: usize) -> Vec<Self> {
        let (range, units) = (&self.ranges[dimension], self.length(dimension).div_ceil(multiple));
        let parts = parts.clamp(1, units.max(1));
        let bound = |part: usize| range.end.min(range.start + units * part / parts * multiple);
        let part = |part: usize| {
            let mut ranges = self.ranges.clone();
            ranges[dimension] = bound(part)..bound(part + 1);
            Self { ranges }
        };
        (0..parts).map(part).collect()
    }
}

/// Returns the first index of a part, if `length` indices are cut into `parts` nearly equal parts.
pub fn bound(length: usize, parts: usize, part: usize) -> usize {
    // The product may exceed 64 bits.
    (length as u128 * part as u128 / parts as u128) as usize
}

/// Distribution of an array over ranks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Distribution {
    /// Length of each dimension; the first one counts the arrays of the batch.
    lengths: Vec<usize>,
    /// Axes of the grid of ranks, the slowest first.
    axes: Vec<Axis>,
}

/// Axis of a grid of ranks.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Axis {
    /// Dimension that it cuts.
    dimension: usize,
    /// Bounds of the parts: one more than there are parts.
    bounds: Vec<usize>,
}

impl Distribution {
    /// Returns the distribution in which one rank has the whole array.
    pub(super) fn whole(lengths: &[usize]) -> Self {
        Self { lengths: lengths.to_vec(), axes: Vec::new() }
    }

    /// Adds an axis of `parts` ranks to the grid, which cuts a dimension into nearly equal ranges. Ranges are
    /// empty if there are more parts than elements.
    #[must_use]
    pub(super) fn cut(self, dimension: usize, parts: usize) -> Self {
        let length = self.lengths[dimension];
        self.cut_at(dimension, (0..=parts).map(|part| bound(length, parts, part)).collect())
    }

    /// Adds an axis to the grid, which cuts a dimension at these bounds.
    #[must_use]
    pub(super) fn cut_at(mut self, dimension: usize, bounds: Vec<usize>) -> Self {
        self.axes.push(Axis { dimension, bounds });
        self
    }

    /// Returns the length of each dimension; the first one counts the arrays of the batch.
    pub(super) fn lengths(&self) -> &[usize] {
        &self.lengths
    }

    /// Returns whether the ranks have the same parts in both distributions.
    pub(super) fn is_same(&self, other: &Self, ranks: usize) -> bool {
        self == other || (0..ranks).all(|rank| self.part(rank) == other.part(rank))
    }

    /// Returns the part of a rank.
    pub(super) fn part(&self, rank: usize) -> Part {
        let mut ranges: Vec<_> = self.lengths.iter().map(|&length| 0..length).collect();
        let mut rest = rank;
        for Axis { dimension, bounds } in self.axes.iter().rev() {
            let (part, parts) = (rest % (bounds.len() - 1), bounds.len() - 1);
            ranges[*dimension] = bounds[part]..bounds[part + 1];
            rest /= parts;
        }
        Part { ranges }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_disjoint_and_cover_the_array() {
        for (lengths, cuts) in [
            (vec![1, 7, 5], vec![(1, 3)]),
            (vec![2, 3, 5], vec![(1, 8)]),
            (vec![1, 6, 5, 4], vec![(1, 2), (3, 3)]),
            (vec![1, 1, 1], vec![(2, 2)]),
        ] {
            let whole = Distribution::whole(&lengths);
            let cut = cuts.iter().fold(whole.clone(), |cut, &(dimension, parts)| cut.cut(dimension, parts));
            let ranks: usize = cuts.iter().map(|(_, parts)| parts).product();
            let mut times = vec![0; lengths.iter().product()];
            for rank in 0..ranks {
                let part = cut.part(rank);
                let (offsets, run) = Part::runs([&whole.part(0), &part], &part);
                offsets.for_each(|[at, _]| times[at..at + run].iter_mut().for_each(|times| *times += 1));
            }
            assert!(times.iter().all(|&times| times == 1), "{lengths:?} {cuts:?}");
        }
    }

    #[test]
    fn runs_are_as_long_as_the_part_allows() {
        let whole = Distribution::whole(&[1, 4, 6, 5]);
        let runs = |cut: Distribution, rank: usize| {
            let part = cut.part(rank);
            let (offsets, run) = Part::runs([&whole.part(0), &part], &part);
            (offsets.map(|[at, _]| at).collect::<Vec<_>>(), run)
        };
        assert_eq!(runs(whole.clone().cut(1, 2), 1), (vec![60], 60));
        assert_eq!(runs(whole.clone().cut(2, 2), 1), (vec![15, 45, 75, 105], 15));
        assert_eq!(
            runs(whole.clone().cut(1, 4).cut(3, 5), 7),
            ((0..6).map(|row| 30 + 5 * row + 2).collect(), 1)
        );
    }

    #[test]
    fn a_split_prefers_bounds_at_multiples() {
        let part = Distribution::whole(&[1, 3, 20]).part(0);
        let lengths = |parts: Vec<Part>| parts.iter().map(|part| part.length(2)).collect::<Vec<_>>();
        assert_eq!(lengths(part.split(2, 2, 8)), [8, 12]);
        assert_eq!(lengths(part.split(2, 9, 8)), [8, 8, 4]);
        assert_eq!(lengths(part.split(2, 3, 1)), [6, 7, 7]);
        assert_eq!(part.split(1, 2, 1).iter().map(Part::len).collect::<Vec<_>>(), [20, 40]);
    }
}
