//! rustfft as a row kernel: the one that is always there.
//!
//! rustfft plans any length, finds the widest vector instructions of the machine by itself, and its plans may
//! be used from many threads. Planning a row in both directions costs about what transforming it does (2^24
//! points: 0.8 s against 0.9, measured) and allocates its tables, so plan once and share the kernel.
//!
//! *Compiled once.* rustfft is generic down to its kernels, so all of it is compiled anew, for half a minute
//! of processor time a precision, in every crate, test and binary that names a planner of concrete numbers.
//! Here two functions do that, one a precision, and neither is generic. [`RustFft::new`] goes from a type to
//! its function, and a plan leaves the function as a closure on slices: generic code elsewhere instantiates
//! nothing of rustfft. Unit tests would compile all of it a second time, so the tests are in `tests/`.
#![forbid(unsafe_code)]

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use earth_kernels::{Real, RowKernel};
use num_complex::Complex;
use rustfft::{Fft, FftNum, FftPlanner};

/// Rows of one length, planned in both directions; a clone shares the plans.
#[derive(Clone)]
pub struct RustFft<T> {
    len: usize,
    scratch_len: usize,
    forward: Arc<Transform<T>>,
    inverse: Arc<Transform<T>>,
}

/// A plan in one direction, as a function of rows and scratch.
type Transform<T> = dyn Fn(&mut [Complex<T>], &mut [Complex<T>]) + Send + Sync;

impl<T: Real> RustFft<T> {
    /// Plans rows of `n` points.
    ///
    /// # Panics
    ///
    /// If `n` is 0, or if `T` is neither `f32` nor `f64`.
    pub fn new(n: usize) -> Self {
        assert!(n > 0, "a row of 0 points has no transform");
        let planners: [&dyn Any; 2] =
            [&(plan_f32 as fn(usize) -> RustFft<f32>), &(plan_f64 as fn(usize) -> RustFft<f64>)];
        let plan = planners.into_iter().find_map(<dyn Any>::downcast_ref::<fn(usize) -> Self>);
        plan.unwrap_or_else(|| panic!("{} is neither f32 nor f64", T::NAME))(n)
    }
}

fn plan_f32(n: usize) -> RustFft<f32> {
    plan(n)
}

fn plan_f64(n: usize) -> RustFft<f64> {
    plan(n)
}

fn plan<T: FftNum>(n: usize) -> RustFft<T> {
    let mut planner = FftPlanner::new();
    let (forward, inverse) = (planner.plan_fft_forward(n), planner.plan_fft_inverse(n));
    let scratch_len = forward.get_inplace_scratch_len().max(inverse.get_inplace_scratch_len());
    RustFft { len: n, scratch_len, forward: transform(forward), inverse: transform(inverse) }
}

fn transform<T: FftNum>(fft: Arc<dyn Fft<T>>) -> Arc<Transform<T>> {
    let (n, needed) = (fft.len(), fft.get_inplace_scratch_len());
    Arc::new(move |rows, scratch| {
        let (found, given) = (rows.len(), scratch.len());
        // A division takes as long as a short row.
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

    /// It may take rows in pairs on some processors, which need not round alike.
    fn wants_many(&self) -> bool {
        false
    }

    fn scratch_len(&self) -> usize {
        self.scratch_len
    }

    fn forward(&self, rows: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        (self.forward)(rows, scratch);
    }

    fn inverse(&self, rows: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        (self.inverse)(rows, scratch);
    }
}

impl<T: Real> fmt::Debug for RustFft<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RustFft").field("real", &T::NAME).field("len", &self.len).finish_non_exhaustive()
    }
}
