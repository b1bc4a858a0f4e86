//! Strips: some groups of neighbouring columns at a time, each group a transform in lanes, of rows that lie anywhere.
//!
//! The rows of a large matrix begin many pages apart, often at a power of two. A group is 64 or 128 bytes of each of
//! them, so a pass by groups would look up every page once a group, use the lines at its edges twice, and find nothing
//! of what it read in the caches when it writes, since lines of so many rows fall into few sets. A strip is several
//! groups wide: the first stage reads 256 bytes or more of a row at once and puts them into as many lane buffers, which
//! lie apart from one another in all caches; the stages in between are made of one buffer after another; the last one
//! writes all of them back to the rows. So rows are read and written once, in long pieces, and nothing is copied. Of a strip
//! past the first cache the blocks that the last stage combines are made one after another, from the rows on, so that only the
//! last stage goes through all buffers: that took 0.88 to 0.95 times as long (measured with AVX-512).
//!
//! *Prefetch.* Which rows come next is known and no processor would guess it: they are asked for some butterflies
//! ahead, when they are read and again when they are written. Rows of a matrix past the caches are asked for while the
//! block before them is transformed, too ([`Ahead`]).
//!
//! *Past the caches.* A matrix that is written and not read would be fetched only to be overwritten, and then written back.
//! If it is too large for the caches, whole vectors of it are written to memory at once, where rows begin with a cache line.

use std::marker::PhantomData;
use std::ops::Range;

use earth_kernels::Direction;

use super::ahead::{FAR, FARTHER, extent};
use super::{Ahead, Lanes};
use crate::butterfly::{Butterfly, Dft, of_radix};
use crate::counting::operations::Operations;
use crate::isa::{Entry, Isa, Lane, Piece};
use crate::pieces::stage::{Start, load_turned, output};
use crate::scratch::LINE;
use crate::tables::roots::circle;
use crate::vector::{Points, PointsMask, Vector, fence, prefetch};

/// The bytes of a row that a strip has, at least. Columns of 1,024 to 4,096 points took half the time that they took by 64
/// bytes (measured with AVX2).
pub(super) const WIDE: usize = 256;

/// The most bytes of a row that a strip of a matrix past the caches has. Of longer pieces a processor fetches more by itself:
/// columns of 512 points took 0.8 times as long by 2,048 bytes as by 512 (measured with AVX-512).
const WIDEST: usize = 2048;

/// The most bytes of all lane buffers of such a strip, unless it is of the least width: twice the second cache.
const BUFFERS: usize = 2 << 20;

/// The share of a matrix that all lane buffers of such a strip are, at most.
const SHARE: usize = 32;

/// The strips that columns are cut into, at least, before strips are wider: all but the first are asked for ahead of time.
const STRIPS: usize = 4;

/// The stages from which on the last one has the largest radix, so that parts are small: with other stages in between, columns
/// of 8,192 points took 1.1 times as long (measured with AVX-512).
const MANY: usize = 5;

/// The butterflies ahead of which rows are asked for.
const AHEAD: usize = 2;

/// The plan of strips.
pub(crate) struct Strips<T> {
    lanes: Lanes<T>,
    first: Entry<FirstJob<T>>,
    last: Entry<LastJob<T>>,
    /// The groups of a strip of the least width.
    least: usize,
    /// The points of a group.
    group: usize,
}

/// The columns of a strip.
///
/// As a part of a job it is valid if each row of the list has as many points as columns, from number `at` on, that may
/// be read or written, and if there are `apart` numbers from a lane buffer to the next, one for each group of columns.
#[derive(Clone, Copy)]
pub(super) struct Strip<T> {
    /// Where each row begins.
    pub(super) rows: *const *mut T,
    /// The number at which the strip begins in each row.
    pub(super) at: usize,
    /// The columns, at least one.
    pub(super) columns: usize,
    /// The lane buffer of the first group.
    pub(super) buffer: *mut T,
    /// The numbers from a lane buffer to the next.
    pub(super) apart: usize,
}

impl<T: Lane> Strips<T> {
    /// Plans columns of as many points as the product of `radices`.
    pub(crate) fn new(isa: Isa, radices: &[usize]) -> Self {
        // The last stage writes the rows and the first one reads them, so there are two.
        let mut radices = if radices.len() < 2 { [radices, &[1]].concat() } else { radices.to_vec() };
        if radices.len() >= MANY {
            radices[1..].sort_unstable();
        }
        let group = isa.lanes::<T>();
        let (first, last) = (first(isa, radices[0]), last(isa, radices[radices.len() - 1]));
        let points = radices.iter().product();
        let lanes = Lanes::new(isa, &radices, 1, &circle(isa, points));
        Self { least: groups(&lanes, WIDE), lanes, first, last, group }
    }

    /// Makes the tables of a direction.
    pub(crate) fn prepare(&self, direction: Direction) {
        self.lanes.prepare(direction);
    }

    /// The groups of a strip of a matrix of so many bytes, at most.
    pub(crate) fn groups(&self, matrix: usize) -> usize {
        let buffers = if matrix > FAR { BUFFERS.min(matrix / SHARE) } else { 0 };
        groups(&self.lanes, (buffers / self.lanes.points).clamp(WIDE, WIDEST))
    }

    /// The groups of a strip for which there is room in so many numbers of scratch.
    pub(crate) fn groups_in(&self, scratch: usize) -> usize {
        (scratch / self.lanes.apart()).clamp(self.least, self.groups(usize::MAX))
    }

    /// The columns of a strip of so many, with lane buffers for so many groups.
    fn wide(&self, far: bool, columns: usize, groups: usize) -> usize {
        let wanted = if far { columns.div_ceil(STRIPS * self.group) } else { self.least };
        wanted.clamp(self.least, groups) * self.group
    }

    /// What it does for so many columns.
    pub(crate) fn operations(&self, columns: usize) -> Operations {
        self.lanes.operations_into() * columns.div_ceil(self.group)
    }

    /// The numbers of scratch for strips of at most so many groups.
    pub(crate) fn scratch(&self, groups: usize) -> usize {
        groups * self.lanes.apart()
    }

    /// Transforms the first `columns` columns of the rows of a list into those of another list, which may be the same.
    ///
    /// # Safety
    ///
    /// Both lists have as many rows as a column has points; the columns may be read in those of one and written in
    /// those of the other; and the scratch has as many numbers as [`scratch`](Self::scratch) says for strips of so many
    /// groups, which are at least those of a matrix of no bytes.
    pub(crate) unsafe fn run(
        &self,
        from: *const *mut T,
        to: *const *mut T,
        columns: usize,
        scratch: *mut T,
        groups: usize,
        direction: Direction,
    ) {
        let inverse = direction == Direction::Inverse;
        let (points, parts, apart) = (self.lanes.points(), self.lanes.parts(), self.lanes.apart());
        let top = self.lanes.levels.last().expect("a stage after the first");
        // SAFETY: the caller's; of these columns all is read before any of it is written, and there are factors for
        // each butterfly.
        unsafe {
            let far = extent(from.cast::<*const T>(), points) > FAR;
            let most = if from == to { FARTHER } else { FAR };
            let past_caches = extent(to.cast::<*const T>(), points) > most;
            let wide = self.wide(far, columns, groups);
            // Strips end with a cache line, so that no line is in two of them, if rows begin alike.
            for Range { start, end } in strips(columns, wide, past_line(to.read())) {
                let strip = Strip { rows: from, at: 2 * start, columns: end - start, buffer: scratch, apart };
                for part in 0..parts {
                    self.first.run(&FirstJob {
                        strip,
                        between: self.lanes.starts.len(),
                        starts: self.lanes.starts_of(part),
                        inverse,
                    });
                    let next = if part + 1 < parts {
                        Some((part + 1, start..end))
                    } else {
                        (end < columns).then(|| (0, end..columns.min(end + wide)))
                    };
                    let mut ahead = match next {
                        Some((part, columns)) if far => self.ahead(from, part, columns),
                        _ => Ahead::nothing(),
                    };
                    for group in 0..strip.columns.div_ceil(self.group) {
                        self.lanes.go_on(part, scratch.add(group * apart), direction, &mut ahead);
                    }
                }
                self.last.run(&LastJob {
                    strip: Strip { rows: to, ..strip },
                    points: top.points,
                    between: top.apart,
                    factors: top.factors.toward(direction).as_ptr(),
                    past_caches,
                    inverse,
                });
            }
        }
    }

    /// These columns of the rows of a part, to be asked for while another one is transformed.
    fn ahead(&self, rows: *const *mut T, part: usize, columns: Range<usize>) -> Ahead {
        let (parts, at) = (self.lanes.parts(), 2 * columns.start..2 * columns.end);
        // A part has every row whose number has this remainder.
        Ahead::new(&self.lanes, rows.wrapping_add(part).cast(), parts, self.lanes.points() / parts, at)
    }
}

/// The groups of so many bytes of a row.
pub(super) fn groups<T: Lane>(lanes: &Lanes<T>, bytes: usize) -> usize {
    (bytes / (lanes.vector * size_of::<T>())).max(1)
}

/// Some columns by strips of `wide`, the first of which is `past` less if it is not all.
pub(super) fn strips(columns: usize, wide: usize, past: usize) -> impl Iterator<Item = Range<usize>> {
    let before = if columns > wide { past } else { 0 };
    (0..columns + before)
        .step_by(wide)
        .map(move |begin| begin.saturating_sub(before)..columns.min(begin + wide - before))
}

/// The points from the beginning of a cache line to that of a row; less than those of a line.
pub(super) fn past_line<T>(row: *const T) -> usize {
    row.addr() % LINE / (2 * size_of::<T>())
}

/// Asks for the columns of a strip in one row.
#[inline(always)]
fn ask<T>(row: *mut T, columns: usize) {
    let bytes = columns * 2 * size_of::<T>();
    let mut offset = 0;
    while offset < bytes {
        prefetch(row.wrapping_byte_add(offset));
        offset += LINE;
    }
}

/// The first stage of a strip.
struct First<T, const R: usize>(PhantomData<T>);

/// What [`First`] does.
///
/// Valid if the strip is, with rows `start.row + k * between` that may be read, and the `R` vectors from `start.vector`
/// on of each lane buffer may be written, for each start and each `k < R`.
struct FirstJob<T> {
    strip: Strip<T>,
    /// The rows from a point of a butterfly to the next.
    between: usize,
    /// One for each butterfly of a group.
    starts: *const [Start],
    inverse: bool,
}

impl<T: Lane, const R: usize> Piece for First<T, R>
where
    Dft: Butterfly<R>,
{
    type Real = T;
    type Job = FirstJob<T>;

    #[inline(always)]
    unsafe fn run<V: Vector<Real = T>>(job: &FirstJob<T>) {
        let (vector, Strip { rows, at, columns, buffer, apart }) = (2 * V::LANES, job.strip);
        // SAFETY: the job is valid.
        unsafe {
            let starts = &*job.starts;
            for (index, start) in starts.iter().enumerate() {
                if let Some(next) = starts.get(index + AHEAD) {
                    for k in 0..R {
                        ask(rows.add(next.row as usize + k * job.between).read().add(at), columns);
                    }
                }
                let mut from = [rows.add(start.row as usize).read().add(at).cast_const(); R];
                let mut k = 1;
                while k < R {
                    from[k] = rows.add(start.row as usize + k * job.between).read().add(at);
                    k += 1;
                }
                let (mut column, mut to) = (0, buffer.add(start.vector as usize * vector));
                while column < columns {
                    let x = if columns - column >= V::LANES {
                        points::<V, R>(from, 2 * column)
                    } else {
                        points_masked::<V, R>(from, 2 * column, PointsMask::new(columns - column))
                    };
                    let y = <Dft as Butterfly<R>>::dft(x);
                    let mut k = 0;
                    while k < R {
                        y[k].store(to.add(vector * output(k, R, job.inverse)));
                        k += 1;
                    }
                    column += V::LANES;
                    to = to.wrapping_add(apart);
                }
            }
        }
    }
}

/// # Safety
///
/// A vector of points may be read from number `at` on of each row.
#[inline(always)]
unsafe fn points<V: Vector, const R: usize>(rows: [*const V::Real; R], at: usize) -> [Points<V>; R] {
    // SAFETY: the caller's.
    unsafe {
        let mut x = [Points::<V>::gather_all(rows[0].add(at)); R];
        let mut k = 1;
        while k < R {
            x[k] = Points::gather_all(rows[k].add(at));
            k += 1;
        }
        x
    }
}

/// # Safety
///
/// The points of the mask may be read from number `at` on of each row.
#[inline(always)]
unsafe fn points_masked<V: Vector, const R: usize>(
    rows: [*const V::Real; R],
    at: usize,
    mask: PointsMask<V>,
) -> [Points<V>; R] {
    // SAFETY: the caller's.
    unsafe {
        let mut x = [Points::<V>::gather(rows[0].add(at), mask); R];
        let mut k = 1;
        while k < R {
            x[k] = Points::gather(rows[k].add(at), mask);
            k += 1;
        }
        x
    }
}

/// The last stage of a strip.
pub(super) struct Last<T, const R: usize>(PhantomData<T>);

/// What [`Last`] does.
///
/// Valid if the strip is, with rows `k * points + p` that may be written; if the vectors `k * between + p` of each lane
/// buffer may be read, for each `k < R` and each `p < points`; and if there are `R - 1` factors for each `p`.
pub(super) struct LastJob<T> {
    pub(super) strip: Strip<T>,
    /// The number of butterflies of a group.
    pub(super) points: usize,
    /// The vectors from a point of a butterfly to the next.
    pub(super) between: usize,
    /// The factors of the points from 1 on, of a butterfly after the other.
    pub(super) factors: *const T,
    /// Whether whole vectors are written past the caches where rows begin with a cache line.
    pub(super) past_caches: bool,
    pub(super) inverse: bool,
}

impl<T: Lane, const R: usize> Piece for Last<T, R>
where
    Dft: Butterfly<R>,
{
    type Real = T;
    type Job = LastJob<T>;

    #[inline(always)]
    unsafe fn run<V: Vector<Real = T>>(job: &LastJob<T>) {
        let (vector, Strip { rows, at, columns, buffer, apart }) = (2 * V::LANES, job.strip);
        // SAFETY: the job is valid.
        unsafe {
            for p in 0..job.points {
                if !job.past_caches && p + AHEAD < job.points {
                    for k in 0..R {
                        ask(rows.add(p + AHEAD + k * job.points).read().add(at), columns);
                    }
                }
                let mut to = [rows.add(p).read().add(at); R];
                let mut k = 1;
                while k < R {
                    to[k] = rows.add(p + job.points * output(k, R, job.inverse)).read().add(at);
                    k += 1;
                }
                let lines = to.iter().fold(0, |all, row| all | row.addr()) % LINE == 0;
                let past_caches = job.past_caches && lines;
                let factors = job.factors.add(2 * (R - 1) * p);
                let (mut column, mut from) = (0, buffer.cast_const().add(p * vector));
                while column < columns {
                    let y =
                        <Dft as Butterfly<R>>::dft(load_turned::<V, R>(from, job.between * vector, factors));
                    let left = columns - column;
                    let mut k = 0;
                    while k < R {
                        let to = to[k].add(2 * column);
                        if left >= V::LANES && past_caches {
                            y[k].scatter_past_caches(to);
                        } else if left >= V::LANES {
                            y[k].scatter(to);
                        } else {
                            y[k].scatter_masked(to, PointsMask::new(left));
                        }
                        k += 1;
                    }
                    column += V::LANES;
                    from = from.wrapping_add(apart);
                }
            }
            if job.past_caches {
                fence();
            }
        }
    }
}

/// The first stage of a radix.
fn first<T: Lane>(isa: Isa, radix: usize) -> Entry<FirstJob<T>> {
    of_radix!(radix, R => isa.entry::<First<T, R>>())
}

/// The last stage of a radix.
pub(super) fn last<T: Lane>(isa: Isa, radix: usize) -> Entry<LastJob<T>> {
    of_radix!(radix, R => isa.entry::<Last<T, R>>())
}
