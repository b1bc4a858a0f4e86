//! An operation on all rows of a block, by tokens.
//!
//! [`Machine::for_rows`] applies an operation to the rows of a slice, which it lends to a run.
//!
//! 1. The block is split at a whole number of grains. Each half is a token that *owns* its rows, until at
//!    most a grain remains.
//! 2. A fiber processes a grain, which no other fiber can access.
//! 3. The halves are joined again, and the whole block is returned.
//!
//! # Cost
//!
//! Two tokens, a frame and a fiber for each split; the arguments of a token are boxed. A stolen token costs
//! two messages. Within a process no element is copied. Between processes the elements travel there and back,
//! and the returned elements are copied into a new block, since they are stored elsewhere.
//!
//! # When it loses
//!
//! Grains of less than a microsecond lose. For repeated rounds on one block that need neighboring results,
//! use [`Neighbours`](super::Neighbours), which keeps each part on its node.

use super::range::{Grain, middle};
use crate::{
    Block, Element, Error, Eu, Machine, Reply, Run, Shared, SharedValues, Start, Wire, Work, lend, threaded,
};

/// An operation on rows of a block.
///
/// A closure implements it as [`Shared`], and then stays in its process.
pub trait Rows<T: Element>: Wire + Clone {
    /// Processes `rows`, the first of which is row `first` of the whole block.
    fn rows(&self, first: usize, rows: &mut Block<T>);

    /// Returns the cost of processing `rows` on a simulated machine; real machines ignore it.
    fn cost(&self, rows: &Block<T>) -> Work {
        let _ = rows;
        Work::Cycles(0)
    }
}

impl<T: Element, F: Fn(usize, &mut Block<T>) + Send + Sync + 'static> Rows<T> for Shared<F> {
    fn rows(&self, first: usize, rows: &mut Block<T>) {
        self(first, rows);
    }
}

impl Machine {
    /// Calls `each` for all rows of `elements`, in parallel. A row is the next `cols` elements. `each` gets
    /// its number and its elements, which it may change. No element is copied.
    ///
    /// The calls run in [`ParallelFor`], with its default [grain](Grain::CHOSEN).
    ///
    /// ```
    /// use earth::Machine;
    ///
    /// let mut table = vec![0u32; 90 * 90];
    /// Machine::threads(2).for_rows(&mut table, 90, |i, row| {
    ///     for (j, x) in row.iter_mut().enumerate() {
    ///         *x = (i * j) as u32;
    ///     }
    /// })?;
    /// assert_eq!(table[12 * 90 + 34], 408);
    /// # Ok::<(), earth::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// * [`Error::WrongShape`] if `elements` are not a whole number of rows; no row is changed then.
    /// * The errors of [`run`](Machine::run), after which each element has its old or new value. In
    ///   particular, a closure stays in its process, so nodes that are processes need [`ParallelFor`] with a
    ///   [`Rows`] that travels.
    #[doc(alias = "scope")]
    #[doc(alias = "par_iter_mut")]
    #[doc(alias = "par_chunks_mut")]
    #[doc(alias = "for_each")]
    pub fn for_rows<T: Element>(
        &mut self,
        elements: &mut [T],
        cols: usize,
        each: impl Fn(usize, &mut [T]) + Send + Sync + 'static,
    ) -> Result<Run<()>, Error> {
        let rows = elements.len().checked_div(cols).unwrap_or(0);
        let does = Shared::new(move |first: usize, rows: &mut Block<T>| {
            (first..).zip(rows.iter_rows_mut()).for_each(|(i, row)| each(i, row));
        });
        let values = SharedValues::default().with(&does);
        let ran = lend(elements, rows, cols, |block| {
            let run = self.run_with(values, |out| ParallelFor::call(0, block, Grain::CHOSEN, does, out))?;
            // Rows that traveled as bytes came back as copies.
            Ok(run.map(|block| (!block.is_borrowed()).then_some(block)))
        });
        let mut run: Run<_> = ran.map_err(|error| Error::WrongShape(error.to_string().into()))??;
        update(elements, run.value.take());
        Ok(run.map(drop))
    }
}

/// Applies an operation to all rows of a block, a grain at a time, and returns the block.
///
/// ```
/// use earth::patterns::{Grain, ParallelFor};
/// use earth::{Block, Machine, Shared};
///
/// let fill = Shared::new(|first, rows: &mut Block<u64>| {
///     let squares = rows.as_mut_slice().expect("one element a row");
///     squares.iter_mut().zip(first as u64..).for_each(|(square, i)| *square = i * i);
/// });
/// let block = Block::zeroed(1000, 1);
/// let run = Machine::threads(2).run(|out| ParallelFor::call(0, block, Grain::CHOSEN, fill, out))?;
/// assert_eq!(run.value.row(999), [998_001]);
/// # Ok::<(), earth::Error>(())
/// ```
#[derive(Debug)]
pub struct ParallelFor<T: Element, R> {
    to: Reply<Block<T>>,
    does: std::marker::PhantomData<fn() -> R>,
}

#[threaded]
impl<T: Element, R: Rows<T>> ParallelFor<T, R> {
    /// Processes the rows of `block`, which are counted from `first`, and then puts the block to `to`.
    pub fn start(
        first: usize,
        mut block: Block<T>,
        grain: Grain,
        does: R,
        to: Reply<Block<T>>,
        eu: &mut Eu<Self>,
    ) -> Start<Self> {
        let grain = grain.size(block.rows(), eu.nodes());
        if block.rows() <= grain {
            eu.work(does.cost(&block));
            does.rows(first, &mut block);
            eu.put_block(to, block);
            return Start::End;
        }
        let middle = middle(block.rows(), grain);
        let (above, below) = block.split_rows(middle);
        let halves = Self::join();
        let grain = Grain::of(grain);
        eu.token(Self::call(first + middle, below, grain, does.clone(), eu.reply(halves.below)));
        eu.token(Self::call(first, above, grain, does, eu.reply(halves.above)));
        Start::Wait(ParallelFor { to, does: std::marker::PhantomData })
    }

    #[slot]
    fn join(self, above: Block<T>, below: Block<T>, eu: &mut Eu<Self>) {
        let block = above.join_rows(below).unwrap_or_else(|(above, below)| copied(&above, &below));
        eu.put_block(self.to, block);
    }
}

/// Copies the rows of a copy, if there is one, to a slice.
pub(super) fn update<T: Element>(elements: &mut [T], copy: Option<Block<T>>) {
    if let Some(copy) = copy.filter(|copy| !copy.is_empty()) {
        let rows = elements.chunks_mut(copy.cols()).zip(copy.iter_rows());
        rows.for_each(|(to, from)| to.copy_from_slice(from));
    }
}

/// Copies two blocks, one above the other, into a new one.
pub(super) fn copied<T: Element>(above: &Block<T>, below: &Block<T>) -> Block<T> {
    let mut whole = above.zeroed_like(above.rows() + below.rows(), above.cols());
    if !whole.is_phantom() {
        let rows = above.iter_rows().chain(below.iter_rows());
        whole.iter_rows_mut().zip(rows).for_each(|(to, from)| to.copy_from_slice(from));
    }
    whole
}
