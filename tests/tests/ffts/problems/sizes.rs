//! Every length of a series, every pair of lengths of a matrix, and three lengths in all orders. Complex
//! transforms in both directions, real transforms and back, in both precisions.

use std::collections::HashMap;

use earth_fft::{Complex, Direction, Norm, Planner, Precision, Problem};

use super::product::{Line, NORMS, as_points, check, factor, narrow, product, real_parts};

/// Complex and real lines by length, computed on demand.
#[derive(Default)]
struct Lines(HashMap<usize, [Line; 2]>);

impl Lines {
    fn of(&mut self, lengths: &[usize]) -> [Vec<Line>; 2] {
        let mut of = |which: usize| -> Vec<_> {
            let lines = &mut self.0;
            let line = |n| lines.entry(n).or_insert_with(|| [Line::complex(n), Line::real(n)])[which].clone();
            lengths.iter().copied().map(line).collect()
        };
        [of(0), of(1)]
    }

    /// Checks the transforms of one shape against the products of its lines.
    fn check<T: Precision>(
        &mut self,
        planner: &Planner,
        lengths: &[usize],
        direction: Direction,
        norm: Norm,
    ) {
        let (points, last) = (lengths.iter().product(), lengths[lengths.len() - 1]);
        let [complex, real] = self.of(lengths);

        let problem = Problem::complex(lengths).direction(direction).norm(norm);
        let plan = planner.plan::<T>(&problem).unwrap();
        let mut here = narrow::<T>(&product(complex.iter().map(|line| &line.points), last));
        plan.process(&mut here).unwrap();
        let expected = match direction {
            Direction::Forward => product(complex.iter().map(|line| &line.forward), last),
            Direction::Inverse => product(complex.iter().map(|line| &line.inverse), last),
        };
        check(&plan, points, &here, &expected, factor(norm, direction, points));

        let signal = product(real.iter().map(|line| &line.points), last);
        let spectrum = product(real.iter().map(|line| &line.forward), last / 2 + 1);
        let plan = planner.plan_real_to_complex::<T>(&Problem::real_to_complex(lengths).norm(norm)).unwrap();
        let mut half = vec![Complex::from(T::of(9.0)); spectrum.len()];
        plan.process(&real_parts::<T>(&signal), &mut half).unwrap();
        check(&plan, points, &half, &spectrum, factor(norm, Direction::Forward, points));

        let plan = planner.plan_complex_to_real::<T>(&Problem::complex_to_real(lengths).norm(norm)).unwrap();
        let mut back = vec![T::of(9.0); points];
        plan.process(&mut narrow::<T>(&spectrum), &mut back).unwrap();
        check(
            &plan,
            points,
            &as_points(&back),
            &signal,
            points as f64 * factor(norm, Direction::Inverse, points),
        );
    }

    /// Checks both precisions.
    fn check_both(&mut self, planner: &Planner, lengths: &[usize], turn: usize) {
        let [one, other] = if turn.is_multiple_of(2) {
            [Direction::Forward, Direction::Inverse]
        } else {
            [Direction::Inverse, Direction::Forward]
        };
        self.check::<f64>(planner, lengths, one, NORMS[turn % 3]);
        self.check::<f32>(planner, lengths, other, NORMS[(turn + 1) % 3]);
    }
}

#[test]
fn series_of_every_length_and_of_long_ones() {
    let (mut lines, planner) = (Lines::default(), earth_papers::planner());
    let powers = [2_usize, 3, 5, 7, 11, 13]
        .into_iter()
        .flat_map(|p| (1..).map(move |e| p.pow(e)).take_while(|n| *n < 1200));
    let primes = [67, 71, 97, 101, 127, 257, 509, 521, 1009, 1021];
    for n in (1..=64).chain(powers).chain(primes) {
        for turn in 0..6 {
            lines.check_both(&planner, &[n], turn);
        }
    }
}

#[test]
fn matrices_of_every_pair_of_lengths() {
    let (mut lines, planner) = (Lines::default(), earth_papers::planner());
    for rows in 1..=40 {
        for cols in 1..=40 {
            lines.check_both(&planner, &[rows, cols], rows + cols / 3);
        }
    }
}

/// Tests lengths of 1 in each dimension, and other lengths in all orders.
#[test]
fn solids_of_lengths_in_all_orders() {
    let (mut lines, planner) = (Lines::default(), earth_papers::planner());
    for n in 1..=64 {
        let (m, k) = (1 + (n * 29 + 7) % 64, 1 + (n * 11 + 3) % 16);
        let few = 1 + n % 5;
        for lengths in [[1, n, m], [n, 1, m], [n, m, 1], [1, 1, n], [n, few, k], [k, n, few], [few, k, n]] {
            lines.check_both(&planner, &lengths, n);
        }
    }
}
