//! Solves Poisson's equation in a periodic box: the potential of given charges, in three dimensions, on real
//! numbers.
//!
//! ```text
//! cargo run -p earth-fft --example poisson
//! ```
//!
//! In the spectrum, the operator `-(d²/dx² + d²/dy² + d²/dz²)` multiplies a wave by the square of its
//! frequency. So a division solves the equation.

use std::error::Error;
use std::f64::consts::TAU;

use earth_fft::{Complex, Planner, Problem, TransformError};

/// Points along x, y and z. The box has the length 2 pi along each axis.
const SIDES: [usize; 3] = [32, 40, 27];

fn main() -> Result<(), Box<dyn Error>> {
    demonstrate()
}

pub(crate) fn demonstrate() -> Result<(), Box<dyn Error>> {
    let charges = sample(|x, y, z| {
        let bend = |s: f64, c: f64| s * s - c;
        -potential(x, y, z) * (bend(x.sin(), x.cos()) + bend(y.cos(), y.sin()) - 4.0)
    });

    let found = solve(&charges)?;

    let expected = sample(potential);
    let error = found.iter().zip(&expected).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    assert!(found.len() == expected.len() && error < 1e-12, "off by {error}");
    println!("the potential at {} points is off by {error:.1e} at most", found.len());
    Ok(())
}

/// A potential with a mean of 0, because charges do not determine the mean.
fn potential(x: f64, y: f64, z: f64) -> f64 {
    (x.cos() + y.sin()).exp() * (2.0 * z).cos()
}

/// Returns the potential of charges.
fn solve(charges: &[f64]) -> Result<Vec<f64>, TransformError> {
    let planner = Planner::new();
    let forward = planner.plan_real_to_complex(&Problem::real_to_complex(&SIDES))?;
    let inverse = planner.plan_complex_to_real(&Problem::complex_to_real(&SIDES))?;
    let half = [SIDES[0], SIDES[1], SIDES[2] / 2 + 1];

    let mut waves = vec![Complex::default(); half.iter().product()];
    forward.process(charges, &mut waves)?;
    // Waves past the middle have negative frequencies.
    let square = |k: usize, n: usize| (k.min(n - k) as f64).powi(2);
    for (at, wave) in waves.iter_mut().enumerate() {
        let k = [at / half[2] / half[1], at / half[2] % half[1], at % half[2]];
        let squares: f64 = k.into_iter().zip(SIDES).map(|(k, n)| square(k, n)).sum();
        *wave = if squares == 0.0 { Complex::default() } else { *wave / squares };
    }
    let mut potential = vec![0.0; charges.len()];
    inverse.process(&mut waves, &mut potential)?;
    Ok(potential)
}

/// Returns a function's values at all points, with z as the innermost dimension.
fn sample(function: impl Fn(f64, f64, f64) -> f64) -> Vec<f64> {
    let place = |at: usize, n: usize| TAU * at as f64 / n as f64;
    let [nx, ny, nz] = SIDES;
    let at = |at: usize| function(place(at / nz / ny, nx), place(at / nz % ny, ny), place(at % nz, nz));
    (0..nx * ny * nz).map(at).collect()
}
