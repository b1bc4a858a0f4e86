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
use super::scratch::Scratch;
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
        self.for_pieces(elements, cols, move |first, rows| {
            (first..).zip(rows.iter_rows_mut()).for_each(|(i, row)| each(i, row));
        })
    }

    /// Calls `each` for all rows of `elements`, as [`for_rows`](Self::for_rows) does, with scratch memory
    /// that `init` makes. Rows that are processed at the same time get different memory, and other rows the
    /// same in turn. So `init` is called at most once a node.
    ///
    /// ```
    /// use earth::Machine;
    ///
    /// // Each row becomes the sums of its prefixes, in reverse order.
    /// let mut table = vec![1u32; 90 * 4];
    /// let init = || Vec::with_capacity(4);
    /// Machine::threads(2).for_rows_init(&mut table, 4, init, |sums: &mut Vec<u32>, _, row| {
    ///     sums.clear();
    ///     for x in &*row {
    ///         sums.push(x + sums.last().unwrap_or(&0));
    ///     }
    ///     row.iter_mut().zip(sums.iter().rev()).for_each(|(x, sum)| *x = *sum);
    /// })?;
    /// assert_eq!(table[..4], [4, 3, 2, 1]);
    /// # Ok::<(), earth::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`for_rows`](Self::for_rows).
    #[doc(alias = "for_each_init")]
    pub fn for_rows_init<T: Element, S: Send + 'static>(
        &mut self,
        elements: &mut [T],
        cols: usize,
        init: impl Fn() -> S + Send + Sync + 'static,
        each: impl Fn(&mut S, usize, &mut [T]) + Send + Sync + 'static,
    ) -> Result<Run<()>, Error> {
        let scratch = Scratch::new(init);
        self.for_pieces(elements, cols, move |first, rows| {
            scratch.with(|scratch| {
                (first..).zip(rows.iter_rows_mut()).for_each(|(i, row)| each(scratch, i, row));
            });
        })
    }

    /// Calls `does` for pieces of rows.
    fn for_pieces<T: Element>(
        &mut self,
        elements: &mut [T],
        cols: usize,
        does: impl Fn(usize, &mut Block<T>) + Send + Sync + 'static,
    ) -> Result<Run<()>, Error> {
        let rows = elements.len().checked_div(cols).unwrap_or(0);
        let does = Shared::new(does);
        let values = SharedValues::default().with(&does);
        let ran = lend(elements, rows, cols, |block| {
            let run = self.run_with(values, |out| ParallelFor::call(0, block, Grain::CHOSEN, does, out))?;
            // Rows that traveled as bytes came back as copies.
            Ok(run.map(<Block<T> as RowBlocks>::copies))
        });
        let mut run: Run<_> = ran.map_err(|error| Error::WrongShape(error.to_string().into()))??;
        update(elements, run.value.take());
        Ok(run.map(drop))
    }
}

/// Applies an operation to all rows of a block, a grain at a time, and returns the block. `B` is a [`Block`],
/// and `R` implements [`Rows`].
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
pub struct ParallelFor<B: RowBlocks, R> {
    to: Reply<B::Back>,
    does: std::marker::PhantomData<fn() -> R>,
}

#[threaded]
impl<B: RowBlocks, R: OnRows<B>> ParallelFor<B, R> {
    /// Processes the rows of `block`, which are counted from `first`, and then puts the block to `to`.
    pub fn start(
        first: usize,
        mut block: B,
        grain: Grain,
        does: R,
        to: Reply<B::Back>,
        eu: &mut Eu<Self>,
    ) -> Start<Self> {
        let rows = block.count();
        let grain = grain.size(rows, eu.nodes());
        if rows <= grain {
            eu.work(does.work(&block));
            does.process(first, &mut block);
            B::put(block.back(), to, eu);
            return Start::End;
        }
        let middle = middle(rows, grain);
        let (above, below) = block.split(middle);
        let halves = Self::join();
        let grain = Grain::of(grain);
        eu.token(Self::call(first + middle, below, grain, does.clone(), eu.reply(halves.below)));
        eu.token(Self::call(first, above, grain, does, eu.reply(halves.above)));
        Start::Wait(ParallelFor { to, does: std::marker::PhantomData })
    }

    #[slot]
    fn join(self, above: B::Back, below: B::Back, eu: &mut Eu<Self>) {
        B::put(B::join(above, below), self.to, eu);
    }
}

/// One or several blocks with equally many rows.
pub trait RowBlocks: Wire {
    /// A row of each block.
    type Row<'r>;

    /// The blocks that may have been written.
    type Back: Wire;

    /// The written blocks that are copies.
    type Copies: Default;

    /// Returns the number of rows.
    fn count(&self) -> usize;

    /// Splits all blocks at a row.
    fn split(self, row: usize) -> (Self, Self);

    /// Returns a row of each block.
    fn row(&mut self, row: usize) -> Self::Row<'_>;

    /// Drops the blocks that were only read.
    fn back(self) -> Self::Back;

    /// Joins all blocks with those below.
    fn join(above: Self::Back, below: Self::Back) -> Self::Back;

    /// Moves the blocks to a reply.
    fn put(back: Self::Back, to: Reply<Self::Back>, eu: &mut Eu) {
        eu.put(to, back);
    }

    /// Drops the blocks that are lent. The caller's slices have their elements.
    fn copies(back: Self::Back) -> Self::Copies;
}

impl<T: Element> RowBlocks for Block<T> {
    type Row<'r> = &'r mut [T];
    type Back = Block<T>;
    type Copies = Option<Block<T>>;
    fn count(&self) -> usize {
        self.rows()
    }
    fn split(self, row: usize) -> (Self, Self) {
        self.split_rows(row)
    }
    fn row(&mut self, row: usize) -> &mut [T] {
        self.row_mut(row)
    }
    fn back(self) -> Self {
        self
    }
    fn join(above: Self, below: Self) -> Self {
        above.join_rows(below).unwrap_or_else(|(above, below)| copied(&above, &below))
    }
    fn put(back: Self, to: Reply<Self>, eu: &mut Eu) {
        eu.put_block(to, back);
    }
    fn copies(back: Self) -> Option<Self> {
        (!back.is_borrowed()).then_some(back)
    }
}

/// An operation on rows of the blocks `B`.
pub trait OnRows<B>: Wire + Clone {
    /// Processes rows, as [`Rows::rows`] does.
    fn process(&self, first: usize, rows: &mut B);

    /// Returns the cost on a simulated machine.
    fn work(&self, rows: &B) -> Work;
}

impl<T: Element, R: Rows<T>> OnRows<Block<T>> for R {
    fn process(&self, first: usize, rows: &mut Block<T>) {
        self.rows(first, rows);
    }
    fn work(&self, rows: &Block<T>) -> Work {
        self.cost(rows)
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
fn copied<T: Element>(above: &Block<T>, below: &Block<T>) -> Block<T> {
    let mut whole = above.zeroed_like(above.rows() + below.rows(), above.cols());
    if !whole.is_phantom() {
        let rows = above.iter_rows().chain(below.iter_rows());
        whole.iter_rows_mut().zip(rows).for_each(|(to, from)| to.copy_from_slice(from));
    }
    whole
}
