//! Checks plans on arrays of `ndarray`: an array of any strides is transformed like one without gaps, or
//! refused.

use earth_fft::{ArrayError, Complex, Direction, Layout, Problem, TransformError};
use ndarray::{
    Array, Array1, Array2, Array3, Array4, ArrayD, ArrayRef, ArrayView, Axis, Dimension, Ix2, ShapeBuilder, s,
};
use snapbox::{assert_data_eq, str};

type Point = Complex<f64>;

fn noise(at: usize) -> f64 {
    f64::from((at as u32).wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24) - 0.5
}

fn points(count: usize) -> Vec<Point> {
    (0..count).map(|at| Complex::new(noise(2 * at), noise(2 * at + 1))).collect()
}

fn far(points: impl IntoIterator<Item = Point>, others: impl IntoIterator<Item = Point>) -> f64 {
    points.into_iter().zip(others).map(|(x, y)| (x - y).norm()).fold(0.0, f64::max)
}

/// Checks that a plan of this problem transforms an array, in place and out of place, like a copy without
/// gaps.
fn transforms<D: Dimension>(problem: &Problem, array: &mut ArrayRef<Point, D>) {
    let plan = earth_papers::planner().plan::<f64>(problem).unwrap();
    let mut slice: Vec<_> = array.iter().copied().collect();
    let mut there = Array::from_elem(array.raw_dim().f(), Complex::from(0.0));
    plan.process_arrays(array, &mut there).unwrap();
    plan.process(&mut slice).unwrap();
    plan.process_array(array).unwrap();
    assert_eq!(array.len(), slice.len());
    assert!(far(array.iter().copied(), slice.iter().copied()) < 1e-12);
    assert!(far(there.iter().copied(), slice) < 1e-12);
}

#[test]
fn arrays_of_one_to_three_dimensions_and_batches() {
    let fill = |count| points(count);
    transforms(&Problem::complex(&[30]), &mut Array1::from_vec(fill(30)));
    transforms(&Problem::complex(&[5, 6]), &mut Array2::from_shape_vec((5, 6), fill(30)).unwrap());
    transforms(&Problem::complex(&[2, 3, 5]), &mut Array3::from_shape_vec((2, 3, 5), fill(30)).unwrap());
    transforms(&Problem::complex(&[6]).batch(5), &mut Array2::from_shape_vec((5, 6), fill(30)).unwrap());
    transforms(
        &Problem::complex(&[3, 5]).batch(2),
        &mut Array3::from_shape_vec((2, 3, 5), fill(30)).unwrap(),
    );
    let mut batch = Array4::from_shape_vec((2, 3, 5, 4), fill(120)).unwrap();
    transforms(&Problem::complex(&[3, 5, 4]).batch(2), &mut batch);
    transforms(&Problem::complex(&[3, 5, 4]).batch(2), &mut batch.into_dyn());
    // A batch of one array, with and without its axis.
    transforms(&Problem::complex(&[6]), &mut Array2::from_shape_vec((1, 6), fill(6)).unwrap());
}

#[test]
fn views_of_any_strides() {
    let problem = Problem::complex(&[4, 6]);
    let whole = || Array2::from_shape_vec((12, 18), points(216)).unwrap();
    for (rows, cols) in [(1, 1), (-1, 1), (1, -1), (-1, -1), (3, 3), (-2, 3), (2, -3)] {
        let mut array = whole();
        let sliced = s![..;rows, ..;cols];
        let mut view = array.slice_mut(sliced);
        transforms(&problem, &mut view.slice_mut(s![..4, ..6]));
        // All other elements are unchanged.
        let mut untouched = whole();
        let mut view = untouched.slice_mut(sliced);
        view.slice_mut(s![..4, ..6]).fill(Complex::from(0.0));
        array.slice_mut(sliced).slice_mut(s![..4, ..6]).fill(Complex::from(0.0));
        assert_eq!(array, untouched);
    }
    transforms(&problem, &mut whole().slice_mut(s![..6, ..4]).reversed_axes());
    transforms(&problem, &mut Array2::from_shape_vec((4, 6).f(), points(24)).unwrap());
    let mut cube = Array3::from_shape_vec((6, 3, 4), points(72)).unwrap();
    transforms(&problem, &mut cube.index_axis_mut(Axis(1), 2).reversed_axes());
}

/// Checks that an array in the problem's layout is transformed in place, and that a layout with gaps is
/// correct, too.
#[test]
fn arrays_of_plans_with_layouts() {
    let plain = earth_papers::planner().plan::<f64>(&Problem::complex(&[4, 6])).unwrap();
    let mut expected = points(24);
    plain.process(&mut expected).unwrap();
    for strides in [vec![1, 4], vec![1, 5], vec![20, 3], vec![6, 1]] {
        let problem = Problem::complex(&[4, 6]).layout(Layout { strides, distance: 99 });
        let plan = earth_papers::planner().plan::<f64>(&problem).unwrap();
        for fortran in [false, true] {
            let mut array = Array2::from_elem((4, 6).set_f(fortran), Complex::from(0.0));
            array.assign(&ArrayView::from_shape((4, 6), &points(24)).unwrap());
            plan.process_array(&mut array).unwrap();
            assert!(far(array, expected.clone()) < 1e-12, "{problem}");
        }
    }
}

#[test]
fn real_arrays_there_and_back() {
    let (planner, lengths) = (earth_papers::planner(), [3, 4, 5]);
    let forward = planner.plan_real_to_complex::<f64>(&Problem::real_to_complex(&lengths).batch(2)).unwrap();
    let inverse = planner.plan_complex_to_real::<f64>(&Problem::complex_to_real(&lengths).batch(2)).unwrap();
    let numbers: Vec<_> = (0..120).map(noise).collect();
    let mut expected = vec![Complex::default(); 72];
    forward.process(&numbers, &mut expected).unwrap();

    let mut turned = Array4::from_elem((5, 4, 3, 2), 0.0);
    let mut input = turned.view_mut().reversed_axes();
    input.invert_axis(Axis(2));
    input.assign(&ArrayView::from_shape((2, 3, 4, 5), &numbers).unwrap());
    assert!(input.as_slice().is_none());
    let mut spectra = Array4::from_elem((2, 3, 4, 3).f(), Complex::default());
    forward.process_arrays(&input, &mut spectra).unwrap();
    assert!(far(spectra.iter().copied(), expected) < 1e-12);
    let mut back = Array4::from_elem((4, 3, 2, 10), 0.0);
    let mut view = back.slice_mut(s![.., .., .., ..;-2]).permuted_axes([2, 1, 0, 3]);
    inverse.process_arrays(&mut spectra, &mut view).unwrap();
    assert!(view.iter().zip(&numbers).all(|(x, y)| (x - y).abs() < 1e-12));
    assert!(back.slice(s![.., .., .., ..;2]).iter().all(|x| *x == 0.0), "nothing between");
}

/// An input that is only read may have any strides: one row for a whole batch, or windows that overlap.
#[test]
fn inputs_that_overlap() {
    let forward = |problem: Problem<earth_fft::RealToComplex>| {
        earth_papers::planner().plan_real_to_complex::<f64>(&problem).unwrap()
    };
    let series: Array1<f64> = (0..20).map(noise).collect();
    let windows =
        |hop: usize| ArrayView::from_shape((5, 8).strides((hop, 1)), series.as_slice().unwrap()).unwrap();
    let mut spectra = Array2::from_elem((5, 5), Complex::default());
    for hop in [0, 1, 3] {
        forward(Problem::real_to_complex(&[8]).batch(5)).process_arrays(&windows(hop), &mut spectra).unwrap();
        for (window, found) in windows(hop).rows().into_iter().zip(spectra.rows()) {
            let mut expected = vec![Complex::default(); 5];
            forward(Problem::real_to_complex(&[8])).process(&window.to_vec(), &mut expected).unwrap();
            assert!(far(found.iter().copied(), expected) < 1e-12, "{hop}");
        }
    }
    // A plan whose own input overlaps cannot take a copy of another array.
    let overlapping = Layout { strides: vec![1], distance: 3 };
    let plan = forward(Problem::real_to_complex(&[8]).batch(5).input(overlapping));
    let refused = plan.process_arrays(&windows(3), &mut spectra).unwrap_err();
    assert_data_eq!(
        refused.to_string(),
        str!["the input cannot be copied to the plan's layout, because elements overlap there"]
    );
}

/// Elements at `7 b + 5 j`: lines that interleave and share no element. Arrays with another layout are copied
/// there and back.
#[test]
fn layouts_that_interlock() {
    for lengths in [&[4][..], &[2, 2]] {
        let strides = if lengths.len() == 1 { vec![5] } else { vec![10, 5] };
        let layout = Layout { strides, distance: 7 };
        let problem = Problem::complex(lengths).batch(3);
        let dense = earth_papers::planner().plan::<f64>(&problem).unwrap();
        let mut expected: Vec<_> = (0..12).map(|i| Complex::new(noise(i), noise(i + 12))).collect();
        let shape: Vec<_> = [3].iter().chain(lengths).copied().collect();
        let given = ArrayD::from_shape_vec(shape, expected.clone()).unwrap();
        dense.process(&mut expected).unwrap();
        for problem in [problem.clone().layout(layout.clone()), problem.clone().input(layout.clone())] {
            let plan = earth_papers::planner().plan::<f64>(&problem).unwrap();
            let mut found = given.clone();
            plan.process_arrays(&given, &mut found).unwrap();
            assert!(far(found.iter().copied(), expected.clone()) < 1e-12, "{plan}");
        }
        let plan = earth_papers::planner().plan::<f64>(&problem.layout(layout)).unwrap();
        let mut found = given.clone();
        plan.process_array(&mut found).unwrap();
        assert!(far(found.iter().copied(), expected) < 1e-12, "{plan}");
    }
}

#[test]
fn batches_of_no_arrays() {
    let plan = earth_papers::planner().plan::<f64>(&Problem::complex(&[4]).batch(0)).unwrap();
    let mut empty = Array2::from_elem((0, 4), Complex::default());
    plan.process_array(&mut empty).unwrap();
    plan.process_arrays(&empty, &mut Array2::from_elem((0, 4), Complex::default())).unwrap();
}

#[test]
fn arrays_of_other_shapes() {
    let plan = earth_papers::planner()
        .plan::<f64>(&Problem::complex(&[4, 6]).direction(Direction::Inverse))
        .unwrap();
    let mut wrong = Array2::from_elem((6, 4), Complex::from(1.0));
    let refused = plan.process_array(&mut wrong).unwrap_err();
    assert_data_eq!(refused.to_string(), str!["the array has the shape [6, 4] where [4, 6] is needed"]);
    assert_eq!(wrong, Array2::from_elem((6, 4), Complex::from(1.0)));
    let right = Array2::from_elem((4, 6), Complex::from(1.0));
    let refused = plan.process_arrays(&right, &mut wrong).unwrap_err();
    assert_data_eq!(refused.to_string(), str!["the output has the shape [6, 4] where [4, 6] is needed"]);
    let refused = plan.process_array(&mut right.clone().insert_axis(Axis(2))).unwrap_err();
    assert_data_eq!(refused.to_string(), str!["the array has the shape [4, 6, 1] where [1, 4, 6] is needed"]);
    let refused = plan.process_array(&mut right.index_axis(Axis(0), 0).to_owned()).unwrap_err();
    assert!(matches!(&refused, ArrayError::Shape { given, .. } if given == &[6]), "{refused}");

    let real = earth_papers::planner()
        .plan_complex_to_real::<f64>(&Problem::complex_to_real(&[7]).batch(3))
        .unwrap();
    let mut numbers = Array2::from_elem((3, 7), 0.0);
    for shape in [(3, 7), (4, 4)] {
        let mut spectra = Array2::from_elem(shape, Complex::default());
        let refused = real.process_arrays(&mut spectra, &mut numbers).unwrap_err();
        let said = format!("the input has the shape {:?} where [3, 4] is needed", <[usize; 2]>::from(shape));
        assert_eq!(refused.to_string(), said);
    }

    // Errors of slices are also errors of arrays.
    let turned = Problem::complex(&[4, 6]).output(Layout { strides: vec![1, 4], distance: 0 });
    let plan = earth_papers::planner().plan::<f64>(&turned).unwrap();
    let refused = plan.process_array(&mut right.clone()).unwrap_err();
    assert!(matches!(refused, ArrayError::Transform(TransformError::Call(_))), "{refused}");
    let mut there = Array::<Point, Ix2>::from_elem((4, 6), Complex::default());
    plan.process_arrays(&right, &mut there).unwrap();
    assert!((there[[0, 0]] - Complex::from(24.0)).norm() < 1e-12);
}
