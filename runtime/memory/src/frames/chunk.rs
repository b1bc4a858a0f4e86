//! The memory of frames: chunks of frames of one class, at fixed addresses.
//!
//! The number of a frame consists of the number of its chunk and its index there. Any 32-bit number can be
//! looked up safely: a missing chunk has one head without an identity, and an index is masked to the chunk's
//! frames. A chunk begins zeroed, and zero is no identity.

use std::alloc::{Layout, alloc_zeroed, dealloc};

use super::layout::bytes_of;
use crate::no_memory::NoMemory;

/// Number of bits of a frame's number that give the index in the chunk.
pub(super) const INDEX_BITS: u32 = 10;

const LINE: usize = 64;

/// Address, number and size of the frames of a chunk. It has only 16 bytes, since each look-up reads one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk {
    base: *mut u8,
    /// Size of a frame in bytes; 0 for a missing chunk.
    bytes: u32,
    /// Number of frames, a power of two, minus one.
    mask: u16,
    /// Distance in bytes from the start of the allocation to the first frame.
    offset: u16,
}

/// Stands for all missing frames: a head without an identity.
static NOTHING: [u64; LINE / 8] = [0; LINE / 8];

impl Chunk {
    /// A missing chunk.
    pub(super) const NONE: Chunk =
        Chunk { base: (&raw const NOTHING).cast_mut().cast(), bytes: 0, mask: 0, offset: 0 };

    /// Allocates chunk `number` for frames of a class. The first chunks of a node are small. Unwinds with
    /// [`NoMemory`] if memory is short.
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
        // SAFETY: the allocation has one line more than the frames need.
        let base = unsafe { allocated.add(offset) };
        Chunk { base, bytes, mask: frames as u16 - 1, offset: offset as u16 }
    }

    /// Returns the layout of the allocation. The caller aligns the memory by hand, since the allocator zeroes
    /// memory of a small alignment without touching it.
    fn layout(bytes: u32, frames: usize) -> Layout {
        Layout::from_size_align(bytes as usize * frames + LINE, 16).expect("a chunk must have a valid size")
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

    /// Returns the frame at this index, masked to the chunk's frames. For [`NONE`](Self::NONE) it is a head
    /// that is only read.
    #[inline(always)]
    pub(super) const fn at<T>(&self, index: u32) -> *mut T {
        // SAFETY: the index is one of the chunk's.
        unsafe { self.base.add((index & self.mask as u32) as usize * self.bytes as usize).cast() }
    }

    /// Frees the memory.
    ///
    /// # Safety
    ///
    /// No frame of the chunk is used afterwards.
    pub(super) unsafe fn free(self) {
        if !self.is_none() {
            let layout = Self::layout(self.bytes, self.frames() as usize);
            // SAFETY: it was allocated with this layout, `offset` bytes before the first frame.
            unsafe { dealloc(self.base.sub(self.offset as usize), layout) }
        }
    }
}
