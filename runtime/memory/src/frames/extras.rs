//! The extras of frames: made for a frame that asks, laid out, found again, and given to another when its number serves a
//! function that has none.

use std::ptr;

use super::extra::{Extent, Extra};
use super::id::FrameId;
use super::layout::{Family, FrameLayout, ROUNDS};
use super::store::{Frames, Head};

impl<H: Family> Frames<H> {
    /// The extra of a live frame, made if there is none yet; `None` if the frame is not live or its layout has none. A
    /// frame's extra is that of the last frame of its number until it is laid out.
    fn extra(&mut self, id: FrameId) -> Option<&mut Extra<H>> {
        let head = self.live(id)?;
        // SAFETY: Live; the pointer is null or a box of the frame's own.
        unsafe {
            let at = Self::layout(head).extra_at;
            if at == 0 {
                return None;
            }
            let pointer = Self::place::<*mut Extra<H>>(head, at);
            if pointer.read().is_null() {
                pointer.write(Box::into_raw(self.extras.pop().unwrap_or_default()));
            }
            Some(&mut *pointer.read())
        }
    }

    /// Lays out the arrays of a live frame that begins, which has an extra: for each declared slot its extent, the count of
    /// the first round and that of later ones; for each declared inlet its extent.
    ///
    /// # Panics
    ///
    /// If these are not as many as the function declares, an array of inlets is longer than the array of slots that it
    /// signals.
    pub fn lay_out(
        &mut self,
        id: FrameId,
        slots: impl ExactSizeIterator<Item = (Extent, u32, u32)>,
        inlets: impl ExactSizeIterator<Item = Extent>,
    ) {
        let Some(head) = self.live(id) else { return };
        let Some(extra) = self.extra(id) else { return };
        // SAFETY: Live; counts lie where the layout says.
        unsafe {
            let flags = extra.lay_out(Self::layout(head), slots, inlets);
            (*head).flags = (*head).flags & !ROUNDS | flags;
            for (slot, slots) in (0..).zip(&extra.slots) {
                Self::count_at(head, slot).write(slots.first);
            }
        }
    }

    /// Where the extra of a frame is; null if it has none, or none is made.
    ///
    /// # Safety
    ///
    /// `head` is a frame that lives or has lived.
    #[inline(always)]
    pub(super) unsafe fn extra_at(head: *mut Head<H>) -> *mut Extra<H> {
        // SAFETY: by this function's contract; the pointer lies where the layout says.
        unsafe {
            match Self::layout(head).extra_at {
                0 => ptr::null_mut(),
                at => Self::place::<*mut Extra<H>>(head, at).read(),
            }
        }
    }

    /// The extra of a frame, if it has one.
    ///
    /// # Safety
    ///
    /// `head` is a frame that lives or has lived; while the extra is used the store is not changed.
    #[inline(always)]
    pub(super) unsafe fn extra_of<'a>(head: *mut Head<H>) -> Option<&'a Extra<H>> {
        // SAFETY: by this function's contract; the pointer is null or a box of the frame's own.
        unsafe { Self::extra_at(head).as_ref() }
    }

    /// What the user of frames keeps with a live frame; `None` if the frame has no extra, or none is made yet.
    pub fn user(&self, id: FrameId) -> Option<&H::Extra> {
        // SAFETY: Live; the store is borrowed as long as the extra is.
        self.live(id).and_then(|head| unsafe { Self::extra_of(head) }).map(|extra| &extra.user)
    }

    /// As [`user`](Self::user), to be changed.
    pub fn user_mut(&mut self, id: FrameId) -> Option<&mut H::Extra> {
        // SAFETY: Live; the pointer is null or a box of the frame's own; the store is borrowed as long as the extra is.
        self.live(id).and_then(|head| unsafe { Self::extra_at(head).as_mut() }).map(|extra| &mut extra.user)
    }

    /// As [`user`](Self::user), of the frame that is entered.
    #[inline]
    pub fn entered_user(&self) -> Option<&H::Extra> {
        if self.entered.is_null() {
            return None;
        }
        // SAFETY: Entered; the store is borrowed as long as the extra is.
        unsafe { Self::extra_of(self.entered) }.map(|extra| &extra.user)
    }

    /// Takes the extra that the last frame of this number had and the next one does not.
    ///
    /// # Safety
    ///
    /// `head` is a frame that has ended or never was.
    #[cold]
    #[inline(never)]
    pub(super) unsafe fn recycle_extra(&mut self, head: *mut Head<H>, next: &'static FrameLayout<H>) {
        // SAFETY: a frame that lived here has a layout; with an extra, its pointer lies there.
        unsafe {
            let last = (*head).layout;
            let at = if last.is_null() { 0 } else { (*last).extra_at };
            if at != 0 && !ptr::eq(last, next) {
                let extra = Self::place::<*mut Extra<H>>(head, at).read();
                if !extra.is_null() {
                    let mut extra = Box::from_raw(extra);
                    extra.clear();
                    self.extras.push(extra);
                }
            }
            if next.extra_at != 0 && !ptr::eq(last, next) {
                Self::place::<*mut Extra<H>>(head, next.extra_at).write(ptr::null_mut());
            }
        }
    }
}
