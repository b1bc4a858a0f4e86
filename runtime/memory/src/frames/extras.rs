//! The extras of frames: how they are made, laid out and found, and how another frame gets an extra when the number of the
//! first serves a function without one.

use std::hint::cold_path;
use std::ptr;
use std::rc::Rc;

use super::extra::Extra;
use super::frame::Frame;
use super::head::{HAS_STATE, Head};
use super::id::FrameId;
use super::layout::{FrameLayout, Function, ROUNDS};

use super::store::Frames;
use super::tables::{Extents, Tables};

impl<F: Function> Frames<F> {
    /// Lays out the arrays of a live frame that begins, if it has an extra. Its sizes are known by `numbers`: for frames of
    /// one layout that have the same, `extents` gives the same. It is called if no frame had them lately.
    ///
    /// # Panics
    ///
    /// If the extents and the declarations differ in number, an array of inlets is longer than the array of slots that it
    /// signals, or the frame holds a value already.
    pub fn lay_out(&mut self, id: FrameId, numbers: &[u32], extents: impl FnOnce() -> Extents) {
        let Some(frame) = self.entered_or_live(id) else { return };
        let (head, layout) = (frame.head(), frame.layout());
        if layout.extra_at == 0 {
            return;
        }
        // Elements move and become empty: the store would look for a value in an empty place.
        let is_empty = frame.mask().get() == 0 && !frame.has_full_elsewhere();
        assert!(is_empty, "a frame is laid out before values come to it");
        let tables = self.tables.get(layout, numbers, extents);
        // SAFETY: Live; Sized: the layout has these slots.
        unsafe {
            let frame = Frame::new(head);
            frame.flags().set(frame.flags().get() & !ROUNDS | tables.flags);
            for (slot, slots) in (0..).zip(&tables.slots) {
                frame.count_at(slot).set(slots.first);
            }
            self.lay_out_extra(head, layout, tables);
        }
    }

    /// Makes the frame of the fiber that runs, of a layout that has an extra, with a state, and lays its arrays out, as
    /// [`lay_out`](Self::lay_out) does.
    ///
    /// # Panics
    ///
    /// If the layout has no extra, or states of another type, and as `lay_out` does.
    #[inline(always)]
    pub fn make_sized<S: Send + 'static>(
        &mut self,
        layout: &'static FrameLayout<F>,
        state: S,
        numbers: &[u32],
        extents: impl FnOnce() -> Extents,
    ) -> FrameId {
        assert!(layout.is_of::<S>() && layout.extra_at != 0, "a frame has states of one type, and an extra");
        let tables = self.tables.get(layout, numbers, extents);
        // SAFETY: Sized.
        let first = |slot: usize, _: &_| unsafe { tables.slots.get_unchecked(slot).first };
        let id = self.make_of(layout, tables.flags | HAS_STATE, first);
        // SAFETY: Entered; Stated: a new frame has room for a state, and gets it at once.
        unsafe {
            Self::put_state(self.entered, layout.state_at, state);
            self.lay_out_extra(self.entered, layout, tables);
        }
        id
    }

    /// Lays out the extra of a frame that begins, which is made if no frame of the number has had one.
    ///
    /// # Safety
    ///
    /// `head` is Live, of this layout, which has an extra. The tables are of that layout, too.
    #[inline(always)]
    unsafe fn lay_out_extra(
        &mut self,
        head: *mut Head<F>,
        layout: &'static FrameLayout<F>,
        tables: Rc<Tables<F>>,
    ) {
        // SAFETY: by this function's contract; the pointer is null or a box of the frame's own.
        unsafe {
            let pointer = Head::place::<*mut Extra<F>>(head, layout.extra_at);
            if let Some(extra) = pointer.read().as_mut() {
                return extra.lay_out(tables);
            }
            cold_path();
            let new = || Box::new(Extra::new(Rc::clone(&tables)));
            let mut extra = self.extras.pop().unwrap_or_else(new);
            extra.lay_out(tables);
            pointer.write(Box::into_raw(extra));
        }
    }

    /// The data of the user of frames in a live frame; `None` if no extra is made.
    pub fn user(&self, id: FrameId) -> Option<&F::Extra> {
        Some(&self.live(id)?.extra()?.user)
    }

    /// As [`user`](Self::user), to be changed.
    pub fn user_mut(&mut self, id: FrameId) -> Option<&mut F::Extra> {
        let head = self.live(id)?.head();
        // SAFETY: Live; the pointer is null or a box of the frame's own; the store is borrowed as long as the extra is.
        unsafe { Head::extra_at(head).as_mut() }.map(|extra| &mut extra.user)
    }

    /// The key of the sizes of the frame that is entered; `None` if it has no arrays.
    #[inline]
    pub fn entered_numbers(&self) -> Option<&[u32]> {
        Some(&self.entered_frame()?.extra()?.tables.numbers)
    }

    /// The key of the sizes of a live frame, empty if it has no arrays.
    pub fn numbers(&self, id: FrameId) -> &[u32] {
        self.live(id).and_then(Frame::extra).map_or(&[], |extra| &extra.tables.numbers)
    }

    /// Takes the extra that the last frame of this number had and the next one, of another layout, does not.
    ///
    /// # Safety
    ///
    /// `head` is a frame that has ended or never was.
    #[cold]
    #[inline(never)]
    pub(super) unsafe fn recycle_extra(&mut self, head: *mut Head<F>, next: &'static FrameLayout<F>) {
        // SAFETY: a frame that lived here has a layout; with an extra, its pointer is there.
        unsafe {
            if !(*head).layout.is_null() && !Head::extra_at(head).is_null() {
                self.extras.push(Box::from_raw(Head::extra_at(head)));
            }
            if next.extra_at != 0 {
                Head::place::<*mut Extra<F>>(head, next.extra_at).write(ptr::null_mut());
            }
        }
    }
}
