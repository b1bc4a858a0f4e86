//! Laws that transforms of any size obey under every planner: linearity, shifts, impulses, Parseval's
//! equation, equality of real and complex transforms, and the inverse. Problems, kernels and nodes are
//! random.

use std::num::NonZeroUsize;

use earth_fft::{Complex, Direction, Kernel, Norm, Planner, Precision, Problem};
use earth_kernels::{bound, relative_error, twiddle};
use earth_tests::noise;
use proptest::prelude::*;

use super::product::{NORMS, as_points, factor};

/// One transform and its planner's settings.
#[derive(Clone, Debug)]
struct Case {
    lengths: Vec<usize>,
    kernel: Kernel,
    nodes: usize,
    norm: Norm,
    seed: usize,
}

fn wide<T: Precision>(x: Complex<T>) -> Complex<f64> {
    Complex::new(x.re.widen(), x.im.widen())
}

fn energy<T: Precision>(points: &[Complex<T>]) -> f64 {
    points.iter().map(|x| wide(*x).norm_sqr()).sum()
}

impl Case {
    fn planner(&self) -> Planner {
        earth_papers::planner().kernel(self.kernel.clone()).nodes(NonZeroUsize::new(self.nodes).unwrap())
    }

    fn points(&self) -> usize {
        self.lengths.iter().product()
    }

    fn complex<T: Precision>(&self, direction: Direction, points: &[Complex<T>]) -> Vec<Complex<T>> {
        let problem = Problem::complex(&self.lengths).direction(direction).norm(self.norm);
        let mut points = points.to_vec();
        self.planner().plan(&problem).unwrap().process(&mut points).unwrap();
        points
    }

    fn forward<T: Precision>(&self, numbers: &[T]) -> Vec<Complex<T>> {
        let problem = Problem::real_to_complex(&self.lengths).norm(self.norm);
        let mut half = self.half(&vec![Complex::from(T::zero()); self.points()]);
        self.planner().plan_real_to_complex(&problem).unwrap().process(numbers, &mut half).unwrap();
        half
    }

    fn back<T: Precision>(&self, mut half: Vec<Complex<T>>) -> Vec<T> {
        let problem = Problem::complex_to_real(&self.lengths).norm(self.norm);
        let mut numbers = vec![T::zero(); self.points()];
        self.planner().plan_complex_to_real(&problem).unwrap().process(&mut half, &mut numbers).unwrap();
        numbers
    }

    /// Returns the first half of the points of each line of a whole spectrum.
    fn half<A: Copy>(&self, whole: &[A]) -> Vec<A> {
        let last = self.lengths[self.lengths.len() - 1];
        whole.chunks(last).flat_map(|line| &line[..=last / 2]).copied().collect()
    }

    /// Shifts all points cyclically by the seed, in each dimension.
    fn moved<A: Copy>(&self, points: &[A]) -> Vec<A> {
        let mut moved = points.to_vec();
        for (at, x) in points.iter().enumerate() {
            let (mut rest, mut to, mut stride) = (at, 0, 1);
            for n in self.lengths.iter().rev() {
                to += (rest % n + self.seed) % n * stride;
                rest /= n;
                stride *= n;
            }
            moved[to] = *x;
        }
        moved
    }

    /// Returns the factors that a [shift](Self::moved) of the signal puts on the points of the spectrum.
    fn turns(&self, direction: Direction) -> Vec<Complex<f64>> {
        let turn = |at: usize| {
            let (mut rest, mut turn) = (at, Complex::from(1.0));
            for &n in self.lengths.iter().rev() {
                turn *= twiddle::<f64>(rest % n * self.seed, n);
                rest /= n;
            }
            if direction == Direction::Forward { turn } else { turn.conj() }
        };
        (0..self.points()).map(turn).collect()
    }

    /// Checks that both are equal up to the rounding errors of two transforms.
    fn near<T: Precision>(
        &self,
        found: &[Complex<T>],
        expected: &[Complex<f64>],
    ) -> Result<(), TestCaseError> {
        let error = relative_error(found, expected);
        prop_assert!(error <= 2.0 * bound::<T>(self.points()), "{}, {error}", T::NAME);
        Ok(())
    }

    fn obeys<T: Precision>(&self) -> Result<(), TestCaseError> {
        let [a, b] = [0, 1].map(|which| noise::<T>(self.points(), (2 * self.seed + which) as u64));
        for direction in earth_tests::BOTH {
            let transformed = self.complex(direction, &a);
            let weight = Complex::new(T::of(0.5), T::of(-2.0));
            let sum: Vec<_> = a.iter().zip(&b).map(|(a, b)| a * weight + b).collect();
            let both = transformed.iter().zip(self.complex(direction, &b));
            let both: Vec<_> = both.map(|(a, b)| wide(*a) * wide(weight) + wide(b)).collect();
            self.near(&self.complex(direction, &sum), &both)?;

            let turned: Vec<_> =
                transformed.iter().zip(self.turns(direction)).map(|(x, turn)| wide(*x) * turn).collect();
            self.near(&self.complex(direction, &self.moved(&a)), &turned)?;

            let factor = factor(self.norm, direction, self.points());
            let mut impulse = vec![Complex::from(T::zero()); self.points()];
            impulse[0] = Complex::from(T::one());
            let waves: Vec<_> = self.turns(direction).into_iter().map(|turn| turn * factor).collect();
            self.near(&self.complex(direction, &self.moved(&impulse)), &waves)?;

            let ratio = energy(&transformed) / (energy(&a) * self.points() as f64 * factor * factor);
            // A square has twice the relative error.
            prop_assert!((ratio - 1.0).abs() <= 2.0 * bound::<T>(self.points()), "{ratio}");
        }
        let numbers: Vec<T> = a.iter().map(|x| x.re).collect();
        let whole: Vec<_> =
            self.complex(Direction::Forward, &as_points(&numbers)).into_iter().map(wide).collect();
        let half = self.forward(&numbers);
        self.near(&half, &self.half(&whole))?;
        let numbers: Vec<_> = numbers.into_iter().map(|x| Complex::from(x.widen())).collect();
        self.near(&as_points(&self.back(half)), &numbers)
    }
}

fn cases() -> impl Strategy<Value = Case> {
    let lengths = prop_oneof![
        proptest::collection::vec(1_usize..=3000, 1),
        proptest::collection::vec(1_usize..=100, 2),
        proptest::collection::vec(1_usize..=20, 3),
    ];
    let kernel = proptest::sample::select(vec![Kernel::Earth, Kernel::RustFft]);
    (lengths, kernel, 1_usize..=2, proptest::sample::select(NORMS.to_vec()), 0_usize..1000)
        .prop_map(|(lengths, kernel, nodes, norm, seed)| Case { lengths, kernel, nodes, norm, seed })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_problem_obeys_them(case in cases()) {
        case.obeys::<f64>()?;
        case.obeys::<f32>()?;
    }
}
