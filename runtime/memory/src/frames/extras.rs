//! The extras of frames: how they are made, laid out and found. When a frame's number changes to a function
//! without an extra, the store keeps the extra for another frame.

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
    /// Lays out the arrays of a live frame that begins, if it has an extra. `numbers` is the key of the
    /// sizes: for frames of one layout with equal numbers, `extents` must return equal extents. It is called
    /// only if the store has no table for this key.
    ///
    /// # Panics
    ///
    /// If the extents and the declarations differ in number, an array of inlets is longer than the array of
    /// slots that it signals, or the frame already holds a value.
    pub fn lay_out(&mut self, id: FrameId, numbers: &[u32], extents: impl FnOnce() -> Extents) {
        let Some(frame) = self.entered_or_live(id) else { return };
        let (head, layout) = (frame.head(), frame.layout());
        if layout.extra_at == 0 {
            return;
        }
        // Laying out moves elements and marks them empty, so a value would be lost.
        let is_empty = frame.mask().get() == 0 && !frame.has_full_elsewhere();
        assert!(is_empty, "a frame that holds values cannot be laid out");
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

    /// Makes the frame of the running fiber with a state and lays out its arrays, as
    /// [`lay_out`](Self::lay_out) does. The layout must have an extra.
    ///
    /// # Panics
    ///
    /// If the layout has no extra or has states of another type, and as `lay_out` does.
    #[inline(always)]
    pub fn make_sized<S: Send + 'static>(
        &mut self,
        layout: &'static FrameLayout<F>,
        state: S,
        numbers: &[u32],
        extents: impl FnOnce() -> Extents,
    ) -> FrameId {
        assert!(
            layout.is_of::<S>() && layout.extra_at != 0,
            "a state must have the layout's type, and the layout an extra"
        );
        let tables = self.tables.get(layout, numbers, extents);
        // SAFETY: Sized.
        let first = |slot: usize, _: &_| unsafe { tables.slots.get_unchecked(slot).first };
        let id = self.make_of(layout, tables.flags | HAS_STATE, first);
        // SAFETY: Entered; Stated: a new frame has room for a state, and gets it here.
        unsafe {
            Self::put_state(self.entered, layout.state_at, state);
            self.lay_out_extra(self.entered, layout, tables);
        }
        id
    }

    /// Lays out the extra of a frame that begins. Makes the extra first if no frame of the number has had
    /// one.
    ///
    /// # Safety
    ///
    /// `head` is Live and has this layout, which has an extra. The tables belong to that layout.
    #[inline(always)]
    unsafe fn lay_out_extra(
        &mut self,
        head: *mut Head<F>,
        layout: &'static FrameLayout<F>,
        tables: Rc<Tables<F>>,
    ) {
        // SAFETY: by this function's contract. The pointer is null or a box of the frame's own.
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

    /// Returns the runtime's data in a live frame, or `None` if it has no extra yet.
    pub fn user(&self, id: FrameId) -> Option<&F::Extra> {
        Some(&self.live(id)?.extra()?.user)
    }

    /// Returns the runtime's data for writing, as [`user`](Self::user) does.
    pub fn user_mut(&mut self, id: FrameId) -> Option<&mut F::Extra> {
        let head = self.live(id)?.head();
        // SAFETY: Live. The pointer is null or a box of the frame's own. The store is borrowed as long as the
        // extra is.
        unsafe { Head::extra_at(head).as_mut() }.map(|extra| &mut extra.user)
    }

    /// Returns the key of the sizes of the entered frame, or `None` if it has no arrays.
    #[inline]
    pub fn entered_numbers(&self) -> Option<&[u32]> {
        Some(&self.entered_frame()?.extra()?.tables.numbers)
    }

    /// Returns the key of the sizes of a live frame. It is empty if the frame has no arrays.
    pub fn numbers(&self, id: FrameId) -> &[u32] {
        self.live(id).and_then(Frame::extra).map_or(&[], |extra| &extra.tables.numbers)
    }

    /// Takes the extra of the last frame of this number, when the next frame has another layout.
    ///
    /// # Safety
    ///
    /// `head` is a frame that has ended or never existed.
    #[cold]
    #[inline(never)]
    pub(super) unsafe fn recycle_extra(&mut self, head: *mut Head<F>, next: &'static FrameLayout<F>) {
        // SAFETY: a frame that lived here has a layout. If the layout has an extra, the pointer to it exists.
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
