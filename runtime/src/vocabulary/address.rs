//! Global addresses: a node, a frame, its generation, and an entry of the frame. Addresses are plain data
//! that may travel.
//!
//! A frame's number is reused after the frame ends; its *generation* is not. One comparison therefore detects
//! an address that outlived its frame; the address is reported and never followed (rule 9 of
//! ARCHITECTURE.md). Generations of live frames are odd. A number whose generations are used up is retired.

use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;

pub(crate) use earth_memory::frames::FrameId;

use super::inside::no_entry;
use super::wire::Wire;

/// A node: a processor with its memory, its execution unit and its synchronization unit.
/// Nodes are numbered from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Wire)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// Returns the node with this number. The machine checks that the node exists when the number is used.
    ///
    /// # Panics
    ///
    /// If `number` does not fit 32 bits.
    #[inline]
    #[track_caller]
    pub fn new(number: usize) -> Self {
        NodeId(u32::try_from(number).expect("a node number fits 32 bits"))
    }

    /// Returns the node's number.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A frame on some node, at one generation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct FrameRef {
    pub(crate) node: u32,
    pub(crate) id: FrameId,
}

impl fmt::Display for FrameRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} of node {}", self.id, self.node)
    }
}

/// An entry of a frame: a slot, an inlet or a cell. It has two words: the frame, and the node with the
/// entry's number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct EntryRef {
    id: FrameId,
    place: u64,
}

const _: () = assert!(size_of::<Reply<u64>>() == 16 && align_of::<Reply<u64>>() == 8);

impl EntryRef {
    #[inline(always)]
    pub(crate) const fn new(frame: FrameRef, number: u32) -> Self {
        Self::of(frame.id, Self::on(frame.node), number)
    }

    /// Returns the entry with this number in the frame; `node` is a word that [`on`](Self::on) returned.
    #[inline(always)]
    pub(crate) const fn of(id: FrameId, node: u64, number: u32) -> Self {
        EntryRef { id, place: node | number as u64 }
    }

    #[inline(always)]
    pub(crate) const fn node(self) -> u32 {
        (self.place >> 32) as u32
    }

    #[inline(always)]
    pub(crate) const fn id(self) -> FrameId {
        self.id
    }

    #[inline(always)]
    pub(crate) const fn frame(self) -> FrameRef {
        FrameRef { node: self.node(), id: self.id }
    }

    /// Returns the entry's number in its frame. Slots, inlets and cells are numbered separately.
    #[inline(always)]
    pub(crate) const fn number(self) -> u32 {
        self.place as u32
    }

    /// Returns the entry's number if the entry is on the node of `node`, a word that [`on`](Self::on)
    /// returned.
    #[inline(always)]
    pub(crate) fn number_on(self, node: u64) -> Option<u32> {
        u32::try_from(self.place ^ node).ok()
    }

    /// Returns the part of the second word that all entries of a node share.
    pub(crate) const fn on(node: u32) -> u64 {
        (node as u64) << 32
    }

    /// Returns the entry whose number is larger by `by`.
    #[inline(always)]
    const fn next(self, by: u32) -> Self {
        EntryRef::new(self.frame(), self.number() + by)
    }
}

impl fmt::Debug for EntryRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.number(), self.frame())
    }
}

/// The address of a slot. Any node can signal it by [`Eu::rsync`](crate::Eu::rsync).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Wire)]
pub struct SlotRef {
    pub(crate) to: EntryRef,
}

/// The addresses of all slots of an array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Wire)]
pub struct SlotRefs {
    pub(crate) first: SlotRef,
    pub(crate) len: u32,
}

/// The address of an inlet for a value of type `T`. The value also signals the slot of the inlet's fiber.
#[derive(Wire)]
pub struct Reply<T> {
    pub(crate) to: EntryRef,
    pub(crate) takes: PhantomData<fn(T)>,
}

/// The addresses of all inlets of an array.
#[derive(Wire)]
pub struct Replies<T> {
    pub(crate) first: Reply<T>,
    pub(crate) len: u32,
}

/// The address of a write-once cell. Any node can read it by [`Eu::get`](crate::Eu::get).
#[derive(Wire)]
pub struct CellRef<T> {
    pub(crate) at: EntryRef,
    pub(crate) holds: PhantomData<fn() -> T>,
}

/// The addresses of all cells of an array.
#[derive(Wire)]
pub struct CellRefs<T> {
    pub(crate) first: CellRef<T>,
    pub(crate) len: u32,
}

impl SlotRef {
    /// Returns the node whose synchronization unit owns the slot.
    #[inline(always)]
    pub const fn node(self) -> NodeId {
        NodeId(self.to.node())
    }
}

impl<T> Reply<T> {
    /// Returns the address of inlet `to`, which takes a `T`.
    #[inline(always)]
    pub(crate) const fn new(to: EntryRef) -> Self {
        Reply { to, takes: PhantomData }
    }

    /// Returns the node whose synchronization unit owns the inlet.
    #[inline]
    pub const fn node(self) -> NodeId {
        NodeId(self.to.node())
    }
}

impl<T> CellRef<T> {
    /// Returns the address of cell `at`, which holds a `T`.
    pub(crate) const fn new(at: EntryRef) -> Self {
        CellRef { at, holds: PhantomData }
    }

    /// Returns the node whose synchronization unit owns the cell.
    #[inline]
    pub const fn node(self) -> NodeId {
        NodeId(self.at.node())
    }
}

/// Returns the index of an element after a bounds check; `what` names the entries of the array.
#[inline(always)]
#[track_caller]
fn checked(index: usize, len: u32, what: &str) -> u32 {
    if index >= len as usize {
        no_element(index, len, what);
    }
    index as u32
}

/// Out of line, so that index and length stay in registers on the valid path.
#[cold]
#[inline(never)]
#[track_caller]
fn no_element(index: usize, len: u32, what: &str) -> ! {
    no_entry(format!("element {index} of an array of {len} {what}"), Some(Location::caller()))
}

/// Implements `at` and `len` for the addresses of an array.
macro_rules! array_addresses {
    ($($array:ident $(<$value:ident>)?: $one:ty, $what:literal, |$first:ident, $by:ident| $element:expr;)+) => {$(
        impl $(<$value>)? $array $(<$value>)? {
            #[doc = concat!("Returns the address of ", $what, " `index`.")]
            ///
            /// # Panics
            ///
            #[doc = concat!("If the array has no such ", $what, ".")]
            /// In a fiber the panic ends the run with [`NoSuchEntry`](crate::Error::NoSuchEntry), which
            /// names the caller's line.
            #[inline]
            #[track_caller]
            pub fn at(self, index: usize) -> $one {
                let ($first, $by) = (self.first, checked(index, self.len, concat!($what, "s")));
                $element
            }

            #[doc = concat!("Returns the number of ", $what, "s.")]
            #[inline]
            #[expect(
                clippy::len_without_is_empty,
                reason = "callers need only the length"
            )]
            pub const fn len(self) -> usize {
                self.len as usize
            }
        }
    )+};
}
array_addresses! {
    SlotRefs: SlotRef, "slot", |first, by| SlotRef { to: first.to.next(by) };
    Replies<T>: Reply<T>, "inlet", |first, by| Reply::new(first.to.next(by));
    CellRefs<T>: CellRef<T>, "cell", |first, by| CellRef::new(first.at.next(by));
}

/// Implements `Clone`, `Copy` and `Debug` for an address of an entry for a `T`, whatever `T` is.
macro_rules! plain_address {
    ($($name:ident: |$it:ident, $f:ident| $shown:expr;)+) => {$(
        impl<T> Clone for $name<T> {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T> Copy for $name<T> {}
        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, $f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let $it = self;
                $shown
            }
        }
    )+};
}
plain_address! {
    Reply: |it, f| write!(f, "Reply(inlet {:?})", it.to);
    Replies: |it, f| write!(f, "Replies({} from {:?})", it.len, it.first);
    CellRef: |it, f| write!(f, "CellRef(cell {:?})", it.at);
    CellRefs: |it, f| write!(f, "CellRefs({} from {:?})", it.len, it.first);
}

impl fmt::Debug for SlotRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SlotRef(slot {:?})", self.to)
    }
}
