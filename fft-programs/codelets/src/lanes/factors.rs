//! Tables of the stages' factors.

use std::sync::OnceLock;

use earth_kernels::Direction;
use num_complex::Complex;

use crate::isa::Lane;

/// Writes the real parts of factors, then their imaginary parts.
pub(crate) fn write_piece<T: Lane>(piece: &mut [T], factors: impl Iterator<Item = Complex<T>>) {
    let (re, im) = piece.split_at_mut(piece.len() / 2);
    for ((re, im), factor) in re.iter_mut().zip(im).zip(factors) {
        (*re, *im) = (factor.re, factor.im);
    }
}

/// Factors of a stage, in pieces of `width` real parts and `width` imaginary parts.
///
/// The inverse table has the conjugates of the forward table. Most plans transform in one direction, so the
/// inverse table is computed at its first use.
pub(crate) struct Factors<T> {
    width: usize,
    forward: Vec<T>,
    inverse: OnceLock<Vec<T>>,
}

impl<T: Lane> Factors<T> {
    /// Creates a forward table of `numbers` numbers, written by `fill`.
    pub(crate) fn new(numbers: usize, width: usize, fill: impl FnOnce(&mut [T])) -> Self {
        let mut forward = vec![T::zero(); numbers];
        fill(&mut forward);
        Self { width, forward, inverse: OnceLock::new() }
    }

    /// Returns the table of a direction.
    pub(crate) fn for_direction(&self, direction: Direction) -> &[T] {
        match direction {
            Direction::Forward => &self.forward,
            Direction::Inverse => self.inverse.get_or_init(|| self.conjugate()),
        }
    }

    #[cold]
    fn conjugate(&self) -> Vec<T> {
        let mut inverse = self.forward.clone();
        for piece in inverse.chunks_exact_mut(2 * self.width) {
            for im in &mut piece[self.width..] {
                *im = -*im;
            }
        }
        inverse
    }
}
