//! Pass over complex lines: all lines of one dimension, in place or out of place.
//!
//! 1. *Rows.* The points of a line are contiguous in both arrays. A row kernel transforms one row per call,
//!    or several rows at a constant distance if it wants many or if the rows are short.
//! 2. *Columns.* Adjacent lines are contiguous in both arrays, and a column kernel exists. It reads and
//!    writes the columns without a transposition.
//! 3. *Gathered.* In all other cases, a block of adjacent lines is copied into scratch, line by line,
//!    transformed there as rows, and copied back. A block is at least a cache line wide, so that whole cache
//!    lines are used.
//!
//! The factor is applied while a block is in the cache. *Cost.* One read and one write of all points, and two
//! copies within the cache for gathered lines. *When it loses.* For columns of some ten thousand points,
//! because a few adjacent columns no longer fit into the L2 cache.

use std::fmt;
use std::sync::Arc;

use earth_kernels::{ColumnKernel, Direction, Matrix, MatrixMut, Real, RowKernel};
use num_complex::Complex;

use crate::facts::{self, PassFacts};
use crate::kernels::{KernelCache, Kernels};
use crate::passes::blocks::{Blocks, LINE, copy};
use crate::passes::fetch::{LONG, fetch};
use crate::steps::{At, Axis, RESIDENT};

/// Approximate size of the gathered lines, in bytes: a part of the L2 cache.
const GATHERED: usize = 64 << 10;

/// Minimum number of lines that are gathered together, in cache lines, if there are enough: processors fetch
/// adjacent cache lines in pairs.
const GATHERED_LINES: usize = 2;

/// Returns the number of lines of `points` points that are gathered together, in whole cache lines.
pub(crate) fn gathered_at_a_time<T: Real>(points: usize) -> usize {
    let point = size_of::<Complex<T>>();
    let width = LINE / point;
    (GATHERED / (points * point)).max(GATHERED_LINES * width) / width * width
}

/// Plan of a pass.
pub(crate) struct Lines<T: Real> {
    axis: Axis,
    blocks: Blocks,
    way: Method<T>,
}

enum Method<T> {
    Rows(Arc<dyn RowKernel<T>>),
    Columns(Arc<dyn ColumnKernel<T>>),
    Gathered(Gathered<T>),
}

/// Lines that are gathered into scratch, transformed there as rows, and copied back.
pub(crate) struct Gathered<T> {
    kernel: Arc<dyn RowKernel<T>>,
    /// Distance between lines in the scratch, in points.
    apart: usize,
}

impl<T: Real> Gathered<T> {
    /// Transforms gathered lines by a row kernel.
    pub(crate) fn new(kernel: Arc<dyn RowKernel<T>>) -> Self {
        // With a power of two as distance, the lines would map to few sets of the L1 cache.
        let apart = kernel.len() + LINE / size_of::<Complex<T>>();
        Self { kernel, apart }
    }

    /// Returns the kernel's name.
    pub(crate) fn name(&self) -> &'static str {
        self.kernel.name()
    }

    /// Returns the scratch for `lines` lines at a time, in points.
    pub(crate) fn scratch_len(&self, lines: usize) -> usize {
        lines * self.apart + self.kernel.scratch_len()
    }

    /// Transforms `lines` lines. `gather` copies them from `data` into scratch, as contiguous lines at the
    /// distance in its third argument. `put` copies them back.
    pub(crate) fn transform<D: ?Sized>(
        &self,
        direction: Direction,
        lines: usize,
        scratch: &mut [Complex<T>],
        data: &mut D,
        gather: impl FnOnce(&D, &mut [Complex<T>], usize),
        put: impl FnOnce(&mut D, &[Complex<T>], usize),
    ) {
        let (block, scratch) = scratch.split_at_mut(lines * self.apart);
        gather(data, block, self.apart);
        self.kernel.transform_spaced(direction, block, self.apart, scratch);
        put(data, block, self.apart);
    }
}

/// Direction and factor of a transform.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job<T> {
    pub(crate) direction: Direction,
    pub(crate) factor: T,
}

impl<T: Real> Job<T> {
    pub(crate) fn unscaled(direction: Direction) -> Self {
        Self { direction, factor: T::one() }
    }
}

impl<T: Real> Lines<T> {
    /// Plans the lines of a dimension; `loops` are the axes with lines.
    pub(crate) fn plan<K: Kernels<T>>(
        axis: Axis,
        loops: &[Axis],
        shelf: &mut KernelCache<'_, T, K>,
    ) -> Result<Self, K::Error> {
        let len = axis.count;
        let bytes = len * size_of::<Complex<T>>();
        let width = LINE / size_of::<Complex<T>>();
        let blocks = Blocks::new(loops, [len, len]);
        let per_block = blocks.lines;
        if axis.from == 1 && axis.to == 1 {
            let rows = shelf.rows(len)?;
            let most = if rows.wants_many() || bytes < LONG { RESIDENT / bytes } else { 1 };
            return Ok(Self { axis, blocks: blocks.at_a_time(most), way: Method::Rows(rows) });
        }
        let beside = per_block.from == 1 && per_block.to == 1 && per_block.count >= width;
        let below = axis.from >= per_block.count && axis.to >= per_block.count;
        if let Some(columns) = (beside && below).then(|| shelf.columns(len)).flatten() {
            return Ok(Self { axis, blocks, way: Method::Columns(columns) });
        }
        let way = Method::Gathered(Gathered::new(shelf.rows(len)?));
        Ok(Self { axis, blocks: blocks.at_a_time(gathered_at_a_time::<T>(len)), way })
    }

    /// Returns the kernel, if the pass is a single contiguous row.
    pub(crate) fn single_row(&self) -> Option<&Arc<dyn RowKernel<T>>> {
        match &self.way {
            Method::Rows(rows) if self.blocks.count() == 1 => Some(rows),
            _ => None,
        }
    }

    /// Returns the facts of the pass in place.
    pub(crate) fn facts(&self) -> PassFacts {
        let (len, lines) = (self.axis.count, self.blocks.count());
        let (way, kernel) = match &self.way {
            Method::Rows(rows) => (facts::Method::Rows, rows.name()),
            Method::Columns(columns) => (facts::Method::Columns, columns.name()),
            Method::Gathered(gathered) => (facts::Method::Gathered, gathered.name()),
        };
        let footprint = self.bytes();
        PassFacts { way, kernel, len, lines, real: false, bytes: 2 * footprint, footprint }
    }

    /// Returns the size of all lines, in bytes.
    fn bytes(&self) -> usize {
        self.axis.count * self.blocks.count() * size_of::<Complex<T>>()
    }

    /// Returns the minimum scratch, in points.
    pub(crate) fn scratch_len(&self) -> usize {
        match &self.way {
            Method::Rows(rows) => rows.scratch_len(),
            Method::Columns(columns) => columns.scratch_len_of(self.bytes()),
            Method::Gathered(gathered) => gathered.scratch_len(self.blocks.most),
        }
    }

    /// Transforms the lines from `from` to `to`, or in place if `from` is `None`.
    pub(crate) fn run(
        &self,
        job: Job<T>,
        from: Option<&[Complex<T>]>,
        to: &mut [Complex<T>],
        at: At,
        scratch: &mut [Complex<T>],
    ) {
        let (Axis { count: len, .. }, per_block) = (self.axis, self.blocks.lines);
        self.blocks.each(at, |at, lines| {
            let (from, to) = (from.map(|from| &from[at.from..]), &mut to[at.to..]);
            match &self.way {
                Method::Rows(rows) => {
                    let along = Axis { count: lines, ..per_block };
                    transform_rows(rows.as_ref(), job.direction, from, to, along, self.bytes(), scratch);
                }
                Method::Columns(columns) => {
                    let from = from.map(|points| Matrix::Spaced { points, distance: self.axis.from });
                    let to = MatrixMut::Spaced { points: &mut *to, distance: self.axis.to };
                    columns.transform(job.direction, from, to, lines, scratch);
                }
                Method::Gathered(gathered) => {
                    let (counts, strides) = ([lines, len], [per_block.to, self.axis.to]);
                    let gather = |to: &[_], block: &mut [_], apart| {
                        let (from, strides) =
                            from.map_or((to, strides), |from| (from, [per_block.from, self.axis.from]));
                        copy(from, strides, block, [apart, 1], counts, |x| x);
                    };
                    let put = |to: &mut [_], block: &[_], apart| {
                        copy(block, [apart, 1], to, strides, counts, |x: Complex<T>| x.scale(job.factor));
                    };
                    gathered.transform(job.direction, lines, scratch, to, gather, put);
                    return;
                }
            }
            if job.factor != T::one() {
                self.scale(job, to, lines);
            }
        });
    }

    /// Multiplies a block by the factor.
    fn scale(&self, job: Job<T>, to: &mut [Complex<T>], lines: usize) {
        let (points, lines) = ((self.axis.to, self.axis.count), (self.blocks.lines.to, lines));
        let (outer, inner) = if points.0 < lines.0 { (lines, points) } else { (points, lines) };
        for line in 0..outer.1 {
            let line = to[line * outer.0..].iter_mut().step_by(inner.0).take(inner.1);
            line.for_each(|x| *x = x.scale(job.factor));
        }
    }
}

/// Transforms adjacent rows out of place or in place: one row, or the rows of one call of the kernel. Rows
/// at a distance are copied first if the transform is out of place. All rows of the pass are `bytes` bytes.
#[inline(always)]
pub(crate) fn transform_rows<T: Real>(
    kernel: &dyn RowKernel<T>,
    direction: Direction,
    from: Option<&[Complex<T>]>,
    to: &mut [Complex<T>],
    rows: Axis,
    bytes: usize,
    scratch: &mut [Complex<T>],
) {
    let (len, count) = (kernel.len(), rows.count);
    let to = &mut to[..(count - 1) * rows.to + len];
    if let Some(from) = from {
        let from = &from[..(count - 1) * rows.from + len];
        fetch(from, len, bytes);
        if count == 1 || (rows.from == len && rows.to == len) {
            return kernel.transform_into(direction, from, to, scratch);
        }
        for row in 0..count {
            to[row * rows.to..][..len].copy_from_slice(&from[row * rows.from..][..len]);
        }
    } else {
        fetch(to, len, bytes);
    }
    if count == 1 || rows.to == len {
        kernel.transform(direction, to, scratch);
    } else {
        kernel.transform_spaced(direction, to, rows.to, scratch);
    }
}

/// Formats the pass as
/// `rows of 512 by earth-avx2, 1024 of them, 1 at a time: 8388608 bytes read and written`.
impl<T: Real> fmt::Display for Lines<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (len, blocks, bytes) = (self.axis.count, &self.blocks, self.bytes());
        let (what, by) = match &self.way {
            Method::Rows(rows) => ("rows", rows.name()),
            Method::Columns(columns) => ("columns", columns.name()),
            Method::Gathered(gathered) => ("gathered lines", gathered.name()),
        };
        write!(f, "{what} of {len} by {by}, {blocks}: {bytes} bytes read and written")
    }
}
