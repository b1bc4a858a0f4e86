//! Who holds what in the sender-initiated FFT: mates, twiddle exponents and the order of the output.
//!
//! The N points, in natural order, are cut into M = N/B blocks of B contiguous points; thread `t` holds block
//! `t`. The transform is a decimation in frequency:
//!
//! 1. *Exchange stages* `s = 0 .. log2 M`. Before stage `s` the threads form groups of `M / 2^s`, and each
//!    group holds a transform of `L = N / 2^s` points. The mate of `t` is half a group away: `t` with the bit
//!    `M / 2^(s+1)` flipped; points `L/2` apart meet. The upper mate (bit clear) keeps `a + b`, a transform
//!    of `L/2` points whose outputs are the even ones of the group's. The lower mate (bit set) keeps
//!    `(a - b) w_L^j`, whose outputs are the odd ones; `j` is the point's place in the group's upper half,
//!    and `w_L^j = w_N^(j 2^s)`, so one table of order N serves all stages with stride `2^s`.
//!
//!    Two threads that hold a block each send each other copies and then compute one side each; both results
//!    land in the thread's own block, and the received buffer is free for the next stage's copy. The paper
//!    has `a + b w` and `a - b w` from the first stage on, which gives a transform in no output order; these
//!    butterflies do.
//! 2. *Local stages.* Each thread transforms its own B points, by any kernel with natural order in and out.
//!
//! *Output order.* Stage `s` decides bit `s` of the output's index by bit `log2 M - 1 - s` of `t`. After all
//! of them `t` holds the outputs whose lowest `log2 M` bits are `r(t)`, the reversal of `t`'s bits, and the
//! local transform's output `k` is `X[r(t) + M k]`. So the output is a matrix of M rows (by reversed thread)
//! and B columns, wanted transposed: [`natural_order`](SenderOrder::natural_order) does that. The paper
//! (Thulasiraman, Theobald, Khokhar, Gao, "Multithreaded Algorithms for the Fast Fourier Transform", section
//! 2.2) does not mention this step.
//!
//! *Cost.* A point of a stage takes 2 flops above and 8 below, and reads two blocks and writes one: 0.4 ns
//! above and 0.8 to 1 ns below in the first cache (measured, double precision). *When it loses.* Against both
//! sides computed in one place, which reads each point once; that is what a local stage does.

use num_complex::Complex;

use crate::order::bit_reversal::reverse_bits;
use crate::real::Real;
use crate::unity::twiddle::Twiddles;

/// Why points cannot be dealt to threads in blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OrderError {
    /// The number of points is no power of two.
    #[error("a radix-2 transform of {0} points: the number of points must be a power of two")]
    Points(usize),
    /// The block length is no power of two.
    #[error("blocks of {0} points: the length of a block must be a power of two")]
    Block(usize),
    /// A block has more points than there are.
    #[error("blocks of {block} points are longer than the whole transform of {points}")]
    TooLong {
        /// The points of the transform.
        points: usize,
        /// The points of a block.
        block: usize,
    },
}

/// N points in blocks of B, one a thread; see `sender_order.rs` for the algorithm it describes.
///
/// Its methods panic where a thread or a stage is out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SenderOrder {
    points: usize,
    block: usize,
}

impl SenderOrder {
    /// Deals `points` in blocks of `block`.
    ///
    /// # Errors
    ///
    /// If either is no power of two, or a block is longer than the whole.
    pub fn new(points: usize, block: usize) -> Result<Self, OrderError> {
        if !points.is_power_of_two() {
            Err(OrderError::Points(points))
        } else if !block.is_power_of_two() {
            Err(OrderError::Block(block))
        } else if block > points {
            Err(OrderError::TooLong { points, block })
        } else {
            Ok(Self { points, block })
        }
    }

    /// The points of the transform, N.
    pub fn points(self) -> usize {
        self.points
    }

    /// The points of a block, B.
    pub fn block(self) -> usize {
        self.block
    }

    /// The number of threads, M = N/B.
    pub fn threads(self) -> usize {
        self.points / self.block
    }

    /// The number of exchange stages, log2 M.
    pub fn stages(self) -> u32 {
        self.threads().trailing_zeros()
    }

    /// The thread with which `thread` exchanges blocks in `stage`.
    pub fn mate(self, thread: usize, stage: u32) -> usize {
        self.check(thread);
        thread ^ self.half(stage)
    }

    /// The factors of the points of a lower mate as exponents of `exp(-2 pi i / N)`: the first one, and the
    /// distance from one to the next; none for an upper mate.
    fn exponents(self, thread: usize, stage: u32) -> Option<[usize; 2]> {
        self.check(thread);
        let (half, stride) = (self.half(stage), 1 << stage);
        (thread & half != 0).then(|| [(thread & (half - 1)) * self.block * stride, stride])
    }

    /// Computes the side of `thread` in `stage`, in `mine`, from its own block and its mate's.
    ///
    /// # Panics
    ///
    /// Also if the blocks are not of B points or the factors not of order N.
    pub fn combine<T: Real>(
        self,
        thread: usize,
        stage: u32,
        mine: &mut [Complex<T>],
        theirs: &[Complex<T>],
        factors: &Twiddles<T>,
    ) {
        assert_eq!([mine.len(), theirs.len()], [self.block; 2], "a block of another length than the order's");
        assert_eq!(factors.order(), self.points, "factors of another order than the transform's");
        let mates = mine.iter_mut().zip(theirs);
        let Some([start, stride]) = self.exponents(thread, stage) else {
            return mates.for_each(|(b, a)| *b += *a);
        };
        let factors = &factors.factors()[start..=start + (self.block - 1) * stride];
        let combine = |(b, a): (&mut Complex<T>, &Complex<T>), w: &Complex<T>| *b = (*a - *b) * *w;
        // Told apart because the compiler makes vector loads of the first only.
        if stride == 1 {
            mates.zip(factors).for_each(|(mates, w)| combine(mates, w));
        } else {
            mates.zip(factors.iter().step_by(stride)).for_each(|(mates, w)| combine(mates, w));
        }
    }

    /// Copies the blocks of all threads, one after another in `from`, into natural order in `to`.
    ///
    /// A transposition with reversed rows. It reads 16 points of a block at a time and writes to 16 places:
    /// for 2^20 points 3 to 5 ns a point where one output after the other takes 12 to 18 (measured).
    ///
    /// # Panics
    ///
    /// If either is not of N points.
    pub fn natural_order<T: Copy>(self, from: &[T], to: &mut [T]) {
        const TILE: usize = 16;
        assert_eq!((from.len(), to.len()), (self.points, self.points), "an order of other lengths");
        let (threads, bits) = (self.threads(), self.stages());
        for first in (0..self.block).step_by(TILE) {
            let last = self.block.min(first + TILE);
            for row in 0..threads {
                let block = reverse_bits(row, bits) * self.block;
                for (k, x) in (first..last).zip(&from[block + first..block + last]) {
                    to[row + k * threads] = *x;
                }
            }
        }
    }

    /// Half a group, in threads: the distance to the mate.
    fn half(self, stage: u32) -> usize {
        assert!(stage < self.stages(), "exchange stage {stage} of {}", self.stages());
        self.threads() >> (stage + 1)
    }

    fn check(self, thread: usize) {
        assert!(thread < self.threads(), "thread {thread} of {}", self.threads());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_powers_of_two_are_dealt() {
        assert_eq!(SenderOrder::new(12, 4), Err(OrderError::Points(12)));
        assert_eq!(SenderOrder::new(0, 1), Err(OrderError::Points(0)));
        assert_eq!(SenderOrder::new(16, 3), Err(OrderError::Block(3)));
        assert_eq!(SenderOrder::new(16, 0), Err(OrderError::Block(0)));
        let long = SenderOrder::new(16, 32).unwrap_err();
        assert_eq!(long, OrderError::TooLong { points: 16, block: 32 });
        assert_eq!(long.to_string(), "blocks of 32 points are longer than the whole transform of 16");
    }

    /// The example of section 2.2: eight points, four threads of two. The mate of 0 is 2, then 1.
    #[test]
    fn the_papers_example_has_the_papers_mates() {
        let order = SenderOrder::new(8, 2).unwrap();
        assert_eq!((order.points(), order.block(), order.threads(), order.stages()), (8, 2, 4, 2));
        let mates = |stage| (0..4).map(|t| order.mate(t, stage)).collect::<Vec<_>>();
        assert_eq!((mates(0), mates(1)), (vec![2, 3, 0, 1], vec![1, 0, 3, 2]));
        let exponents = |stage| (0..4).map(|t| order.exponents(t, stage)).collect::<Vec<_>>();
        assert_eq!(exponents(0), [None, None, Some([0, 1]), Some([2, 1])]);
        assert_eq!(exponents(1), [None, Some([0, 2]), None, Some([0, 2])]);
        let mut natural = [0; 8];
        order.natural_order(&[0, 4, 2, 6, 1, 5, 3, 7], &mut natural);
        assert_eq!(natural, [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn mates_are_mutual_and_of_opposite_sides() {
        let order = SenderOrder::new(256, 4).unwrap();
        for stage in 0..order.stages() {
            for t in 0..order.threads() {
                let mate = order.mate(t, stage);
                assert_eq!(order.mate(mate, stage), t);
                assert_eq!(order.exponents(t, stage).is_none(), order.exponents(mate, stage).is_some());
                assert_eq!(order.exponents(t, stage).is_none(), t < mate);
            }
        }
    }

    #[test]
    fn the_upper_side_adds_and_the_lower_one_subtracts_and_turns() {
        let c = Complex::<f64>::new;
        let factors = Twiddles::new(16, crate::Direction::Forward);
        let theirs = [c(5.0, 1.0), c(2.0, 7.0)];
        // An upper side, then lower ones of each stride; the last one begins in the middle.
        for (thread, stage) in [(0, 0), (4, 0), (2, 1), (1, 2), (5, 0)] {
            let order = SenderOrder::new(16, 2).unwrap();
            let mut mine = [c(1.0, 2.0), c(3.0, 4.0)];
            order.combine(thread, stage, &mut mine, &theirs, &factors);
            let expected = match order.exponents(thread, stage) {
                None => [c(6.0, 3.0), c(5.0, 11.0)],
                Some([start, stride]) => {
                    [c(4.0, -1.0) * factors.get(start), c(-1.0, 3.0) * factors.get(start + stride)]
                }
            };
            assert_eq!(mine, expected, "thread {thread}, stage {stage}");
        }
    }

    #[test]
    fn natural_order_puts_each_output_where_its_index_says() {
        for points in (0..=10).map(|bits| 1 << bits) {
            for block in (0..=10).map(|bits| 1 << bits).take_while(|&block| block <= points) {
                let order = SenderOrder::new(points, block).unwrap();
                let index =
                    |t| (0..block).map(move |k| reverse_bits(t, order.stages()) + k * order.threads());
                let from: Vec<_> = (0..order.threads()).flat_map(index).collect();
                let mut to = vec![usize::MAX; points];
                order.natural_order(&from, &mut to);
                assert_eq!(to, (0..points).collect::<Vec<_>>(), "{order:?}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "exchange stage 2 of 2")]
    fn there_is_no_stage_past_the_last() {
        let _ = SenderOrder::new(8, 2).unwrap().mate(0, 2);
    }

    #[test]
    #[should_panic(expected = "thread 4 of 4")]
    fn there_is_no_thread_past_the_last() {
        let _ = SenderOrder::new(8, 2).unwrap().mate(4, 0);
    }

    #[test]
    #[should_panic(expected = "factors of another order")]
    fn factors_of_another_order_are_refused() {
        let order = SenderOrder::new(8, 2).unwrap();
        let factors = Twiddles::new(16, crate::Direction::Forward);
        let block = [Complex::new(0.0, 0.0); 2];
        order.combine(0, 0, &mut block.clone(), &block, &factors);
    }
}
