//! Memory that is asked for ahead of time, some lines at a time, while something else is computed.
//!
//! The rows of a large matrix lie in main memory, and a strip of them is hundreds of kilobytes in pieces that no processor
//! foresees. A core has some twenty lines under way at a time, so what is asked for at once is waited for. But the stages
//! between the first and the last one work in the lane buffers alone: while they are at it, the lines that the first stage
//! reads next are asked for, a few with every few butterflies, and arrive in the second cache.
//!
//! *Cost.* An instruction a line. *When it loses.* Where the rows are in the caches already.

use std::ops::Range;

use super::Lanes;
use crate::isa::Lane;
use crate::scratch::LINE;
use crate::vector::prefetch_to_second;

/// The bytes from the first row of a matrix to its last one past which its rows are asked for ahead of time, and a result is
/// written past the caches. A matrix of 4 MiB gains nothing, one of 8 MiB a fifth of the time (measured with 1 MiB of second
/// and 32 MiB of third cache).
pub(super) const FAR: usize = 4 << 20;

/// The bytes past which a matrix is written past the caches where it was read, too: the lines that were read have been
/// replaced by others before all of a strip is written.
pub(super) const FARTHER: usize = 32 << 20;

/// The bytes from the first of some rows to the last one; none if there are no rows.
///
/// # Safety
///
/// The list has `count` rows.
pub(super) unsafe fn extent<T>(rows: *const *const T, count: usize) -> usize {
    // SAFETY: the caller's.
    if count > 0 { unsafe { rows.read().addr().abs_diff(rows.add(count - 1).read().addr()) } } else { 0 }
}

/// A piece of each of some rows, not all of which has been asked for.
pub(crate) struct Ahead {
    rows: *const *const u8,
    /// From a row to the next in the list.
    step: usize,
    /// The rows that are left.
    count: usize,
    /// Where the piece begins in each row, in bytes.
    begin: usize,
    /// The bytes of the piece.
    bytes: usize,
    /// The bytes that have been asked for in the first of these rows.
    asked: usize,
    /// The lines to ask for with each vector of a stage.
    pace: usize,
}

impl Ahead {
    /// Nothing to ask for.
    pub(super) fn nothing() -> Self {
        Self { rows: std::ptr::null(), step: 0, count: 0, begin: 0, bytes: 0, asked: 0, pace: 0 }
    }

    /// The numbers `at` of `count` rows, of which every `step`th is in the list, to be asked for by the time that `lanes` have
    /// gone through their stages in between, once for each of their vectors.
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
            asked: 0,
            pace: lines.div_ceil(stages),
        }
    }

    /// Whether nothing is left.
    pub(super) fn is_over(&self) -> bool {
        self.count == 0
    }

    /// Asks for the lines that go with so many vectors of a stage.
    ///
    /// # Safety
    ///
    /// The list has all rows that are left.
    pub(super) unsafe fn ask(&mut self, vectors: usize) {
        let mut lines = vectors * self.pace;
        while lines > 0 && self.count > 0 {
            // SAFETY: the caller's.
            let row = unsafe { self.rows.read() };
            prefetch_to_second(row.wrapping_add(self.begin + self.asked));
            lines -= 1;
            self.asked += LINE;
            if self.asked >= self.bytes {
                (self.rows, self.count, self.asked) = (self.rows.wrapping_add(self.step), self.count - 1, 0);
            }
        }
    }
}
