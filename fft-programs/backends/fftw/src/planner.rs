//! Plans of transforms in place: of a batch of rows and of a matrix, each made on a workspace.
//!
//! A plan is made and destroyed under the [`lock`](crate::lock), and executed without it. It holds the interface
//! that made it, whose functions execute and destroy it.

use std::ffi::{c_int, c_void};
use std::ptr::{self, NonNull};
use std::sync::Arc;

use earth_kernels::{Direction, RowShape};

use crate::effort::Effort;
use crate::error::LibraryError;
use crate::interface::{FORWARD, Interface};
use crate::lock::planner;
use crate::workspace::Workspace;

/// A plan of transforms in place.
pub(crate) struct Plan {
    plan: NonNull<c_void>,
    interface: Arc<Interface>,
}

// SAFETY: a plan belongs to no thread.
unsafe impl Send for Plan {}
// SAFETY: of all that is done with a plan, executing it is what FFTW allows to many threads at once, and it is all
// that a shared plan does; it is destroyed by its owner.
unsafe impl Sync for Plan {}

/// A batch of rows whose shape was checked, with its numbers as C integers.
#[derive(Clone, Copy)]
pub(crate) struct PlannedRows {
    pub(crate) shape: RowShape,
    /// The points from the beginning of the first row to the end of the last one.
    pub(crate) span: usize,
    ints: [c_int; 3],
}

impl PlannedRows {
    pub(crate) fn new(shape: RowShape) -> Result<Self, LibraryError> {
        let span = shape.span()?;
        let RowShape { len, rows, distance } = shape;
        let ints =
            [int("a row length", len)?, int("a number of rows", rows)?, int("a row distance", distance)?];
        Ok(Self { shape, span, ints })
    }
}

/// The sides of a matrix and the threads for it, checked, also as C integers.
#[derive(Clone, Copy)]
pub(crate) struct PlannedMatrix {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) threads: usize,
    /// `rows * cols`.
    pub(crate) points: usize,
    ints: [c_int; 3],
}

impl PlannedMatrix {
    pub(crate) fn new(rows: usize, cols: usize, threads: usize) -> Result<Self, LibraryError> {
        if rows == 0 || cols == 0 || threads == 0 {
            return Err(LibraryError::Nothing { rows, cols, threads });
        }
        let ints = [
            int("a number of rows", rows)?,
            int("a row length", cols)?,
            int("a number of threads", threads)?,
        ];
        Ok(Self { rows, cols, threads, points: RowShape::contiguous(cols, rows).span()?, ints })
    }
}

impl Plan {
    /// Plans rows on a workspace that has their points.
    pub(crate) fn rows(
        interface: &Arc<Interface>,
        rows: PlannedRows,
        direction: Direction,
        effort: Effort,
        on: &Workspace,
    ) -> Result<Self, LibraryError> {
        let PlannedRows { shape, span, ints: [n, howmany, distance] } = rows;
        assert!(on.bytes() / interface.precision.point_bytes() >= span, "rows on too small a workspace");
        let (array, sign, flags) = (on.array(), sign(direction), effort.flags());
        let plan_many = interface.plan_many;
        let (rank, none, stride) = (1, ptr::null(), 1);
        #[rustfmt::skip]
        // SAFETY: one dimension of n points, in rows whose span the workspace has, in place; null for the lengths
        // of what the rows are part of says that they are part of nothing.
        let make = || unsafe {
            plan_many(
                rank, &raw const n, howmany,
                array, none, stride, distance,
                array, none, stride, distance,
                sign, flags,
            )
        };
        Self::with_threads(interface, 1, make)?.ok_or_else(|| {
            let RowShape { len, rows, distance } = shape;
            let real = interface.precision.name();
            let what = format!("{rows} rows of {len} points, {distance} apart, in {real}");
            LibraryError::NoPlan { path: interface.path.clone(), what }
        })
    }

    /// Plans a matrix on a workspace that has its points.
    pub(crate) fn matrix(
        interface: &Arc<Interface>,
        matrix: PlannedMatrix,
        direction: Direction,
        effort: Effort,
        on: &Workspace,
    ) -> Result<Self, LibraryError> {
        let PlannedMatrix { rows, cols, threads, points, ints: [n0, n1, by] } = matrix;
        assert!(
            on.bytes() / interface.precision.point_bytes() >= points,
            "a matrix on too small a workspace"
        );
        let (array, sign, flags) = (on.array(), sign(direction), effort.flags());
        // SAFETY: n0 x n1 points, which the workspace has, in place.
        let make = || unsafe { (interface.plan_2d)(n0, n1, array, array, sign, flags) };
        Self::with_threads(interface, by, make)?.ok_or_else(|| {
            let real = interface.precision.name();
            let what = format!("{rows} x {cols} points by {threads} threads in {real}");
            LibraryError::NoPlan { path: interface.path.clone(), what }
        })
    }

    /// Makes a plan for that many threads, under the lock, and leaves the planner set to one thread.
    fn with_threads(
        interface: &Arc<Interface>,
        threads: c_int,
        make: impl FnOnce() -> *mut c_void,
    ) -> Result<Option<Self>, LibraryError> {
        let _turn = planner();
        let set = match &interface.plan_with_threads {
            Ok(set) => Some(*set),
            Err(_) if threads == 1 => None,
            Err(because) => {
                let (path, because) = (interface.path.clone(), because.clone());
                return Err(LibraryError::NoThreads { path, because });
            }
        };
        let set = |threads| {
            if let Some(set) = set {
                // SAFETY: threads were made ready when the interface was; the number is above 0, and the lock is
                // held.
                unsafe { set(threads) };
            }
        };
        set(threads);
        let plan = if threads == 1 { interface.alone(make) } else { make() };
        set(1);
        Ok(NonNull::new(plan).map(|plan| Self { plan, interface: Arc::clone(interface) }))
    }

    /// Transforms an array in place.
    ///
    /// # Safety
    ///
    /// The array has all points that were planned, in the interface's precision; nobody else uses them;
    /// and it is aligned like what the plan was made on, if the interface asks for that.
    pub(crate) unsafe fn execute(&self, array: *mut c_void) {
        // SAFETY: a plan that lives, in place as it was made, and for the rest as the caller promised.
        unsafe { (self.interface.execute)(self.plan.as_ptr(), array, array) };
    }
}

impl Drop for Plan {
    fn drop(&mut self) {
        let _turn = planner();
        // SAFETY: a plan that lives, destroyed by its one owner, under the lock.
        unsafe { (self.interface.destroy_plan)(self.plan.as_ptr()) };
    }
}

fn sign(direction: Direction) -> c_int {
    match direction {
        Direction::Forward => FORWARD,
        Direction::Inverse => -FORWARD,
    }
}

/// A number as a C integer, which `what` names in the error.
fn int(what: &'static str, value: usize) -> Result<c_int, LibraryError> {
    c_int::try_from(value).map_err(|_| LibraryError::TooLarge { what, value })
}
