//! A value made of blocks that lie on several nodes, each looked at where it lies.
//!
//! 1. The address of a block says on which node it is. A function is invoked there for each block.
//! 2. It asks for the block, which its own node has, and maps it.
//! 3. What the blocks gave is combined in their order.
//!
//! # Cost
//!
//! A frame, an invoke, two fibers and a put a block. A block on another node costs two messages, its function and what that
//! says: no element travels.
//!
//! # When it loses
//!
//! When blocks lie on few nodes and the work on them is much: tokens that take a block along go to idle nodes.

use std::marker::PhantomData;

use crate::collective::Combine;
use crate::{Arrived, CellRef, Element, Eu, Published, Reply, Shared, Wire, Work, threaded};

/// What is made of a block.
///
/// A closure has it as [`Shared`], and then stays in its process.
pub trait MapsBlock<T: Element>: Wire + Clone {
    /// The value of a block.
    type Said: Wire;

    /// The value of the block with this number.
    fn map(&self, number: usize, block: &Published<T>) -> Self::Said;

    /// What that costs on a simulated machine; a real one takes what it takes.
    fn cost(&self, block: &Published<T>) -> Work {
        let _ = block;
        Work::Cycles(0)
    }
}

impl<T: Element, V: Wire, F: Fn(usize, &Published<T>) -> V + Send + Sync + 'static> MapsBlock<T>
    for Shared<F>
{
    type Said = V;
    fn map(&self, number: usize, block: &Published<T>) -> V {
        self(number, block)
    }
}

/// Maps blocks where they lie and combines their values by `O`, in their order.
///
/// Blocks are brought to nodes and kept there by [`keep`](crate::collective::keep), or by any function that writes one to a cell of its own.
///
/// ```
/// use earth::collective::{Group, Kept, Sum, keep};
/// use earth::patterns::MapPlaced;
/// use earth::{Block, Eu, Machine, Published, Reply, Shared, threaded};
///
/// /// Keeps a table on each node, and adds up all of them.
/// struct Tables {
///     kept: Vec<Kept<Published<u64>>>,
///     out: Reply<u64>,
/// }
///
/// #[threaded]
/// impl Tables {
///     fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
///         let table = |of| Block::from_fn(1, 100, |_, j| (of * j) as u64).publish();
///         keep(eu, Group::all(eu), (0..eu.nodes()).map(table), eu.reply(Self::ask().kept));
///         Tables { kept: Vec::new(), out }
///     }
///
///     #[slot]
///     fn ask(&mut self, kept: Vec<Kept<Published<u64>>>, eu: &mut Eu<Self>) {
///         let tables = kept.iter().map(|table| table.value).collect();
///         let sum = Shared::new(|_: usize, table: &Published<u64>| table.row(0).iter().sum::<u64>());
///         eu.token(MapPlaced::<u64, _, Sum>::call(tables, sum, eu.reply(Self::end().sum)));
///         self.kept = kept;
///     }
///
///     #[slot]
///     fn end(self, sum: u64, eu: &mut Eu<Self>) {
///         self.kept.iter().for_each(|table| eu.rsync(table.done));
///         eu.put(self.out, sum);
///     }
/// }
///
/// assert_eq!(Machine::threads(3).run(Tables::call)?.value, 3 * 4950);
/// # Ok::<(), earth::Error>(())
/// ```
#[derive(Debug)]
pub struct MapPlaced<T: Element, M: MapsBlock<T>, O> {
    to: Reply<M::Said>,
    combines: PhantomData<fn(T) -> O>,
}

#[threaded]
impl<T: Element, M: MapsBlock<T>, O: Combine<M::Said>> MapPlaced<T, M, O> {
    /// Maps `blocks` by `maps` on the nodes where they lie, and puts the combined value to `to`.
    ///
    /// # Panics
    ///
    /// If there is no block.
    pub fn start(blocks: Vec<CellRef<Published<T>>>, maps: M, to: Reply<M::Said>, eu: &mut Eu<Self>) -> Self {
        assert!(!blocks.is_empty(), "a value is made of one block at least");
        let parts = eu.replies(Self::combine().parts);
        for (number, block) in blocks.into_iter().enumerate() {
            eu.invoke(block.node(), Placed::call(block, number, maps.clone(), parts.at(number)));
        }
        MapPlaced { to, combines: PhantomData }
    }

    #[slot]
    fn combine(self, #[inlets(blocks.len().max(1))] parts: Arrived<'_, M::Said>, eu: &mut Eu<Self>) {
        if let Some(value) = parts.reduce(O::combine) {
            eu.put(self.to, value);
        }
    }
}

/// One block, on its node.
struct Placed<T: Element, M: MapsBlock<T>> {
    number: usize,
    maps: M,
    to: Reply<M::Said>,
    block: PhantomData<fn(T)>,
}

#[threaded]
impl<T: Element, M: MapsBlock<T>> Placed<T, M> {
    fn start(
        block: CellRef<Published<T>>,
        number: usize,
        maps: M,
        to: Reply<M::Said>,
        eu: &mut Eu<Self>,
    ) -> Self {
        eu.get_block(block, eu.reply(Self::map().block));
        Placed { number, maps, to, block: PhantomData }
    }

    #[slot]
    fn map(self, block: Published<T>, eu: &mut Eu<Self>) {
        eu.work(self.maps.cost(&block));
        eu.put(self.to, self.maps.map(self.number, &block));
    }
}
