//! Twiddle factors: the n-th roots of unity, each as exact as its precision can hold.
//!
//! 1. The exponent is reduced modulo `n` in integers, so no factor is worse for a large exponent.
//! 2. The circle is folded onto its first octant, again in integers: sine and cosine are only taken of angles
//!    of up to an eighth of a turn, and factors that mirror each other in an axis or a diagonal agree to the
//!    bit. Multiples of `n/8` come out exactly: 1, -i, and (1 - i)/sqrt 2 with equal parts.
//! 3. The angle is held in two doubles, and the second one corrects sine and cosine to first order: what is
//!    left is the error of the library's sine and cosine, under one unit in the last place.
//! 4. Everything is in double precision and narrowed at the end.
//!
//! *Cost.* Some 16 ns a factor (measured), so factors are tabulated: [`Twiddles`] holds half a circle for
//! even `n`. *When it loses.* A table for stages read with a large stride touches a cache line per factor.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_4};
use std::sync::Arc;

use num_complex::Complex;

use crate::real::Real;

/// pi/4 less the double nearest to it.
const FRAC_PI_4_REST: f64 = 3.061_616_997_868_383e-17;

/// Which way a transform goes: the sign in the exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the signal to its spectrum: `exp(-2 pi i j k / n)`.
    Forward,
    /// From the spectrum to the signal: `exp(+2 pi i j k / n)`.
    Inverse,
}

/// `exp(-2 pi i k / n)`, to under one unit in the last place of each part.
///
/// # Panics
///
/// If `n` is 0, or past 2^53.
pub fn twiddle<T: Real>(k: usize, n: usize) -> Complex<T> {
    let (cos, sin) = cos_sin_of_turn(k, n);
    // Adding zero turns a negative zero into a positive one.
    Complex::new(T::of(cos + 0.0), T::of(-sin + 0.0))
}

/// Cosine and sine of `2 pi k / n`.
fn cos_sin_of_turn(k: usize, n: usize) -> (f64, f64) {
    assert!(n > 0, "a root of unity of order 0");
    assert!(n as u64 <= 1 << 53, "a root of unity of order {n}, which a double does not hold");
    // The angle is (octant + within / n) eighths of a turn.
    let eighths = (k % n) as u64 * 8;
    let (octant, within) = (eighths / n as u64, eighths % n as u64);
    // Odd octants are measured back from their end, from where their neighbours start.
    let from_axis = if octant % 2 == 0 { within } else { n as u64 - within };
    let (cos, sin) = cos_sin_of_octant(from_axis, n as u64);
    match octant {
        0 => (cos, sin),
        1 => (sin, cos),
        2 => (-sin, cos),
        3 => (-cos, sin),
        4 => (-cos, -sin),
        5 => (-sin, -cos),
        6 => (sin, -cos),
        _ => (cos, -sin),
    }
}

/// Cosine and sine of `pi/4 * m / n`, for `m <= n`.
fn cos_sin_of_octant(m: u64, n: u64) -> (f64, f64) {
    if m == n {
        return (FRAC_1_SQRT_2, FRAC_1_SQRT_2);
    }
    let (m, n) = (m as f64, n as f64);
    let part = m / n;
    let part_rest = part.mul_add(-n, m) / n;
    let angle = FRAC_PI_4 * part;
    let angle_rest = FRAC_PI_4.mul_add(part, -angle) + FRAC_PI_4_REST * part + FRAC_PI_4 * part_rest;
    let (sin, cos) = angle.sin_cos();
    (angle_rest.mul_add(-sin, cos), angle_rest.mul_add(cos, sin))
}

/// All roots of unity of one order, in one direction, for many readers: a clone shares the table.
#[derive(Clone, Debug)]
pub struct Twiddles<T> {
    order: usize,
    direction: Direction,
    /// Half the circle for an even order, all of it for an odd one.
    factors: Arc<[Complex<T>]>,
}

impl<T: Real> Twiddles<T> {
    /// The roots of order `n`.
    ///
    /// # Panics
    ///
    /// If `n` is 0, or past 2^53.
    pub fn new(n: usize, direction: Direction) -> Self {
        assert!(n > 0, "a table of roots of unity of order 0");
        let kept = if n.is_multiple_of(2) { n / 2 } else { n };
        let factors = (0..kept).map(|k| match direction {
            Direction::Forward => twiddle(k, n),
            Direction::Inverse => twiddle::<T>(k, n).conj(),
        });
        Self { order: n, direction, factors: factors.collect() }
    }

    /// The order: how many different factors there are.
    pub fn order(&self) -> usize {
        self.order
    }

    /// The direction of the transform these factors are for.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// The factor of exponent `k`, which may be of any size.
    pub fn get(&self, k: usize) -> Complex<T> {
        let k = k % self.order;
        let kept = self.factors.len();
        if k < kept { self.factors[k] } else { -self.factors[k - kept] }
    }

    /// The factors that are kept, by their exponents from 0 on: `n/2` of them if `n` is even, else `n`.
    pub fn factors(&self) -> &[Complex<T>] {
        &self.factors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number of about 32 digits as an unevaluated sum of two doubles: the independent evaluation.
    #[derive(Clone, Copy)]
    struct Pair(f64, f64);

    impl Pair {
        fn sum(a: f64, b: f64) -> Self {
            let s = a + b;
            let bb = s - a;
            Self(s, (a - (s - bb)) + (b - bb))
        }

        fn add(self, o: Self) -> Self {
            let Self(s, e) = Self::sum(self.0, o.0);
            Self::sum(s, e + self.1 + o.1)
        }

        fn mul(self, o: Self) -> Self {
            let p = self.0 * o.0;
            Self::sum(p, self.0.mul_add(o.0, -p) + self.0 * o.1 + self.1 * o.0)
        }

        fn div(self, n: f64) -> Self {
            let q = self.0 / n;
            Self::sum(q, (q.mul_add(-n, self.0) + self.1) / n)
        }

        /// Cosine and sine by their power series.
        fn cos_sin(self) -> (Self, Self) {
            let (mut cos, mut sin, mut term) = (Self(1.0, 0.0), Self(0.0, 0.0), Self(1.0, 0.0));
            for i in 1..60 {
                term = term.mul(self).div(f64::from(i));
                let signed = if i % 4 < 2 { term } else { Self(-term.0, -term.1) };
                if i % 2 == 0 { cos = cos.add(signed) } else { sin = sin.add(signed) }
            }
            (cos, sin)
        }
    }

    fn exact(k: usize, n: usize) -> (Pair, Pair) {
        // 2 pi in two doubles; |k/n| <= 1/2 keeps the series short.
        let turn = Pair(std::f64::consts::TAU, 2.449_293_598_294_706_4e-16);
        let k = if 2 * k > n { k as f64 - n as f64 } else { k as f64 };
        turn.mul(Pair(k, 0.0)).div(n as f64).cos_sin()
    }

    fn ulp(x: f64) -> f64 {
        let x = x.abs().max(f64::MIN_POSITIVE);
        f64::from_bits(x.to_bits() + 1) - x
    }

    #[test]
    fn every_factor_is_within_one_unit_in_the_last_place() {
        let mut worst: f64 = 0.0;
        for n in (1..=130).chain([625, 1000, 1009, 1024, 4096, 6561]) {
            for k in 0..n {
                let (cos, sin) = exact(k, n);
                let factor = twiddle::<f64>(k, n);
                for (found, exact) in [(factor.re, cos), (-factor.im, sin)] {
                    // An exact zero is a multiple of a quarter turn; the evaluation has
                    // an error of its own there.
                    let error = if found == 0.0 {
                        exact.0.abs() / 1e-30
                    } else {
                        (found - exact.0 - exact.1).abs() / ulp(found)
                    };
                    worst = worst.max(error);
                    assert!(error < 1.0, "exp(-2 pi i {k}/{n}) is {factor}: {error} units off");
                }
            }
        }
        assert!(worst > 0.4, "the evaluation it is held against agrees too well: {worst}");
    }

    #[test]
    fn large_orders_and_exponents_lose_nothing() {
        for (k, n) in
            [(1, 1 << 30), (123_456_789, 1 << 30), (987_654_321, 1_000_000_007), ((1 << 40) + 1, 3 << 40)]
        {
            let (cos, sin) = exact(k, n);
            let factor = twiddle::<f64>(k, n);
            assert!((factor.re - cos.0 - cos.1).abs() < ulp(cos.0));
            assert!((factor.im + sin.0 + sin.1).abs() < ulp(sin.0));
            assert_eq!(twiddle::<f64>(k + 5 * n, n), factor);
        }
    }

    #[test]
    fn eighths_of_a_turn_are_exact() {
        let h = FRAC_1_SQRT_2;
        let expected = [(1.0, 0.0), (h, -h), (0.0, -1.0), (-h, -h), (-1.0, 0.0), (-h, h), (0.0, 1.0), (h, h)];
        for n in [8, 16, 24, 1000, 1 << 20] {
            for (eighth, (re, im)) in expected.into_iter().enumerate() {
                let factor = twiddle::<f64>(eighth * (n / 8), n);
                // By bits: a negative zero would not do.
                assert_eq!(
                    (factor.re.to_bits(), factor.im.to_bits()),
                    (f64::to_bits(re), f64::to_bits(im)),
                    "{eighth}/8 of {n}"
                );
            }
        }
    }

    #[test]
    fn mirrored_factors_agree_to_the_bit() {
        for n in [8, 12, 40, 100, 1024, 1001] {
            for k in 0..n {
                let factor = twiddle::<f64>(k, n);
                assert_eq!(twiddle::<f64>(n - k, n), factor.conj());
                if n % 2 == 0 {
                    assert_eq!(twiddle::<f64>(k + n / 2, n), -factor);
                }
                if n % 4 == 0 {
                    assert_eq!(twiddle::<f64>(k + n / 4, n), Complex::new(factor.im, -factor.re));
                    assert_eq!(twiddle::<f64>(n / 4 + n - k, n), Complex::new(-factor.im, -factor.re));
                }
            }
        }
    }

    #[test]
    fn single_precision_is_the_double_rounded() {
        for k in 0..1000 {
            let (narrow, wide) = (twiddle::<f32>(k, 1000), twiddle::<f64>(k, 1000));
            assert_eq!(narrow, Complex::new(wide.re as f32, wide.im as f32));
        }
    }

    #[test]
    fn a_table_gives_the_factors_of_its_order() {
        for n in [1, 2, 3, 8, 15, 36] {
            let (forward, inverse) =
                (Twiddles::<f64>::new(n, Direction::Forward), Twiddles::<f64>::new(n, Direction::Inverse));
            assert_eq!((forward.order(), inverse.direction()), (n, Direction::Inverse));
            assert_eq!(forward.factors().len(), if n % 2 == 0 { n / 2 } else { n });
            for k in 0..3 * n {
                assert_eq!(forward.get(k), twiddle(k, n));
                assert_eq!(inverse.get(k), twiddle::<f64>(k, n).conj());
            }
        }
    }

    #[test]
    #[should_panic(expected = "order 0")]
    fn there_is_no_root_of_order_zero() {
        let _ = twiddle::<f64>(0, 0);
    }
}
