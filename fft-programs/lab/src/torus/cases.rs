//! Tori, transforms and programs of the report.

use super::exchange::{Exchange, NO_BARRIER, Order, Variation};

/// Tori of the weak scaling: 64 nodes to 65,536.
pub(crate) const SHAPES: [[usize; 3]; 11] = [
    [4, 4, 4],
    [8, 4, 4],
    [8, 8, 4],
    [8, 8, 8],
    [16, 8, 8],
    [16, 16, 8],
    [16, 16, 16],
    [32, 16, 16],
    [32, 32, 16],
    [32, 32, 32],
    [64, 32, 32],
];

/// Machine of 64 racks, and the torus of its aspect ratio that is simulated as a whole.
pub(crate) const LARGEST: [usize; 3] = [64, 32, 32];
pub(crate) const WHOLE: [usize; 3] = [16, 8, 8];

/// Torus of the experiment with links of today, and the largest one with each node simulated.
pub(crate) const LARGE: [usize; 3] = [32, 16, 16];

/// Tori of the largest one's aspect ratio. Each of their nodes is simulated.
pub(crate) const SIMILAR: [[usize; 3]; 4] = [[4, 2, 2], SMALL, WHOLE, LARGE];

/// Torus of the experiments on causes.
pub(crate) const SMALL: [usize; 3] = [8, 4, 4];

/// Number of points of the largest transform, and bytes that two nodes exchange in it.
pub(crate) const POINTS: f64 = (1_u64 << 38) as f64;
pub(crate) const BYTES: u64 = 1024;

/// Number of blocks of the paper's overlap: 256 bytes per block instead of 1024.
pub(crate) const BLOCKS: f64 = 4.0;

/// Largest "few" nodes, where the paper says that phases are slightly worse.
pub(crate) const FEW: usize = 512;

/// Small tori that are no cubes; below, small cubes.
pub(crate) const UNEVEN: [[usize; 3]; 2] = [SMALL, [8, 8, 4]];
pub(crate) const EVEN: [[usize; 3]; 2] = [[4, 4, 4], [8, 8, 8]];

/// Most nodes that are simulated individually.
pub(super) const MOST: usize = 1024;

/// Orders that are compared on links of today.
pub(crate) const TODAY_ORDERS: [Order; 6] = [
    Order::SharedRandom,
    Order::Barriers(NO_BARRIER),
    Order::Barriers(1),
    Order::Barriers(16),
    Order::Dataflow(1),
    Order::Dataflow(4),
];

/// Programs of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    /// All-to-all in which every node has its own order.
    Base,
    /// All-to-all in which every node has its own order, with one packet to each node in turn.
    ByPackets,
    /// All-to-all in which every node begins with the next node, and goes on with the one after it.
    Rotated,
    /// All-to-all in which all nodes have one random order.
    OneOrder,
    /// Phases with barriers.
    Phased,
    /// Phases without barriers, synchronized by counted slots.
    Dataflow,
    /// Phases with barriers, and blocks that overlap.
    Overlapped,
}

/// Orders that the paper's base may have: the paper does not give its order.
pub(crate) const BASES: [(Variant, &str); 4] = [
    (Variant::Base, "own random orders"),
    (Variant::ByPackets, "own random orders, packet by packet"),
    (Variant::Rotated, "rotated order"),
    (Variant::OneOrder, "one random order"),
];

pub(crate) fn nodes(sides: &[usize]) -> usize {
    sides.iter().product()
}

/// Returns the points of the weak scaling on a number of nodes: 2 to 4 million per node, a square.
pub(crate) fn weak(nodes: usize) -> f64 {
    let log = nodes.ilog2() + 21;
    f64::from(log + log % 2).exp2()
}

/// Binary logarithms of the points of the strong scaling: 1 G to 16 G.
pub(crate) const STRONG: [u32; 5] = [30, 31, 32, 33, 34];

/// Tori larger than the paper's, for the limits of strong scaling.
pub(crate) const BEYOND: [[usize; 3]; 2] = [[64, 64, 32], [64, 64, 64]];

/// Packets per buffer in the experiment with the base.
pub(crate) const BUFFERS: [u32; 7] = [4, 8, 16, 32, 40, 48, 64];

/// Transforms of one, two and three dimensions on the largest machine.
pub(crate) const DIMENSIONS: [Dimensions; 3] = [
    Dimensions { name: "one, of 2^36 points", log: 36, times: 1, exchanges: &[&LARGEST, &LARGEST, &LARGEST] },
    Dimensions {
        name: "two, there and back: 32 of 2^16 x 2^16",
        log: 32,
        times: 32,
        exchanges: &[&[64, 32], &[64, 32]],
    },
    Dimensions { name: "three, 2^12 x 2^12 x 2^12", log: 36, times: 1, exchanges: &[&[64, 32], &[32]] },
];

/// Torus, binary logarithm of the points, and blocks of the runtime's own program: 4096 bytes per pair, down
/// to 256.
pub(crate) const PROGRAM: ([usize; 3], u32) = ([4, 4, 4], 20);
pub(super) const PROGRAM_BLOCKS: [usize; 5] = [1, 2, 4, 8, 16];

/// Speeds of the nodes in this program, relative to the profile. At 3 computing takes about as long as the
/// exchanges.
pub(super) const SPEEDS: [u32; 3] = [1, 3, 10];

/// Points of a node in the weak scaling with small messages, as binary logarithms.
pub(crate) const FEW_POINTS: [u32; 3] = [14, 16, 18];

/// Transforms of `2^log` points each, and the parts of the machine in which they exchange.
#[derive(Debug)]
pub(crate) struct Dimensions {
    pub(crate) name: &'static str,
    pub(crate) log: u32,
    /// Number of transforms at the same time.
    pub(crate) times: u32,
    /// Sides of the parts in which each exchange happens; all parts exchange at the same time.
    pub(crate) exchanges: &'static [&'static [usize]],
}

impl Dimensions {
    pub(crate) fn points(&self) -> f64 {
        f64::from(self.log).exp2() * f64::from(self.times)
    }

    /// Returns the points of a part with these sides.
    pub(crate) fn points_of(&self, sides: &[usize]) -> f64 {
        self.points() * nodes(sides) as f64 / nodes(&LARGEST) as f64
    }
}

/// Makes an exchange of the largest transform's messages on another torus.
pub(crate) fn cause(sides: [usize; 3], order: Order, variation: Variation) -> Exchange {
    Exchange::new(&sides, BYTES, order).with(variation)
}
