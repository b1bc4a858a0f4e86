//! Counting the nodes of an unbalanced tree, after the benchmark UTS. A hash of each node determines its
//! number of children, so the size of a subtree is unknown before it has been searched.
//!
//! Each node above the cut-off depth is a token, which load balancing may run on any node. A node at that
//! depth counts its whole subtree in one fiber. [`Search`] adds up the children's counts in one fiber of
//! their parent. The sum is compared with a recursive count.
//!
//! `cargo run --release -p earth --example programs -- tree_search [depth] [cut-off] [seed] [nodes] [spn|dual]`

use std::time::{Duration, Instant};

use earth::collective::Sum;
use earth::patterns::{Search, Tree};
use earth::{Config, Machine, Wire, Work};

/// A node of the tree, which determines everything below it.
#[derive(Clone, Copy, Wire)]
pub(crate) struct Node {
    hash: u64,
    /// Largest number of levels below.
    height: u32,
}

impl Node {
    pub(crate) fn new(hash: u64, height: u32) -> Self {
        Node { hash: mix(hash), height }
    }

    /// Returns the number of children: usually few or none, occasionally many, two on average. The root has
    /// at least four.
    pub(crate) fn children(self, root: bool) -> usize {
        const DRAWN: [usize; 16] = [0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 5, 6, 8];
        let drawn = DRAWN[(self.hash >> 60) as usize];
        match (self.height, root) {
            (0, _) => 0,
            (_, true) => drawn.max(4),
            (_, false) => drawn,
        }
    }

    pub(crate) fn child(self, i: usize) -> Self {
        Node::new(self.hash.wrapping_add(i as u64), self.height - 1)
    }

    /// Returns the size of the tree below and including this node.
    pub(crate) fn count(self, root: bool) -> u64 {
        1 + (0..self.children(root)).map(|i| self.child(i).count(false)).sum::<u64>()
    }
}

/// Mixes the bits of a number: the last step of splitmix64.
fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}

/// A subtree whose `levels` uppermost levels are tokens.
#[derive(Wire)]
pub(crate) struct Subtree {
    pub(crate) node: Node,
    pub(crate) levels: u32,
    pub(crate) root: bool,
}

impl Tree for Subtree {
    type Found = u64;

    fn children(&self) -> impl ExactSizeIterator<Item = Self> {
        let count = if self.levels == 0 { 0 } else { self.node.children(self.root) };
        (0..count).map(|i| Subtree { node: self.node.child(i), levels: self.levels - 1, root: false })
    }

    fn cost(&self) -> Work {
        Work::Cycles(30)
    }

    fn found(&self) -> u64 {
        if self.levels == 0 { self.node.count(self.root) } else { 1 }
    }
}

/// Counts a tree of at most `depth` levels below its root, by tokens down to depth `cutoff`, and checks the
/// count. Returns the times of a recursive count and of the run.
pub(crate) fn demonstrate(
    depth: u32,
    cutoff: u32,
    seed: u64,
    machine: &mut Machine,
) -> Result<[Duration; 2], Box<dyn std::error::Error>> {
    let root = Node::new(seed, depth);
    let nodes = machine.node_count();
    let tree = Subtree { node: root, levels: cutoff, root: true };
    let run = machine.run(|out| Search::call(tree, Sum, out))?;
    let began = Instant::now();
    let expected = root.count(true);
    let plain = began.elapsed();
    if run.value != expected {
        return Err(format!("counted {} nodes of {expected}", run.value).into());
    }
    let (tokens, stolen) = (run.counters.tokens, run.counters.tokens_stolen);
    eprintln!("{expected} nodes of a tree on {nodes} nodes: {tokens} tokens, {stolen} of them stolen");
    Ok([plain, run.elapsed])
}

/// Runs the program with its command-line arguments.
pub(crate) fn main(args: impl Iterator<Item = String>) -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = args.collect();
    let number = |i: usize, usual| args.get(i).map_or(Ok(usual), |arg| arg.parse());
    let seed = args.get(2).map_or(Ok(19), |arg| arg.parse())?;
    let nodes = args.get(3).map_or(Ok(2), |arg| arg.parse())?;
    let config = args.get(4).map_or(Ok(Config::Spn), |arg| arg.parse())?;
    demonstrate(number(0, 18)?, number(1, 9)?, seed, &mut Machine::threads(nodes).config(config)).map(drop)
}
