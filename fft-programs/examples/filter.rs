//! Smooths the bundled sunspot numbers by a convolution: multiplies their spectrum by a Gaussian's, and
//! transforms back.
//!
//! ```text
//! cargo run -p earth-fft --example filter
//! ```
//!
//! A product of spectra is the spectrum of a circular convolution. Zeros behind both series keep the end of
//! one series from wrapping around to the beginning of the other.

use std::error::Error;

use earth_fft::{Complex, Planner, Problem, TransformError};

/// A header, and the numbers of the years from 1700 to 2008.
const SUNSPOTS: &str = include_str!("../data/sunspots.csv");

/// Standard deviation of the Gaussian in years, and its reach to either side.
const WIDTH: f64 = 6.0;
const REACH: i32 = 24;

fn main() -> Result<(), Box<dyn Error>> {
    demonstrate()
}

pub(crate) fn demonstrate() -> Result<(), Box<dyn Error>> {
    let years = SUNSPOTS.lines().skip(1).map(str::parse).collect::<Result<Vec<f64>, _>>()?;
    let bell: Vec<_> =
        (-REACH..=REACH).map(|year| (-0.5 * (f64::from(year) / WIDTH).powi(2)).exp()).collect();
    let area: f64 = bell.iter().sum();
    let bell: Vec<_> = bell.into_iter().map(|weight| weight / area).collect();

    let smooth = convolve(&years, &bell)?;

    let direct = convolve_directly(&years, &bell);
    let error = smooth.iter().zip(&direct).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    assert!(smooth.len() == direct.len() && error < 1e-11, "off by {error}");
    // The years whose window has no padding. The middle of the Gaussian is `REACH` years before its end.
    let begin = 2 * REACH as usize;
    let whole = smooth[begin..years.len()].iter().enumerate();
    let (at, most) = whole.max_by(|a, b| a.1.total_cmp(b.1)).ok_or("no years")?;
    println!("{most:.0} sunspots a year around {}, the most of all times", 1700 + at + REACH as usize);
    Ok(())
}

/// Convolves two series: sums the products of all pairs of numbers by the sum of their indices.
fn convolve(a: &[f64], b: &[f64]) -> Result<Vec<f64>, TransformError> {
    let len = a.len() + b.len() - 1;
    // Any length from here on is correct, and a power of two is fast.
    let padded = len.next_power_of_two();
    let planner = Planner::new();
    let forward = planner.plan_real_to_complex(&Problem::real_to_complex(&[padded]))?;
    let inverse = planner.plan_complex_to_real(&Problem::complex_to_real(&[padded]))?;

    let spectrum = |series: &[f64]| -> Result<Vec<Complex<f64>>, TransformError> {
        let mut numbers = series.to_vec();
        numbers.resize(padded, 0.0);
        let mut points = vec![Complex::default(); padded / 2 + 1];
        forward.process(&numbers, &mut points)?;
        Ok(points)
    };
    let mut product = spectrum(a)?;
    product.iter_mut().zip(spectrum(b)?).for_each(|(x, y)| *x *= y);
    let mut sums = vec![0.0; padded];
    inverse.process(&mut product, &mut sums)?;
    sums.truncate(len);
    Ok(sums)
}

fn convolve_directly(a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        sums[i..].iter_mut().zip(b).for_each(|(sum, y)| *sum += x * y);
    }
    sums
}
