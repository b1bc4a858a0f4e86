//! Real series for examples: yearly sunspot numbers, 1700 to 2008.
//!
//! The Sun's activity has a period of about eleven years, so the spectrum has its strongest line near 1/11
//! cycles a year. `data/README.md` has the source and the license.

use num_complex::Complex;

use crate::io::csv;
use crate::signal::{Samples, Signal, Values};

/// Year of the first number; each next number is a year later.
pub const FIRST_YEAR: usize = 1700;

/// The numbers as text, one a year.
pub const SUNSPOTS: &str = include_str!("../../../data/sunspots.csv");

/// Returns the whole series: 309 real samples, one a year.
///
/// # Panics
///
/// Never: the text is part of the program, and a test reads it.
pub fn sunspots() -> Signal {
    csv::read(SUNSPOTS.as_bytes(), &csv::Options::default())
        .expect("the bundled series is a column of numbers")
}

/// Returns the series as a signal of `n` samples around zero, for programs that take a power of two.
///
/// The mean of the kept samples is subtracted, so that the line at zero frequency does not dwarf the others.
/// If `n` is at most 309, the newest `n` years are kept. Otherwise zeros follow the series, which makes the
/// steps of the spectrum finer without adding information.
pub fn sunspots_of(n: usize) -> Vec<Complex<f64>> {
    let Samples::F64(Values::Real(all)) = sunspots().samples else { unreachable!("it is a column of text") };
    let kept = &all[all.len().saturating_sub(n)..];
    let mean = kept.iter().sum::<f64>() / kept.len().max(1) as f64;
    let mut samples: Vec<_> = kept.iter().map(|year| Complex::from(year - mean)).collect();
    samples.resize(n, Complex::new(0.0, 0.0));
    samples
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;
    use crate::signal::Note;

    #[test]
    fn the_series_is_whole() {
        let signal = sunspots();
        let Samples::F64(Values::Real(samples)) = signal.samples else { panic!("real, double precision") };
        assert!(matches!(&signal.notes[..], [Note::Header { line: 1, real, .. }] if real == "sunspots"));
        assert_eq!(samples.len(), 2008 - FIRST_YEAR + 1);
        let of = |year: usize| samples[year - FIRST_YEAR];
        // The maximum of 1957 is the highest on record.
        assert_eq!(
            (of(1700), of(1957), of(2008)).partial_cmp(&(5.0, 190.2, 2.9)),
            Some(std::cmp::Ordering::Equal)
        );
        assert!(samples.iter().all(|x| (0.0..=190.2).contains(x)));
    }

    #[test]
    fn the_eleven_year_line_is_the_strongest_at_every_length() {
        for n in [128, 256, 309, 512, 1024] {
            let x = sunspots_of(n);
            assert_eq!(x.len(), n);
            let amplitude = |k: usize| {
                let sum: Complex<f64> = x
                    .iter()
                    .enumerate()
                    .map(|(j, z)| z * Complex::from_polar(1.0, -TAU * ((j * k) % n) as f64 / n as f64))
                    .sum();
                sum.norm()
            };
            let strongest = (1..=n / 2).max_by(|&a, &b| amplitude(a).total_cmp(&amplitude(b))).unwrap();
            let years = n as f64 / strongest as f64;
            assert!((10.0..12.0).contains(&years), "n = {n}: {years} years");
            assert!(amplitude(strongest) > 100.0 * amplitude(0) || n > 309);
        }
    }

    #[test]
    fn zeros_follow_the_series_and_the_newest_years_are_kept() {
        let long = sunspots_of(400);
        assert!(long[309..].iter().all(|z| z.norm() <= 0.0));
        let (short, longer) = (sunspots_of(2), sunspots_of(4));
        assert!(((short[0] - short[1]) - (longer[2] - longer[3])).norm() < 1e-12);
        assert!(((short[0] - short[1]).re - (7.5 - 2.9)).abs() < 1e-12);
        assert!(sunspots_of(0).is_empty());
    }
}
