//! Cosine, sine, Hartley and half-complex transforms against sums by definition.

use std::f64::consts::PI;

use crate::common::{Array, Layout, lines};
use earth_axes::{AxesError, Axis, RealAxis, RealPlan, RealProblem, RealTransform};
use earth_fft::{Complex, Planner};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

const ALL: [RealTransform; 11] = [
    RealTransform::HalfComplex,
    RealTransform::FromHalfComplex,
    RealTransform::Hartley,
    RealTransform::Cosine1,
    RealTransform::Cosine2,
    RealTransform::Cosine3,
    RealTransform::Cosine4,
    RealTransform::Sine1,
    RealTransform::Sine2,
    RealTransform::Sine3,
    RealTransform::Sine4,
];

/// Returns number `k` of a transform by its definition in FFTW's manual.
fn defined(transform: RealTransform, x: &[f64], k: usize) -> f64 {
    let n = x.len();
    let sum = |from: usize, to: usize, of: &dyn Fn(f64) -> f64| -> f64 {
        (from..to).map(|j| x[j] * of(j as f64)).sum()
    };
    let (len, at) = (n as f64, k as f64);
    let sign = if k.is_multiple_of(2) { 1.0 } else { -1.0 };
    match transform {
        RealTransform::HalfComplex if 2 * k <= n => sum(0, n, &|j| (2.0 * PI * j * at / len).cos()),
        RealTransform::HalfComplex => sum(0, n, &|j| -(2.0 * PI * j * (len - at) / len).sin()),
        RealTransform::FromHalfComplex => {
            let mut all = x[0];
            for j in 1..=n / 2 {
                let turn = 2.0 * PI * (j * k % n) as f64 / len;
                all += if 2 * j == n {
                    x[j] * turn.cos()
                } else {
                    2.0 * (x[j] * turn.cos() - x[n - j] * turn.sin())
                };
            }
            all
        }
        RealTransform::Hartley => {
            sum(0, n, &|j| (2.0 * PI * j * at / len).cos() + (2.0 * PI * j * at / len).sin())
        }
        RealTransform::Cosine1 => {
            x[0] + sign * x[n - 1] + 2.0 * sum(1, n - 1, &|j| (PI * j * at / (len - 1.0)).cos())
        }
        RealTransform::Cosine2 => 2.0 * sum(0, n, &|j| (PI * (j + 0.5) * at / len).cos()),
        RealTransform::Cosine3 => x[0] + 2.0 * sum(1, n, &|j| (PI * j * (at + 0.5) / len).cos()),
        RealTransform::Cosine4 => 2.0 * sum(0, n, &|j| (PI * (j + 0.5) * (at + 0.5) / len).cos()),
        RealTransform::Sine1 => 2.0 * sum(0, n, &|j| (PI * (j + 1.0) * (at + 1.0) / (len + 1.0)).sin()),
        RealTransform::Sine2 => 2.0 * sum(0, n, &|j| (PI * (j + 0.5) * (at + 1.0) / len).sin()),
        RealTransform::Sine3 => {
            sign * x[n - 1] + 2.0 * sum(0, n - 1, &|j| (PI * (j + 1.0) * (at + 0.5) / len).sin())
        }
        RealTransform::Sine4 => 2.0 * sum(0, n, &|j| (PI * (j + 0.5) * (at + 0.5) / len).sin()),
    }
}

/// Transforms along the first axes by definition.
fn transformed(array: &Array, transforms: &[RealTransform]) -> Array {
    let mut found = array.clone();
    for (axis, transform) in transforms.iter().enumerate() {
        for line in lines(&array.lengths, axis) {
            let x: Vec<_> = line.iter().map(|at| found.values[*at].re).collect();
            for (k, at) in line.iter().enumerate() {
                found.values[*at] = Complex::from(defined(*transform, &x, k));
            }
        }
    }
    found
}

fn error(found: &[f64], wanted: &[f64]) -> f64 {
    let most = wanted.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
    found.iter().zip(wanted).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs())) / most
}

#[test]
fn lines_of_every_length() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for transform in ALL {
        for n in (1..20).chain([31, 32, 45, 64, 97, 100]) {
            if transform == RealTransform::Cosine1 && n == 1 {
                continue;
            }
            let mut line: Vec<f64> = (0..n).map(|_| rng.random_range(-1.0..1.0)).collect();
            let wanted: Vec<_> = (0..n).map(|k| defined(transform, &line, k)).collect();
            let axis = RealAxis { axis: Axis::new(n, 1, 1), transform };
            let plan = RealPlan::<f64>::new(&Planner::new(), &RealProblem::new(&[axis], &[]).in_place());
            plan.unwrap().in_place(&mut line).unwrap();
            assert!(error(&line, &wanted) < 1e-13, "{transform:?} of {n}: {line:?} {wanted:?}");
        }
    }
}

#[test]
fn single_precision() {
    for transform in ALL {
        let x: Vec<f64> = (0..15).map(|j| f64::from(j * j % 7)).collect();
        let axis = RealAxis { axis: Axis::new(15, 1, 1), transform };
        let plan = RealPlan::<f32>::new(&Planner::new(), &RealProblem::new(&[axis], &[])).unwrap();
        let single: Vec<_> = x.iter().map(|x| *x as f32).collect();
        let mut found = vec![0.0_f32; 15];
        plan.out_of_place(&single[..], &mut found[..]).unwrap();
        let found: Vec<_> = found.into_iter().map(f64::from).collect();
        let wanted: Vec<_> = (0..15).map(|k| defined(transform, &x, k)).collect();
        assert!(error(&found, &wanted) < 2e-6, "{transform:?}");
    }
}

#[test]
fn a_transform_and_its_inverse_multiply_by_the_period() {
    use RealTransform::{
        Cosine1, Cosine2, Cosine3, Cosine4, FromHalfComplex, HalfComplex, Hartley, Sine1, Sine2, Sine3, Sine4,
    };
    let pairs = [
        (HalfComplex, FromHalfComplex),
        (Hartley, Hartley),
        (Cosine1, Cosine1),
        (Cosine2, Cosine3),
        (Cosine4, Cosine4),
        (Sine1, Sine1),
        (Sine2, Sine3),
        (Sine4, Sine4),
    ];
    for (there, back) in pairs {
        let x: Vec<f64> = (0..12).map(|j| f64::from(j * j % 5)).collect();
        let mut line = x.clone();
        for transform in [there, back] {
            let axis = RealAxis { axis: Axis::new(12, 1, 1), transform };
            let plan = RealPlan::<f64>::new(&Planner::new(), &RealProblem::new(&[axis], &[])).unwrap();
            plan.in_place(&mut line).unwrap();
        }
        let period = there.period(12) as f64;
        let wanted: Vec<_> = x.iter().map(|x| x * period).collect();
        assert!(error(&line, &wanted) < 1e-13, "{there:?}");
    }
}

#[test]
fn axes_of_any_array() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
    for _ in 0..300 {
        let (rank, repeated) = (rng.random_range(0..4), rng.random_range(0..3));
        let lengths: Vec<_> = (0..rank + repeated).map(|_| rng.random_range(2..6)).collect();
        let transforms: Vec<_> = (0..rank).map(|_| ALL[rng.random_range(0..ALL.len())]).collect();
        let values = Array::numbers(&lengths, &mut rng);
        let wanted = transformed(&values, &transforms);
        let input = Layout::random(&lengths, &mut rng);
        let in_place: bool = rng.random();
        let output =
            if in_place && rng.random() { input.clone() } else { Layout::random(&lengths, &mut rng) };
        let axis = |at: usize| Axis::new(lengths[at], input.strides[at], output.strides[at]);
        let transformed: Vec<_> =
            (0..rank).map(|at| RealAxis { axis: axis(at), transform: transforms[at] }).collect();
        let repeated: Vec<_> = (rank..lengths.len()).map(axis).collect();
        let problem = RealProblem::new(&transformed, &repeated);
        let problem = if in_place { problem.in_place() } else { problem };
        let plan = RealPlan::<f64>::new(&Planner::new(), &problem).unwrap();
        let found = if in_place {
            let whole = plan.extent_in_place();
            let mut data = vec![0.5; whole.span];
            input.fill_numbers(whole.origin, &values, &mut data);
            plan.in_place(&mut data).unwrap();
            output.read(whole.origin, &lengths, &data)
        } else {
            let mut found = output.gaps_of_numbers();
            plan.out_of_place(&input.filled_numbers(&values)[..], &mut found[..]).unwrap();
            assert!(error(&found, &output.filled_numbers(&wanted)) < 1e-13, "gaps stay");
            output.read(output.extent().origin, &lengths, &found)
        };
        let wanted: Vec<_> = wanted.values.iter().map(|value| value.re).collect();
        assert!(error(&found, &wanted) < 1e-13, "{problem:?}");
    }
}

#[test]
fn bad_problems_are_refused() {
    let plan = |length, transform, repeated: &[Axis]| {
        let axis = RealAxis { axis: Axis::new(length, 1, 1), transform };
        RealPlan::<f64>::new(&Planner::new(), &RealProblem::new(&[axis], repeated)).map(|_| ())
    };
    assert_eq!(plan(0, RealTransform::Cosine2, &[]).unwrap_err(), AxesError::NoElements);
    let one = plan(1, RealTransform::Cosine1, &[]).unwrap_err();
    assert_eq!(one.to_string(), "a cosine transform 1 of 1 numbers does not exist");
    assert_eq!(plan(4, RealTransform::Sine2, &[Axis::new(2, 4, 1)]).unwrap_err(), AxesError::Overlap);
}
