//! A small value whose type is known only at run time, stored in line.
//!
//! Tokens, inlets and events carry values of any [`Wire`](../earth/trait.Wire.html) type through queues with
//! one element type. A [`Parcel`] has 48 bytes of storage and a pointer to a static [`Kind`] that gives the
//! type of the content. So a value of up to six words moves without an allocation. A larger value is in a
//! box, and the storage holds the box. Reading the value compares one pointer.
//!
//! # Invariant
//!
//! `kind` is `Some(k)` exactly when the storage holds a value of the type of `k`, stored as `kind.rs`
//! describes.

use std::cell::Cell;
use std::marker::PhantomData;
use std::mem::{MaybeUninit, size_of};

use crate::erased::drop_erased;
use crate::kind::{Kind, KindOf, PARCEL_BYTES, fits, read_value, write_value};

const WORDS: usize = PARCEL_BYTES / size_of::<u64>();

/// A value of any `Send` type, stored in line if it has at most 48 bytes, or no value. A parcel has 56 bytes.
pub struct Parcel<H: 'static> {
    kind: Option<&'static Kind<H>>,
    words: [MaybeUninit<u64>; WORDS],
    /// Makes the parcel `Send` (every value is) but not `Sync`, as a value need not be `Sync`.
    not_sync: PhantomData<Cell<()>>,
}

const _: () = assert!(size_of::<Parcel<()>>() == PARCEL_BYTES + 8);

impl<H: 'static> Parcel<H> {
    /// Returns an empty parcel.
    #[inline(always)]
    pub const fn empty() -> Self {
        Parcel { kind: None, words: [const { MaybeUninit::uninit() }; WORDS], not_sync: PhantomData }
    }

    /// Returns a parcel of `value`.
    #[inline(always)]
    pub fn new<T: Send + 'static>(value: T, kind: &'static KindOf<T, H>) -> Self {
        let mut parcel = Self::empty();
        parcel.fill(value, kind);
        parcel
    }

    /// Stores `value` in this parcel, which must be empty. A value that it already held would be leaked, but
    /// never misread.
    #[inline(always)]
    pub fn fill<T: Send + 'static>(&mut self, value: T, kind: &'static KindOf<T, H>) {
        debug_assert!(self.kind.is_none(), "only an empty parcel can be filled");
        // SAFETY: a value of any kind has room in the words.
        unsafe { write_value(self.words.as_mut_ptr().cast(), value) };
        self.kind = Some(&kind.kind);
    }

    /// Takes the value and leaves the parcel empty. Returns `None`, and leaves the parcel unchanged, if it
    /// does not hold a `T`.
    #[inline(always)]
    pub fn take<T: Send + 'static>(&mut self, kind: &'static KindOf<T, H>) -> Option<T> {
        // One comparison in the common case.
        if !self.is_of(kind) && !self.kind?.has_type_of(&kind.kind) {
            return None;
        }
        self.kind = None;
        // SAFETY: the kind shows that the words hold a `T`. It was cleared above, so the value is read once.
        Some(unsafe { read_value(self.words.as_ptr().cast()) })
    }

    /// Whether the parcel holds a value whose kind has this very address. A type's kind may have several
    /// addresses.
    #[inline(always)]
    pub fn is_of<T: Send + 'static>(&self, kind: &'static KindOf<T, H>) -> bool {
        std::ptr::eq(self.kind.map_or(std::ptr::null(), std::ptr::from_ref), &raw const kind.kind)
    }

    /// Takes the value, after [`is_of`](Self::is_of) has returned `true` for this kind.
    ///
    /// # Panics
    ///
    /// If the parcel does not hold a value whose kind has this address.
    #[inline(always)]
    pub fn take_known<T: Send + 'static>(&mut self, kind: &'static KindOf<T, H>) -> T {
        assert!(self.is_of(kind), "the parcel must hold a value of this kind");
        self.kind = None;
        // SAFETY: the kind shows that the words hold a `T`. It was cleared above, so the value is read once.
        unsafe { read_value(self.words.as_ptr().cast()) }
    }

    /// Returns a reference to the value, if it is a `T`.
    #[inline]
    pub fn peek<T: Send + 'static>(&self, kind: &'static KindOf<T, H>) -> Option<&T> {
        if !self.kind?.is_same(&kind.kind) {
            return None;
        }
        let words = self.words.as_ptr();
        Some(if const { fits::<T>() } {
            // SAFETY: the kind shows that the words hold a `T`, borrowed as long as the parcel is.
            unsafe { &*words.cast::<T>() }
        } else {
            // SAFETY: the kind shows that the words hold a box of a `T`, borrowed as long as the parcel is.
            unsafe { &**words.cast::<Box<T>>() }
        })
    }

    /// Moves the value, if there is one, to memory for a value of its kind.
    ///
    /// # Safety
    ///
    /// There is room for a value of its kind at `to`.
    pub(crate) unsafe fn into_memory(self, to: *mut u8) {
        let this = std::mem::ManuallyDrop::new(self);
        let size = this.kind.map_or(0, |kind| kind.size as usize);
        // SAFETY: by this function's contract. The words hold the value, which is not dropped here.
        unsafe { to.copy_from_nonoverlapping(this.words.as_ptr().cast(), size) };
    }

    /// Makes a parcel of a stored value.
    ///
    /// # Safety
    ///
    /// A value of this kind is stored at `from`, and is not used there afterwards.
    pub(crate) unsafe fn from_memory(kind: &'static Kind<H>, from: *const u8) -> Self {
        let mut parcel = Self::empty();
        // SAFETY: by this function's contract. A value of any kind has room in the words.
        unsafe { from.copy_to_nonoverlapping(parcel.words.as_mut_ptr().cast(), kind.size as usize) };
        parcel.kind = Some(kind);
        parcel
    }

    /// Whether the parcel is empty.
    #[inline(always)]
    pub const fn is_empty(&self) -> bool {
        self.kind.is_none()
    }

    /// Returns the kind of the value, or `None` if the parcel is empty.
    #[inline(always)]
    pub const fn kind(&self) -> Option<&'static Kind<H>> {
        self.kind
    }
}

impl<H: 'static> Drop for Parcel<H> {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(Kind { drop: Some(drop), .. }) = self.kind {
            // SAFETY: the kind gives the type of the content, and the parcel is not used after its drop.
            unsafe { drop_erased(*drop, self.words.as_mut_ptr().cast()) }
        }
    }
}

impl<H: 'static> Default for Parcel<H> {
    fn default() -> Self {
        Self::empty()
    }
}

impl<H: 'static> std::fmt::Debug for Parcel<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.is_empty() { "Parcel(empty)" } else { "Parcel(..)" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    type Of<T> = KindOf<T, ()>;

    #[test]
    fn gives_back_what_it_holds_and_only_as_what_it_is() {
        let mut parcel = Parcel::new([7u64; 6], Of::<[u64; 6]>::KIND);
        assert_eq!(parcel.take(Of::<u64>::KIND), None);
        assert_eq!(parcel.take(Of::<[i64; 6]>::KIND), None);
        assert_eq!(parcel.peek(Of::<[u64; 6]>::KIND), Some(&[7; 6]));
        assert_eq!(parcel.take(Of::<[u64; 6]>::KIND), Some([7; 6]));
        assert_eq!(parcel.take(Of::<[u64; 6]>::KIND), None);
        assert!(parcel.is_empty());
    }

    #[test]
    fn large_values_are_boxed() {
        #[derive(Clone, Copy, PartialEq, Debug)]
        #[repr(align(16))]
        struct Aligned(u8);
        let counted = Arc::new(());
        let wide = (counted.clone(), [7u64; 6]);
        let mut parcel = Parcel::new(wide.clone(), Of::<(Arc<()>, [u64; 6])>::KIND);
        assert_eq!(parcel.peek(Of::<(Arc<()>, [u64; 6])>::KIND), Some(&wide));
        assert_eq!(parcel.take(Of::<[u64; 7]>::KIND), None);
        assert_eq!(parcel.take(Of::<(Arc<()>, [u64; 6])>::KIND), Some(wide.clone()));
        drop(Parcel::new(wide, Of::<(Arc<()>, [u64; 6])>::KIND));
        assert_eq!(Arc::strong_count(&counted), 1);
        assert_eq!(Parcel::new(Aligned(3), Of::<Aligned>::KIND).take(Of::<Aligned>::KIND), Some(Aligned(3)));
    }

    #[test]
    fn types_of_one_shape_stay_apart() {
        struct Metre(#[expect(dead_code, reason = "only its type matters")] u64);
        struct Second(#[expect(dead_code, reason = "only its type matters")] u64);
        let mut parcel = Parcel::new(Metre(1), Of::<Metre>::KIND);
        assert!(parcel.take(Of::<Second>::KIND).is_none());
        assert!(parcel.take(Of::<Metre>::KIND).is_some());
    }

    /// Panics when it is dropped. The drop of its field still decrements the count.
    struct Bomb(#[expect(dead_code, reason = "it is counted")] Arc<()>);
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("a drop");
        }
    }

    #[test]
    fn of_values_that_panic_the_first_unwinds_and_all_go() {
        let counted = Arc::new(());
        let bomb = || Parcel::new(Bomb(counted.clone()), Of::<Bomb>::KIND);
        let bombs = [bomb(), bomb(), bomb()];
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(bombs)));
        let payload = outcome.expect_err("three of the values panic");
        assert_eq!((payload.downcast_ref(), Arc::strong_count(&counted)), (Some(&"a drop"), 1));
    }

    #[test]
    fn drops_once_whether_taken_or_not() {
        let counted = Arc::new(());
        let mut taken = Parcel::new(counted.clone(), Of::<Arc<()>>::KIND);
        let left = Parcel::new(counted.clone(), Of::<Arc<()>>::KIND);
        assert_eq!(Arc::strong_count(&counted), 3);
        drop(taken.take(Of::<Arc<()>>::KIND));
        assert_eq!(Arc::strong_count(&counted), 2);
        drop(taken);
        drop(left);
        assert_eq!(Arc::strong_count(&counted), 1);
    }
}
