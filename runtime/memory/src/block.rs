//! The handle of a block (rule 8 of ARCHITECTURE.md). [`Block`] describes its use.
//!
//! The `unsafe` code here rests on the invariants **Alive**, **Inside** and **Disjoint**, stated at the top
//! of `storage.rs`. The arithmetic in `rectangle.rs` keeps **Inside** and **Disjoint**.

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
/// A [`Block`] is the only handle of the elements it covers. They form a rectangle (rows, columns, stride) of
/// a storage, which neighboring blocks share. The owner of the handle may read and write the elements; no
/// other code can. So no two fibers ever hold the same elements, programs need no lock and no `unsafe`, and
/// moving a gigabyte costs 24 bytes.
///
/// 1. Make a block: of zeros, of a vector (not copied), of a function, or of borrowed memory
///    ([`lend`](crate::lend())).
/// 2. Split it by rows or columns any number of times, and send the parts to other fibers.
/// 3. Join the parts that come back. Joining checks that they touch; a refusal returns both handles.
///
/// *Cost.* A split increments an atomic count and a join decrements it, independent of the size. Both
/// together take 10 ns, or 22 ns while another core splits and joins parts of the same storage (measured).
/// Access is a slice per row.
///
/// *Limits.* Column parts are strided. A transform along a strided row is as fast as along any row, but a
/// kernel that needs all elements in one slice gets it from whole rows only ([`Block::as_slice`]). One small
/// part keeps the whole storage alive. A side has at most 2^32 - 1 elements, and a block at most 2^48 bytes.
///
/// *Phantoms.* A [phantom](Block::phantom) has a shape but no elements. It splits, rejoins and moves like any
/// block, for [simulated runs](../earth/struct.Eu.html#method.compute) larger than memory. Reading or writing
/// one of its elements panics.
///
/// A block cannot be copied, so a sender no longer has it:
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
/// A row borrows the block, so safe code cannot hold two mutable rows at once except through
/// [`iter_rows_mut`](Self::iter_rows_mut). Nor can a row outlive its block:
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
    /// Returns a block of zero bytes. Where the system allows it, the pages are untouched, so the core that
    /// first writes a page determines its placement. A large block uses [large pages](crate::in_large_pages).
    ///
    /// # Panics
    ///
    /// If a side exceeds 2^32 - 1 elements or the whole 2^48 bytes, or if memory is short.
    pub fn zeroed(rows: usize, cols: usize) -> Self {
        Self::try_zeroed(rows, cols, "a block").unwrap_or_else(|error| panic!("{error}"))
    }

    /// Returns a block of zero bytes, as [`zeroed`](Self::zeroed) does. `what` names the use of the memory in
    /// the error.
    ///
    /// # Errors
    ///
    /// [`NoMemory`] if memory is short.
    ///
    /// # Panics
    ///
    /// If a side exceeds 2^32 - 1 elements or the whole 2^48 bytes.
    pub fn try_zeroed(rows: usize, cols: usize, what: &'static str) -> Result<Self, NoMemory> {
        let rectangle = Self::rectangle(rows, cols).unwrap_or_else(|error| panic!("{error}"));
        let mut elements = try_zeroed(rectangle.len(), what)?;
        in_large_pages(&mut elements);
        Ok(Self::whole(Storage::owned(elements, cols), rectangle))
    }

    /// Returns a block without elements: a shape of `rows` x `cols` that can be counted, split, joined and
    /// moved. It takes the memory of a handle and one small allocation, whatever its size.
    ///
    /// Between address spaces only its shape is sent. A request for an element (a row, a slice, its vector, a
    /// copy) panics.
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
    /// If a side exceeds 2^32 - 1 elements or the whole 2^48 bytes.
    pub fn phantom(rows: usize, cols: usize) -> Result<Self, ShapeError> {
        let rectangle = Self::rectangle(rows, cols)?;
        Ok(Self::whole(Storage::phantom(rectangle.len(), cols), rectangle))
    }

    /// Returns a block of zero bytes, as [`zeroed`](Self::zeroed) does, or a phantom if this block is a
    /// phantom. Programs use it to allocate further blocks of the same sort as their input.
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

    /// Returns a block whose element at row `i`, column `j` is `f(i, j)`. Calls `f` row by row.
    ///
    /// # Panics
    ///
    /// If a side exceeds 2^32 - 1 elements or the whole 2^48 bytes, or if memory is short.
    pub fn from_fn(rows: usize, cols: usize, mut f: impl FnMut(usize, usize) -> T) -> Self {
        let rectangle = Self::rectangle(rows, cols).unwrap_or_else(|error| panic!("{error}"));
        let room = try_room(rectangle.len(), "a block");
        let mut elements = room.unwrap_or_else(|error| panic!("{error}"));
        for i in 0..rows {
            elements.extend((0..cols).map(|j| f(i, j)));
        }
        Self::whole(Storage::owned(elements, cols), rectangle)
    }

    /// Makes a block of the vector's own memory, in row-major order, without a copy.
    ///
    /// # Errors
    ///
    /// If there are not exactly `rows * cols` elements, or too many for a block.
    pub fn from_vec(rows: usize, cols: usize, elements: Vec<T>) -> Result<Self, ShapeError> {
        let rectangle = Rectangle::whole_of(rows, cols, size_of::<T>(), elements.len())?;
        Ok(Self::whole(Storage::owned(elements, cols), rectangle))
    }

    /// Changes the numbers of rows and columns. The elements keep their order and are not copied.
    ///
    /// The reshaped block cannot be joined with blocks that it was split from.
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
    /// The block and the error, if `rows * cols` is not its number of elements or there are gaps between its
    /// rows.
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
        // SAFETY: Inside, as the range is this block's rectangle. Disjoint, as only this block covered the
        // range and it is consumed; later blocks of that storage come only from splitting or joining the
        // remaining ones.
        let storage = unsafe { Storage::within(self.storage, range, cols) };
        Ok(Self::whole(storage, rectangle))
    }

    /// Returns the rectangle that covers a whole storage of these numbers of rows and columns.
    fn rectangle(rows: usize, cols: usize) -> Result<Rectangle, ShapeError> {
        Rectangle::whole(rows, cols, size_of::<T>())
    }

    /// Makes the first block of a storage of `rows * cols` elements. Returns `None` if a block cannot have
    /// that shape.
    pub(crate) fn of_storage(rows: usize, cols: usize, storage: Storage<T>) -> Option<Self> {
        let rectangle = Rectangle::whole_of(rows, cols, size_of::<T>(), storage.len()).ok()?;
        Some(Self::whole(storage, rectangle))
    }

    /// Makes the first block of a storage. All other blocks are split from it (Disjoint).
    fn whole(storage: Storage<T>, rectangle: Rectangle) -> Self {
        Self::of_shared(Arc::new(storage), rectangle)
    }

    /// Makes the first block of a storage to which the lender keeps a reference. `rectangle` covers all rows
    /// of `storage`, and no other block of it has been made (Inside, Disjoint).
    pub(crate) fn of_shared(storage: Arc<Storage<T>>, rectangle: Rectangle) -> Self {
        let last = rectangle.rows().checked_sub(1).and_then(|last| rectangle.row(last, storage.stride()));
        debug_assert_eq!(last.map_or(0, |last| last.end), storage.len());
        Self { storage, rectangle }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rectangle.rows()
    }

    /// Returns the number of columns, which is the length of each row in elements.
    pub fn cols(&self) -> usize {
        self.rectangle.cols()
    }

    /// Returns the distance from one row to the next, in elements. It is at least [`cols`](Self::cols).
    pub fn stride(&self) -> usize {
        self.storage.stride()
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.rectangle.len()
    }

    /// Whether the block has no elements: no rows or no columns.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the size of the elements in bytes, without the gaps between rows.
    pub fn bytes(&self) -> usize {
        self.len() * size_of::<T>()
    }

    /// Whether this block is a [phantom](Self::phantom), which has no elements to read or write.
    #[inline]
    pub fn is_phantom(&self) -> bool {
        self.storage.is_phantom()
    }

    /// Whether the elements are [borrowed](crate::lend()) from the caller of `lend`.
    pub fn is_borrowed(&self) -> bool {
        self.storage.is_borrowed()
    }

    /// Returns row `i`.
    ///
    /// # Panics
    ///
    /// If there is no row `i`, or this is a phantom.
    #[track_caller]
    pub fn row(&self, i: usize) -> &[T] {
        let range = self.row_range(i);
        // SAFETY: Inside, as the range is a row of this block's rectangle. Disjoint, as only this block can
        // write the row, and the block is borrowed shared.
        unsafe { self.storage.slice(range) }
    }

    /// Returns row `i` for writing.
    ///
    /// # Panics
    ///
    /// If there is no row `i`, or this is a phantom.
    #[track_caller]
    pub fn row_mut(&mut self, i: usize) -> &mut [T] {
        let range = self.row_range(i);
        // SAFETY: Inside, as the range is a row of this block's rectangle. Disjoint, as only this block
        // reaches the row, and the block is borrowed mutably.
        unsafe { self.storage.slice_mut(range) }
    }

    #[track_caller]
    fn row_range(&self, i: usize) -> std::ops::Range<usize> {
        let rows = self.rows();
        self.rectangle
            .row(i, self.stride())
            .unwrap_or_else(|| panic!("row {i} is out of range: the block has {rows} rows"))
    }

    /// Iterates over all rows, first to last. In a phantom, the first row panics.
    pub fn iter_rows(&self) -> impl DoubleEndedIterator<Item = &[T]> + ExactSizeIterator {
        (0..self.rows()).map(|i| self.row(i))
    }

    /// Iterates over all rows for writing, first to last. Several rows may be held at the same time.
    pub fn iter_rows_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut [T]> + ExactSizeIterator {
        let (storage, rectangle): (&Storage<T>, _) = (&self.storage, self.rectangle);
        (0..rectangle.rows()).map(move |i| {
            let range = rectangle.row(i, storage.stride()).expect("i counts the rows");
            // SAFETY: Inside, as the range is a row of this block's rectangle. Disjoint, as the iterator
            // borrows the block mutably and gives each row once, and the rows of a rectangle do not overlap.
            unsafe { storage.slice_mut(range) }
        })
    }

    /// Returns all elements as one slice if they are contiguous. Whole rows of a storage are contiguous, and
    /// so is a single row of any width.
    ///
    /// # Panics
    ///
    /// If this is a phantom whose shape has no gaps.
    #[track_caller]
    pub fn as_slice(&self) -> Option<&[T]> {
        let range = self.rectangle.contiguous(self.stride())?;
        // SAFETY: Inside, as the range is this block's rectangle. Disjoint, as in `row`.
        Some(unsafe { self.storage.slice(range) })
    }

    /// Returns all elements as one mutable slice; see [`as_slice`](Self::as_slice).
    ///
    /// # Panics
    ///
    /// If this is a phantom whose shape has no gaps.
    #[track_caller]
    pub fn as_mut_slice(&mut self) -> Option<&mut [T]> {
        let range = self.rectangle.contiguous(self.stride())?;
        // SAFETY: Inside, as the range is this block's rectangle. Disjoint, as in `row_mut`.
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
        assert_eq!(mine, theirs, "a block cannot be copied from one of another shape (rows, columns)");
        for (to, from) in self.iter_rows_mut().zip(source.iter_rows()) {
            to.copy_from_slice(from);
        }
    }

    /// Returns the elements as a vector, row by row. The vector is the storage itself if this block covers a
    /// whole owned storage and is its last handle. Otherwise it is a copy.
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
            .field("lent", &self.is_borrowed())
            .field("phantom", &self.is_phantom())
            .finish_non_exhaustive()
    }
}
