//! The extras of frames: made for a frame that asks, laid out, found again, and given to another when its number serves a
//! function that has none.

use std::hint::cold_path;
use std::ptr;

use super::extra::Extra;
use super::id::FrameId;
use super::layout::{Family, FrameLayout, Laid, ROUNDS};
use super::store::{Frames, HAS_STATE, Head};
use super::tables::Extent;

impl<H: Family> Frames<H> {
    /// Lays out the arrays of a live frame that begins, if it has an extra. Its sizes are known by `numbers`: for frames of
    /// one layout that have the same, `sizes` gives the same for each declared slot, its extent, the count of the first round
    /// and that of later ones, and for each declared inlet, its extent. It is asked if no frame had them lately.
    ///
    /// # Panics
    ///
    /// If these are not as many as the function declares, an array of inlets is longer than the array of slots that it
    /// signals, or the frame holds a value already.
    pub fn lay_out<S, I>(&mut self, id: FrameId, numbers: &[u32], sizes: impl FnOnce() -> (S, I))
    where
        S: Iterator<Item = (Extent, u32, u32)>,
        I: Iterator<Item = Extent>,
    {
        let Some(head) = self.entered_or_live(id) else { return };
        // SAFETY: Live; Full: no inlet is; counts lie where the layout says.
        unsafe {
            let layout = Self::layout(head);
            if layout.extra_at == 0 {
                return;
            }
            // Elements move and become empty: the store would look for a value in a place that has none.
            let is_empty = (*head).mask == 0 && !Self::has_full_elsewhere(head);
            assert!(is_empty, "a frame is laid out before values come to it");
            let tables = self.tables.get(layout, numbers, sizes);
            (*head).flags = (*head).flags & !ROUNDS | tables.flags;
            for (slot, slots) in (0..).zip(&tables.slots) {
                Self::count_at(head, slot).write(slots.first);
            }
            self.make_extra(head, layout).lay_out(tables);
        }
    }

    /// Makes the frame of the fiber that runs, of the layout of `L`, which has an extra, with a state, and lays its arrays out,
    /// as [`lay_out`](Self::lay_out) does.
    ///
    /// # Panics
    ///
    /// If the layout has no extra, or states of another type, and as `lay_out` does.
    #[inline(always)]
    pub fn make_sized<L: Laid<H>, F: Send + 'static, S, I>(
        &mut self,
        state: F,
        numbers: &[u32],
        sizes: impl FnOnce() -> (S, I),
    ) -> FrameId
    where
        S: Iterator<Item = (Extent, u32, u32)>,
        I: Iterator<Item = Extent>,
    {
        assert!(
            L::FRAME.is_of::<F>() && L::FRAME.extra_at != 0,
            "a frame has states of one type, and an extra"
        );
        let tables = self.tables.get(L::FRAME, numbers, sizes);
        // SAFETY: Sized.
        let first = |slot: usize, _: &_| unsafe { tables.slots.get_unchecked(slot).first };
        let id = self.make_of(L::FRAME, tables.flags | HAS_STATE, first);
        // SAFETY: Entered; Stated: a new frame has room for a state, and nothing happens before it has one.
        unsafe {
            Self::put_state(self.entered, L::FRAME.state_at, state);
            self.make_extra(self.entered, L::FRAME).lay_out(tables);
        }
        id
    }

    /// The extra of a frame that begins, which is made if no frame of the number has had one.
    ///
    /// # Safety
    ///
    /// `head` is Live, of this layout, which has an extra; while the extra is used the store is not changed.
    #[inline(always)]
    unsafe fn make_extra<'a>(
        &mut self,
        head: *mut Head<H>,
        layout: &'static FrameLayout<H>,
    ) -> &'a mut Extra<H> {
        // SAFETY: by this function's contract; the pointer is null or a box of the frame's own.
        unsafe {
            let pointer = Self::place::<*mut Extra<H>>(head, layout.extra_at);
            if pointer.read().is_null() {
                cold_path();
                pointer.write(Box::into_raw(self.extras.pop().unwrap_or_default()));
            }
            &mut *pointer.read()
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

    /// The extra of the frame that is entered.
    #[inline(always)]
    pub(super) fn entered_extra(&self) -> Option<&Extra<H>> {
        if self.entered.is_null() {
            return None;
        }
        // SAFETY: Entered; the store is borrowed as long as the extra is.
        unsafe { Self::extra_of(self.entered) }
    }

    /// What the sizes of the frame that is entered are known by; `None` if it has no arrays.
    #[inline]
    pub fn entered_numbers(&self) -> Option<&[u32]> {
        self.entered_extra().map(Extra::numbers)
    }

    /// What the sizes of a live frame are known by, none if it has no arrays.
    pub fn numbers(&self, id: FrameId) -> &[u32] {
        // SAFETY: Live; the store is borrowed as long as the extra is.
        let extra = self.live(id).and_then(|head| unsafe { Self::extra_of(head) });
        extra.map_or(&[], Extra::numbers)
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
