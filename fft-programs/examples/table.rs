//! Finds the tone of each of several sensors: a batch of the columns of a table, as an array of `ndarray`.
//!
//! ```text
//! cargo run -p earth-fft --features ndarray --example table
//! ```

use std::error::Error;
use std::f64::consts::TAU;

use earth_fft::{Complex, Planner, Problem};
use ndarray::{Array2, Axis, s};

/// Readings of the sensors in a second, and in total.
const RATE: f64 = 1000.0;
const READINGS: usize = 1500;

/// Tone of each sensor, in cycles a second.
const TONES: [f64; 4] = [50.0, 120.0, 333.0, 42.0];

fn main() -> Result<(), Box<dyn Error>> {
    demonstrate()
}

pub(crate) fn demonstrate() -> Result<(), Box<dyn Error>> {
    // A row for each reading, with the time before the sensors.
    let table = Array2::from_shape_fn((READINGS, 1 + TONES.len()), |(row, column)| {
        let time = row as f64 / RATE;
        if column == 0 { time } else { 0.3 + (TAU * TONES[column - 1] * time).sin() }
    });

    // A batch is the outermost axis, so the columns become rows of the view. No element is moved.
    let sensors = table.slice(s![.., 1..]).reversed_axes();
    let problem = Problem::real_to_complex(&[READINGS]).batch(TONES.len());
    let mut spectra = Array2::from_elem((TONES.len(), READINGS / 2 + 1), Complex::default());
    Planner::new().plan_real_to_complex(&problem)?.process_arrays(&sensors, &mut spectra)?;

    for (spectrum, tone) in spectra.axis_iter(Axis(0)).zip(TONES) {
        // Without the mean, which is at frequency 0.
        let loudest = spectrum.iter().enumerate().skip(1).max_by(|a, b| a.1.norm().total_cmp(&b.1.norm()));
        let found = loudest.ok_or("no readings")?.0 as f64 * RATE / READINGS as f64;
        println!("a tone of {found:.1} cycles a second");
        assert!((found - tone).abs() <= RATE / READINGS as f64, "{found} and not {tone}");
        assert!((spectrum[0].re - 0.3 * READINGS as f64).abs() < 1.0);
    }
    Ok(())
}
