//! The first bytes of every frame, and the addresses of its other parts.

use std::cell::Cell;
use std::ptr;

use super::extra::Extra;
use super::id::GENERATION;
use super::layout::{COUNTS, FULL_ELSEWHERE, FrameLayout, Function, MASK};

/// The first bytes of every frame.
#[repr(C)]
pub(super) struct Head<F: Function> {
    /// Identity: the generation in the upper half, the number in the lower half.
    pub(super) id: u64,
    /// Layout of the frame that lives or last lived here; null before the first.
    pub(super) layout: *const FrameLayout<F>,
    /// [`HAS_STATE`], [`ROUNDS`](super::layout::ROUNDS), [`FULL_ELSEWHERE`], and the number of values
    /// [parked](PARKED) at the frame's inlets.
    pub(super) flags: Cell<u32>,
    /// Mask of the first 32 inlets: one bit for each that is full.
    pub(super) mask: Cell<u32>,
}

const _: () = assert!(size_of::<Head<NoFunction>>() == COUNTS as usize);
const _: () = assert!(std::mem::offset_of!(Head<NoFunction>, mask) == MASK as usize);

/// Function for the size checks and unit tests of frames.
#[derive(Debug)]
pub(super) struct NoFunction;

impl Function for NoFunction {
    type Value = ();
    type Extra = ();
}

/// Offset of the flags and the mask, which form one word. A free frame stores the pointer to the next free
/// frame of its class there.
pub(super) const FLAGS: u32 = 16;

/// Flag of a frame that holds a state.
pub(super) const HAS_STATE: u32 = 1 << 31;

/// Bits of the flags that count the parked values.
pub(super) const PARKED: u32 = FULL_ELSEWHERE - 1;

/// Whether `id` is the identity of a live frame.
#[inline(always)]
pub(super) const fn is_live(id: u64) -> bool {
    id & GENERATION != 0
}

impl<F: Function> Head<F> {
    /// Returns the address `at` bytes after the start of a frame.
    ///
    /// # Safety
    ///
    /// The frame's class has these bytes. The layout ensures the alignment, as a frame begins at a multiple
    /// of 32.
    #[inline(always)]
    pub(super) unsafe fn place<T>(head: *mut Head<F>, at: u32) -> *mut T {
        // SAFETY: by this function's contract.
        unsafe { head.cast::<u8>().add(at as usize).cast() }
    }

    /// Returns the extra of a frame; null before it is made.
    ///
    /// # Safety
    ///
    /// `head` is a frame that lives or has lived.
    #[inline(always)]
    pub(super) unsafe fn extra_at(head: *mut Head<F>) -> *mut Extra<F> {
        // SAFETY: by this function's contract. The layout gives the offset of the pointer.
        unsafe {
            match (*(*head).layout).extra_at {
                0 => ptr::null_mut(),
                at => Self::place::<*mut Extra<F>>(head, at).read(),
            }
        }
    }
}
