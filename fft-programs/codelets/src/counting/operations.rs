//! Operation counts of kernels, from the plans of their stages: computed, moved and shuffled numbers, in
//! lanes.
//!
//! A vector instruction counts once for each lane, empty lanes included. The arithmetic of a butterfly is
//! [counted](crate::counting::tally). A stage of radix R takes for R points:
//!
//! * one butterfly,
//! * four operations for each of the R - 1 factors,
//! * loads and stores of points and factors.
//!
//! Deinterleaving or interleaving points takes two shuffles per vector of points. Transposing a square of
//! vectors, one for each lane, takes two shuffles per vector and level. Loads of constants, register spills
//! and masks are not counted.

use std::ops::{Add, Mul};

use crate::counting::tally::{butterfly, butterfly_in_pairs};

/// Operations on numbers in lanes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Operations {
    /// Numbers that are added, multiplied, or both in a fused instruction.
    pub arithmetic: u64,
    /// Numbers that are loaded or stored.
    pub moved: u64,
    /// Numbers that are moved to other lanes.
    pub shuffled: u64,
}

impl Add for Operations {
    type Output = Self;

    fn add(self, o: Self) -> Self {
        Self {
            arithmetic: self.arithmetic + o.arithmetic,
            moved: self.moved + o.moved,
            shuffled: self.shuffled + o.shuffled,
        }
    }
}

/// Multiplies all counts.
impl Mul<usize> for Operations {
    type Output = Self;

    fn mul(self, times: usize) -> Self {
        let times = times as u64;
        Self {
            arithmetic: self.arithmetic * times,
            moved: self.moved * times,
            shuffled: self.shuffled * times,
        }
    }
}

impl Operations {
    /// Counts a load or a store of `points` vectors of points.
    pub(crate) fn moved(points: usize) -> Self {
        Self { moved: 2, ..Self::default() } * points
    }

    /// Counts the deinterleaving or interleaving of `points` vectors of points.
    pub(crate) fn regrouped(points: usize) -> Self {
        Self { shuffled: 2, ..Self::default() } * points
    }

    /// Counts the transposition of `points` vectors of points with `lanes` lanes.
    pub(crate) fn transposed(points: usize, lanes: usize) -> Self {
        Self { shuffled: 2 * u64::from(lanes.ilog2()), ..Self::default() } * points
    }

    /// Counts a butterfly in registers.
    pub(crate) fn butterfly(radix: usize) -> Self {
        Self { arithmetic: butterfly(radix), ..Self::default() }
    }

    /// Counts a butterfly whose points have both parts in one vector, with loads, stores, and factors of
    /// `turned` outputs.
    pub(crate) fn in_pairs(radix: usize, turned: usize) -> Self {
        let (arithmetic, shuffled) = butterfly_in_pairs(radix);
        let turned = turned as u64;
        Self {
            arithmetic: arithmetic + 2 * turned,
            moved: 2 * (radix as u64 + turned),
            shuffled: shuffled + turned,
        }
    }

    /// Counts the transposition of `vectors` vectors of `width` points with both parts.
    pub(crate) fn transposed_pairs(vectors: usize, width: usize) -> Self {
        Self { shuffled: u64::from(width.ilog2()), ..Self::default() } * vectors
    }

    /// Counts the multiplication of `points` vectors of points by factors from memory.
    pub(crate) fn multiplied(points: usize) -> Self {
        Self { arithmetic: 4, moved: 2, shuffled: 0 } * points
    }
}
