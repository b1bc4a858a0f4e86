//! rustfft's plans in two precisions.
//!
//! rustfft is generic down to its kernels, so all of it is compiled anew, for half a minute of processor time
//! a precision, in every crate, test and binary that names a planner of concrete numbers. These functions are
//! not generic: they are compiled here, once.
#![forbid(unsafe_code)]

use std::sync::Arc;

use rustfft::{Fft, FftNum, FftPlanner};

/// The plans of rows of one length, forward and inverse.
pub type Plans<T> = [Arc<dyn Fft<T>>; 2];

/// Plans rows of `n` points in single precision.
pub fn plan_f32(n: usize) -> Plans<f32> {
    plan(n)
}

/// Plans rows of `n` points in double precision.
pub fn plan_f64(n: usize) -> Plans<f64> {
    plan(n)
}

fn plan<T: FftNum>(n: usize) -> Plans<T> {
    let mut planner = FftPlanner::new();
    [planner.plan_fft_forward(n), planner.plan_fft_inverse(n)]
}

/// The vector instructions that the planner chooses: it tries these in this order.
pub fn simd() -> &'static str {
    if rustfft::FftPlannerAvx::<f64>::new().is_ok() {
        "avx"
    } else if rustfft::FftPlannerSse::<f64>::new().is_ok() {
        "sse"
    } else if rustfft::FftPlannerNeon::<f64>::new().is_ok() {
        "neon"
    } else {
        "scalar"
    }
}
