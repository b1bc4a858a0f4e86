//! Plans of real numbers, and back to them.

use std::ffi::{c_int, c_uint, c_void};

use crate::interface::{PRESERVE_INPUT, across, lengths, plan};
use crate::plan::{FORWARD, Real, RealRows};

/// Transform of real numbers, or back to them, as the interface describes it.
pub(crate) struct OfReal {
    /// Rank, lengths, and number of transforms.
    pub(crate) shape: (c_int, *const c_int, c_int),
    pub(crate) strides: [c_int; 2],
    /// Allocated lengths of each dimension, of the numbers and of the points.
    pub(crate) within: [*const c_int; 2],
    /// Distances between transforms, in numbers and in points.
    pub(crate) between: [c_int; 2],
    /// Input and output.
    pub(crate) arrays: [*mut c_void; 2],
    pub(crate) flags: c_uint,
}

impl OfReal {
    /// Makes a plan in a direction. Returns a null pointer for what FFTW refuses, and for what tests do not
    /// need.
    ///
    /// # Safety
    ///
    /// The lengths are there for all dimensions, and the arrays meet the conditions of [`Plan::execute`].
    pub(crate) unsafe fn plan<R: Real>(self, sign: c_int) -> *mut c_void {
        let Self { shape: (rank, n, howmany), strides, within, between, arrays, flags } = self;
        // FFTW does not preserve spectra of several dimensions.
        let preserves = sign != FORWARD && rank != 1 && flags & PRESERVE_INPUT != 0;
        if !(1..=3).contains(&rank) || strides != [1; 2] || (howmany != 1 && rank != 1) || preserves {
            return std::ptr::null_mut();
        }
        // SAFETY: as the caller promised.
        let lengths = unsafe { lengths(n, rank) };
        let last = lengths.len() - 1;
        // SAFETY: as above.
        let [numbers, points] = within.map(|within| unsafe { *within.add(last) } as usize);
        let (len, width) = (lengths[last], lengths[last] / 2 + 1);
        let is_filled_up = arrays[0] != arrays[1] || numbers == 2 * points;
        if last > 0 && (numbers < len || points < width || !is_filled_up) {
            return std::ptr::null_mut();
        }
        let count = lengths[..last].iter().product();
        let rows = match [howmany, between[0], between[1]].map(|x| x as usize) {
            [1, ..] => RealRows { count, len, numbers, points },
            [count, numbers, points] => RealRows { count, len, numbers, points },
        };
        let passes = across(&lengths, width, points);
        // SAFETY: as the caller promised.
        unsafe { plan::<R>(Some(rows), passes, arrays, sign, flags) }
    }
}
