//! A value made of all nodes of a tree, or of all parts of a problem that is divided until its parts are small: nobody
//! need know how large a part is before it has been searched.
//!
//! 1. Each child of a node is a token. A node runs its newest token first, so that few wait at a time; idle nodes take the
//!    oldest, which stand for the largest parts.
//! 2. What the node itself says and what its children have found is combined in their order, in one fiber of the node's frame.
//!
//! A tree with a [grain](Tree::grain) is cut into larger parts: a fiber searches so many nodes, each before its children and
//! the first child with all that is below it before the second one, and makes tokens of the subtrees that it has not come
//! to. Thieves take the highest of these. A small subtree is done by one fiber, without a frame. Where the tree is
//! cut depends on the tree alone, so the result has the same bits on every machine.
//!
//! # Cost
//!
//! With a grain of 1 a token and a put a child; a frame and one fiber more for a node that has children. With a larger one a
//! token and a put a subtree that was left; a frame, an invoke and two fibers more for a fiber that leaves some. A token that is
//! stolen costs two messages: it and its result.
//!
//! # When it loses
//!
//! A node that is less work than a token, some tens of nanoseconds, wants a grain. One that is much work wants none: its fiber
//! keeps the next nodes of the grain from others. A tree that knows from which depth on it is better searched in a plain loop
//! gives no [children](Tree::children) there.

use std::marker::PhantomData;

use crate::collective::Combine;
use crate::{Arrived, Eu, Reply, Shared, Start, Wire, Work, threaded};

/// A node of a tree, from which all that is below follows.
pub trait Tree: Wire {
    /// What is found in a tree.
    type Found: Wire;

    /// The children that are searched as tokens: the same ones, and as many, each time it is asked.
    fn children(&self) -> impl ExactSizeIterator<Item = Self>;

    /// What this node adds to what its children find; without children, what is found in the whole tree below it.
    fn found(&self) -> Self::Found;

    /// What that costs on a simulated machine; a real one takes what it takes.
    fn cost(&self) -> Work {
        Work::Cycles(0)
    }

    /// How many nodes one fiber searches of the subtree below this node, itself among them, before others may search the
    /// rest. Up to 1, each child is a token. A number above 65,536 counts as that one: a run that is cancelled ends between
    /// two fibers.
    fn grain(&self) -> usize {
        1
    }
}

/// A tree by two closures, which stays in its process: the children of a node, and what the node adds to what they find.
///
/// ```
/// use earth::Machine;
/// use earth::collective::Sum;
/// use earth::patterns::{Search, TreeOf};
///
/// // The divisions of a number by 2 and 3 that leave no rest, in any order, until 1 is left.
/// let by = |&number: &u64| [2, 3].into_iter().filter(|&p| number.is_multiple_of(p)).map(|p| number / p).collect();
/// let tree = TreeOf::new(6 * 6 * 6, by, |&number| u64::from(number == 1));
/// let run = Machine::threads(2).run(|out| Search::<_, Sum>::call(tree.in_grains(4), out))?;
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
    /// The tree below `root`.
    pub fn new(root: N, children: C, found: F) -> Self {
        TreeOf { node: root, grain: 1, by: Shared::new((children, found)) }
    }

    /// Has one fiber search so many nodes: see [`Tree::grain`].
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

/// The most nodes that one fiber searches.
const MOST_NODES: usize = 1 << 16;

/// Searches a tree, and combines by `O` what is found: that of a node, then that of its children, in their order.
///
/// ```
/// use earth::collective::Sum;
/// use earth::patterns::{Search, Tree};
/// use earth::{Machine, Wire};
///
/// /// Places of stones on a board of so many columns, one a row, no two in the same column.
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
/// let run = Machine::threads(2).run(|out| Search::<_, Sum>::call(Placed { columns: 6, taken: 0 }, out))?;
/// assert_eq!(run.value, 720);
/// # Ok::<(), earth::Error>(())
/// ```
#[derive(Debug)]
pub struct Search<T: Tree, O> {
    found: T::Found,
    to: Reply<T::Found>,
    combines: PhantomData<fn() -> O>,
}

#[threaded(children = if tree.grain() > 1 { 0 } else { tree.children().len() })]
impl<T: Tree, O: Combine<T::Found>> Search<T, O> {
    /// Searches `tree` and puts what is found to `to`.
    pub fn start(tree: T, to: Reply<T::Found>, eu: &mut Eu<Self>) -> Start<Self> {
        if tree.grain() > 1 {
            let (found, left) = Self::grain(&tree, eu);
            if left.is_empty() {
                eu.put(to, found);
            } else {
                let here = eu.node();
                eu.invoke(here, Rest::<T, O>::call(found, left, to));
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
            eu.token(Self::call(child, parts.at(i)));
        }
        Start::Wait(Search { found, to, combines: PhantomData })
    }

    #[slot]
    fn combine(self, #[inlets(children)] parts: Arrived<'_, T::Found>, eu: &mut Eu<Self>) {
        eu.put(self.to, parts.fold(self.found, O::combine));
    }
}

impl<T: Tree, O: Combine<T::Found>> Search<T, O> {
    /// Searches a grain of a tree. Returns what it found and the subtrees that are left, in the order of the search.
    fn grain(tree: &T, eu: &mut Eu<Self>) -> (T::Found, Vec<T>) {
        let (grain, mut found) = (tree.grain().min(MOST_NODES), tree.found());
        eu.work(tree.cost());
        // The next one is the last one.
        let mut left: Vec<T> = tree.children().collect();
        left.reverse();
        for _ in 1..grain {
            let Some(node) = left.pop() else { break };
            eu.work(node.cost());
            found = O::combine(found, node.found());
            let end = left.len();
            left.extend(node.children());
            left[end..].reverse();
        }
        left.reverse();
        (found, left)
    }
}

/// What a fiber found, and the subtrees that it left.
struct Rest<T: Tree, O> {
    found: T::Found,
    to: Reply<T::Found>,
    combines: PhantomData<fn() -> O>,
}

#[threaded(count = left.len())]
impl<T: Tree, O: Combine<T::Found>> Rest<T, O> {
    fn start(found: T::Found, left: Vec<T>, to: Reply<T::Found>, eu: &mut Eu<Self>) -> Self {
        let parts = eu.replies(Self::combine().parts);
        // The last ones are the highest, and as the oldest tokens they are taken first.
        for (i, tree) in left.into_iter().enumerate().rev() {
            eu.token(Search::<T, O>::call(tree, parts.at(i)));
        }
        Rest { found, to, combines: PhantomData }
    }

    #[slot]
    fn combine(self, #[inlets(count)] parts: Arrived<'_, T::Found>, eu: &mut Eu<Self>) {
        eu.put(self.to, parts.fold(self.found, O::combine));
    }
}
