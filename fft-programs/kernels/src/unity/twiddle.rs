//! Twiddle factors: the n-th roots of unity, each as accurate as its precision allows.
//!
//! 1. The exponent is reduced modulo `n` in integers, so a large exponent does not reduce the accuracy.
//! 2. The circle is folded onto its first octant, also in integers. Sine and cosine are only evaluated for
//!    angles of up to an eighth of a turn. Factors that mirror each other in an axis or a diagonal are
//!    bitwise equal. Multiples of `n/8` are exact: 1, -i, and (1 - i)/sqrt 2 with equal parts.
//! 3. The angle is held in two doubles. Sine and cosine are Taylor series of this sum; the error of a part is
//!    at most 0.8 units in its last place (measured).
//! 4. All values are computed in double precision and rounded to the target precision at the end.
//!
//! The arithmetic consists of additions and multiplications that are not fused, without function calls. So
//! the compiler vectorizes it, and the factors are bitwise equal on every machine.
//!
//! *Cost.* About 10 ns for a single factor. An [`arc`] takes 1 ns per factor if 4 divides the order, because
//! it evaluates one octant and mirrors the others, and 3 ns otherwise (measured). *When it loses.* If stages
//! read the table with a large stride, each factor costs a cache line.

use std::cell::Cell;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2};
use std::ops::Range;
use std::sync::Arc;

use num_complex::Complex;

use crate::real::Real;

/// `pi/2` minus its nearest double.
const FRAC_PI_2_REST: f64 = 6.123_233_995_736_766e-17;

/// Number of significant bits in the head of a [`Unit`].
const HEAD: u32 = 26;

/// Number of angles that are evaluated together.
const TOGETHER: usize = 8;

thread_local! {
    static EVALUATED: Cell<u64> = const { Cell::new(0) };
}

/// Returns the number of angles for which the calling thread has evaluated sine and cosine. It measures the
/// work of computing tables.
pub fn evaluated() -> u64 {
    EVALUATED.get()
}

/// Direction of a transform: the sign in the exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the signal to its spectrum: `exp(-2 pi i j k / n)`.
    Forward,
    /// From the spectrum to the signal: `exp(+2 pi i j k / n)`.
    Inverse,
}

/// Returns `exp(-2 pi i k / n)`, with an error below one unit in the last place of each part.
///
/// # Panics
///
/// If `n` is 0, or past 2^53.
pub fn twiddle<T: Real>(k: usize, n: usize) -> Complex<T> {
    let unit = Unit::of(n);
    let k = k % n;
    let mut root = Complex::new(T::zero(), T::zero());
    let folded = k.min(n - k);
    unit.half_circle(folded..folded + 1, |roots| root = roots[0]);
    if folded == k { root } else { root.conj() }
}

/// Returns the first `count` roots of unity of order `n`: [`twiddle()`] of the exponents from 0 on.
///
/// # Panics
///
/// If `n` is 0 or past 2^53, or if `count` is past `n`.
pub fn arc<T: Real>(n: usize, count: usize) -> Vec<Complex<T>> {
    arc_in_line(n, count)
}

/// Computes the roots as [`arc`] does, inlined, so that the caller's vector instructions are used. The roots
/// are bitwise equal to [`arc`]'s.
///
/// # Panics
///
/// As [`arc`].
#[inline(always)]
pub fn arc_in_line<T: Real>(n: usize, count: usize) -> Vec<Complex<T>> {
    let unit = Unit::of(n);
    assert!(count <= n, "{count} roots of unity of order {n}");
    if !n.is_multiple_of(4) {
        let mut roots: Vec<Complex<T>> = unit.first(count.min(n / 2 + 1));
        let mirrored = (roots.len()..count).map(|k| roots[n - k].conj());
        let mirrored: Vec<_> = mirrored.collect();
        roots.extend(mirrored);
        return roots;
    }
    let (zero, quarter) = (T::zero(), n / 4);
    let octant: Vec<Complex<T>> = unit.first(count.min(n / 8 + 1));
    let mut first = Vec::with_capacity(count.min(quarter + 1));
    first.extend_from_slice(&octant);
    let mirrored = octant[..octant.len().min(quarter - n / 8)].iter().rev();
    let mirrored = mirrored.map(|z| Complex::new(zero - z.im, zero - z.re));
    first.extend(mirrored.take(count - octant.len()));
    if first.len() == count {
        return first;
    }
    // The other quarters are rotations of the first one.
    let mut roots = Vec::with_capacity(count);
    for turns in 0..4 {
        let part = first[..quarter.min(count - roots.len())].iter();
        match turns {
            0 => roots.extend(part),
            1 => roots.extend(part.map(|z| Complex::new(z.im, zero - z.re))),
            2 => roots.extend(part.map(|z| Complex::new(zero - z.re, zero - z.im))),
            _ => roots.extend(part.map(|z| Complex::new(zero - z.im, z.re))),
        }
    }
    roots
}

/// Unit of angles: a quarter of a turn divided by the order `n`. The angles of all roots, folded onto an
/// octant, are whole numbers of units.
#[derive(Clone, Copy)]
struct Unit {
    n: u64,
    /// First bits of the unit: few enough that products with whole numbers below 2^27 are exact.
    head: f64,
    /// The unit minus its head.
    rest: f64,
}

impl Unit {
    fn of(n: usize) -> Self {
        assert!(n > 0, "a root of unity of order 0");
        let n = n as u64;
        assert!(n <= 1 << 53, "a root of unity of order {n}, which a double does not hold");
        let unit = FRAC_PI_2 / n as f64;
        let head = f64::from_bits(unit.to_bits() >> (53 - HEAD) << (53 - HEAD));
        let [high, low] = halves(n);
        let [a, a_rest] = sum(FRAC_PI_2, -head * high);
        let [b, b_rest] = sum(a, -head * low);
        Self { n, head, rest: (b + (a_rest + b_rest + FRAC_PI_2_REST)) / n as f64 }
    }

    /// Returns the angle of `high + low` units, as the sum of two doubles.
    ///
    /// `high` is 0 or at least as large as `low`. Both are whole numbers of up to 27 bits, `high` times 2^26.
    /// So their products with the head are exact.
    #[inline(always)]
    fn angle(self, [high, low]: [f64; 2]) -> [f64; 2] {
        let [head, head_rest] = fast_sum(high * self.head, low * self.head);
        fast_sum(head, (high + low) * self.rest + head_rest)
    }

    /// Evaluates the roots of the first `count` exponents, all in the first half of the circle.
    #[inline(always)]
    fn first<T: Real>(self, count: usize) -> Vec<Complex<T>> {
        let mut roots = Vec::with_capacity(count);
        self.half_circle(0..count, |block| roots.extend_from_slice(block));
        roots
    }

    /// Evaluates the roots of consecutive exponents, all in the first half of the circle, and passes them to
    /// `put` in blocks.
    #[inline(always)]
    fn half_circle<T: Real>(self, exponents: Range<usize>, mut put: impl FnMut(&[Complex<T>])) {
        EVALUATED.set(EVALUATED.get() + exponents.len() as u64);
        let (n, mut k, last) = (self.n, exponents.start as u64, exponents.end as u64);
        for octant in 0..4 {
            let end = last.min((octant + 1) * n / 8 + 1);
            while k < end {
                // The angle from the nearest axis, in units, and its change per exponent.
                let (units, by) = match octant {
                    0 => (4 * k, 4.0),
                    1 => (n - 4 * k, -4.0),
                    2 => (4 * k - n, 4.0),
                    _ => (2 * n - 4 * k, -4.0),
                };
                if end - k < TOGETHER as u64 {
                    put(&self.block::<T, 1>(octant, units as f64, by));
                    k += 1;
                } else {
                    put(&self.block::<T, TOGETHER>(octant, units as f64, by));
                    k += TOGETHER as u64;
                }
            }
        }
    }

    /// Evaluates `N` consecutive roots of an octant. The first root is `units` from the octant's axis, and
    /// each next root is `by` units further.
    #[inline(always)]
    fn block<T: Real, const N: usize>(self, octant: u64, units: f64, by: f64) -> [Complex<T>; N] {
        let [high, _] = halves(units.max(units + (N - 1) as f64 * by) as u64);
        let diagonal = 0.5 * self.n as f64;
        let (mut cos, mut sin) = ([0.0; N], [0.0; N]);
        for i in 0..N {
            let units = units + i as f64 * by;
            let both = cos_sin(self.angle([high, units - high]));
            // An angle is a whole number of units. The diagonal is a whole number of units or half a unit
            // off.
            let is_diagonal = (units - diagonal).abs() < 0.25;
            [cos[i], sin[i]] = if is_diagonal { [FRAC_1_SQRT_2; 2] } else { both };
        }
        let (re, im) = if octant == 1 || octant == 2 { (sin, cos) } else { (cos, sin) };
        let sign = if octant < 2 { 1.0 } else { -1.0 };
        // A difference from zero is never a negative zero.
        std::array::from_fn(|i| Complex::new(T::of(sign * re[i]), T::of(0.0 - im[i])))
    }
}

/// Splits a whole number into a multiple of 2^26 and a remainder below 2^26.
fn halves(units: u64) -> [f64; 2] {
    let high = units >> HEAD << HEAD;
    [high as f64, (units - high) as f64]
}

/// Returns the rounded sum of two numbers and its rounding error (Knuth's two-sum).
fn sum(a: f64, b: f64) -> [f64; 2] {
    let sum = a + b;
    let second = sum - a;
    [sum, (a - (sum - second)) + (b - second)]
}

/// Returns the rounded sum of two numbers and its rounding error (Dekker's fast two-sum). The first number is
/// 0 or at least as large as the second.
#[inline(always)]
fn fast_sum(a: f64, b: f64) -> [f64; 2] {
    let sum = a + b;
    [sum, (a - sum) + b]
}

/// Returns cosine and sine of an angle of up to an eighth of a turn, given in two doubles.
///
/// The terms from the third on are rounded. They are far smaller than the first terms, which are added last.
#[inline(always)]
fn cos_sin([x, y]: [f64; 2]) -> [f64; 2] {
    let z = x * x;
    let half = 0.5 * z;
    let near = 1.0 - half;
    let cos = near + (((1.0 - near) - half) + (z * z * series(&COS, z) - x * y));
    // To first order, the second double adds its product with the cosine.
    let sin = x + (z * x * series(&SIN, z) + y * near);
    [cos, sin]
}

/// Coefficients of the Taylor series of the cosine, from the fourth power on.
const COS: [f64; 7] = [
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 20_922_789_888_000.0,
];

/// Coefficients of the Taylor series of the sine, from the third power on.
const SIN: [f64; 8] = [
    -1.0 / 6.0,
    1.0 / 120.0,
    -1.0 / 5_040.0,
    1.0 / 362_880.0,
    -1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 1_307_674_368_000.0,
    1.0 / 355_687_428_096_000.0,
];

/// Evaluates a polynomial with the given coefficients, the lowest power first (Horner's scheme).
#[inline(always)]
fn series<const N: usize>(coefficients: &[f64; N], z: f64) -> f64 {
    let (last, before) = (coefficients[N - 1], &coefficients[..N - 1]);
    before.iter().rev().fold(last, |sum, coefficient| sum * z + coefficient)
}

/// All roots of unity of one order, in one direction, for many readers. Clones share the table.
#[derive(Clone, Debug)]
pub struct Twiddles<T> {
    order: usize,
    /// Half the circle for an even order, the whole circle for an odd one.
    factors: Arc<[Complex<T>]>,
}

impl<T: Real> Twiddles<T> {
    /// Computes the roots of order `n`.
    ///
    /// # Panics
    ///
    /// If `n` is 0, or past 2^53.
    pub fn new(n: usize, direction: Direction) -> Self {
        assert!(n > 0, "a table of roots of unity of order 0");
        let kept = if n.is_multiple_of(2) { n / 2 } else { n };
        let mut factors = arc::<T>(n, kept);
        if direction == Direction::Inverse {
            for factor in &mut factors {
                *factor = factor.conj();
            }
        }
        Self { order: n, factors: factors.into() }
    }

    /// Returns the order, which is the number of different factors.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Returns the factor of exponent `k`, which may exceed the order.
    pub fn get(&self, k: usize) -> Complex<T> {
        let k = k % self.order;
        let kept = self.factors.len();
        if k < kept { self.factors[k] } else { -self.factors[k - kept] }
    }

    /// Returns the stored factors, by exponent from 0 on: `n/2` factors if `n` is even, `n` otherwise.
    pub fn factors(&self) -> &[Complex<T>] {
        &self.factors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of about 32 digits as an unevaluated sum of two doubles, for the independent evaluation.
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

        /// Returns cosine and sine by their power series.
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
    fn every_factor_is_within_eight_tenths_of_a_unit_in_the_last_place() {
        let mut worst: f64 = 0.0;
        for n in (1..=130).chain([516, 625, 1000, 1009, 1024, 4096, 6561]) {
            for (k, factor) in arc::<f64>(n, n).into_iter().enumerate() {
                let (cos, sin) = exact(k, n);
                for (found, exact) in [(factor.re, cos), (-factor.im, sin)] {
                    // A zero part belongs to a multiple of a quarter turn, where the power series has an
                    // error of its own.
                    let error = if found == 0.0 {
                        exact.0.abs() / 1e-30
                    } else {
                        (found - exact.0 - exact.1).abs() / ulp(found)
                    };
                    worst = worst.max(error);
                    assert!(error < 0.8, "exp(-2 pi i {k}/{n}) is {factor}: {error} units off");
                }
            }
        }
        assert!(worst > 0.4, "the evaluation it is held against agrees too well: {worst}");
    }

    /// If 4 divides the order, only one root in eight is evaluated; the others are mirrored.
    #[test]
    fn an_arc_has_the_first_roots_and_evaluates_an_octant() {
        for n in (1..=70).chain([129, 258, 516, 1032]) {
            for count in (0..=n.min(40)).chain([n / 2, n - 1, n]) {
                let before = evaluated();
                let roots = arc::<f64>(n, count);
                let most = if n % 4 == 0 { n / 8 + 1 } else { n / 2 + 1 };
                assert_eq!(evaluated() - before, count.min(most) as u64, "{count} roots of order {n}");
                for (k, root) in roots.iter().enumerate() {
                    let alone = twiddle::<f64>(k, n);
                    assert_eq!(
                        (root.re.to_bits(), root.im.to_bits()),
                        (alone.re.to_bits(), alone.im.to_bits()),
                        "{k} of {n}"
                    );
                }
                assert_eq!(roots.len(), count);
            }
        }
    }

    /// Blocks below and above 2^27 units, the limit for exact products with the head.
    #[test]
    fn blocks_of_large_orders_are_exact() {
        let n = 1 << 31;
        for first in [(1 << 24) - 20, (1 << 27) + 12_345, n / 8 - 13, n / 4 - 7, n / 2 - 30] {
            let mut k = first;
            Unit::of(n).half_circle(first..first + 30, |block: &[Complex<f64>]| {
                for factor in block {
                    let (cos, sin) = exact(k, n);
                    assert!((factor.re - cos.0 - cos.1).abs() <= 0.8 * ulp(cos.0).max(1e-29), "{k}");
                    assert!((factor.im + sin.0 + sin.1).abs() <= 0.8 * ulp(sin.0).max(1e-29), "{k}");
                    k += 1;
                }
            });
            assert_eq!(k, first + 30);
        }
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
            assert_eq!(forward.order(), n);
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
