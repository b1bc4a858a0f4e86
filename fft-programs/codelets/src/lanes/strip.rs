//! Strips: transforms in lanes of some groups of adjacent columns at a time, with rows stored anywhere.
//!
//! The rows of a large matrix begin many pages apart, often at a power of two. A group is 64 or 128 bytes of
//! each row. A pass group by group would look up every page once per group and use the cache lines at its
//! edges twice. It would also find none of its data in the caches when it writes, because lines of so many
//! rows map to few sets. A strip is several groups wide:
//!
//! 1. The first stage reads 256 bytes or more of a row at once and writes them to several lane buffers, which
//!    map to different sets of all caches.
//! 2. The middle stages process one buffer after another.
//! 3. The last stage writes all buffers back to the rows.
//!
//! So rows are read and written once, in long pieces, and no data is copied. If a strip is larger than the L1
//! cache, the blocks that the last stage combines are made one after another, beginning with the rows, so
//! that only the last stage goes through all buffers. This took 0.88 to 0.95 times as long (measured with
//! AVX-512).
//!
//! *Prefetch.* The order of the rows is known, but hardware prefetchers cannot predict it. Rows are
//! prefetched some butterflies ahead, for the read and again for the write. Rows of a matrix larger than the
//! caches are also prefetched while the block before them is transformed ([`Ahead`]).
//!
//! *Non-temporal stores.* A matrix that is only written would be fetched, overwritten, and written back. If
//! it is too large for the caches, whole vectors of it are written directly to memory, where rows begin with
//! a cache line.

use std::marker::PhantomData;
use std::ops::Range;

use earth_kernels::{Caches, Direction};

use super::ahead::extent;
use super::{Ahead, Lanes};
use crate::butterfly::{Butterfly, Dft, of_radix};
use crate::counting::operations::Operations;
use crate::isa::{Entry, Isa, Lane, Piece};
use crate::pieces::stage::{Start, load_turned, output};
use crate::scratch::LINE;
use crate::tables::roots::circle;
use crate::vector::{Points, PointsMask, Vector, fence, prefetch};

/// Minimum size of a row in a strip, in bytes. Columns of 1,024 to 4,096 points took half the time that they
/// took with 64 bytes (measured with AVX2).
pub(super) const WIDE: usize = 256;

/// Maximum size of a row in a strip of a matrix larger than the caches, in bytes. In longer pieces, hardware
/// prefetchers fetch more. Columns of 512 points took 0.8 times as long with 2,048 bytes as with 512
/// (measured with AVX-512).
const WIDEST: usize = 2048;

/// Maximum size of all lane buffers of such a strip, as a divisor of the size of the matrix.
const SHARE: usize = 32;

/// Minimum number of strips before strips become wider. All strips except the first are prefetched.
const STRIPS: usize = 4;

/// Number of stages from which on the last stage has the largest radix, so that parts are small. With another
/// order, columns of 8,192 points took 1.1 times as long (measured with AVX-512).
const MANY: usize = 5;

/// Number of butterflies between the prefetch of rows and their use.
const AHEAD: usize = 2;

/// Plan of strips.
pub(crate) struct Strips<T> {
    lanes: Lanes<T>,
    first: Entry<FirstJob<T>>,
    last: Entry<LastJob<T>>,
    /// Number of groups in a strip of the minimum width.
    least: usize,
    /// Number of columns in a group.
    group: usize,
}

/// Columns of a strip.
///
/// The strip in a job is valid if in each row of the list the points of the columns may be read or written,
/// from number `at` on, and if there is a lane buffer for each group of columns, `apart` numbers apart.
#[derive(Clone, Copy)]
pub(super) struct Strip<T> {
    /// Start of each row.
    pub(super) rows: *const *mut T,
    /// Start of the strip in each row, in numbers.
    pub(super) at: usize,
    /// Number of columns, at least one.
    pub(super) columns: usize,
    /// Lane buffer of the first group.
    pub(super) buffer: *mut T,
    /// Distance between lane buffers, in numbers.
    pub(super) apart: usize,
}

impl<T: Lane> Strips<T> {
    /// Plans columns whose length is the product of `radices`.
    pub(crate) fn new(isa: Isa, radices: &[usize]) -> Self {
        // The first stage reads the rows and the last one writes them, so there have to be two.
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

    /// Computes the tables of a direction.
    pub(crate) fn prepare(&self, direction: Direction) {
        self.lanes.prepare(direction);
    }

    /// Returns the maximum number of groups in a strip of a matrix of `matrix` bytes. The lane buffers of a
    /// wide strip are at most twice as large as the L2 cache.
    pub(crate) fn groups(&self, matrix: usize) -> usize {
        let most = || 2 * Caches::of_this_computer().second;
        let buffers = if Caches::is_beyond(matrix) { most().min(matrix / SHARE) } else { 0 };
        groups(&self.lanes, (buffers / self.lanes.points).clamp(WIDE, WIDEST))
    }

    /// Returns the number of groups in a strip that fit into `scratch` numbers.
    pub(crate) fn groups_in(&self, scratch: usize) -> usize {
        (scratch / self.lanes.apart()).clamp(self.least, self.groups(usize::MAX))
    }

    /// Returns the width of a strip in columns, for a matrix of `columns` columns and lane buffers for
    /// `groups` groups.
    fn wide(&self, far: bool, columns: usize, groups: usize) -> usize {
        let wanted = if far { columns.div_ceil(STRIPS * self.group) } else { self.least };
        wanted.clamp(self.least, groups) * self.group
    }

    /// Counts the operations for `columns` columns.
    pub(crate) fn operations(&self, columns: usize) -> Operations {
        self.lanes.operations_into() * columns.div_ceil(self.group)
    }

    /// Returns the minimum scratch for strips of at most `groups` groups, in numbers.
    pub(crate) fn scratch(&self, groups: usize) -> usize {
        groups * self.lanes.apart()
    }

    /// Transforms the first `columns` columns of the rows `from` into the rows `to`, which may be the same.
    ///
    /// # Safety
    ///
    /// Both lists have as many rows as a column has points. The columns may be read in `from` and written in
    /// `to`. The scratch has [`scratch`](Self::scratch) numbers for `groups` groups, and `groups` is at least
    /// the number for a matrix of 0 bytes.
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
        // SAFETY: the caller guarantees this; all of a strip is read before any of it is written, and there
        // are factors for each butterfly.
        unsafe {
            let far = Caches::is_beyond(extent(from.cast::<*const T>(), points));
            let written = extent(to.cast::<*const T>(), points);
            // The lines of a smaller matrix in place are still in the last-level cache.
            let past_caches =
                Caches::is_beyond(written) && (from != to || written > Caches::of_this_computer().last);
            let wide = self.wide(far, columns, groups);
            // Strips end at a cache line, so that no line is in two strips, if all rows have the same
            // alignment.
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
                    factors: top.factors.for_direction(direction).as_ptr(),
                    past_caches,
                    inverse,
                });
            }
        }
    }

    /// Creates the prefetch of these columns in the rows of a part, for use while another part is
    /// transformed.
    fn ahead(&self, rows: *const *mut T, part: usize, columns: Range<usize>) -> Ahead {
        let (parts, at) = (self.lanes.parts(), 2 * columns.start..2 * columns.end);
        // A part has every row whose index has this remainder.
        Ahead::new(&self.lanes, rows.wrapping_add(part).cast(), parts, self.lanes.points() / parts, at)
    }
}

/// Returns the number of groups in `bytes` bytes of a row.
pub(super) fn groups<T: Lane>(lanes: &Lanes<T>, bytes: usize) -> usize {
    (bytes / (lanes.vector * size_of::<T>())).max(1)
}

/// Splits columns into strips of `wide` columns. If there are several, the first strip has `past` columns
/// less.
pub(super) fn strips(columns: usize, wide: usize, past: usize) -> impl Iterator<Item = Range<usize>> {
    let before = if columns > wide { past } else { 0 };
    (0..columns + before)
        .step_by(wide)
        .map(move |begin| begin.saturating_sub(before)..columns.min(begin + wide - before))
}

/// Returns the distance of a row from the start of its cache line, in points.
pub(super) fn past_line<T>(row: *const T) -> usize {
    row.addr() % LINE / (2 * size_of::<T>())
}

/// Prefetches the columns of a strip in one row.
#[inline(always)]
fn prefetch_row<T>(row: *mut T, columns: usize) {
    let bytes = columns * 2 * size_of::<T>();
    let mut offset = 0;
    while offset < bytes {
        prefetch(row.wrapping_byte_add(offset));
        offset += LINE;
    }
}

/// First stage of a strip.
struct First<T, const R: usize>(PhantomData<T>);

/// Job of [`First`].
///
/// The job is valid if its strip is. For each start and each `k < R`, row `start.row + k * between` may be
/// read. In each lane buffer, the `R` vectors from `start.vector` on may be written.
struct FirstJob<T> {
    strip: Strip<T>,
    /// Distance between the points of a butterfly, in rows.
    between: usize,
    /// One start for each butterfly of a group.
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
                        prefetch_row(rows.add(next.row as usize + k * job.between).read().add(at), columns);
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
/// A vector of points may be read from number `at` on in each row.
#[inline(always)]
unsafe fn points<V: Vector, const R: usize>(rows: [*const V::Real; R], at: usize) -> [Points<V>; R] {
    // SAFETY: the caller guarantees this.
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
/// The points of the mask may be read from number `at` on in each row.
#[inline(always)]
unsafe fn points_masked<V: Vector, const R: usize>(
    rows: [*const V::Real; R],
    at: usize,
    mask: PointsMask<V>,
) -> [Points<V>; R] {
    // SAFETY: the caller guarantees this.
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

/// Last stage of a strip.
pub(super) struct Last<T, const R: usize>(PhantomData<T>);

/// Job of [`Last`].
///
/// The job is valid if its strip is. For each `k < R` and each `p < points`, row `k * points + p` may be
/// written, and the vector `k * between + p` of each lane buffer may be read. There are `R - 1` factors for
/// each `p`.
pub(super) struct LastJob<T> {
    pub(super) strip: Strip<T>,
    /// Number of butterflies in a group.
    pub(super) points: usize,
    /// Distance between the points of a butterfly, in vectors.
    pub(super) between: usize,
    /// Factors of the points from 1 on, butterfly by butterfly.
    pub(super) factors: *const T,
    /// Whether whole vectors are written past the caches in rows that begin with a cache line.
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
                        prefetch_row(rows.add(p + AHEAD + k * job.points).read().add(at), columns);
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

/// Returns the first stage of a radix.
fn first<T: Lane>(isa: Isa, radix: usize) -> Entry<FirstJob<T>> {
    of_radix!(radix, R => isa.entry::<First<T, R>>())
}

/// Returns the last stage of a radix.
pub(super) fn last<T: Lane>(isa: Isa, radix: usize) -> Entry<LastJob<T>> {
    of_radix!(radix, R => isa.entry::<Last<T, R>>())
}
