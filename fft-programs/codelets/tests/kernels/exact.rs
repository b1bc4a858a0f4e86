//! Transform in twice the precision: numbers are sums of two doubles, with an error of about 1e-32.

use std::f64::consts::TAU;

use num_complex::Complex;

/// Number as the sum of two doubles.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Pair(pub(crate) f64, pub(crate) f64);

impl Pair {
    fn sum(a: f64, b: f64) -> Self {
        let s = a + b;
        let b_kept = s - a;
        Self(s, (a - (s - b_kept)) + (b - b_kept))
    }

    fn add(self, o: Self) -> Self {
        let (high, low) = (Self::sum(self.0, o.0), Self::sum(self.1, o.1));
        let s = Self::sum(high.0, high.1 + low.0);
        Self::sum(s.0, s.1 + low.1)
    }

    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }

    pub(crate) fn mul(self, o: Self) -> Self {
        let p = self.0 * o.0;
        Self::sum(p, self.0.mul_add(o.0, -p) + (self.0 * o.1 + self.1 * o.0))
    }

    pub(crate) fn div(self, n: f64) -> Self {
        let q = self.0 / n;
        Self::sum(q, (q.mul_add(-n, self.0) + self.1) / n)
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Point(pub(crate) Pair, pub(crate) Pair);

impl Point {
    fn of(z: Complex<f64>) -> Self {
        Self(Pair(z.re, 0.0), Pair(z.im, 0.0))
    }

    fn add(self, o: Self) -> Self {
        Self(self.0.add(o.0), self.1.add(o.1))
    }

    fn mul(self, o: Self) -> Self {
        Self(self.0.mul(o.0).add(self.1.mul(o.1).neg()), self.0.mul(o.1).add(self.1.mul(o.0)))
    }

    /// Returns `exp(-2 pi i k / n)`, by the power series.
    pub(crate) fn root(k: usize, n: usize) -> Self {
        // 2 pi in two doubles; |k / n| <= 1/2 keeps the series short.
        let k = if 2 * k > n { k as f64 - n as f64 } else { k as f64 };
        let angle = Pair(TAU, 2.449_293_598_294_706_4e-16).mul(Pair(k, 0.0)).div(n as f64);
        let (mut cos, mut sin, mut term) = (Pair(1.0, 0.0), Pair(0.0, 0.0), Pair(1.0, 0.0));
        for i in 1..45 {
            term = term.mul(angle).div(f64::from(i));
            let signed = if i % 4 < 2 { term } else { term.neg() };
            if i % 2 == 0 { cos = cos.add(signed) } else { sin = sin.add(signed) }
        }
        Self(cos, sin.neg())
    }
}

/// Transforms `radix^levels` points in twice the precision, with the definition for the parts of each level,
/// rounded once at the end.
pub(crate) fn exact(signal: &[Complex<f64>], radix: usize) -> Vec<Complex<f64>> {
    let n = signal.len();
    let steps = n.isqrt() + 1;
    let (near, far): (Vec<_>, Vec<_>) =
        (0..steps).map(|k| (Point::root(k, n), Point::root(k * steps % n, n))).unzip();
    let roots: Vec<_> = (0..n).map(|k| near[k % steps].mul(far[k / steps])).collect();
    let mut points: Vec<_> = signal.iter().copied().map(Point::of).collect();
    // Each level reads points of the previous level at a stride and writes its outputs side by side.
    let mut done = 1;
    while done < n {
        let (apart, last) = (n / radix, points.clone());
        for (at, point) in points.iter_mut().enumerate() {
            // Output `k` of the combination of blocks of `done` outputs; `q` is the index of the combination,
            // which varies fastest.
            let (k, q) = (at / (apart / done), at % (apart / done));
            let term = |j: usize| {
                let from = (k % done) * (n / done) + q + j * (apart / done);
                last[from].mul(roots[(j * k * (apart / done)) % n])
            };
            *point = (1..radix).map(term).fold(term(0), Point::add);
        }
        done *= radix;
    }
    points.into_iter().map(|Point(re, im)| Complex::new(re.0, im.0)).collect()
}
