//! Accuracy of rows, compared with rustfft: errors relative to a transform in twice the precision. The
//! environment variable `EARTH_LONG=1` adds 2^20 points.

use std::f64::consts::PI;

use earth_codelets::{Isa, rows};
use earth_kernels::{Real, RowKernel, relative_error};
use earth_rustfft::RustFft;
use num_complex::Complex;

use crate::common::noise;
use crate::exact::{Pair, Point, exact};

fn error<T: Real>(kernel: &dyn RowKernel<T>, signal: &[Complex<T>], expected: &[Complex<f64>]) -> f64 {
    let mut row = signal.to_vec();
    kernel.forward(&mut row, &mut kernel.scratch());
    relative_error(&row, expected)
}

fn is_as_exact_as_rustfft<T: Real>(signal: &[Complex<T>], expected: &[Complex<f64>]) {
    let n = signal.len();
    let other = error(&RustFft::new(n), signal, expected);
    for isa in Isa::all() {
        let own = error(&*rows::<T>(isa, n).unwrap(), signal, expected);
        println!("{n} points in {}, {}: {own:.3e}, rustfft {other:.3e}", T::NAME, isa.name());
        assert!(own > 0.0 && own <= 1.2 * other, "{n} points, {}: {own} against {other}", isa.name());
    }
}

/// Compares every digit with known numbers: 1/3, and half of the roots of 2 and 3.
#[test]
fn numbers_have_twice_the_digits() {
    let tiny = 2.0_f64.powi(-80);
    assert_eq!(Pair(1.0, tiny).mul(Pair(1.0, tiny)), Pair(1.0, 2.0 * tiny));
    assert_eq!(Pair(1.0, 0.0).div(3.0), Pair(1.0 / 3.0, 1.850_371_707_708_594e-17));
    let off = |found: Pair, known: Pair| (found.0 - known.0) + (found.1 - known.1);
    let half_root = |of: f64, low: f64| Pair(of.sqrt() / 2.0, low);
    let (of_two, of_three) =
        (half_root(2.0, -4.833_646_656_726_457e-17), half_root(3.0, 5.017_542_110_903_451_4e-17));
    for (found, [re, im]) in [
        (Point::root(1, 8), [of_two, Pair(-of_two.0, -of_two.1)]),
        (Point::root(1, 12), [of_three, Pair(-0.5, 0.0)]),
        (Point::root(11, 12), [of_three, Pair(0.5, 0.0)]),
        (Point::root(3, 4), [Pair(0.0, 0.0), Pair(1.0, 0.0)]),
    ] {
        assert!(off(found.0, re).abs() < 1e-31 && off(found.1, im).abs() < 1e-31, "{found:?}");
    }
}

/// For the points 0, 1, ..., the sum and the output at every other frequency are known.
#[test]
fn the_transform_of_a_slope_is_a_cotangent() {
    for (radix, levels) in [(2, 6), (3, 4), (5, 2)] {
        let n = usize::pow(radix, levels);
        let slope: Vec<_> = (0..n).map(|j| Complex::new(j as f64, 0.0)).collect();
        let half = n as f64 / 2.0;
        // Near half a turn, a double has lost digits of the angle. The mirrored angle has them.
        let cotangent = |k: usize| half / (PI * k as f64 / n as f64).tan();
        let at = |k: usize| Complex::new(-half, if 2 * k > n { -cotangent(n - k) } else { cotangent(k) });
        let sum = Complex::new(half * (n as f64 - 1.0), 0.0);
        let expected: Vec<_> = std::iter::once(sum).chain((1..n).map(at)).collect();
        // The cotangent is about as accurate as a double.
        assert!(relative_error(&exact(&slope, radix), &expected) < 2e-16, "{n}");
    }
}

#[test]
fn rows_are_as_exact_as_those_of_rustfft() {
    let long = std::env::var_os("EARTH_LONG").map(|_| (2, 20));
    for (radix, levels) in [(2, 10), (2, 16), (3, 10)].into_iter().chain(long) {
        let n = usize::pow(radix, levels);
        let signal = noise::<f64>(n);
        is_as_exact_as_rustfft(&signal, &exact(&signal, radix));
        let narrow = noise::<f32>(n);
        let mut expected: Vec<_> =
            narrow.iter().map(|z| Complex::new(f64::from(z.re), f64::from(z.im))).collect();
        let wide = RustFft::<f64>::new(n);
        wide.forward(&mut expected, &mut wide.scratch());
        is_as_exact_as_rustfft(&narrow, &expected);
    }
}
