//! What kernels do, counted by the plans of their stages: numbers that are computed, moved and shuffled, in lanes.
//!
//! A vector instruction counts as many as it has lanes, those that are empty included. The arithmetic of a butterfly is
//! [counted](crate::counting::tally); a stage of radix R takes a butterfly for R points, four operations for each of the R - 1 factors,
//! and loads and stores of points and factors. To take points apart, or put them together, are two shuffles a vector of
//! points, to transpose as many vectors as there are lanes two for each level of it. It counts what the loops say: no constants
//! that are loaded, no registers that are stored for want of others, no masks.

use std::ops::{Add, Mul};

use crate::counting::tally::butterfly;

/// Operations on numbers in lanes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Operations {
    /// Numbers that are added, multiplied, or both at once.
    pub arithmetic: u64,
    /// Numbers that are loaded or stored.
    pub moved: u64,
    /// Numbers that are put into other lanes.
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

/// So many times as much.
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
    /// To load or store some vectors of points.
    pub(crate) fn moved(points: usize) -> Self {
        Self { moved: 2, ..Self::default() } * points
    }

    /// To take vectors of points apart, or put them together.
    pub(crate) fn regrouped(points: usize) -> Self {
        Self { shuffled: 2, ..Self::default() } * points
    }

    /// To transpose vectors of points of so many lanes.
    pub(crate) fn transposed(points: usize, lanes: usize) -> Self {
        Self { shuffled: 2 * u64::from(lanes.ilog2()), ..Self::default() } * points
    }

    /// A butterfly of a radix, in registers.
    pub(crate) fn butterfly(radix: usize) -> Self {
        Self { arithmetic: butterfly(radix), ..Self::default() }
    }

    /// To multiply vectors of points by factors, which are loaded.
    pub(crate) fn multiplied(points: usize) -> Self {
        Self { arithmetic: 4, moved: 2, shuffled: 0 } * points
    }
}
