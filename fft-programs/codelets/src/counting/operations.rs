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
//! Deinterleaving or interleaving points takes two shuffles per vector of points. Transposing as many vectors
//! as lanes takes two shuffles per vector and level. Loads of constants, register spills and masks are not
//! counted.

use std::ops::{Add, Mul};

use crate::counting::tally::butterfly;

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

    /// Counts the multiplication of `points` vectors of points by factors from memory.
    pub(crate) fn multiplied(points: usize) -> Self {
        Self { arithmetic: 4, moved: 2, shuffled: 0 } * points
    }
}
