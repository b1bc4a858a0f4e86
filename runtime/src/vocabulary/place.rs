//! The names that a function uses for the parts of its own frames. [`#[threaded]`](macro@crate::threaded)
//! generates them: `Self::fiber()` for a fiber and its slot, `Self::fiber().inlet` for an inlet,
//! `Self::cell()` for a cell.
//!
//! Each name carries the type of its function, so that the unit of another function does not accept it. The
//! name of an array takes an index for one element and `..` for all. A program gets these names from the
//! functions above and passes them to operations of [`Eu`](crate::Eu). Their types appear in signatures and
//! in compiler messages; programs rarely write them.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeFull;

use super::name::{SCALAR, Slot, SlotArray, element};

/// The function that has a part, and the type of the part's values.
type Of<F, T> = PhantomData<fn(T) -> (F, T)>;

/// No particular function: the parameter of a plain [`Eu`](crate::Eu). No name has this function.
#[derive(Debug)]
pub enum Any {}

/// An inlet of a frame of `F`: `Self::fiber().inlet`.
pub struct Inlet<F, T> {
    pub(crate) ordinal: u32,
    pub(crate) index: u32,
    /// The `fixed` of its array.
    pub(crate) fixed: u32,
    of: Of<F, T>,
}

/// An array of inlets of a frame of `F`: a parameter under `#[inlets]` or `#[inlets(..)]`, or one inlet of
/// each slot of an array, `Self::fiber(..).inlet`.
pub struct Inlets<F, T> {
    /// The number of the declared array, or of the first element if the length is fixed.
    pub(crate) ordinal: u32,
    /// The length, if it is known at compile time; else 0.
    pub(crate) fixed: u32,
    of: Of<F, T>,
}

/// A write-once cell of a frame of `F`.
pub struct Cell<F, T> {
    pub(crate) ordinal: u32,
    pub(crate) index: u32,
    of: Of<F, T>,
}

/// An array of write-once cells of a frame of `F`.
pub struct Cells<F, T> {
    pub(crate) ordinal: u32,
    of: Of<F, T>,
}

/// A fiber of `F` that is enabled directly, with its index: `Self::fiber()`, `Self::fiber(index)`.
pub struct Spawned<F> {
    fiber: u32,
    index: usize,
    of: Of<F, ()>,
}

/// Implements `Clone`, `Copy` and `Debug` for a name, whatever it names.
macro_rules! plain_name {
    ($($name:ident<F $(, $value:ident)?>: $($field:ident)+;)+) => {$(
        impl<F $(, $value)?> Clone for $name<F $(, $value)?> {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<F $(, $value)?> Copy for $name<F $(, $value)?> {}

        impl<F $(, $value)?> fmt::Debug for $name<F $(, $value)?> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name))$(.field(stringify!($field), &self.$field))+.finish()
            }
        }
    )+};
}
plain_name! {
    Inlet<F, T>: ordinal index;
    Inlets<F, T>: ordinal;
    Cell<F, T>: ordinal index;
    Cells<F, T>: ordinal;
    Spawned<F>: fiber index;
}

impl<F, T> Inlets<F, T> {
    /// Returns inlet `index`. The unit checks that the frame has it when it is used.
    #[inline]
    pub fn at(self, index: usize) -> Inlet<F, T> {
        Inlet { ordinal: self.ordinal, index: element(index), fixed: self.fixed, of: PhantomData }
    }
}

/// A fiber of `F` that a counted slot enables: `Self::fiber()`, or `Self::fiber(index)` in an array.
#[diagnostic::on_unimplemented(
    message = "this is not a slot of `{F}`",
    label = "not a slot of `{F}` that can be signalled",
    note = "a slot is named by its fiber: `Self::name()` for one under `#[slot]`, `Self::name(index)` for one under \
            `#[slots]`",
    note = "a fiber under `#[spawned]` has no slot: enable it by `eu.spawn`"
)]
pub trait Counted<F> {
    #[doc(hidden)]
    fn slot(self) -> Slot;
}

/// An array of slots of `F`: `Self::fiber(..)`.
#[diagnostic::on_unimplemented(
    message = "this is not an array of slots of `{F}`",
    label = "not an array of slots of `{F}`",
    note = "`Self::name(..)` names all slots of a fiber under `#[slots]`"
)]
pub trait CountedAll<F> {
    #[doc(hidden)]
    fn slots(self) -> SlotArray;
}

/// A fiber of `F` that is enabled directly.
#[diagnostic::on_unimplemented(
    message = "this is not a fiber of `{F}` that can be spawned",
    label = "not a `#[spawned]` fiber of `{F}`",
    note = "a fiber under `#[slot]` is enabled by its slot: signal it by `eu.sync`, or put values to its inlets"
)]
pub trait Direct<F> {
    #[doc(hidden)]
    fn fiber(self) -> (u32, usize);
}

impl<F> Direct<F> for Spawned<F> {
    #[inline(always)]
    fn fiber(self) -> (u32, usize) {
        (self.fiber, self.index)
    }
}

/// A selection of elements of an array of slots, inlets or cells: one, by its index, or all, by `..`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not select elements of the array",
    label = "expected an index (`usize`), or `..` for all elements"
)]
pub trait Which: Copy {
    #[doc(hidden)]
    type Inlet<F, T>;
    #[doc(hidden)]
    type Cell<F, T>;
    #[doc(hidden)]
    fn inlet<F, T>(self, inlets: u32) -> Self::Inlet<F, T>;
    #[doc(hidden)]
    fn cell<F, T>(self, cells: u32) -> Self::Cell<F, T>;
}

impl Which for usize {
    type Inlet<F, T> = Inlet<F, T>;
    type Cell<F, T> = Cell<F, T>;

    #[inline(always)]
    fn inlet<F, T>(self, inlets: u32) -> Inlet<F, T> {
        self::inlets(inlets).at(self)
    }

    #[inline(always)]
    fn cell<F, T>(self, cells: u32) -> Cell<F, T> {
        Cell { ordinal: cells, index: element(self), of: PhantomData }
    }
}

impl Which for RangeFull {
    type Inlet<F, T> = Inlets<F, T>;
    type Cell<F, T> = Cells<F, T>;

    #[inline(always)]
    fn inlet<F, T>(self, inlets: u32) -> Inlets<F, T> {
        self::inlets(inlets)
    }

    #[inline(always)]
    fn cell<F, T>(self, cells: u32) -> Cells<F, T> {
        Cells { ordinal: cells, of: PhantomData }
    }
}

/// Returns the inlet with this ordinal.
#[doc(hidden)]
#[inline(always)]
pub const fn inlet<F, T>(inlet: u32) -> Inlet<F, T> {
    Inlet { ordinal: inlet, index: SCALAR, fixed: 0, of: PhantomData }
}

/// Returns the array of inlets with this ordinal.
#[doc(hidden)]
#[inline(always)]
pub const fn inlets<F, T>(inlets: u32) -> Inlets<F, T> {
    fixed_inlets(inlets, 0)
}

/// Returns the array of `len` inlets from this number on.
#[doc(hidden)]
#[inline(always)]
pub const fn fixed_inlets<F, T>(first: u32, len: u32) -> Inlets<F, T> {
    Inlets { ordinal: first, fixed: len, of: PhantomData }
}

/// Returns the cell with this ordinal.
#[doc(hidden)]
#[inline(always)]
pub const fn cell<F, T>(cell: u32) -> Cell<F, T> {
    Cell { ordinal: cell, index: SCALAR, of: PhantomData }
}

/// Returns the slot with this ordinal.
#[doc(hidden)]
#[inline(always)]
pub const fn slot(slot: u32) -> Slot {
    Slot::new(slot)
}

/// Returns the array of slots with this ordinal.
#[doc(hidden)]
#[inline(always)]
pub const fn slots(slots: u32) -> SlotArray {
    SlotArray::new(slots)
}

/// Returns the fiber with this number, which is enabled with this index.
#[doc(hidden)]
#[inline(always)]
pub const fn spawned<F>(fiber: u32, index: usize) -> Spawned<F> {
    Spawned { fiber, index, of: PhantomData }
}
