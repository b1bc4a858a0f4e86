//! Transforms of rows by the library: a [`RowKernel`].
//!
//! 1. A call with the planned number of rows and the planned distance executes a plan of many rows once.
//! 2. Any other call goes row by row through a plan of one row.
//! 3. Rows without the alignment of the plans also go row by row. Each misaligned row is copied to the
//!    scratch, transformed there and copied back.
//!
//! All plans for both directions are made at once, so that no transform waits for the planner: two plans for
//! one row, four plans for several rows.
//!
//! *Alignment.* FFTW considers addresses modulo 16, and a point of `f32` has 8 bytes. With contiguous rows of
//! an odd number of such points, every second row has to be copied when rows are transformed one by one. An
//! even distance avoids the copies, and so does a call with all planned rows. Plans for any alignment
//! (`FFTW_UNALIGNED`) would be four more plans, and FFTW says that they may be slower.
//!
//! MKL and FFTW 2 require no alignment. FFTW 2 works in the scratch, which has room for one row.
//!
//! *Bitwise results.* The result of a row is bitwise equal in every call of one row. In a call of many rows
//! it may differ, depending on the library's plan.

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
    /// Plans of one row, forward and inverse.
    one: [Plan; 2],
    /// Plans of all rows of the shape, if it has several rows.
    many: Option<[Plan; 2]>,
    /// Alignment of the plans' workspace, in the interface's terms.
    alignment: c_int,
    real: PhantomData<T>,
}

impl<T: Real> LibraryRows<T> {
    /// Plans rows. The interface has the precision of `T`.
    pub(crate) fn plan(
        interface: Arc<Interface>,
        shape: RowShape,
        effort: Effort,
    ) -> Result<Self, LibraryError> {
        let rows = |shape, direction| Planned::rows(shape, direction, effort)?.by(&interface);
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

    /// Returns the batch that a call transforms by one execution.
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
            // SAFETY: the slice has the points of one row, in the interface's precision, borrowed
            // exclusively, and aligned. The caller checked the scratch.
            return unsafe { self.in_place(plan, row, scratch) };
        }
        // Cast to real numbers, because a point may have twice their alignment.
        let (row, scratch) = (cast_slice_mut::<_, T>(row), cast_slice_mut::<_, T>(scratch));
        let past = scratch.as_ptr().addr() % ALIGNMENT;
        let skipped = (ALIGNMENT - past) % ALIGNMENT / size_of::<T>();
        let buffer = &mut scratch[skipped..][..row.len()];
        buffer.copy_from_slice(row);
        // SAFETY: the slice has the real numbers of one row, in the interface's precision, borrowed
        // exclusively, with the alignment of the plan's workspace.
        unsafe { plan.execute(buffer.as_mut_ptr().cast(), buffer.as_mut_ptr().cast()) };
        row.copy_from_slice(buffer);
    }

    /// Transforms rows in place. The output that FFTW 2 takes for this is the memory that it works in.
    ///
    /// # Safety
    ///
    /// As [`Plan::execute`], for a plan in place. The scratch has [`scratch_len`](RowKernel::scratch_len)
    /// points.
    unsafe fn in_place(&self, plan: &Plan, rows: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        let input = rows.as_mut_ptr().cast();
        let output = if self.interface.maker == Maker::Fftw2 { scratch.as_mut_ptr().cast() } else { input };
        // SAFETY: the caller's obligation.
        unsafe { plan.execute(input, output) };
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
            // Room for one row at any offset up to the alignment.
            Maker::Fftw => self.shape.len + ALIGNMENT / size_of::<Complex<T>>(),
            Maker::Fftw2 => self.shape.len,
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
                // SAFETY: the slice has the planned rows at the planned distance, as counted, in the
                // interface's precision, borrowed exclusively, and aligned. The scratch is checked.
                unsafe { self.in_place(for_direction(direction, many), rows, scratch) };
            }
            _ => {
                let plan = for_direction(direction, &self.one);
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

fn for_direction(direction: Direction, [forward, inverse]: &[Plan; 2]) -> &Plan {
    match direction {
        Direction::Forward => forward,
        Direction::Inverse => inverse,
    }
}
