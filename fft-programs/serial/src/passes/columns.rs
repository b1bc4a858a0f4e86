//! Columns of a matrix whose rows are stored separately.
//!
//! This is the pass of [`ComplexPlan`](crate::ComplexPlan) over all dimensions except the last, with the same
//! kernels. A column kernel transforms columns without copies. Otherwise some adjacent columns at a time are
//! gathered into scratch. The result of a column is bitwise independent of the other columns of the call.

use std::fmt;
use std::sync::Arc;

use earth_kernels::{ColumnKernel, Direction, Matrix, MatrixMut, Real};
use num_complex::Complex;

use crate::error::{CallError, PlanError, enough_scratch};
use crate::facts::{self, PassFacts};
use crate::kernels::Kernels;
use crate::passes::blocks::copy;
use crate::passes::lines::{Gathered, gathered_at_a_time};
use crate::shape::ShapeError;

/// Plan of columns of one length, in either direction. Any number of threads may use it.
pub struct ColumnPlan<T: Real> {
    len: usize,
    way: Method<T>,
}

enum Method<T> {
    Columns(Arc<dyn ColumnKernel<T>>),
    Gathered(Gathered<T>),
}

impl<T: Real> ColumnPlan<T> {
    /// Plans columns of `len` points.
    ///
    /// # Errors
    ///
    /// [`PlanError::Shape`] if `len` is 0, [`PlanError::Kernel`] if no row kernel exists for this length.
    pub fn new<K: Kernels<T>>(len: usize, kernels: &K) -> Result<Self, PlanError<K::Error>> {
        if len == 0 {
            return Err(ShapeError::NoPoints(0).into());
        }
        let way = match kernels.columns(len) {
            Some(columns) => Method::Columns(columns),
            None => Method::Gathered(Gathered::new(kernels.rows(len).map_err(PlanError::Kernel)?)),
        };
        Ok(Self { len, way })
    }

    /// Returns the minimum scratch of a call, in points. It does not depend on the number of columns.
    pub fn scratch_len(&self) -> usize {
        match &self.way {
            Method::Columns(columns) => columns.scratch_len(),
            Method::Gathered(gathered) => gathered.scratch_len(gathered_at_a_time::<T>(self.len)),
        }
    }

    /// Returns the scratch length for the shortest time, in points, for the columns of a matrix of `columns`
    /// columns.
    pub fn scratch_len_of(&self, columns: usize) -> usize {
        match &self.way {
            Method::Columns(kernel) => kernel.scratch_len_of(self.len * columns * size_of::<Complex<T>>()),
            Method::Gathered(_) => self.scratch_len(),
        }
    }

    /// Returns the facts of a pass over `columns` columns in place.
    pub fn facts(&self, columns: usize) -> PassFacts {
        let (way, kernel) = match &self.way {
            Method::Columns(columns) => (facts::Method::Columns, columns.name()),
            Method::Gathered(gathered) => (facts::Method::Gathered, gathered.name()),
        };
        let footprint = self.len * columns * size_of::<Complex<T>>();
        let (len, lines) = (self.len, columns);
        PassFacts { way, kernel, len, lines, real: false, bytes: 2 * footprint, footprint }
    }

    /// Transforms all columns of the rows, in place and unscaled. The contents of the scratch are unspecified
    /// afterwards.
    ///
    /// # Errors
    ///
    /// [`CallError`] if the number of rows is not the length of a column, if the rows have different lengths,
    /// or if the scratch is too short; the rows are unchanged then.
    pub fn process(
        &self,
        direction: Direction,
        rows: &mut [&mut [Complex<T>]],
        scratch: &mut [Complex<T>],
    ) -> Result<(), CallError> {
        self.run(direction, None, rows, scratch)
    }

    /// Transforms all columns from the rows `from` to the rows `to`, unscaled. The contents of the scratch
    /// are unspecified afterwards.
    ///
    /// # Errors
    ///
    /// [`CallError`] as in [`process`](Self::process), for both matrices, or if their rows have different
    /// lengths.
    pub fn process_into(
        &self,
        direction: Direction,
        from: &[&[Complex<T>]],
        to: &mut [&mut [Complex<T>]],
        scratch: &mut [Complex<T>],
    ) -> Result<(), CallError> {
        self.run(direction, Some(from), to, scratch)
    }

    /// Transforms columns from `from` to `to`, or in place if `from` is `None`.
    fn run(
        &self,
        direction: Direction,
        from: Option<&[&[Complex<T>]]>,
        to: &mut [&mut [Complex<T>]],
        scratch: &mut [Complex<T>],
    ) -> Result<(), CallError> {
        let given = matrix(to.iter().map(|row| row.len()), self.len);
        let columns = match from {
            Some(from) => matrix(from.iter().map(|row| row.len()), self.len)?,
            None => given?,
        };
        let (needed, given) = (columns, given?);
        if given != needed {
            return Err(CallError::Uneven { row: 0, given, needed });
        }
        enough_scratch(scratch.len(), self.scratch_len())?;
        match &self.way {
            Method::Columns(kernel) => {
                kernel.transform(direction, from.map(Matrix::Rows), MatrixMut::Rows(to), columns, scratch);
            }
            Method::Gathered(gathered) => {
                for (column, lines) in self.turns(columns) {
                    let gather = |to: &[&mut [_]], block: &mut [_], apart| match from {
                        Some(from) => gather(from.iter().map(|row| &row[column..]), block, apart, lines),
                        None => gather(to.iter().map(|row| &row[column..]), block, apart, lines),
                    };
                    let put = |to: &mut [&mut [_]], block: &[_], apart| put(to, block, apart, column, lines);
                    gathered.transform(direction, lines, scratch, to, gather, put);
                }
            }
        }
        Ok(())
    }

    /// Returns the groups of columns that are gathered together: the first column, and the number of columns.
    fn turns(&self, columns: usize) -> impl Iterator<Item = (usize, usize)> {
        let most = gathered_at_a_time::<T>(self.len);
        (0..columns).step_by(most).map(move |column| (column, most.min(columns - column)))
    }
}

/// Returns the number of columns, if there are `rows` rows of one length.
fn matrix(mut lengths: impl ExactSizeIterator<Item = usize>, rows: usize) -> Result<usize, CallError> {
    if lengths.len() != rows {
        return Err(CallError::Rows { given: lengths.len(), needed: rows });
    }
    let needed = lengths.next().unwrap_or(0);
    match lengths.enumerate().find(|(_, given)| *given != needed) {
        Some((row, given)) => Err(CallError::Uneven { row: row + 1, given, needed }),
        None => Ok(needed),
    }
}

/// Copies the first `lines` points of each row to adjacent lines, one point to each line.
fn gather<'a, T: Real>(
    rows: impl Iterator<Item = &'a [Complex<T>]>,
    block: &mut [Complex<T>],
    apart: usize,
    lines: usize,
) {
    for (point, row) in rows.enumerate() {
        copy(row, [1, 1], &mut block[point..], [apart, 1], [lines, 1], |x| x);
    }
}

/// Copies lines back to the rows, from a column on: one point of each line to each row.
fn put<T: Real>(
    rows: &mut [&mut [Complex<T>]],
    block: &[Complex<T>],
    apart: usize,
    column: usize,
    lines: usize,
) {
    for (point, row) in rows.iter_mut().enumerate() {
        copy(&block[point..], [apart, 1], &mut row[column..], [1, 1], [lines, 1], |x| x);
    }
}

/// Formats the plan as `columns of 512 by earth-avx2`.
impl<T: Real> fmt::Display for ColumnPlan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, by) = match &self.way {
            Method::Columns(columns) => ("columns", columns.name()),
            Method::Gathered(gathered) => ("gathered columns", gathered.name()),
        };
        write!(f, "{what} of {} by {by}", self.len)
    }
}

impl<T: Real> fmt::Debug for ColumnPlan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ColumnPlan").field("real", &T::NAME).field("len", &self.len).finish_non_exhaustive()
    }
}
