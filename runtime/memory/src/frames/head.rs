//! The first bytes of every frame, and the places behind them.

use std::cell::Cell;
use std::ptr;

use super::extra::Extra;
use super::id::GENERATION;
use super::layout::{COUNTS, FULL_ELSEWHERE, FrameLayout, Function, MASK};

/// The first bytes of every frame.
#[repr(C)]
pub(super) struct Head<F: Function> {
    /// The generation in the upper half, the number in the lower.
    pub(super) id: u64,
    /// The layout of the frame that lives or lived last here; null before the first.
    pub(super) layout: *const FrameLayout<F>,
    /// [`HAS_STATE`], [`ROUNDS`](super::layout::ROUNDS), [`FULL_ELSEWHERE`], and how many values are [parked](PARKED) at the frame's inlets.
    pub(super) flags: Cell<u32>,
    /// Which of the first inlets are full.
    pub(super) mask: Cell<u32>,
}

const _: () = assert!(size_of::<Head<NoFunction>>() == COUNTS as usize);
const _: () = assert!(std::mem::offset_of!(Head<NoFunction>, mask) == MASK as usize);

/// The function of frames in tests of their memory alone.
#[derive(Debug)]
pub(super) struct NoFunction;

impl Function for NoFunction {
    type Value = ();
    type Extra = ();
}

/// Where the flags and the mask of a frame are, one word in all. A frame that has ended keeps the next one of its class there.
pub(super) const FLAGS: u32 = 16;

/// The flag of a frame that holds a state.
pub(super) const HAS_STATE: u32 = 1 << 31;

/// The bits of the flags that count what is parked.
pub(super) const PARKED: u32 = FULL_ELSEWHERE - 1;

/// Whether a word is the identity of a live frame.
#[inline(always)]
pub(super) const fn is_live(id: u64) -> bool {
    id & GENERATION != 0
}

impl<F: Function> Head<F> {
    /// The place `at` bytes from the beginning of a frame.
    ///
    /// # Safety
    ///
    /// The frame's class has these bytes. The layout sees to the alignment: a frame begins on a multiple of 32.
    #[inline(always)]
    pub(super) unsafe fn place<T>(head: *mut Head<F>, at: u32) -> *mut T {
        // SAFETY: by this function's contract.
        unsafe { head.cast::<u8>().add(at as usize).cast() }
    }

    /// The extra of a frame; null if none is made.
    ///
    /// # Safety
    ///
    /// `head` is a frame that lives or has lived.
    #[inline(always)]
    pub(super) unsafe fn extra_at(head: *mut Head<F>) -> *mut Extra<F> {
        // SAFETY: by this function's contract; the pointer is where the layout says.
        unsafe {
            match (*(*head).layout).extra_at {
                0 => ptr::null_mut(),
                at => Self::place::<*mut Extra<F>>(head, at).read(),
            }
        }
    }
}
