//! Rows that become columns, where both are stored separately: the second pass of a long transform.
//!
//! A transform of `n = a b` points is a matrix of `a` rows of `b` points (the four-step FFT, Bailey). A
//! [`ColumnPlan`](crate::ColumnPlan) transforms the columns. Then each point is multiplied by a root of
//! unity, and the transformed rows become the columns of a matrix of `b` rows of `a` points. The result of a
//! row is bitwise independent of the other rows of the call.
//!
//! Without a turned kernel, some rows at a time are multiplied into scratch, transformed there, and copied
//! point by point to the result. Nested plans also do this: there each row is transformed as a matrix in the
//! cache. This is the nested form of a long transform, with columns near its cube root.
//!
//! *Tuples.* If each point of the transform is a tuple of contiguous points, each row holds the rows of
//! several transforms side by side. Some rows at a time are multiplied into scratch as a matrix of tuples.
//! Its columns are transformed in place and copied into columns of the result.

use std::fmt;
use std::sync::Arc;

use earth_kernels::{ColumnKernel, Direction, MatrixMut, Real, Roots, TransposingKernel};
use num_complex::Complex;

use crate::error::{CallError, PlanError, enough_scratch};
use crate::facts::{self, PassFacts};
use crate::kernels::Kernels;
use crate::passes::blocks::copy;
use crate::passes::lines::{Gathered, gathered_at_a_time};
use crate::shape::{Array, ShapeError};

/// Plan of the rows of a matrix, in either direction. Any number of threads may use it.
pub struct TransposingPlan<T: Real> {
    len: usize,
    rows: usize,
    /// Number of points in a tuple.
    width: usize,
    way: Method<T>,
}

enum Method<T> {
    Turned(Arc<dyn TransposingKernel<T>>),
    /// Gathered rows, with their name in the `Display` of the plan.
    Gathered(Gathered<T>, Roots<T>, &'static str),
    /// Rows of tuples as columns of a matrix.
    Columns(Arc<dyn ColumnKernel<T>>, Roots<T>),
}

impl<T: Real> TransposingPlan<T> {
    /// Plans rows of `len` points of a matrix of `rows` rows.
    ///
    /// # Errors
    ///
    /// [`PlanError::Shape`] if the matrix has no points, or more than 2^53; [`PlanError::Kernel`] if no row
    /// kernel exists for this length.
    pub fn new<K: Kernels<T>>(len: usize, rows: usize, kernels: &K) -> Result<Self, PlanError<K::Error>> {
        let points = points(len, rows)?;
        let way = if let Some(turned) = kernels.turned(len, rows) {
            Method::Turned(turned)
        } else {
            let row = kernels.rows(len).map_err(PlanError::Kernel)?;
            Method::Gathered(Gathered::new(row), Roots::new(points), "gathered rows")
        };
        Ok(Self { len, rows, width: 1, way })
    }

    /// Plans rows of `len` tuples of `width` points, of a matrix of `rows` rows.
    ///
    /// # Errors
    ///
    /// The errors of [`new`](Self::new).
    pub fn tuples<K: Kernels<T>>(
        len: usize,
        rows: usize,
        width: usize,
        kernels: &K,
    ) -> Result<Self, PlanError<K::Error>> {
        if width == 1 {
            return Self::new(len, rows, kernels);
        }
        let roots = Roots::new(points(len, rows)?);
        points(width, len * rows)?;
        let way = if let Some(columns) = kernels.columns(len) {
            Method::Columns(columns, roots)
        } else {
            let row = kernels.rows(len).map_err(PlanError::Kernel)?;
            Method::Gathered(Gathered::new(row), roots, "gathered rows")
        };
        Ok(Self { len, rows, width, way })
    }

    /// Plans rows that are gathered and each transformed as a matrix, by the same two steps. This is for
    /// matrices of few long rows.
    ///
    /// # Errors
    ///
    /// The errors of [`new`](Self::new).
    pub fn nested<K: Kernels<T>>(len: usize, rows: usize, kernels: &K) -> Result<Self, PlanError<K::Error>> {
        let points = points(len, rows)?;
        let row = kernels.nested(len).map_or_else(|| kernels.rows(len), Ok).map_err(PlanError::Kernel)?;
        let way = Method::Gathered(Gathered::new(row), Roots::new(points), "nested rows");
        Ok(Self { len, rows, width: 1, way })
    }

    /// Returns the minimum scratch of a call, in points. It does not depend on the number of rows.
    pub fn scratch_len(&self) -> usize {
        match &self.way {
            Method::Turned(turned) => turned.scratch_len(),
            Method::Gathered(gathered, ..) => gathered.scratch_len(self.at_a_time() * self.width),
            Method::Columns(columns, _) => self.at_a_time() * self.width * self.len + columns.scratch_len(),
        }
    }

    /// Returns the number of rows that are gathered together.
    fn at_a_time(&self) -> usize {
        (gathered_at_a_time::<T>(self.len) / self.width).clamp(1, self.rows)
    }

    /// Returns the facts of a pass over all rows of the matrix, out of place.
    pub fn facts(&self) -> PassFacts {
        let (way, kernel) = match &self.way {
            Method::Turned(turned) => (facts::Method::Turned, turned.name()),
            Method::Gathered(gathered, ..) => (facts::Method::GatheredTransposed, gathered.name()),
            Method::Columns(columns, _) => (facts::Method::GatheredTransposed, columns.name()),
        };
        let lines = self.rows * self.width;
        let bytes = 2 * self.len * lines * size_of::<Complex<T>>();
        PassFacts { way, kernel, len: self.len, lines, real: false, bytes, footprint: bytes }
    }

    /// Transforms consecutive rows of the matrix, from row `first` on, and multiplies every point by
    /// `factor`.
    ///
    /// Output `m` of `from[i]` goes to `to[m][i]`; both are tuples. The contents of the scratch are
    /// unspecified afterwards.
    ///
    /// # Errors
    ///
    /// [`CallError`] if the rows are out of range of the matrix, if rows or results have other lengths than
    /// planned, or if the scratch is too short; `to` is unchanged then.
    pub fn process(
        &self,
        direction: Direction,
        factor: T,
        first: usize,
        from: &[&[Complex<T>]],
        to: &mut [&mut [Complex<T>]],
        scratch: &mut [Complex<T>],
    ) -> Result<(), CallError> {
        let count = from.len();
        let end = first.saturating_add(count);
        if end > self.rows {
            return Err(CallError::Rows { given: end, needed: self.rows });
        }
        let width = self.width;
        uneven(from.iter().map(|row| row.len()), self.len * width)?;
        if to.len() != self.len {
            return Err(CallError::Rows { given: to.len(), needed: self.len });
        }
        uneven(to.iter().map(|row| row.len()), count * width)?;
        enough_scratch(scratch.len(), self.scratch_len())?;
        match &self.way {
            Method::Turned(kernel) => kernel.transform(direction, factor, first, from, to, scratch),
            Method::Gathered(gathered, roots, _) => {
                let most = self.at_a_time();
                for (turn, rows) in from.chunks(most).enumerate() {
                    let column = turn * most;
                    gathered.transform(
                        direction,
                        rows.len() * width,
                        scratch,
                        to,
                        |_, block, apart| {
                            for (index, row) in rows.iter().enumerate() {
                                let row_number = first + column + index;
                                for (j, tuple) in row.chunks_exact(width).enumerate() {
                                    let root = roots.get(direction, row_number * j).scale(factor);
                                    for (line, point) in tuple.iter().enumerate() {
                                        block[(index * width + line) * apart + j] = point * root;
                                    }
                                }
                            }
                        },
                        |to, block, apart| {
                            for (point, row) in to.iter_mut().enumerate() {
                                let (counts, at) = ([rows.len() * width, 1], column * width);
                                copy(&block[point..], [apart, 1], &mut row[at..], [1, 1], counts, |x| x);
                            }
                        },
                    );
                }
            }
            Method::Columns(columns, roots) => {
                let most = self.at_a_time();
                let (block, scratch) = scratch.split_at_mut(most * width * self.len);
                for (turn, rows) in from.chunks(most).enumerate() {
                    let (column, wide) = (turn * most, rows.len() * width);
                    for (j, to) in block.chunks_exact_mut(wide).take(self.len).enumerate() {
                        for (index, (to, row)) in to.chunks_exact_mut(width).zip(rows).enumerate() {
                            let root = roots.get(direction, (first + column + index) * j).scale(factor);
                            let tuple = &row[j * width..][..width];
                            to.iter_mut().zip(tuple).for_each(|(to, point)| *to = point * root);
                        }
                    }
                    let tuples = MatrixMut::Spaced { points: &mut *block, distance: wide };
                    columns.transform(direction, None, tuples, wide, scratch);
                    for (from, to) in block.chunks_exact(wide).zip(&mut *to) {
                        to[column * width..][..wide].copy_from_slice(from);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Returns the number of points in a matrix of `rows` rows of `len` points, if it is at most 2^53.
fn points<E>(len: usize, rows: usize) -> Result<usize, PlanError<E>> {
    if let Some(dimension) = [rows, len].iter().position(|&side| side == 0) {
        return Err(ShapeError::NoPoints(dimension).into());
    }
    let points = rows.checked_mul(len).filter(|points| *points as u64 <= 1 << 53);
    Ok(points.ok_or(ShapeError::TooLarge(Array::Input))?)
}

/// Checks that all rows have `needed` points.
fn uneven(lengths: impl Iterator<Item = usize>, needed: usize) -> Result<(), CallError> {
    match lengths.enumerate().find(|(_, given)| *given != needed) {
        Some((row, given)) => Err(CallError::Uneven { row, given, needed }),
        None => Ok(()),
    }
}

/// Formats the plan as `rows of 512 into columns by earth-avx2`.
impl<T: Real> fmt::Display for TransposingPlan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, by) = match &self.way {
            Method::Turned(turned) => ("rows", turned.name()),
            Method::Gathered(gathered, _, what) => (*what, gathered.name()),
            Method::Columns(columns, _) => ("rows", columns.name()),
        };
        let tuples = if self.width == 1 { String::new() } else { format!(" tuples of {}", self.width) };
        write!(f, "{what} of {}{tuples} into columns by {by}", self.len)
    }
}

impl<T: Real> fmt::Debug for TransposingPlan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TurnedPlan")
            .field("real", &T::NAME)
            .field("len", &self.len)
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
}
