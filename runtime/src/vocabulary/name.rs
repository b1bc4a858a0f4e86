//! The parts of a frame by number, as units know them: slots, inlets, cells, fibers. A program has
//! [names](super::place) for them, which know their function.

use std::fmt;
use std::marker::PhantomData;

use super::inside::no_entry;

/// The index of a single one, which is no element of an array.
pub(crate) const SCALAR: u32 = u32::MAX;

/// A slot of the running function's own frame, or one element of an array of slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    pub(crate) ordinal: u32,
    pub(crate) index: u32,
}

/// An array of slots of the running function's own frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlotArray {
    pub(crate) ordinal: u32,
}

/// An inlet of the running function's own frame: where an arriving `T` lands.
pub(crate) struct Inlet<T> {
    pub(crate) ordinal: u32,
    pub(crate) index: u32,
    /// That of its array.
    pub(crate) fixed: u32,
    takes: PhantomData<fn(T) -> T>,
}

/// An array of inlets of the running function's own frame.
pub(crate) struct InletArray<T> {
    /// The number of the declared array; that of the first element if the length is fixed.
    pub(crate) ordinal: u32,
    /// The length, if it is known when the program is compiled; 0 elsewhere.
    pub(crate) fixed: u32,
    takes: PhantomData<fn(T) -> T>,
}

/// A write-once cell of the running function's own frame.
pub(crate) struct Cell<T> {
    pub(crate) ordinal: u32,
    pub(crate) index: u32,
    holds: PhantomData<fn(T) -> T>,
}

/// An array of write-once cells of the running function's own frame.
pub(crate) struct CellArray<T> {
    pub(crate) ordinal: u32,
    holds: PhantomData<fn(T) -> T>,
}

/// A fiber of the running function, to be enabled by [`Eu::spawn`](crate::Eu::spawn).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fiber {
    pub(crate) ordinal: u32,
}

/// What becomes of a function when its first fiber ends.
#[must_use = "a first fiber says how it ends by returning this"]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start<F> {
    /// The fiber ends, its frame stays with this state.
    #[doc(alias = "END_THREAD")]
    Wait(F),
    /// The fiber and the function end.
    #[doc(alias = "END_FUNCTION")]
    End,
}

/// What becomes of the frame when a fiber ends.
#[must_use = "a fiber says how it ends by returning this"]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Then {
    /// The fiber ends, its frame stays.
    #[doc(alias = "END_THREAD")]
    Wait,
    /// The fiber and its frame end.
    #[doc(alias = "END_FUNCTION")]
    End,
}

#[inline(always)]
#[track_caller]
fn element(index: usize) -> u32 {
    if index >= SCALAR as usize {
        no_entry(format!("element {index} of an array, though entries have numbers of 32 bits"));
    }
    index as u32
}

impl Slot {
    #[doc(hidden)]
    pub const fn new(ordinal: u32) -> Self {
        Slot { ordinal, index: SCALAR }
    }
}

impl SlotArray {
    #[doc(hidden)]
    pub const fn new(ordinal: u32) -> Self {
        SlotArray { ordinal }
    }

    /// Element `index`. Whether the frame has it is found out when it is used.
    #[inline]
    pub fn at(self, index: usize) -> Slot {
        Slot { ordinal: self.ordinal, index: element(index) }
    }
}

impl Fiber {
    #[doc(hidden)]
    pub const fn new(ordinal: u32) -> Self {
        Fiber { ordinal }
    }
}

/// The single name and the array's name of one kind of entry that has a type.
macro_rules! typed_name {
    ($($name:ident $array:ident $phantom:ident $($fixed:ident)?;)+) => {$(
        impl<T> $name<T> {
            pub(crate) const fn new(ordinal: u32) -> Self {
                $name { ordinal, index: SCALAR, $($fixed: 0,)? $phantom: PhantomData }
            }
        }

        impl<T> $array<T> {
            pub(crate) const fn new(ordinal: u32) -> Self {
                $array { ordinal, $($fixed: 0,)? $phantom: PhantomData }
            }

            /// Element `index`. Whether the frame has it is found out when it is used.
            #[inline]
            pub(crate) fn at(self, index: usize) -> $name<T> {
                let index = element(index);
                $name { ordinal: self.ordinal, index, $($fixed: self.$fixed,)? $phantom: PhantomData }
            }
        }

        impl<T> Clone for $name<T> {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T> Copy for $name<T> {}

        impl<T> Clone for $array<T> {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T> Copy for $array<T> {}

        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).field("ordinal", &self.ordinal).field("index", &self.index).finish()
            }
        }

        impl<T> fmt::Debug for $array<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($array)).field("ordinal", &self.ordinal).finish()
            }
        }
    )+};
}
typed_name! {
    Inlet InletArray takes fixed;
    Cell CellArray holds;
}

impl<T> InletArray<T> {
    /// The `len` inlets from number `first` on, which lie in the frame like single ones.
    pub(crate) const fn fixed(first: u32, len: u32) -> Self {
        InletArray { ordinal: first, fixed: len, takes: PhantomData }
    }
}
