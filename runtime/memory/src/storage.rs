//! The elements behind a block: allocated by us, lent to us to write or to read alone, or not there at all.
//!
//! A storage knows where its elements are, how many there are and whether they are to be freed. A *phantom*
//! knows only how many there would be: it has no address, so that whoever asks it for elements is told so by a
//! panic. Memory *lent for reading* is never written: whoever asks for a mutable slice of it is told so by a panic.
//! Any other hands out
//! slices of any of its elements, mutable ones too, through a shared reference: that is what makes disjoint
//! blocks of one storage possible, and it is sound only by what [`Block`](crate::Block) promises. The
//! invariants, by the names that the `SAFETY` reasons use:
//!
//! * **Alive.** While a storage that is no phantom exists, its `len` elements from `base` on are allocated, initialised and
//!   reached through `base` alone. Owned memory is freed by the storage's drop; lent memory outlives the
//!   storage because [`lend`](crate::lend()) does not give it back while any handle is left; memory of another storage is
//!   kept by a reference to the storage that owns it or borrows it, and no other block covers it. What is lent for reading may be read by others at the
//!   same time, and nobody writes it.
//! * **Inside.** A block's rectangle names only elements of its storage.
//! * **Disjoint.** At any time at most one block covers an element: one block is made with the storage, a
//!   split consumes what it splits, a join consumes what it joins, and blocks are not `Clone`.
//!
//! Crossing threads needs nothing more: elements are `Send + Sync`, a block is moved with whatever
//! synchronisation moves it, and the reference count's own release and acquire order every use of
//! the memory before its end.

use std::mem::ManuallyDrop;
use std::ops::Range;
use std::sync::Arc;

/// What may stand in a block: plain data, any bytes of which are a value.
///
/// Implemented for every [`bytemuck::Pod`] type that may be sent and shared: integers, floats,
/// `num_complex::Complex` of them, arrays of them, and `#[derive(Pod)]` structs. Plain data is
/// what makes a block fit to travel as bytes, and what lets a run that failed leave *unspecified
/// but valid* contents behind.
///
/// ```compile_fail
/// fn element<T: earth_memory::Element>() {}
/// element::<String>();
/// ```
pub trait Element: bytemuck::Pod + Send + Sync {}

impl<T: bytemuck::Pod + Send + Sync> Element for T {}

/// A fixed number of initialised elements at a fixed place, or the number alone.
pub(crate) struct Storage<T: Element> {
    /// The address of the elements; null in a phantom. `*mut T`, not `NonNull<T>`: the storage is invariant in `T`, as a
    /// `&mut [T]` is.
    base: *mut T,
    len: usize,
    /// How many elements a row has.
    stride: usize,
    /// Whether the elements are only read, as they were lent so.
    reading: bool,
    owner: Owner<T>,
}

/// The owner of the memory of a storage.
enum Owner<T: Element> {
    /// The storage: a `Vec` of this capacity had allocated the memory.
    Storage { capacity: usize },
    /// Somebody who waits until the storage is dropped.
    Lender,
    /// Another storage, which stays as long as this one.
    Whole(Arc<Storage<T>>),
    /// Nobody: the storage is a phantom's.
    Nobody,
}

// SAFETY: a storage is a `Vec<T>`, a `&mut [T]`, a `&[T]` or such a storage in parts, which are `Send` when `T` is `Send`
// and `Sync`, as every `Element` is, or two numbers.
unsafe impl<T: Element> Send for Storage<T> {}
// SAFETY: the safe methods of a shared storage read its own words only; who turns them into slices
// answers for the aliasing (Disjoint), and `Element` types may be read and written from any thread.
unsafe impl<T: Element> Sync for Storage<T> {}

impl<T: Element> Storage<T> {
    /// Takes over the memory of `elements`, rows of `stride` each.
    pub(crate) fn owned(elements: Vec<T>, stride: usize) -> Self {
        let mut elements = ManuallyDrop::new(elements);
        let owner = Owner::Storage { capacity: elements.capacity() };
        Self { base: elements.as_mut_ptr(), len: elements.len(), stride, reading: false, owner }
    }

    /// Points at memory that somebody else owns.
    ///
    /// # Safety
    ///
    /// Until the storage is dropped the slice's memory must stay allocated, and nobody may use it except
    /// through the storage (**Alive**).
    pub(crate) unsafe fn lent(elements: &mut [T], stride: usize) -> Self {
        let (base, len) = (elements.as_mut_ptr(), elements.len());
        Self { base, len, stride, reading: false, owner: Owner::Lender }
    }

    /// Points at memory that somebody else owns, to read it.
    ///
    /// # Safety
    ///
    /// Until the storage is dropped the slice's memory must stay allocated, and nobody may write it (**Alive**).
    pub(crate) unsafe fn lent_for_reading(elements: &[T], stride: usize) -> Self {
        let (base, len) = (elements.as_ptr().cast_mut(), elements.len());
        Self { base, len, stride, reading: true, owner: Owner::Lender }
    }

    /// A range of the elements of another storage, in rows of `stride`; of a phantom one a phantom. It keeps the storage that
    /// has the memory, and no other: a chain of storages would grow with each call, and be dropped by recursion.
    ///
    /// # Safety
    ///
    /// `range` lies within `0..len` of `whole` (**Inside**), and no block of `whole` covers or ever will cover an element
    /// of it (**Disjoint**).
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

    /// Gives all elements to rows of another length. Whoever can borrow it mutably holds the only reference.
    pub(crate) fn set_stride(&mut self, stride: usize) {
        self.stride = stride;
    }

    /// `len` elements that are not there.
    pub(crate) fn phantom(len: usize, stride: usize) -> Self {
        Self { base: std::ptr::null_mut(), len, stride, reading: false, owner: Owner::Nobody }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    pub(crate) fn is_lent(&self) -> bool {
        match &self.owner {
            Owner::Lender => true,
            Owner::Whole(whole) => whole.is_lent(),
            Owner::Storage { .. } | Owner::Nobody => false,
        }
    }

    #[inline]
    pub(crate) fn is_phantom(&self) -> bool {
        self.base.is_null()
    }

    /// The address of the elements, to read them. A phantom has none.
    #[inline]
    #[track_caller]
    fn base(&self) -> *const T {
        if self.is_phantom() { no_elements() } else { self.base }
    }

    /// The address of the elements, to write them. The elements of a phantom, or that are lent for reading, cannot be written.
    #[inline]
    #[track_caller]
    fn base_mut(&self) -> *mut T {
        if self.reading { not_to_write() } else { self.base().cast_mut() }
    }

    /// The elements in `range`.
    ///
    /// # Safety
    ///
    /// `range` lies within `0..len` (**Inside**) and nobody writes to these elements while the slice lives
    /// (**Disjoint**).
    #[track_caller]
    pub(crate) unsafe fn slice(&self, range: Range<usize>) -> &[T] {
        debug_assert!(range.start <= range.end && range.end <= self.len);
        // SAFETY: the caller keeps Inside and Disjoint; Alive makes the elements initialised, and
        // `base` has returned, so that they are there.
        unsafe { std::slice::from_raw_parts(self.base().add(range.start), range.len()) }
    }

    /// The elements in `range`, to be written.
    ///
    /// # Safety
    ///
    /// `range` lies within `0..len` (**Inside**) and nobody else reads or writes these elements while the
    /// slice lives (**Disjoint**).
    #[expect(
        clippy::mut_from_ref,
        reason = "disjoint blocks share a storage: the caller vouches for the aliasing"
    )]
    #[track_caller]
    pub(crate) unsafe fn slice_mut(&self, range: Range<usize>) -> &mut [T] {
        debug_assert!(range.start <= range.end && range.end <= self.len);
        // SAFETY: the caller keeps Inside and Disjoint; Alive makes the elements initialised, and
        // `base_mut` has returned, so that they are there and were not lent for reading.
        unsafe { std::slice::from_raw_parts_mut(self.base_mut().add(range.start), range.len()) }
    }

    /// The vector this storage was made of, or the storage back if it has no memory of its own.
    pub(crate) fn into_vec(self) -> Result<Vec<T>, Self> {
        let Owner::Storage { capacity } = self.owner else { return Err(self) };
        let this = ManuallyDrop::new(self);
        // SAFETY: base, len and capacity are those of the vector that `owned` took apart (Alive), and the
        // storage, which would free it too, is never dropped.
        Ok(unsafe { Vec::from_raw_parts(this.base, this.len, capacity) })
    }
}

impl<T: Element> Drop for Storage<T> {
    fn drop(&mut self) {
        if let Owner::Storage { capacity } = self.owner {
            // SAFETY: base, len and capacity are those of the vector that `owned` took apart (Alive); a drop
            // happens once, and `into_vec` does not reach it.
            drop(unsafe { Vec::from_raw_parts(self.base, self.len, capacity) });
        }
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn no_elements() -> ! {
    panic!("a phantom block was asked for its elements, of which it has none")
}

#[cold]
#[inline(never)]
#[track_caller]
fn not_to_write() -> ! {
    panic!("a block of memory that was lent for reading was asked for elements to write")
}
