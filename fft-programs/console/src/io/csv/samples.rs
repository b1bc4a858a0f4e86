//! Samples of a table in the order of its rows, with replacements for missing ones.

use num_complex::Complex;

use super::error::CsvError;
use crate::signal::{Note, Values};

/// Replacement of a missing value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Missing {
    /// None: an error with its line and column
    #[default]
    Error,
    /// By 0
    Zero,
    /// By linear interpolation between both neighbors
    Linear,
    /// By NaN
    Nan,
}

/// Consecutive missing values, until a value ends them.
#[derive(Clone, Copy, Debug)]
struct Gap {
    /// Position of the first.
    begin: usize,
    line: u64,
}

/// Series of real or complex samples.
pub(in crate::io) struct Series {
    values: Values<f64>,
    missing: Missing,
    /// Open gaps of the real and imaginary parts.
    gaps: [Option<Gap>; 2],
    /// Number of samples with a missing part, and the line of the first.
    replaced: usize,
    first: u64,
}

impl Series {
    pub(in crate::io) fn new(is_complex: bool, missing: Missing) -> Self {
        let values = if is_complex { Values::Complex(Vec::new()) } else { Values::Real(Vec::new()) };
        Self { values, missing, gaps: [None; 2], replaced: 0, first: 0 }
    }

    /// Appends a sample, with `None` for a missing part. The imaginary part of a real sample is ignored.
    ///
    /// # Errors
    ///
    /// No memory, or a missing value that cannot be interpolated because no value precedes it.
    pub(in crate::io) fn push(&mut self, line: u64, parts: [Option<f64>; 2]) -> Result<(), CsvError> {
        let stand_in = if self.missing == Missing::Nan { f64::NAN } else { 0.0 };
        let [re, im] = parts.map(|part| part.unwrap_or(stand_in));
        let place = self.values.count();
        match &mut self.values {
            Values::Real(numbers) => {
                numbers.try_reserve(1).map_err(|_| CsvError::Memory(line))?;
                numbers.push(re);
            }
            Values::Complex(points) => {
                points.try_reserve(1).map_err(|_| CsvError::Memory(line))?;
                points.push(Complex::new(re, im));
            }
        }
        let parts = &parts[..if matches!(self.values, Values::Real(_)) { 1 } else { 2 }];
        if parts.contains(&None) {
            self.first = if self.replaced == 0 { line } else { self.first };
            self.replaced += 1;
        }
        if self.missing == Missing::Linear {
            for (part, value) in parts.iter().enumerate() {
                match (value, self.gaps[part]) {
                    (None, None) if place == 0 => return Err(CsvError::NoNeighbour { line, side: "before" }),
                    (None, None) => self.gaps[part] = Some(Gap { begin: place, line }),
                    (Some(_), Some(gap)) => {
                        self.gaps[part] = None;
                        self.interpolate(part, gap.begin, place);
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Makes real samples complex.
    pub(in crate::io) fn make_complex(&mut self, line: u64) -> Result<(), CsvError> {
        if let Values::Real(numbers) = &self.values {
            let mut points = Vec::new();
            points.try_reserve(numbers.len() + 1).map_err(|_| CsvError::Memory(line))?;
            points.extend(numbers.iter().map(|&re| Complex::from(re)));
            self.values = Values::Complex(points);
            self.gaps[1] = self.gaps[0];
        }
        Ok(())
    }

    /// Interpolates the values from `begin` to `end`, exclusive, between their neighbors.
    fn interpolate(&mut self, part: usize, begin: usize, end: usize) {
        let (before, after) = (*self.at(part, begin - 1), *self.at(part, end));
        let step = (after - before) / (end + 1 - begin) as f64;
        for place in begin..end {
            *self.at(part, place) = before + step * (place + 1 - begin) as f64;
        }
    }

    fn at(&mut self, part: usize, place: usize) -> &mut f64 {
        match &mut self.values {
            Values::Real(numbers) => &mut numbers[place],
            Values::Complex(points) => {
                let Complex { re, im } = &mut points[place];
                if part == 0 { re } else { im }
            }
        }
    }

    /// Returns the samples, and a note of the number of missing ones if there were any.
    ///
    /// # Errors
    ///
    /// A missing value that cannot be interpolated because no value follows it.
    pub(in crate::io) fn end(self) -> Result<(Values<f64>, Option<Note>), CsvError> {
        if let Some(Gap { line, .. }) = self.gaps.into_iter().flatten().next() {
            return Err(CsvError::NoNeighbour { line, side: "after" });
        }
        let Self { values, missing, replaced, first, .. } = self;
        let by = match missing {
            Missing::Error | Missing::Zero => "became 0",
            Missing::Linear => "were interpolated",
            Missing::Nan => "became NaN",
        };
        let note = Note::Replaced { count: replaced, line: first, by };
        Ok((values, (replaced > 0).then_some(note)))
    }
}
