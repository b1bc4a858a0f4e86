//! Subjects of a comparison: a series or a matrix.
//!
//! The programs for one dimension need a power of two, so a series of any other length is zero-padded. A
//! subject is cut if eleven pairs per row would take more than a minute.

use earth_fft::{Precision, Shape};
use num_complex::Complex;

/// Most points of a series that are compared; at this size a row takes one or two seconds.
const MOST_POINTS: usize = 1 << 20;

/// Most rows, and most columns, of a matrix that are compared.
const LONGEST_SIDE: usize = 1 << 10;

/// Named samples.
#[derive(Clone, Debug)]
pub struct Subject<T> {
    /// Name, for people.
    pub name: String,
    /// Distance between two samples.
    pub unit: &'static str,
    /// Number of samples of the series, without the padding.
    pub given: usize,
    /// Shape of the transform.
    pub shape: Shape,
    /// Samples, of the shape's length; a power of two for a series.
    pub samples: Vec<Complex<T>>,
    /// One sentence for each cut and each padding.
    pub notes: Vec<String>,
}

impl<T: Precision> Subject<T> {
    /// Makes a subject of any samples, cut or padded so that they can be compared.
    pub fn fitted(name: String, samples: Vec<Complex<T>>, shape: Shape) -> Self {
        match shape {
            Shape::Line(_) => Self::line(name, samples),
            Shape::Matrix { rows, cols } => Self::matrix(name, samples, [rows, cols]),
        }
    }

    fn line(name: String, mut samples: Vec<Complex<T>>) -> Self {
        let (found, mut notes) = (samples.len(), Vec::new());
        if found > MOST_POINTS {
            notes.push(format!(
                "only the first {MOST_POINTS} of {found} samples are compared, so that it takes less than a minute"
            ));
            samples.truncate(MOST_POINTS);
        }
        let given = samples.len();
        let n = given.next_power_of_two();
        if n > given {
            notes.push(format!(
                "the mean of the {given} samples is subtracted, and zeros are appended up to {n}, a power of two"
            ));
            // Otherwise the step from the mean to the zeros would be the strongest line.
            let sum: Complex<f64> = samples.iter().map(|z| Complex::new(z.re.widen(), z.im.widen())).sum();
            let mean = Complex::new(T::of(sum.re / given as f64), T::of(sum.im / given as f64));
            for z in &mut samples {
                *z -= mean;
            }
            samples.resize(n, Complex::new(T::zero(), T::zero()));
        }
        Self { name, unit: "sample", given, shape: Shape::Line(n), samples, notes }
    }

    fn matrix(name: String, samples: Vec<Complex<T>>, found: [usize; 2]) -> Self {
        let [rows, cols] = found.map(|side| side.min(LONGEST_SIDE));
        let (samples, notes) = if [rows, cols] == found {
            (samples, Vec::new())
        } else {
            let note = format!(
                "only the upper left {rows} x {cols} of {} x {} samples are compared, so that it takes less than a minute",
                found[0], found[1]
            );
            (samples.chunks(found[1]).take(rows).flat_map(|row| &row[..cols]).copied().collect(), vec![note])
        };
        let (given, shape) = (samples.len(), Shape::Matrix { rows, cols });
        Self { name, unit: "sample", given, shape, samples, notes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp(n: u16) -> Vec<Complex<f32>> {
        (0..n).map(|j| Complex::new(f32::from(j), 0.5)).collect()
    }

    #[test]
    fn series_of_other_sizes_are_fitted() {
        let fitted = |samples: Vec<_>| {
            let shape = Shape::Line(samples.len());
            Subject::fitted("ramp".to_owned(), samples, shape)
        };
        let padded = fitted(ramp(5));
        let expected = [-2.0, -1.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0].map(|re| Complex::new(re, 0.0));
        assert_eq!((padded.given, padded.samples.as_slice()), (5, &expected[..]));
        let whole = fitted(ramp(8));
        assert_eq!((whole.given, &whole.samples), (8, &ramp(8)), "nothing is taken from a signal that fits");
        let mut long = vec![Complex::new(1.0, 0.0); MOST_POINTS + 1];
        long[MOST_POINTS].re = 7.0;
        let cut = fitted(long);
        assert_eq!((cut.given, cut.shape), (MOST_POINTS, Shape::Line(MOST_POINTS)));
        assert!(cut.samples.iter().all(|z| z.re < 2.0));
    }

    #[test]
    fn matrices_of_any_size_stay_as_they_are_unless_too_long() {
        let fitted =
            |rows, cols, samples| Subject::fitted("m".to_owned(), samples, Shape::Matrix { rows, cols });
        let whole = fitted(3, 5, ramp(15));
        assert_eq!((whole.shape, whole.samples), (Shape::Matrix { rows: 3, cols: 5 }, ramp(15)));
        let wide = LONGEST_SIDE + 2;
        let cut = fitted(2, wide, ramp(2 * wide as u16));
        assert_eq!(cut.shape, Shape::Matrix { rows: 2, cols: LONGEST_SIDE });
        let starts = [cut.samples[0].re, cut.samples[LONGEST_SIDE].re];
        assert_eq!((starts, cut.samples.len()), ([0.0, wide as f32], 2 * LONGEST_SIDE));
    }
}
