//! The other half of a spectrum of real numbers, and complex conjugates.
//!
//! The point at the negated indices of all transformed axes is the conjugate of a point. A transform of real
//! numbers makes the first half along the last axis. [`mirror`] makes the rest. *Cost.* Each point is written
//! once, and half of the points are read.

use earth_axes::copies::Source;
use earth_fft::{Complex, Precision};

use crate::array::{List, View};

/// Points that are read as their conjugates.
#[derive(Debug)]
pub(crate) struct Conjugates<'a, T>(pub(crate) &'a [Complex<T>]);

impl<T: Precision> Source<Complex<T>> for Conjugates<'_, T> {
    #[inline]
    fn load(&self, at: usize) -> Complex<T> {
        self.0[at].conj()
    }
}

/// Replaces points by their conjugates.
pub(crate) fn conjugate<T: Precision>(points: &mut [Complex<T>]) {
    for point in points {
        point.im = -point.im;
    }
}

/// Makes the second half of a spectrum from its first half along the last of `axes`, for arrays of the
/// lengths and strides of a view. Then replaces all points by their conjugates if `conjugated`.
pub(crate) fn mirror<T: Precision>(points: &mut [Complex<T>], view: &View, axes: &[isize], conjugated: bool) {
    let Some((&last, before)) = axes.split_last() else { return };
    let last = last.cast_unsigned();
    let (length, stride) = (view.lengths()[last], view.strides()[last]);
    // Each other axis with its length, its stride, and whether indices along it are negated.
    let others: Vec<_> = (0..view.lengths().len())
        .filter(|at| *at != last)
        .map(|at| (view.lengths()[at], view.strides()[at], before.contains(&at.cast_signed())))
        .collect();
    let mut indices: List = std::iter::repeat_n(0, others.len()).collect();
    loop {
        let [mut line, mut mirrored] = [view.origin().cast_signed(); 2];
        for (index, (length, stride, negated)) in indices.iter().zip(&others) {
            line += index * stride;
            mirrored += if *negated && *index > 0 { length - index } else { *index } * stride;
        }
        let at = |start: isize, index: isize| (start + index * stride).cast_unsigned();
        for index in length / 2 + 1..length {
            points[at(line, index)] = points[at(mirrored, length - index)].conj();
        }
        let mut moved = indices.iter_mut().zip(&others).rev();
        // The last axis moves first.
        if !moved.any(|(index, (length, ..))| {
            *index = (*index + 1) % length;
            *index > 0
        }) {
            break;
        }
    }
    if conjugated {
        conjugate(points);
    }
}
