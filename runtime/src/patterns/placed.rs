//! A value computed from blocks on several nodes, each mapped on its own node.
//!
//! 1. The address of a block names its node. A function is invoked there for each block.
//! 2. The function gets the block, which its own node holds, and maps it.
//! 3. The results of the blocks are combined in the blocks' order.
//!
//! # Cost
//!
//! A frame, an invoke, two fibers and a put per block. A block on another node costs two messages, for its
//! function and the result: no element travels.
//!
//! # When it loses
//!
//! It loses when the blocks are on few nodes and need much work. Tokens that carry a block would move to idle
//! nodes.

use std::marker::PhantomData;

use crate::collective::Combine;
use crate::{Arrived, CellRef, Element, Eu, Published, Reply, Shared, Wire, Work, threaded};

/// A function of a block.
///
/// A closure implements it as [`Shared`], and then stays in its process.
pub trait MapsBlock<T: Element>: Wire + Clone {
    /// The result for a block.
    type Output: Wire;

    /// Returns the result for the block with this number.
    fn map(&self, number: usize, block: &Published<T>) -> Self::Output;

    /// Returns the cost of `map` on a simulated machine; real machines ignore it.
    fn cost(&self, block: &Published<T>) -> Work {
        let _ = block;
        Work::Cycles(0)
    }
}

impl<T: Element, V: Wire, F: Fn(usize, &Published<T>) -> V + Send + Sync + 'static> MapsBlock<T>
    for Shared<F>
{
    type Output = V;
    fn map(&self, number: usize, block: &Published<T>) -> V {
        self(number, block)
    }
}

/// Maps blocks on their nodes and combines the results, in the blocks' order.
///
/// [`keep`](crate::collective::keep) places blocks on nodes and keeps them there. So does any function that
/// writes a block to one of its cells.
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
///         eu.token(MapPlaced::<u64, _, _>::call(tables, sum, Sum, eu.reply(Self::end().sum)));
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
    to: Reply<M::Output>,
    combine: O,
    blocks: PhantomData<fn(T)>,
}

#[threaded]
impl<T: Element, M: MapsBlock<T>, O: Combine<M::Output>> MapPlaced<T, M, O> {
    /// Maps `blocks` by `maps` on their nodes, and puts the values, combined by `combine`, to `to`.
    ///
    /// # Panics
    ///
    /// If there is no block.
    pub fn start(
        blocks: Vec<CellRef<Published<T>>>,
        maps: M,
        combine: O,
        to: Reply<M::Output>,
        eu: &mut Eu<Self>,
    ) -> Self {
        assert!(!blocks.is_empty(), "MapPlaced needs at least one block");
        let parts = eu.replies(Self::combine().parts);
        for (number, block) in blocks.into_iter().enumerate() {
            eu.invoke(block.node(), Placed::call(block, number, maps.clone(), parts.at(number)));
        }
        MapPlaced { to, combine, blocks: PhantomData }
    }

    #[slot]
    fn combine(self, #[inlets(blocks.len().max(1))] parts: Arrived<'_, M::Output>, eu: &mut Eu<Self>) {
        if let Some(value) = parts.reduce(|left, right| self.combine.combine(left, right)) {
            eu.put(self.to, value);
        }
    }
}

/// One block, on its node.
struct Placed<T: Element, M: MapsBlock<T>> {
    number: usize,
    maps: M,
    to: Reply<M::Output>,
    block: PhantomData<fn(T)>,
}

#[threaded]
impl<T: Element, M: MapsBlock<T>> Placed<T, M> {
    fn start(
        block: CellRef<Published<T>>,
        number: usize,
        maps: M,
        to: Reply<M::Output>,
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
