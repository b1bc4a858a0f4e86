//! Real transforms of all shapes and layouts, compared with the definition, by several kernels.

use crate::common::{Of, elsewhere, expected, noise, places, room};
use earth_kernels::{Direction, Real, bound, relative_error};
use earth_serial::{Array, CallError, Layout, RealPlan, Shape};
use num_complex::Complex;
use proptest::prelude::*;
use snapbox::{assert_data_eq, str};

/// Converts real numbers to points.
fn points<T: Real>(numbers: &[T]) -> Vec<Complex<T>> {
    numbers.iter().map(|x| Complex::new(*x, T::zero())).collect()
}

/// Returns `n` real numbers in -1..1, determined by `n`.
fn numbers<T: Real>(n: usize) -> Vec<T> {
    noise::<T>(n).into_iter().map(|x| x.re).collect()
}

/// Marker element that no transform of noise returns.
fn beside<T: Real>() -> T {
    elsewhere::<T>().re
}

/// Returns the first half of each spectrum by the definition, times `factor`.
fn half_spectrum<T: Real>(shape: &Shape, numbers: &[T], factor: f64) -> Vec<Complex<f64>> {
    let last = *shape.lengths.last().unwrap();
    let whole = expected(shape, &points(numbers), Direction::Forward);
    whole.chunks(last).flat_map(|line| &line[..=last / 2]).map(|x| x * factor).collect()
}

fn narrow<T: Real>(x: Complex<f64>) -> Complex<T> {
    Complex::new(T::of(x.re), T::of(x.im))
}

/// Returns the elements at some positions, and the array with these elements replaced by `other`.
fn picked<T: Copy>(array: &[T], at: &[usize], other: T) -> (Vec<T>, Vec<T>) {
    let mut rest = array.to_vec();
    for &at in at {
        rest[at] = other;
    }
    (at.iter().map(|at| array[*at]).collect(), rest)
}

/// Transforms noise forward and its spectrum back, out of place and, if lines begin at the same addresses, in
/// place. Compares with the definition. Elements outside the layouts must stay unchanged.
fn transforms<T: Real>(shape: &Shape, real: &Layout, spectrum: &Layout, of: Of) {
    let last = *shape.lengths.last().unwrap();
    let at = [places(shape, real, last), places(shape, spectrum, last / 2 + 1)];
    let rooms = [room(shape, real, last), room(shape, spectrum, last / 2 + 1)];
    let forward = RealPlan::<T>::new(Direction::Forward, shape, real, spectrum, &of).unwrap();
    let inverse = RealPlan::<T>::new(Direction::Inverse, shape, spectrum, real, &of).unwrap();
    let (total, factor) = (shape.lengths.iter().product::<usize>(), 0.5);
    let signal: Vec<T> = numbers(at[0].len());
    let (numbers, points) = (beside::<T>(), elsewhere::<T>());
    let half = half_spectrum(shape, &signal, factor);
    let right = |found: &[Complex<T>], expected: &[Complex<f64>], what: &dyn std::fmt::Display| {
        let error = relative_error(found, expected);
        assert!(error <= bound::<T>(total), "{what}\n{of:?}, {real:?} and {spectrum:?}: {error}");
    };
    let goes_back = |found: &[T], what: &dyn std::fmt::Display| {
        let expected: Vec<_> =
            signal.iter().map(|x| Complex::new(x.widen() * total as f64 * factor, 0.0)).collect();
        right(&self::points(found), &expected, what);
    };

    let mut from = vec![numbers; rooms[0]];
    at[0].iter().zip(&signal).for_each(|(at, x)| from[*at] = *x);
    let before = from.clone();
    let mut to = vec![points; rooms[1]];
    let mut scratch = vec![points; forward.scratch_len()];
    forward.forward(T::of(factor), &from, &mut to, &mut scratch).unwrap();
    let (found, rest) = picked(&to, &at[1], points);
    right(&found, &half, &forward);
    assert_eq!((from, rest), (before, vec![points; rooms[1]]), "{forward}\n{of:?}, beside the output");

    let mut from = vec![points; rooms[1]];
    at[1].iter().zip(&half).for_each(|(at, x)| from[*at] = narrow(x / factor));
    let mut to = vec![numbers; rooms[0]];
    let mut scratch = vec![points; inverse.scratch_len()];
    inverse.inverse(T::of(factor), &mut from, &mut to, &mut scratch).unwrap();
    let (found, rest) = picked(&to, &at[0], numbers);
    goes_back(&found, &inverse);
    assert_eq!(rest, vec![numbers; rooms[0]], "{inverse}\n{of:?}, beside the output");
    assert_eq!(
        picked(&from, &at[1], points).1,
        vec![points; rooms[1]],
        "{inverse}\n{of:?}, beside the input"
    );

    let mut data = vec![numbers; (2 * rooms[1]).max(if shape.padded() == *real { 0 } else { rooms[0] })];
    at[0].iter().zip(&signal).for_each(|(at, x)| data[*at] = *x);
    let mut scratch = vec![points; forward.scratch_len()];
    let Ok(()) = forward.process_padded(T::of(factor), &mut data, &mut scratch) else {
        assert!(shape.padded() != *real || shape.spectrum() != *spectrum, "{forward}");
        return;
    };
    let parts: Vec<_> = at[1].iter().flat_map(|at| [2 * at, 2 * at + 1]).collect();
    let (found, rest) = picked(&data, &parts, numbers);
    let found: Vec<_> = found.chunks(2).map(|x| Complex::new(x[0], x[1])).collect();
    right(&found, &half, &forward);
    assert_eq!(rest, vec![numbers; rest.len()], "{forward}\n{of:?}, beside the array");
    let mut scratch = vec![points; inverse.scratch_len()];
    inverse.process_padded(T::of(1.0), &mut data, &mut scratch).unwrap();
    goes_back(&picked(&data, &at[0], numbers).0, &inverse);
    assert_eq!(
        picked(&data, &parts, numbers).1,
        vec![numbers; data.len()],
        "{inverse}\n{of:?}, beside the array"
    );
}

/// Transforms without gaps, and in place.
fn contiguous<T: Real>(shape: &Shape, of: Of) {
    transforms::<T>(shape, &shape.contiguous(), &shape.spectrum(), of);
    transforms::<T>(shape, &shape.padded(), &shape.spectrum(), of);
}

#[test]
fn lengths_up_to_64_are_transformed() {
    for n in 1..=64 {
        for of in Of::all() {
            contiguous::<f64>(&Shape::new(&[n]), of);
            contiguous::<f32>(&Shape::new(&[n]).batch(1 + n % 19), of);
        }
    }
}

/// Every length in each of two dimensions, combined with others, each pair by another kernel: all pairs up to
/// 24, and one in sixteen above.
#[test]
fn lengths_up_to_64_are_transformed_pairwise() {
    let all = Of::all();
    for a in 1..=64_usize {
        for b in 1..=64 {
            // The definition takes time quadratic in a length.
            if a.max(b) > 24 && !(a * 7 + b * 3).is_multiple_of(16) {
                continue;
            }
            let of = all[(a + 3 * b) % all.len()];
            if (a + b).is_multiple_of(2) {
                contiguous::<f64>(&Shape::new(&[a, b]), of);
            } else {
                contiguous::<f32>(&Shape::new(&[a, b]), of);
            }
        }
    }
}

#[test]
fn every_kernel_transforms_every_shape() {
    let shapes = [
        &[101][..],
        &[256],
        &[2187],
        &[1000],
        &[1, 1, 1],
        &[1, 30],
        &[30, 1],
        &[16, 16],
        &[21, 30],
        &[32, 11],
        &[4, 8, 12],
        &[6, 1, 10],
        &[1, 5, 2],
        &[7, 3, 9],
        &[13, 17, 19],
    ];
    for of in Of::all() {
        for shape in shapes {
            for batch in [1, 3] {
                contiguous::<f64>(&Shape::new(shape).batch(batch), of);
                contiguous::<f32>(&Shape::new(shape).batch(batch), of);
            }
        }
    }
}

/// Arrays larger than the cached data, with a remainder of repetitions.
#[test]
fn large_arrays_are_transformed_in_turns() {
    for of in Of::all().into_iter().skip(1) {
        contiguous::<f64>(&Shape::new(&[3, 96, 100]), of);
        contiguous::<f64>(&Shape::new(&[10, 12]).batch(500), of);
        contiguous::<f32>(&Shape::new(&[2, 3, 5]).batch(4001), of);
    }
}

#[test]
fn any_layout_is_transformed() {
    let layout = |strides: &[usize], distance| Layout { strides: strides.to_vec(), distance };
    for of in Of::all() {
        for n in [24, 15] {
            // Interleaved; every second element; at an odd distance; with gaps in input and output.
            let one = Shape::new(&[n]).batch(5);
            transforms::<f64>(&one, &layout(&[5], 1), &layout(&[5], 1), of);
            transforms::<f32>(&one, &layout(&[5], 1), &one.spectrum(), of);
            transforms::<f64>(&one, &one.contiguous(), &layout(&[2], 50), of);
            transforms::<f64>(&one, &layout(&[1], n + 1), &layout(&[1], n + 2), of);
            transforms::<f32>(&one, &layout(&[1], n + 2), &layout(&[1], n), of);
            // In place with larger gaps than necessary.
            transforms::<f64>(&one, &layout(&[1], 60), &layout(&[1], 30), of);
            let two = Shape::new(&[10, n]).batch(2);
            // Column-major; transposed on the way; interleaved.
            transforms::<f64>(&two, &layout(&[1, 10], 10 * n), &layout(&[1, 10], 10 * n), of);
            transforms::<f32>(&two, &layout(&[1, 10], 10 * n), &two.spectrum(), of);
            transforms::<f64>(&two, &layout(&[3 * n, 3], 1), &layout(&[2, 20], 1), of);
        }
        let three = Shape::new(&[3, 4, 6]).batch(5);
        transforms::<f64>(&three, &three.contiguous(), &layout(&[20, 5, 60], 1), of);
        transforms::<f64>(&three, &layout(&[7, 22, 90], 1000), &three.spectrum(), of);
    }
}

/// Odd lengths as matrices of every number of rows, with 1 to 20 lines: contiguous, in place, interleaved, at
/// distances, and with strides in both arrays.
#[test]
fn odd_lengths_are_transformed_as_matrices() {
    let layout = |stride, distance| Layout { strides: vec![stride], distance };
    for of in Of::all() {
        for (n, matrix) in [
            (27, "2 rows of 9"),
            (55, "3 rows of 11"),
            (91, "4 rows of 13"),
            (121, "6 rows of 11"),
            (169, "7 rows of 13"),
            (279, "5 rows of 31"),
            (915, "8 rows of 61"),
        ] {
            for batch in if n < 200 { &[1, 2, 3, 20][..] } else { &[2] } {
                let shape = Shape::new(&[n]).batch(*batch);
                let (real, spectrum) = (shape.contiguous(), shape.spectrum());
                let plan = RealPlan::<f64>::new(Direction::Forward, &shape, &real, &spectrum, &of).unwrap();
                let text = format!("gathered lines of {n} real numbers as {matrix} points by ");
                assert!(plan.to_string().contains(&text), "{plan}\n{text}");
                contiguous::<f64>(&shape, of);
                contiguous::<f32>(&shape, of);
                transforms::<f64>(&shape, &layout(*batch, 1), &layout(*batch, 1), of);
                transforms::<f32>(&shape, &layout(2, 2 * n + 1), &layout(3, 3 * n), of);
            }
        }
        contiguous::<f64>(&Shape::new(&[3, 5, 33]).batch(2), of);
    }
}

/// A line has the same bits alone and among lines that are much larger, infinite or not numbers.
#[test]
fn lines_do_not_depend_on_each_other() {
    let bits = |points: &[Complex<f64>]| -> Vec<_> {
        points.iter().flat_map(|x| [x.re.to_bits(), x.im.to_bits()]).collect()
    };
    for of in Of::all() {
        for n in [27, 31, 105, 121, 64] {
            let (line, half) = (numbers::<f64>(n), n / 2 + 1);
            let transform = |others: &[f64], at: usize| {
                let shape = Shape::new(&[n]).batch(others.len());
                let (real, spectrum) = (shape.contiguous(), shape.spectrum());
                let mut from: Vec<_> = others.iter().flat_map(|x| vec![*x; n]).collect();
                from[at * n..][..n].copy_from_slice(&line);
                let mut points = vec![elsewhere(); spectrum.distance * others.len()];
                let forward = RealPlan::new(Direction::Forward, &shape, &real, &spectrum, &of).unwrap();
                let mut scratch = vec![elsewhere(); forward.scratch_len()];
                forward.forward(1.0, &from, &mut points, &mut scratch).unwrap();
                let found = bits(&points[at * half..][..half]);
                let inverse = RealPlan::new(Direction::Inverse, &shape, &spectrum, &real, &of).unwrap();
                let mut scratch = vec![elsewhere(); inverse.scratch_len()];
                inverse.inverse(1.0, &mut points, &mut from, &mut scratch).unwrap();
                (found, bits(&self::points(&from[at * n..][..n])))
            };
            let alone = transform(&[0.0], 0);
            for at in 0..40 {
                let others: Vec<_> = (0..40).map(|line| [1e200, f64::NAN, f64::INFINITY][line % 3]).collect();
                assert!(transform(&others, at) == alone, "{n}, line {at}, {of:?}");
            }
        }
    }
}

/// Windows of a signal that overlap.
#[test]
fn windows_of_a_signal_may_overlap() {
    let signal = numbers::<f64>(100);
    for (n, hop) in [(16, 3), (16, 4), (15, 5), (2, 1)] {
        let windows = (signal.len() - n) / hop + 1;
        let shape = Shape::new(&[n]).batch(windows);
        let input = Layout { strides: vec![1], distance: hop };
        let cut: Vec<_> = (0..windows).flat_map(|window| &signal[window * hop..][..n]).copied().collect();
        let expected = half_spectrum(&shape, &cut, 1.0);
        for of in Of::all() {
            let plan = RealPlan::new(Direction::Forward, &shape, &input, &shape.spectrum(), &of).unwrap();
            let mut found = vec![elsewhere(); windows * (n / 2 + 1)];
            plan.forward(1.0, &signal, &mut found, &mut vec![elsewhere(); plan.scratch_len()]).unwrap();
            assert!(relative_error(&found, &expected) <= bound::<f64>(n), "{plan}\n{of:?}");
            let refused = RealPlan::<f64>::new(Direction::Inverse, &shape, &shape.spectrum(), &input, &of);
            assert_data_eq!(refused.unwrap_err().to_string(), str!["elements of the output overlap"]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any order of axes with any gaps, different in input and output.
    #[test]
    fn random_layouts_are_transformed(
        lengths in proptest::collection::vec(1_usize..=12, 1..=3),
        batch in 1_usize..=6,
        orders in proptest::array::uniform2(Just([0, 1, 2, 3]).prop_shuffle()),
        gaps in proptest::array::uniform2(proptest::array::uniform4(0_usize..4)),
        of in 0_usize..8,
    ) {
        let (shape, all) = (Shape::new(&lengths).batch(batch), Of::all());
        let last = lengths[lengths.len() - 1];
        let layout = |array: usize, last: usize| {
            let mut layout = Layout { strides: vec![0; lengths.len()], distance: 0 };
            let mut next = 1;
            for axis in orders[array] {
                let (count, stride) = match axis {
                    3 => (batch, &mut layout.distance),
                    axis if axis + 1 == lengths.len() => (last, &mut layout.strides[axis]),
                    axis if axis < lengths.len() => (lengths[axis], &mut layout.strides[axis]),
                    _ => continue,
                };
                *stride = next + gaps[array][axis];
                next = *stride * count;
            }
            layout
        };
        let (real, spectrum) = (layout(0, last), layout(1, last / 2 + 1));
        let of = all[of % all.len()];
        transforms::<f64>(&shape, &real, &spectrum, of);
        transforms::<f32>(&shape, &real, &shape.spectrum(), of);
        transforms::<f64>(&shape, &shape.contiguous(), &spectrum, of);
    }
}

#[test]
fn imaginary_parts_that_must_be_zero_are_not_read() {
    for of in Of::all() {
        for n in [1, 2, 7, 8, 33, 64] {
            let shape = Shape::new(&[n]);
            let plan =
                RealPlan::<f64>::new(Direction::Inverse, &shape, &shape.spectrum(), &shape.contiguous(), &of)
                    .unwrap();
            let signal = numbers::<f64>(n);
            let transform = |mut spectrum: Vec<Complex<f64>>| {
                let mut back = vec![beside(); n];
                plan.inverse(1.0, &mut spectrum, &mut back, &mut vec![elsewhere(); plan.scratch_len()])
                    .unwrap();
                back
            };
            let clean = half_spectrum(&shape, &signal, 1.0);
            let mut other = clean.clone();
            other[0].im = f64::NAN;
            if n % 2 == 0 {
                other[n / 2].im = f64::NAN;
            }
            assert_eq!(transform(other), transform(clean), "{plan}\n{of:?}");
        }
    }
}

#[test]
fn a_call_allocates_nothing() {
    for of in [Of::RustFft, Of::Own(earth_codelets::Isa::best())] {
        for lengths in [&[1000][..], &[1001], &[64, 48], &[33, 61, 100]] {
            let shape = Shape::new(lengths).batch(2);
            let (real, spectrum) = (shape.padded(), shape.spectrum());
            let forward = RealPlan::<f64>::new(Direction::Forward, &shape, &real, &spectrum, &of).unwrap();
            let inverse = RealPlan::<f64>::new(Direction::Inverse, &shape, &spectrum, &real, &of).unwrap();
            let points = 2 * spectrum.distance;
            let (mut from, mut to) = (numbers(2 * points), vec![elsewhere(); points]);
            let mut scratch = vec![elsewhere(); forward.scratch_len().max(inverse.scratch_len())];
            let counted = allocation_counter::measure(|| {
                forward.forward(1.0, &from, &mut to, &mut scratch).unwrap();
                inverse.inverse(0.5, &mut to, &mut from, &mut scratch).unwrap();
                forward.process_padded(1.0, &mut from, &mut scratch).unwrap();
                inverse.process_padded(0.5, &mut from, &mut scratch).unwrap();
            });
            assert_eq!(counted.count_total, 0, "{forward}");
        }
    }
}

#[test]
fn calls_in_the_other_direction_leave_the_data() {
    let shape = Shape::new(&[8]);
    let (real, spectrum) = (shape.contiguous(), shape.spectrum());
    let forward = RealPlan::new(Direction::Forward, &shape, &real, &spectrum, &Of::RustFft).unwrap();
    let inverse = RealPlan::new(Direction::Inverse, &shape, &spectrum, &real, &Of::RustFft).unwrap();
    let (mut from, mut to) = (numbers::<f64>(8), vec![elsewhere(); 5]);
    let (numbers, points) = (from.clone(), to.clone());
    let mut scratch = vec![elsewhere(); forward.scratch_len().max(inverse.scratch_len())];
    let refused = [
        inverse.forward(1.0, &from, &mut to, &mut scratch),
        forward.inverse(1.0, &mut to, &mut from, &mut scratch),
    ];
    assert_eq!(refused, [Err(CallError::DirectionMismatch); 2]);
    assert_eq!((from, to), (numbers, points));
}

#[test]
fn shapes_that_cannot_be_are_refused() {
    let forward = |shape: &Shape, real: &Layout, spectrum: &Layout| {
        let plan = RealPlan::<f64>::new(Direction::Forward, shape, real, spectrum, &Of::RustFft);
        plan.map(|plan| plan.to_string()).unwrap_err().to_string()
    };
    let inverse = |shape: &Shape, spectrum: &Layout, real: &Layout| {
        let plan = RealPlan::<f64>::new(Direction::Inverse, shape, spectrum, real, &Of::RustFft);
        plan.map(|plan| plan.to_string()).unwrap_err().to_string()
    };
    let both = |shape: Shape| {
        let (real, spectrum) = (shape.contiguous(), shape.spectrum());
        let said = forward(&shape, &real, &spectrum);
        let turned = inverse(&shape, &spectrum, &real);
        assert_eq!(turned.replace("output", "input"), said);
        said
    };
    assert_data_eq!(both(Shape::new(&[])), str!["a transform has 1 to 3 dimensions, not 0"]);
    assert_data_eq!(both(Shape::new(&[2; 4])), str!["a transform has 1 to 3 dimensions, not 4"]);
    assert_eq!(both(Shape::new(&[4, 0])), "dimension 1 has length 0");
    assert_data_eq!(
        both(Shape::new(&[1 << 30; 3])),
        str!["the input spans more points than any memory holds"]
    );
    let shape = Shape::new(&[4]).batch(2);
    let near = |distance| Layout { strides: vec![1], distance };
    assert_data_eq!(forward(&shape, &near(4), &near(2)), str!["elements of the output overlap"]);
    assert_data_eq!(inverse(&shape, &near(2), &near(4)), str!["elements of the input overlap"]);
    assert_data_eq!(inverse(&shape, &near(3), &near(3)), str!["elements of the output overlap"]);
    assert_data_eq!(forward(&shape, &near(4), &near(0)), str!["the output has a stride of 0"]);
    let two = Layout { strides: vec![4, 1], distance: 0 };
    assert_data_eq!(forward(&shape, &two, &near(3)), str!["the input has 2 strides for 1 dimensions"]);
}

#[test]
fn slices_of_other_lengths_are_refused() {
    let shape = Shape::new(&[4, 10]);
    let (real, spectrum, of) = (shape.padded(), shape.spectrum(), Of::Definition);
    let forward = RealPlan::<f64>::new(Direction::Forward, &shape, &real, &spectrum, &of).unwrap();
    let inverse = RealPlan::<f64>::new(Direction::Inverse, &shape, &spectrum, &real, &of).unwrap();
    let (mut from, mut to) = (numbers(48), vec![elsewhere(); 24]);
    let before = (from.clone(), to.clone());
    let mut scratch = vec![elsewhere(); forward.scratch_len().max(inverse.scratch_len())];
    let short = |array, given, needed| Err(CallError::Length { array, given, needed });
    // The last row of numbers need not be padded.
    assert_eq!(forward.forward(1.0, &from[..45], &mut to, &mut scratch), short(Array::Input, 45, 46));
    assert_eq!(forward.forward(1.0, &from, &mut to[..23], &mut scratch), short(Array::Output, 23, 24));
    assert_eq!(inverse.inverse(1.0, &mut to[..23], &mut from, &mut scratch), short(Array::Input, 23, 24));
    assert_eq!(inverse.inverse(1.0, &mut to, &mut from[..45], &mut scratch), short(Array::Output, 45, 46));
    assert_eq!(forward.process_padded(1.0, &mut from[..47], &mut scratch), short(Array::InPlace, 47, 48));
    assert_eq!(inverse.process_padded(1.0, &mut from[..47], &mut scratch), short(Array::InPlace, 47, 48));
    assert_data_eq!(
        forward.process_padded(1.0, &mut from[..47], &mut scratch).unwrap_err().to_string(),
        str!["the array has 47 elements where 48 are needed"]
    );
    let (mut more, mut points) = (numbers(50), vec![elsewhere(); 25]);
    assert_eq!(forward.forward(1.0, &more[..49], &mut to, &mut scratch), short(Array::Input, 49, 46));
    assert_eq!(forward.forward(1.0, &from, &mut points, &mut scratch), short(Array::Output, 25, 24));
    assert_eq!(inverse.inverse(1.0, &mut points, &mut from, &mut scratch), short(Array::Input, 25, 24));
    assert_eq!(inverse.inverse(1.0, &mut to, &mut more[..49], &mut scratch), short(Array::Output, 49, 46));
    assert_eq!(forward.process_padded(1.0, &mut more, &mut scratch), short(Array::InPlace, 50, 48));
    assert_eq!(inverse.process_padded(1.0, &mut more, &mut scratch), short(Array::InPlace, 50, 48));
    let needed = forward.scratch_len();
    let scratchless = Err(CallError::Scratch { given: needed - 1, needed });
    assert_eq!(forward.forward(1.0, &from, &mut to, &mut scratch[..needed - 1]), scratchless);
    assert_eq!(forward.process_padded(1.0, &mut from, &mut scratch[..needed - 1]), scratchless);
    assert_eq!((from, to), before);
    let apart =
        RealPlan::<f64>::new(Direction::Forward, &shape, &shape.contiguous(), &spectrum, &of).unwrap();
    assert_eq!(apart.process_padded(1.0, &mut numbers(48), &mut scratch), Err(CallError::LayoutMismatch));
}

#[test]
fn a_plan_lists_its_passes() {
    let (shape, of) = (Shape::new(&[256, 300]), Of::RustFft);
    let (real, spectrum) = (shape.contiguous(), shape.spectrum());
    let forward =
        RealPlan::<f64>::new(Direction::Forward, &shape, &real, &spectrum, &of).unwrap().to_string();
    let inverse =
        RealPlan::<f64>::new(Direction::Inverse, &shape, &spectrum, &real, &of).unwrap().to_string();
    let rows = "  rows of 300 real numbers as 150 points by rustfft, 256 of them, 1 at a time: 618496 bytes read and written";
    let columns =
        "  gathered lines of 256 by rustfft, 151 of them, 16 at a time: 618496 bytes read and written";
    let (forward, inverse): (Vec<_>, Vec<_>) = (forward.lines().collect(), inverse.lines().collect());
    assert!(forward[0].starts_with("real forward transform of 256 x 300 numbers of f64, "), "{}", forward[0]);
    assert!(inverse[0].starts_with("real inverse transform of 256 x 300 numbers of f64, "), "{}", inverse[0]);
    assert_eq!((&forward[1..], &inverse[1..]), (&[rows, columns][..], &[columns, rows][..]));
    let shape = Shape::new(&[1001]).batch(20);
    let (real, spectrum) = (shape.contiguous(), shape.spectrum());
    let odd = RealPlan::<f64>::new(Direction::Forward, &shape, &real, &spectrum, &of).unwrap();
    let text = "  gathered lines of 1001 real numbers as 7 rows of 77 points by rustfft, 20 of them, 8 at a time: 160320 bytes read and written";
    assert_eq!(odd.to_string().lines().nth(1), Some(text));
    let facts = odd.passes(true)[0];
    assert_eq!((facts.len, facts.lines, facts.real), (77, 140, true));
}
