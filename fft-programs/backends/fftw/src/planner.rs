//! Plans: of a batch of rows in place, and of a matrix in place or from one array to another, each made on workspaces.
//!
//! A plan is made and destroyed under the [`lock`](crate::lock), and executed without it. It holds the interface
//! that made it, whose functions execute and destroy it.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::time::{Duration, Instant};

use earth_kernels::{Direction, RowShape};

use crate::effort::Effort;
use crate::error::LibraryError;
use crate::interface::{FORWARD, Interface};
use crate::lock::planner;
use crate::problem::MatrixProblem;
use crate::workspace::Workspace;

/// `FFTW_PRESERVE_INPUT`: a transform from one array to another leaves the first one as it is.
const PRESERVE_INPUT: c_uint = 1 << 4;

/// `FFTW_NO_TIMELIMIT`.
const NO_LIMIT: f64 = -1.0;

/// A plan.
pub(crate) struct Plan {
    made: NonNull<c_void>,
    /// The time that it took to make.
    pub(crate) took: Duration,
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

/// A problem that was checked, with its numbers as C integers.
#[derive(Clone, Copy)]
pub(crate) struct PlannedMatrix {
    pub(crate) problem: MatrixProblem,
    /// The points from the beginning of the first row to the end of the last one.
    pub(crate) span: usize,
    /// Rows, columns, distance, threads.
    ints: [c_int; 4],
}

impl PlannedMatrix {
    pub(crate) fn new(problem: MatrixProblem) -> Result<Self, LibraryError> {
        let MatrixProblem { rows, cols, distance, threads, .. } = problem;
        if rows == 0 || cols == 0 || threads == 0 {
            return Err(LibraryError::Nothing { rows, cols, threads });
        }
        let ints = [
            int("a number of rows", rows)?,
            int("a row length", cols)?,
            int("a row distance", distance)?,
            int("a number of threads", threads)?,
        ];
        Ok(Self { problem, span: RowShape { len: cols, rows, distance }.span()?, ints })
    }
}

/// How a plan is asked for: the state of the planner that is set for it, and set back.
#[derive(Clone, Copy)]
struct Conditions {
    threads: c_int,
    limit: Option<Duration>,
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
        Self::under(interface, Conditions { threads: 1, limit: None }, make)?.ok_or_else(|| {
            let RowShape { len, rows, distance } = shape;
            let real = interface.precision.name();
            let what = format!("{rows} rows of {len} points, {distance} apart, in {real}");
            LibraryError::NoPlan { path: interface.path.clone(), what }
        })
    }

    /// Plans a matrix on two workspaces that have its points, or twice on one if it is in place. A matrix of one row is
    /// planned as one dimension.
    pub(crate) fn matrix(
        interface: &Arc<Interface>,
        matrix: PlannedMatrix,
        on: [&Workspace; 2],
    ) -> Result<Self, LibraryError> {
        let PlannedMatrix { problem, span, ints: [rows, cols, distance, threads] } = matrix;
        let has_room = |on: &Workspace| on.bytes() / interface.precision.point_bytes() >= span;
        assert!(on.into_iter().all(has_room), "a matrix on too small a workspace");
        let [input, output] = on.map(Workspace::array);
        assert_eq!(input == output, problem.in_place, "as many workspaces as arrays");
        let keep = if problem.in_place { 0 } else { PRESERVE_INPUT };
        let (sign, flags) = (sign(problem.direction), problem.effort.flags() | keep);
        let plan_many = interface.plan_many;
        // A series has no rows, and so no distance.
        let (sides, within, skipped) = ([rows, cols], [rows, distance], usize::from(rows == 1));
        let (sides, within) = (&sides[skipped..], &within[skipped..]);
        let (rank, howmany, stride, apart) = (if rows == 1 { 1 } else { 2 }, 1, 1, 0);
        #[rustfmt::skip]
        // SAFETY: one or two dimensions, as many lengths as the rank says; they are the first columns of
        // an array of as many rows, `distance` points apart, whose span both workspaces have.
        let make = || unsafe {
            plan_many(
                rank, sides.as_ptr(), howmany,
                input, within.as_ptr(), stride, apart,
                output, within.as_ptr(), stride, apart,
                sign, flags,
            )
        };
        Self::under(interface, Conditions { threads, limit: problem.limit }, make)?.ok_or_else(|| {
            let MatrixProblem { rows, cols, threads, .. } = problem;
            let real = interface.precision.name();
            let what = format!("{rows} x {cols} points by {threads} threads in {real}");
            LibraryError::NoPlan { path: interface.path.clone(), what }
        })
    }

    /// Makes a plan under these conditions, under the lock, and leaves the planner set to one thread and no limit.
    fn under(
        interface: &Arc<Interface>,
        Conditions { threads, limit }: Conditions,
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
        let set = |threads, seconds| {
            if let Some(set) = set {
                // SAFETY: threads were made ready when the interface was; the number is above 0, and the lock is
                // held.
                unsafe { set(threads) };
            }
            if let (Some(set), Some(_)) = (interface.set_limit, limit) {
                // SAFETY: any number is a limit or none, and the lock is held.
                unsafe { set(seconds) };
            }
        };
        set(threads, limit.map_or(NO_LIMIT, |limit| limit.as_secs_f64()));
        let begun = Instant::now();
        let plan = if threads == 1 { interface.alone(make) } else { make() };
        let took = begun.elapsed();
        set(1, NO_LIMIT);
        Ok(NonNull::new(plan).map(|made| Self { made, took, interface: Arc::clone(interface) }))
    }

    /// Transforms one array into another, or one in place if both are the same.
    ///
    /// # Safety
    ///
    /// They are the same if the plan was made so. Each has all points that were planned, in the interface's precision,
    /// and is aligned like what the plan was made on, if the interface asks for that. Nobody else uses the points of the
    /// output, or writes those of the input.
    pub(crate) unsafe fn execute(&self, input: *mut c_void, output: *mut c_void) {
        // SAFETY: a plan that lives, and for the rest as the caller promised.
        unsafe { (self.interface.execute)(self.made.as_ptr(), input, output) };
    }
}

impl Drop for Plan {
    fn drop(&mut self) {
        let _turn = planner();
        // SAFETY: a plan that lives, destroyed by its one owner, under the lock.
        unsafe { (self.interface.destroy_plan)(self.made.as_ptr()) };
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
