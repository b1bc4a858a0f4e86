//! An unbalanced tree, after the benchmark UTS. The size of a subtree is unknown until it has been searched.
//!
//! On earth it is the program `tree_search` without a cut-off: each node is a token, and each inner node a
//! frame. In grains, a fiber searches several nodes. On rayon `join` divides the children of a node until one
//! is left.

use std::time::Duration;

use earth::collective::Sum;
use earth::patterns::Search;
use earth::{Machine, Wire};
use earth_programs::tree_search::{Node, Subtree};
use rayon::ThreadPool;

use crate::paired::timed;

/// A subtree in which a fiber searches 64 nodes.
#[derive(Wire)]
struct InGrains(Subtree);

impl earth::patterns::Tree for InGrains {
    type Found = u64;
    fn children(&self) -> impl ExactSizeIterator<Item = Self> {
        self.0.children().map(InGrains)
    }
    fn found(&self) -> u64 {
        self.0.found()
    }
    fn grain(&self) -> usize {
        64
    }
}

/// A tree, and its size by a recursive count.
pub struct Tree {
    root: Node,
    depth: u32,
    size: u64,
}

impl Tree {
    /// Makes a tree of 4,398,072 nodes.
    ///
    /// # Panics
    ///
    /// If its size differs.
    pub fn large() -> Self {
        let tree = Tree::new(20, 20);
        assert_eq!(tree.size, 4_398_072);
        tree
    }

    /// Makes a tree of 66 nodes.
    ///
    /// # Panics
    ///
    /// If its size differs.
    pub fn small() -> Self {
        let tree = Tree::new(19, 4);
        assert_eq!(tree.size, 66);
        tree
    }

    fn new(seed: u64, depth: u32) -> Self {
        let root = Node::new(seed, depth);
        Tree { root, depth, size: root.count(true) }
    }

    /// Returns the number of nodes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Counts the nodes on earth.
    ///
    /// # Panics
    ///
    /// If the count is wrong, or a node was not a token.
    pub fn on_earth(&self, machine: &mut Machine) -> Duration {
        timed(|| {
            let tree = self.whole();
            let run = machine.run(|out| Search::call(tree, Sum, out)).expect("the search runs");
            assert_eq!((run.value, run.counters.tokens), (self.size, self.size - 1));
        })
    }

    /// Counts the nodes on earth, in grains.
    ///
    /// # Panics
    ///
    /// If the count is wrong.
    pub fn in_grains(&self, machine: &mut Machine) -> Duration {
        timed(|| {
            let tree = InGrains(self.whole());
            let run = machine.run(|out| Search::call(tree, Sum, out)).expect("the search runs");
            assert_eq!(run.value, self.size);
        })
    }

    fn whole(&self) -> Subtree {
        Subtree { node: self.root, levels: self.depth, root: true }
    }

    /// Counts the nodes on rayon.
    ///
    /// # Panics
    ///
    /// If the count is wrong.
    pub fn on_rayon(&self, pool: &ThreadPool) -> Duration {
        timed(|| assert_eq!(pool.install(|| count(self.root, true)), self.size))
    }
}

fn count(node: Node, root: bool) -> u64 {
    1 + children(node, 0, node.children(root))
}

/// Returns the total size of the subtrees of a node's children `from..to`.
fn children(node: Node, from: usize, to: usize) -> u64 {
    match to - from {
        0 => 0,
        1 => count(node.child(from), false),
        more => {
            let middle = from + more / 2;
            let (left, right) = rayon::join(|| children(node, from, middle), || children(node, middle, to));
            left + right
        }
    }
}
