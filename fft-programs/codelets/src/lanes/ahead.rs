//! Software prefetch during computation, some cache lines at a time.
//!
//! The rows of a large matrix are in main memory. A strip of them is hundreds of kilobytes, in pieces that no
//! hardware prefetcher predicts. A core has about twenty cache lines in flight at a time, so prefetching all
//! lines at once would stall. But the stages between the first and the last one work in the lane buffers
//! only. During these stages, the lines that the first stage reads next are prefetched, a few with every few
//! butterflies, and arrive in the L2 cache.
//!
//! *Cost.* An instruction per line. *When it loses.* If the rows are already in the caches. So only matrices
//! [beyond the caches](earth_kernels::Caches::is_beyond) are prefetched.

use std::ops::Range;

use super::Lanes;
use crate::isa::Lane;
use crate::scratch::LINE;
use crate::vector::prefetch_to_second;

/// Returns the distance between the first and the last of some rows, in bytes, or 0 if there are no rows.
///
/// # Safety
///
/// The list has `count` rows.
pub(super) unsafe fn extent<T>(rows: *const *const T, count: usize) -> usize {
    // SAFETY: the caller guarantees this.
    if count > 0 { unsafe { rows.read().addr().abs_diff(rows.add(count - 1).read().addr()) } } else { 0 }
}

/// Range of some rows, part of which is still to be prefetched.
pub(crate) struct Ahead {
    rows: *const *const u8,
    /// Step between these rows in the list.
    step: usize,
    /// Number of remaining rows.
    count: usize,
    /// Start of the range in each row, in bytes.
    begin: usize,
    /// Size of the range, in bytes.
    bytes: usize,
    /// Number of bytes that have been prefetched in the first of these rows.
    requested: usize,
    /// Number of lines to prefetch with each vector of a stage.
    pace: usize,
}

impl Ahead {
    /// Returns an empty prefetch.
    pub(super) fn nothing() -> Self {
        Self { rows: std::ptr::null(), step: 0, count: 0, begin: 0, bytes: 0, requested: 0, pace: 0 }
    }

    /// Creates the prefetch of the numbers `at` of `count` rows, which are every `step`th row of the list. It
    /// completes while `lanes` runs its middle stages, at a constant number of lines per vector.
    pub(super) fn new<T: Lane>(
        lanes: &Lanes<T>,
        rows: *const *const T,
        step: usize,
        count: usize,
        at: Range<usize>,
    ) -> Self {
        let lines = (lanes.vector * size_of::<T>()).div_ceil(LINE);
        let stages = lanes.levels.len().saturating_sub(1).max(1);
        Self {
            rows: rows.cast(),
            step,
            count,
            begin: at.start * size_of::<T>(),
            bytes: at.len() * size_of::<T>(),
            requested: 0,
            pace: lines.div_ceil(stages),
        }
    }

    /// Returns whether no row remains.
    pub(super) fn is_over(&self) -> bool {
        self.count == 0
    }

    /// Prefetches the lines that belong to `vectors` vectors of a stage.
    ///
    /// # Safety
    ///
    /// The list has all remaining rows.
    pub(super) unsafe fn prefetch(&mut self, vectors: usize) {
        let mut lines = vectors * self.pace;
        while lines > 0 && self.count > 0 {
            // SAFETY: the caller guarantees this.
            let row = unsafe { self.rows.read() };
            prefetch_to_second(row.wrapping_add(self.begin + self.requested));
            lines -= 1;
            self.requested += LINE;
            if self.requested >= self.bytes {
                (self.rows, self.count, self.requested) =
                    (self.rows.wrapping_add(self.step), self.count - 1, 0);
            }
        }
    }
}
