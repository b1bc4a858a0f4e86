//! Types of values at run time: their size, their drop, and further data that the runtime attaches to a type.
//!
//! A [`Parcel`](crate::Parcel) or a frame stores a value in line if it [fits](fits), or else a box of it. So
//! every stored value has at most 48 bytes and an alignment of at most 8, and moves between the two as words.
//!
//! # Invariant
//!
//! A [`Kind`] exists only as the constant [`KindOf::KIND`], the one place that connects a type with its kind.
//! So all kinds of a program are in its read-only memory, where [`all_kinds`](crate::all_kinds) finds them.
//! Two kinds at one address are equal byte for byte, so their `TypeId`s are equal: comparing addresses never
//! confuses two types.

use std::any::TypeId;
use std::marker::PhantomData;
use std::mem::{MaybeUninit, align_of, needs_drop, size_of};

use crate::erased::{DropOf, drop_in_place};

/// Maximum size of a value that a parcel stores in line, in bytes.
pub const PARCEL_BYTES: usize = 48;

/// Type of a value: how to drop a stored value, its stored size, and the hooks `H` that the runtime attaches
/// to the type.
#[derive(Debug)]
#[repr(C)]
pub struct Kind<H: 'static> {
    /// A mark and the type of the hooks. No other read-only data begins with these bytes.
    pub(crate) mark: [u64; 2],
    pub(crate) hooks_id: TypeId,
    type_id: TypeId,
    pub(crate) drop: Option<DropOf>,
    /// Size and alignment of a stored value, in bytes.
    pub(crate) size: u32,
    pub(crate) align: u32,
    hooks: &'static H,
}

/// The [`Kind`] of the type `T`.
#[derive(Debug)]
#[repr(transparent)]
pub struct KindOf<T, H: 'static> {
    pub(crate) kind: Kind<H>,
    holds: PhantomData<fn(T) -> T>,
}

/// Whether a `T` is stored in line: it has at most [`PARCEL_BYTES`] bytes and an alignment of at most 8.
pub(crate) const fn fits<T>() -> bool {
    size_of::<T>() <= PARCEL_BYTES && align_of::<T>() <= align_of::<u64>()
}

/// Hooks of the type `T`: data that the runtime attaches to the type.
pub trait HooksOf<T>: Sized + 'static {
    /// The hooks.
    const HOOKS: &'static Self;
}

/// No hooks for any type.
impl<T> HooksOf<T> for () {
    const HOOKS: &'static () = &();
}

/// The mark at the beginning of every kind.
pub(crate) const MARK: [u64; 2] = [0x9f4c_1d6a_27e8_b053, 0x61d2_f3a8_0c9b_74e5];

impl<T: Send + 'static, H: HooksOf<T>> KindOf<T, H> {
    /// The kind of `T`.
    pub const KIND: &'static Self = &Self::new();

    const fn new() -> Self {
        let (drop, size, align) = if fits::<T>() {
            let drop = if needs_drop::<T>() { Some(drop_in_place::<T> as DropOf) } else { None };
            (drop, size_of::<T>(), align_of::<T>())
        } else {
            (Some(drop_in_place::<Box<T>> as DropOf), size_of::<Box<T>>(), align_of::<Box<T>>())
        };
        let kind = Kind {
            mark: MARK,
            hooks_id: TypeId::of::<H>(),
            type_id: TypeId::of::<T>(),
            drop,
            size: size as u32,
            align: align as u32,
            hooks: H::HOOKS,
        };
        KindOf { kind, holds: PhantomData }
    }
}

impl<T: Send + 'static, H> KindOf<T, H> {
    /// Returns the hooks of `T`.
    pub const fn hooks(&self) -> &'static H {
        self.kind.hooks
    }

    /// Returns the kind without its type parameter.
    pub const fn erased(&self) -> &Kind<H> {
        &self.kind
    }
}

impl<H> Kind<H> {
    /// Returns the hooks of the type.
    #[inline(always)]
    pub const fn hooks(&self) -> &'static H {
        self.hooks
    }

    /// Whether both are kinds of the same type. A type's kind may have several addresses: each crate, and
    /// each codegen unit, may have its own.
    #[inline(always)]
    pub fn is_same(&'static self, other: &'static Kind<H>) -> bool {
        std::ptr::eq(self, other) || self.has_type_of(other)
    }

    #[inline(always)]
    pub(crate) fn has_type_of(&self, other: &Kind<H>) -> bool {
        self.type_id == other.type_id
    }
}

/// Returns the number of words that a stored value takes in a parcel or a frame.
pub(crate) const fn words_of<T>() -> usize {
    if fits::<T>() { size_of::<T>().div_ceil(8) } else { 1 }
}

/// Stores a value in a parcel or a frame.
///
/// # Safety
///
/// There is room for a value of the kind of `T` at `to`.
#[inline(always)]
#[expect(clippy::cast_ptr_alignment, reason = "the address is aligned for such a value")]
pub(crate) unsafe fn write_value<T>(to: *mut u8, value: T) {
    // SAFETY: by this function's contract there is room for the value or the box.
    unsafe {
        if const { fits::<T>() } {
            write_words(to, value);
        } else {
            to.cast::<Box<T>>().write(Box::new(value));
        }
    }
}

/// Reads the value that [`write_value`] stored.
///
/// # Safety
///
/// A value of the kind of `T` is stored at `from`, and is not used there afterwards.
#[inline(always)]
#[expect(clippy::cast_ptr_alignment, reason = "the address is aligned for such a value")]
pub(crate) unsafe fn read_value<T>(from: *const u8) -> T {
    // SAFETY: by this function's contract the value or the box is stored there.
    unsafe { if const { fits::<T>() } { read_words(from) } else { *from.cast::<Box<T>>().read() } }
}

/// Returns a reference to the value that [`write_value`] stored.
///
/// # Safety
///
/// A value of the kind of `T` is stored at `at` while the reference lives.
#[inline(always)]
#[expect(clippy::cast_ptr_alignment, reason = "the address is aligned for such a value")]
pub(crate) unsafe fn value_at<'a, T>(at: *const u8) -> &'a T {
    // SAFETY: by this function's contract the value or the box is stored there.
    unsafe { if const { fits::<T>() } { &*at.cast::<T>() } else { &*at.cast::<Box<T>>() } }
}

/// Whether a `T` is moved word by word. A load wider than the preceding stores waits until they have left the
/// store buffer (store-forwarding stall). Compilers tend to merge the loads of two fields: such stalls took
/// 13 of the 35 ns of a join of `fib`.
const fn has_words<T>() -> bool {
    size_of::<T>().is_multiple_of(8) && align_of::<T>() == 8 && size_of::<T>() <= PARCEL_BYTES
}

/// Reads a value, whole words one by one.
///
/// # Safety
///
/// A `T` is stored at `from`, and is not used there afterwards.
#[inline(always)]
#[expect(clippy::cast_ptr_alignment, reason = "the address is aligned for such a value")]
unsafe fn read_words<T>(from: *const u8) -> T {
    // SAFETY: by this function's contract. The words of a value, even uninitialized ones, are read as
    // `MaybeUninit`.
    unsafe {
        if !const { has_words::<T>() } {
            return from.cast::<T>().read();
        }
        let mut value = MaybeUninit::<T>::uninit();
        let (from, to) = (from.cast::<MaybeUninit<u64>>(), value.as_mut_ptr().cast::<MaybeUninit<u64>>());
        for word in 0..size_of::<T>() / 8 {
            to.add(word).write(from.add(word).read_volatile());
        }
        value.assume_init()
    }
}

/// Writes a value, whole words one by one.
///
/// # Safety
///
/// There is room for a `T` at `to`.
#[inline(always)]
#[expect(clippy::cast_ptr_alignment, reason = "the address is aligned for such a value")]
unsafe fn write_words<T>(to: *mut u8, value: T) {
    // SAFETY: by this function's contract. The words of a value, even uninitialized ones, are written as
    // `MaybeUninit`.
    unsafe {
        if !const { has_words::<T>() } {
            return to.cast::<T>().write(value);
        }
        let value = std::mem::ManuallyDrop::new(value);
        let (from, to) = ((&raw const value).cast::<MaybeUninit<u64>>(), to.cast::<MaybeUninit<u64>>());
        for word in 0..size_of::<T>() / 8 {
            to.add(word).write_volatile(from.add(word).read());
        }
    }
}
