//! Radix-R transforms by decimation in time: the points and factors of each butterfly, and the input order.
//!
//! There are N = R^t points, with R = 2, 4 or 8, in digit-reversed order to base R. In stage `p` = 0 to t -
//! 1, a butterfly combines points at distance `s = R^p`. Butterfly `i` of the N/R butterflies of a stage has
//! `k = i / s` and `j = i mod s`:
//!
//! 1. It takes the points `k R s + j + m s` for `m` = 0 to R - 1.
//! 2. It multiplies point `m` by `w^(j m)`, with `w` of order `R s`.
//! 3. It transforms these R points.
//!
//! After the last stage the points are the transform in natural order.
//!
//! The factors are stored as the *long weight vector*: a row of R - 1 factors for each `j` of stage 0, then
//! of stage 1, and so on. Row `(s - 1) / (R - 1) + j` belongs to `j`. There are (N - 1) / (R - 1) rows, hence
//! N - 1 factors. Source: Chen and Gao, "Performance Analysis of Cooley-Tukey FFT Algorithms for a Many-core
//! Architecture", Figures 3 and 4. The paper prints PAR-R4-FFT for N = 2^t; the algorithm needs 4^t.
//!
//! *Blocks.* A thread has B = R^b consecutive butterflies; there are N / (R B) threads. In the stages 0 to
//! `b`, the butterflies of a thread take its own R B points, which are contiguous. From stage `b + 1` on,
//! they take R blocks of B points, and blocks relate to threads as points relate to butterflies. In round
//! `r`, which is stage `b + r`, thread `g` takes the blocks that butterfly `g` of stage `r` would take as
//! points. B = 1 distributes single butterflies.
//!
//! *Cost.* A butterfly of radix 2 is 10 operations, of radix 4 is 34, of radix 8 is 98. Two products with
//! roots of order 8 are 8 of the 98 operations. The totals are 5, 4.25 and 4.08 N log2 N. Every stage is a
//! pass over the memory. *When it loses.* A kernel that does more levels per pass, in vector lanes, takes
//! less time. The digit reversal accesses memory in an order with poor cache locality.

use num_complex::Complex;

use crate::real::Real;
use crate::unity::twiddle::{Direction, Twiddles};

/// Reason why a [`RadixOrder`] cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RadixError {
    /// Unsupported radix.
    #[error("a butterfly of {0} points: the radix must be 2, 4 or 8")]
    Radix(usize),
    /// Number of points that is not a power of the radix.
    #[error(
        "a radix-{radix} transform of {points} points: the number of points must be a power of {radix}, at least {radix}"
    )]
    Points {
        /// Number of points of the transform.
        points: usize,
        /// Number of points of a butterfly.
        radix: usize,
    },
    /// Block length that is not a power of the radix.
    #[error(
        "blocks of {block} butterflies of radix {radix}: the length of a block must be a power of {radix}"
    )]
    Block {
        /// Number of butterflies of a block.
        block: usize,
        /// Number of points of a butterfly.
        radix: usize,
    },
    /// Block with more butterflies than a stage.
    #[error("blocks of {block} butterflies are longer than a stage of {butterflies}")]
    TooLong {
        /// Number of butterflies of a block.
        block: usize,
        /// Number of butterflies of a stage.
        butterflies: usize,
    },
}

/// Points and factors of a butterfly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Butterfly {
    /// Index of the first point.
    pub first: usize,
    /// Distance between its consecutive points.
    pub distance: usize,
    /// Index of its row of factors.
    pub row: usize,
}

impl Butterfly {
    /// Returns butterfly `i` of a stage.
    fn new(radix: usize, stage: u32, i: usize) -> Self {
        let distance = radix.pow(stage);
        let (k, j) = (i / distance, i % distance);
        Self { first: k * radix * distance + j, distance, row: (distance - 1) / (radix - 1) + j }
    }

    /// Returns the index of point `m` of the butterfly.
    pub fn point(self, m: usize) -> usize {
        self.first + m * self.distance
    }
}

/// Distribution of a radix-R transform of N points, in blocks of B butterflies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RadixOrder {
    points: usize,
    radix: usize,
    block: usize,
}

impl RadixOrder {
    /// Creates the order of a transform of `points` points, with butterflies of `radix`, in blocks of `block`
    /// butterflies.
    ///
    /// # Errors
    ///
    /// If the radix is not 2, 4 or 8, if `points` or `block` is not a power of the radix, or if a block is
    /// longer than a stage.
    pub fn new(points: usize, radix: usize, block: usize) -> Result<Self, RadixError> {
        if !matches!(radix, 2 | 4 | 8) {
            return Err(RadixError::Radix(radix));
        }
        if points < radix || !is_power(points, radix) {
            return Err(RadixError::Points { points, radix });
        }
        if !is_power(block, radix) {
            return Err(RadixError::Block { block, radix });
        }
        let butterflies = points / radix;
        if block > butterflies {
            Err(RadixError::TooLong { block, butterflies })
        } else {
            Ok(Self { points, radix, block })
        }
    }

    /// Returns the largest power of `radix` that is at most `most`.
    pub fn longest_block(radix: usize, most: usize) -> usize {
        radix.pow(most.max(1).ilog(radix))
    }

    /// Returns the number of points of the transform, N.
    pub fn points(self) -> usize {
        self.points
    }

    /// Returns the number of points of a butterfly, R.
    pub fn radix(self) -> usize {
        self.radix
    }

    /// Returns the number of butterflies in a block, B.
    pub fn block(self) -> usize {
        self.block
    }

    /// Returns the number of stages, t.
    pub fn stages(self) -> u32 {
        self.points.ilog(self.radix)
    }

    /// Returns the number of butterflies in a stage, N/R.
    pub fn butterflies(self) -> usize {
        self.points / self.radix
    }

    /// Returns the number of threads, N / (R B).
    pub fn threads(self) -> usize {
        self.butterflies() / self.block
    }

    /// Returns the number of first stages, in which a thread works on its own points only.
    pub fn own_stages(self) -> u32 {
        self.block.ilog(self.radix) + 1
    }

    /// Returns the number of rounds after the own stages. A round is one stage in which threads take blocks
    /// of other threads.
    pub fn rounds(self) -> u32 {
        self.stages() - self.own_stages()
    }

    /// Returns the number of factors of the first `stages` stages. They are the first entries of the long
    /// weight vector.
    pub fn factors(self, stages: u32) -> usize {
        self.radix.pow(stages.min(self.stages())) - 1
    }

    /// Returns butterfly `i` of a stage.
    ///
    /// # Panics
    ///
    /// If the stage or the butterfly is out of range.
    pub fn butterfly(self, stage: u32, i: usize) -> Butterfly {
        assert!(stage < self.stages(), "stage {stage} of {}", self.stages());
        assert!(i < self.butterflies(), "butterfly {i} of {}", self.butterflies());
        Butterfly::new(self.radix, stage, i)
    }

    /// Returns the butterfly of a stage that takes `point`, and the number `m` of the point in this
    /// butterfly.
    ///
    /// # Panics
    ///
    /// If the stage or the point is out of range.
    pub fn taker(self, stage: u32, point: usize) -> (usize, usize) {
        assert!(stage < self.stages(), "stage {stage} of {}", self.stages());
        assert!(point < self.points, "point {point} of {}", self.points);
        let distance = self.radix.pow(stage);
        let (k, rest) = (point / (self.radix * distance), point % (self.radix * distance));
        (k * distance + rest % distance, rest / distance)
    }

    /// Returns the order of the blocks: each block becomes one point, and each thread one butterfly.
    ///
    /// Round `r` is stage `r` of this order; round 0 is the work on the own points.
    #[must_use]
    pub fn of_blocks(self) -> Self {
        Self { points: self.points / self.block, block: 1, ..self }
    }

    /// Reverses the base-R digits of `index`.
    pub fn reversed(self, index: usize) -> usize {
        let bits = self.radix.trailing_zeros();
        (0..self.stages())
            .fold((0, index), |(back, rest), _| (back << bits | rest & (self.radix - 1), rest >> bits))
            .0
    }

    /// Copies points into digit-reversed order, or back: the permutation is its own inverse.
    ///
    /// # Panics
    ///
    /// If either slice does not have N points.
    pub fn reverse<T: Copy>(self, from: &[T], to: &mut [T]) {
        assert_eq!(
            (from.len(), to.len()),
            (self.points, self.points),
            "slices of another length than the order's"
        );
        // The table holds the lower half of the digits only, about sqrt N entries.
        let low = self.radix.pow(self.stages() / 2);
        let high = self.points / low;
        let low_reversed: Vec<_> = (0..low).map(|index| self.reversed(index)).collect();
        for (place, to) in to.chunks_exact_mut(low).enumerate() {
            debug_assert!(place < high);
            let above = self.reversed(place * low);
            for (to, below) in to.iter_mut().zip(&low_reversed) {
                *to = from[above | below];
            }
        }
    }
}

fn is_power(n: usize, radix: usize) -> bool {
    n > 0 && radix.pow(n.ilog(radix)) == n
}

/// Factors of a transform, stored as the long weight vector.
#[derive(Clone, Debug)]
pub struct RadixFactors<T> {
    radix: usize,
    direction: Direction,
    factors: Vec<Complex<T>>,
}

impl<T: Real> RadixFactors<T> {
    /// Computes all factors of an order.
    pub fn new(order: RadixOrder, direction: Direction) -> Self {
        let RadixOrder { points, radix, .. } = order;
        let roots = Twiddles::new(points, direction);
        let mut factors = Vec::with_capacity(points - 1);
        for stage in 0..order.stages() {
            let distance = radix.pow(stage);
            let step = points / (radix * distance);
            factors.extend(
                (0..distance).flat_map(|j| (1..radix).map(move |m| j * m * step)).map(|k| roots.get(k)),
            );
        }
        Self { radix, direction, factors }
    }

    /// Returns all factors, in the order of the long weight vector.
    pub fn factors(&self) -> &[Complex<T>] {
        &self.factors
    }

    /// Returns the factors, with the first ones read from the local copy `local`.
    pub fn with<'a>(&'a self, local: &'a [Complex<T>]) -> LocalFactors<'a, T> {
        LocalFactors { all: self, local }
    }
}

/// Factors, with a local copy of the first ones that is read instead.
#[derive(Clone, Copy, Debug)]
pub struct LocalFactors<'a, T> {
    all: &'a RadixFactors<T>,
    local: &'a [Complex<T>],
}

impl<T: Real> LocalFactors<'_, T> {
    /// Returns `count` rows from `row` on, which belong to one stage.
    fn rows(&self, row: usize, count: usize) -> &[Complex<T>] {
        let each = self.all.radix - 1;
        let range = row * each..(row + count) * each;
        self.local.get(range.clone()).unwrap_or_else(|| &self.all.factors[range])
    }
}

impl RadixOrder {
    /// Computes the first stages of a thread, on its own R B points.
    ///
    /// # Panics
    ///
    /// If the number of points or of factors does not match the order.
    pub fn transform_own<T: Real>(self, points: &mut [Complex<T>], factors: LocalFactors<'_, T>) {
        assert_eq!(points.len(), self.radix * self.block, "points of another number than a thread's");
        for stage in 0..self.own_stages() {
            let distance = self.radix.pow(stage);
            let rows = factors.rows((distance - 1) / (self.radix - 1), distance);
            for group in points.chunks_exact_mut(self.radix * distance) {
                self.apply(group.chunks_exact_mut(distance), rows, factors.all.direction);
            }
        }
    }

    /// Computes a round of a thread, from 1 on, on the R blocks that it takes.
    ///
    /// # Panics
    ///
    /// If the round or the thread is out of range, or if the blocks or factors do not match the order.
    pub fn combine<'a, T: Real>(
        self,
        round: u32,
        thread: usize,
        blocks: impl ExactSizeIterator<Item = &'a mut [Complex<T>]>,
        factors: LocalFactors<'_, T>,
    ) {
        assert!(round > 0 && blocks.len() == self.radix, "round {round} of {} blocks", blocks.len());
        let row = self.butterfly(self.own_stages() - 1 + round, thread * self.block).row;
        let (rows, direction) = (factors.rows(row, self.block), factors.all.direction);
        self.apply(blocks, rows, direction);
    }

    /// Computes consecutive butterflies of one stage; there are as many parts as a butterfly has points.
    fn apply<'a, T: Real>(
        self,
        mut parts: impl Iterator<Item = &'a mut [Complex<T>]>,
        rows: &[Complex<T>],
        direction: Direction,
    ) {
        match self.radix {
            2 => butterflies::<T, 2>(std::array::from_fn(|_| parts.next()), rows, direction),
            4 => butterflies::<T, 4>(std::array::from_fn(|_| parts.next()), rows, direction),
            _ => butterflies::<T, 8>(std::array::from_fn(|_| parts.next()), rows, direction),
        }
    }
}

/// Computes consecutive butterflies of one stage: butterfly `i` takes point `i` of each part and row `i` of
/// `rows`.
fn butterflies<T: Real, const R: usize>(
    parts: [Option<&mut [Complex<T>]>; R],
    rows: &[Complex<T>],
    direction: Direction,
) {
    let mut parts = parts.map(|part| part.unwrap_or_else(|| unreachable!("a butterfly has R points")));
    for (i, row) in rows.chunks_exact(R - 1).enumerate() {
        let mut x: [Complex<T>; R] = std::array::from_fn(|m| parts[m][i]);
        for (x, w) in x[1..].iter_mut().zip(row) {
            *x *= *w;
        }
        transform(&mut x, direction);
        for (part, x) in parts.iter_mut().zip(x) {
            part[i] = x;
        }
    }
}

/// Transforms R points.
fn transform<T: Real, const R: usize>(x: &mut [Complex<T>; R], direction: Direction) {
    let quarter = |z: Complex<T>| match direction {
        Direction::Forward => Complex::new(z.im, -z.re),
        Direction::Inverse => Complex::new(-z.im, z.re),
    };
    let four = |x: [Complex<T>; 4]| {
        let [even, odd] = [[x[0] + x[2], x[0] - x[2]], [x[1] + x[3], quarter(x[1] - x[3])]];
        [even[0] + odd[0], even[1] + odd[1], even[0] - odd[0], even[1] - odd[1]]
    };
    match R {
        2 => (x[0], x[1]) = (x[0] + x[1], x[0] - x[1]),
        4 => {
            let done = four(std::array::from_fn(|m| x[m]));
            x.copy_from_slice(&done);
        }
        _ => {
            let half = T::of(std::f64::consts::FRAC_1_SQRT_2);
            let eighth = |z: Complex<T>| (z + quarter(z)) * half;
            let [even, odd] = [0, 1].map(|first| four(std::array::from_fn(|m| x[2 * m + first])));
            let odd = [odd[0], eighth(odd[1]), quarter(odd[2]), quarter(eighth(odd[3]))];
            for m in 0..4 {
                (x[m], x[m + 4]) = (even[m] + odd[m], even[m] - odd[m]);
            }
        }
    }
}

#[cfg(test)]
#[path = "radix_tests.rs"]
mod tests;
