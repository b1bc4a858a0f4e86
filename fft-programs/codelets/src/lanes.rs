//! Transform in lanes: one transform of `n` points per lane, all at once. A vector has one point of each
//! transform.
//!
//! The algorithm is mixed-radix decimation in time, in one lane buffer (see `stage.rs`). Blocks that fit into
//! the L1 cache are transformed one after another, each by all of its stages, before a stage combines them.
//! So for any length, only the stages above such blocks go through the L2 cache.
//!
//! *Padding.* The last stage combines blocks at a distance that is a power of two for many lengths. Then all
//! points of a butterfly map to one set of the L1 cache. Unless all of them fit into this set, a free vector
//! follows each block.

mod ahead;
mod factors;
mod strip;
mod turned;

use std::ops::{Add, Range};

use earth_kernels::{Circle, Direction};
use num_complex::Complex;

use ahead::Ahead;
pub(crate) use factors::{Factors, write_piece};
pub(crate) use strip::Strips;
pub(crate) use turned::{Turned, TurnedJob};

use crate::butterfly::of_radix;
use crate::counting::operations::Operations;
use crate::isa::{Entry, Isa, Lane};
use crate::pieces::stage::{First, FirstJob, Inner, InnerJob, Start};

/// Size of a block that goes through all its stages before the next block, in bytes: half of the L1 cache.
const RESIDENT: usize = 16 << 10;

/// Number of butterflies of a stage above such blocks between prefetches.
const TURN: usize = 8;

/// Plan of a transform in lanes.
pub(crate) struct Lanes<T> {
    points: usize,
    /// Size of a vector of points, in numbers.
    vector: usize,
    radix: usize,
    starts: Vec<Start>,
    levels: Vec<Level<T>>,
    /// Whether the transform fits into the L1 cache, so that the blocks need no particular order.
    resident: bool,
}

/// Stage after the first.
struct Level<T> {
    radix: usize,
    /// Number of points in each block that it combines.
    points: usize,
    /// Distance between these blocks, in vectors.
    apart: usize,
    inner: Entry<InnerJob<T>>,
    factors: Factors<T>,
    /// Number of points in each block that it makes.
    makes: usize,
    /// Number of blocks of each earlier stage, from the first on, in one block that it makes.
    holds: Vec<usize>,
}

/// Source of the points: `lanes` points in each row, one per lane.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a, T> {
    /// Stage that reads the points.
    pub(crate) first: &'a Entry<FirstJob<T>>,
    pub(crate) from: *const T,
    /// Distance between the starts of consecutive rows, in numbers.
    pub(crate) row: usize,
    pub(crate) lanes: usize,
}

/// Transform in progress.
struct Job<'a, T> {
    /// Source of its points, unless the first stage is done.
    source: Option<Source<'a, T>>,
    buffer: *mut T,
    direction: Direction,
    /// Memory that is prefetched at the same time.
    ahead: &'a mut Ahead,
}

/// Blocks of one level in the lane buffer.
#[derive(Clone, Copy)]
struct Blocks {
    /// Number of stages after the first that make them.
    level: usize,
    /// Index of the first block among all blocks of the level.
    index: usize,
    /// Index of its first vector.
    at: usize,
    count: usize,
    /// Distance between the blocks, in vectors.
    distance: usize,
}

/// Last stage, for callers that compute it in turns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Top {
    /// Number of blocks that it combines, and of blocks of its results.
    pub(crate) blocks: usize,
    /// Number of points in each block.
    pub(crate) points: usize,
    /// Distance between the blocks, in vectors.
    pub(crate) apart: usize,
}

/// Returns the index of a direction in an array of both.
pub(crate) fn table(direction: Direction) -> usize {
    usize::from(direction == Direction::Inverse)
}

impl<T: Lane> Level<T> {
    fn new(isa: Isa, radix: usize, points: usize, apart: usize, below: &[Self], circle: &Circle<T>) -> Self {
        let step = circle.order() / (radix * points);
        let row = 2 * (radix - 1);
        let factors = Factors::new(points * row, 1, |forward| {
            for (p, row) in forward.chunks_exact_mut(row.max(1)).enumerate() {
                for (k, factor) in (1..).zip(row.as_chunks_mut().0) {
                    let Complex { re, im } = circle.get(p * k * step);
                    *factor = [re, im];
                }
            }
        });
        let inner = of_radix!(radix, R => isa.entry::<Inner<T, R>>());
        let mut holds: Vec<_> =
            below.last().map_or(Vec::new(), |below| below.holds.iter().map(|n| n * radix).collect());
        holds.push(radix);
        Self { radix, points, apart, inner, factors, makes: radix * points, holds }
    }
}

impl<T: Lane> Lanes<T> {
    /// Plans transforms whose length is the product of `radices`, in the order of the stages. Blocks of the
    /// last stage are not padded if their length is not a multiple of `group`. The length must divide the
    /// order of the `circle`.
    ///
    /// # Panics
    ///
    /// If `radices` is empty, if a radix has no butterfly, or if there are 2^32 points or more.
    pub(crate) fn new(isa: Isa, radices: &[usize], group: usize, circle: &Circle<T>) -> Self {
        let vector = 2 * isa.lanes::<T>();
        let (&radix, later) = radices.split_first().expect("a transform has a stage");
        let mut points = radix;
        let mut levels = Vec::new();
        for (i, &radix) in later.iter().enumerate() {
            let padded = i + 1 == later.len()
                && points * radix * vector * size_of::<T>() > RESIDENT
                && points.is_multiple_of(group);
            levels.push(Level::new(isa, radix, points, points + usize::from(padded), &levels, circle));
            points *= radix;
        }
        let resident = points * vector * size_of::<T>() <= RESIDENT;
        let starts = starts(points / radix, &levels);
        Self { points, vector, radix, starts, levels, resident }
    }

    /// Computes the tables of a direction.
    pub(crate) fn prepare(&self, direction: Direction) {
        for level in &self.levels {
            level.factors.for_direction(direction);
        }
    }

    /// Returns the number of points of each transform.
    pub(crate) fn points(&self) -> usize {
        self.points
    }

    /// Counts the operations of all stages, for one transform per lane.
    pub(crate) fn operations(&self) -> Operations {
        let first = Operations::butterfly(self.radix)
            + Operations::moved(2 * self.radix)
            + Operations::regrouped(self.radix);
        let later = self.levels.iter().map(|&Level { radix, .. }| {
            let each = Operations::butterfly(radix)
                + Operations::moved(2 * radix)
                + Operations::multiplied(radix - 1);
            each * (self.points / radix)
        });
        later.fold(first * self.starts.len(), Operations::add) * (self.vector / 2)
    }

    /// Counts the operations if the last stage interleaves real and imaginary parts.
    pub(crate) fn operations_into(&self) -> Operations {
        self.operations() + Operations::regrouped(self.points) * (self.vector / 2)
    }

    /// Returns the size of a lane buffer, in numbers.
    pub(crate) fn buffer(&self) -> usize {
        self.vector * self.levels.last().map_or(self.points, |level| level.radix * level.apart)
    }

    /// Returns the distance between the lane buffers of consecutive groups, in numbers. Vectors with the same
    /// index are in different sets of the L1 cache.
    fn apart(&self) -> usize {
        self.buffer() + 6 * self.vector
    }

    /// Returns the last stage if the transform goes through the L2 cache, where it is better computed in
    /// turns.
    pub(crate) fn top(&self) -> Option<Top> {
        self.levels.last().filter(|_| !self.resident).map(|&Level { radix, points, apart, .. }| Top {
            blocks: radix,
            points,
            apart,
        })
    }

    /// Runs all stages except the last, or the first stage if it is the only one.
    ///
    /// # Safety
    ///
    /// The points of the source may be read, and the buffer has [`buffer`](Self::buffer) numbers.
    pub(crate) unsafe fn begin(&self, source: Source<'_, T>, buffer: *mut T, direction: Direction) {
        let mut job = Job { source: Some(source), buffer, direction, ahead: &mut Ahead::nothing() };
        for part in 0..self.parts() {
            // SAFETY: the caller guarantees this.
            unsafe { self.make_part(part, &mut job) }
        }
    }

    /// Returns the number of parts. Each part goes through all stages except the last before the next part
    /// begins. The parts are the blocks that the last stage combines. There is only one part if the transform
    /// fits into the L1 cache, or if no stage is between the first and the last.
    fn parts(&self) -> usize {
        match &*self.levels {
            [.., _, top] if !self.resident => top.radix,
            _ => 1,
        }
    }

    /// Returns the butterflies of the first stage of a part.
    fn starts_of(&self, part: usize) -> &[Start] {
        let each = self.starts.len() / self.parts();
        &self.starts[part * each..][..each]
    }

    /// Runs the stages of a part between the first and the last, and prefetches the next data at the same
    /// time.
    ///
    /// # Safety
    ///
    /// The buffer has [`buffer`](Self::buffer) numbers, and the list of `ahead` has all of its rows.
    unsafe fn go_on(&self, part: usize, buffer: *mut T, direction: Direction, ahead: &mut Ahead) {
        // SAFETY: the caller guarantees this.
        unsafe { self.make_part(part, &mut Job { source: None, buffer, direction, ahead }) }
    }

    /// Runs all stages of a part except the last, or the first stage if it is the only one.
    ///
    /// # Safety
    ///
    /// The points of the source may be read, the buffer has [`buffer`](Self::buffer) numbers, and the list of
    /// `job.ahead` has all of its rows.
    unsafe fn make_part(&self, part: usize, job: &mut Job<'_, T>) {
        let blocks = match self.levels.split_last() {
            None => Blocks { level: 0, index: 0, at: 0, count: 1, distance: 0 },
            Some((top, below)) => {
                let (count, distance) = (top.radix / self.parts(), top.apart);
                let index = part * count;
                Blocks { level: below.len(), index, at: index * distance, count, distance }
            }
        };
        // SAFETY: the caller guarantees this.
        unsafe { self.make(blocks, job) }
    }

    /// Makes blocks recursively: first the blocks that they consist of. Blocks that fit into the L1 cache
    /// together are made stage by stage.
    ///
    /// # Safety
    ///
    /// As for [`make_part`](Self::make_part).
    unsafe fn make(&self, blocks: Blocks, job: &mut Job<'_, T>) {
        let Blocks { level, index, at, count, distance } = blocks;
        let (points, holds) = match level.checked_sub(1).map(|top| &self.levels[top]) {
            None => (self.radix, &[][..]),
            Some(top) => (top.makes, &top.holds[..]),
        };
        // SAFETY: the caller guarantees this.
        unsafe {
            if level == 0 || count * points * self.vector * size_of::<T>() <= RESIDENT {
                if let Some(Source { first, from, row, lanes }) = job.source {
                    let each = holds.first().copied().unwrap_or(1);
                    first.run(&FirstJob {
                        from,
                        row,
                        apart: self.starts.len(),
                        lanes,
                        to: job.buffer,
                        starts: &raw const self.starts[index * each..(index + count) * each],
                        inverse: job.direction == Direction::Inverse,
                    });
                }
                for (i, stage) in self.levels[..level].iter().enumerate() {
                    let blocks = count * holds.get(i + 1).copied().unwrap_or(1);
                    job.ahead.prefetch(count * points);
                    self.combine(stage, job.buffer, at, blocks, 0..stage.points, job.direction);
                }
            } else if count > 1 {
                for k in 0..count {
                    self.make(Blocks { index: index + k, at: at + k * distance, count: 1, ..blocks }, job);
                }
            } else {
                let stage = &self.levels[level - 1];
                let (count, distance) = (stage.radix, stage.apart);
                self.make(Blocks { level: level - 1, index: index * count, at, count, distance }, job);
                let turn = if job.ahead.is_over() { stage.points } else { TURN };
                for begin in (0..stage.points).step_by(turn) {
                    let end = stage.points.min(begin + turn);
                    job.ahead.prefetch((end - begin) * stage.radix);
                    self.combine(stage, job.buffer, at, 1, begin..end, job.direction);
                }
            }
        }
    }

    /// Computes some butterflies of a stage, in place, in consecutive blocks without padding.
    ///
    /// # Safety
    ///
    /// The buffer has [`buffer`](Self::buffer) numbers.
    unsafe fn combine(
        &self,
        stage: &Level<T>,
        buffer: *mut T,
        at: usize,
        blocks: usize,
        points: Range<usize>,
        direction: Direction,
    ) {
        let factors = &stage.factors.for_direction(direction)[points.start * 2 * (stage.radix - 1)..];
        // SAFETY: the vectors of the blocks are in the buffer, and there are factors for each butterfly.
        unsafe {
            stage.inner.run(&InnerJob {
                data: buffer.add((at + points.start) * self.vector),
                blocks,
                distance: stage.radix * stage.apart,
                points: points.len(),
                apart: stage.apart,
                factors: factors.as_ptr(),
                inverse: direction == Direction::Inverse,
            });
        }
    }

    /// Computes butterflies of the last stage, in place: the points `p` in `points` of each of its blocks, or
    /// all points.
    ///
    /// # Safety
    ///
    /// The buffer has [`buffer`](Self::buffer) numbers.
    pub(crate) unsafe fn end(&self, buffer: *mut T, points: Option<Range<usize>>, direction: Direction) {
        if let Some(top) = self.levels.last() {
            // SAFETY: the caller guarantees this.
            unsafe { self.combine(top, buffer, 0, 1, points.unwrap_or(0..top.points), direction) }
        }
    }
}

/// Lists the source and the destination of each block of the first stage. The lowest digit of a block's
/// number belongs to the second stage. The highest digit belongs to the last stage, which selects adjacent
/// rows.
fn starts<T>(blocks: usize, levels: &[Level<T>]) -> Vec<Start> {
    let narrow = |x: usize| u32::try_from(x).expect("less than 2^32 points");
    let mut starts = Vec::with_capacity(blocks);
    starts.push(Start { row: 0, vector: 0 });
    for level in levels {
        let known = starts.len();
        let (row, vector) = (narrow(blocks / (known * level.radix)), narrow(level.apart));
        for next in 0..known * (level.radix - 1) {
            let Start { row: from, vector: to } = starts[next];
            starts.push(Start { row: from + row, vector: to + vector });
        }
    }
    starts
}

/// Returns the first stage of a radix.
pub(crate) fn first<T: Lane>(isa: Isa, radix: usize) -> Entry<FirstJob<T>> {
    of_radix!(radix, R => isa.entry::<First<T, R, false>>())
}

/// Returns the first stage of a radix for vectors of points.
pub(crate) fn first_of_vectors<T: Lane>(isa: Isa, radix: usize) -> Entry<FirstJob<T>> {
    of_radix!(radix, R => isa.entry::<First<T, R, true>>())
}
