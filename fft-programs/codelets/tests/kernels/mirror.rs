//! Step between real numbers and half as many complex points for pairs stored anywhere, compared with the
//! definition, for every instruction set of the machine.

use earth_codelets::{Isa, mirror};
use earth_kernels::{MirrorKernel, Real, bound, dft, relative_error};
use num_complex::Complex;

use crate::common::{narrow, noise, numbers};

type Step<T> = fn(&dyn MirrorKernel<T>, T, usize, [&[Complex<T>]; 2], [&mut [Complex<T>]; 2]);

/// Returns all points except the first, with `width` pairs computed at a time.
fn stepped<T: Real>(
    kernel: &dyn MirrorKernel<T>,
    step: Step<T>,
    factor: f64,
    x: &[Complex<T>],
    width: usize,
) -> Vec<Complex<T>> {
    let m = x.len();
    let mut y = x.to_vec();
    for first in (1..=m / 2).step_by(width) {
        let count = width.min(m / 2 + 1 - first);
        let (low, mates) = (&x[first..][..count], &x[m + 1 - first - count..][..count]);
        let [mut to, mut back] = [low.to_vec(), mates.to_vec()];
        step(kernel, T::of(factor), first, [low, mates], [&mut to, &mut back]);
        y[first..][..count].copy_from_slice(&to);
        y[m + 1 - first - count..][..count].copy_from_slice(&back);
    }
    y.split_off(1)
}

fn pairs_are_those_of_real_numbers<T: Real>(isa: Isa, n: usize, factor: f64) {
    let kernel = mirror::<T>(isa, n).unwrap();
    assert_eq!((kernel.name(), kernel.len()), (&*format!("earth-{}", isa.name()), n));
    let (m, points) = (n / 2, noise::<T>(n / 2));
    let numbers = numbers(&points);
    let (transform, spectrum) = (dft(&points), dft(&numbers));
    for width in [1, 3, 16, 100, n] {
        let found =
            stepped(&*kernel, |k, f, at, x, y| k.split(f, at, x, y), factor, &narrow(&transform, 1.0), width);
        let expected: Vec<_> = spectrum[1..m].iter().map(|x| x * factor).collect();
        let error = relative_error(&found, &expected);
        assert!(error <= bound::<T>(n), "{kernel:?} by {width}: {error}");
        let found = stepped(
            &*kernel,
            |k, f, at, x, y| k.merge(f, at, x, y),
            factor,
            &narrow(&spectrum[..m], 1.0),
            width,
        );
        // A merge does not divide by two.
        let expected: Vec<_> = transform[1..].iter().map(|x| x * 2.0 * factor).collect();
        let error = relative_error(&found, &expected);
        assert!(error <= bound::<T>(n), "{kernel:?} by {width}, back: {error}");
    }
}

#[test]
fn every_even_length_has_its_pairs() {
    for isa in Isa::all() {
        for n in (4..=200).step_by(2).chain([202, 510, 512, 1000, 1022]) {
            pairs_are_those_of_real_numbers::<f64>(isa, n, 1.0);
            pairs_are_those_of_real_numbers::<f32>(isa, n, 0.25);
        }
        assert!(mirror::<f64>(isa, 0).is_none() && mirror::<f32>(isa, 7).is_none());
    }
}

fn refused(first: usize, lengths: [usize; 4]) {
    let [a, b, mut c, mut d] = lengths.map(noise::<f64>);
    mirror(Isa::best(), 16).unwrap().split(1.0, first, [&a, &b], [&mut c, &mut d]);
}

#[test]
#[should_panic(expected = "3 pairs from point 6 on of 8")]
fn pairs_past_the_last_are_refused() {
    refused(6, [3; 4]);
}

#[test]
#[should_panic(expected = "1 pairs from point 0 on of 8")]
fn the_point_without_a_mate_is_refused() {
    refused(0, [1; 4]);
}

#[test]
#[should_panic(expected = "the slices of pairs have different lengths")]
fn slices_of_other_lengths_are_refused() {
    refused(1, [2, 2, 2, 3]);
}
