use snapbox::{assert_data_eq, str};

use super::*;
use crate::io::png::read;
use crate::signal::{Samples, Values};

/// Returns the shades of a written picture, 0 to 255, row by row.
fn shades<T: Precision>(values: &[Complex<T>], size: (usize, usize), shades: Shades) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes, |row, col| values[row * size.1 + col], size, shades).unwrap();
    let signal = read(&bytes[..]).unwrap();
    assert_eq!(signal.lengths, [size.0, size.1]);
    let Samples::F64(Values::Real(samples)) = signal.samples else { panic!("real, double precision") };
    samples.iter().map(|sample| (sample * 255.0).round() as u8).collect()
}

fn re<const N: usize>(values: [f64; N]) -> Vec<Complex<f64>> {
    values.iter().map(|&re| Complex::new(re, 0.0)).collect()
}

#[test]
fn a_spectrum_is_drawn_by_logarithms_around_its_centre() {
    // 1 + |X| is 1, e and e^2: black, half and white. Zero frequency comes first and is drawn in the center.
    let e = 1.0_f64.exp();
    let mut values = vec![Complex::new(0.0, 0.0); 12];
    values[0] = Complex::new(0.0, e * e - 1.0);
    values[1] = Complex::new(1.0 - e, 0.0);
    let even = shades(&values, (3, 4), Shades::Spectrum);
    assert_eq!(even, [0, 0, 0, 0, 0, 0, 255, 128, 0, 0, 0, 0]);
    let odd = shades(&values, (4, 3), Shades::Spectrum);
    assert_eq!(odd, [0, 0, 0, 0, 0, 0, 0, 255, 128, 0, 0, 0]);
    assert_eq!(shades(&values[..1], (1, 1), Shades::Spectrum), [255]);
}

#[test]
fn the_shift_is_that_of_numpy() {
    // numpy.fft.fftshift(numpy.arange(n)) is 3 4 5 0 1 2 and 4 5 6 0 1 2 3 for n of 6 and 7.
    let ramp = |n: usize| (0..n).map(|bin| Complex::new((bin as f64).exp_m1(), 0.0)).collect::<Vec<_>>();
    let of = |n: usize, order: &[usize]| {
        let top = (n - 1) as f64;
        let expected: Vec<_> = order.iter().map(|&bin| (255.0 * bin as f64 / top).round() as u8).collect();
        assert_eq!(shades(&ramp(n), (1, n), Shades::Spectrum), expected);
        assert_eq!(shades(&ramp(n), (n, 1), Shades::Spectrum), expected);
    };
    of(6, &[3, 4, 5, 0, 1, 2]);
    of(7, &[4, 5, 6, 0, 1, 2, 3]);
}

#[test]
fn a_signal_is_clipped_and_keeps_its_place() {
    let values = re([-3.0, 0.0, 0.2, 1.0, 1.5, 128.0 / 255.0]);
    assert_eq!(shades(&values, (2, 3), Shades::Signal), [0, 0, 51, 255, 255, 128]);
    let all: Vec<_> = (0..=255_u8).map(|shade| Complex::new(f32::from(shade) / 255.0, 0.0)).collect();
    assert!(shades(&all, (16, 16), Shades::Signal).into_iter().eq(0..=255), "every shade comes back");
}

#[test]
fn non_finite_values_are_drawn_as_documented() {
    let odd = re([f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0]);
    // The center of 1 x 4 is the third position.
    assert_eq!(shades(&odd, (1, 4), Shades::Spectrum), [255, 0, 0, 255]);
    assert_eq!(shades(&odd, (1, 4), Shades::Signal), [0, 255, 0, 0]);
    let mut some = odd;
    some[3] = Complex::new(2.0, 0.0);
    assert_eq!(shades(&some, (1, 4), Shades::Spectrum), [255, 255, 0, 255]);
    let large = re([f64::MAX, f64::MAX, 0.0, f64::MIN_POSITIVE]);
    assert_eq!(shades(&large, (1, 4), Shades::Spectrum), [0, 0, 255, 255]);
    assert_eq!(shades(&re([0.0; 4]), (2, 2), Shades::Spectrum), [0; 4]);
    assert_eq!(shades(&[Complex::new(f32::MAX, f32::MAX)], (1, 1), Shades::Spectrum), [255]);
}

#[test]
fn items_outside_the_picture_are_counted() {
    let lost = |values: &[Complex<f64>]| Lost::of(values.iter().copied());
    let fine = [Complex::new(0.0, 1e-9), Complex::new(1.0 + 1e-9, -1e-3), Complex::new(-1e-12, 0.0)];
    assert!(lost(&fine).is_nothing());
    let wide = lost(&re([0.5, 1.1, -0.1, f64::NAN]));
    assert_data_eq!(
        wide.to_string(),
        str!["3 of 4 samples are outside of 0 to 1, which a .png does not show; a .npy keeps them"]
    );
    let turned = lost(&[Complex::new(0.5, 0.5), Complex::new(0.5, 0.0)]);
    assert_data_eq!(
        turned.to_string(),
        str!["1 of 2 samples have an imaginary part, which a .png does not show; a .npy keeps them"]
    );
    let both = lost(&[Complex::new(-0.5, 0.5), Complex::new(0.5, f64::NAN)]).to_string();
    assert!(both.starts_with("1 of 2 samples are outside of 0 to 1 and 2 have an imaginary part"), "{both}");
}

#[test]
fn the_same_values_give_the_same_bytes() {
    let values: Vec<_> =
        (0..3000).map(|at| Complex::new(f64::from(at * at % 97), f64::from(at % 13))).collect();
    let written = || {
        let mut bytes = Vec::new();
        write(&mut bytes, |row, col| values[row * 60 + col], (50, 60), Shades::Spectrum).unwrap();
        bytes
    };
    assert_eq!(written(), written());
}

#[test]
fn a_sink_that_fails_and_sizes_that_no_picture_has_are_errors() {
    struct Full(usize);
    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let white = |_, _| Complex::new(1.0, 0.0);
    let mut whole = Vec::new();
    write(&mut whole, white, (8, 8), Shades::Signal).unwrap();
    for room in 0..whole.len() {
        let error = write(Full(room), white, (8, 8), Shades::Signal).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{room}: {error}");
    }
    assert!(write(Full(whole.len()), white, (8, 8), Shades::Signal).is_ok());
    assert_eq!(
        write(Vec::new(), white, (0, 5), Shades::Signal).unwrap_err().kind(),
        io::ErrorKind::InvalidInput
    );
    assert!(side(1 << 31).is_err() && side((1 << 31) - 1).is_ok());
}
