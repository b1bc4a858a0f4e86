//! Row kernel by rustfft, which is always available.
//!
//! rustfft plans any length, detects the widest vector instructions of the machine, and its plans may be used
//! from many threads. It plans each direction separately and calls sine and cosine for each factor. Planning
//! takes as long as 1 to 7 transforms for 1,000 to 10^6 points (measured with AVX2). So a direction is
//! planned when it is [prepared](RowKernel::prepare) or first used.
//!
//! *Compile time.* rustfft is generic down to its kernels. Therefore every crate, test and binary that names
//! a planner of a concrete precision compiles all of it, in half a minute of processor time per precision.
//! Here non-generic functions do that, for each precision. [`RustFft::new`] selects the function for
//! a type, and a plan is returned as a closure on slices. So generic code in other crates instantiates no
//! code of rustfft. Unit tests would compile all of it a second time, so the tests are in `tests/`.
#![forbid(unsafe_code)]

use std::fmt;
use std::sync::{Arc, OnceLock};

use earth_kernels::{Direction, PerPrecision, Real, RowKernel};
use num_complex::Complex;
use rustfft::{Fft, FftDirection, FftNum, FftPlanner, FftPlannerScalar};

/// Rows of one length. Clones share the plans of both directions.
#[derive(Clone)]
pub struct RustFft<T> {
    len: usize,
    plans: Arc<[OnceLock<Planned<T>>; 2]>,
    plan: Plan<T>,
}

/// Plan in one direction.
struct Planned<T> {
    scratch_len: usize,
    transform: Box<Transform<T>>,
}

/// Plan as a function of rows and scratch.
type Transform<T> = dyn Fn(&mut [Complex<T>], &mut [Complex<T>]) + Send + Sync;

/// Function that plans in a precision.
type Plan<T> = fn(usize, FftDirection) -> Planned<T>;

impl<T: Real> RustFft<T> {
    /// Creates a kernel for rows of `n` points. No direction is planned yet.
    ///
    /// # Panics
    ///
    /// If `n` is 0.
    pub fn new(n: usize) -> Self {
        let [plan, _] = T::choose::<Planners>();
        Self::by(n, plan)
    }

    /// Creates a kernel without vector instructions.
    ///
    /// # Panics
    ///
    /// If `n` is 0.
    pub fn scalar(n: usize) -> Self {
        let [_, plan] = T::choose::<Planners>();
        Self::by(n, plan)
    }

    fn by(n: usize, plan: Plan<T>) -> Self {
        assert!(n > 0, "a row of 0 points has no transform");
        Self { len: n, plans: Arc::default(), plan }
    }

    /// Returns the plan in a direction, and makes it if it does not exist.
    fn planned(&self, direction: Direction) -> &Planned<T> {
        let (number, for_direction) = match direction {
            Direction::Forward => (0, FftDirection::Forward),
            Direction::Inverse => (1, FftDirection::Inverse),
        };
        self.plans[number].get_or_init(|| (self.plan)(self.len, for_direction))
    }
}

/// Planning functions of both precisions: with the widest vector instructions, and without any.
struct Planners;

impl PerPrecision for Planners {
    type Of<T: Real> = [Plan<T>; 2];

    fn single() -> [Plan<f32>; 2] {
        [plan_f32, plan_scalar_f32]
    }

    fn double() -> [Plan<f64>; 2] {
        [plan_f64, plan_scalar_f64]
    }
}

fn plan_f32(n: usize, direction: FftDirection) -> Planned<f32> {
    planned(FftPlanner::new().plan_fft(n, direction))
}

fn plan_f64(n: usize, direction: FftDirection) -> Planned<f64> {
    planned(FftPlanner::new().plan_fft(n, direction))
}

fn plan_scalar_f32(n: usize, direction: FftDirection) -> Planned<f32> {
    planned(FftPlannerScalar::new().plan_fft(n, direction))
}

fn plan_scalar_f64(n: usize, direction: FftDirection) -> Planned<f64> {
    planned(FftPlannerScalar::new().plan_fft(n, direction))
}

fn planned<T: FftNum>(fft: Arc<dyn Fft<T>>) -> Planned<T> {
    Planned { scratch_len: fft.get_inplace_scratch_len(), transform: transform(fft) }
}

fn transform<T: FftNum>(fft: Arc<dyn Fft<T>>) -> Box<Transform<T>> {
    let (n, needed) = (fft.len(), fft.get_inplace_scratch_len());
    Box::new(move |rows, scratch| {
        let (found, given) = (rows.len(), scratch.len());
        // The comparison comes first because a division takes as long as a short row.
        assert!(found == n || found.is_multiple_of(n), "{found} points are no whole number of rows of {n}");
        assert!(given >= needed, "a scratch of {given} points where {needed} are needed");
        fft.process_with_scratch(rows, &mut scratch[..needed]);
    })
}

impl<T: Real> RowKernel<T> for RustFft<T> {
    fn name(&self) -> &'static str {
        "rustfft"
    }

    fn len(&self) -> usize {
        self.len
    }

    /// Returns the scratch length, which is the same in both directions.
    fn scratch_len(&self) -> usize {
        let planned = self.plans.iter().find_map(OnceLock::get);
        planned.unwrap_or_else(|| self.planned(Direction::Forward)).scratch_len
    }

    fn prepare(&self, direction: Direction) {
        self.planned(direction);
    }

    fn transform(&self, direction: Direction, rows: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        (self.planned(direction).transform)(rows, scratch);
    }
}

impl<T: Real> fmt::Debug for RustFft<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RustFft").field("real", &T::NAME).field("len", &self.len).finish_non_exhaustive()
    }
}
