//! Tables of roots of unity, evaluated in vectors.

use std::marker::PhantomData;

use earth_kernels::{Circle, arc_in_line};
use num_complex::Complex;

use crate::isa::{Isa, Lane, Piece};
use crate::vector::Vector;

/// Returns the first `count` roots of unity of order `n`, bitwise equal to [`earth_kernels::arc`].
///
/// # Panics
///
/// As [`earth_kernels::arc`].
pub(crate) fn arc<T: Lane>(isa: Isa, n: usize, count: usize) -> Vec<Complex<T>> {
    let mut roots = Vec::new();
    // SAFETY: the roots are a local variable.
    unsafe { isa.entry::<Evaluation<T>>().run(&EvaluationJob { n, count, roots: &raw mut roots }) }
    roots
}

/// Returns all roots of unity of order `n`.
pub(crate) fn circle<T: Lane>(isa: Isa, n: usize) -> Circle<T> {
    Circle::new(n, |n, count| arc(isa, n, count))
}

/// Evaluation of roots.
struct Evaluation<T>(PhantomData<T>);

/// Job of [`Evaluation`].
///
/// The job is valid if the roots may be written.
struct EvaluationJob<T> {
    n: usize,
    count: usize,
    roots: *mut Vec<Complex<T>>,
}

impl<T: Lane> Piece for Evaluation<T> {
    type Real = T;
    type Job = EvaluationJob<T>;

    #[inline(always)]
    unsafe fn run<V: Vector<Real = T>>(job: &EvaluationJob<T>) {
        let roots = arc_in_line(job.n, job.count);
        // SAFETY: the job is valid.
        unsafe { *job.roots = roots }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roots_are_the_same_to_the_bit<T: Lane>(isa: Isa, n: usize) {
        let bits = |roots: Vec<Complex<T>>| -> Vec<_> {
            roots.iter().map(|z| [z.re, z.im].map(|x| x.widen().to_bits())).collect()
        };
        let expected = bits(earth_kernels::arc(n, n));
        assert_eq!(bits(arc(isa, n, n)), expected, "order {n}, {}, {}", T::NAME, isa.name());
    }

    #[test]
    fn all_instructions_evaluate_the_same_roots() {
        for isa in Isa::all() {
            for n in [1, 2, 3, 7, 60, 64, 1000, 1001, 4098] {
                roots_are_the_same_to_the_bit::<f32>(isa, n);
                roots_are_the_same_to_the_bit::<f64>(isa, n);
            }
        }
    }
}
