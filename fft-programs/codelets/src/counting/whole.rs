//! Operation counts of whole kernels.

use earth_kernels::Real;

use crate::counting::operations::Operations;
use crate::counting::tally::real_pair;
use crate::isa::{Isa, Lane};
use crate::kinds::matrix::MatrixColumns;
use crate::kinds::rows::Rows;
use crate::kinds::turned::TransposingRows;

/// Orientation of the transformed lines.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Along {
    /// Rows, in place.
    Rows,
    /// Columns of a matrix, in place.
    Columns,
    /// Rows of a matrix that become columns.
    Turned,
}

/// Counts as [`operations`](crate::operations()) does.
pub(crate) fn of<T: Lane>(isa: Isa, along: Along, len: usize, lines: usize) -> Option<Operations> {
    Some(match along {
        Along::Rows => Rows::<T>::plan(isa, len)?.operations(lines),
        Along::Columns => MatrixColumns::<T>::plan(isa, len)?.operations(lines),
        Along::Turned => TransposingRows::<T>::plan(isa, len, lines)?.operations(),
    })
}

/// Counts the step between real numbers and half as many points, for `lines` lines of `points` points.
pub fn real_operations<T: Real>(points: usize, lines: usize) -> Operations {
    let lanes = if size_of::<T>() == size_of::<f32>() {
        Isa::best().lanes::<f32>()
    } else {
        Isa::best().lanes::<f64>()
    };
    // A pair reads and writes two points and reads a factor; one of the two points is reversed twice.
    let pair = Operations { arithmetic: real_pair(), ..Operations::moved(5) }
        + Operations::regrouped(4)
        + Operations { shuffled: 4, ..Operations::default() };
    pair * lanes * (points / 2).div_ceil(lanes) * lines
}
