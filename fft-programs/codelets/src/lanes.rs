//! A transform in lanes: as many transforms of `n` points at once as there are lanes, one point of each a vector.
//!
//! Mixed radices, decimated in time, in one lane buffer (see `stage.rs`). Blocks that fit into the first cache are
//! transformed one after another, each by all of its stages, before a stage combines them: however long the
//! transform, only the stages above such blocks go through the second cache.
//!
//! *Padding.* The last stage combines blocks at a distance that is a power of two for many lengths, so that all points
//! of a butterfly fall into one set of the first cache. Unless all of them fit into it, a vector is left free after each
//! block.

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

/// The bytes of a block all of whose stages are done before those of the next: half of the first cache.
const RESIDENT: usize = 16 << 10;

/// The butterflies of a stage above such blocks before some more lines are asked for.
const TURN: usize = 8;

/// The plan of a transform in lanes.
pub(crate) struct Lanes<T> {
    points: usize,
    /// The numbers of a vector of points.
    vector: usize,
    radix: usize,
    starts: Vec<Start>,
    levels: Vec<Level<T>>,
    /// Whether all of it fits into the first cache, so that no block has to come before another.
    resident: bool,
}

/// A stage after the first.
struct Level<T> {
    radix: usize,
    /// The points of the blocks that it combines.
    points: usize,
    /// The vectors from such a block to the next.
    apart: usize,
    inner: Entry<InnerJob<T>>,
    factors: Factors<T>,
    /// The points of the blocks that it makes.
    makes: usize,
    /// The blocks of each stage before it, from the first on, in one that it makes.
    holds: Vec<usize>,
}

/// Where points come from: so many in each row, one a lane.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a, T> {
    /// The stage that reads them.
    pub(crate) first: &'a Entry<FirstJob<T>>,
    pub(crate) from: *const T,
    /// The numbers from the beginning of a row to that of the next.
    pub(crate) row: usize,
    pub(crate) lanes: usize,
}

/// A transform that is under way.
struct Job<'a, T> {
    /// Where its points are, unless the first stage is done.
    source: Option<Source<'a, T>>,
    buffer: *mut T,
    direction: Direction,
    /// The memory that is asked for at the same time.
    ahead: &'a mut Ahead,
}

/// Blocks of one level in the lane buffer.
#[derive(Clone, Copy)]
struct Blocks {
    /// The stages that they have after the first.
    level: usize,
    /// The number of the first of them, of all blocks of the level.
    index: usize,
    /// Its first vector.
    at: usize,
    count: usize,
    /// The vectors from one to the next.
    distance: usize,
}

/// The last stage, as somebody sees it who computes it in turns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Top {
    /// The blocks that it combines, which are those of its results as well.
    pub(crate) blocks: usize,
    /// The points of each.
    pub(crate) points: usize,
    /// The vectors from each to the next.
    pub(crate) apart: usize,
}

/// The position of a direction in a list of both.
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
    /// Plans transforms of as many points as the product of `radices`, the first of which is that of the first stage.
    /// If the last stage combines blocks whose points are no multiple of `group`, these are not padded. The
    /// points divide the order of the `circle`.
    ///
    /// # Panics
    ///
    /// If there is no radix, or one without a butterfly, or the points are 2^32 or more.
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

    /// Makes the tables of a direction.
    pub(crate) fn prepare(&self, direction: Direction) {
        for level in &self.levels {
            level.factors.toward(direction);
        }
    }

    /// The points of each transform.
    pub(crate) fn points(&self) -> usize {
        self.points
    }

    /// What all stages do: for as many transforms as there are lanes.
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

    /// What they do if the last one puts points together.
    pub(crate) fn operations_into(&self) -> Operations {
        self.operations() + Operations::regrouped(self.points) * (self.vector / 2)
    }

    /// The numbers of a lane buffer.
    pub(crate) fn buffer(&self) -> usize {
        self.vector * self.levels.last().map_or(self.points, |level| level.radix * level.apart)
    }

    /// The numbers from the lane buffer of a group of transforms to the buffer of the next group. Vectors of
    /// one number are in different sets of the first cache.
    fn apart(&self) -> usize {
        self.buffer() + 6 * self.vector
    }

    /// The last stage, if it goes through the second cache, and so is better computed in turns.
    pub(crate) fn top(&self) -> Option<Top> {
        self.levels.last().filter(|_| !self.resident).map(|&Level { radix, points, apart, .. }| Top {
            blocks: radix,
            points,
            apart,
        })
    }

    /// Transforms by all stages but the last; by the first one if that is all.
    ///
    /// # Safety
    ///
    /// The points of the source may be read, and the buffer has [`buffer`](Self::buffer) numbers.
    pub(crate) unsafe fn begin(&self, source: Source<'_, T>, buffer: *mut T, direction: Direction) {
        let mut job = Job { source: Some(source), buffer, direction, ahead: &mut Ahead::nothing() };
        for part in 0..self.parts() {
            // SAFETY: the caller's.
            unsafe { self.make_part(part, &mut job) }
        }
    }

    /// The parts of a transform, each of which goes through all stages but the last before the next one begins: the blocks
    /// that the last stage combines, or one part if that fits into the first cache or there is no stage in between.
    fn parts(&self) -> usize {
        match &*self.levels {
            [.., _, top] if !self.resident => top.radix,
            _ => 1,
        }
    }

    /// The butterflies of the first stage of a part.
    fn starts_of(&self, part: usize) -> &[Start] {
        let each = self.starts.len() / self.parts();
        &self.starts[part * each..][..each]
    }

    /// Goes on after the first stage of a part by all but the last, and asks for what comes next at the same time.
    ///
    /// # Safety
    ///
    /// The buffer has [`buffer`](Self::buffer) numbers, and the list of what comes next has all of its rows.
    unsafe fn go_on(&self, part: usize, buffer: *mut T, direction: Direction, ahead: &mut Ahead) {
        // SAFETY: the caller's.
        unsafe { self.make_part(part, &mut Job { source: None, buffer, direction, ahead }) }
    }

    /// All stages of a part but the last; the first one if that is all.
    ///
    /// # Safety
    ///
    /// The points of the source may be read, the buffer has [`buffer`](Self::buffer) numbers, and the list of
    /// what comes next has all of its rows.
    unsafe fn make_part(&self, part: usize, job: &mut Job<'_, T>) {
        let blocks = match self.levels.split_last() {
            None => Blocks { level: 0, index: 0, at: 0, count: 1, distance: 0 },
            Some((top, below)) => {
                let (count, distance) = (top.radix / self.parts(), top.apart);
                let index = part * count;
                Blocks { level: below.len(), index, at: index * distance, count, distance }
            }
        };
        // SAFETY: the caller's.
        unsafe { self.make(blocks, job) }
    }

    /// Makes blocks, and before them the blocks that they are made of. Blocks that fit into the first cache
    /// together are made stage by stage.
    ///
    /// # Safety
    ///
    /// The conditions are those of [`make_part`](Self::make_part).
    unsafe fn make(&self, blocks: Blocks, job: &mut Job<'_, T>) {
        let Blocks { level, index, at, count, distance } = blocks;
        let (points, holds) = match level.checked_sub(1).map(|top| &self.levels[top]) {
            None => (self.radix, &[][..]),
            Some(top) => (top.makes, &top.holds[..]),
        };
        // SAFETY: the caller's.
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
                    job.ahead.ask(count * points);
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
                    job.ahead.ask((end - begin) * stage.radix);
                    self.combine(stage, job.buffer, at, 1, begin..end, job.direction);
                }
            }
        }
    }

    /// Some butterflies of a stage, in place, in blocks that follow one another without padding.
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
        let factors = &stage.factors.toward(direction)[points.start * 2 * (stage.radix - 1)..];
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

    /// Some butterflies of the last stage, in place: point `p` of each of its blocks, of so many `p`, or all of them.
    ///
    /// # Safety
    ///
    /// The buffer has [`buffer`](Self::buffer) numbers.
    pub(crate) unsafe fn end(&self, buffer: *mut T, points: Option<Range<usize>>, direction: Direction) {
        if let Some(top) = self.levels.last() {
            // SAFETY: the caller's.
            unsafe { self.combine(top, buffer, 0, 1, points.unwrap_or(0..top.points), direction) }
        }
    }
}

/// Lists for each block of the first stage where its points come from and go to. The lowest digit of a block's number is of the second stage,
/// the highest of the last one, which picks neighbouring rows.
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

/// The first stage of a radix.
pub(crate) fn first<T: Lane>(isa: Isa, radix: usize) -> Entry<FirstJob<T>> {
    of_radix!(radix, R => isa.entry::<First<T, R, false>>())
}

/// The first stage of a radix, of vectors of points.
pub(crate) fn first_of_vectors<T: Lane>(isa: Isa, radix: usize) -> Entry<FirstJob<T>> {
    of_radix!(radix, R => isa.entry::<First<T, R, true>>())
}
