//! Data distribution of the sender-initiated FFT: mates, twiddle exponents and the output order.
//!
//! The N points, in natural order, are cut into M = N/B blocks of B contiguous points; thread `t` holds block
//! `t`. The transform is a decimation in frequency:
//!
//! 1. *Exchange stages* `s = 0 .. log2 M`. Before stage `s` the threads form groups of `M / 2^s`, and each
//!    group holds a transform of `L = N / 2^s` points. The mate of `t` is half a group away: `t` with the bit
//!    `M / 2^(s+1)` flipped. So points at distance `L/2` are combined. The upper mate (bit clear) keeps
//!    `a + b`, a transform of `L/2` points with the even outputs of the group. The lower mate (bit set) keeps
//!    `(a - b) w_L^j`, with the odd outputs; `j` is the index of the point in the group's upper half.
//!    `w_L^j = w_N^(j 2^s)`, so one table of order N serves all stages with stride `2^s`.
//!
//!    Two threads with a block each send each other copies and then compute one side each. Each result
//!    replaces the thread's own block, and the receive buffer becomes free for the next stage's copy. The
//!    paper has `a + b w` and `a - b w` from the first stage on. Its butterflies give a transform in no
//!    output order; the butterflies here give one.
//! 2. *Local stages.* Each thread transforms its own B points, by any kernel with natural order in and out.
//!
//! *Output order.* Stage `s` determines bit `s` of the output's index from bit `log2 M - 1 - s` of `t`. After
//! all stages, `t` holds the outputs whose lowest `log2 M` bits are `r(t)`, the bit reversal of `t`. Output
//! `k` of the local transform is `X[r(t) + M k]`. So the output is a matrix of M rows (by reversed thread)
//! and B columns that has to be transposed ([`natural_order`](SenderOrder::natural_order)). The paper
//! (Thulasiraman, Theobald, Khokhar, Gao, "Multithreaded Algorithms for the Fast Fourier Transform", section
//! 2.2) does not mention this step.
//!
//! *Cost.* A point of a stage takes 2 flops on the upper side and 8 on the lower side. A stage reads two
//! blocks and writes one. A point takes 0.4 ns on the upper side and 0.8 to 1 ns on the lower side in the L1
//! cache (measured, double precision). *When it loses.* Both sides computed in one thread read each point
//! once; a local stage does that.

use num_complex::Complex;

use crate::order::bit_reversal::reverse_bits;
use crate::real::Real;
use crate::unity::twiddle::Twiddles;

/// Reason why points cannot be distributed to threads in blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OrderError {
    /// Number of points that is not a power of two.
    #[error("a radix-2 transform of {0} points: the number of points must be a power of two")]
    Points(usize),
    /// Block length that is not a power of two.
    #[error("blocks of {0} points: the length of a block must be a power of two")]
    Block(usize),
    /// Block longer than the transform.
    #[error("blocks of {block} points are longer than the whole transform of {points}")]
    TooLong {
        /// Number of points of the transform.
        points: usize,
        /// Number of points of a block.
        block: usize,
    },
}

/// Distribution of N points in blocks of B, one block per thread, for the sender-initiated FFT;
/// `order/sender.rs` describes the algorithm.
///
/// The methods panic if a thread or a stage is out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SenderOrder {
    points: usize,
    block: usize,
}

impl SenderOrder {
    /// Distributes `points` in blocks of `block`.
    ///
    /// # Errors
    ///
    /// If either is not a power of two, or if a block is longer than the transform.
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

    /// Returns the number of points of the transform, N.
    pub fn points(self) -> usize {
        self.points
    }

    /// Returns the number of points of a block, B.
    pub fn block(self) -> usize {
        self.block
    }

    /// Returns the number of threads, M = N/B.
    pub fn threads(self) -> usize {
        self.points / self.block
    }

    /// Returns the number of exchange stages, log2 M.
    pub fn stages(self) -> u32 {
        self.threads().trailing_zeros()
    }

    /// Returns the thread with which `thread` exchanges blocks in `stage`.
    pub fn mate(self, thread: usize, stage: u32) -> usize {
        self.check(thread);
        thread ^ self.half(stage)
    }

    /// Returns the factors of a lower mate as exponents of `exp(-2 pi i / N)`: the first exponent and the
    /// step between exponents. Returns `None` for an upper mate, which has no factors.
    fn exponents(self, thread: usize, stage: u32) -> Option<[usize; 2]> {
        self.check(thread);
        let (half, stride) = (self.half(stage), 1 << stage);
        (thread & half != 0).then(|| [(thread & (half - 1)) * self.block * stride, stride])
    }

    /// Computes the side of `thread` in `stage` from its own block and its mate's block, in place in `mine`.
    ///
    /// # Panics
    ///
    /// If a block does not have B points or the factors are not of order N, besides the conditions of the
    /// type.
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
        // The cases are separate because the compiler vectorizes the loads of the first case only.
        if stride == 1 {
            mates.zip(factors).for_each(|(mates, w)| combine(mates, w));
        } else {
            mates.zip(factors.iter().step_by(stride)).for_each(|(mates, w)| combine(mates, w));
        }
    }

    /// Copies the blocks of all threads, which are consecutive in `from`, into natural order in `to`.
    ///
    /// This is a transposition with bit-reversed rows. It reads 16 points of a block at a time and writes
    /// them to 16 places. For 2^20 points it takes 3 to 5 ns a point; one output after the other takes 12 to
    /// 18 ns (measured).
    ///
    /// # Panics
    ///
    /// If either slice does not have N points.
    pub fn natural_order<T: Copy>(self, from: &[T], to: &mut [T]) {
        const TILE: usize = 16;
        assert_eq!(
            (from.len(), to.len()),
            (self.points, self.points),
            "slices of another length than the order's"
        );
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

    /// Returns half the size of a group, in threads, which is the distance to the mate.
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

    /// Example of section 2.2: eight points, four threads with two points each. The mate of 0 is 2, then 1.
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
        // An upper side, then lower sides of each stride; the last one begins in the middle.
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
    fn natural_order_puts_each_output_at_its_index() {
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
