//! The memory of frames: chunks of frames of one class at addresses that do not change.
//!
//! The number of a frame is the number of its chunk and its index there, so any 32-bit number is looked up safely: a
//! chunk that is not there has one head without an identity, and an index is reduced to those that its chunk has. A
//! chunk begins zeroed, and zero is no identity.

use std::alloc::{Layout, alloc_zeroed, dealloc};

use super::layout::bytes_of;
use crate::no_memory::NoMemory;

/// The bits of a number that are the index in a chunk.
pub(super) const INDEX_BITS: u32 = 10;

const LINE: usize = 64;

/// The frames of a chunk: so many, of so many bytes. 16 bytes, since a look-up goes through one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk {
    base: *mut u8,
    /// The bytes of a frame; none of a chunk that is not there.
    bytes: u32,
    /// One less than how many frames there are, which is a power of two.
    mask: u16,
    /// How far behind the beginning of what was allocated the first frame lies.
    offset: u16,
}

/// What lies at the place of all frames that are not there: a head without an identity.
static NOTHING: [u64; LINE / 8] = [0; LINE / 8];

impl Chunk {
    /// A number that has no frames yet.
    pub(super) const NONE: Chunk =
        Chunk { base: (&raw const NOTHING).cast_mut().cast(), bytes: 0, mask: 0, offset: 0 };

    /// Chunk `number` of frames of a class. The first chunks of a node are small. Unwinds with [`NoMemory`] if memory is short.
    pub(super) fn new(number: usize, class: usize) -> Self {
        let bytes = bytes_of(class);
        let most = (1usize << 16) / (bytes as usize).min(1 << 16);
        let frames = (8usize << (number / 4 * 2).min(7)).min(most.next_power_of_two()).max(1);
        let layout = Self::layout(bytes, frames);
        // SAFETY: the layout is not empty.
        let allocated = unsafe { alloc_zeroed(layout) };
        if allocated.is_null() {
            NoMemory { bytes: layout.size() as u64, what: "frames" }.unwind();
        }
        let offset = allocated.align_offset(LINE);
        // SAFETY: a line is allocated more than the frames need.
        let base = unsafe { allocated.add(offset) };
        Chunk { base, bytes, mask: frames as u16 - 1, offset: offset as u16 }
    }

    /// The memory is aligned by hand: the allocator clears memory of a small alignment without touching it.
    fn layout(bytes: u32, frames: usize) -> Layout {
        Layout::from_size_align(bytes as usize * frames + LINE, 16).expect("a chunk has a valid size")
    }

    pub(super) fn is_of(&self, class: usize) -> bool {
        self.bytes == bytes_of(class)
    }

    pub(super) fn is_none(&self) -> bool {
        self.bytes == 0
    }

    pub(super) fn frames(&self) -> u32 {
        u32::from(self.mask) + 1
    }

    /// The frame at this index, reduced to those that are there. Of [`NONE`](Self::NONE) that is a head which is only read.
    #[inline(always)]
    pub(super) const fn at<T>(&self, index: u32) -> *mut T {
        // SAFETY: the index is one of the chunk's.
        unsafe { self.base.add((index & self.mask as u32) as usize * self.bytes as usize).cast() }
    }

    /// Gives the memory back.
    ///
    /// # Safety
    ///
    /// Nothing in it is used afterwards.
    pub(super) unsafe fn free(self) {
        if !self.is_none() {
            let layout = Self::layout(self.bytes, self.frames() as usize);
            // SAFETY: it was allocated so, and begins so far before the first frame.
            unsafe { dealloc(self.base.sub(self.offset as usize), layout) }
        }
    }
}
