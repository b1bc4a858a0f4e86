//! The elements behind a block: allocated by us, or lent to us.
//!
//! A storage knows where its elements are, how many there are and whether they are to be freed. It hands out
//! slices of any of its elements, mutable ones too, through a shared reference: that is what makes disjoint
//! blocks of one storage possible, and it is sound only by what [`Block`](crate::Block) promises. The
//! invariants, by the names that the `SAFETY` reasons use:
//!
//! * **Alive.** While a storage exists, its `len` elements from `base` on are allocated, initialised and
//!   reached through `base` alone. Owned memory is freed by the storage's drop; lent memory outlives the
//!   storage because [`lend`](crate::lend()) does not give it back while any handle is left.
//! * **Inside.** A block's rectangle names only elements of its storage.
//! * **Disjoint.** At any time at most one block covers an element: one block is made with the storage, a
//!   split consumes what it splits, a join consumes what it joins, and blocks are not `Clone`.
//!
//! Crossing threads needs nothing more: elements are `Send + Sync`, a block is moved with whatever
//! synchronisation moves it, and the reference count's own release and acquire order every use of
//! the memory before its end.

use std::mem::ManuallyDrop;
use std::ops::Range;

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

/// A fixed number of initialised elements at a fixed place.
pub(crate) struct Storage<T: Element> {
    /// `*mut T`, not `NonNull<T>`: the storage is invariant in `T`, as a `&mut [T]` is.
    base: *mut T,
    len: usize,
    owner: Owner,
}

#[derive(Clone, Copy)]
enum Owner {
    /// The memory is that of a `Vec` of this capacity.
    Storage { capacity: usize },
    /// The memory is someone else's, who waits for the storage's end.
    Lender,
}

// SAFETY: a storage is a `Vec<T>` or a `&mut [T]` in parts, both of which are `Send` when `T`
// is, as every `Element` is.
unsafe impl<T: Element> Send for Storage<T> {}
// SAFETY: the safe methods of a shared storage read its own three words only; who turns them into slices
// answers for the aliasing (Disjoint), and `Element` types may be read and written from any thread.
unsafe impl<T: Element> Sync for Storage<T> {}

impl<T: Element> Storage<T> {
    /// Takes over the memory of `elements`.
    pub(crate) fn owned(elements: Vec<T>) -> Self {
        let mut elements = ManuallyDrop::new(elements);
        let owner = Owner::Storage { capacity: elements.capacity() };
        Self { base: elements.as_mut_ptr(), len: elements.len(), owner }
    }

    /// Points at memory that somebody else owns.
    ///
    /// # Safety
    ///
    /// Until the storage is dropped the slice's memory must stay allocated, and nobody may use it except
    /// through the storage (**Alive**).
    pub(crate) unsafe fn lent(elements: &mut [T]) -> Self {
        Self { base: elements.as_mut_ptr(), len: elements.len(), owner: Owner::Lender }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_lent(&self) -> bool {
        matches!(self.owner, Owner::Lender)
    }

    /// The elements in `range`.
    ///
    /// # Safety
    ///
    /// `range` lies within `0..len` (**Inside**) and nobody writes to these elements while the slice lives
    /// (**Disjoint**).
    pub(crate) unsafe fn slice(&self, range: Range<usize>) -> &[T] {
        debug_assert!(range.start <= range.end && range.end <= self.len);
        // SAFETY: the caller keeps Inside and Disjoint; Alive makes the elements initialised.
        unsafe { std::slice::from_raw_parts(self.base.add(range.start), range.len()) }
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
    pub(crate) unsafe fn slice_mut(&self, range: Range<usize>) -> &mut [T] {
        debug_assert!(range.start <= range.end && range.end <= self.len);
        // SAFETY: the caller keeps Inside and Disjoint; Alive makes the elements initialised.
        unsafe { std::slice::from_raw_parts_mut(self.base.add(range.start), range.len()) }
    }

    /// The vector this storage was made of, or the storage back if the memory is not its own.
    pub(crate) fn into_vec(self) -> Result<Vec<T>, Self> {
        match self.owner {
            Owner::Lender => Err(self),
            Owner::Storage { capacity } => {
                let this = ManuallyDrop::new(self);
                // SAFETY: base, len and capacity are those of the vector that `owned` took apart (Alive), and
                // the storage, which would free it too, is never dropped.
                Ok(unsafe { Vec::from_raw_parts(this.base, this.len, capacity) })
            }
        }
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
