//! A value made of all nodes of a tree, or of all parts of a problem that is divided until its parts are small: nobody
//! need know how large a part is before it has been searched.
//!
//! 1. Each child of a node is a token. A node runs its newest token first, so that few wait at a time; idle nodes take the
//!    oldest, which stand for the largest parts.
//! 2. What the node itself says and what its children have found is combined in their order, in one fiber of the node's frame.
//!
//! # Cost
//!
//! A token and a put a child; a frame and one fiber more for a node that has children. A token that is stolen costs two
//! messages: it and its result.
//!
//! # When it loses
//!
//! A node that is less work than a token, some tens of nanoseconds, is better searched with all that is below it in one fiber: a
//! tree says from which depth on by giving no [children](Tree::children) there.

use crate::Arrived;
use crate::Wire;
use crate::Work;
use crate::collective::Combine;
use crate::node::eu::Eu;
use crate::threaded;
use crate::vocabulary::address::Reply;
use crate::vocabulary::name::Start;

use std::marker::PhantomData;

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
}

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

#[threaded(children = tree.children().len())]
impl<T: Tree, O: Combine<T::Found>> Search<T, O> {
    /// Searches `tree` and puts what is found to `to`.
    pub fn start(tree: T, to: Reply<T::Found>, eu: &mut Eu<Self>) -> Start<Self> {
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
