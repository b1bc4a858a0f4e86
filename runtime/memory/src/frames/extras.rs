//! The extras of frames: made for a frame that asks, laid out, found again, and given to another when its number serves a
//! function that has none.

use std::ptr;

use super::extra::{Extent, Extra};
use super::layout::{Family, FrameLayout, ROUNDS};
use super::store::{Frames, Head};

impl<H: Family> Frames<H> {
    /// The extra of a live frame, made if there is none yet; `None` if the frame is not live or its layout has none. A
    /// frame's extra is that of the last frame of its number until it is laid out.
    fn extra(&mut self, id: u64) -> Option<&mut Extra<H>> {
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

    /// Has the arrays of a live frame begin as they are, if they are those of the last frame of its number, a frame of the
    /// same function, and `as_before` says of what its user kept with that one that the sizes are the same. Returns whether.
    pub fn begin_as_before(&mut self, id: u64, as_before: impl FnOnce(&H::Extra) -> bool) -> bool {
        let Some(head) = self.live(id) else { return false };
        // SAFETY: Live; the pointer is null or a box of the frame's own.
        match unsafe { Self::extra_at(head).as_mut() } {
            // SAFETY: Live, and the extra is its own.
            Some(extra) if as_before(&extra.user) => unsafe { Self::begin_extra(head, extra) },
            _ => false,
        }
    }

    /// Lays out the arrays of a live frame that begins, which has an extra: for each declared slot its extent, the count of
    /// the first round and that of later ones; for each declared inlet its extent. Returns what its user keeps with it.
    ///
    /// # Panics
    ///
    /// If these are not as many as the function declares, an array of inlets is longer than the array of slots that it
    /// signals.
    pub fn lay_out(
        &mut self,
        id: u64,
        slots: impl ExactSizeIterator<Item = (Extent, u32, u32)>,
        inlets: impl ExactSizeIterator<Item = Extent>,
    ) -> Option<&mut H::Extra> {
        let head = self.live(id)?;
        let extra = self.extra(id)?;
        // SAFETY: Live, and the extra is its own.
        unsafe {
            extra.lay_out(Self::layout(head), slots, inlets);
            Self::begin_extra(head, extra);
        }
        Some(&mut extra.user)
    }

    /// Has the arrays of a frame begin as they are laid out, and its single slots with them. Returns whether they are.
    ///
    /// # Safety
    ///
    /// `head` is Live, and `extra` is its extra.
    unsafe fn begin_extra(head: *mut Head<H>, extra: &mut Extra<H>) -> bool {
        let Some(flags) = extra.begin() else { return false };
        // SAFETY: by this function's contract; counts lie where the layout says.
        unsafe {
            (*head).flags = (*head).flags & !ROUNDS | flags;
            for (slot, slots) in (0..).zip(&extra.slots) {
                Self::count_at(head, slot).write(slots.first);
            }
        }
        true
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
    pub fn user(&self, id: u64) -> Option<&H::Extra> {
        // SAFETY: Live; the store is borrowed as long as the extra is.
        self.live(id).and_then(|head| unsafe { Self::extra_of(head) }).map(|extra| &extra.user)
    }

    /// As [`user`](Self::user), to be changed.
    pub fn user_mut(&mut self, id: u64) -> Option<&mut H::Extra> {
        // SAFETY: Live; the pointer is null or a box of the frame's own; the store is borrowed as long as the extra is.
        self.live(id).and_then(|head| unsafe { Self::extra_at(head).as_mut() }).map(|extra| &mut extra.user)
    }

    /// The extra of the frame that is entered.
    #[inline(always)]
    pub(super) fn entered_extra(&self) -> Option<&Extra<H>> {
        if self.entered.is_null() {
            return None;
        }
        // SAFETY: Entered; the store is borrowed as long as the extra is.
        unsafe { Self::extra_of(self.entered) }
    }

    /// As [`user`](Self::user), of the frame that is entered.
    #[inline]
    pub fn entered_user(&self) -> Option<&H::Extra> {
        self.entered_extra().map(|extra| &extra.user)
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
