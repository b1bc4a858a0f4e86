//! All orders of the axes of a batch, with any gaps, from one layout to another. Elements that belong to no
//! transform stay unchanged.

use earth_fft::{Complex, Direction, Layout, Precision, Problem};
use proptest::prelude::*;

use super::product::{Line, NORMS, as_points, check, factor, narrow, product, real_parts};

/// A batch, and the axes of two arrays: their order, from the innermost to the outermost, and their gaps.
#[derive(Clone, Debug)]
struct Case {
    lengths: Vec<usize>,
    batch: usize,
    /// Numbers of dimensions; 3 is the batch.
    orders: [[usize; 4]; 2],
    gaps: [[usize; 4]; 2],
    turn: usize,
}

impl Case {
    /// Returns the layout of an array whose last dimension has `last` elements, and the position of each
    /// element.
    fn layout(&self, array: usize, last: usize) -> (Layout, Vec<usize>) {
        let mut counts = self.lengths.clone();
        *counts.last_mut().unwrap() = last;
        let mut layout = Layout { strides: vec![0; counts.len()], distance: 0 };
        let mut next = 1;
        for axis in self.orders[array].into_iter().filter(|&axis| axis == 3 || axis < counts.len()) {
            let stride = next + self.gaps[array][axis];
            let (count, to) = match axis {
                3 => (self.batch, &mut layout.distance),
                axis => (counts[axis], &mut layout.strides[axis]),
            };
            *to = stride;
            next = stride * count;
        }
        let axes =
            [(self.batch, layout.distance)].into_iter().chain(counts.into_iter().zip(layout.strides.clone()));
        let places = axes.fold(vec![0], |places, (count, stride)| {
            places.iter().flat_map(|at| (0..count).map(move |i| at + i * stride)).collect()
        });
        (layout, places)
    }

    fn lines(&self, line: impl Fn(usize) -> Line) -> Vec<Line> {
        let batch = if self.batch == 1 { Vec::new() } else { vec![Line::batch(self.batch)] };
        batch.into_iter().chain(self.lengths.iter().map(|n| line(*n))).collect()
    }
}

/// Puts values at positions of an array and fills the other elements with `beside`. An array with gaps ends
/// with a gap.
fn put<A: Copy>(values: &[A], places: &[usize], beside: A) -> Vec<A> {
    let span = places.iter().max().unwrap() + 1;
    let mut array = vec![beside; span + usize::from(places.len() < span)];
    values.iter().zip(places).for_each(|(value, at)| array[*at] = *value);
    array
}

/// Returns the elements at positions of an array, and checks that all others are still `beside`.
fn take<A: Copy + PartialEq + std::fmt::Debug>(array: &[A], places: &[usize], beside: A) -> Vec<A> {
    let mut rest = array.to_vec();
    for at in places {
        rest[*at] = beside;
    }
    assert_eq!(rest, vec![beside; rest.len()]);
    places.iter().map(|at| array[*at]).collect()
}

fn complex<T: Precision>(case: &Case) {
    let (planner, last) = (earth_papers::planner(), case.lengths[case.lengths.len() - 1]);
    let (points, norm, beside) =
        (case.lengths.iter().product(), NORMS[case.turn % 3], Complex::from(T::of(1e30)));
    let [(input, from), (output, to)] = [0, 1].map(|array| case.layout(array, last));
    let lines = case.lines(Line::complex);
    let signal = narrow::<T>(&product(lines.iter().map(|line| &line.points), last));
    let expected = product(lines.iter().map(|line| &line.inverse), last);
    let factor = factor(norm, Direction::Inverse, points);
    let problem = Problem::complex(&case.lengths)
        .batch(case.batch)
        .direction(Direction::Inverse)
        .norm(norm)
        .input(input.clone());

    let plan = planner.plan::<T>(&problem.clone().output(output)).unwrap();
    let mut found = put(&vec![beside; to.len()], &to, beside);
    plan.process_out_of_place(&put(&signal, &from, beside), &mut found).unwrap();
    check(&plan, points, &take(&found, &to, beside), &expected, factor);

    let plan = planner.plan::<T>(&problem.layout(input)).unwrap();
    let mut found = put(&signal, &from, beside);
    plan.process(&mut found).unwrap();
    check(&plan, points, &take(&found, &from, beside), &expected, factor);
}

fn real<T: Precision>(case: &Case) {
    let (planner, last) = (earth_papers::planner(), case.lengths[case.lengths.len() - 1]);
    let (points, norm) = (case.lengths.iter().product(), NORMS[case.turn % 3]);
    let (number, point) = (T::of(1e30), Complex::from(T::of(1e30)));
    let [(numbers, at), (half, to)] = [case.layout(0, last), case.layout(1, last / 2 + 1)];
    let lines = case.lines(Line::real);
    let of = |pick: fn(&Line) -> &Vec<Complex<f64>>, last| product(lines.iter().map(pick), last);
    let (signal, spectrum) = (of(|line| &line.points, last), of(|line| &line.forward, last / 2 + 1));

    let problem = Problem::real_to_complex(&case.lengths).batch(case.batch).norm(norm);
    let plan =
        planner.plan_real_to_complex::<T>(&problem.input(numbers.clone()).output(half.clone())).unwrap();
    let mut found = put(&vec![point; to.len()], &to, point);
    plan.process(&put(&real_parts(&signal), &at, number), &mut found).unwrap();
    check(&plan, points, &take(&found, &to, point), &spectrum, factor(norm, Direction::Forward, points));

    let problem = Problem::complex_to_real(&case.lengths).batch(case.batch).norm(norm);
    let plan = planner.plan_complex_to_real::<T>(&problem.input(half).output(numbers)).unwrap();
    let mut found = put(&vec![number; at.len()], &at, number);
    plan.process(&mut put(&narrow(&spectrum), &to, point), &mut found).unwrap();
    let scale = points as f64 * factor(norm, Direction::Inverse, points);
    check(&plan, points, &as_points(&take(&found, &at, number)), &signal, scale);
}

/// Tests real numbers and points in one array, in FFTW's padded layout.
fn padded<T: Precision>(case: &Case) {
    let (planner, last) = (earth_papers::planner(), case.lengths[case.lengths.len() - 1]);
    let (points, norm, row) =
        (case.lengths.iter().product::<usize>(), NORMS[case.turn % 3], 2 * (last / 2 + 1));
    let lines: Vec<_> = case.lengths.iter().map(|n| Line::real(*n)).collect();
    let signal = product(lines.iter().map(|line| &line.points), last);
    let spectrum = product(lines.iter().map(|line| &line.forward), last / 2 + 1);
    let rows: Vec<T> = real_parts(&signal);
    let rows =
        rows.chunks(last).flat_map(|numbers| numbers.iter().copied().chain(vec![T::of(1e30); row - last]));
    let mut data: Vec<T> = std::iter::repeat_n(rows.collect::<Vec<_>>(), case.batch).flatten().collect();

    let problem = Problem::real_to_complex(&case.lengths).padded().batch(case.batch).norm(norm);
    let plan = planner.plan_real_to_complex::<T>(&problem).unwrap();
    plan.process_padded(&mut data).unwrap();
    for found in data.chunks(2 * spectrum.len()) {
        let found: Vec<_> = found.chunks(2).map(|x| Complex::new(x[0], x[1])).collect();
        check(&plan, points, &found, &spectrum, factor(norm, Direction::Forward, points));
    }
    let problem = Problem::complex_to_real(&case.lengths).batch(case.batch).norm(norm).padded();
    let plan = planner.plan_complex_to_real::<T>(&problem).unwrap();
    plan.process_padded(&mut data).unwrap();
    for found in data.chunks(2 * spectrum.len()) {
        let found: Vec<_> = found.chunks(row).flat_map(|row| &row[..last]).copied().collect();
        check(&plan, 2 * points, &as_points(&found), &signal, 1.0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn axes_in_any_order_with_gaps(
        lengths in proptest::collection::vec(1_usize..=12, 1..=3),
        batch in 1_usize..=5,
        orders in proptest::array::uniform2(Just([0, 1, 2, 3]).prop_shuffle()),
        gaps in proptest::array::uniform2(proptest::array::uniform4(0_usize..4)),
        turn in 0_usize..3,
    ) {
        let case = Case { lengths, batch, orders, gaps, turn };
        complex::<f64>(&case);
        complex::<f32>(&case);
        real::<f64>(&case);
        real::<f32>(&case);
        padded::<f64>(&case);
        padded::<f32>(&case);
    }
}
