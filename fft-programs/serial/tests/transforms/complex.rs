//! Complex transforms of all shapes and layouts, compared with the definition, by several kernels.

use crate::common::{Of, elsewhere, expected, noise, places, room, span};
use earth_kernels::{Direction, Real, bound, relative_error};
use earth_serial::{
    Array, CallError, ComplexPlan, Layout, PlanError, RealPlan, Shape, ShapeError, elements_are_disjoint,
};
use num_complex::Complex;
use proptest::prelude::*;
use snapbox::{assert_data_eq, str};

const DIRECTIONS: [Direction; 2] = [Direction::Forward, Direction::Inverse];

/// Transforms noise out of place and, if both layouts are equal, in place, and compares with the definition.
/// Elements outside the layouts must stay unchanged.
fn transforms<T: Real>(shape: &Shape, input: &Layout, output: &Layout, of: Of) {
    let last = *shape.lengths.last().unwrap();
    let plan = ComplexPlan::<T>::new(shape, input, output, &of).unwrap();
    let [from, to] = [input, output].map(|layout| places(shape, layout, last));
    let signal = noise::<T>(span(shape, input, last));
    let points: Vec<_> = from.iter().map(|at| signal[*at]).collect();
    let total = shape.lengths.iter().product::<usize>();
    let mut scratch = vec![elsewhere(); plan.scratch_len()];
    for (direction, factor) in DIRECTIONS.into_iter().zip([1.0, 0.5]) {
        let mut expected = expected(shape, &points, direction);
        for x in &mut expected {
            *x *= factor;
        }
        let check = |found: &[Complex<T>], before: &[Complex<T>]| {
            let points: Vec<_> = to.iter().map(|at| found[*at]).collect();
            let error = relative_error(&points, &expected);
            assert!(
                error <= bound::<T>(total),
                "{plan}\n{direction:?}, {of:?}, {input:?} to {output:?}: {error}"
            );
            let mut beside = found.to_vec();
            for at in &to {
                beside[*at] = before[*at];
            }
            assert_eq!(beside, before, "{plan}\n{of:?}, beside the output");
        };
        let before = vec![elsewhere(); room(shape, output, last)];
        let mut there = before.clone();
        plan.process_into(direction, T::of(factor), &signal, &mut there, &mut scratch).unwrap();
        check(&there, &before);
        let mut here = signal.clone();
        let in_place = plan.process(direction, T::of(factor), &mut here, &mut scratch);
        assert!(in_place.is_ok() || input != output, "{in_place:?}");
        if in_place.is_ok() {
            check(&here, &signal);
        }
    }
}

fn contiguous<T: Real>(shape: &Shape, of: Of) {
    transforms::<T>(shape, &shape.contiguous(), &shape.contiguous(), of);
}

/// Returns a length with few common factors with `n`.
fn partner(n: usize) -> usize {
    1 + (n * 29 + 7) % 64
}

#[test]
fn lengths_up_to_64_are_transformed_in_each_dimension() {
    let all = Of::all();
    for n in 1..=64 {
        let of = all[n % all.len()];
        contiguous::<f64>(&Shape::new(&[n]), of);
        contiguous::<f32>(&Shape::new(&[n]).batch(1 + n % 5), all[(n + 1) % all.len()]);
        contiguous::<f64>(&Shape::new(&[n, partner(n)]), all[(n + 2) % all.len()]);
        contiguous::<f32>(&Shape::new(&[partner(n), n]), all[(n + 3) % all.len()]);
        contiguous::<f64>(&Shape::new(&[1 + n % 7, n, 1 + n % 5]), all[(n + 4) % all.len()]);
        contiguous::<f64>(&Shape::new(&[1, n]), of);
        contiguous::<f32>(&Shape::new(&[n, 1, 1 + n % 9]).batch(2), of);
    }
}

#[test]
fn every_kernel_transforms_every_shape() {
    let shapes =
        [&[1][..], &[101], &[256], &[1, 1, 1], &[16, 16], &[21, 30], &[32, 11], &[4, 8, 12], &[6, 1, 10]];
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
        contiguous::<f64>(&Shape::new(&[10, 12]).batch(300), of);
        contiguous::<f32>(&Shape::new(&[2, 3, 5]).batch(3001), of);
    }
}

#[test]
fn any_layout_is_transformed() {
    let layout = |strides: &[usize], distance| Layout { strides: strides.to_vec(), distance };
    for of in Of::all() {
        // Interleaved; every second element; column-major; padded; transposed on the way; with gaps in all
        // axes.
        let one = Shape::new(&[24]).batch(5);
        let interleaved = layout(&[5], 1);
        transforms::<f64>(&one, &interleaved, &interleaved, of);
        transforms::<f32>(&one, &interleaved, &one.contiguous(), of);
        transforms::<f64>(&one, &one.contiguous(), &layout(&[2], 50), of);
        let two = Shape::new(&[12, 10]).batch(2);
        for (input, output) in [
            (layout(&[1, 12], 120), layout(&[1, 12], 120)),
            (layout(&[16, 1], 200), layout(&[16, 1], 200)),
            (layout(&[1, 12], 120), two.contiguous()),
            (layout(&[40, 3], 1), layout(&[2, 24], 240)),
            (layout(&[1, 2], 3), two.contiguous()),
        ] {
            transforms::<f64>(&two, &input, &output, of);
            transforms::<f32>(&two, &input, &output, of);
        }
        let three = Shape::new(&[3, 4, 5]).batch(6);
        let turned = layout(&[6, 18, 72], 1);
        transforms::<f64>(&three, &turned, &turned, of);
        transforms::<f64>(&three, &layout(&[7, 22, 90], 500), &turned, of);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any order of axes with any gaps, in place and out of place.
    #[test]
    fn random_layouts_are_transformed(
        lengths in proptest::collection::vec(1_usize..=12, 1..=3),
        batch in 1_usize..=6,
        order in Just([0, 1, 2, 3]).prop_shuffle(),
        gaps in proptest::array::uniform4(0_usize..4),
        of in 0_usize..8,
    ) {
        let (shape, all) = (Shape::new(&lengths).batch(batch), Of::all());
        let mut layout = Layout { strides: vec![0; lengths.len()], distance: 0 };
        let mut next = 1;
        for axis in order {
            let (count, stride) = match axis {
                3 => (batch, &mut layout.distance),
                axis if axis < lengths.len() => (lengths[axis], &mut layout.strides[axis]),
                _ => continue,
            };
            *stride = next + gaps[axis];
            next = *stride * count;
        }
        let of = all[of % all.len()];
        transforms::<f64>(&shape, &layout, &layout, of);
        transforms::<f32>(&shape, &layout, &shape.contiguous(), of);
        transforms::<f64>(&shape, &shape.contiguous(), &layout, of);
    }
}

#[test]
fn a_call_allocates_nothing() {
    for of in [Of::RustFft, Of::Own(earth_codelets::Isa::best())] {
        for lengths in [&[1000][..], &[64, 48], &[33, 60, 100]] {
            let shape = Shape::new(lengths).batch(2);
            let plan =
                ComplexPlan::<f64>::new(&shape, &shape.contiguous(), &shape.contiguous(), &of).unwrap();
            let mut points = noise(2 * lengths.iter().product::<usize>());
            let mut to = points.clone();
            let mut scratch = vec![elsewhere(); plan.scratch_len()];
            let counted = allocation_counter::measure(|| {
                plan.process(Direction::Forward, 1.0, &mut points, &mut scratch).unwrap();
                plan.process_into(Direction::Inverse, 0.5, &points, &mut to, &mut scratch).unwrap();
            });
            assert_eq!(counted.count_total, 0, "{plan}");
        }
    }
}

fn refused(shape: &Shape, layout: &Layout) -> String {
    let plan = ComplexPlan::<f64>::new(shape, layout, layout, &Of::RustFft);
    plan.map(|plan| plan.to_string()).unwrap_err().to_string()
}

#[test]
fn shapes_that_cannot_be_are_refused() {
    let contiguous = |shape: Shape| refused(&shape, &shape.contiguous());
    assert_data_eq!(contiguous(Shape::new(&[])), str!["a transform has 1 to 3 dimensions, not 0"]);
    assert_data_eq!(contiguous(Shape::new(&[2; 4])), str!["a transform has 1 to 3 dimensions, not 4"]);
    assert_eq!(contiguous(Shape::new(&[4, 0])), "dimension 1 has length 0");
    assert_data_eq!(
        contiguous(Shape::new(&[1 << 30; 3])),
        str!["the input spans more points than any memory holds"]
    );
    let of = |lengths: &[usize], strides: &[usize], batch, distance| {
        refused(&Shape::new(lengths).batch(batch), &Layout { strides: strides.to_vec(), distance })
    };
    assert_data_eq!(of(&[4], &[4, 1], 1, 0), str!["the input has 2 strides for 1 dimensions"]);
    assert_data_eq!(of(&[4], &[0], 1, 0), str!["the input has a stride of 0"]);
    assert_data_eq!(of(&[4], &[1], 2, 3), str!["elements of the output overlap"]);
    assert_data_eq!(of(&[3, 2], &[2, 4], 1, 0), str!["elements of the output overlap"]);
    assert_data_eq!(of(&[3, 3, 3], &[2, 4, 5], 1, 0), str!["elements of the output overlap"]);
    // Axes that interlock without overlap.
    for (lengths, strides) in
        [(&[3, 2][..], &[2, 3][..]), (&[2, 2, 2], &[4, 5, 6]), (&[4, 2, 3], &[12, 33, 5])]
    {
        let layout = Layout { strides: strides.to_vec(), distance: 0 };
        transforms::<f64>(&Shape::new(lengths), &layout, &layout, Of::RustFft);
    }
}

#[test]
fn slices_of_other_lengths_are_refused() {
    let (shape, of) = (Shape::new(&[64, 6]), Of::RustFft);
    let plan = ComplexPlan::<f64>::new(&shape, &shape.contiguous(), &shape.contiguous(), &of).unwrap();
    let (mut points, mut scratch) = (noise(2 * 384), vec![elsewhere(); plan.scratch_len()]);
    let direction = Direction::Forward;
    let before = points.clone();
    for given in [0, 383, 385, 2 * 384] {
        let refused = |array| Err(CallError::Length { array, given, needed: 384 });
        let other = &mut points[..given];
        assert_eq!(plan.process(direction, 1.0, other, &mut scratch), refused(Array::InPlace));
        let mut output = noise(384);
        let found = plan.process_into(direction, 1.0, &before[..given], &mut output, &mut scratch);
        assert_eq!(found, refused(Array::Input));
        let found = plan.process_into(direction, 1.0, &before[..384], &mut points[..given], &mut scratch);
        assert_eq!(found, refused(Array::Output));
    }
    let needed = scratch.len();
    let refused = plan.process(direction, 1.0, &mut points[..384], &mut scratch[1..]);
    assert_eq!(refused, Err(CallError::Scratch { given: needed - 1, needed }));
    assert_eq!(points, before);
    let turned = Layout { strides: vec![1, 64], distance: 0 };
    let plan = ComplexPlan::<f64>::new(&shape, &turned, &shape.contiguous(), &of).unwrap();
    let mut scratch = vec![elsewhere(); plan.scratch_len()];
    assert_eq!(
        plan.process(direction, 1.0, &mut points[..384], &mut scratch),
        Err(CallError::LayoutMismatch)
    );
}

/// An array with gaps may end with a gap: a column of a matrix may be passed with all elements after it.
#[test]
fn arrays_with_gaps_may_be_longer() {
    let (shape, of) = (Shape::new(&[4]), Of::Definition);
    let column = Layout { strides: vec![3], distance: 0 };
    let plan = ComplexPlan::<f64>::new(&shape, &column, &column, &of).unwrap();
    let (before, mut scratch) = (noise(12), vec![elsewhere(); plan.scratch_len()]);
    let mut points = before.clone();
    plan.process(Direction::Forward, 1.0, &mut points[2..], &mut scratch).unwrap();
    assert_eq!(before.iter().zip(&points).filter(|(before, after)| before == after).count(), 8);
    let refused = plan.process(Direction::Forward, 1.0, &mut points[3..], &mut scratch);
    assert_eq!(refused, Err(CallError::Length { array: Array::InPlace, given: 9, needed: 10 }));
}

/// An empty batch is a valid call on arrays without elements.
#[test]
fn empty_batches_have_no_effect() {
    let (shape, of) = (Shape::new(&[3, 4]).batch(0), Of::Definition);
    let plan = ComplexPlan::<f64>::new(&shape, &shape.contiguous(), &shape.contiguous(), &of).unwrap();
    assert_eq!(plan.scratch_len(), 0);
    plan.process(Direction::Forward, 1.0, &mut [], &mut []).unwrap();
    plan.process_into(Direction::Inverse, 2.0, &[], &mut [], &mut []).unwrap();
    let refused = plan.process(Direction::Forward, 1.0, &mut noise(1), &mut []);
    assert_eq!(refused, Err(CallError::Length { array: Array::InPlace, given: 1, needed: 0 }));
    let forward =
        RealPlan::<f64>::new(Direction::Forward, &shape, &shape.contiguous(), &shape.spectrum(), &of)
            .unwrap();
    forward.forward(1.0, &[], &mut [], &mut []).unwrap();
    let inverse =
        RealPlan::<f64>::new(Direction::Inverse, &shape, &shape.spectrum(), &shape.padded(), &of).unwrap();
    inverse.process_padded(1.0, &mut [], &mut []).unwrap();
}

/// Compares `elements_are_disjoint` with a count of the different positions of all elements.
#[test]
fn elements_are_disjoint_if_no_two_share_an_offset() {
    let mut counted = [0; 2];
    for case in 0..20_000_u64 {
        let mut state = case.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ case;
        let mut draw = |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % below) as usize
        };
        let axes = 1 + draw(4);
        let lengths: Vec<_> = (0..axes).map(|_| 1 + draw(5)).collect();
        let strides: Vec<_> = (0..axes).map(|_| 1 + draw(30)).collect();
        let mut places = vec![0];
        for (&length, &stride) in lengths.iter().zip(&strides) {
            places = places.iter().flat_map(|at| (0..length).map(move |step| at + step * stride)).collect();
        }
        let elements = places.len();
        places.sort_unstable();
        places.dedup();
        let apart = places.len() == elements;
        assert_eq!(elements_are_disjoint(&lengths, &strides), apart, "{lengths:?} {strides:?}");
        counted[usize::from(apart)] += 1;
    }
    assert!(counted.iter().all(|&cases| cases > 2000), "{counted:?}");
}

#[test]
fn a_plan_lists_its_passes() {
    let shape = Shape::new(&[256, 300]);
    let plan =
        ComplexPlan::<f64>::new(&shape, &shape.contiguous(), &shape.contiguous(), &Of::RustFft).unwrap();
    let text = plan.to_string();
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].starts_with("complex transform of 256 x 300 points of f64, "), "{text}");
    assert_eq!(
        lines[1..],
        [
            "  rows of 300 by rustfft, 256 of them, 1 at a time: 1228800 bytes read and written",
            "  gathered lines of 256 by rustfft, 300 of them, 16 at a time: 1228800 bytes read and written",
        ]
    );
}

#[test]
fn errors_of_kernels_are_passed_on() {
    let error = PlanError::<String>::Kernel("no such rows".to_owned());
    assert_eq!(error.to_string(), "no such rows");
    assert_eq!(PlanError::<String>::from(ShapeError::NoPoints(1)).to_string(), "dimension 1 has length 0");
}
