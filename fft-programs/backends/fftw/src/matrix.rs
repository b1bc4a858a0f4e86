//! A whole matrix or series by the library, on the library's own threads: what others would use instead of the
//! programs of this project, and so what these are compared with.

use std::ffi::c_int;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use earth_kernels::Real;
use num_complex::Complex;

use crate::error::LibraryError;
use crate::interface::Interface;
use crate::planner::{Plan, PlannedMatrix};
use crate::problem::MatrixProblem;
use crate::workspace::Workspace;

/// A transform of one or two dimensions, planned in one direction.
pub struct LibraryMatrix<T: Real> {
    interface: Arc<Interface>,
    plan: Plan,
    matrix: PlannedMatrix,
    /// The alignment of the arrays that the plan was made on, in the interface's terms.
    alignment: c_int,
    real: PhantomData<T>,
}

/// The points of a transform: rows as far apart as planned. After the last row nothing need follow.
#[derive(Debug)]
pub enum Arrays<'a, T> {
    /// The output lies where the input was.
    InPlace(&'a mut [Complex<T>]),
    /// The input, and the output.
    Between(&'a [Complex<T>], &'a mut [Complex<T>]),
}

impl<T: Real> LibraryMatrix<T> {
    /// Plans a problem. The interface is that of the precision `T`.
    pub(crate) fn plan(interface: Arc<Interface>, problem: MatrixProblem) -> Result<Self, LibraryError> {
        let matrix = PlannedMatrix::new(problem)?;
        let input = Workspace::new::<T>(matrix.span)?;
        let output = (!problem.in_place).then(|| Workspace::new::<T>(matrix.span)).transpose()?;
        let plan = Plan::matrix(&interface, matrix, [&input, output.as_ref().unwrap_or(&input)])?;
        let alignment = interface.alignment(input.array());
        Ok(Self { interface, plan, matrix, alignment, real: PhantomData })
    }

    /// The name for tables and messages, in lower case.
    pub fn name(&self) -> &'static str {
        self.interface.maker.name()
    }

    /// The problem.
    pub fn problem(&self) -> MatrixProblem {
        self.matrix.problem
    }

    /// The time that planning took, without the wait for other planners.
    pub fn planning(&self) -> Duration {
        self.plan.took
    }

    /// Whether planning took as long as it was allowed to, so that the plan may not be the library's best.
    pub fn is_cut_short(&self) -> bool {
        self.matrix.problem.limit.is_some_and(|limit| self.plan.took >= limit)
    }

    /// Transforms `rows` x `cols` points, unscaled in either direction, so many times one after another: what a call
    /// of this function checks is then checked once. In place each transform is one of what the last one gave.
    ///
    /// # Errors
    ///
    /// [`LibraryError::OtherPlace`] and [`LibraryError::Short`]; [`LibraryError::Misaligned`], which memory of the
    /// usual allocators is not. Nothing has been transformed then.
    pub fn transform(&self, arrays: Arrays<'_, T>, times: usize) -> Result<(), LibraryError> {
        let PlannedMatrix { problem, span, .. } = self.matrix;
        let (input, output, given, in_place) = match arrays {
            Arrays::InPlace(points) => {
                let at = points.as_mut_ptr();
                (at.cast_const(), at, points.len(), true)
            }
            Arrays::Between(input, output) => {
                (input.as_ptr(), output.as_mut_ptr(), input.len().min(output.len()), false)
            }
        };
        if in_place != problem.in_place {
            return Err(LibraryError::OtherPlace { in_place });
        }
        if given < span {
            return Err(LibraryError::Short { given, needed: span });
        }
        if ![input, output.cast_const()].iter().all(|at| self.interface.is_aligned(at.cast(), self.alignment))
        {
            return Err(LibraryError::Misaligned { path: self.interface.path.clone() });
        }
        let run = || {
            for _ in 0..times {
                // SAFETY: one array or two, as planned, each with the points that were planned, in the precision of the
                // interface, and aligned. The output is borrowed alone; an input beside it is left as it is.
                unsafe { self.plan.execute(input.cast_mut().cast(), output.cast()) };
            }
        };
        if problem.threads == 1 {
            self.interface.alone(run);
        } else {
            run();
        }
        Ok(())
    }
}

impl<T: Real> fmt::Debug for LibraryMatrix<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("LibraryMatrix");
        out.field("library", &self.interface.path)
            .field("real", &T::NAME)
            .field("problem", &self.matrix.problem);
        out.finish_non_exhaustive()
    }
}
