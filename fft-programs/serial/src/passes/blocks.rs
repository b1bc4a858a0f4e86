//! Lines in blocks: iteration over all lines of a dimension, some adjacent lines at a time.
//!
//! Axes with lines are merged if one continues the other in both arrays. The axis with the smallest strides
//! is split into blocks. At most two axes remain, which are iterated one line at a time.

use std::fmt;

use crate::steps::{At, Axis};

/// Size of a cache line, in bytes.
pub(crate) const LINE: usize = 64;

/// All lines of a dimension.
#[derive(Clone, Debug)]
pub(crate) struct Blocks {
    /// Axis of adjacent lines.
    pub(crate) lines: Axis,
    outer: [Axis; 2],
    /// Number of lines in a block; the last block of the axis may have fewer.
    pub(crate) most: usize,
}

impl Blocks {
    /// Creates one block of all lines along `loops`, which has at most four axes. `distance` is the distance
    /// to the next line for a single line.
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

    /// Limits a block to `most` lines, but at least one.
    pub(crate) fn at_a_time(self, most: usize) -> Self {
        Self { most: most.clamp(1, self.lines.count), ..self }
    }

    /// Returns the number of all lines.
    pub(crate) fn count(&self) -> usize {
        self.lines.count * self.outer[0].count * self.outer[1].count
    }

    /// Calls `block` with the start of each block and the number of its lines.
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

/// Formats the number of lines and the number of lines per block.
impl fmt::Display for Blocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count() {
            1 => f.write_str("1 of them"),
            count => write!(f, "{count} of them, {} at a time", self.most),
        }
    }
}

/// Copies `counts[0]` lines of `counts[1]` elements from one array to another and converts each element by
/// `map`. The strides of each array are the stride of lines and the stride of elements.
///
/// # Panics
///
/// If elements are out of the slices.
#[inline]
pub(crate) fn copy<A: Copy, B>(
    from: &[A],
    from_strides: [usize; 2],
    to: &mut [B],
    to_strides: [usize; 2],
    counts: [usize; 2],
    map: impl Fn(A) -> B,
) {
    // The inner loop has the smaller stride of the array. The other side is a scratch, which is in the cache.
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
