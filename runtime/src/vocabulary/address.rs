//! Global addresses: a node, a frame, its generation, and an entry of the frame. Plain data that may travel.
//!
//! A frame's number is used again after the frame ends; its *generation* is not. An address that outlived its
//! frame is thus found out by one comparison, reported, and never followed (rule 9 of ARCHITECTURE.md). After 2^32
//! generations a number is retired.

use std::fmt;
use std::marker::PhantomData;

use super::wire::Wire;

/// A node: a processor with its memory, its execution unit and its synchronization unit.
/// Nodes are numbered from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Wire)]
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

/// A frame of some node at one generation: one word, so that it is copied and compared as one. Aligned to 4
/// bytes, so that a [`Reply`] has 20 bytes and a block, a reply and a number fit the 48 bytes of a call.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C, packed(4))]
pub(crate) struct FrameId(u64);

impl FrameId {
    /// The frame that the value of a whole run goes to: no frame of the program.
    pub(crate) const ROOT: FrameId = FrameId::new(u32::MAX, 0);

    #[inline(always)]
    pub(crate) const fn new(number: u32, generation: u32) -> Self {
        FrameId((generation as u64) << 32 | number as u64)
    }

    #[inline(always)]
    pub(crate) const fn number(self) -> u32 {
        self.0 as u32
    }

    #[inline(always)]
    pub(crate) const fn generation(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// The whole word.
    #[inline(always)]
    pub(crate) const fn bits(self) -> u64 {
        self.0
    }

    pub(crate) const fn from_bits(bits: u64) -> Self {
        FrameId(bits)
    }
}

impl fmt::Debug for FrameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "frame {} (generation {})", self.number(), self.generation())
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

/// An entry (a slot or a cell) of some frame of a node: the node and the entry's number in one word.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C, packed(4))]
struct NodeEntry(u64);

const _: () = assert!(size_of::<Reply<u64>>() == 20 && size_of::<CellRefs<u64>>() == 20);

impl NodeEntry {
    #[inline(always)]
    const fn new(node: u32, number: u32) -> Self {
        NodeEntry((node as u64) << 32 | number as u64)
    }

    #[inline(always)]
    const fn node(self) -> u32 {
        (self.0 >> 32) as u32
    }

    #[inline(always)]
    const fn number(self) -> u32 {
        self.0 as u32
    }
}

/// The address of a slot, to be signalled from anywhere by [`Eu::rsync`](crate::Eu::rsync).
#[doc(alias = "SLOT_ADR")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SlotRef {
    frame: FrameId,
    entry: NodeEntry,
}

/// The addresses of all slots of an array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Wire)]
pub struct SlotRefs {
    pub(crate) first: SlotRef,
    pub(crate) len: u32,
}

/// The address that a value of type `T` goes to: an inlet and the slot it signals.
#[derive(Wire)]
pub struct Reply<T> {
    pub(crate) to: SlotRef,
    pub(crate) inlet: u32,
    pub(crate) takes: PhantomData<fn(T)>,
}

/// The addresses that values for the elements of an array of inlets go to; element `i` signals either the one slot
/// given or slot `i` of an array.
#[derive(Wire)]
pub struct Replies<T> {
    pub(crate) first: Reply<T>,
    pub(crate) len: u32,
    /// 1 if each inlet signals a slot of its own, 0 if all signal one.
    pub(crate) slot_step: u32,
}

/// The address of a write-once cell, to be read from anywhere by [`Eu::get`](crate::Eu::get).
pub struct CellRef<T> {
    frame: FrameId,
    entry: NodeEntry,
    holds: PhantomData<fn() -> T>,
}

/// The addresses of all cells of an array.
#[derive(Wire)]
pub struct CellRefs<T> {
    pub(crate) first: CellRef<T>,
    pub(crate) len: u32,
}

impl SlotRef {
    #[inline(always)]
    pub(crate) const fn new(frame: FrameRef, slot: u32) -> Self {
        SlotRef { frame: frame.id, entry: NodeEntry::new(frame.node, slot) }
    }

    /// The node whose synchronization unit owns the slot.
    #[inline(always)]
    pub const fn node(self) -> NodeId {
        NodeId(self.entry.node())
    }

    #[inline(always)]
    pub(crate) const fn id(self) -> FrameId {
        self.frame
    }

    #[inline(always)]
    pub(crate) const fn frame(self) -> FrameRef {
        FrameRef { node: self.entry.node(), id: self.frame }
    }

    /// The slot's number in its frame.
    #[inline(always)]
    pub(crate) const fn slot(self) -> u32 {
        self.entry.number()
    }
}

impl<T> Reply<T> {
    /// The node whose synchronization unit owns the inlet.
    #[inline]
    pub const fn node(self) -> NodeId {
        self.to.node()
    }
}

impl<T> CellRef<T> {
    pub(crate) const fn new(frame: FrameRef, cell: u32) -> Self {
        CellRef { frame: frame.id, entry: NodeEntry::new(frame.node, cell), holds: PhantomData }
    }

    /// The node whose synchronization unit owns the cell.
    #[inline]
    pub const fn node(self) -> NodeId {
        NodeId(self.entry.node())
    }

    pub(crate) const fn frame(self) -> FrameRef {
        FrameRef { node: self.entry.node(), id: self.frame }
    }

    /// The cell's number in its frame.
    pub(crate) const fn cell(self) -> u32 {
        self.entry.number()
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
        SlotRef::new(self.first.frame(), self.first.slot() + checked(index, self.len))
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
        let to = SlotRef::new(self.first.to.frame(), self.first.to.slot() + index * self.slot_step);
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
        CellRef::new(self.first.frame(), self.first.cell() + checked(index, self.len))
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

/// An address names an entry for a `T`; it may be copied and printed whatever `T` is.
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

impl fmt::Debug for SlotRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SlotRef(slot {} of {})", self.slot(), self.frame())
    }
}

impl<T> fmt::Debug for Reply<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reply(inlet {}, slot {} of {})", self.inlet, self.to.slot(), self.to.frame())
    }
}

impl<T> fmt::Debug for Replies<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Replies({} from {:?})", self.len, self.first)
    }
}

impl<T> fmt::Debug for CellRef<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CellRef(cell {} of {})", self.cell(), self.frame())
    }
}

impl<T> fmt::Debug for CellRefs<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CellRefs({} from {:?})", self.len, self.first)
    }
}
