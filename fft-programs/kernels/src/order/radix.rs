//! Transforms of radix R by decimation in time: which points a butterfly takes, by which factors, and in which order
//! the input has to lie.
//!
//! N = R^t points, R of 2, 4 or 8, in an order in which the digits of indices to base R are reversed. In stage `p`, from
//! 0, points `s = R^p` apart meet. Of its N/R butterflies, number `i` has `k = i / s` and `j = i mod s`: it takes the points
//! `k R s + j + m s`, `m` from 0 to R - 1, multiplies number `m` by `w^(j m)` with `w` of order `R s`, and transforms the R
//! of them. After the last stage the points are the transform in natural order. Factors lie as the *long weight vector*: a
//! row of R - 1 for each `j` of stage 0, then of stage 1, and so on, so that row `(s - 1) / (R - 1) + j` is that of `j`.
//! (N - 1) / (R - 1) rows are N - 1 factors. Source: Chen and Gao, "Performance Analysis of Cooley-Tukey FFT
//! Algorithms for a Many-core Architecture", Figures 3 and 4. Its PAR-R4-FFT is printed for N = 2^t; it needs 4^t.
//!
//! *Blocks.* B = R^b butterflies that follow each other make a thread, N / (R B) of them. Before stage `b + 1` a thread's
//! butterflies are those of its own R B points, which lie together. From there on they take R blocks of B points, and
//! blocks are to threads as points are to butterflies: in round `r`, which is stage `b + r`, thread `g` takes the blocks
//! that butterfly `g` of stage `r` would take of as many points. B = 1 deals single butterflies.
//!
//! *Cost.* A butterfly of radix 2 is 10 operations, of radix 4 is 34, of radix 8 is 106 (of 2 x 6 in it with factors of
//! order 8): 5, 4.25 and 4.42 N log2 N. Every stage is a pass over the memory. *When it loses.* Against a kernel that does more levels in a
//! pass, in the lanes of vector instructions; and the reversal of digits touches memory in an order that caches do not
//! like.

use num_complex::Complex;

use crate::real::Real;
use crate::unity::twiddle::{Direction, Twiddles};

/// Why there is no such order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RadixError {
    /// There are no such butterflies.
    #[error("butterflies of {0} points: they have 2, 4 or 8")]
    Radix(usize),
    /// The number of points is none of its powers.
    #[error(
        "a radix-{radix} transform of {points} points: the number of points must be a power of {radix}, at least {radix}"
    )]
    Points {
        /// The points of the transform.
        points: usize,
        /// The points of a butterfly.
        radix: usize,
    },
    /// The block length is none of its powers.
    #[error(
        "blocks of {block} butterflies of radix {radix}: the length of a block must be a power of {radix}"
    )]
    Block {
        /// The butterflies of a block.
        block: usize,
        /// The points of a butterfly.
        radix: usize,
    },
    /// A block has more butterflies than there are.
    #[error("blocks of {block} butterflies are longer than a stage of {butterflies}")]
    TooLong {
        /// The butterflies of a block.
        block: usize,
        /// The butterflies of a stage.
        butterflies: usize,
    },
}

/// The points, and the factors, that a butterfly takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Butterfly {
    /// Its first point.
    pub first: usize,
    /// The distance from one of its points to the next.
    pub distance: usize,
    /// Its row of factors.
    pub row: usize,
}

impl Butterfly {
    /// Butterfly `i` of a stage of a transform of this radix.
    fn new(radix: usize, stage: u32, i: usize) -> Self {
        let distance = radix.pow(stage);
        let (k, j) = (i / distance, i % distance);
        Self { first: k * radix * distance + j, distance, row: (distance - 1) / (radix - 1) + j }
    }

    /// Its point number `m`.
    pub fn point(self, m: usize) -> usize {
        self.first + m * self.distance
    }
}

/// N points, butterflies of R, dealt B at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RadixOrder {
    points: usize,
    radix: usize,
    block: usize,
}

impl RadixOrder {
    /// Deals a transform of `points` points, by butterflies of `radix`, in blocks of `block`.
    ///
    /// # Errors
    ///
    /// If the radix is not 2, 4 or 8, points or block are none of its powers, or a block is longer than a stage.
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

    /// The longest block that is no longer than `most`.
    pub fn longest_block(radix: usize, most: usize) -> usize {
        radix.pow(most.max(1).ilog(radix))
    }

    /// The points of the transform, N.
    pub fn points(self) -> usize {
        self.points
    }

    /// The points of a butterfly, R.
    pub fn radix(self) -> usize {
        self.radix
    }

    /// The butterflies that are dealt together, B.
    pub fn block(self) -> usize {
        self.block
    }

    /// The stages, t.
    pub fn stages(self) -> u32 {
        self.points.ilog(self.radix)
    }

    /// The butterflies of a stage, N/R.
    pub fn butterflies(self) -> usize {
        self.points / self.radix
    }

    /// The number of threads, N / (R B).
    pub fn threads(self) -> usize {
        self.butterflies() / self.block
    }

    /// The stages that a thread does in its own points.
    pub fn own_stages(self) -> u32 {
        self.block.ilog(self.radix) + 1
    }

    /// The rounds in which threads have blocks from each other, after those: a stage each.
    pub fn rounds(self) -> u32 {
        self.stages() - self.own_stages()
    }

    /// The factors of the first `stages` stages, which are the first of all factors.
    pub fn factors(self, stages: u32) -> usize {
        self.radix.pow(stages.min(self.stages())) - 1
    }

    /// Butterfly `i` of a stage.
    ///
    /// # Panics
    ///
    /// If there is no such stage or butterfly.
    pub fn butterfly(self, stage: u32, i: usize) -> Butterfly {
        assert!(stage < self.stages(), "stage {stage} of {}", self.stages());
        assert!(i < self.butterflies(), "butterfly {i} of {}", self.butterflies());
        Butterfly::new(self.radix, stage, i)
    }

    /// The butterfly of a stage that takes a point, and as which of its points.
    ///
    /// # Panics
    ///
    /// If there is no such stage or point.
    pub fn taker(self, stage: u32, point: usize) -> (usize, usize) {
        assert!(stage < self.stages(), "stage {stage} of {}", self.stages());
        assert!(point < self.points, "point {point} of {}", self.points);
        let distance = self.radix.pow(stage);
        let (k, rest) = (point / (self.radix * distance), point % (self.radix * distance));
        (k * distance + rest % distance, rest / distance)
    }

    /// The order of blocks, which is that of as many points.
    ///
    /// Round `r` from 0, the own points, is its stage `r`; its butterflies are the threads.
    #[must_use]
    pub fn of_blocks(self) -> Self {
        Self { points: self.points / self.block, block: 1, ..self }
    }

    /// The index whose digits to base R are those of `index` in reverse.
    pub fn reversed(self, index: usize) -> usize {
        let bits = self.radix.trailing_zeros();
        (0..self.stages())
            .fold((0, index), |(back, rest), _| (back << bits | rest & (self.radix - 1), rest >> bits))
            .0
    }

    /// Copies points in natural order into the order in which butterflies take them, or back.
    ///
    /// # Panics
    ///
    /// If either is not of N points.
    pub fn reverse<T: Copy>(self, from: &[T], to: &mut [T]) {
        assert_eq!((from.len(), to.len()), (self.points, self.points), "an order of other lengths");
        // The lower half of the digits counts up to N at most as far as memory is read at once.
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

/// The factors of a transform as the long weight vector.
#[derive(Clone, Debug)]
pub struct RadixFactors<T> {
    radix: usize,
    direction: Direction,
    factors: Vec<Complex<T>>,
}

impl<T: Real> RadixFactors<T> {
    /// All factors of an order.
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

    /// All of them, in their order.
    pub fn factors(&self) -> &[Complex<T>] {
        &self.factors
    }

    /// The factors, of which the first are taken from `near` instead.
    pub fn with<'a>(&'a self, near: &'a [Complex<T>]) -> NearFactors<'a, T> {
        NearFactors { all: self, near }
    }
}

/// Factors, and a copy of the first of them that is taken in their place.
#[derive(Clone, Copy, Debug)]
pub struct NearFactors<'a, T> {
    all: &'a RadixFactors<T>,
    near: &'a [Complex<T>],
}

impl<T: Real> NearFactors<'_, T> {
    /// `count` rows from this one on, which are of one stage.
    fn rows(&self, row: usize, count: usize) -> &[Complex<T>] {
        let each = self.all.radix - 1;
        let range = row * each..(row + count) * each;
        self.near.get(range.clone()).unwrap_or_else(|| &self.all.factors[range])
    }
}

impl RadixOrder {
    /// The first stages of a thread, in its own R B points.
    ///
    /// # Panics
    ///
    /// If there are other points or factors.
    pub fn transform_own<T: Real>(self, points: &mut [Complex<T>], factors: NearFactors<'_, T>) {
        assert_eq!(points.len(), self.radix * self.block, "points of another number than a thread's");
        for stage in 0..self.own_stages() {
            let distance = self.radix.pow(stage);
            let rows = factors.rows((distance - 1) / (self.radix - 1), distance);
            for group in points.chunks_exact_mut(self.radix * distance) {
                self.apply(group.chunks_exact_mut(distance), rows, factors.all.direction);
            }
        }
    }

    /// A round of a thread, from 1 on, in the R blocks that it takes.
    ///
    /// # Panics
    ///
    /// If there is no such round or thread, or there are other blocks or factors.
    pub fn combine<'a, T: Real>(
        self,
        round: u32,
        thread: usize,
        blocks: impl ExactSizeIterator<Item = &'a mut [Complex<T>]>,
        factors: NearFactors<'_, T>,
    ) {
        assert!(round > 0 && blocks.len() == self.radix, "round {round} of {} blocks", blocks.len());
        let row = self.butterfly(self.own_stages() - 1 + round, thread * self.block).row;
        let (rows, direction) = (factors.rows(row, self.block), factors.all.direction);
        self.apply(blocks, rows, direction);
    }

    /// Butterflies of one stage that follow each other, of as many parts as a butterfly has points.
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

/// Butterflies of one stage that follow each other: number `i` takes point `i` of each of the parts, and row `i` of `rows`.
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

/// The transform of R points.
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
