//! Elementwise products of points and factors, in vectors.

use std::marker::PhantomData;

use earth_kernels::{Direction, Real};
use num_complex::Complex;

use crate::isa::{Entry, Isa, Lane, Piece};
use crate::vector::{Points, PointsMask, Vector};

/// Multiplies slices of points with the vectors of one instruction set.
pub(crate) struct Products<T> {
    ascending: Entry<ProductJob<T>>,
    descending: Entry<ProductJob<T>>,
}

impl<T: Lane> Products<T> {
    pub(crate) fn new(isa: Isa) -> Self {
        Self { ascending: isa.entry::<Product<T, false>>(), descending: isa.entry::<Product<T, true>>() }
    }
}

impl<T: Real> Products<T> {
    /// Multiplies the points by the factors forward, or by their conjugates inverse.
    ///
    /// # Panics
    ///
    /// If the numbers of factors and points differ.
    pub(crate) fn within(&self, points: &mut [Complex<T>], factors: &[Complex<T>], direction: Direction) {
        assert_eq!(points.len(), factors.len(), "a factor for each point");
        let to = points.as_mut_ptr().cast::<T>();
        // SAFETY: the points may be read and written, there is a factor for each, and a point is two numbers.
        unsafe { self.ascending.run(&ProductJob::new(to.cast_const(), factors, to, direction)) }
    }

    /// Writes the products of `from` and the factors forward, or their conjugates inverse, to `to`.
    ///
    /// # Panics
    ///
    /// If the slices have different lengths.
    pub(crate) fn write(
        &self,
        from: &[Complex<T>],
        factors: &[Complex<T>],
        to: &mut [Complex<T>],
        direction: Direction,
    ) {
        run(&self.ascending, from, factors, to, direction);
    }

    /// Writes products as [`write`](Self::write) does, but reads the points of `from` in reverse order.
    ///
    /// # Panics
    ///
    /// If the slices have different lengths.
    pub(crate) fn write_reversed(
        &self,
        from: &[Complex<T>],
        factors: &[Complex<T>],
        to: &mut [Complex<T>],
        direction: Direction,
    ) {
        run(&self.descending, from, factors, to, direction);
    }
}

/// Runs a piece on slices.
fn run<T: Real>(
    entry: &Entry<ProductJob<T>>,
    from: &[Complex<T>],
    factors: &[Complex<T>],
    to: &mut [Complex<T>],
    direction: Direction,
) {
    assert_eq!([from.len(), to.len()], [factors.len(); 2], "a factor for each point");
    let (from, to) = (from.as_ptr().cast(), to.as_mut_ptr().cast());
    // SAFETY: all slices have one length, and a point is two numbers.
    unsafe { entry.run(&ProductJob::new(from, factors, to, direction)) }
}

/// Products of points and factors. If `DESCENDING`, the points are read in reverse order.
struct Product<T, const DESCENDING: bool>(PhantomData<T>);

/// Job of [`Product`].
///
/// The job is valid if its points of `from` and `factors` may be read, and its points of `to` may be written.
/// In descending order, `from` and `to` must not overlap.
struct ProductJob<T> {
    from: *const T,
    factors: *const T,
    to: *mut T,
    points: usize,
    /// Factor of the imaginary parts of the factors: 1 or -1.
    sign: T,
}

impl<T: Real> ProductJob<T> {
    fn new(from: *const T, factors: &[Complex<T>], to: *mut T, direction: Direction) -> Self {
        let sign = if direction == Direction::Forward { T::one() } else { -T::one() };
        Self { from, factors: factors.as_ptr().cast(), to, points: factors.len(), sign }
    }
}

impl<T: Lane, const DESCENDING: bool> Piece for Product<T, DESCENDING> {
    type Real = T;
    type Job = ProductJob<T>;

    #[inline(always)]
    unsafe fn run<V: Vector<Real = T>>(job: &ProductJob<T>) {
        // SAFETY: the job is valid.
        unsafe {
            let sign = V::broadcast(&raw const job.sign);
            let turned = |x: Points<V>, w: Points<V>| x.mul(Points { re: w.re, im: w.im.mul(sign) });
            let (mut at, points) = (0, job.points);
            while at + V::LANES <= points {
                let x = if DESCENDING {
                    Points::<V>::gather_all(job.from.add(2 * (points - at - V::LANES))).reverse()
                } else {
                    Points::<V>::gather_all(job.from.add(2 * at))
                };
                turned(x, Points::gather_all(job.factors.add(2 * at))).scatter(job.to.add(2 * at));
                at += V::LANES;
            }
            let single = PointsMask::<V>::new(1);
            while at < points {
                let from = if DESCENDING { points - 1 - at } else { at };
                let x = Points::<V>::gather(job.from.add(2 * from), single);
                let w = Points::gather(job.factors.add(2 * at), single);
                turned(x, w).scatter_masked(job.to.add(2 * at), single);
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn products_are_those_of_each_point<T: Lane>(isa: Isa) {
        let products = Products::<T>::new(isa);
        // Small integers, whose products are exact.
        let points = |n: usize, a: usize| -> Vec<Complex<T>> {
            (0..n)
                .map(|j| Complex::new(T::of(((a * j) % 17) as f64), T::of(((j + a) % 13) as f64 - 6.0)))
                .collect()
        };
        for n in (0..40).chain([100, 257]) {
            let (from, factors) = (points(n, 5), points(n, 3));
            for direction in [Direction::Forward, Direction::Inverse] {
                let factor = |w: &Complex<T>| if direction == Direction::Forward { *w } else { w.conj() };
                let ascending: Vec<_> = from.iter().zip(&factors).map(|(x, w)| x * factor(w)).collect();
                let descending: Vec<_> =
                    from.iter().rev().zip(&factors).map(|(x, w)| x * factor(w)).collect();
                let mut to = points(n, 1);
                products.write(&from, &factors, &mut to, direction);
                assert_eq!(to, ascending, "{n} points, {}", isa.name());
                products.write_reversed(&from, &factors, &mut to, direction);
                assert_eq!(to, descending, "{n} points, {}", isa.name());
                to.copy_from_slice(&from);
                products.within(&mut to, &factors, direction);
                assert_eq!(to, ascending, "{n} points, {}", isa.name());
            }
        }
    }

    #[test]
    fn all_instructions_multiply_any_number_of_points() {
        for isa in Isa::all() {
            products_are_those_of_each_point::<f32>(isa);
            products_are_those_of_each_point::<f64>(isa);
        }
    }

    #[test]
    #[should_panic(expected = "a factor for each point")]
    fn a_point_without_a_factor_is_refused() {
        let point = Complex::new(1.0, 0.0);
        Products::<f64>::new(Isa::best()).within(&mut [point; 2], &[point], Direction::Forward);
    }
}
