//! Properties of complex and real transforms: linearity, shifts, impulses, Parseval's equation, inversion,
//! and equality of real and complex results. The problems are random, up to some ten thousand points, where
//! the definition takes too long.

use crate::common::{Of, elsewhere, noise};
use earth_kernels::{Direction, Real, bound, relative_error, twiddle};
use earth_serial::{ComplexPlan, RealPlan, Shape};
use num_complex::Complex;
use proptest::prelude::*;

/// Transform without gaps, and its kernels.
#[derive(Clone, Debug)]
struct Problem {
    lengths: Vec<usize>,
    of: Of,
    direction: Direction,
    seed: usize,
}

impl Problem {
    fn points(&self) -> usize {
        self.lengths.iter().product()
    }

    fn complex<T: Real>(&self, input: &[Complex<T>]) -> Vec<Complex<T>> {
        let shape = Shape::new(&self.lengths);
        let plan = ComplexPlan::new(&shape, &shape.contiguous(), &shape.contiguous(), &self.of).unwrap();
        let (mut output, mut scratch) = (input.to_vec(), vec![elsewhere(); plan.scratch_len()]);
        plan.process(self.direction, T::one(), &mut output, &mut scratch).unwrap();
        output
    }

    fn forward<T: Real>(&self, input: &[T]) -> Vec<Complex<T>> {
        let (shape, last) = (Shape::new(&self.lengths), self.lengths[self.lengths.len() - 1]);
        let plan =
            RealPlan::new(Direction::Forward, &shape, &shape.contiguous(), &shape.spectrum(), &self.of)
                .unwrap();
        let mut output = vec![elsewhere(); self.points() / last * (last / 2 + 1)];
        plan.forward(T::one(), input, &mut output, &mut vec![elsewhere(); plan.scratch_len()]).unwrap();
        output
    }

    fn inverse<T: Real>(&self, mut input: Vec<Complex<T>>) -> Vec<T> {
        let shape = Shape::new(&self.lengths);
        let plan =
            RealPlan::new(Direction::Inverse, &shape, &shape.spectrum(), &shape.contiguous(), &self.of)
                .unwrap();
        let mut output = vec![T::zero(); self.points()];
        let factor = T::of(1.0 / self.points() as f64);
        plan.inverse(factor, &mut input, &mut output, &mut vec![elsewhere(); plan.scratch_len()]).unwrap();
        output
    }

    /// Returns the first points of each line of a whole spectrum.
    fn half<T: Copy>(&self, whole: &[T]) -> Vec<T> {
        let last = self.lengths[self.lengths.len() - 1];
        whole.chunks(last).flat_map(|line| &line[..=last / 2]).copied().collect()
    }

    /// Returns the index of a point after a cyclic shift by `by` in each dimension.
    fn moved(&self, mut at: usize, by: usize) -> usize {
        let (mut moved, mut stride) = (0, 1);
        for n in self.lengths.iter().rev() {
            moved += (at % n + by) % n * stride;
            at /= n;
            stride *= n;
        }
        moved
    }

    /// Returns the factor of a point of the spectrum for a cyclic shift of the signal by `by` in each
    /// dimension.
    fn turn(&self, mut at: usize, by: usize) -> Complex<f64> {
        let mut turn = Complex::new(1.0, 0.0);
        for &n in self.lengths.iter().rev() {
            turn *= twiddle::<f64>(at % n * by, n);
            at /= n;
        }
        if self.direction == Direction::Forward { turn } else { turn.conj() }
    }
}

fn problem() -> impl Strategy<Value = Problem> {
    let lengths = prop_oneof![
        proptest::collection::vec(1_usize..=5000, 1),
        proptest::collection::vec(1_usize..=120, 2),
        proptest::collection::vec(1_usize..=24, 3),
    ];
    let direction = prop_oneof![Just(Direction::Forward), Just(Direction::Inverse)];
    // All kernels except the definition.
    let kernels = proptest::sample::select(Of::all().split_off(1));
    (lengths, kernels, direction, 0_usize..1000).prop_map(|(lengths, of, direction, seed)| Problem {
        lengths,
        of,
        direction,
        seed,
    })
}

fn wide<T: Real>(x: Complex<T>) -> Complex<f64> {
    Complex::new(x.re.widen(), x.im.widen())
}

/// Returns a signal of noise, different for each seed and each `which`.
fn signal<T: Real>(problem: &Problem, which: usize) -> Vec<Complex<T>> {
    noise(problem.points() + 10_000 * which + problem.seed)[..problem.points()].to_vec()
}

fn real<T: Real>(points: &[Complex<T>]) -> Vec<T> {
    points.iter().map(|x| x.re).collect()
}

/// Returns the sum of squares in double precision.
fn energy<T: Real>(points: &[Complex<T>]) -> f64 {
    points.iter().map(|x| wide(*x).norm_sqr()).sum()
}

/// Checks that both are equal up to the rounding errors of two transforms.
fn near<T: Real>(
    found: &[Complex<T>],
    expected: &[Complex<f64>],
    problem: &Problem,
) -> Result<(), TestCaseError> {
    let error = relative_error(found, expected);
    prop_assert!(error <= 2.0 * bound::<T>(problem.points()), "{}, {error}", T::NAME);
    Ok(())
}

fn linearity<T: Real>(problem: &Problem) -> Result<(), TestCaseError> {
    let (a, b) = (signal::<T>(problem, 0), signal::<T>(problem, 1));
    let factor = Complex::new(T::of(0.5), T::of(-2.0));
    let sum: Vec<_> = a.iter().zip(&b).map(|(a, b)| a * factor + b).collect();
    let [a, b, sum] = [a, b, sum].map(|signal| problem.complex(&signal));
    let expected: Vec<_> = a.iter().zip(&b).map(|(a, b)| wide(*a) * wide(factor) + wide(*b)).collect();
    near(&sum, &expected, problem)?;

    let (a, b) = (real(&signal::<T>(problem, 0)), real(&signal::<T>(problem, 1)));
    let sum: Vec<_> = a.iter().zip(&b).map(|(a, b)| *a * factor.im + *b).collect();
    let [a, b, sum] = [a, b, sum].map(|signal| problem.forward(&signal));
    let expected: Vec<_> = a.iter().zip(&b).map(|(a, b)| wide(*a) * factor.im.widen() + wide(*b)).collect();
    near(&sum, &expected, problem)
}

fn shift<T: Real>(problem: &Problem) -> Result<(), TestCaseError> {
    let signal = signal::<T>(problem, 0);
    let mut moved = signal.clone();
    signal.iter().enumerate().for_each(|(at, x)| moved[problem.moved(at, problem.seed)] = *x);
    let turned = |spectrum: &[Complex<T>], of: &Problem| -> Vec<_> {
        let turns: Vec<_> = (0..of.points()).map(|at| of.turn(at, of.seed)).collect();
        let turns = if spectrum.len() == turns.len() { turns } else { of.half(&turns) };
        spectrum.iter().zip(turns).map(|(x, turn)| wide(*x) * turn).collect()
    };
    near(&problem.complex(&moved), &turned(&problem.complex(&signal), problem), problem)?;
    let forward = Problem { direction: Direction::Forward, ..problem.clone() };
    let (signal, moved) = (real(&signal), real(&moved));
    near(&problem.forward(&moved), &turned(&problem.forward(&signal), &forward), problem)
}

fn impulse<T: Real>(problem: &Problem) -> Result<(), TestCaseError> {
    let mut signal = vec![Complex::new(T::zero(), T::zero()); problem.points()];
    signal[problem.moved(0, problem.seed)].re = T::one();
    let turns = |of: &Problem| (0..of.points()).map(|at| of.turn(at, of.seed)).collect::<Vec<_>>();
    near(&problem.complex(&signal), &turns(problem), problem)?;
    let forward = Problem { direction: Direction::Forward, ..problem.clone() };
    near(&problem.forward(&real(&signal)), &forward.half(&turns(&forward)), problem)
}

/// The sum of squares of a spectrum is that of the signal times the number of points. For real signals,
/// points with an omitted mirror image count twice.
fn parseval<T: Real>(problem: &Problem) -> Result<(), TestCaseError> {
    let (signal, n) = (signal::<T>(problem, 0), problem.points() as f64);
    let last = problem.lengths[problem.lengths.len() - 1];
    let equal = |found: f64, expected: f64| {
        // A square has twice the relative error.
        let error = (found / expected - 1.0).abs();
        prop_assert!(error <= 2.0 * bound::<T>(problem.points()), "{}, {error}", T::NAME);
        Ok(())
    };
    equal(energy(&problem.complex(&signal)), n * energy(&signal))?;
    let numbers = real(&signal);
    let lines = problem.forward(&numbers);
    let twice = |line: &[Complex<T>]| 2.0 * energy(&line[1..last.div_ceil(2)]);
    let once = |line: &[Complex<T>]| {
        energy(&line[..1]) + if last.is_multiple_of(2) { energy(&line[last / 2..]) } else { 0.0 }
    };
    let found = lines.chunks(last / 2 + 1).map(|line| once(line) + twice(line)).sum();
    equal(found, n * numbers.iter().map(|x| x.widen() * x.widen()).sum::<f64>())
}

fn real_and_complex_agree<T: Real>(problem: &Problem) -> Result<(), TestCaseError> {
    let numbers = real(&signal::<T>(problem, 0));
    let points: Vec<_> = numbers.iter().map(|x| Complex::new(*x, T::zero())).collect();
    let forward = Problem { direction: Direction::Forward, ..problem.clone() };
    let spectrum = problem.forward(&numbers);
    let whole: Vec<_> = forward.complex(&points).into_iter().map(wide).collect();
    near(&spectrum, &forward.half(&whole), problem)?;
    let back: Vec<_> = problem.inverse(spectrum).into_iter().map(|x| Complex::new(x, T::zero())).collect();
    near(&back, &points.into_iter().map(wide).collect::<Vec<_>>(), problem)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn transforms_are_linear(problem in problem()) {
        linearity::<f64>(&problem)?;
        linearity::<f32>(&problem)?;
    }

    #[test]
    fn a_shift_turns_the_spectrum(problem in problem()) {
        shift::<f64>(&problem)?;
        shift::<f32>(&problem)?;
    }

    #[test]
    fn the_spectrum_of_an_impulse_is_a_wave(problem in problem()) {
        impulse::<f64>(&problem)?;
        impulse::<f32>(&problem)?;
    }

    #[test]
    fn the_squares_of_signal_and_spectrum_are_equal(problem in problem()) {
        parseval::<f64>(&problem)?;
        parseval::<f32>(&problem)?;
    }

    #[test]
    fn real_transforms_are_halves_of_complex_ones_and_go_back(problem in problem()) {
        real_and_complex_agree::<f64>(&problem)?;
        real_and_complex_agree::<f32>(&problem)?;
    }
}
