//! What kernels do, counted by the plans of their stages: numbers that are computed, moved and shuffled, in lanes.
//!
//! A vector instruction counts as many as it has lanes, those that are empty included. The arithmetic of a butterfly is
//! [counted](crate::tally); a stage of radix R takes a butterfly for R points, four operations for each of the R - 1 factors,
//! and loads and stores of points and factors. To take points apart, or put them together, are two shuffles a vector of
//! points, to transpose as many vectors as there are lanes two for each level of it. It counts what the loops say: no constants
//! that are loaded, no registers that are stored for want of others, no masks.

use std::ops::{Add, Mul};

use earth_kernels::Real;

use crate::isa::{Isa, Lane};
use crate::matrix::MatrixColumns;
use crate::rows::Rows;
use crate::tally::{butterfly, real_pair};
use crate::turned::TurnedRows;

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

/// How lines lie that are transformed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Along {
    /// Rows, where they are.
    Rows,
    /// Columns of a matrix, where they are.
    Columns,
    /// Rows of a matrix that become columns.
    Turned,
}

/// What the project's own kernel of the widest vectors does for so many lines of `len` points; `None` if there is none.
pub fn operations<T: Real>(along: Along, len: usize, lines: usize) -> Option<Operations> {
    if size_of::<T>() == size_of::<f32>() {
        of::<f32>(Isa::best(), along, len, lines)
    } else {
        of::<f64>(Isa::best(), along, len, lines)
    }
}

fn of<T: Lane>(isa: Isa, along: Along, len: usize, lines: usize) -> Option<Operations> {
    Some(match along {
        Along::Rows => Rows::<T>::plan(isa, len)?.operations(lines),
        Along::Columns => MatrixColumns::<T>::plan(isa, len)?.operations(lines),
        Along::Turned => TurnedRows::<T>::plan(isa, len, lines)?.operations(),
    })
}

/// What the step between real numbers and half as many points does for so many lines of `points` points.
pub fn real_operations<T: Real>(points: usize, lines: usize) -> Operations {
    let lanes = if size_of::<T>() == size_of::<f32>() {
        Isa::best().lanes::<f32>()
    } else {
        Isa::best().lanes::<f64>()
    };
    // Two points are read and written, a factor is read, and one of both is turned round twice.
    let pair = Operations { arithmetic: real_pair(), ..Operations::moved(5) }
        + Operations::regrouped(4)
        + Operations { shuffled: 4, ..Operations::default() };
    pair * lanes * (points / 2).div_ceil(lanes) * lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand, of 64 columns of 64 points: 8 x 8.
    #[test]
    fn a_stage_is_its_butterflies_and_factors() {
        for isa in Isa::all() {
            let lanes = isa.lanes::<f64>();
            let eights = 8;
            let expected = Operations {
                arithmetic: 2 * eights * 52 + eights * 7 * 4,
                moved: 2 * eights * 8 * 4 + eights * 7 * 2,
                shuffled: 2 * 64 * 2,
            };
            assert_eq!(of::<f64>(isa, Along::Columns, 64, 64), Some(expected * 64), "{}", isa.name());
            // A column more takes another vector of them.
            let more = of::<f64>(isa, Along::Columns, 64, 65);
            assert_eq!(more, Some(expected * (64 + lanes)), "{}", isa.name());
        }
    }

    /// Every way of rows takes at least the arithmetic of its radices, and less than twice as much where no lane is empty.
    #[test]
    fn rows_of_every_way_take_what_their_points_take() {
        for isa in Isa::all() {
            for len in [64, 1024, 3 * 1024, 1 << 16, 1 << 20] {
                for along in [Along::Rows, Along::Turned] {
                    let found = of::<f64>(isa, along, len, 16).expect("a kernel");
                    let (points, stages) = (16.0 * len as f64, (len as f64).log2());
                    let a_point = found.arithmetic as f64 / points / stages;
                    assert!((2.0..5.0).contains(&a_point), "{len}, {}, {along:?}: {a_point}", isa.name());
                    assert!(found.moved as f64 >= 4.0 * points && found.shuffled as f64 >= 4.0 * points);
                }
            }
            assert_eq!(of::<f32>(isa, Along::Rows, 17, 1), None);
        }
        // One row of a batch takes as long as all lanes.
        let isa = Isa::best();
        let lanes = isa.lanes::<f64>();
        if !lanes.is_multiple_of(3) && lanes > 3 {
            assert_eq!(of::<f64>(isa, Along::Rows, 3, 1), of::<f64>(isa, Along::Rows, 3, lanes));
        }
        let [one, two] = [1, 2].map(|lines| real_operations::<f64>(256, lines));
        assert_eq!(one * 2, two);
    }
}
