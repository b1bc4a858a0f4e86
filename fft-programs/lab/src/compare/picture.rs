//! Spectrum as a picture of a few lines of text: bars over the frequencies from 0 to half the sampling rate.
//!
//! A column shows the strongest bin of a band, so a narrow line is not averaged away. Zero frequency is left
//! out: it is the mean, and would dwarf the rest.

use std::fmt::{self, Write as _};

use earth_fft::{Precision, magnitude};
use num_complex::Complex;

/// Most columns of a picture; fewer bins give fewer columns.
const WIDTH: usize = 48;

/// Number of lines of bars.
const HEIGHT: usize = 4;

/// Bars of 0 to 8 eighths of a cell.
const EIGHTHS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Strengths of the bands of a spectrum.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Picture {
    /// Amplitude of each column, relative to the strongest.
    bands: Vec<f64>,
    /// Column of the strongest line.
    strongest: usize,
    /// Period of the strongest line, in samples.
    pub(super) period: f64,
}

impl Picture {
    /// Summarizes a whole spectrum. Returns `None` if it has no line except at zero frequency, or is not
    /// finite.
    pub(super) fn of<T: Precision>(spectrum: &[Complex<T>]) -> Option<Self> {
        let half = spectrum.len() / 2;
        let amplitude = |bin: usize| magnitude(spectrum[bin]);
        // A frequency and its negative are one line of a real signal; in a complex signal they may be two
        // lines.
        let line = |bin: usize| amplitude(bin).max(amplitude(spectrum.len() - bin));
        let strongest = (1..=half).max_by(|&a, &b| line(a).total_cmp(&line(b)))?;
        let top = line(strongest);
        if !(top > 0.0 && top.is_finite()) {
            return None;
        }
        let width = half.min(WIDTH);
        let first = |column: usize| 1 + column * half / width;
        let band =
            |column| (first(column)..first(column + 1)).fold(0.0, |most: f64, bin| most.max(line(bin) / top));
        Some(Self {
            bands: (0..width).map(band).collect(),
            strongest: (0..width).rfind(|&column| first(column) <= strongest).unwrap_or(0),
            period: spectrum.len() as f64 / strongest as f64,
        })
    }

    /// Draws the bars, a scale, and a mark under the strongest line. `unit` is the distance between two
    /// samples.
    pub(super) fn draw(&self, unit: &str) -> String {
        let mut text = String::new();
        self.draw_on(&mut text, unit).map_or_else(|error| error.to_string(), |()| text)
    }

    fn draw_on(&self, text: &mut String, unit: &str) -> fmt::Result {
        for floor in (0..HEIGHT).rev() {
            let cell = |band: &f64| {
                // The strongest band fills all cells, and any nonzero band is visible.
                let eighths = (band * (8 * HEIGHT) as f64).ceil() as usize;
                EIGHTHS[eighths.saturating_sub(8 * floor).min(8)]
            };
            let line: String = self.bands.iter().map(cell).collect();
            writeln!(text, "  {}", line.trim_end())?;
        }
        let rule: String =
            (0..self.bands.len()).map(|at| if at == self.strongest { '┴' } else { '─' }).collect();
        writeln!(text, " 0{rule} 1/2 cycle a {unit}")?;
        let mark = format!("strongest line: one cycle in {:.1} {unit}s", self.period);
        // The mark starts at the column, or ends there if the line is too short.
        let indent =
            (2 + self.strongest).saturating_sub(if self.strongest > WIDTH / 2 { mark.len() - 1 } else { 0 });
        write!(text, "{:indent$}{mark}", "")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spectrum(n: usize, lines: &[(usize, f64)]) -> Vec<Complex<f64>> {
        let mut spectrum = vec![Complex::new(0.0, 0.0); n];
        for &(bin, amplitude) in lines {
            spectrum[bin] = Complex::new(0.0, -amplitude);
        }
        spectrum
    }

    #[test]
    fn the_strongest_line_off_zero_is_found_on_either_side() {
        let period = |lines: &[(usize, f64)]| Picture::of(&spectrum(64, lines)).map(|picture| picture.period);
        assert_eq!(period(&[(0, 9.0), (4, 2.0), (9, 1.0)]), Some(16.0));
        assert_eq!(period(&[(4, 2.0), (64 - 8, 3.0)]), Some(8.0), "a negative frequency");
        assert_eq!(period(&[(32, 1.0)]), Some(2.0), "half the rate");
        assert_eq!(period(&[(0, 9.0)]), None);
        assert_eq!(period(&[(3, f64::INFINITY)]), None);
        assert_eq!(period(&[(3, f64::NAN)]), None);
        assert_eq!(Picture::of(&spectrum(1, &[(0, 1.0)])), None);
        assert_eq!(Picture::of(&spectrum(2, &[(1, 1.0)])).map(|picture| picture.period), Some(2.0));
    }

    #[test]
    fn a_column_is_the_strongest_of_its_band() {
        // Bins 1 to 4 WIDTH, four per column: bin 9 is the first of the third column, and the last bin is in
        // the last.
        let n = 8 * WIDTH;
        let picture = Picture::of(&spectrum(n, &[(9, 1.0), (n / 2, 4.0)])).unwrap();
        assert_eq!((picture.bands.len(), picture.strongest), (WIDTH, WIDTH - 1));
        let mut expected = [0.0; WIDTH];
        (expected[2], expected[WIDTH - 1]) = (0.25, 1.0);
        assert_eq!(picture.bands, expected);
    }

    #[test]
    fn bars_stand_on_a_scale_and_the_strongest_is_named() {
        let picture = Picture::of(&spectrum(16, &[(1, 1.0), (2, 2.0), (8, 0.01)])).unwrap();
        let drawn = picture.draw("year");
        let lines: Vec<_> = drawn.lines().collect();
        assert_eq!(
            lines,
            [
                "   █",
                "   █",
                "  ██",
                "  ██     ▁",
                " 0─┴────── 1/2 cycle a year",
                "   strongest line: one cycle in 8.0 years",
            ]
        );
        let right = Picture::of(&spectrum(512, &[(256, 4.0)])).unwrap().draw("sample");
        let last = right.lines().last().unwrap();
        assert!(last.ends_with("one cycle in 2.0 samples") && last.len() == 2 + WIDTH, "{last}");
    }
}
