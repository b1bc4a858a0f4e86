//! `.npy` files of version 1.0, without the project's own writer and reader.

use std::f64::consts::TAU;
use std::fs;
use std::path::Path;

use earth_fft::Complex;

/// Returns a file: a header of this type, order and shape, and the bytes of the samples.
pub(crate) fn file(descr: &str, fortran: bool, lengths: &[usize], body: &[u8]) -> Vec<u8> {
    let fortran = if fortran { "True" } else { "False" };
    let header = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {}, }}", shape(lengths));
    // The length of all before the samples is a multiple of 64.
    let header = format!("{header:<117}\n");
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), body].concat()
}

/// Returns a shape as Python spells it.
fn shape(lengths: &[usize]) -> String {
    match lengths {
        [n] => format!("({n},)"),
        lengths => format!("({})", lengths.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// Returns the samples of a file, which must have this type and shape.
#[track_caller]
pub(crate) fn body(path: &Path, descr: &str, lengths: &[usize]) -> Vec<u8> {
    let bytes = fs::read(path).unwrap();
    let first = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = String::from_utf8(bytes[10..first].to_vec()).unwrap();
    assert!(header.contains(&format!("'{descr}'")), "{header}");
    assert!(header.contains("'fortran_order': False"), "{header}");
    assert!(header.contains(&shape(lengths)), "{header}");
    bytes[first..].to_vec()
}

/// Returns the points of a `complex128` file, which must have this shape.
#[track_caller]
pub(crate) fn points(path: &Path, lengths: &[usize]) -> Vec<Complex<f64>> {
    let words = body(path, "<c16", lengths);
    let words: Vec<_> = words.as_chunks().0.iter().map(|word| f64::from_le_bytes(*word)).collect();
    assert_eq!(words.len(), 2 * lengths.iter().product::<usize>());
    words.as_chunks().0.iter().map(|&[re, im]| Complex::new(re, im)).collect()
}

/// Returns the points of a `complex64` file, which must have this shape.
#[track_caller]
pub(crate) fn single_points(path: &Path, lengths: &[usize]) -> Vec<Complex<f64>> {
    let words = body(path, "<c8", lengths);
    let words: Vec<_> = words.as_chunks().0.iter().map(|word| f32::from_le_bytes(*word).into()).collect();
    assert_eq!(words.len(), 2 * lengths.iter().product::<usize>());
    words.as_chunks().0.iter().map(|&[re, im]| Complex::new(re, im)).collect()
}

/// Returns the bytes of numbers.
pub(crate) fn bytes<const WIDTH: usize>(numbers: impl Iterator<Item = [u8; WIDTH]>) -> Vec<u8> {
    numbers.flatten().collect()
}

/// Returns numbers without any symmetry.
pub(crate) fn numbers(n: usize) -> impl Iterator<Item = f64> + Clone {
    (0..n).map(|at| (at as f64 * at as f64 * 0.37).sin() + (at as f64 * TAU / 11.0).cos())
}

/// Returns points without any symmetry.
pub(crate) fn noise(n: usize) -> Vec<Complex<f64>> {
    numbers(n).zip(numbers(2 * n).skip(n)).map(|(re, im)| Complex::new(re, im)).collect()
}

/// Returns the bytes of points in double precision.
pub(crate) fn bytes_of(points: &[Complex<f64>]) -> Vec<u8> {
    bytes(points.iter().flat_map(|point| [point.re, point.im]).map(f64::to_le_bytes))
}
