//! A small value whose type is known only at run time, held in line.
//!
//! Tokens, inlets and events carry values of any [`Wire`](../earth/trait.Wire.html) type through queues
//! whose element type is one. A [`Parcel`] is 48 bytes of storage and a pointer to a static [`Kind`]
//! that says what lies in them, so a value of up to six words moves without an allocation; a larger one lies in a
//! box, and the storage holds the box. Reading it back compares one pointer.
//!
//! # Invariant
//!
//! `kind` is `Some(k)` exactly when the storage holds an initialised value of the type `k` was made for, or, if that
//! type does not [fit](fits), a box of one. A
//! `Kind` is reachable only through a [`KindOf<T, H>`], whose constructor is the one place where a type and
//! its kind are tied together. Two kinds at one address are equal byte for byte, hence have equal `TypeId`s:
//! comparing addresses never confuses two types.

use std::any::TypeId;
use std::cell::Cell;
use std::marker::PhantomData;
use std::mem::{MaybeUninit, align_of, needs_drop, size_of};

use crate::erased::{DropOf, drop_erased, drop_in_place};

/// The most bytes a value may have to travel in line.
pub const PARCEL_BYTES: usize = 48;

const WORDS: usize = PARCEL_BYTES / size_of::<u64>();

/// What a parcel holds: its type, how to drop it, and whatever the user of parcels wants
/// to know of the type (`H`).
#[derive(Debug)]
pub struct Kind<H> {
    type_id: TypeId,
    drop: Option<DropOf>,
    hooks: H,
}

/// A [`Kind`] that is known to be that of `T`.
#[derive(Debug)]
#[repr(transparent)]
pub struct KindOf<T, H> {
    kind: Kind<H>,
    holds: PhantomData<fn(T) -> T>,
}

/// Whether a `T` is held in line: it has at most [`PARCEL_BYTES`] bytes and an alignment of at most 8.
const fn fits<T>() -> bool {
    size_of::<T>() <= PARCEL_BYTES && align_of::<T>() <= align_of::<u64>()
}

impl<T: Send + 'static, H> KindOf<T, H> {
    /// The kind of `T`.
    pub const fn new(hooks: H) -> Self {
        let drop = match (fits::<T>(), needs_drop::<T>()) {
            (true, true) => Some(drop_in_place::<T> as DropOf),
            (true, false) => None,
            (false, _) => Some(drop_in_place::<Box<T>> as DropOf),
        };
        KindOf { kind: Kind { type_id: TypeId::of::<T>(), drop, hooks }, holds: PhantomData }
    }

    /// What the user of parcels wanted to know of `T`.
    pub const fn hooks(&self) -> &H {
        &self.kind.hooks
    }

    /// The kind without its type parameter.
    pub const fn erased(&self) -> &Kind<H> {
        &self.kind
    }
}

impl<H> Kind<H> {
    /// What the user of parcels wanted to know of the type.
    #[inline(always)]
    pub const fn hooks(&self) -> &H {
        &self.hooks
    }

    /// Whether both are the kind of one type. A type's kind may have several addresses, but hardly ever has.
    #[inline(always)]
    pub fn is_same(&'static self, other: &'static Kind<H>) -> bool {
        std::ptr::eq(self, other) || self.has_type_of(other)
    }

    #[cold]
    #[inline(never)]
    fn has_type_of(&self, other: &Kind<H>) -> bool {
        self.type_id == other.type_id
    }
}

/// A value of any `Send` type, in line if it has at most 48 bytes, or nothing. 56 bytes.
pub struct Parcel<H: 'static> {
    kind: Option<&'static Kind<H>>,
    words: [MaybeUninit<u64>; WORDS],
    /// `Send` (every value is), never `Sync`: a shared parcel would share a value that need not be shareable.
    not_sync: PhantomData<Cell<()>>,
}

const _: () = assert!(size_of::<Parcel<()>>() == PARCEL_BYTES + 8);

impl<H: 'static> Parcel<H> {
    /// A parcel that holds nothing.
    #[inline(always)]
    pub const fn empty() -> Self {
        Parcel { kind: None, words: [const { MaybeUninit::uninit() }; WORDS], not_sync: PhantomData }
    }

    /// Packs `value`.
    #[inline(always)]
    pub fn new<T: Send + 'static>(value: T, kind: &'static KindOf<T, H>) -> Self {
        let mut parcel = Self::empty();
        parcel.fill(value, kind);
        parcel
    }

    /// Puts `value` into this parcel, which must be empty (what it held would be leaked, never misread).
    #[inline(always)]
    pub fn fill<T: Send + 'static>(&mut self, value: T, kind: &'static KindOf<T, H>) {
        debug_assert!(self.kind.is_none(), "only an empty parcel is filled");
        let words = self.words.as_mut_ptr();
        if const { fits::<T>() } {
            // SAFETY: a `T` fits the words in size and alignment.
            unsafe { words.cast::<T>().write(value) };
        } else {
            // SAFETY: a box, which is a pointer, fits the words in size and alignment.
            unsafe { words.cast::<Box<T>>().write(Box::new(value)) };
        }
        self.kind = Some(&kind.kind);
    }

    /// Takes the value out and leaves the parcel empty; `None`, and nothing changed,
    /// if it does not hold a `T`.
    #[inline(always)]
    pub fn take<T: Send + 'static>(&mut self, kind: &'static KindOf<T, H>) -> Option<T> {
        // One comparison in the common case.
        let at = self.kind.map_or(std::ptr::null(), std::ptr::from_ref);
        if !std::ptr::eq(at, &raw const kind.kind) && !self.kind?.has_type_of(&kind.kind) {
            return None;
        }
        self.kind = None;
        let words = self.words.as_ptr();
        Some(if const { fits::<T>() } {
            // SAFETY: the kind says that the words hold a `T`; it was cleared above, so the value is read once.
            unsafe { words.cast::<T>().read() }
        } else {
            // SAFETY: the kind says that the words hold a box of a `T`; it was cleared above, so it is read once.
            *unsafe { words.cast::<Box<T>>().read() }
        })
    }

    /// Looks at the value, if it is a `T`.
    #[inline]
    pub fn peek<T: Send + 'static>(&self, kind: &'static KindOf<T, H>) -> Option<&T> {
        if !self.kind?.is_same(&kind.kind) {
            return None;
        }
        let words = self.words.as_ptr();
        Some(if const { fits::<T>() } {
            // SAFETY: the kind says that the words hold a `T`, borrowed as long as the parcel is.
            unsafe { &*words.cast::<T>() }
        } else {
            // SAFETY: the kind says that the words hold a box of a `T`, borrowed as long as the parcel is.
            unsafe { &**words.cast::<Box<T>>() }
        })
    }

    /// Whether it holds nothing.
    #[inline(always)]
    pub const fn is_empty(&self) -> bool {
        self.kind.is_none()
    }

    /// What is held, or `None` if nothing is.
    #[inline(always)]
    pub const fn kind(&self) -> Option<&'static Kind<H>> {
        self.kind
    }
}

impl<H: 'static> Drop for Parcel<H> {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(Kind { drop: Some(drop), .. }) = self.kind {
            // SAFETY: the kind says what the words hold, and the parcel is not used after its drop.
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

    struct Of<T>(PhantomData<T>);
    impl<T: Send + 'static> Of<T> {
        const KIND: &'static KindOf<T, ()> = &KindOf::new(());
    }

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
    fn what_does_not_fit_is_held_in_a_box() {
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

    /// Panics when it is dropped, with itself gone from the count.
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
