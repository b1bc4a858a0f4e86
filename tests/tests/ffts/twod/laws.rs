//! The whole program compared with the definition and the laws of the transform, on real cores.

use earth::{Config, Machine};
use earth_fft::Precision;
use earth_kernels::{Direction, bound, dft_nd, relative_error, twiddle};
use earth_rustfft::RustFft;
use earth_tests::{BOTH, matrix, matrix_model, noise};
use num_complex::Complex;

type Signal = Vec<Complex<f64>>;

fn forward(machine: &mut Machine, (rows, cols): (usize, usize), signal: &[Complex<f64>]) -> Signal {
    matrix(machine, rows, cols, signal.to_vec(), Some(3), Direction::Forward).unwrap().spectrum
}

fn it_is_the_definition<T: Precision>(
    shapes: impl Iterator<Item = (usize, usize)>,
    blocks: [Option<usize>; 2],
) {
    let mut machines = [Config::Spn, Config::Dual].map(|config| Machine::threads(3).config(config));
    for (rows, cols) in shapes {
        let (points, signal) = (rows * cols, noise::<T>(rows * cols, 2));
        for direction in BOTH {
            let expected = dft_nd(&[rows, cols], &signal, direction);
            for (machine, block) in machines.iter_mut().zip(blocks) {
                let found = matrix(machine, rows, cols, signal.clone(), block, direction).unwrap();
                let error = relative_error(&found.spectrum, &expected);
                assert!(error <= bound::<T>(points), "{rows} x {cols} by {block:?}, {direction:?}: {error}");
            }
        }
    }
}

#[test]
fn every_square_is_the_definition() {
    let sides = || (1..=32).chain([37, 40, 64, 101]);
    it_is_the_definition::<f64>(sides().map(|n| (n, n)), [None, Some(4)]);
    it_is_the_definition::<f32>(sides().map(|n| (n, n)), [Some(3), None]);
}

#[test]
fn every_small_rectangle_is_the_definition() {
    let shapes = || (1..=9).flat_map(|rows| (1..=9).map(move |cols| (rows, cols)));
    it_is_the_definition::<f64>(shapes(), [None, Some(2)]);
    it_is_the_definition::<f32>(shapes(), [Some(3), None]);
}

#[test]
fn primes_single_rows_and_columns_and_long_ones_are_the_definition() {
    let shapes = [
        (1, 128),
        (128, 1),
        (1, 97),
        (97, 1),
        (13, 17),
        (23, 11),
        (53, 7),
        (2, 250),
        (250, 2),
        (3, 127),
        (32, 64),
        (64, 16),
    ];
    it_is_the_definition::<f64>(shapes.into_iter(), [None, Some(10)]);
    it_is_the_definition::<f32>(shapes.into_iter(), [Some(10), None]);
}

#[test]
fn large_matrices_are_those_of_rows_and_columns() {
    let mut machine = Machine::threads(2);
    for (rows, cols, block) in [(256, 256, Some(32)), (300, 300, None), (500, 70, None), (64, 1000, Some(16))]
    {
        let signal = noise::<f64>(rows * cols, 3);
        for direction in BOTH {
            let expected = matrix_model(direction, &RustFft::new(cols), &RustFft::new(rows), &signal);
            let found = matrix(&mut machine, rows, cols, signal.clone(), block, direction).unwrap();
            let error = relative_error(&found.spectrum, &expected);
            assert!(error <= bound::<f64>(rows * cols), "{rows} x {cols}, {direction:?}: {error}");
        }
    }
}

#[test]
fn a_sum_of_signals_has_the_sum_of_spectra() {
    let mut machine = Machine::threads(2);
    for shape in [(20, 20), (12, 35)] {
        let n = shape.0 * shape.1;
        let (a, b) = (Complex::new(0.75, -2.0), Complex::new(-1.5, 0.125));
        let (x, y) = (noise::<f64>(n, 5), noise::<f64>(n, 6));
        let both: Signal = x.iter().zip(&y).map(|(x, y)| a * x + b * y).collect();
        let (fx, fy) = (forward(&mut machine, shape, &x), forward(&mut machine, shape, &y));
        let expected: Signal = fx.iter().zip(&fy).map(|(x, y)| a * x + b * y).collect();
        let error = relative_error(&forward(&mut machine, shape, &both), &expected);
        assert!(error <= bound::<f64>(n), "{error}");
    }
}

/// The spectrum of an impulse is one turn along each side. Two errors cannot cancel, and rows cannot be
/// confused with columns.
#[test]
fn impulses_go_round_both_circles() {
    let mut machine = Machine::threads(2);
    for (rows, cols) in [(8, 8), (4, 6), (7, 5)] {
        for at in 0..rows * cols {
            let mut signal = vec![Complex::new(0.0, 0.0); rows * cols];
            signal[at] = Complex::new(1.0, 0.0);
            let spectrum = forward(&mut machine, (rows, cols), &signal);
            let (j1, j2) = (at / cols, at % cols);
            for (k, found) in spectrum.iter().enumerate() {
                let (k1, k2) = (k / cols, k % cols);
                let expected = twiddle::<f64>(j1 * k1, rows) * twiddle::<f64>(j2 * k2, cols);
                assert!((found - expected).norm() < 1e-15, "{rows} x {cols}, impulse at {at}, output {k}");
            }
        }
    }
}

#[test]
fn a_shifted_signal_has_a_turned_spectrum() {
    let mut machine = Machine::threads(2);
    for (rows, cols) in [(16, 16), (9, 14)] {
        let signal = noise::<f64>(rows * cols, 7);
        let spectrum = forward(&mut machine, (rows, cols), &signal);
        for (down, right) in [(1, 0), (0, 1), (3, 5), (8, 13)] {
            let from =
                |i: usize, j: usize| signal[(i + rows - down) % rows * cols + (j + cols - right) % cols];
            let shifted: Signal = (0..rows * cols).map(|at| from(at / cols, at % cols)).collect();
            let turned =
                |k: usize| twiddle::<f64>(down * (k / cols), rows) * twiddle(right * (k % cols), cols);
            let expected: Signal = spectrum.iter().enumerate().map(|(k, x)| x * turned(k)).collect();
            let error = relative_error(&forward(&mut machine, (rows, cols), &shifted), &expected);
            assert!(error <= bound::<f64>(rows * cols), "{down} down, {right} right: {error}");
        }
    }
}

#[test]
fn forward_and_back_is_the_identity() {
    let mut machine = Machine::threads(3);
    for (rows, cols) in [(60, 60), (45, 77), (1, 500)] {
        let signal = noise::<f64>(rows * cols, 8);
        let spectrum = forward(&mut machine, (rows, cols), &signal);
        let back = matrix(&mut machine, rows, cols, spectrum, None, Direction::Inverse).unwrap().spectrum;
        assert!(relative_error(&back, &signal) <= 2.0 * bound::<f64>(rows * cols));
    }
}

/// Every output depends on every input. One input that is not finite makes all outputs not finite, without an
/// error.
#[test]
fn non_finite_values_propagate() {
    let mut machine = Machine::threads(2);
    for shape in [(8, 8), (4, 16)] {
        for (at, bad) in [(0, f64::NAN), (17, f64::INFINITY), (63, f64::NEG_INFINITY)] {
            let mut signal = noise::<f64>(64, 9);
            signal[at].im = bad;
            let spectrum = forward(&mut machine, shape, &signal);
            assert!(spectrum.iter().all(|x| !x.is_finite()), "{bad} at {at} of {shape:?}");
        }
    }
}
