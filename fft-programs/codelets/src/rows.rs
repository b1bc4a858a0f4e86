//! Rows as a row kernel.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use earth_kernels::{Direction, Real, RowKernel};
use num_complex::Complex;

use crate::isa::{Isa, Lane};
use crate::radices::radices;
use crate::within::Within;

/// Plans rows of `n` points; `None` if there is no kernel for them.
pub fn rows<T: Real>(isa: Isa, n: usize) -> Option<Arc<dyn RowKernel<T>>> {
    type Plan<T> = fn(Isa, usize) -> Option<Arc<dyn RowKernel<T>>>;
    let planners: [&dyn Any; 2] = [&(plan::<f32> as Plan<f32>), &(plan::<f64> as Plan<f64>)];
    let plan = planners.into_iter().find_map(<dyn Any>::downcast_ref::<Plan<T>>);
    plan.and_then(|plan| plan(isa, n))
}

fn plan<T: Lane>(isa: Isa, n: usize) -> Option<Arc<dyn RowKernel<T>>> {
    let lanes = isa.lanes::<T>();
    if !n.is_multiple_of(lanes) {
        return None;
    }
    let radices = match std::env::var("RADICES") {
        Ok(s) => s.split(',').map(|x| x.parse().unwrap()).collect(),
        _ => radices(n / lanes)?,
    };
    if radices.iter().product::<usize>() * lanes != n {
        return None;
    }
    Some(Arc::new(Rows { n, within: Within::<T>::new(isa, &radices), radices, isa }))
}

struct Rows<T> {
    isa: Isa,
    n: usize,
    radices: Vec<usize>,
    within: Within<T>,
}

impl<T: Lane> Rows<T> {
    fn run(&self, rows: &mut [Complex<T>], scratch: &mut [Complex<T>], direction: Direction) {
        assert!(
            rows.len().is_multiple_of(self.n),
            "{} points are no whole number of rows of {}",
            rows.len(),
            self.n
        );
        let needed = self.scratch_len();
        assert!(scratch.len() >= needed, "a scratch of {} points where {needed} are needed", scratch.len());
        let to = scratch.as_mut_ptr().cast::<T>();
        let to = to.wrapping_byte_add(to.align_offset(64) * size_of::<T>());
        for row in rows.chunks_exact_mut(self.n) {
            let row = row.as_mut_ptr().cast::<T>();
            // SAFETY: a row has `n` points, and the scratch is long enough.
            unsafe { self.within.run(row, row, to, direction) }
        }
    }
}

impl<T: Lane> RowKernel<T> for Rows<T> {
    fn name(&self) -> &'static str {
        "earth"
    }
    fn len(&self) -> usize {
        self.n
    }
    fn scratch_len(&self) -> usize {
        self.within.scratch().div_ceil(2) + 64 / size_of::<Complex<T>>()
    }
    fn forward(&self, rows: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        self.run(rows, scratch, Direction::Forward);
    }
    fn inverse(&self, rows: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        self.run(rows, scratch, Direction::Inverse);
    }
}

impl<T: Lane> fmt::Debug for Rows<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows")
            .field("real", &T::NAME)
            .field("isa", &self.isa.name())
            .field("radices", &self.radices)
            .finish_non_exhaustive()
    }
}
