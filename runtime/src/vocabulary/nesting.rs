//! How values that hold values of their own type travel: lists of a million boxes, deep trees.
//!
//! A value is packed, counted and read by recursion, which would take stack for each level. So boxes, collections and derived
//! types count the levels that they are in, and the stack that these are taken to need:
//!
//! * *Packing, counting bulk data.* A value that is too deep is set aside. The outermost value of all packs it afterwards, and
//!   puts its bytes in their place. So no depth takes much stack.
//! * *Reading.* A value is made of the values in it, so none can be set aside. If bytes hold a value that is too deep for the
//!   caller's stack, the outermost value is read once more, by a thread with a larger stack. What was read before an error is
//!   dropped there, too. Bytes that are too deep for the [largest](STACKS) of these stacks, or for the memory that is left,
//!   are `Undecodable`.

use std::panic::resume_unwind;

use super::wire::{Packer, Undecodable, Unpacker, Wire};
use crate::primitive::thread;

/// The stack that values on the caller's stack are taken to need at most.
const OWN: usize = 128 << 10;

/// The stacks of threads that read deep values. The largest one is enough for a list of a million boxes. Memory is used as
/// far as a stack is.
const STACKS: [usize; 2] =
    if usize::BITS > 32 { [64 << 20, 1 << (usize::BITS / 2)] } else { [16 << 20, 128 << 20] };

/// How many levels are never too deep, however large the values are.
const FREE: u32 = 16;

/// The levels that a value is in.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Depth {
    levels: u32,
    /// The stack that they are taken to need, twice to four times what was measured.
    stack: usize,
}

impl Depth {
    /// One level more, in which a `T` is made or taken apart; none if that is too deep for so much stack.
    #[inline]
    fn within<T>(self, most: usize) -> Option<Self> {
        let unoptimised = cfg!(debug_assertions);
        let level = if unoptimised { 1024 + 8 * size_of::<T>() } else { 256 + 4 * size_of::<T>() };
        let deeper = Depth { levels: self.levels + 1, stack: self.stack.saturating_add(level) };
        (deeper.levels <= FREE || deeper.stack <= most).then_some(deeper)
    }

    fn is_outermost(self) -> bool {
        self.levels == 0
    }
}

/// A value that is packed later.
type Pack = Box<dyn FnOnce(&mut Packer) + Send>;

/// The values that were set aside while others were packed, each with the number of bytes before it.
#[derive(Default)]
pub(super) struct Aside(Vec<(usize, Pack)>);

impl std::fmt::Debug for Aside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(at, _)| at)).finish()
    }
}

/// What follows the bytes that are packed.
enum Piece {
    Bytes(Vec<u8>),
    Value(Pack),
}

impl Packer {
    /// Packs a value that may hold others of its type by `pack`, now or later. It is made of `Part`s.
    #[inline]
    pub(super) fn nested<Part: 'static, T: Wire>(&mut self, value: T, pack: fn(T, &mut Self)) {
        let depth = self.depth;
        let Some(deeper) = depth.within::<Part>(OWN) else {
            let later: Pack = Box::new(move |out: &mut Packer| out.nested::<Part, T>(value, pack));
            self.aside.0.push((self.bytes.len(), later));
            return;
        };
        let from = self.bytes.len();
        self.depth = deeper;
        pack(value, self);
        self.depth = depth;
        if depth.is_outermost() && !self.aside.0.is_empty() {
            self.pack_aside(from);
        }
    }

    /// Packs what was set aside behind the first `from` bytes, and in turn what is set aside then.
    #[cold]
    fn pack_aside(&mut self, from: usize) {
        // The last piece comes first.
        let mut pieces = Vec::new();
        self.cut(from, &mut pieces);
        while let Some(piece) = pieces.pop() {
            match piece {
                Piece::Bytes(bytes) => self.bytes.extend(bytes),
                Piece::Value(pack) => {
                    let from = self.bytes.len();
                    // One level in, so that what it sets aside is left to this loop.
                    self.depth = Depth { levels: 1, stack: 0 };
                    pack(self);
                    self.depth = Depth::default();
                    self.cut(from, &mut pieces);
                }
            }
        }
    }

    /// Cuts the bytes behind the first `from` into pieces, where values were set aside.
    fn cut(&mut self, from: usize, pieces: &mut Vec<Piece>) {
        for (at, value) in std::mem::take(&mut self.aside.0).into_iter().rev() {
            debug_assert!(at >= from);
            pieces.push(Piece::Bytes(self.bytes.split_off(at)));
            pieces.push(Piece::Value(value));
        }
    }
}

/// The bytes of bulk data that were found in a value.
#[derive(Default)]
pub struct Bulk<'a> {
    bytes: u64,
    depth: Depth,
    /// Values that have yet to be looked at.
    aside: Vec<&'a dyn Counted>,
}

/// A value of any type that travels.
trait Counted {
    fn count<'a>(&'a self, bulk: &mut Bulk<'a>);
}

impl<T: Wire> Counted for T {
    fn count<'a>(&'a self, bulk: &mut Bulk<'a>) {
        self.bulk(bulk);
    }
}

impl<'a> Bulk<'a> {
    /// Adds the bytes of a block.
    #[inline(always)]
    pub fn add(&mut self, bytes: u64) {
        self.bytes += bytes;
    }

    /// Counts, by `count`, a value that may hold others of its type, now or later.
    #[inline]
    pub(super) fn nested<T: Wire>(&mut self, value: &'a T, count: fn(&'a T, &mut Self)) {
        let depth = self.depth;
        match depth.within::<T>(OWN) {
            None => self.aside.push(value),
            Some(deeper) => {
                self.depth = deeper;
                count(value, self);
                self.depth = depth;
            }
        }
    }

    /// All bytes of a value.
    #[inline(always)]
    pub fn of<T: Wire>(value: &'a T) -> u64 {
        let mut bulk = Bulk::default();
        value.bulk(&mut bulk);
        while let Some(value) = bulk.aside.pop() {
            value.count(&mut bulk);
        }
        bulk.bytes
    }
}

/// How far a reader is into values in values, and how far it may go.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Reading {
    depth: Depth,
    /// The stack that there is, if it is a thread's that was started for this.
    stack: Option<usize>,
    /// Whether a value was too deep.
    too_deep: bool,
}

impl Unpacker<'_> {
    /// Reads, by `read`, a value that may hold others of its type. What was read of it before an error is dropped where there is
    /// as much stack as it took to read it.
    #[doc(hidden)]
    #[inline]
    pub fn nested<T: Wire>(
        &mut self,
        read: fn(&mut Unpacker<'_>) -> Result<T, Undecodable>,
    ) -> Result<T, Undecodable> {
        let depth = self.reading.depth;
        let Some(deeper) = depth.within::<T>(self.reading.stack.unwrap_or(OWN)) else {
            self.reading.too_deep = true;
            return Err(Undecodable);
        };
        let begin = self.rest;
        self.reading.depth = deeper;
        let value = read(self);
        self.reading.depth = depth;
        if value.is_err() && depth.is_outermost() && self.reading.too_deep {
            self.rest = begin;
            return self.read_again(read);
        }
        // Returned as it came, since each copy of a large value takes stack.
        value
    }

    /// Reads a value once more, by threads with larger stacks.
    #[cold]
    #[inline(never)]
    fn read_again<T: Wire>(
        &mut self,
        read: fn(&mut Unpacker<'_>) -> Result<T, Undecodable>,
    ) -> Result<T, Undecodable> {
        let mut value = Err(Undecodable);
        self.read_deep(&mut |input: &mut Unpacker<'_>| {
            value = read(input);
            value.is_ok()
        });
        value
    }

    /// Reads a value once more, by threads with larger stacks, until `read` says that it has been read, or something else is
    /// wrong.
    #[cold]
    #[inline(never)]
    fn read_deep(&mut self, read: &mut (dyn FnMut(&mut Unpacker<'_>) -> bool + Send)) {
        let begin = self.rest;
        for size in STACKS {
            self.rest = begin;
            // A quarter is left for drops, beside what reading does not need.
            let depth = Depth { levels: 1, stack: 0 };
            self.reading = Reading { depth, stack: Some(size / 4 * 3), too_deep: false };
            let done = thread::scope(|scope| {
                let thread = thread::Builder::new().name("earth-deep".to_owned()).stack_size(size);
                let thread = thread.spawn_scoped(scope, || read(self)).ok()?;
                Some(thread.join().unwrap_or_else(|payload| resume_unwind(payload)))
            });
            let too_deep = self.reading.too_deep;
            self.reading = Reading::default();
            // No thread has such a stack: there is too little memory.
            if done != Some(false) || !too_deep {
                return;
            }
        }
    }
}
