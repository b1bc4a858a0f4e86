//! How values that contain values of their own type travel: lists of a million boxes, deep trees.
//!
//! Values are packed, counted and read by recursion, which takes stack for each level. Boxes, collections and
//! derived types therefore count their nesting depth and estimate the stack that it takes:
//!
//! * *Packing, counting bulk data.* A value that is too deep is deferred. The outermost value packs it
//!   afterwards, and inserts its bytes at the right position. So no depth takes much stack.
//! * *Reading.* A value is built from the values in it, so none can be deferred. If bytes hold a value that
//!   is too deep for the caller's stack, the outermost value is read again by a thread with a larger stack.
//!   That thread also drops the parts that were read before an error. Bytes that are too deep for the
//!   [largest](STACKS) of these stacks, or for the free memory, are `Undecodable`.

use std::panic::resume_unwind;

use super::wire::{Packer, Undecodable, Unpacker, Wire};
use crate::primitive::thread;

/// The most stack, in bytes, that a value may take on the caller's stack, by estimate.
const OWN: usize = 128 << 10;

/// The stack sizes, in bytes, of threads that read deep values. The largest is enough for a list of a million
/// boxes. The system commits only the memory that a stack uses.
const STACKS: [usize; 2] =
    if usize::BITS > 32 { [64 << 20, 1 << (usize::BITS / 2)] } else { [16 << 20, 128 << 20] };

/// The number of levels that are never too deep, however large the values are.
const FREE: u32 = 16;

/// The nesting depth of a value.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Depth {
    levels: u32,
    /// The estimated stack of these levels, in bytes: two to four times the measured one.
    stack: usize,
}

impl Depth {
    /// Returns the depth one level further in, where a `T` is made or taken apart. Returns `None` if that
    /// takes more than `most` bytes of stack.
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

/// Packs a deferred value.
type Pack = Box<dyn FnOnce(&mut Packer) + Send>;

/// The values that were deferred while others were packed, each with the number of bytes before it.
#[derive(Default)]
pub(super) struct Deferred(Vec<(usize, Pack)>);

impl std::fmt::Debug for Deferred {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(at, _)| at)).finish()
    }
}

/// A piece of the remaining output: packed bytes or a deferred value.
enum Piece {
    Bytes(Vec<u8>),
    Value(Pack),
}

impl Packer {
    /// Packs by `pack` a value that may contain others of its type, now or later. It is made of `Part`s.
    #[inline]
    pub(super) fn nested<Part: 'static, T: Wire>(&mut self, value: T, pack: fn(T, &mut Self)) {
        let depth = self.depth;
        let Some(deeper) = depth.within::<Part>(OWN) else {
            let later: Pack = Box::new(move |out: &mut Packer| out.nested::<Part, T>(value, pack));
            self.deferred.0.push((self.bytes.len(), later));
            return;
        };
        let from = self.bytes.len();
        self.depth = deeper;
        pack(value, self);
        self.depth = depth;
        if depth.is_outermost() && !self.deferred.0.is_empty() {
            self.pack_deferred(from);
        }
    }

    /// Packs the values that were deferred after the first `from` bytes, and the values that these defer in
    /// turn.
    #[cold]
    fn pack_deferred(&mut self, from: usize) {
        // The last piece of the list is packed first.
        let mut pieces = Vec::new();
        self.cut(from, &mut pieces);
        while let Some(piece) = pieces.pop() {
            match piece {
                Piece::Bytes(bytes) => self.bytes.extend(bytes),
                Piece::Value(pack) => {
                    let from = self.bytes.len();
                    // At level 1 the value is not outermost, so this loop packs whatever it defers.
                    self.depth = Depth { levels: 1, stack: 0 };
                    pack(self);
                    self.depth = Depth::default();
                    self.cut(from, &mut pieces);
                }
            }
        }
    }

    /// Splits the bytes after the first `from` into pieces at the deferred values.
    fn cut(&mut self, from: usize, pieces: &mut Vec<Piece>) {
        for (at, value) in std::mem::take(&mut self.deferred.0).into_iter().rev() {
            debug_assert!(at >= from);
            pieces.push(Piece::Bytes(self.bytes.split_off(at)));
            pieces.push(Piece::Value(value));
        }
    }
}

/// A count of the bytes of bulk data in a value.
#[derive(Default)]
pub struct Bulk<'a> {
    bytes: u64,
    depth: Depth,
    /// Values that are counted later.
    deferred: Vec<&'a dyn NestedValue>,
}

/// A value of any type that travels.
trait NestedValue {
    fn count<'a>(&'a self, bulk: &mut Bulk<'a>);
}

impl<T: Wire> NestedValue for T {
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

    /// Counts by `count` a value that may contain others of its type, now or later.
    #[inline]
    pub(super) fn nested<T: Wire>(&mut self, value: &'a T, count: fn(&'a T, &mut Self)) {
        let depth = self.depth;
        match depth.within::<T>(OWN) {
            None => self.deferred.push(value),
            Some(deeper) => {
                self.depth = deeper;
                count(value, self);
                self.depth = depth;
            }
        }
    }

    /// Returns the bytes of bulk data in a value.
    #[inline(always)]
    pub fn of<T: Wire>(value: &'a T) -> u64 {
        let mut bulk = Bulk::default();
        value.bulk(&mut bulk);
        while let Some(value) = bulk.deferred.pop() {
            value.count(&mut bulk);
        }
        bulk.bytes
    }
}

/// The nesting depth of a reader, and its limit.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Reading {
    depth: Depth,
    /// The stack, in bytes, of a thread that was started for this value.
    stack: Option<usize>,
    too_deep: bool,
}

impl Unpacker<'_> {
    /// Reads by `read` a value that may contain others of its type. If an error occurs, the partial value is
    /// dropped on a stack of the size that reading it took.
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
        // The value is returned unchanged, since each copy of a large value takes stack.
        value
    }

    /// Reads a value again on threads with larger stacks.
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

    /// Runs `read` on threads with larger stacks until it returns true, or fails for a reason other than
    /// depth.
    #[cold]
    #[inline(never)]
    fn read_deep(&mut self, read: &mut (dyn FnMut(&mut Unpacker<'_>) -> bool + Send)) {
        let begin = self.rest;
        for size in STACKS {
            self.rest = begin;
            // Drops have a quarter of the stack, and the part that reading does not need.
            let depth = Depth { levels: 1, stack: 0 };
            self.reading = Reading { depth, stack: Some(size / 4 * 3), too_deep: false };
            let done = thread::scope(|scope| {
                let thread = thread::Builder::new().name("earth-deep".to_owned()).stack_size(size);
                let thread = thread.spawn_scoped(scope, || read(self)).ok()?;
                Some(thread.join().unwrap_or_else(|payload| resume_unwind(payload)))
            });
            let too_deep = self.reading.too_deep;
            self.reading = Reading::default();
            // `None`: the thread could not be started, because there is too little memory for its stack.
            if done != Some(false) || !too_deep {
                return;
            }
        }
    }
}
