//! Work on one tile: two phases, part by part, with polls at equal distances.
//!
//! A tile has planes of z, and each plane has rows. A part is a limited number of rows of a limited number of
//! planes, so that its points are still in the cache when the second phase reads them. Before the exchange,
//! the first phase transforms the rows of a part along y, and the second one packs them. After the exchange,
//! the first phase unpacks rows, and the second one transforms them along x.
//!
//! The poll `j` of the F polls of a phase comes after `j / F` of its rows, rounded up.

use std::ops::Range;

/// Position in the work on a tile: an iterator of its chunks.
#[derive(Debug)]
pub struct TileWork {
    planes: Range<usize>,
    rows: usize,
    /// Most rows and planes of a part.
    part: [usize; 2],
    /// Number of polls of each phase.
    polls: [usize; 2],
    /// Part in progress, its phase, and number of its rows that are done in this phase.
    at: usize,
    phase: usize,
    done: usize,
    /// Number of rows of the tile that are done in each phase.
    all_done: [usize; 2],
}

/// Rows of one plane that are worked on without a poll.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chunk {
    /// Phase: 0 or 1.
    pub phase: usize,
    /// Plane of z, of the whole array.
    pub plane: usize,
    /// Rows of the rank.
    pub rows: Range<usize>,
    /// Whether a poll follows.
    pub polls: bool,
}

impl TileWork {
    /// Makes the work on these planes of z, with `rows` rows in each. A part has this number of rows and of
    /// planes at most. Each of the two phases has its number of polls.
    pub fn new(planes: Range<usize>, rows: usize, part: [usize; 2], polls: [usize; 2]) -> Self {
        Self { planes, rows, part, polls, at: 0, phase: 0, done: 0, all_done: [0; 2] }
    }

    /// Returns the planes and the rows of the part in progress.
    fn present(&self) -> Option<[Range<usize>; 2]> {
        let [rows, planes] = self.part;
        let across = self.rows.div_ceil(rows);
        if across == 0 {
            return None;
        }
        let (down, right) = (self.at / across, self.at % across);
        let first = self.planes.start + down * planes;
        let is_left = first < self.planes.end;
        let row = right * rows;
        is_left.then(|| [first..self.planes.end.min(first + planes), row..self.rows.min(row + rows)])
    }

    /// Returns the number of rows until the next poll of a phase, if one is left.
    fn until_poll(&self, phase: usize) -> Option<usize> {
        let (polls, rows) = (self.polls[phase], self.planes.len() * self.rows);
        let done = self.all_done[phase];
        // The number of polls after `done` rows.
        let polled = done * polls / rows;
        (polls > 0).then(|| ((polled + 1) * rows).div_ceil(polls) - done)
    }
}

impl Iterator for TileWork {
    type Item = Chunk;

    /// Returns the next rows, or `None` if the tile is done.
    fn next(&mut self) -> Option<Chunk> {
        let [planes, rows] = self.present()?;
        let phase = self.phase;
        let (down, right) = (self.done / rows.len(), self.done % rows.len());
        let until_poll = self.until_poll(phase);
        let number = (rows.len() - right).min(until_poll.unwrap_or(usize::MAX));
        let first = rows.start + right;
        self.done += number;
        self.all_done[phase] += number;
        if self.done == planes.len() * rows.len() {
            self.done = 0;
            self.phase = 1 - phase;
            self.at += phase;
        }
        let (plane, rows) = (planes.start + down, first..first + number);
        Some(Chunk { phase, plane, rows, polls: until_poll == Some(number) })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn chunks(work: TileWork) -> Vec<Chunk> {
        work.collect()
    }

    #[test]
    fn a_part_is_packed_before_the_next_one_is_transformed() {
        let found = chunks(TileWork::new(4..6, 3, [2, 1], [0, 0]));
        let chunk = |phase, plane, rows| Chunk { phase, plane, rows, polls: false };
        assert_eq!(
            found,
            [
                chunk(0, 4, 0..2),
                chunk(1, 4, 0..2),
                chunk(0, 4, 2..3),
                chunk(1, 4, 2..3),
                chunk(0, 5, 0..2),
                chunk(1, 5, 0..2),
                chunk(0, 5, 2..3),
                chunk(1, 5, 2..3),
            ]
        );
    }

    #[test]
    fn a_tile_without_rows_or_planes_has_no_work() {
        assert_eq!(chunks(TileWork::new(4..6, 0, [2, 1], [3, 3])), []);
        assert_eq!(chunks(TileWork::new(4..4, 3, [2, 1], [3, 3])), []);
    }

    proptest! {
        /// Each phase has each row of each plane once, and polls at equal distances.
        #[test]
        fn phases_have_all_rows_and_polls(
            start in 0..3_usize, planes in 1..9_usize, rows in 1..9_usize,
            part in prop::array::uniform2(1..10_usize), shares in prop::array::uniform2(0..101_usize),
        ) {
            let all = planes * rows;
            let polls = shares.map(|share| all * share / 100);
            let found = chunks(TileWork::new(start..start + planes, rows, part, polls));
            for (phase, polls) in polls.into_iter().enumerate() {
                let of_phase = || found.iter().filter(|chunk| chunk.phase == phase);
                let mut seen: Vec<_> =
                    of_phase().flat_map(|chunk| chunk.rows.clone().map(|row| (chunk.plane, row))).collect();
                prop_assert_eq!(of_phase().filter(|chunk| chunk.polls).count(), polls);
                let mut done = 0;
                for chunk in of_phase() {
                    let before = done * polls / all;
                    done += chunk.rows.len();
                    prop_assert_eq!(done * polls / all - before, usize::from(chunk.polls));
                }
                seen.sort_unstable();
                let every = (start..start + planes).flat_map(|plane| (0..rows).map(move |row| (plane, row)));
                prop_assert_eq!(seen, every.collect::<Vec<_>>());
            }
            // The second phase of a row comes after its first one.
            for (at, chunk) in found.iter().enumerate().filter(|(_, chunk)| chunk.phase == 1) {
                let first = |row: usize| found[..at].iter()
                    .any(|other| other.phase == 0 && other.plane == chunk.plane && other.rows.contains(&row));
                prop_assert!(chunk.rows.clone().all(first));
            }
        }
    }
}
