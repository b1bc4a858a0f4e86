//! Global addresses: a node, a frame, its generation, and a place in the frame. Plain data that may travel.
//!
//! A frame's number is used again after the frame ends; its *generation* is not. An address that outlived its frame is thus found
//! out by one comparison, reported, and never followed (rule 9 of the design). After 2^32 generations a number is retired.

use std::fmt;
use std::marker::PhantomData;

/// A node: a processor with its memory, its execution unit and its synchronization unit. Nodes are numbered from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// The node with this number. Whether the machine has it is found out when it is used.
    ///
    /// # Panics
    ///
    /// If `number` does not fit 32 bits.
    #[inline]
    pub fn new(number: usize) -> Self {
        NodeId(u32::try_from(number).expect("a node's number has 32 bits"))
    }

    /// The node's number.
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
    pub(crate) frame: u32,
    pub(crate) generation: u32,
}

impl FrameRef {
    /// Where the value of a whole run goes: no frame of the program.
    pub(crate) const ROOT: FrameRef = FrameRef { node: 0, frame: u32::MAX, generation: 0 };
}

impl fmt::Display for FrameRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "frame {} (generation {}) of node {}", self.frame, self.generation, self.node)
    }
}

/// The address of a slot, to be signalled from anywhere by [`Eu::rsync`](crate::Eu::rsync).
#[doc(alias = "SLOT_ADR")]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SlotRef {
    pub(crate) frame: FrameRef,
    pub(crate) slot: u32,
}

/// The addresses of all slots of an array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SlotRefs {
    pub(crate) first: SlotRef,
    pub(crate) len: u32,
}

/// Where a value of type `T` goes: an inlet and the slot it signals.
pub struct Reply<T> {
    pub(crate) to: SlotRef,
    pub(crate) inlet: u32,
    pub(crate) takes: PhantomData<fn(T)>,
}

/// Where values for the elements of an array of inlets go; element `i` signals either the one slot given or slot `i` of an array.
pub struct Replies<T> {
    pub(crate) first: Reply<T>,
    pub(crate) len: u32,
    /// 1 if each inlet signals a slot of its own, 0 if all signal one.
    pub(crate) slot_step: u32,
}

/// The address of a write-once cell, to be read from anywhere by [`Eu::get`](crate::Eu::get).
pub struct CellRef<T> {
    pub(crate) frame: FrameRef,
    pub(crate) cell: u32,
    pub(crate) holds: PhantomData<fn() -> T>,
}

/// The addresses of all cells of an array.
pub struct CellRefs<T> {
    pub(crate) first: CellRef<T>,
    pub(crate) len: u32,
}

impl SlotRef {
    /// The node whose synchronization unit owns the slot.
    #[inline]
    pub const fn node(self) -> NodeId {
        NodeId(self.frame.node)
    }
}

impl<T> Reply<T> {
    /// The node whose synchronization unit owns the inlet.
    #[inline]
    pub const fn node(self) -> NodeId {
        NodeId(self.to.frame.node)
    }
}

impl<T> CellRef<T> {
    /// The node whose synchronization unit owns the cell.
    #[inline]
    pub const fn node(self) -> NodeId {
        NodeId(self.frame.node)
    }
}

fn checked(index: usize, len: u32) -> u32 {
    assert!(index < len as usize, "element {index} of an array of {len}");
    index as u32
}

impl SlotRefs {
    /// The address of slot `index`.
    ///
    /// # Panics
    ///
    /// If there is no such slot.
    #[inline]
    pub fn at(self, index: usize) -> SlotRef {
        SlotRef { slot: self.first.slot + checked(index, self.len), ..self.first }
    }

    /// How many slots there are.
    #[inline]
    #[expect(
        clippy::len_without_is_empty,
        reason = "an array of an address says how long it is, nobody asks if it is empty"
    )]
    pub const fn len(self) -> usize {
        self.len as usize
    }
}

impl<T> Replies<T> {
    /// The address of inlet `index`.
    ///
    /// # Panics
    ///
    /// If there is no such inlet.
    #[inline]
    pub fn at(self, index: usize) -> Reply<T> {
        let index = checked(index, self.len);
        let to = SlotRef { slot: self.first.to.slot + index * self.slot_step, ..self.first.to };
        Reply { to, inlet: self.first.inlet + index, takes: PhantomData }
    }

    /// How many inlets there are.
    #[inline]
    #[expect(
        clippy::len_without_is_empty,
        reason = "an array of an address says how long it is, nobody asks if it is empty"
    )]
    pub const fn len(self) -> usize {
        self.len as usize
    }
}

impl<T> CellRefs<T> {
    /// The address of cell `index`.
    ///
    /// # Panics
    ///
    /// If there is no such cell.
    #[inline]
    pub fn at(self, index: usize) -> CellRef<T> {
        CellRef { cell: self.first.cell + checked(index, self.len), ..self.first }
    }

    /// How many cells there are.
    #[inline]
    #[expect(
        clippy::len_without_is_empty,
        reason = "an array of an address says how long it is, nobody asks if it is empty"
    )]
    pub const fn len(self) -> usize {
        self.len as usize
    }
}

/// An address names a place for a `T`; it may be copied and printed whatever `T` is.
macro_rules! plain_address {
    ($($name:ident)+) => {$(
        impl<T> Clone for $name<T> {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T> Copy for $name<T> {}
    )+};
}
plain_address!(Reply Replies CellRef CellRefs);

impl<T> fmt::Debug for Reply<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reply(inlet {}, slot {} of {})", self.inlet, self.to.slot, self.to.frame)
    }
}

impl<T> fmt::Debug for Replies<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Replies({} from {:?})", self.len, self.first)
    }
}

impl<T> fmt::Debug for CellRef<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CellRef(cell {} of {})", self.cell, self.frame)
    }
}

impl<T> fmt::Debug for CellRefs<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CellRefs({} from {:?})", self.len, self.first)
    }
}
