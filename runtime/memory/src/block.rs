//! The handle of a block (rule 8 of ARCHITECTURE.md); what it is for is told at [`Block`].
//!
//! The `unsafe` here rests on the invariants **Alive**, **Inside** and **Disjoint** at the head of
//! `storage.rs`; the arithmetic that keeps the last two is that of `rectangle.rs`.

use std::fmt;
use std::sync::Arc;

use crate::no_memory::{NoMemory, try_room, try_zeroed};
use crate::pages::in_large_pages;
use crate::storage::{Element, Storage};

mod rectangle;
mod split;

pub(crate) use rectangle::Rectangle;
pub use rectangle::ShapeError;
pub use split::{join_all_cols, join_all_rows};

/// Bulk data that moves by ownership: the unique, sendable handle of a rectangle of elements.
///
/// A [`Block`] is the only handle of the elements it covers, a rectangle (rows, columns, stride) of a storage
/// that it shares with the blocks beside it. Whoever holds it may read and write; who has given it away can
/// do neither. So no two fibers ever hold the same elements, programs need no lock and no `unsafe`, and
/// moving a gigabyte costs 24 bytes.
///
/// 1. Make one: of zeros, of a vector (not copied), of a function, or of borrowed memory
///    ([`lend`](crate::lend())).
/// 2. Split it by rows or columns, as often as you like, and send the parts away.
/// 3. Join the parts that came back. Joining checks that they touch; a refusal gives both handles back.
///
/// *Cost.* A split is one increment of an atomic count, a join one decrement, independent of the
/// size: 10 ns for both, 22 while another core does the same to parts of the same storage (measured).
/// Access is a slice per row.
///
/// *When it loses.* Column parts are strided: a transform along a strided row is as good as along any row,
/// but a kernel that wants everything in one slice gets it from whole rows only ([`Block::as_slice`]). One
/// small part keeps the whole storage alive. A side has at most 2^32 - 1 elements, and all of them 2^48 bytes.
///
/// *Phantoms.* A [phantom](Block::phantom) has all of this but the elements: a shape that splits, rejoins and
/// moves, for [simulated runs](../earth/struct.Eu.html#method.compute) larger than memory. Whatever would
/// read or write an element of it panics.
///
/// It cannot be copied, so whoever sends it away has it no more:
///
/// ```compile_fail,E0599
/// let block = earth_memory::Block::<f64>::zeroed(4, 4);
/// let twin = block.clone();
/// ```
/// ```compile_fail,E0382
/// let mut block = earth_memory::Block::<f64>::zeroed(4, 4);
/// let (mut top, bottom) = block.split_rows(2);
/// block.row_mut(0)[0] = 1.0; // the parts own the elements now
/// ```
///
/// A row borrows the block, so two rows cannot be written at once by hand
/// ([`iter_rows_mut`](Self::iter_rows_mut) gives them all), nor can a row outlive its block's stay:
///
/// ```compile_fail,E0505
/// let mut block = earth_memory::Block::<f64>::zeroed(4, 4);
/// let row = block.row_mut(0);
/// std::thread::spawn(move || drop(block));
/// row[0] = 1.0;
/// ```
pub struct Block<T: Element> {
    storage: Arc<Storage<T>>,
    rectangle: Rectangle,
}

const _: () = assert!(size_of::<Block<f64>>() == 24 && size_of::<Option<Block<f64>>>() == 24);

impl<T: Element> Block<T> {
    /// A block of zero bytes. The pages come untouched from the system where it can do that, so that they are
    /// placed on the core that first writes them; [large ones](crate::in_large_pages) where the block is large.
    ///
    /// # Panics
    ///
    /// If a side is past 2^32 - 1 or the whole past 2^48 bytes, or memory is short.
    pub fn zeroed(rows: usize, cols: usize) -> Self {
        Self::try_zeroed(rows, cols, "a block").unwrap_or_else(|error| panic!("{error}"))
    }

    /// A block of zero bytes as [`zeroed`](Self::zeroed) gives it, or an error that says `what` the memory was for.
    ///
    /// # Errors
    ///
    /// [`NoMemory`] if memory is short.
    ///
    /// # Panics
    ///
    /// If a side is past 2^32 - 1 or the whole past 2^48 bytes.
    pub fn try_zeroed(rows: usize, cols: usize, what: &'static str) -> Result<Self, NoMemory> {
        let rectangle = Self::rectangle(rows, cols).unwrap_or_else(|error| panic!("{error}"));
        let mut elements = try_zeroed(rectangle.len(), what)?;
        in_large_pages(&mut elements);
        Ok(Self::whole(Storage::owned(elements, cols), rectangle))
    }

    /// A block without elements: a shape of `rows` x `cols` that is counted, split, joined and moved as if
    /// there were some. It takes the memory of a handle and one small allocation, whatever its size.
    ///
    /// Through bytes it goes as its shape. A request for an element (a row, a slice, its vector, a copy) panics.
    ///
    /// ```
    /// let matrix = earth_memory::Block::<f64>::phantom(1 << 17, 1 << 17)?;
    /// assert_eq!((matrix.is_phantom(), matrix.bytes()), (true, 1 << 37));
    /// let (top, bottom) = matrix.split_rows(100);
    /// assert_eq!((top.rows(), bottom.rows()), (100, (1 << 17) - 100));
    /// # Ok::<(), earth_memory::ShapeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a side is past 2^32 - 1 or the whole past 2^48 bytes.
    pub fn phantom(rows: usize, cols: usize) -> Result<Self, ShapeError> {
        let rectangle = Self::rectangle(rows, cols)?;
        Ok(Self::whole(Storage::phantom(rectangle.len(), cols), rectangle))
    }

    /// A block of zero bytes as [`zeroed`](Self::zeroed) gives it, or a phantom if this block is one: what a
    /// program allocates beside its input.
    ///
    /// # Panics
    ///
    /// As [`zeroed`](Self::zeroed).
    #[must_use]
    pub fn zeroed_like(&self, rows: usize, cols: usize) -> Self {
        if self.is_phantom() {
            Self::phantom(rows, cols).unwrap_or_else(|error| panic!("{error}"))
        } else {
            Self::zeroed(rows, cols)
        }
    }

    /// A block whose element at row `i`, column `j` is `f(i, j)`, called row by row.
    ///
    /// # Panics
    ///
    /// If a side is past 2^32 - 1 or the whole past 2^48 bytes, or memory is short.
    pub fn from_fn(rows: usize, cols: usize, mut f: impl FnMut(usize, usize) -> T) -> Self {
        let rectangle = Self::rectangle(rows, cols).unwrap_or_else(|error| panic!("{error}"));
        let room = try_room(rectangle.len(), "a block");
        let mut elements = room.unwrap_or_else(|error| panic!("{error}"));
        for i in 0..rows {
            elements.extend((0..cols).map(|j| f(i, j)));
        }
        Self::whole(Storage::owned(elements, cols), rectangle)
    }

    /// A block of the vector's own memory, row after row: nothing is copied.
    ///
    /// # Errors
    ///
    /// If there are not exactly `rows * cols` elements, or too many for a block.
    pub fn from_vec(rows: usize, cols: usize, elements: Vec<T>) -> Result<Self, ShapeError> {
        let rectangle = Rectangle::whole_of(rows, cols, size_of::<T>(), elements.len())?;
        Ok(Self::whole(Storage::owned(elements, cols), rectangle))
    }

    /// Gives the block's elements, which stay in their order, another number of rows and columns. Nothing is copied.
    ///
    /// It does not join with blocks that it was split from.
    ///
    /// ```
    /// let block = earth_memory::Block::from_fn(2, 3, |i, j| 3 * i + j);
    /// let block = block.reshape(3, 2).map_err(|(_, error)| error)?;
    /// assert_eq!((block.row(0), block.row(2)), (&[0, 1][..], &[4, 5][..]));
    /// # Ok::<(), earth_memory::ShapeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The block back, if it has another number of elements, or gaps between its rows.
    pub fn reshape(mut self, rows: usize, cols: usize) -> Result<Self, (Self, ShapeError)> {
        let rectangle = match Rectangle::whole_of(rows, cols, size_of::<T>(), self.len()) {
            Ok(rectangle) => rectangle,
            Err(error) => return Err((self, error)),
        };
        let Some(range) = self.rectangle.contiguous(self.stride()) else {
            return Err((self, ShapeError::Gaps));
        };
        if range.len() == self.storage.len()
            && let Some(storage) = Arc::get_mut(&mut self.storage)
        {
            storage.set_stride(cols);
            return Ok(Self { rectangle, ..self });
        }
        // SAFETY: Inside, as the range is this block's rectangle; Disjoint, as only this block covered it, which is
        // consumed, and no other block of that storage is made but by splitting or joining those that are left.
        let storage = unsafe { Storage::within(self.storage, range, cols) };
        Ok(Self::whole(storage, rectangle))
    }

    /// The rectangle that is the whole of a storage of that many rows and columns.
    fn rectangle(rows: usize, cols: usize) -> Result<Rectangle, ShapeError> {
        Rectangle::whole(rows, cols, size_of::<T>())
    }

    /// The first block of a storage: the one that all others are split from (Disjoint).
    fn whole(storage: Storage<T>, rectangle: Rectangle) -> Self {
        Self::of_shared(Arc::new(storage), rectangle)
    }

    /// The first block of a storage that the lender keeps an eye on. `rectangle` is all rows of `storage`,
    /// and no other block of it has been made (Inside, Disjoint).
    pub(crate) fn of_shared(storage: Arc<Storage<T>>, rectangle: Rectangle) -> Self {
        let last = rectangle.rows().checked_sub(1).and_then(|last| rectangle.row(last, storage.stride()));
        debug_assert_eq!(last.map_or(0, |last| last.end), storage.len());
        Self { storage, rectangle }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rectangle.rows()
    }

    /// The number of columns: the length of each row, in elements.
    pub fn cols(&self) -> usize {
        self.rectangle.cols()
    }

    /// The distance from one row to the next, in elements; at least [`cols`](Self::cols).
    pub fn stride(&self) -> usize {
        self.storage.stride()
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.rectangle.len()
    }

    /// Whether there is no element: no rows, or no columns.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The size of the elements, in bytes (gaps between the rows not counted).
    pub fn bytes(&self) -> usize {
        self.len() * size_of::<T>()
    }

    /// Whether it is a [phantom](Self::phantom), which has no elements to read or write.
    #[inline]
    pub fn is_phantom(&self) -> bool {
        self.storage.is_phantom()
    }

    /// Whether the elements are [lent](crate::lend()): memory of somebody else.
    pub fn is_lent(&self) -> bool {
        self.storage.is_lent()
    }

    /// Row `i`.
    ///
    /// # Panics
    ///
    /// If there is no row `i`, or this is a phantom.
    #[track_caller]
    pub fn row(&self, i: usize) -> &[T] {
        let range = self.row_range(i);
        // SAFETY: Inside, as the range is a row of this block's rectangle; Disjoint, as only this block can
        // write it and it is borrowed shared.
        unsafe { self.storage.slice(range) }
    }

    /// Row `i`, to be written.
    ///
    /// # Panics
    ///
    /// If there is no row `i`, or this is a phantom.
    #[track_caller]
    pub fn row_mut(&mut self, i: usize) -> &mut [T] {
        let range = self.row_range(i);
        // SAFETY: Inside, as the range is a row of this block's rectangle; Disjoint, as only this block
        // reaches it and it is borrowed mutably.
        unsafe { self.storage.slice_mut(range) }
    }

    #[track_caller]
    fn row_range(&self, i: usize) -> std::ops::Range<usize> {
        let rows = self.rows();
        self.rectangle.row(i, self.stride()).unwrap_or_else(|| panic!("row {i} of a block of {rows} rows"))
    }

    /// All rows, first to last. The first row of a phantom panics.
    pub fn iter_rows(&self) -> impl DoubleEndedIterator<Item = &[T]> + ExactSizeIterator {
        (0..self.rows()).map(|i| self.row(i))
    }

    /// All rows, first to last, to be written; they may be held at the same time.
    pub fn iter_rows_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut [T]> + ExactSizeIterator {
        let (storage, rectangle): (&Storage<T>, _) = (&self.storage, self.rectangle);
        (0..rectangle.rows()).map(move |i| {
            let range = rectangle.row(i, storage.stride()).expect("i counts the rows");
            // SAFETY: Inside, as the range is a row of this block's rectangle; Disjoint, as the iterator
            // borrows the block mutably, gives each row once, and the rows of a rectangle do not overlap.
            unsafe { storage.slice_mut(range) }
        })
    }

    /// All elements as one slice, if the rows follow one another without a gap: whole rows of a storage do,
    /// and so does a single row of any width.
    ///
    /// # Panics
    ///
    /// If this is a phantom without gaps.
    #[track_caller]
    pub fn as_slice(&self) -> Option<&[T]> {
        let range = self.rectangle.contiguous(self.stride())?;
        // SAFETY: Inside, as the range is this block's rectangle; Disjoint, as in `row`.
        Some(unsafe { self.storage.slice(range) })
    }

    /// All elements as one slice to be written; see [`as_slice`](Self::as_slice).
    ///
    /// # Panics
    ///
    /// If this is a phantom without gaps.
    #[track_caller]
    pub fn as_mut_slice(&mut self) -> Option<&mut [T]> {
        let range = self.rectangle.contiguous(self.stride())?;
        // SAFETY: Inside, as the range is this block's rectangle; Disjoint, as in `row_mut`.
        Some(unsafe { self.storage.slice_mut(range) })
    }

    /// Copies the elements of `source`, row by row.
    ///
    /// # Panics
    ///
    /// If the shapes differ, or either is a phantom.
    #[track_caller]
    pub fn copy_from(&mut self, source: &Self) {
        let (mine, theirs) = ((self.rows(), self.cols()), (source.rows(), source.cols()));
        assert_eq!(mine, theirs, "a block is copied to one of another shape (rows, columns)");
        for (to, from) in self.iter_rows_mut().zip(source.iter_rows()) {
            to.copy_from_slice(from);
        }
    }

    /// The elements as a vector, row by row: the memory itself when this is the whole of an owned storage and
    /// the last handle of it, else a copy.
    ///
    /// # Panics
    ///
    /// If this is a phantom, or memory for a copy is short.
    #[track_caller]
    pub fn into_vec(self) -> Vec<T> {
        let Self { mut storage, rectangle } = self;
        if rectangle.contiguous(storage.stride()) == Some(0..storage.len()) {
            match Arc::try_unwrap(storage).and_then(|only| only.into_vec().map_err(Arc::new)) {
                Ok(elements) => return elements,
                Err(shared) => storage = shared,
            }
        }
        let block = Self { storage, rectangle };
        let room = try_room(block.len(), "a copy of a block");
        let mut elements = room.unwrap_or_else(|error| panic!("{error}"));
        block.iter_rows().for_each(|row| elements.extend_from_slice(row));
        elements
    }
}

impl<T: Element> fmt::Debug for Block<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Block")
            .field("rows", &self.rows())
            .field("cols", &self.cols())
            .field("stride", &self.stride())
            .field("lent", &self.is_lent())
            .field("phantom", &self.is_phantom())
            .finish_non_exhaustive()
    }
}
