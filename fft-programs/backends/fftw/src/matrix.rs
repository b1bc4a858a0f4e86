//! A whole matrix by the library, on the library's own threads: what others would use instead of the programs
//! of this project, and so what these are compared with.

use std::ffi::c_int;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use earth_kernels::{Direction, Real};
use num_complex::Complex;

use crate::effort::Effort;
use crate::error::LibraryError;
use crate::interface::Interface;
use crate::planner::{Plan, PlannedMatrix};
use crate::workspace::Workspace;

/// A two-dimensional transform in place, planned in one direction.
pub struct LibraryMatrix<T: Real> {
    interface: Arc<Interface>,
    plan: Plan,
    matrix: PlannedMatrix,
    alignment: c_int,
    real: PhantomData<T>,
}

impl<T: Real> LibraryMatrix<T> {
    /// Plans a matrix. The interface is that of the precision `T`.
    pub(crate) fn plan(
        interface: Arc<Interface>,
        [rows, cols]: [usize; 2],
        threads: usize,
        direction: Direction,
        effort: Effort,
    ) -> Result<Self, LibraryError> {
        let matrix = PlannedMatrix::new(rows, cols, threads)?;
        let memory = Workspace::new::<T>(matrix.points)?;
        let plan = Plan::matrix(&interface, matrix, direction, effort, &memory)?;
        let alignment = interface.alignment(memory.array());
        Ok(Self { interface, plan, matrix, alignment, real: PhantomData })
    }

    /// The name for tables and messages, in lower case.
    pub fn name(&self) -> &'static str {
        self.interface.maker.name()
    }

    /// The threads that transform.
    pub fn threads(&self) -> usize {
        self.matrix.threads
    }

    /// Transforms `rows` x `cols` points, which lie row after row, in place, unscaled in either direction.
    ///
    /// # Errors
    ///
    /// [`LibraryError::Misaligned`], which memory of the usual allocators is not.
    ///
    /// # Panics
    ///
    /// If there are other than `rows * cols` points.
    pub fn transform(&self, matrix: &mut [Complex<T>]) -> Result<(), LibraryError> {
        let PlannedMatrix { rows, cols, points, .. } = self.matrix;
        assert_eq!(matrix.len(), points, "a matrix of other points than the {rows} x {cols} planned");
        if !self.interface.is_aligned(matrix.as_ptr().cast(), self.alignment) {
            return Err(LibraryError::Misaligned { path: self.interface.path.clone() });
        }
        // SAFETY: as many points as planned, in the precision of the interface, borrowed alone, and aligned.
        unsafe { self.plan.execute(matrix.as_mut_ptr().cast()) };
        Ok(())
    }
}

impl<T: Real> fmt::Debug for LibraryMatrix<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PlannedMatrix { rows, cols, threads, .. } = self.matrix;
        let mut out = f.debug_struct("LibraryMatrix");
        out.field("library", &self.interface.path).field("real", &T::NAME);
        out.field("rows", &rows).field("cols", &cols).field("threads", &threads);
        out.finish_non_exhaustive()
    }
}
