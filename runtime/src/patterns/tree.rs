//! A value computed from all nodes of a tree, or from all parts of a problem that is divided until its parts
//! are small. The size of a part need not be known before it has been searched.
//!
//! 1. Each child of a node is a token. A node runs its newest token first, so that few wait at a time; idle
//!    nodes steal the oldest, which stand for the largest parts.
//! 2. The node's own value and its children's results are combined in order, in one fiber of the node's
//!    frame.
//!
//! A tree with a [grain](Tree::grain) is cut into larger parts. A fiber searches `grain` nodes in depth-first
//! preorder, and makes tokens of the subtrees that it has not reached. Thieves steal the highest of these.
//! One fiber searches a small subtree without a frame. The tree alone fixes the cuts, so the result is
//! bitwise equal on every machine.
//!
//! # Cost
//!
//! | grain | cost |
//! |---|---|
//! | 1 | a token and a put per child; a frame and one more fiber per node with children |
//! | larger | a token and a put per remaining subtree; a frame, an invoke and two more fibers per fiber that leaves subtrees |
//!
//! A stolen token costs two messages: the token and its result.
//!
//! # When it loses
//!
//! Nodes that are less work than a token (some tens of nanoseconds) need a grain. Nodes that are much work
//! need none: their fiber keeps the next nodes of the grain from thieves. A tree that is better searched in a
//! plain loop from some depth on should return no [children](Tree::children) there.

use crate::collective::Combine;
use crate::{Arrived, Eu, Reply, Shared, Start, Wire, Work, threaded};

/// A node of a tree, which determines the subtree below it.
pub trait Tree: Wire {
    /// The result for a tree.
    type Found: Wire;

    /// Returns the children that are searched as tokens: the same children in the same number at each call.
    fn children(&self) -> impl ExactSizeIterator<Item = Self>;

    /// Returns this node's contribution to its children's results. Without children, returns the result for
    /// the whole subtree.
    fn found(&self) -> Self::Found;

    /// Returns the cost of `found` on a simulated machine; real machines ignore it.
    fn cost(&self) -> Work {
        Work::Cycles(0)
    }

    /// Returns how many nodes of the subtree below this node, including it, one fiber searches before it
    /// releases the rest to thieves. Up to 1, each child is a token. Numbers above 65,536 are reduced to it,
    /// because a cancelled run ends between two fibers.
    fn grain(&self) -> usize {
        1
    }
}

/// A tree by two closures, which stays in its process: the children of a node, and the node's contribution.
///
/// ```
/// use earth::Machine;
/// use earth::collective::Sum;
/// use earth::patterns::{Search, TreeOf};
///
/// // Counts the ways to divide a number by 2 and 3 without remainder, in any order, down to 1.
/// let by = |&number: &u64| [2, 3].into_iter().filter(|&p| number.is_multiple_of(p)).map(|p| number / p).collect();
/// let tree = TreeOf::new(6 * 6 * 6, by, |&number| u64::from(number == 1));
/// let run = Machine::threads(2).run(|out| Search::call(tree.in_grains(4), Sum, out))?;
/// assert_eq!(run.value, 20);
/// # Ok::<(), earth::Error>(())
/// ```
#[derive(Clone, Debug, Wire)]
pub struct TreeOf<N, C, F> {
    node: N,
    grain: usize,
    by: Shared<(C, F)>,
}

impl<N, T, C, F> TreeOf<N, C, F>
where
    C: Fn(&N) -> Vec<N> + Send + Sync + 'static,
    F: Fn(&N) -> T + Send + Sync + 'static,
{
    /// Returns the tree below `root`.
    pub fn new(root: N, children: C, found: F) -> Self {
        TreeOf { node: root, grain: 1, by: Shared::new((children, found)) }
    }

    /// Makes one fiber search `nodes` nodes: see [`Tree::grain`].
    #[must_use]
    pub fn in_grains(self, nodes: usize) -> Self {
        TreeOf { grain: nodes, ..self }
    }
}

impl<N: Wire, T: Wire, C, F> Tree for TreeOf<N, C, F>
where
    C: Fn(&N) -> Vec<N> + Send + Sync + 'static,
    F: Fn(&N) -> T + Send + Sync + 'static,
{
    type Found = T;

    fn children(&self) -> impl ExactSizeIterator<Item = Self> {
        let TreeOf { grain, by, .. } = self;
        by.0(&self.node).into_iter().map(|node| TreeOf { node, grain: *grain, by: by.clone() })
    }

    fn found(&self) -> T {
        self.by.1(&self.node)
    }

    fn grain(&self) -> usize {
        self.grain
    }
}

/// The largest number of nodes that one fiber searches.
const MAX_GRAIN: usize = 1 << 16;

/// Searches a tree and combines the results: a node's contribution, then its children's results, in
/// their order.
///
/// ```
/// use earth::collective::Sum;
/// use earth::patterns::{Search, Tree};
/// use earth::{Machine, Wire};
///
/// /// Stones on a board of `columns` columns, one per row, no two in the same column.
/// #[derive(Wire)]
/// struct Placed {
///     columns: u32,
///     taken: u32,
/// }
///
/// impl Tree for Placed {
///     type Found = u64;
///
///     fn children(&self) -> impl ExactSizeIterator<Item = Self> {
///         let free = (0..self.columns).map(|column| 1 << column).filter(|column| self.taken & column == 0);
///         let place = |column: u32| Placed { columns: self.columns, taken: self.taken | column };
///         free.map(place).collect::<Vec<_>>().into_iter()
///     }
///
///     fn found(&self) -> u64 {
///         u64::from(self.taken.count_ones() == self.columns)
///     }
/// }
///
/// let run = Machine::threads(2).run(|out| Search::call(Placed { columns: 6, taken: 0 }, Sum, out))?;
/// assert_eq!(run.value, 720);
/// # Ok::<(), earth::Error>(())
/// ```
#[derive(Debug)]
pub struct Search<T: Tree, O> {
    found: T::Found,
    to: Reply<T::Found>,
    combine: O,
}

#[threaded(children = if tree.grain() > 1 { 0 } else { tree.children().len() })]
impl<T: Tree, O: Combine<T::Found>> Search<T, O> {
    /// Searches `tree` and puts the results, combined by `combine`, to `to`.
    pub fn start(tree: T, combine: O, to: Reply<T::Found>, eu: &mut Eu<Self>) -> Start<Self> {
        if tree.grain() > 1 {
            let (found, left) = Self::grain(&tree, &combine, eu);
            if left.is_empty() {
                eu.put(to, found);
            } else {
                let here = eu.node();
                eu.invoke(here, Remaining::call(found, left, combine, to));
            }
            return Start::End;
        }
        eu.work(tree.cost());
        let found = tree.found();
        if children == 0 {
            eu.put(to, found);
            return Start::End;
        }
        let parts = eu.replies(Self::combine().parts);
        for (i, child) in tree.children().enumerate() {
            eu.token(Self::call(child, combine.clone(), parts.at(i)));
        }
        Start::Wait(Search { found, to, combine })
    }

    #[slot]
    fn combine(self, #[inlets(children)] parts: Arrived<'_, T::Found>, eu: &mut Eu<Self>) {
        let Search { found, to, combine } = self;
        eu.put(to, parts.fold(found, |left, right| combine.combine(left, right)));
    }
}

impl<T: Tree, O: Combine<T::Found>> Search<T, O> {
    /// Searches a grain of a tree. Returns its result and the remaining subtrees, in the order of the search.
    fn grain(tree: &T, combine: &O, eu: &mut Eu<Self>) -> (T::Found, Vec<T>) {
        let (grain, mut found) = (tree.grain().min(MAX_GRAIN), tree.found());
        eu.work(tree.cost());
        // `left` is a stack: its last element is searched next.
        let mut left: Vec<T> = tree.children().collect();
        left.reverse();
        for _ in 1..grain {
            let Some(node) = left.pop() else { break };
            eu.work(node.cost());
            found = combine.combine(found, node.found());
            let end = left.len();
            left.extend(node.children());
            left[end..].reverse();
        }
        left.reverse();
        (found, left)
    }
}

/// A fiber's result, and the subtrees that it left.
struct Remaining<T: Tree, O> {
    found: T::Found,
    to: Reply<T::Found>,
    combine: O,
}

#[threaded(count = left.len())]
impl<T: Tree, O: Combine<T::Found>> Remaining<T, O> {
    fn start(found: T::Found, left: Vec<T>, combine: O, to: Reply<T::Found>, eu: &mut Eu<Self>) -> Self {
        let parts = eu.replies(Self::combine().parts);
        // The last subtrees are the highest. As the oldest tokens they are stolen first.
        for (i, tree) in left.into_iter().enumerate().rev() {
            eu.token(Search::call(tree, combine.clone(), parts.at(i)));
        }
        Remaining { found, to, combine }
    }

    #[slot]
    fn combine(self, #[inlets(count)] parts: Arrived<'_, T::Found>, eu: &mut Eu<Self>) {
        let Remaining { found, to, combine } = self;
        eu.put(to, parts.fold(found, |left, right| combine.combine(left, right)));
    }
}
