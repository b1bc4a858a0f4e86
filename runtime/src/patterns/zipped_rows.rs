//! An operation on the rows of several slices at once, by tokens.
//!
//! [`Machine::for_rows_with`] lends the slices to a run, as [`Machine::for_rows`] does with one.
//!
//! 1. Each slice is lent as a block with the same number of rows. Slices that are only read are lent for
//!    reading.
//! 2. [`ParallelFor`] splits all blocks at the same rows, and calls the operation for each row.
//! 3. The halves that may have been written are joined again.
//!
//! # Cost
//!
//! The cost of [`ParallelFor`] of one block. Within a process no element is copied.

use earth_memory::lend_for_reading;

use super::parallel_for::{OnRows, ParallelFor, RowBlocks, update};
use super::range::Grain;
use crate::{Block, Element, Error, LendError, Machine, Run, Shared, SharedValues, Wire, Work, lend};

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
                let main = |out| ParallelFor::call(0, (block, others), Grain::CHOSEN, does, out);
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
) -> impl Fn(usize, &mut (Block<T>, B)) + Send + Sync + 'static {
    move |first: usize, (block, others): &mut (Block<T>, B)| {
        for at in 0..block.rows() {
            each(first + at, block.row_mut(at), others.row(at));
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
    fn update(&mut self, copies: <Self::Blocks as RowBlocks>::Copies);
}

impl<T: Element, B: RowBlocks, F> OnRows<(Block<T>, B)> for Shared<F>
where
    F: Fn(usize, &mut (Block<T>, B)) + Send + Sync + 'static,
{
    fn process(&self, first: usize, rows: &mut (Block<T>, B)) {
        self(first, rows);
    }
    fn work(&self, _: &(Block<T>, B)) -> Work {
        Work::Cycles(0)
    }
}

/// A block that is only read.
#[derive(Debug, Wire)]
pub struct Read<T: Element>(Block<T>);

impl<T: Element> RowBlocks for Read<T> {
    type Row<'r> = &'r [T];
    type Back = ();
    type Copies = ();
    fn count(&self) -> usize {
        self.0.rows()
    }
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
            type Copies = ($($name::Copies,)+);
            fn count(&self) -> usize {
                self.0.count()
            }
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
            fn copies(back: Self::Back) -> Self::Copies {
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
    fn update(&mut self, copies: <Self::Blocks as RowBlocks>::Copies) {
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
    fn update(&mut self, copies: <Self::Blocks as RowBlocks>::Copies) {
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
