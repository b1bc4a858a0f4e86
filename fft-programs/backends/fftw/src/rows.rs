//! Rows by the library: a [`RowKernel`].
//!
//! 1. A call of as many rows as were planned, at the distance planned, is one execution of a plan of many rows.
//! 2. Any other call goes row by row through a plan of one row.
//! 3. Rows that are not aligned as the plans want it go row by row, too; each that is not aligned is copied to
//!    the scratch, transformed there and copied back.
//!
//! All plans are made at once, so that nobody waits for the planner while transforming: two, or four if
//! several rows are planned, for the two directions.
//!
//! *Alignment.* FFTW looks at addresses modulo 16, and a point of `f32` has 8 bytes: of contiguous rows of an odd
//! number of such points every second one has to be copied when it is transformed by itself. An even distance
//! avoids that, and so does a call of all the planned rows. Plans for any alignment (`FFTW_UNALIGNED`)
//! would be four more, which FFTW says may be slower.
//!
//! *To the bit.* One row gives the same in every call of one row. Whether it gives the same in a call of
//! many is the library's choice of plan.

use std::ffi::c_int;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use bytemuck::cast_slice_mut;
use earth_kernels::{Direction, Real, RowKernel, RowShape, count_rows};
use num_complex::Complex;

use crate::effort::Effort;
use crate::error::LibraryError;
use crate::loaded::interface::{Interface, Maker};
use crate::planner::{Plan, Planned};
use crate::workspace::{ALIGNMENT, Workspace};

/// Rows of one length, planned in both directions by a library.
pub struct LibraryRows<T: Real> {
    interface: Arc<Interface>,
    shape: RowShape,
    /// Of one row, forward and inverse.
    one: [Plan; 2],
    /// Of all rows of the shape, if these are several.
    many: Option<[Plan; 2]>,
    /// The alignment of the workspace that the plans were made on, in the interface's terms.
    alignment: c_int,
    real: PhantomData<T>,
}

impl<T: Real> LibraryRows<T> {
    /// Plans rows. The interface is that of the precision `T`.
    pub(crate) fn plan(
        interface: Arc<Interface>,
        shape: RowShape,
        effort: Effort,
    ) -> Result<Self, LibraryError> {
        let rows = |shape, direction| Planned::rows(shape, direction, effort);
        let memory = Workspace::new::<T>(rows(shape, Direction::Forward)?.span)?;
        let plans = |shape| -> Result<[Plan; 2], LibraryError> {
            let plan = |direction| Plan::new(&interface, rows(shape, direction)?, [&memory; 2]);
            Ok([plan(Direction::Forward)?, plan(Direction::Inverse)?])
        };
        let many = (shape.rows > 1).then(|| plans(shape)).transpose()?;
        let one = plans(RowShape::contiguous(shape.len, 1))?;
        let alignment = interface.alignment(memory.array());
        Ok(Self { interface, shape, one, many, alignment, real: PhantomData })
    }

    /// The batch that a call transforms by one execution.
    pub fn shape(&self) -> RowShape {
        self.shape
    }

    fn is_aligned(&self, points: &[Complex<T>]) -> bool {
        self.interface.is_aligned(points.as_ptr().cast(), self.alignment)
    }

    /// Transforms one row by a plan of one row.
    fn row(&self, plan: &Plan, row: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        assert_eq!(row.len(), self.shape.len, "a row of another length than planned");
        if self.is_aligned(row) {
            // SAFETY: the points of a row, in the precision of the interface, borrowed alone, and aligned.
            return unsafe { in_place(plan, row.as_mut_ptr()) };
        }
        // By real numbers, since a point may have twice their alignment.
        let (row, scratch) = (cast_slice_mut::<_, T>(row), cast_slice_mut::<_, T>(scratch));
        let past = scratch.as_ptr().addr() % ALIGNMENT;
        let skipped = (ALIGNMENT - past) % ALIGNMENT / size_of::<T>();
        let aside = &mut scratch[skipped..][..row.len()];
        aside.copy_from_slice(row);
        // SAFETY: as many numbers as a row has, in the precision of the interface, borrowed alone, and aligned
        // like the workspace of the plan.
        unsafe { in_place(plan, aside.as_mut_ptr()) };
        row.copy_from_slice(aside);
    }
}

impl<T: Real> RowKernel<T> for LibraryRows<T> {
    fn name(&self) -> &'static str {
        self.interface.maker.name()
    }

    fn len(&self) -> usize {
        self.shape.len
    }

    fn wants_many(&self) -> bool {
        true
    }

    fn scratch_len(&self) -> usize {
        match self.interface.maker {
            // A row, wherever in the scratch it is aligned.
            Maker::Fftw => self.shape.len + ALIGNMENT / size_of::<Complex<T>>(),
            Maker::Mkl => 0,
        }
    }

    fn transform(&self, direction: Direction, rows: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        self.transform_spaced(direction, rows, self.shape.len, scratch);
    }

    fn transform_spaced(
        &self,
        direction: Direction,
        rows: &mut [Complex<T>],
        distance: usize,
        scratch: &mut [Complex<T>],
    ) {
        let (needed, given) = (self.scratch_len(), scratch.len());
        assert!(given >= needed, "a scratch of {given} points where {needed} are needed");
        let count = count_rows(rows.len(), self.shape.len, distance);
        let planned = count == self.shape.rows && distance == self.shape.distance;
        self.interface.alone(|| match &self.many {
            Some(many) if planned && self.is_aligned(rows) => {
                // SAFETY: that many rows at that distance, counted in the slice, in the precision of the
                // interface, borrowed alone, and aligned.
                unsafe { in_place(toward(direction, many), rows.as_mut_ptr()) };
            }
            _ => {
                let plan = toward(direction, &self.one);
                for row in rows.chunks_mut(distance) {
                    self.row(plan, &mut row[..self.shape.len], scratch);
                }
            }
        });
    }
}

impl<T: Real> fmt::Debug for LibraryRows<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("LibraryRows");
        out.field("library", &self.interface.path).field("real", &T::NAME).field("shape", &self.shape);
        out.finish_non_exhaustive()
    }
}

/// Transforms an array in place.
///
/// # Safety
///
/// As [`Plan::execute`], of a plan in place.
unsafe fn in_place<P>(plan: &Plan, array: *mut P) {
    // SAFETY: the caller's.
    unsafe { plan.execute(array.cast(), array.cast()) };
}

fn toward(direction: Direction, [forward, inverse]: &[Plan; 2]) -> &Plan {
    match direction {
        Direction::Forward => forward,
        Direction::Inverse => inverse,
    }
}
