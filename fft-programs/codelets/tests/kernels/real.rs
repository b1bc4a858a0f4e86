//! Step between real numbers and half as many complex points, compared with the definition, for every
//! instruction set of the machine.

use earth_codelets::{Isa, real};
use earth_kernels::{Real, bound, dft, inverse_dft, relative_error};
use num_complex::Complex;

use crate::common::{elsewhere, narrow, noise, numbers};

/// Transforms `n` real numbers, stored as `n/2` points, forward and back, with the definition in between.
fn numbers_go_there_and_back<T: Real>(isa: Isa, n: usize, factor: f64) {
    let kernel = real::<T>(isa, n).unwrap();
    assert_eq!((kernel.name(), kernel.len()), (&*format!("earth-{}", isa.name()), n));
    let (m, points) = (n / 2, noise::<T>(n / 2));
    let numbers = numbers(&points);

    let mut row = narrow::<T>(&dft(&points), 1.0);
    row.push(elsewhere());
    kernel.split(T::of(factor), &mut row);
    let expected: Vec<_> = dft(&numbers)[..=m].iter().map(|x| x * factor).collect();
    let error = relative_error(&row, &expected);
    assert!(error <= bound::<T>(n), "{kernel:?}: {error}");
    assert_eq!([row[0].im, row[m].im], [T::zero(); 2], "{kernel:?}");

    // Imaginary parts that must be zero are not read.
    let mut row = narrow::<T>(&expected, 1.0 / factor);
    (row[0].im, row[m].im) = (T::of(7.0), T::of(-5.0));
    let last = row[m];
    kernel.merge(T::of(factor), &mut row);
    assert_eq!(row[m], last, "{kernel:?}");
    // The definition divides by `m`, and the whole transform by `n`.
    let found = narrow::<T>(&inverse_dft(&row[..m]), 0.5 / factor);
    let expected: Vec<_> = points.iter().map(|z| Complex::new(z.re.widen(), z.im.widen())).collect();
    let error = relative_error(&found, &expected);
    assert!(error <= bound::<T>(n), "{kernel:?}, back: {error}");
}

#[test]
fn every_even_length_goes_there_and_back() {
    for isa in Isa::all() {
        for n in (2..=200).step_by(2).chain([202, 510, 512, 1000, 1022]) {
            numbers_go_there_and_back::<f64>(isa, n, 1.0);
            numbers_go_there_and_back::<f32>(isa, n, 0.25);
        }
        assert!(real::<f64>(isa, 0).is_none() && real::<f32>(isa, 7).is_none());
    }
}

fn refused(points: usize) {
    real::<f64>(Isa::best(), 8).unwrap().split(1.0, &mut noise(points));
}

#[test]
#[should_panic(expected = "a row of 4 points where 8 real numbers have 5")]
fn a_row_without_its_last_point_is_refused() {
    refused(4);
}

#[test]
#[should_panic(expected = "a row of 6 points where 8 real numbers have 5")]
fn a_longer_row_is_refused() {
    refused(6);
}
