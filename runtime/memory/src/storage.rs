//! The elements of a block: allocated here, taken from a pool, borrowed for writing or for reading only, or
//! absent.
//!
//! A storage knows the address and number of its elements and whether it frees them. It is of one of three
//! sorts:
//!
//! * A *phantom* has a number of elements but no address. A request for its elements panics.
//! * Memory *lent for reading* is never written. A request for a mutable slice of it panics.
//! * Any other storage gives out slices of its elements, even mutable ones, through a shared reference. This
//!   makes disjoint blocks of one storage possible. It is sound only because [`Block`](crate::Block) keeps
//!   the invariants below.
//!
//! The `SAFETY` comments name these invariants:
//!
//! * **Alive.** While a storage that is no phantom exists, its `len` elements from `base` on are allocated,
//!   initialized and reached through `base` alone. The drop of the storage frees owned memory. Borrowed
//!   memory outlives the storage because [`lend`](crate::lend()) does not return it while any handle exists.
//!   A part of another storage holds a reference to the storage that owns or borrows the memory, and no other
//!   block covers the part. Memory lent for reading may be read by others at the same time, but is not
//!   written.
//! * **Inside.** A block's rectangle contains only elements of its storage.
//! * **Disjoint.** At any time at most one block covers an element. One block is made with the storage, a
//!   split consumes the block it splits, a join consumes the blocks it joins, and blocks are not `Clone`.
//!
//! These invariants also suffice across threads. Elements are `Send + Sync`, and moving a block to another
//! thread synchronizes the two threads. The release and acquire operations of the reference count order every
//! use of the memory before its end.

use std::mem::ManuallyDrop;
use std::ops::Range;
use std::sync::Arc;

use crate::buffer::Buffer;

/// Element of a block: plain data in which any bytes are a valid value.
///
/// Implemented for every [`bytemuck::Pod`] type that is `Send` and `Sync`: integers, floats,
/// `num_complex::Complex` of them, arrays of them, and `#[derive(Pod)]` structs. Because elements are plain
/// data, a block can travel as bytes, and a failed run leaves *unspecified but valid* contents.
///
/// ```compile_fail
/// fn element<T: earth_memory::Element>() {}
/// element::<String>();
/// ```
pub trait Element: bytemuck::Pod + Send + Sync {}

impl<T: bytemuck::Pod + Send + Sync> Element for T {}

/// A fixed number of initialized elements at a fixed address, or the number alone (a phantom).
pub(crate) struct Storage<T: Element> {
    /// Address of the elements, null in a phantom. It is `*mut T` rather than `NonNull<T>` so that the
    /// storage is invariant in `T`, like `&mut [T]`.
    base: *mut T,
    len: usize,
    /// Length of a row, in elements.
    stride: usize,
    /// Whether the elements were lent for reading only.
    reading: bool,
    owner: Owner<T>,
}

/// Owner of the memory of a storage.
enum Owner<T: Element> {
    /// The storage itself; a `Vec` of this capacity allocated the memory.
    Storage { capacity: usize },
    /// Memory that returns to its pool.
    Pool { _buffer: Arc<Buffer> },
    /// The caller of `lend`, which waits until the storage is dropped.
    Lender,
    /// Another storage, which this one keeps alive.
    Whole(Arc<Storage<T>>),
    /// None: the storage is a phantom.
    Nobody,
}

// SAFETY: a storage is a `Vec<T>`, a `&mut [T]`, a `&[T]`, a part of such a storage, or (a phantom) two
// numbers. They are `Send` if `T` is `Send` and `Sync`, as every `Element` is.
unsafe impl<T: Element> Send for Storage<T> {}
// SAFETY: the safe methods of a shared storage read only its own fields. Callers of the unsafe methods ensure
// the aliasing rules (Disjoint), and `Element` types may be read and written from any thread.
unsafe impl<T: Element> Sync for Storage<T> {}

impl<T: Element> Storage<T> {
    /// Takes over the memory of `elements`, in rows of `stride` elements each.
    pub(crate) fn owned(elements: Vec<T>, stride: usize) -> Self {
        let mut elements = ManuallyDrop::new(elements);
        let owner = Owner::Storage { capacity: elements.capacity() };
        Self { base: elements.as_mut_ptr(), len: elements.len(), stride, reading: false, owner }
    }

    /// Takes over the memory of a buffer, in rows of `stride` elements each.
    ///
    /// # Safety
    ///
    /// The buffer has `len` initialized elements at an address that fits their alignment. Until the storage
    /// is dropped, its memory is used through the storage only (**Alive**).
    pub(crate) unsafe fn landed(buffer: Arc<Buffer>, len: usize, stride: usize) -> Self {
        let base = buffer.base().cast();
        Self { base, len, stride, reading: false, owner: Owner::Pool { _buffer: buffer } }
    }

    /// Refers to borrowed memory.
    ///
    /// # Safety
    ///
    /// Until the storage is dropped, the slice's memory must stay allocated and must be used through the
    /// storage only (**Alive**).
    pub(crate) unsafe fn lent(elements: &mut [T], stride: usize) -> Self {
        let (base, len) = (elements.as_mut_ptr(), elements.len());
        Self { base, len, stride, reading: false, owner: Owner::Lender }
    }

    /// Refers to memory borrowed for reading.
    ///
    /// # Safety
    ///
    /// Until the storage is dropped, the slice's memory must stay allocated and must not be written
    /// (**Alive**).
    pub(crate) unsafe fn lent_for_reading(elements: &[T], stride: usize) -> Self {
        let (base, len) = (elements.as_ptr().cast_mut(), elements.len());
        Self { base, len, stride, reading: true, owner: Owner::Lender }
    }

    /// Makes a storage of a range of the elements of `whole`, in rows of `stride`. A range of a phantom is a
    /// phantom. The result keeps only the storage that has the memory. A chain of storages would grow with
    /// each call, and its drop would recurse.
    ///
    /// # Safety
    ///
    /// `range` is within `0..len` of `whole` (**Inside**), and no block of `whole` covers or ever will cover
    /// an element of it (**Disjoint**).
    pub(crate) unsafe fn within(whole: Arc<Self>, range: Range<usize>, stride: usize) -> Self {
        debug_assert!(range.start <= range.end && range.end <= whole.len);
        let (len, reading) = (range.len(), whole.reading);
        if whole.is_phantom() {
            return Self::phantom(len, stride);
        }
        // SAFETY: the caller keeps Inside.
        let base = unsafe { whole.base.add(range.start) };
        let owner = match &whole.owner {
            Owner::Whole(whole) => Owner::Whole(Arc::clone(whole)),
            _ => Owner::Whole(whole),
        };
        Self { base, len, stride, reading, owner }
    }

    /// Changes the length of all rows. A mutable borrow of the storage implies that no other handle exists.
    pub(crate) fn set_stride(&mut self, stride: usize) {
        self.stride = stride;
    }

    /// Makes a phantom of `len` elements.
    pub(crate) fn phantom(len: usize, stride: usize) -> Self {
        Self { base: std::ptr::null_mut(), len, stride, reading: false, owner: Owner::Nobody }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    pub(crate) fn is_borrowed(&self) -> bool {
        match &self.owner {
            Owner::Lender => true,
            Owner::Whole(whole) => whole.is_borrowed(),
            Owner::Storage { .. } | Owner::Pool { .. } | Owner::Nobody => false,
        }
    }

    #[inline]
    pub(crate) fn is_phantom(&self) -> bool {
        self.base.is_null()
    }

    /// Returns the address of the elements for reading. Panics for a phantom.
    #[inline]
    #[track_caller]
    fn base(&self) -> *const T {
        if self.is_phantom() { no_elements() } else { self.base }
    }

    /// Returns the address of the elements for writing. Panics for a phantom and for memory lent for reading.
    #[inline]
    #[track_caller]
    fn base_mut(&self) -> *mut T {
        if self.reading { read_only_block() } else { self.base().cast_mut() }
    }

    /// Returns the elements in `range`.
    ///
    /// # Safety
    ///
    /// `range` is within `0..len` (**Inside**), and these elements are not written while the slice lives
    /// (**Disjoint**).
    #[track_caller]
    pub(crate) unsafe fn slice(&self, range: Range<usize>) -> &[T] {
        debug_assert!(range.start <= range.end && range.end <= self.len);
        // SAFETY: the caller keeps Inside and Disjoint. Alive makes the elements initialized, and `base` has
        // returned, so they exist.
        unsafe { std::slice::from_raw_parts(self.base().add(range.start), range.len()) }
    }

    /// Returns the elements in `range` for writing.
    ///
    /// # Safety
    ///
    /// `range` is within `0..len` (**Inside**), and these elements are neither read nor written otherwise
    /// while the slice lives (**Disjoint**).
    #[expect(
        clippy::mut_from_ref,
        reason = "disjoint blocks share a storage: the caller vouches for the aliasing"
    )]
    #[track_caller]
    pub(crate) unsafe fn slice_mut(&self, range: Range<usize>) -> &mut [T] {
        debug_assert!(range.start <= range.end && range.end <= self.len);
        // SAFETY: the caller keeps Inside and Disjoint. Alive makes the elements initialized, and `base_mut`
        // has returned, so they exist and were not lent for reading.
        unsafe { std::slice::from_raw_parts_mut(self.base_mut().add(range.start), range.len()) }
    }

    /// Returns the vector that this storage was made of, or the storage if it does not own its memory.
    pub(crate) fn into_vec(self) -> Result<Vec<T>, Self> {
        let Owner::Storage { capacity } = self.owner else { return Err(self) };
        let this = ManuallyDrop::new(self);
        // SAFETY: base, length and capacity come from the vector that `owned` took apart (Alive). The
        // storage, which would free it too, is never dropped.
        Ok(unsafe { Vec::from_raw_parts(this.base, this.len, capacity) })
    }
}

impl<T: Element> Drop for Storage<T> {
    fn drop(&mut self) {
        if let Owner::Storage { capacity } = self.owner {
            // SAFETY: base, length and capacity come from the vector that `owned` took apart (Alive). A drop
            // happens once, and `into_vec` prevents it.
            drop(unsafe { Vec::from_raw_parts(self.base, self.len, capacity) });
        }
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn no_elements() -> ! {
    panic!("a phantom block has no elements to read or write")
}

#[cold]
#[inline(never)]
#[track_caller]
fn read_only_block() -> ! {
    panic!("a block that was lent for reading cannot be written")
}
