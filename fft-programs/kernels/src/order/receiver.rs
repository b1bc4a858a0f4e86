//! Who holds what in the receiver-initiated FFT: samples, operands and twiddle exponents.
//!
//! The transform is a decimation in time. N points on P nodes, both powers of two; a share is N/P points.
//!
//! 1. *Local stages.* Node `r` holds every P-th sample, from sample `b(r)` on, where `b` reverses the log2 P
//!    bits of `r`, and transforms them: a whole transform of a share. (With N = 8 and P = 4 the nodes hold x0
//!    x4, x2 x6, x1 x5, x3 x7.) Its output `j` is point `r N/P + j` of level 0.
//! 2. *Levels* `l = 1 .. log2 P`. The points of level `l` form `P / 2^l` transforms of `M = 2^l N/P` points
//!    each, in natural order. Point `q` is output `k = q mod M` of its transform: `even + w_M^k odd`, where
//!    the *operands* are points of level `l - 1` and M/2 apart: `q` with the bit M/2 cleared, and with it
//!    set. One of the two is `q` itself, on the same node; the other is its *mate*, whose node differs in one
//!    bit. `w_M^k = w_N^(k N/M)`, so one table of order N serves all levels.
//!
//! The points of level log2 P are the transform in natural order: nothing is left to reorder.
//! Source: Thulasiraman, Theobald, Khokhar, Gao, "Multithreaded Algorithms for the Fast Fourier
//! Transform", section 2.1.

use num_complex::Complex;

use crate::order::bit_reversal::reverse_bits;
use crate::real::Real;
use crate::unity::twiddle::Twiddles;

/// Why points cannot be dealt to nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SharesError {
    /// The number of points is no power of two.
    #[error("a radix-2 transform of {0} points: the number of points must be a power of two")]
    Points(usize),
    /// The number of nodes is no power of two.
    #[error("a radix-2 transform on {0} nodes: the number of nodes must be a power of two")]
    Nodes(usize),
    /// Some nodes would have no point.
    #[error("a transform of {points} points on {nodes} nodes: a node must have at least one point")]
    TooManyNodes {
        /// The points of the transform.
        points: usize,
        /// The nodes.
        nodes: usize,
    },
}

/// N points on P nodes; see `receiver_order.rs` for the algorithm it describes.
///
/// Its methods panic where a node, a point or a level is out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiverOrder {
    points: usize,
    nodes: usize,
}

impl ReceiverOrder {
    /// Deals `points` to `nodes`.
    ///
    /// # Errors
    ///
    /// If either is no power of two, or there are more nodes than points.
    pub fn new(points: usize, nodes: usize) -> Result<Self, SharesError> {
        if !points.is_power_of_two() {
            Err(SharesError::Points(points))
        } else if !nodes.is_power_of_two() {
            Err(SharesError::Nodes(nodes))
        } else if nodes > points {
            Err(SharesError::TooManyNodes { points, nodes })
        } else {
            Ok(Self { points, nodes })
        }
    }

    /// The points of the transform, N.
    pub fn points(self) -> usize {
        self.points
    }

    /// The nodes, P.
    pub fn nodes(self) -> usize {
        self.nodes
    }

    /// The points of a node, N/P.
    pub fn share(self) -> usize {
        self.points / self.nodes
    }

    /// The number of levels after the local stages, log2 P.
    pub fn levels(self) -> u32 {
        self.nodes.trailing_zeros()
    }

    /// The samples of a node, in the order in which it transforms them.
    pub fn samples(self, node: usize) -> impl Iterator<Item = usize> {
        assert!(node < self.nodes, "node {node} of {}", self.nodes);
        (reverse_bits(node, self.levels())..self.points).step_by(self.nodes)
    }

    /// The node that has a point, on every level.
    pub fn node(self, point: usize) -> usize {
        self.check(point);
        point / self.share()
    }

    /// Which of its node's points a point is.
    pub fn place(self, point: usize) -> usize {
        self.check(point);
        point % self.share()
    }

    /// The points of the level below from which a point is computed: the even one and the odd one.
    pub fn operands(self, point: usize, level: u32) -> [usize; 2] {
        self.check(point);
        let half = self.half(level);
        [point & !half, point | half]
    }

    /// A point from its operands: half a butterfly.
    ///
    /// # Panics
    ///
    /// Also if the factors are not of order N.
    pub fn combine<T: Real>(
        self,
        point: usize,
        level: u32,
        [even, odd]: [Complex<T>; 2],
        factors: &Twiddles<T>,
    ) -> Complex<T> {
        assert_eq!(factors.order(), self.points, "factors of another order than the transform's");
        even + odd * factors.get(self.exponent(point, level))
    }

    /// The exponent of `exp(-2 pi i / N)` that the odd operand is multiplied by.
    pub fn exponent(self, point: usize, level: u32) -> usize {
        self.check(point);
        let transform = 2 * self.half(level);
        point % transform * (self.points / transform)
    }

    /// Half the points of a transform of this level: how far operands are apart.
    fn half(self, level: u32) -> usize {
        assert!((1..=self.levels()).contains(&level), "level {level} of {}", self.levels());
        self.share() << (level - 1)
    }

    fn check(self, point: usize) {
        assert!(point < self.points, "point {point} of {}", self.points);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_example_is_dealt_as_in_the_paper() {
        let order = ReceiverOrder::new(8, 4).unwrap();
        let samples = |node| order.samples(node).collect::<Vec<_>>();
        assert_eq!([0, 1, 2, 3].map(samples), [[0, 4], [2, 6], [1, 5], [3, 7]]);
        assert_eq!((order.share(), order.levels()), (2, 2));
    }

    #[test]
    fn one_operand_is_the_point_itself_and_the_other_its_mate() {
        let order = ReceiverOrder::new(64, 16).unwrap();
        for level in 1..=4 {
            for point in 0..64 {
                let [even, odd] = order.operands(point, level);
                assert_eq!(odd - even, 4 << (level - 1));
                let mate = if point == even { odd } else { even };
                assert!(point == even || point == odd);
                assert_eq!(order.place(mate), order.place(point), "mates differ in their node only");
                assert_eq!(order.node(mate) ^ order.node(point), 1 << (level - 1));
                // Both ask each other: a point is asked for by itself and by its mate alone.
                assert_eq!(order.operands(mate, level), [even, odd]);
            }
        }
    }

    #[test]
    fn exponents_go_once_round_the_circle_in_each_transform() {
        let order = ReceiverOrder::new(16, 4).unwrap();
        let exponents = |level| (0..16).map(|point| order.exponent(point, level)).collect::<Vec<_>>();
        assert_eq!(exponents(1), [0, 2, 4, 6, 8, 10, 12, 14, 0, 2, 4, 6, 8, 10, 12, 14]);
        assert_eq!(exponents(2), (0..16).collect::<Vec<_>>());
    }

    #[test]
    fn what_cannot_be_dealt_is_refused() {
        assert_eq!(ReceiverOrder::new(12, 4), Err(SharesError::Points(12)));
        assert_eq!(ReceiverOrder::new(0, 1), Err(SharesError::Points(0)));
        assert_eq!(ReceiverOrder::new(8, 3), Err(SharesError::Nodes(3)));
        let too_many = SharesError::TooManyNodes { points: 4, nodes: 8 };
        assert_eq!(ReceiverOrder::new(4, 8), Err(too_many));
        assert!(ReceiverOrder::new(4, 4).is_ok());
    }

    #[test]
    #[should_panic(expected = "level 0 of 2")]
    fn level_0_has_no_operands() {
        let _ = ReceiverOrder::new(8, 4).unwrap().operands(0, 0);
    }
}
