//! The state of a frame. It is stored when the frame's first fiber waits, borrowed by later fibers, and moved
//! out by the fiber that ends the frame.

use std::ptr;

use super::frame::Frame;
use super::head::{HAS_STATE, Head};
use super::layout::{FrameLayout, Function, state_fits};

use super::store::Frames;

impl<F: Function> Frames<F> {
    /// Stores the state of the entered frame, which has states of type `S` and holds none.
    ///
    /// # Panics
    ///
    /// If no such frame is entered.
    #[inline(always)]
    pub fn keep<S: Send + 'static>(&mut self, layout: &'static FrameLayout<F>, state: S) {
        let (frame, at) =
            self.state_at::<S>(layout, 0).expect("a frame of this function without a state must be entered");
        // SAFETY: Stated: the frame has room for a state and holds none.
        unsafe { Self::put_state(frame.head(), at, state) };
        frame.flags().set(frame.flags().get() | HAS_STATE);
    }

    /// Writes a state into a frame. The caller sets the frame's flag.
    ///
    /// # Safety
    ///
    /// `head` is Live, has room for a state of type `S` at `at`, and holds none.
    #[inline(always)]
    pub(super) unsafe fn put_state<S>(head: *mut Head<F>, at: u32, state: S) {
        // SAFETY: by this function's contract; Stated.
        unsafe {
            if const { state_fits::<S>() } {
                Head::place::<S>(head, at).write(state);
            } else {
                Head::place::<Box<S>>(head, at).write(Box::new(state));
            }
        }
    }

    /// Returns the entered frame and the offset of its state. Returns `None` if its states are not of type
    /// `S`, its state flag differs from `flag`, or a state is borrowed.
    #[inline(always)]
    fn state_at<S: 'static>(
        &self,
        layout: &'static FrameLayout<F>,
        flag: u32,
    ) -> Option<(Frame<'_, F>, u32)> {
        let frame = self.entered_frame()?;
        if frame.flags().get() & HAS_STATE != flag || !self.lent.is_null() {
            return None;
        }
        // A layout is a constant, which rarely has several addresses.
        if ptr::eq(frame.layout(), layout) && layout.is_of::<S>() {
            return Some((frame, layout.state_at));
        }
        Some((frame, frame.layout().state_at_of::<S>()?))
    }

    /// Moves the state out of the entered frame, if it holds one of type `S`.
    #[inline(always)]
    pub fn take_state<S: Send + 'static>(&mut self, layout: &'static FrameLayout<F>) -> Option<S> {
        let (frame, at) = self.state_at::<S>(layout, HAS_STATE)?;
        // SAFETY: Stated, and the state is not borrowed.
        Some(unsafe { frame.move_state(at) })
    }
}

impl<F: Function> Frame<'_, F> {
    /// Moves the state out. The frame holds none afterwards.
    ///
    /// # Safety
    ///
    /// The frame holds a state of type `S` at `at`, which is not borrowed.
    #[inline(always)]
    pub(super) unsafe fn move_state<S>(self, at: u32) -> S {
        self.flags().set(self.flags().get() & !HAS_STATE);
        // SAFETY: by this function's contract; Stated.
        unsafe {
            if const { state_fits::<S>() } {
                Head::place::<S>(self.head(), at).read()
            } else {
                *Head::place::<Box<S>>(self.head(), at).read()
            }
        }
    }
}

/// Lends the state of the entered frame to `does`. `frames` finds the store in `context`, and `does` also
/// gets the context: it may make frames, signal any slot and store values, but not end this frame. Returns
/// `None` if no frame with a state of type `S` is entered, or a state is borrowed already.
#[inline(always)]
pub fn with_state<F: Function, C: ?Sized, S: Send + 'static, R>(
    context: &mut C,
    frames: impl Fn(&mut C) -> &mut Frames<F>,
    layout: &'static FrameLayout<F>,
    does: impl FnOnce(&mut S, &mut C) -> R,
) -> Option<R> {
    /// Ends the loan, even if `does` panics.
    struct Loan<'a, F: Function, C: ?Sized, G: Fn(&mut C) -> &mut Frames<F>> {
        context: &'a mut C,
        frames: G,
        head: *mut Head<F>,
    }
    impl<F: Function, C: ?Sized, G: Fn(&mut C) -> &mut Frames<F>> Drop for Loan<'_, F, C, G> {
        #[inline(always)]
        fn drop(&mut self) {
            let frames = (self.frames)(self.context);
            if ptr::eq(frames.lent, self.head) {
                frames.lent = ptr::null_mut();
            }
        }
    }

    let store = frames(context);
    let (frame, at) = store.state_at::<S>(layout, HAS_STATE)?;
    let head = frame.head();
    store.lent = head;
    let loan = Loan { context, frames, head };
    // SAFETY: Stated: while `lent` names the frame, no other code reaches the state, and its memory stays.
    let state = unsafe {
        if const { state_fits::<S>() } {
            &mut *Head::place::<S>(head, at)
        } else {
            &mut **Head::place::<Box<S>>(head, at)
        }
    };
    let outcome = does(state, loan.context);
    drop(loan);
    Some(outcome)
}
