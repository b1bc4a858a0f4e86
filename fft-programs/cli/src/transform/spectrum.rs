//! Spectrum in memory: whole, or the half that determines the spectrum of real numbers.
//!
//! Real numbers `x` of lengths `n1 x .. x nd` have a spectrum with
//! `X[k1, .., kd] = conj X[n1 - k1, .., nd - kd]`, with indices modulo the lengths. So the values up to
//! `nd / 2` of each row suffice, and the others are computed on access. That costs a few divisions a value,
//! much less than writing it.

use earth_fft::Precision;
use earth_memory::{NoMemory, try_reserve};
use num_complex::Complex;

/// Values of a spectrum with dimensions of some lengths, row by row.
#[derive(Debug)]
pub(super) struct Spectrum<T> {
    lengths: Vec<usize>,
    stored: Stored<T>,
}

#[derive(Debug)]
enum Stored<T> {
    /// All values.
    Whole(Vec<Complex<T>>),
    /// The values of each row up to half its length.
    Half(Vec<Complex<T>>),
}

/// Returns the number of real numbers that half the spectrum of a row of `n` takes: two for each of
/// `n / 2 + 1` values.
pub(super) fn padded(n: usize) -> usize {
    2 * (n / 2 + 1)
}

/// Moves rows of `cols` numbers apart, from the last one on, so that each has space for [`padded`] numbers.
pub(super) fn make_room<T: Precision>(numbers: &mut Vec<T>, cols: usize) -> Result<(), NoMemory> {
    let rows = numbers.len() / cols;
    // Exactly these numbers, as they become points afterwards.
    try_reserve(numbers, rows * (padded(cols) - cols), "rows that are apart")?;
    numbers.resize(rows * padded(cols), T::zero());
    for row in (1..rows).rev() {
        numbers.copy_within(row * cols..(row + 1) * cols, row * padded(cols));
    }
    Ok(())
}

impl<T: Precision> Spectrum<T> {
    /// Creates a spectrum of all values.
    pub(super) fn whole(lengths: &[usize], values: Vec<Complex<T>>) -> Self {
        Self { lengths: lengths.to_vec(), stored: Stored::Whole(values) }
    }

    /// Creates a spectrum of real numbers from the values of each row up to half its length.
    pub(super) fn half(lengths: &[usize], values: Vec<Complex<T>>) -> Self {
        Self { lengths: lengths.to_vec(), stored: Stored::Half(values) }
    }

    /// Returns the number of its values.
    pub(super) fn len(&self) -> usize {
        self.lengths.iter().product()
    }

    /// Returns the value at `col` of a row. The dimensions before the last one number the rows.
    pub(super) fn value(&self, row: usize, col: usize) -> Complex<T> {
        let n = self.lengths.last().map_or(1, |&n| n);
        match &self.stored {
            Stored::Whole(values) => values[row * n + col],
            Stored::Half(values) if col <= n / 2 => values[row * (n / 2 + 1) + col],
            Stored::Half(values) => values[self.opposite(row) * (n / 2 + 1) + n - col].conj(),
        }
    }

    /// Returns the row of the opposite frequencies.
    fn opposite(&self, mut row: usize) -> usize {
        let (mut opposite, mut rows) = (0, 1);
        for &length in self.lengths.iter().rev().skip(1) {
            opposite += (length - row % length) % length * rows;
            row /= length;
            rows *= length;
        }
        opposite
    }

    /// Yields all values, row by row.
    pub(super) fn values(&self) -> impl ExactSizeIterator<Item = Complex<T>> {
        let n = self.lengths.last().map_or(1, |&n| n);
        (0..self.len()).map(move |at| self.value(at / n, at % n))
    }
}

#[cfg(test)]
mod tests {
    use earth_kernels::{Direction, dft_bin};

    use super::*;

    /// The half is cut out of the definition's spectrum, and the whole is compared with that.
    #[test]
    fn half_a_spectrum_determines_the_whole() {
        for lengths in
            [&[1][..], &[2], &[7], &[8], &[1, 5], &[4, 6], &[5, 3], &[6, 1], &[3, 4, 5], &[2, 3, 2]]
        {
            let n = lengths.iter().product();
            let numbers: Vec<_> = (0..n).map(|at| Complex::from((at * at * 7 % 31) as f64 - 3.0)).collect();
            let expected: Vec<_> =
                (0..n).map(|at| dft_bin(lengths, &numbers, at, Direction::Forward)).collect();
            let cols = lengths[lengths.len() - 1];
            let half = expected.chunks(cols).flat_map(|row| &row[..=cols / 2]).copied();
            let half = Spectrum::half(lengths, half.collect());
            let far = half.values().zip(&expected).any(|(found, expected)| (found - expected).norm() > 1e-11);
            assert!(half.values().len() == n && !far, "{lengths:?}: {half:?} is not {expected:?}");
            let whole = Spectrum::whole(lengths, expected.clone());
            assert!(whole.values().eq(expected), "{lengths:?}");
        }
    }
}
