//! Real picture for examples: a brick wall.
//!
//! The bricks stand on end, about thirteen side by side. So the strongest line of the spectrum is at 13
//! cycles a width, with its multiples in the same row. `data/README.md` has the source and the license.

use crate::io::png;
use crate::signal::Signal;

/// The picture as a `.png` file.
pub const BRICKS: &[u8] = include_bytes!("../../../data/bricks.png");

/// Returns the whole picture: 256 x 256 real samples from 0 (black) to 1 (white).
///
/// # Panics
///
/// Never: the file is part of the program, and a test reads it.
pub fn bricks() -> Signal {
    png::read(BRICKS).expect("the bundled picture is a picture")
}

#[cfg(test)]
mod tests {
    use earth_kernels::{Direction, dft_bin};

    use super::*;
    use crate::signal::{Samples, Values};

    #[test]
    fn the_picture_is_whole() {
        let signal = bricks();
        assert_eq!(signal.lengths, [256, 256]);
        assert!(signal.notes.is_empty());
        let Samples::F64(Values::Real(samples)) = signal.samples else { panic!("real, double precision") };
        let shade = |row: usize, col: usize| (samples[row * 256 + col] * 255.0).round() as u8;
        assert_eq!((shade(0, 0), shade(255, 255)), (99, 182));
        assert!(samples.iter().all(|sample| (0.0..=1.0).contains(sample)));
    }

    #[test]
    fn the_bricks_side_by_side_are_the_strongest_line() {
        let Samples::F64(values) = bricks().samples else { panic!("double precision") };
        let samples = values.into_points().unwrap();
        let line =
            |k: usize, l: usize| dft_bin(&[256, 256], &samples, k * 256 + l, Direction::Forward).norm();
        let thirteen = line(0, 13);
        assert!((1..13).chain(14..=128).step_by(3).all(|col| line(0, col) < 0.9 * thirteen));
        assert!((1..256).step_by(17).all(|row| line(row, 0) < 0.9 * thirteen));
        assert!(line(0, 0) > 40.0 * thirteen, "the mean of what is light dwarfs all else");
    }
}
