//! Counting the nodes of an unbalanced tree, after the benchmark UTS. A hash of each node determines its
//! number of children, so the size of a subtree is unknown before it has been searched.
//!
//! Each node above the cut-off depth is a token, which load balancing may run on any node. A node at that
//! depth counts its whole subtree in one fiber. [`Search`] adds up the children's counts in one fiber of
//! their parent. The sum is compared with a recursive count.
//!
//! `cargo run --release -p earth-programs -- tree_search [depth] [cut-off] [seed] [nodes] [spn|dual]`

use earth::collective::Sum;
use earth::patterns::{Search, Tree};
use earth::{Machine, Wire, Work};

use crate::program::{Instance, Program, ProgramError, Size};

/// A node of the tree, which determines everything below it.
#[derive(Clone, Copy, Wire)]
pub struct Node {
    hash: u64,
    /// Largest number of levels below.
    height: u32,
}

impl Node {
    /// Makes a node of a hash, with at most `height` levels below.
    #[inline]
    pub fn new(hash: u64, height: u32) -> Self {
        Node { hash: mix(hash), height }
    }

    /// Returns the number of children: usually few or none, occasionally many, two on average. The root has
    /// at least four.
    #[inline]
    pub fn children(self, root: bool) -> usize {
        const DRAWN: [usize; 16] = [0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 5, 6, 8];
        let drawn = DRAWN[(self.hash >> 60) as usize];
        match (self.height, root) {
            (0, _) => 0,
            (_, true) => drawn.max(4),
            (_, false) => drawn,
        }
    }

    /// Returns child `i`.
    #[inline]
    #[must_use]
    pub fn child(self, i: usize) -> Self {
        Node::new(self.hash.wrapping_add(i as u64), self.height - 1)
    }

    /// Returns the size of the tree below and including this node.
    #[inline]
    pub fn count(self, root: bool) -> u64 {
        1 + (0..self.children(root)).map(|i| self.child(i).count(false)).sum::<u64>()
    }
}

/// Mixes the bits of a number: the last step of splitmix64.
#[inline]
fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}

/// A subtree whose `levels` uppermost levels are tokens.
#[derive(Wire)]
pub struct Subtree {
    /// Its uppermost node.
    pub node: Node,
    /// Number of levels that are tokens.
    pub levels: u32,
    /// Whether the uppermost node is the root of the tree.
    pub root: bool,
}

impl Tree for Subtree {
    type Found = u64;

    #[inline]
    fn children(&self) -> impl ExactSizeIterator<Item = Self> {
        let count = if self.levels == 0 { 0 } else { self.node.children(self.root) };
        (0..count).map(|i| Subtree { node: self.node.child(i), levels: self.levels - 1, root: false })
    }

    #[inline]
    fn cost(&self) -> Work {
        Work::Cycles(30)
    }

    #[inline]
    fn found(&self) -> u64 {
        if self.levels == 0 { self.node.count(self.root) } else { 1 }
    }
}

/// Counts a tree of at most `depth` levels below its root, by tokens down to the cut-off depth.
pub struct TreeSearch;

impl Program for TreeSearch {
    fn name(&self) -> &'static str {
        "tree_search"
    }

    fn title(&self) -> &'static str {
        "unbalanced tree, all nodes as tokens"
    }

    fn sizes(&self) -> &'static [Size] {
        const {
            &[
                Size::new("depth", 12, 10).within(0, 40),
                Size::new("cut-off", 12, 4).within(0, 40),
                Size::new("seed", 19, 19).within(0, u64::MAX),
            ]
        }
    }

    fn instance(&self, sizes: &[u64]) -> Result<Instance, ProgramError> {
        let (depth, levels, seed) = (sizes[0] as u32, sizes[1] as u32, sizes[2]);
        let node = Node::new(seed, depth);
        let run = move |machine: &mut Machine| {
            machine.run(|out| Search::call(Subtree { node, levels, root: true }, Sum, out))
        };
        Ok(Instance::new(|| node.count(true), run, |count| format!("{count} nodes of a tree")))
    }
}
