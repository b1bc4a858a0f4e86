//! The columns of rows that lie anywhere, for those who hold the rows of a matrix one by one.
//!
//! It is the pass that [`ComplexPlan`](crate::ComplexPlan) makes over all dimensions but the last, by the same kernels:
//! columns where they are, by a column kernel, or gathered into scratch, some neighbouring ones at a time. A column
//! becomes the same, to the bit, whatever columns are transformed with it.

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

/// The plan of columns of one length, in either direction. Any number of threads may use it.
pub struct ColumnPlan<T: Real> {
    len: usize,
    way: Way<T>,
}

enum Way<T> {
    Columns(Arc<dyn ColumnKernel<T>>),
    Gathered(Gathered<T>),
}

impl<T: Real> ColumnPlan<T> {
    /// Plans columns of `len` points.
    ///
    /// # Errors
    ///
    /// [`PlanError::Shape`] if a column has no points, [`PlanError::Kernel`] if there are no rows of this length.
    pub fn new<K: Kernels<T>>(len: usize, kernels: &K) -> Result<Self, PlanError<K::Error>> {
        if len == 0 {
            return Err(ShapeError::NoPoints(0).into());
        }
        let way = match kernels.columns(len) {
            Some(columns) => Way::Columns(columns),
            None => Way::Gathered(Gathered::new(kernels.rows(len).map_err(PlanError::Kernel)?)),
        };
        Ok(Self { len, way })
    }

    /// The points of scratch that a call needs, whatever the number of columns.
    pub fn scratch_len(&self) -> usize {
        match &self.way {
            Way::Columns(columns) => columns.scratch_len(),
            Way::Gathered(gathered) => gathered.scratch_len(gathered_at_a_time::<T>(self.len)),
        }
    }

    /// The points of scratch with which a call takes the least time, if the columns are of a matrix of so many.
    pub fn scratch_len_of(&self, columns: usize) -> usize {
        match &self.way {
            Way::Columns(kernel) => kernel.scratch_len_of(self.len * columns * size_of::<Complex<T>>()),
            Way::Gathered(_) => self.scratch_len(),
        }
    }

    /// What a pass over so many columns does where they are.
    pub fn facts(&self, columns: usize) -> PassFacts {
        let (way, kernel) = match &self.way {
            Way::Columns(columns) => (facts::Way::Columns, columns.name()),
            Way::Gathered(gathered) => (facts::Way::Gathered, gathered.name()),
        };
        let footprint = self.len * columns * size_of::<Complex<T>>();
        let (len, lines) = (self.len, columns);
        PassFacts { way, kernel, len, lines, real: false, bytes: 2 * footprint, footprint }
    }

    /// Transforms all columns of the rows, in place and unscaled. What is left in the scratch is unspecified.
    ///
    /// # Errors
    ///
    /// [`CallError`] if there are other rows than a column has points, if they have different lengths, or the scratch
    /// is too short; nothing has been written then.
    pub fn process(
        &self,
        direction: Direction,
        rows: &mut [&mut [Complex<T>]],
        scratch: &mut [Complex<T>],
    ) -> Result<(), CallError> {
        self.run(direction, None, rows, scratch)
    }

    /// Transforms all columns of the rows of one matrix into those of another, unscaled. What is left in the scratch is
    /// unspecified.
    ///
    /// # Errors
    ///
    /// [`CallError`] as of [`process`](Self::process), of both; or if some rows have other points than the others.
    pub fn process_into(
        &self,
        direction: Direction,
        from: &[&[Complex<T>]],
        to: &mut [&mut [Complex<T>]],
        scratch: &mut [Complex<T>],
    ) -> Result<(), CallError> {
        self.run(direction, Some(from), to, scratch)
    }

    /// Transforms columns from one matrix to another, or in place if there is no first.
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
            Way::Columns(kernel) => {
                kernel.transform(direction, from.map(Matrix::Rows), MatrixMut::Rows(to), columns, scratch);
            }
            Way::Gathered(gathered) => {
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

    /// The columns that are gathered together: the first one, and how many.
    fn turns(&self, columns: usize) -> impl Iterator<Item = (usize, usize)> {
        let most = gathered_at_a_time::<T>(self.len);
        (0..columns).step_by(most).map(move |column| (column, most.min(columns - column)))
    }
}

/// The columns of a matrix whose rows have these lengths, if they are `rows` of one length.
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

/// Copies the first points of rows to neighbouring lines, one point of each.
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

/// Copies lines to rows from a column on, one point to each.
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

/// `columns of 512 by earth-avx2`
impl<T: Real> fmt::Display for ColumnPlan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, by) = match &self.way {
            Way::Columns(columns) => ("columns", columns.name()),
            Way::Gathered(gathered) => ("gathered columns", gathered.name()),
        };
        write!(f, "{what} of {} by {by}", self.len)
    }
}

impl<T: Real> fmt::Debug for ColumnPlan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ColumnPlan").field("real", &T::NAME).field("len", &self.len).finish_non_exhaustive()
    }
}
