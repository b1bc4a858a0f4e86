//! Plans for batches of rows in place, and for whole transforms in place or out of place, made on workspaces.
//!
//! A plan is made and destroyed under the [`lock`](crate::lock), and executed without it. It holds the
//! interface that made it, whose functions execute and destroy it.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::{Duration, Instant};

use earth_kernels::{Direction, RowShape};

use crate::effort::Effort;
use crate::error::LibraryError;
use crate::loaded::fftw2::Order;
use crate::loaded::interface::{Execute, FORWARD, Interface, Maker, PlanComplex};
use crate::lock::planner;
use crate::problem::{Kind, WholeProblem};
use crate::workspace::Workspace;

/// `FFTW_PRESERVE_INPUT`: an out-of-place transform leaves its input unchanged.
const PRESERVE_INPUT: c_uint = 1 << 4;

/// `FFTW_NO_TIMELIMIT`.
const NO_LIMIT: f64 = -1.0;

/// Plan of the library.
pub(crate) struct Plan {
    made: NonNull<c_void>,
    /// Function that executes the plan.
    execute: Execute,
    /// Time that planning took.
    pub(crate) took: Duration,
    interface: Arc<Interface>,
}

// SAFETY: a plan is not tied to a thread.
unsafe impl Send for Plan {}
// SAFETY: a shared plan is only executed, and FFTW allows concurrent execution. Only its owner destroys it.
unsafe impl Sync for Plan {}

/// Checked problem, with its numbers as C integers.
#[derive(Clone, Copy)]
pub(crate) struct Planned {
    pub(crate) problem: WholeProblem,
    /// Layout of the rows, if each row is a separate transform.
    batch: Option<RowShape>,
    /// Elements of the output: points or real numbers, to the end of the last row.
    pub(crate) span: usize,
    /// Elements of the input.
    pub(crate) given: usize,
    lengths: [c_int; 3],
    /// Row distance of the output and of the input, in elements.
    distances: [c_int; 2],
    /// Number of transforms, and the distance between them in the input and in the output.
    many: [c_int; 3],
    threads: c_int,
}

impl Planned {
    /// Checks rows in place.
    pub(crate) fn rows(shape: RowShape, direction: Direction, effort: Effort) -> Result<Self, LibraryError> {
        let (span, RowShape { len, rows, distance }) = (shape.span()?, shape);
        let row = int("a row length", len)?;
        let apart = int("a row distance", distance)?;
        Ok(Self {
            problem: WholeProblem { effort, ..WholeProblem::new(&[len]).of(Kind::Complex(direction)) },
            batch: Some(shape),
            span,
            given: span,
            lengths: [1, 1, row],
            distances: [row; 2],
            many: [int("a number of rows", rows)?, apart, apart],
            threads: 1,
        })
    }

    /// Checks a whole transform.
    pub(crate) fn whole(problem: WholeProblem) -> Result<Self, LibraryError> {
        let WholeProblem { lengths: [planes, rows, cols], distance, threads, kind, in_place, .. } = problem;
        if [planes, rows, cols, threads].contains(&0) {
            return Err(LibraryError::EmptyTransform { problem: problem.to_string(), threads });
        }
        let shape = RowShape { len: problem.width(), rows: problem.rows(), distance };
        let points = (distance, problem.width(), shape.span()?);
        // Distance and length of the rows, and elements of the array.
        let numbers = if in_place {
            (distance.saturating_mul(2), cols, points.2.saturating_mul(2))
        } else {
            (cols, cols, problem.rows() * cols)
        };
        let ((between, given_len, given), (apart, made_len, span)) = match kind {
            Kind::Complex(_) => (points, points),
            Kind::RealToComplex => (numbers, points),
            Kind::ComplexToReal => (points, numbers),
        };
        let lengths =
            [int("a number of planes", planes)?, int("a number of rows", rows)?, int("a row length", cols)?];
        let distance = "a row distance";
        let distances @ [output, input] = [int(distance, apart)?, int(distance, between)?];
        let (distances, many) = if problem.separate_rows {
            let number = int("a number of rows", problem.rows())?;
            ([int("a row length", made_len)?, int("a row length", given_len)?], [number, input, output])
        } else {
            (distances, [1, 0, 0])
        };
        Ok(Self {
            problem,
            batch: problem.separate_rows.then_some(shape),
            span,
            given,
            lengths,
            distances,
            many,
            threads: int("a number of threads", threads)?,
        })
    }

    /// Returns the problem, if the library is used for it.
    pub(crate) fn by(self, interface: &Interface) -> Result<Self, LibraryError> {
        if interface.maker == Maker::Fftw2 {
            let WholeProblem { kind, distance, .. } = self.problem;
            let has_gaps =
                self.batch.is_none() && self.problem.rows() > 1 && distance != self.problem.width();
            if has_gaps || !matches!(kind, Kind::Complex(_)) {
                return Err(LibraryError::NotByFftw2);
            }
            int("a number of points", self.span)?;
        }
        Ok(self)
    }

    /// Returns the order for FFTW 2, with these lengths.
    fn for_fftw2<'a>(&self, lengths: &'a [c_int], sign: c_int) -> Order<'a> {
        let WholeProblem { in_place, effort, .. } = self.problem;
        let [rows, apart, _] = self.many;
        let (rows, measures) = (self.batch.map(|_| [rows, apart]), effort != Effort::Estimate);
        Order { lengths, rows, sign, in_place, measures, threads: self.threads }
    }

    /// Returns the points that have the memory of the input and of the output.
    pub(crate) fn points(&self) -> [usize; 2] {
        match self.problem.kind {
            Kind::Complex(_) => [self.given, self.span],
            Kind::RealToComplex => [self.given.div_ceil(2), self.span],
            Kind::ComplexToReal => [self.given, self.span.div_ceil(2)],
        }
    }

    /// Returns a description of the problem for error messages.
    fn what(&self, real: &str) -> String {
        match self.batch {
            Some(RowShape { len, rows, distance }) => {
                format!("{rows} rows of {len} points, {distance} apart, in {real}")
            }
            None => format!("{} points by {} threads in {real}", self.problem, self.threads),
        }
    }
}

impl Plan {
    /// Plans on two workspaces for the problem's points, or on the same workspace twice if the problem is in
    /// place. Leading dimensions of length 1 are dropped.
    pub(crate) fn new(
        interface: &Arc<Interface>,
        planned: Planned,
        on: [&Workspace; 2],
    ) -> Result<Self, LibraryError> {
        let Planned { problem, lengths, distances, many, threads, .. } = planned;
        let [howmany, apart_input, apart_output] = many;
        let [input, output] = on.map(Workspace::array);
        let point = interface.precision.point_bytes();
        let [given, made] = planned.points();
        assert!(
            on[0].bytes() / point >= given && on[1].bytes() / point >= made,
            "a transform on too small a workspace"
        );
        assert_eq!(input == output, problem.in_place, "as many workspaces as arrays");
        // FFTW has no plan that makes real numbers in several dimensions and preserves the spectrum.
        let keep = if problem.in_place || problem.kind == Kind::ComplexToReal { 0 } else { PRESERVE_INPUT };
        let flags = problem.effort.flags() | keep;
        let skipped = problem.skipped();
        let (n, rank) = (&lengths[skipped..], [3, 2, 1][skipped]);
        // The allocated length of each dimension (`nembed`). FFTW ignores the first one.
        let within = distances.map(|distance| [lengths[0], lengths[1], distance]);
        let [within_output, within_input] = within.each_ref().map(|within| within[skipped..].as_ptr());
        let (stride, limit) = (1, problem.limit);
        let made = match problem.kind {
            Kind::Complex(direction) => match (&interface.plan_complex, sign(direction)) {
                (PlanComplex::Fftw3(plan_many), sign) => {
                    #[rustfmt::skip]
                    // SAFETY: `rank` is 1, 2 or 3 and matches the number of lengths. The rows at their
                    // distance fit into both workspaces, which have the problem's span.
                    let make = || unsafe {
                        plan_many(
                            rank, n.as_ptr(), howmany,
                            input, within_input, stride, apart_input,
                            output, within_output, stride, apart_output,
                            sign, flags,
                        )
                    };
                    Self::under(interface, interface.execute, threads, limit, make)?
                }
                (PlanComplex::Fftw2(functions), sign) => {
                    let order = planned.for_fftw2(n, sign);
                    // SAFETY: the lock is held. The lengths are positive, and rows have one length.
                    let make = || unsafe { functions.plan(&order) };
                    Self::under(interface, interface.execute, threads, limit, make)?
                }
            },
            Kind::RealToComplex | Kind::ComplexToReal => {
                let functions =
                    if problem.kind == Kind::RealToComplex { &interface.real } else { &interface.to_real };
                let (plan_many, execute) = functions.clone()?;
                #[rustfmt::skip]
                // SAFETY: as above, except that the rows of one side are real numbers, which fit into its
                // workspace.
                let make = || unsafe {
                    plan_many(
                        rank, n.as_ptr(), howmany,
                        input, within_input, stride, apart_input,
                        output, within_output, stride, apart_output,
                        flags,
                    )
                };
                Self::under(interface, execute, threads, limit, make)?
            }
        };
        made.ok_or_else(|| LibraryError::NoPlan {
            path: interface.path.clone(),
            what: planned.what(interface.precision.name()),
        })
    }

    /// Makes a plan for `execute` under the lock, with this number of threads and this time limit. Afterwards
    /// the planner is reset to one thread and no limit.
    fn under(
        interface: &Arc<Interface>,
        execute: Execute,
        threads: c_int,
        limit: Option<Duration>,
        make: impl FnOnce() -> *mut c_void,
    ) -> Result<Option<Self>, LibraryError> {
        let path = || interface.path.clone();
        let _turn = planner().ok_or_else(|| LibraryError::Forked { path: path() })?;
        let set = match &interface.plan_with_threads {
            Ok(set) => Some(*set),
            Err(_) if threads == 1 => None,
            Err(because) => {
                return Err(LibraryError::NoThreads { path: path(), because: because.clone() });
            }
        };
        let set = |threads, seconds| {
            if let Some(set) = set {
                // SAFETY: threads were initialized with the interface, the number is above 0, and the lock is
                // held.
                unsafe { set(threads) };
            }
            if let (Some(set), Some(_)) = (interface.set_limit, limit) {
                // SAFETY: every number is a valid limit, and the lock is held.
                unsafe { set(seconds) };
            }
        };
        set(threads, limit.map_or(NO_LIMIT, |limit| limit.as_secs_f64()));
        let begun = Instant::now();
        let plan = if threads == 1 { interface.alone(make) } else { make() };
        let took = begun.elapsed();
        set(1, NO_LIMIT);
        Ok(NonNull::new(plan).map(|made| Self { made, execute, took, interface: Arc::clone(interface) }))
    }

    /// Transforms `input` into `output`, or in place if both are the same array.
    ///
    /// # Safety
    ///
    /// * The arrays are the same if and only if the plan is in place. For rows in place by FFTW 2, the output
    ///   is other memory, for one row.
    /// * Each array has all planned points or numbers, in the interface's precision.
    /// * Each array has the alignment of the plan's workspace, if the interface requires it.
    /// * No other thread uses the points of the output or writes the points of the input.
    pub(crate) unsafe fn execute(&self, input: *mut c_void, output: *mut c_void) {
        // SAFETY: the plan is alive; the caller promised the rest.
        unsafe { (self.execute)(self.made.as_ptr(), input, output) };
    }
}

impl Drop for Plan {
    fn drop(&mut self) {
        let Some(_turn) = planner() else { return };
        // SAFETY: the plan is alive, and its only owner destroys it, under the lock.
        unsafe { (self.interface.destroy_plan)(self.made.as_ptr()) };
    }
}

fn sign(direction: Direction) -> c_int {
    match direction {
        Direction::Forward => FORWARD,
        Direction::Inverse => -FORWARD,
    }
}

/// Converts a number to a C integer; `what` names it in the error.
fn int(what: &'static str, value: usize) -> Result<c_int, LibraryError> {
    c_int::try_from(value).map_err(|_| LibraryError::TooLarge { what, value })
}
