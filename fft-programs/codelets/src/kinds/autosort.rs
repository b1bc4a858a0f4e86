//! Kernel for short rows of contiguous points: Stockham's autosort algorithm (Cochran et al., 1967).
//!
//! A row goes through one stage for each radix, from one buffer to another, and arrives in natural order (see
//! `pieces/autosort.rs`). Real and imaginary parts stay side by side in the registers, as in memory. Several
//! short rows go through a stage together.
//!
//! 1. The first stage reads the row and writes a buffer.
//! 2. The later stages read the buffer and write the row, and read the row and write the buffer, in turn.
//! 3. The last stage ends in the row. If it would end in the buffer, it reads the row and writes it in place.
//!    Where it cannot, a second buffer takes the place of the row until then.
//!
//! *Radices.* Of the products of radices that make the length, the plan takes the one with the fewest
//! instructions by [`cost`].
//!
//! *Cost.* For each stage, one load, one store and a multiplication by a factor for each vector of points,
//! and a transposition in the first stage. *When it loses.* Rows that do not fit into the L1 cache with a
//! buffer go through the L2 cache once a stage. Radices below the number of points in a vector, and primes,
//! have no first stage.

use std::mem::MaybeUninit;

use earth_kernels::Direction;

use crate::butterfly::of_radix;
use crate::counting::operations::Operations;
use crate::isa::{Entry, Isa, Lane};
use crate::lanes::{Factors, table, write_piece};
use crate::pieces::autosort::{
    FirstStage, FirstStageJob, LaterStage, LaterStageJob, Through, WHOLE, WholeJob, whole,
};
use crate::scratch::Lines;
use crate::tables::radices::without;
use crate::tables::roots::circle;

/// Size of the rows that go through a stage together, in bytes: a part of the L1 cache that leaves room for
/// the buffers.
const TOGETHER: usize = 4 << 10;

/// Distance between the ends and the starts of buffers, in numbers. Equal places in two buffers then have
/// addresses that differ in their last twelve bits.
const GAP: usize = 40;

/// Maximum size of buffers on the stack, in numbers: two buffers of 512 points.
const ON_STACK: usize = 2304;

/// Plan of a row.
pub(crate) struct Autosort<T> {
    points: usize,
    /// Number of points in a vector.
    width: usize,
    radix: usize,
    /// First stage of both directions.
    first: [Entry<FirstStageJob<T>>; 2],
    factors: Factors<T>,
    later: Vec<Later<T>>,
    /// Whether stages write the row before the last stage, so that there is one buffer.
    uses_row: bool,
    /// All stages in one piece, in both directions.
    whole: Option<[Entry<WholeJob<T>>; 2]>,
    /// Number of rows that go through a stage together.
    together: usize,
}

/// Stage after the first.
struct Later<T> {
    radix: usize,
    points: usize,
    blocks: usize,
    stage: [Entry<LaterStageJob<T>>; 2],
    factors: Factors<T>,
}

/// Returns the instructions of rows of `len` numbers of `bytes` bytes each that this kernel transforms in
/// less time than others, or `None` if others take less time.
///
/// The limits were measured, with rustfft and the kernel [within](crate::kinds::within) a row as the others.
/// The ratios are rates.
///
/// | Rows | Sorted | Ratio |
/// |---|---|---|
/// | double precision, AVX-512 | up to 2,048 points, except 24, 27 and 36 points | 0.95 to 2.5 |
/// | | not divisible by 8, up to 10,000 points | 0.8 to 2.2 |
/// | double precision, AVX2 | up to 32 points, if a power of two or with factors 5 or 7 | 1.0 to 2.7 |
/// | | from 48 to 2,048 points | 1.0 to 1.6 |
/// | | not divisible by 128, up to 10,000 points | 0.9 to 1.15 |
/// | single precision | with factors 5 or 7; 64 points; from 96 to 4,096 points | 1.0 to 2.4 |
/// | | not divisible by 512, up to 10,000 points | 1.0 to 1.6 |
///
/// rustfft has butterflies of 24, 27 and 36 points. Other kernels of this crate leave lanes empty if the
/// number of lanes does not divide the length.
pub(crate) fn sorts(isa: Isa, len: usize, bytes: usize) -> Option<Isa> {
    let isa = isa.for_pairs(bytes)?;
    let lanes = if bytes == size_of::<f32>() { isa.lanes::<f32>() } else { isa.lanes::<f64>() };
    let divides = |n: usize| len.is_multiple_of(n);
    let no_fast_radix = divides(5) || divides(7);
    let pays = match (isa.name(), bytes) {
        ("avx512", 8) if len <= 2048 => ![24, 27, 36].contains(&len),
        ("avx512", 8) => !divides(8),
        (_, 8) if len < 48 => no_fast_radix || len.is_power_of_two(),
        (_, 8) => len <= 2048 || !divides(128),
        _ if len < 96 => no_fast_radix || len == 64,
        _ => len <= 4096 || !divides(512),
    };
    let has_stages = || without(len, &[2, 3, 5, 7]) == 1 && first_radices(len, lanes / 2).next().is_some();
    (pays && (16..=LONGEST).contains(&len) && has_stages()).then_some(isa)
}

/// Maximum number of points of a row. Longer rows are faster by other kernels.
const LONGEST: usize = 10_000;

impl<T: Lane> Autosort<T> {
    /// Plans rows of `len` points. Returns `None` if the length has no radices for the vectors.
    pub(crate) fn plan(isa: Isa, len: usize) -> Option<Self> {
        let (lanes, width) = (isa.lanes::<T>(), isa.lanes::<T>() / 2);
        let radices = stages(len, width)?;
        let whole = whole(isa, &radices);
        let (&radix, radices) = radices.split_first()?;
        let (circle, blocks) = (circle(isa, len), len / radix);
        // The piece of all stages reads vectors of real parts and vectors of imaginary parts.
        let (each, piece) = if whole.is_some() { (2 * lanes, lanes) } else { (lanes, 1) };
        let of_vector = each * (radix - 1);
        let factors = Factors::new(blocks.div_ceil(width) * of_vector, piece, |forward| {
            for (vector, pieces) in forward.chunks_exact_mut(of_vector).enumerate() {
                let begin = (vector * width).min(blocks - width);
                for (k, pieces) in (1..).zip(pieces.chunks_exact_mut(each)) {
                    let factor = |j: usize| circle.get(j * k);
                    if whole.is_some() {
                        write_piece(pieces, (0..lanes).map(|lane| factor(begin + lane / 2)));
                        continue;
                    }
                    for (j, piece) in (begin..).zip(pieces.chunks_exact_mut(2)) {
                        write_piece(piece, std::iter::once(factor(j)));
                    }
                }
            }
        });
        let first = of_radix!(radix, R => [
            isa.entry_of_pairs::<FirstStage<T, R, false>>(),
            isa.entry_of_pairs::<FirstStage<T, R, true>>(),
        ], 2 3 4 5 6 7 8 9 10 12 16);
        let mut points = radix;
        let mut later = Vec::new();
        for &radix in radices {
            let blocks = len / (points * radix);
            let factors = Factors::new((blocks - 1) * 2 * (radix - 1), 1, |forward| {
                for (j, factors) in (1..).zip(forward.chunks_exact_mut(2 * (radix - 1))) {
                    for (k, factor) in (1..).zip(factors.chunks_exact_mut(2)) {
                        write_piece(factor, std::iter::once(circle.get(j * k * points)));
                    }
                }
            });
            let stage = of_radix!(radix, R => [
                isa.entry_of_pairs::<LaterStage<T, R, false>>(),
                isa.entry_of_pairs::<LaterStage<T, R, true>>(),
            ], 2 3 4 5 6 7 8 9 10 12 16);
            later.push(Later { radix, points, blocks, stage, factors });
            points *= radix;
        }
        let together = (TOGETHER / (len * 2 * size_of::<T>())).max(1);
        let divides = |last: &Later<T>| last.points.is_multiple_of(width);
        let uses_row = !later.len().is_multiple_of(2) || later.last().is_some_and(divides);
        Some(Self { points: len, width, radix, first, factors, later, uses_row, whole, together })
    }

    /// Computes the tables of a direction.
    pub(crate) fn prepare(&self, direction: Direction) {
        self.factors.for_direction(direction);
        for later in &self.later {
            later.factors.for_direction(direction);
        }
    }

    /// Returns whether several rows go through a stage together.
    pub(crate) fn wants_many(&self) -> bool {
        self.together > 1
    }

    /// Counts the operations for a row.
    pub(crate) fn operations(&self) -> Operations {
        let Self { points, width, radix, .. } = *self;
        let vectors = (points / radix).div_ceil(width);
        let first = Operations::in_pairs(radix, radix - 1)
            + Operations::transposed_pairs(radix.div_ceil(width) * width, width)
            // Imaginary parts of factors go to both lanes of their points.
            + Operations { shuffled: radix as u64 - 1, ..Operations::default() };
        let later = self.later.iter().map(|&Later { radix, points, blocks, .. }| {
            let each = |turned| Operations::in_pairs(radix, turned);
            (each(0) + each(radix - 1) * (blocks - 1)) * points.div_ceil(width)
        });
        later.fold(first * vectors, |all, stage| all + stage) * (2 * width)
    }

    /// Returns the size of a buffer, in numbers.
    fn buffer(&self) -> usize {
        self.together * self.points * 2 + GAP
    }

    /// Returns the size of the buffers, in numbers.
    fn buffers(&self) -> usize {
        self.buffer() * if self.uses_row { 1 } else { 2 }
    }

    /// Returns the minimum scratch, in numbers. Small buffers are on the stack, so that a call needs no lock
    /// to borrow a scratch.
    pub(crate) fn scratch(&self) -> usize {
        if self.buffers() <= ON_STACK { 0 } else { self.buffers() }
    }

    /// Transforms rows that begin `apart` numbers apart, in place or out of place.
    ///
    /// # Safety
    ///
    /// The rows may be read and written, and the scratch has [`scratch`](Self::scratch) numbers.
    pub(crate) unsafe fn run(
        &self,
        from: *const T,
        to: *mut T,
        apart: usize,
        rows: usize,
        scratch: *mut T,
        direction: Direction,
    ) {
        // A copy of this value into a job would wait until its fields are stored, so each job makes its own.
        let through = || Through { from, from_apart: apart, to, to_apart: apart, rows };
        // SAFETY: the caller guarantees this.
        unsafe {
            if let Some(whole) = &self.whole {
                let first = self.factors.for_direction(direction).as_ptr();
                let second = self.later[0].factors.for_direction(direction).as_ptr();
                whole[table(direction)].run(&WholeJob { through: through(), first, second });
            } else if self.buffers() <= ON_STACK {
                self.run_on_stack(&through(), direction);
            } else {
                self.run_through(&through(), scratch, direction);
            }
        }
    }

    /// Transforms rows with buffers on the stack.
    ///
    /// # Safety
    ///
    /// The rows may be read and written, and the buffers fit on the stack.
    #[inline(never)]
    unsafe fn run_on_stack(&self, rows: &Through<T>, direction: Direction) {
        let mut buffers = Lines([MaybeUninit::<T>::uninit(); ON_STACK]);
        // SAFETY: the caller guarantees this.
        unsafe { self.run_through(rows, (&raw mut buffers).cast(), direction) }
    }

    /// Transforms rows with these buffers.
    ///
    /// # Safety
    ///
    /// The rows may be read and written, and the scratch has the size of the buffers.
    unsafe fn run_through(&self, whole: &Through<T>, scratch: *mut T, direction: Direction) {
        let &Through { from, from_apart: apart, to, rows, .. } = whole;
        let each = 2 * self.points;
        let factors = self.factors.for_direction(direction).as_ptr();
        let second = if self.uses_row { scratch } else { scratch.wrapping_add(self.buffer()) };
        let buffers = [scratch, second];
        for row in (0..rows).step_by(self.together) {
            let rows = self.together.min(rows - row);
            // SAFETY: the caller guarantees this. The first stage has read these rows before another stage
            // writes them. The last stage works in place only if vectors divide its blocks. Each stage has
            // factors.
            unsafe {
                let from = from.add(row * apart);
                let through = Through { from, from_apart: apart, to: buffers[0], to_apart: each, rows };
                let blocks = self.points / self.radix;
                self.first[table(direction)].run(&FirstStageJob { through, blocks, factors });
                // Place of the points before a stage.
                let mut place = (buffers[0], each);
                for (i, later) in self.later.iter().enumerate() {
                    let (from, from_apart) = place;
                    let (to, to_apart) = if i + 1 == self.later.len() || self.uses_row && i % 2 == 0 {
                        (to.add(row * apart), apart)
                    } else {
                        (buffers[(i + 1) % 2], each)
                    };
                    place = (to, to_apart);
                    later.stage[table(direction)].run(&LaterStageJob {
                        through: Through { from, from_apart, to, to_apart, rows },
                        points: later.points,
                        blocks: later.blocks,
                        factors: later.factors.for_direction(direction).as_ptr(),
                    });
                }
            }
        }
    }
}

/// Radices of stages.
const RADICES: [usize; 11] = [16, 12, 10, 9, 8, 7, 6, 5, 4, 3, 2];

/// Returns the radices of the stages for `len` points in vectors of `width` points, the first stage first:
/// the ones that have one piece for all stages, or the ones with the least [`cost`]. Returns `None` if there
/// are no two stages.
fn stages(len: usize, width: usize) -> Option<Vec<usize>> {
    let fits = |radices: &&[usize; 3]| radices[..2].iter().all(|radix| *radix >= width);
    if let Some(whole) = WHOLE.iter().filter(fits).find(|whole| whole.iter().product::<usize>() == len) {
        return Some(whole.iter().copied().filter(|radix| *radix > 1).collect());
    }
    let all = first_radices(len, width).flat_map(|radix| {
        let mut found = Vec::new();
        products(len / radix, &RADICES, &mut vec![radix], &mut found);
        found
    });
    all.min_by_key(|radices| cost(radices, width))
}

/// Yields the radices that the first stage can have: there is a later stage, and a vector has no more points
/// than a butterfly and than there are butterflies.
fn first_radices(len: usize, width: usize) -> impl Iterator<Item = usize> {
    let is_first = move |radix: &usize| {
        *radix >= width && len.is_multiple_of(*radix) && len / radix >= width && len / radix > 1
    };
    RADICES.into_iter().filter(is_first)
}

/// Appends all products of falling radices that make `rest` to `found`, each behind the radices in `begin`.
fn products(rest: usize, radices: &[usize], begin: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
    if rest == 1 {
        found.push(begin.clone());
    }
    for (i, &radix) in radices.iter().enumerate().filter(|(_, radix)| rest.is_multiple_of(**radix)) {
        begin.push(radix);
        products(rest / radix, &radices[i..], begin, found);
        begin.pop();
    }
}

/// Returns the instructions of a row with these radices, in vectors of `width` points.
fn cost(radices: &[usize], width: usize) -> usize {
    let len = radices.iter().product::<usize>();
    let each = |radix: usize, turned: usize| {
        // Additions, multiplications and shuffles of a butterfly, each vector shuffled once for all uses.
        let butterfly = match radix {
            2 => 2,
            3 => 7,
            4 => 9,
            5 | 6 => 20,
            7 => 36,
            8 => 31,
            9 => 54,
            10 => 50,
            12 => 55,
            _ => 86,
        };
        // A point is loaded and stored. A factor takes three instructions.
        butterfly + radix + 3 * turned
    };
    let (first, later) = (radices[0], &radices[1..]);
    let vectors = (len / first).div_ceil(width);
    let transposed = first.div_ceil(width) * width * 2;
    let mut points = first;
    let later = later.iter().map(|&radix| {
        let (vectors, blocks) = (points.div_ceil(width), len / (points * radix));
        points *= radix;
        vectors * (each(radix, 0) + (blocks - 1) * each(radix, radix - 1)) + STAGE
    });
    vectors * (each(first, first - 1) + transposed) + later.sum::<usize>()
}

/// Instructions of a call of a stage.
const STAGE: usize = 20;
