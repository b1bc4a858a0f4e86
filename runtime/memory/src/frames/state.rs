//! The state of a frame: kept when its first fiber waits, borrowed by fibers, moved out by the one that ends the frame.

use std::ptr;

use super::layout::{Family, FrameLayout, state_fits};
use super::store::{Frames, HAS_STATE, Head};

impl<H: Family> Frames<H> {
    /// Keeps the state of the frame that is entered, which is of this layout and has none yet.
    ///
    /// # Panics
    ///
    /// If no such frame is entered.
    #[inline(always)]
    pub fn keep<F: Send + 'static>(&mut self, layout: &'static FrameLayout<H>, state: F) {
        let head = self.entered;
        assert!(self.is_entered::<F>(layout, 0), "a frame of the function is entered");
        // SAFETY: Entered; Stated: the frame has room for a state and holds none.
        unsafe {
            let at = Self::layout_of(head, layout).state_at;
            if const { state_fits::<F>() } {
                Self::place::<F>(head, at).write(state);
            } else {
                Self::place::<Box<F>>(head, at).write(Box::new(state));
            }
            (*head).flags |= HAS_STATE;
        }
    }

    /// Whether the frame that is entered has states of type `F` and `flag`, by which it says whether it holds one.
    #[inline(always)]
    fn is_entered<F: 'static>(&self, layout: &'static FrameLayout<H>, flag: u32) -> bool {
        let head = self.entered;
        // SAFETY: Entered.
        !head.is_null()
            && unsafe { Self::layout(head).is_of::<F>(layout) && (*head).flags & HAS_STATE == flag }
            && self.lent.is_null()
    }

    /// The layout of a frame, which hardly ever has another address than `layout`.
    ///
    /// # Safety
    ///
    /// `head` is Live.
    #[inline(always)]
    unsafe fn layout_of(head: *mut Head<H>, layout: &'static FrameLayout<H>) -> &'static FrameLayout<H> {
        // SAFETY: by this function's contract.
        if Self::is(head, layout) { layout } else { unsafe { Self::layout(head) } }
    }

    /// Moves the state of the frame that is entered out, if it holds one of type `F`.
    #[inline(always)]
    pub fn take_state<F: Send + 'static>(&mut self, layout: &'static FrameLayout<H>) -> Option<F> {
        let head = self.entered;
        if !self.is_entered::<F>(layout, HAS_STATE) {
            return None;
        }
        // SAFETY: Entered; Stated, and it is not borrowed; the frame holds none afterwards.
        unsafe {
            (*head).flags &= !HAS_STATE;
            let at = Self::layout_of(head, layout).state_at;
            Some(if const { state_fits::<F>() } {
                Self::place::<F>(head, at).read()
            } else {
                *Self::place::<Box<F>>(head, at).read()
            })
        }
    }
}

/// Lends the state of the frame that is entered, in the store that `frames` finds in `context`, to `does`, which gets the
/// context too: it may make frames, signal any and put values to any, but not end this one. Returns nothing if no frame
/// with a state of type `F` is entered, or a state is lent already.
#[inline(always)]
pub fn with_state<H: Family, C: ?Sized, F: Send + 'static, R>(
    context: &mut C,
    frames: impl Fn(&mut C) -> &mut Frames<H>,
    layout: &'static FrameLayout<H>,
    does: impl FnOnce(&mut F, &mut C) -> R,
) -> Option<R> {
    /// Ends the loan, also when `does` panics.
    struct Loan<'a, H: Family, C: ?Sized, G: Fn(&mut C) -> &mut Frames<H>> {
        context: &'a mut C,
        frames: G,
        head: *mut Head<H>,
    }
    impl<H: Family, C: ?Sized, G: Fn(&mut C) -> &mut Frames<H>> Drop for Loan<'_, H, C, G> {
        #[inline(always)]
        fn drop(&mut self) {
            let frames = (self.frames)(self.context);
            if ptr::eq(frames.lent, self.head) {
                frames.lent = ptr::null_mut();
            }
        }
    }

    let store = frames(context);
    let head = store.entered;
    if !store.is_entered::<F>(layout, HAS_STATE) {
        return None;
    }
    store.lent = head;
    // SAFETY: Entered.
    let at = unsafe { Frames::layout_of(head, layout).state_at };
    let loan = Loan { context, frames, head };
    // SAFETY: Stated: while `lent` says so, nobody else reaches the state, and its memory stays.
    let state = unsafe {
        if const { state_fits::<F>() } {
            &mut *Frames::place::<F>(head, at)
        } else {
            &mut **Frames::place::<Box<F>>(head, at)
        }
    };
    let outcome = does(state, loan.context);
    drop(loan);
    Some(outcome)
}
