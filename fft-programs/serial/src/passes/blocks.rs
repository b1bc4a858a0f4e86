//! Lines in blocks: all lines of a dimension, some neighbouring ones at a time.
//!
//! The axes along which there are lines are merged where one continues another in both arrays. Those of the axis with
//! the nearest neighbours are taken in blocks; what is left is at most two axes, which are gone through one by one.

use std::fmt;

use crate::steps::{At, Axis};

/// The bytes of a cache line.
pub(crate) const LINE: usize = 64;

/// All lines of a dimension.
#[derive(Clone, Debug)]
pub(crate) struct Blocks {
    /// The axis of neighbours.
    pub(crate) lines: Axis,
    outer: [Axis; 2],
    /// The lines of a block: the last one of the axis may have fewer.
    pub(crate) most: usize,
}

impl Blocks {
    /// Lines along `loops`, at most four, all at a time. A single line has its neighbours at `distance`, which is where
    /// they would be.
    pub(crate) fn new(loops: &[Axis], distance: [usize; 2]) -> Self {
        let mut loops: Vec<_> = loops.iter().filter(|axis| axis.count > 1).copied().collect();
        loops.sort_by_key(|axis| (axis.to, axis.from));
        let mut merged: Vec<Axis> = Vec::new();
        for axis in loops {
            match merged.last_mut() {
                Some(last) if axis.from == last.count * last.from && axis.to == last.count * last.to => {
                    last.count *= axis.count;
                }
                _ => merged.push(axis),
            }
        }
        let single = Axis { count: 1, from: distance[0], to: distance[1] };
        let mut merged = merged.into_iter();
        let lines = merged.next().unwrap_or(single);
        let outer = [merged.next().unwrap_or(single), merged.next().unwrap_or(single)];
        assert!(merged.next().is_none(), "a dimension has lines along three axes at most");
        Self { lines, outer, most: lines.count }
    }

    /// Has at most `most` lines gathered at a time, and at least one.
    pub(crate) fn at_a_time(self, most: usize) -> Self {
        Self { most: most.clamp(1, self.lines.count), ..self }
    }

    /// All lines.
    pub(crate) fn count(&self) -> usize {
        self.lines.count * self.outer[0].count * self.outer[1].count
    }

    /// Calls `block` with the beginning of each block and the number of its lines.
    #[inline]
    pub(crate) fn each(&self, at: At, mut block: impl FnMut(At, usize)) {
        for outermost in 0..self.outer[1].count {
            let at = at.along(self.outer[1], outermost);
            for outer in 0..self.outer[0].count {
                let at = at.along(self.outer[0], outer);
                let mut line = 0;
                while line < self.lines.count {
                    let lines = self.most.min(self.lines.count - line);
                    block(at.along(self.lines, line), lines);
                    line += lines;
                }
            }
        }
    }
}

/// How many lines there are and how many go at a time.
impl fmt::Display for Blocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count() {
            1 => f.write_str("1 of them"),
            count => write!(f, "{count} of them, {} at a time", self.most),
        }
    }
}

/// Copies `counts[0]` lines of `counts[1]` elements, each by `map`, from an array to another, whose strides are those
/// of lines and of elements.
///
/// # Panics
///
/// If elements are outside of the slices.
#[inline]
pub(crate) fn copy<A: Copy, B>(
    from: &[A],
    from_strides: [usize; 2],
    to: &mut [B],
    to_strides: [usize; 2],
    counts: [usize; 2],
    map: impl Fn(A) -> B,
) {
    // The nearest neighbours of the array come one after another; the other one is a scratch, which is near itself.
    let near = |strides: [usize; 2]| strides[0].min(strides[1]) == 1;
    let array = if near(from_strides) && !near(to_strides) { to_strides } else { from_strides };
    let [o, i] = if array[0] < array[1] { [1, 0] } else { [0, 1] };
    for outer in 0..counts[o] {
        let from = from[outer * from_strides[o]..].iter().step_by(from_strides[i]);
        let to = to[outer * to_strides[o]..].iter_mut().step_by(to_strides[i]);
        for (to, from) in to.zip(from).take(counts[i]) {
            *to = map(*from);
        }
    }
}
