//! An operation on the rows of several slices at once, by tokens.
//!
//! [`Machine::for_rows_with`] lends the slices to a run, as [`Machine::for_rows`] does with one.
//!
//! 1. Each slice is lent as a block with the same number of rows. Slices that are only read are lent for
//!    reading.
//! 2. All blocks are split at the same row, a whole number of grains. Each half is a token, until at most a
//!    grain remains. Its fiber calls the operation for each row.
//! 3. The halves that may have been written are joined again.
//!
//! # Cost
//!
//! Two tokens, a frame and a fiber for each split; the arguments of a token are boxed. A stolen token costs
//! two messages. Within a process no element is copied.
//!
//! # When it loses
//!
//! Grains of less than a microsecond lose.

use std::ops::Range;

use earth_memory::lend_for_reading;

use super::parallel_for::{copied, update};
use super::range::{Grain, middle};
use crate::{
    Block, Element, Error, Eu, LendError, Machine, Reply, Run, Shared, SharedValues, Start, Wire, lend,
    threaded,
};

impl Machine {
    /// Calls `each` for all rows of `elements`, in parallel, together with the same rows of `others`. A row
    /// of `elements` is the next `cols` elements. The other slices are divided into the same number of rows.
    /// `each` gets the number of the row, the row of `elements`, and the row of each other slice. No element
    /// is copied.
    ///
    /// `others` is a slice or a `Vec`, by `&` to be read or by `&mut` to be changed, or a tuple of two or
    /// three of these.
    ///
    /// ```
    /// use earth::Machine;
    ///
    /// // The rows of a matrix divided by their sums, which are kept.
    /// let (mut matrix, scales) = (vec![2.0; 60 * 40], vec![0.5; 60]);
    /// let mut sums = vec![0.0; 60];
    /// Machine::threads(2).for_rows_with(&mut matrix, 40, (&scales, &mut sums), |_, row, (scale, sum)| {
    ///     sum[0] = row.iter().sum::<f64>() * scale[0];
    ///     row.iter_mut().for_each(|x| *x /= sum[0]);
    /// })?;
    /// assert_eq!((sums[59], matrix[2399]), (40.0, 0.05));
    /// # Ok::<(), earth::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// * [`Error::WrongShape`] if `elements` are not a whole number of rows, or another slice cannot be
    ///   divided into the same number; no row is changed then.
    /// * The errors of [`run`](Machine::run), after which each element has its old or new value. A closure
    ///   stays in its process, so nodes that are processes need [`ParallelFor`](super::ParallelFor).
    pub fn for_rows_with<T: Element, W: WithRows>(
        &mut self,
        elements: &mut [T],
        cols: usize,
        mut others: W,
        each: impl Fn(usize, &mut [T], <W::Blocks as RowBlocks>::Row<'_>) + Send + Sync + 'static,
    ) -> Result<Run<()>, Error> {
        let rows = elements.len().checked_div(cols).unwrap_or(0);
        let does = Shared::new(for_each(each));
        let values = SharedValues::default().with(&does);
        let ran = lend(elements, rows, cols, |block| {
            others.lend(rows, |others| {
                let main = |out| ForRows::call(0..rows, (block, others), Grain::CHOSEN, does, out);
                let run = self.run_with(values, main);
                // Rows that traveled as bytes came back as copies.
                run.map(|run| run.map(<(Block<T>, W::Blocks) as RowBlocks>::copies))
            })
        });
        let wrong = |error: LendError| Error::WrongShape(error.to_string().into());
        let mut run: Run<_> = ran.map_err(wrong)?.map_err(wrong)??;
        let (copy, copies) = std::mem::take(&mut run.value);
        update(elements, copy);
        others.update(copies);
        Ok(run.map(drop))
    }
}

/// Returns the operation on pieces of blocks that is `each` on their rows.
fn for_each<T: Element, B: RowBlocks>(
    each: impl Fn(usize, &mut [T], B::Row<'_>) + Send + Sync + 'static,
) -> impl Fn(Range<usize>, &mut (Block<T>, B)) + Send + Sync + 'static {
    move |rows: Range<usize>, (block, others): &mut (Block<T>, B)| {
        for (at, row) in rows.enumerate() {
            each(row, block.row_mut(at), others.row(at));
        }
    }
}

/// Slices whose rows are processed together with the rows of another: see
/// [`for_rows_with`](Machine::for_rows_with).
pub trait WithRows: sealed::Sealed {
    /// The lent slices.
    #[doc(hidden)]
    type Blocks: RowBlocks;

    /// Lends the slices, in this number of rows.
    #[doc(hidden)]
    fn lend<R>(&mut self, rows: usize, body: impl FnOnce(Self::Blocks) -> R) -> Result<R, LendError>;

    /// Copies rows that came back as copies.
    #[doc(hidden)]
    fn update(&mut self, copies: <Self::Blocks as RowBlocks>::Back);
}

/// Blocks with equally many rows.
pub trait RowBlocks: Wire {
    /// A row of each block.
    type Row<'r>;

    /// The blocks that may have been written.
    type Back: Wire + Default;

    /// Splits all blocks at a row.
    fn split(self, row: usize) -> (Self, Self);

    /// Returns a row of each block.
    fn row(&mut self, row: usize) -> Self::Row<'_>;

    /// Drops the blocks that were only read.
    fn back(self) -> Self::Back;

    /// Joins all blocks with those below.
    fn join(above: Self::Back, below: Self::Back) -> Self::Back;

    /// Drops the blocks that are lent. The caller's slices have their elements.
    fn copies(back: Self::Back) -> Self::Back;
}

impl<T: Element> RowBlocks for Block<T> {
    type Row<'r> = &'r mut [T];
    type Back = Option<Block<T>>;
    fn split(self, row: usize) -> (Self, Self) {
        self.split_rows(row)
    }
    fn row(&mut self, row: usize) -> &mut [T] {
        self.row_mut(row)
    }
    fn back(self) -> Option<Self> {
        Some(self)
    }
    fn join(above: Option<Self>, below: Option<Self>) -> Option<Self> {
        Some(above?.join_rows(below?).unwrap_or_else(|(above, below)| copied(&above, &below)))
    }
    fn copies(back: Option<Self>) -> Option<Self> {
        back.filter(|block| !block.is_borrowed())
    }
}

/// A block that is only read.
#[derive(Debug, Wire)]
pub struct Read<T: Element>(Block<T>);

impl<T: Element> RowBlocks for Read<T> {
    type Row<'r> = &'r [T];
    type Back = ();
    fn split(self, row: usize) -> (Self, Self) {
        let (above, below) = self.0.split_rows(row);
        (Read(above), Read(below))
    }
    fn row(&mut self, row: usize) -> &[T] {
        self.0.row(row)
    }
    fn back(self) {}
    fn join((): (), (): ()) {}
    fn copies((): ()) {}
}

/// Implements the traits for a tuple.
macro_rules! tuple {
    ($($name:ident)+, $($field:tt)+) => {
        impl<$($name: RowBlocks),+> RowBlocks for ($($name,)+) {
            type Row<'r> = ($($name::Row<'r>,)+);
            type Back = ($($name::Back,)+);
            fn split(self, row: usize) -> (Self, Self) {
                let halves = ($(self.$field.split(row),)+);
                (($(halves.$field.0,)+), ($(halves.$field.1,)+))
            }
            fn row(&mut self, row: usize) -> Self::Row<'_> {
                ($(self.$field.row(row),)+)
            }
            fn back(self) -> Self::Back {
                ($(self.$field.back(),)+)
            }
            fn join(above: Self::Back, below: Self::Back) -> Self::Back {
                ($($name::join(above.$field, below.$field),)+)
            }
            fn copies(back: Self::Back) -> Self::Back {
                ($($name::copies(back.$field),)+)
            }
        }
    };
}
tuple!(A B, 0 1);
tuple!(A B C, 0 1 2);

/// Returns the length of the rows of a slice in this number of rows.
fn cols<T>(elements: &[T], rows: usize) -> usize {
    elements.len().checked_div(rows).unwrap_or(0)
}

impl<T: Element> WithRows for &[T] {
    type Blocks = Read<T>;
    fn lend<R>(&mut self, rows: usize, body: impl FnOnce(Read<T>) -> R) -> Result<R, LendError> {
        lend_for_reading(self, rows, cols(self, rows), |block| body(Read(block)))
    }
    fn update(&mut self, (): ()) {}
}

impl<T: Element> WithRows for &mut [T] {
    type Blocks = Block<T>;
    fn lend<R>(&mut self, rows: usize, body: impl FnOnce(Block<T>) -> R) -> Result<R, LendError> {
        let cols = cols(self, rows);
        lend(self, rows, cols, body)
    }
    fn update(&mut self, copy: Option<Block<T>>) {
        update(self, copy);
    }
}

impl<T: Element> WithRows for &Vec<T> {
    type Blocks = Read<T>;
    fn lend<R>(&mut self, rows: usize, body: impl FnOnce(Read<T>) -> R) -> Result<R, LendError> {
        self.as_slice().lend(rows, body)
    }
    fn update(&mut self, (): ()) {}
}

impl<T: Element> WithRows for &mut Vec<T> {
    type Blocks = Block<T>;
    fn lend<R>(&mut self, rows: usize, body: impl FnOnce(Block<T>) -> R) -> Result<R, LendError> {
        self.as_mut_slice().lend(rows, body)
    }
    fn update(&mut self, copy: Option<Block<T>>) {
        update(self, copy);
    }
}

impl<A: WithRows, B: WithRows> WithRows for (A, B) {
    type Blocks = (A::Blocks, B::Blocks);
    fn lend<R>(&mut self, rows: usize, body: impl FnOnce(Self::Blocks) -> R) -> Result<R, LendError> {
        let (a, b) = self;
        a.lend(rows, |a| b.lend(rows, |b| body((a, b))))?
    }
    fn update(&mut self, copies: <Self::Blocks as RowBlocks>::Back) {
        self.0.update(copies.0);
        self.1.update(copies.1);
    }
}

impl<A: WithRows, B: WithRows, C: WithRows> WithRows for (A, B, C) {
    type Blocks = (A::Blocks, B::Blocks, C::Blocks);
    fn lend<R>(&mut self, rows: usize, body: impl FnOnce(Self::Blocks) -> R) -> Result<R, LendError> {
        let (a, b, c) = self;
        a.lend(rows, |a| b.lend(rows, |b| c.lend(rows, |c| body((a, b, c)))))??
    }
    fn update(&mut self, copies: <Self::Blocks as RowBlocks>::Back) {
        self.0.update(copies.0);
        self.1.update(copies.1);
        self.2.update(copies.2);
    }
}

mod sealed {
    /// Implemented in this crate alone.
    pub trait Sealed {}
    impl<T> Sealed for &[T] {}
    impl<T> Sealed for &mut [T] {}
    impl<T> Sealed for &Vec<T> {}
    impl<T> Sealed for &mut Vec<T> {}
    impl<A: Sealed, B: Sealed> Sealed for (A, B) {}
    impl<A: Sealed, B: Sealed, C: Sealed> Sealed for (A, B, C) {}
}

/// Applies an operation to all rows of blocks, a grain at a time.
struct ForRows<B: RowBlocks, F> {
    to: Reply<B::Back>,
    does: std::marker::PhantomData<fn() -> F>,
}

#[threaded]
impl<B: RowBlocks, F: Fn(Range<usize>, &mut B) + Send + Sync + 'static> ForRows<B, F> {
    /// Processes the rows `rows` of the whole, which are the rows of `blocks`.
    fn start(
        rows: Range<usize>,
        mut blocks: B,
        grain: Grain,
        does: Shared<F>,
        to: Reply<B::Back>,
        eu: &mut Eu<Self>,
    ) -> Start<Self> {
        let grain = grain.size(rows.len(), eu.nodes());
        if rows.len() <= grain {
            does(rows, &mut blocks);
            eu.put(to, blocks.back());
            return Start::End;
        }
        let middle = middle(rows.len(), grain);
        let (above, below) = blocks.split(middle);
        let middle = rows.start + middle;
        let halves = Self::join();
        let grain = Grain::of(grain);
        eu.token(Self::call(middle..rows.end, below, grain, does.clone(), eu.reply(halves.below)));
        eu.token(Self::call(rows.start..middle, above, grain, does, eu.reply(halves.above)));
        Start::Wait(ForRows { to, does: std::marker::PhantomData })
    }

    #[slot]
    fn join(self, above: B::Back, below: B::Back, eu: &mut Eu<Self>) {
        eu.put(self.to, B::join(above, below));
    }
}
