//! The whole program compared with the definition and the laws of the transform, on real cores.

use earth::{Config, Machine};
use earth_fft::Precision;
use earth_kernels::{Direction, bound, relative_error, twiddle};
use earth_tests::{noise, powers, sender};
use num_complex::Complex;

use crate::alike::{against_the_definition, holds};

type Signal = Vec<Complex<f64>>;

fn forward(machine: &mut Machine, signal: &[Complex<f64>], block: usize) -> Signal {
    sender(machine, signal.to_vec(), block, Direction::Forward).unwrap().spectrum
}

fn it_is_the_definition<T: Precision>() {
    for config in [Config::Spn, Config::Dual] {
        let mut machine = Machine::threads(3).config(config);
        for points in powers(1024) {
            let blocks: Vec<_> = powers(points).filter(|block| points / block <= 128).collect();
            against_the_definition::<T, _>(points, &blocks, |signal, direction, block| {
                sender(&mut machine, signal, block, direction).unwrap().spectrum
            });
        }
    }
}

#[test]
fn it_is_the_definition_in_both_precisions() {
    it_is_the_definition::<f32>();
    it_is_the_definition::<f64>();
}

#[test]
fn long_transforms_hold() {
    let mut machine = Machine::threads(2);
    for (points, block) in [(1 << 13, 16), (1 << 14, 4096), (1 << 16, 256), (1 << 16, 1 << 15)] {
        holds(points, &format!("blocks of {block}"), |signal, direction| {
            sender(&mut machine, signal, block, direction).unwrap().spectrum
        });
    }
}

#[test]
fn a_sum_of_signals_has_the_sum_of_spectra() {
    let (n, block, mut machine) = (512, 8, Machine::threads(2));
    let (a, b) = (Complex::new(0.75, -2.0), Complex::new(-1.5, 0.125));
    let (x, y) = (noise::<f64>(n, 5), noise::<f64>(n, 6));
    let both: Signal = x.iter().zip(&y).map(|(x, y)| a * x + b * y).collect();
    let (fx, fy) = (forward(&mut machine, &x, block), forward(&mut machine, &y, block));
    let expected: Signal = fx.iter().zip(&fy).map(|(x, y)| a * x + b * y).collect();
    let error = relative_error(&forward(&mut machine, &both, block), &expected);
    assert!(error <= bound::<f64>(n), "{error}");
}

#[test]
fn impulses_go_round_the_circle() {
    let (n, mut machine) = (64, Machine::threads(2));
    for at in 0..n {
        let mut signal = vec![Complex::new(0.0, 0.0); n];
        signal[at] = Complex::new(1.0, 0.0);
        let spectrum = forward(&mut machine, &signal, 4);
        for (k, found) in spectrum.iter().enumerate() {
            assert!((found - twiddle::<f64>(at * k, n)).norm() < 1e-15, "impulse at {at}, output {k}");
        }
    }
}

#[test]
fn a_shifted_signal_has_a_turned_spectrum() {
    let (n, block, mut machine) = (256, 16, Machine::threads(2));
    let signal = noise::<f64>(n, 7);
    let spectrum = forward(&mut machine, &signal, block);
    for shift in [1, 5, 16, 128, 255] {
        let mut shifted = signal.clone();
        shifted.rotate_right(shift);
        let expected: Signal =
            spectrum.iter().enumerate().map(|(k, x)| x * twiddle::<f64>(shift * k, n)).collect();
        let error = relative_error(&forward(&mut machine, &shifted, block), &expected);
        assert!(error <= bound::<f64>(n), "{shift}: {error}");
    }
}

#[test]
fn forward_and_back_is_the_identity() {
    let (n, mut machine) = (1024, Machine::threads(3));
    let signal = noise::<f64>(n, 8);
    let spectrum = forward(&mut machine, &signal, 4);
    let back = sender(&mut machine, spectrum, 32, Direction::Inverse).unwrap().spectrum;
    assert!(relative_error(&back, &signal) <= 2.0 * bound::<f64>(n));
}

/// Every output depends on every input. One input that is not finite makes all outputs not finite, without an
/// error.
#[test]
fn non_finite_values_propagate() {
    let mut machine = Machine::threads(2);
    for (at, bad) in [(0, f64::NAN), (17, f64::INFINITY), (63, f64::NEG_INFINITY), (32, f64::NAN)] {
        let mut signal = noise::<f64>(64, 9);
        signal[at].im = bad;
        for block in [1, 4, 64] {
            let spectrum = forward(&mut machine, &signal, block);
            assert!(spectrum.iter().all(|x| !x.is_finite()), "{bad} at {at}, blocks of {block}");
        }
    }
}
