//! Data distribution of the receiver-initiated FFT: samples, operands and twiddle exponents.
//!
//! The transform is a decimation in time. There are N points on P nodes, both powers of two; a share is N/P
//! points.
//!
//! 1. *Local stages.* Node `r` holds every P-th sample, beginning with sample `b(r)`, where `b` reverses the
//!    log2 P bits of `r`. It transforms them as a whole transform of one share. (With N = 8 and P = 4 the
//!    nodes hold x0 x4, x2 x6, x1 x5, x3 x7.) Output `j` is point `r N/P + j` of level 0.
//! 2. *Levels* `l = 1 .. log2 P`. The points of level `l` form `P / 2^l` transforms of `M = 2^l N/P` points
//!    each, in natural order. Point `q` is output `k = q mod M` of its transform: `even + w_M^k odd`. The
//!    *operands* `even` and `odd` are points of level `l - 1` at distance M/2: `q` with the bit M/2 cleared,
//!    and `q` with it set. One operand is `q` itself, on the same node. The other operand is its *mate*,
//!    whose node differs in one bit. `w_M^k = w_N^(k N/M)`, so one table of order N serves all levels.
//!
//! The points of level log2 P are the transform in natural order, so no reordering is needed. Source:
//! Thulasiraman, Theobald, Khokhar, Gao, "Multithreaded Algorithms for the Fast Fourier Transform", section
//! 2.1.

use num_complex::Complex;

use crate::order::bit_reversal::reverse_bits;
use crate::real::Real;
use crate::unity::twiddle::Twiddles;

/// Reason why points cannot be distributed to nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SharesError {
    /// Number of points that is not a power of two.
    #[error("a radix-2 transform of {0} points: the number of points must be a power of two")]
    Points(usize),
    /// Number of nodes that is not a power of two.
    #[error("a radix-2 transform on {0} nodes: the number of nodes must be a power of two")]
    Nodes(usize),
    /// More nodes than points.
    #[error("a transform of {points} points on {nodes} nodes: a node must have at least one point")]
    TooManyNodes {
        /// Number of points of the transform.
        points: usize,
        /// Number of nodes.
        nodes: usize,
    },
}

/// Distribution of N points on P nodes for the receiver-initiated FFT; `order/receiver.rs` describes the
/// algorithm.
///
/// The methods panic if a node, a point or a level is out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiverOrder {
    points: usize,
    nodes: usize,
}

impl ReceiverOrder {
    /// Distributes `points` to `nodes`.
    ///
    /// # Errors
    ///
    /// If either is not a power of two, or if there are more nodes than points.
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

    /// Returns the number of points of the transform, N.
    pub fn points(self) -> usize {
        self.points
    }

    /// Returns the number of nodes, P.
    pub fn nodes(self) -> usize {
        self.nodes
    }

    /// Returns the number of points on a node, N/P.
    pub fn share(self) -> usize {
        self.points / self.nodes
    }

    /// Returns the number of levels after the local stages, log2 P.
    pub fn levels(self) -> u32 {
        self.nodes.trailing_zeros()
    }

    /// Returns the samples of a node, in the order in which the node transforms them.
    pub fn samples(self, node: usize) -> impl Iterator<Item = usize> {
        assert!(node < self.nodes, "node {node} of {}", self.nodes);
        (reverse_bits(node, self.levels())..self.points).step_by(self.nodes)
    }

    /// Returns the node that holds a point, on every level.
    pub fn node(self, point: usize) -> usize {
        self.check(point);
        point / self.share()
    }

    /// Returns the index of a point within its node.
    pub fn place(self, point: usize) -> usize {
        self.check(point);
        point % self.share()
    }

    /// Returns the two points of the level below from which a point is computed, even and odd.
    pub fn operands(self, point: usize, level: u32) -> [usize; 2] {
        self.check(point);
        let half = self.half(level);
        [point & !half, point | half]
    }

    /// Computes a point from its operands: half a butterfly.
    ///
    /// # Panics
    ///
    /// If the factors are not of order N, besides the conditions of the type.
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

    /// Returns the exponent of `exp(-2 pi i / N)` in the factor of the odd operand.
    pub fn exponent(self, point: usize, level: u32) -> usize {
        self.check(point);
        let transform = 2 * self.half(level);
        point % transform * (self.points / transform)
    }

    /// Returns half the number of points of a transform of this level, which is the distance between
    /// operands.
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
                // The mates request each other's points: only a point itself and its mate request the point.
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
    fn undistributable_shapes_are_refused() {
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
