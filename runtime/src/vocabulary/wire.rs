//! Values that may cross a wire: within a process they are moved, between processes they are packed into
//! bytes.
//!
//! The bytes are little-endian, without padding and type names: both ends know the type. Lengths have 64
//! bits. A machine built with [`through_bytes`](crate::Machine::through_bytes) passes every event between
//! nodes through this form. So a program can be tested for machines whose nodes share no memory.

use std::any::type_name;
use std::fmt;

use earth_memory::{Block, Bulk, Element, Landed};

pub use earth_macros::Wire;

use super::address::FrameRef;
use super::nesting::{Bulk as BulkCount, Deferred, Depth, Reading};
use super::shared::SharedValues;

/// A value that may travel: an argument of a function, or a value for an inlet or a cell.
///
/// Within a process the value is moved, so that a [`Block`](crate::Block) arrives without a copy. Between
/// processes it is packed. Up to 48 bytes travel in line; the runtime puts a larger value in a box.
///
/// [`derive`](macro@crate::Wire) implements the trait for structs and enums of such values. Other types
/// implement it by hand:
///
/// ```
/// use earth::{Packer, Undecodable, Unpacker, Wire};
///
/// /// A number below 2^24.
/// struct Short(u32);
///
/// impl Wire for Short {
///     fn pack(self, out: &mut Packer) {
///         out.bytes(&self.0.to_le_bytes()[..3]);
///     }
///     fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
///         let [low, middle, high] = input.array()?;
///         Ok(Short(u32::from_le_bytes([low, middle, high, 0])))
///     }
/// }
/// ```
///
/// A value that is tied to its process, such as a file, does not travel.
#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` cannot travel between nodes",
    label = "this type is not `Wire`",
    note = "derive it for a type of your own: `#[derive(Wire)]`",
    note = "a value that is only read travels within its process as `Shared`"
)]
pub trait Wire: Send + Sized + 'static {
    /// Appends the value to `out`.
    fn pack(self, out: &mut Packer);

    /// Reads a value.
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable>;

    /// Returns the bytes of bulk data (blocks) that move with the value, as the counter `bytes_moved` counts
    /// them.
    #[inline(always)]
    fn bulk_bytes(&self) -> u64 {
        0
    }

    /// Adds [`bulk_bytes`](Self::bulk_bytes) to a count.
    #[doc(hidden)]
    #[inline(always)]
    fn bulk<'a>(&'a self, bulk: &mut BulkCount<'a>) {
        bulk.add(self.bulk_bytes());
    }
}

/// The error for bytes that do not encode the expected value, or encode a value nested some millions of
/// levels deep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Undecodable;

impl fmt::Display for Undecodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes do not encode the expected value, or its nesting is too deep to be decoded")
    }
}

impl std::error::Error for Undecodable {}

/// Writer of packed bytes.
#[derive(Debug, Default)]
pub struct Packer {
    pub(super) bytes: Vec<u8>,
    pub(super) depth: Depth,
    pub(super) deferred: Deferred,
    absent: u64,
    stays: Option<&'static str>,
    shared: SharedValues,
    /// The frames of all packed addresses, if only these are collected.
    frames: Option<Vec<FrameRef>>,
    /// The blocks that travel beside the bytes, if there is a transport for them.
    beside: Option<Beside>,
}

/// The blocks that travel beside a message.
#[derive(Debug)]
pub(crate) struct Beside {
    pub(crate) bulk: Vec<Bulk>,
    /// Smallest size, in bytes, of a block that travels so.
    pub(crate) least: usize,
}

impl Packer {
    /// Makes a packer that writes no bytes and collects the frames of addresses.
    pub(crate) fn looking() -> Self {
        Packer { frames: Some(Vec::new()), ..Packer::default() }
    }

    /// Records that an address of this frame is packed.
    pub(super) fn address(&mut self, of: FrameRef) {
        if let Some(frames) = &mut self.frames {
            frames.push(of);
        }
    }

    pub(crate) fn into_frames(self) -> Vec<FrameRef> {
        self.frames.unwrap_or_default()
    }

    /// Makes a packer for a run that began with these values.
    pub(crate) fn sharing(shared: &SharedValues) -> Self {
        Packer { shared: shared.clone(), ..Packer::default() }
    }

    pub(crate) fn shared(&self) -> &SharedValues {
        &self.shared
    }

    /// Appends to these bytes, and collects the blocks that travel beside them.
    pub(crate) fn begin(&mut self, bytes: Vec<u8>, beside: Option<Beside>) {
        self.bytes = bytes;
        self.beside = beside;
    }

    /// Returns the blocks that travel beside the bytes.
    pub(crate) fn take_beside(&mut self) -> Option<Beside> {
        self.beside.take()
    }

    /// Whether a block of `bytes` bytes travels beside the message.
    pub(super) fn takes_beside(&self, bytes: usize) -> bool {
        self.beside.as_ref().is_some_and(|beside| bytes >= beside.least.max(1))
    }

    /// Adds a block to those that travel beside the message, and appends its number among them.
    pub(super) fn put_beside(&mut self, block: Bulk) {
        let Some(beside) = &mut self.beside else { return };
        let number = beside.bulk.len();
        beside.bulk.push(block);
        number.pack(self);
    }

    /// Returns the written bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Drops all bytes after the first `len`, and all blocks beside them, of a value that is not sent.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.bytes.truncate(len);
        self.absent = 0;
        self.beside.iter_mut().for_each(|beside| beside.bulk.clear());
    }

    /// Reserves room for `count` more bytes, which the caller appends.
    pub(crate) fn reserve(&mut self, count: usize) {
        if self.frames.is_none() {
            self.bytes.reserve(count);
        }
    }

    /// Appends bytes unchanged.
    pub fn bytes(&mut self, bytes: &[u8]) {
        if self.frames.is_none() {
            self.bytes.extend_from_slice(bytes);
        }
    }

    /// Counts the bytes of a phantom, which are not written. On a simulated machine they still take time to
    /// travel.
    pub fn absent(&mut self, count: usize) {
        self.absent += count as u64;
    }

    pub(crate) fn absent_bytes(&self) -> u64 {
        self.absent
    }

    /// Records that a `T` in the value stays in its process and has no bytes. An
    /// [error](crate::Error::StaysInProcess) that names `T` is sent instead of the value, and ends the run.
    pub fn stays<T: ?Sized>(&mut self) {
        self.stays.get_or_insert(type_name::<T>());
    }

    /// Returns the name of the first type that stays in its process, if there is one.
    pub(crate) fn stays_in_process(&self) -> Option<&'static str> {
        self.stays
    }

    /// Appends a length.
    pub fn length(&mut self, length: usize) {
        self.bytes(&(length as u64).to_le_bytes());
    }
}

/// Reader of packed bytes.
#[derive(Debug)]
pub struct Unpacker<'a> {
    pub(super) rest: &'a [u8],
    pub(super) reading: Reading,
    shared: SharedValues,
    nodes: u32,
    /// The blocks that arrived beside the bytes.
    landed: &'a mut [Landed],
}

impl<'a> Unpacker<'a> {
    /// Makes an unpacker that reads these bytes from their beginning.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self::sharing(bytes, &SharedValues::default(), u32::MAX)
    }

    /// Makes an unpacker for a run on `nodes` nodes that began with the values `shared`.
    pub(crate) fn sharing(bytes: &'a [u8], shared: &SharedValues, nodes: u32) -> Self {
        Unpacker { rest: bytes, reading: Reading::default(), shared: shared.clone(), nodes, landed: &mut [] }
    }

    /// Reads the blocks of `landed` with the bytes.
    pub(crate) fn with(self, landed: &'a mut [Landed]) -> Self {
        Unpacker { landed, ..self }
    }

    /// Makes a block of the memory that arrived as number `number`. A value is read again if it is deep, and
    /// then the first block of the memory has been dropped.
    pub(super) fn landed<T: Element>(
        &mut self,
        number: usize,
        rows: usize,
        cols: usize,
    ) -> Result<Block<T>, Undecodable> {
        self.landed.get_mut(number).and_then(|landed| landed.block(rows, cols)).ok_or(Undecodable)
    }

    pub(crate) fn nodes(&self) -> u32 {
        self.nodes
    }

    pub(crate) fn shared(&self) -> &SharedValues {
        &self.shared
    }

    /// Reads a value that takes all remaining bytes.
    pub(crate) fn last<T: Wire>(&mut self) -> Result<T, Undecodable> {
        self.nested(|input| {
            let value = T::unpack(input);
            if input.left() == 0 { value } else { Err(Undecodable) }
        })
    }

    /// Reads the next `count` bytes.
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8], Undecodable> {
        let (bytes, rest) = self.rest.split_at_checked(count).ok_or(Undecodable)?;
        self.rest = rest;
        Ok(bytes)
    }

    /// Reads the next `N` bytes.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Undecodable> {
        self.bytes(N)?.try_into().map_err(|_| Undecodable)
    }

    /// Reads a length, at most `self.left() / unit` for items of at least `unit` bytes. A wrong length
    /// therefore cannot make the reader allocate.
    pub fn length(&mut self, unit: usize) -> Result<usize, Undecodable> {
        let length = usize::try_from(u64::from_le_bytes(self.array()?)).map_err(|_| Undecodable)?;
        if length.checked_mul(unit).ok_or(Undecodable)? > self.left() { Err(Undecodable) } else { Ok(length) }
    }

    /// Returns how many bytes are left.
    pub fn left(&self) -> usize {
        self.rest.len()
    }
}
