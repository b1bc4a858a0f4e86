//! The values of one round of a slot, on their way from the store that counts signals to the one whose fiber takes them.
//!
//! Both stores have a frame of one layout under one identity. The values leave their inlets in the one, and come into the same
//! inlets in the other, in the words of a [`Handed`]: so a fiber of two numbers is handed over with two words.
//!
//! # Invariant
//!
//! * **Packed.** The words hold the values of all inlets that the slot counts, one after another, each from the beginning of
//!   a word on.

use std::mem::{ManuallyDrop, MaybeUninit};

use super::id::FrameId;
use super::layout::{Family, FrameLayout, InletLayout, SlotLayout, ValueOf};
use super::store::{Frames, Head};
use crate::erased::{FirstPanic, drop_erased};
use crate::kind::Kind;
use crate::parcel::Parcel;

type Word = MaybeUninit<u64>;

/// The values of the inlets that a slot counts, at most `N` words, out of their frame.
pub struct Handed<H: Family, const N: usize> {
    layout: &'static FrameLayout<H>,
    slot: u32,
    words: [Word; N],
}

// SAFETY: the values are `Send`, and the layout is a constant.
unsafe impl<H: Family, const N: usize> Send for Handed<H, N> {}

/// How many words the value of an inlet takes.
const fn words_of<D: super::layout::Declared>(inlet: &InletLayout<D>) -> usize {
    inlet.kind.size.div_ceil(8) as usize
}

/// Copies a value, a word as one.
///
/// # Safety
///
/// A value of this kind lies at `from`, and there is room for it at `to`.
#[inline(always)]
#[expect(clippy::cast_ptr_alignment, reason = "both places are ones for such a value")]
unsafe fn copy<V>(kind: &Kind<V>, from: *const u8, to: *mut u8) {
    // SAFETY: by this function's contract; the words of a value are copied as `MaybeUninit`.
    unsafe {
        if (kind.size, kind.align) == (8, 8) {
            to.cast::<Word>().write_volatile(from.cast::<Word>().read_volatile());
        } else {
            from.copy_to_nonoverlapping(to, kind.size as usize);
        }
    }
}

impl<H: Family> FrameLayout<H> {
    /// The inlets that a slot counts.
    #[inline(always)]
    fn inlets_of(&self, slot: &SlotLayout<H::Declared>) -> &'static [InletLayout<H::Declared>] {
        &self.inlets[slot.first_inlet as usize..][..slot.inlets as usize]
    }
}

impl<H: Family> Frames<H> {
    /// How many words the values of a slot of a live frame take that can be [handed over](Self::hand_over_words) all at once:
    /// none if that is an element of an array, or counts one.
    #[inline(always)]
    pub fn words_of(&self, id: FrameId, slot: u32) -> Option<usize> {
        let head = self.live(id)?;
        // SAFETY: Live.
        let layout = unsafe { Self::layout(head) };
        let place = layout.slots.get(slot as usize)?;
        let inlets = layout.inlets_of(place);
        if inlets.iter().any(InletLayout::is_array) {
            return None;
        }
        Some(inlets.iter().map(words_of).sum())
    }

    /// Takes the values of a slot that has [so many words](Self::words_of) out of their inlets; `None`, and nothing is changed,
    /// if one of them is empty or they have more words.
    #[inline(always)]
    pub fn hand_over_words<const N: usize>(&mut self, id: FrameId, slot: u32) -> Option<Handed<H, N>> {
        let head = self.live(id)?;
        // SAFETY: Live; Full: all inlets hold values, and none does afterwards; Packed.
        unsafe {
            let layout = Self::layout(head);
            let inlets = layout.inlets_of(layout.slots.get(slot as usize)?);
            if inlets.iter().map(words_of).sum::<usize>() > N || !Self::are_full(head, inlets, true) {
                return None;
            }
            let mut words = [const { Word::uninit() }; N];
            let mut at = 0;
            for inlet in inlets {
                copy(inlet.kind, Self::place(head, inlet.at), words.as_mut_ptr().add(at).cast());
                *Self::place::<u32>(head, inlet.mask_at) &= !inlet.bit;
                at += words_of(inlet);
            }
            Some(Handed { layout, slot, words })
        }
    }

    /// Whether these inlets are all full, or all empty. An array is neither.
    ///
    /// # Safety
    ///
    /// `head` is Live, and of the layout that has these inlets.
    #[inline(always)]
    unsafe fn are_full(head: *mut Head<H>, inlets: &[InletLayout<H::Declared>], full: bool) -> bool {
        inlets.iter().all(|inlet| {
            // SAFETY: by this function's contract; masks lie where the layout says.
            inlet.bit != 0 && unsafe { *Self::place::<u32>(head, inlet.mask_at) & inlet.bit != 0 } == full
        })
    }

    /// Whether a single inlet that a slot of a live frame counts holds a value.
    pub fn holds_any(&self, id: FrameId, slot: u32) -> bool {
        let Some(head) = self.live(id) else { return false };
        // SAFETY: Live.
        unsafe {
            let layout = Self::layout(head);
            let inlets = layout.slots.get(slot as usize).map_or(&[][..], |slot| layout.inlets_of(slot));
            inlets
                .iter()
                .any(|inlet| !inlet.is_array() && Self::are_full(head, std::slice::from_ref(inlet), true))
        }
    }

    /// Puts values into the inlets that they left in another store, without a signal. They are given back if there is no
    /// such frame here or one of the inlets is full.
    #[inline(always)]
    pub fn take_over<const N: usize>(
        &mut self,
        id: FrameId,
        handed: Handed<H, N>,
    ) -> Result<(), Handed<H, N>> {
        let Some(head) = self.live(id).filter(|head| Self::is(*head, handed.layout)) else {
            return Err(handed);
        };
        // SAFETY: Live, of the layout that the values are of; Packed: empty inlets have room for them and are full
        // afterwards.
        unsafe {
            let inlets = handed.inlets();
            if !Self::are_full(head, inlets, false) {
                return Err(handed);
            }
            let handed = ManuallyDrop::new(handed);
            let mut at = 0;
            for inlet in inlets {
                copy(inlet.kind, handed.words.as_ptr().add(at).cast(), Self::place(head, inlet.at));
                *Self::place::<u32>(head, inlet.mask_at) |= inlet.bit;
                at += words_of(inlet);
            }
        }
        Ok(())
    }
}

impl<H: Family, const N: usize> Handed<H, N> {
    #[inline(always)]
    fn inlets(&self) -> &'static [InletLayout<H::Declared>] {
        self.layout.inlets_of(&self.layout.slots[self.slot as usize])
    }

    /// Gives out the values one by one, with the numbers of their inlets.
    pub fn give(self, mut give: impl FnMut(u32, Parcel<ValueOf<H>>)) {
        let first = self.layout.slots[self.slot as usize].first_inlet;
        let this = ManuallyDrop::new(self);
        let mut at = 0;
        // If one call unwinds, the values behind are leaked: nothing that holds them is left to drop them.
        for (number, inlet) in (first..).zip(this.inlets()) {
            // SAFETY: Packed, and each value is read once.
            give(number, unsafe { Parcel::from_memory(inlet.kind, this.words.as_ptr().add(at).cast()) });
            at += words_of(inlet);
        }
    }
}

impl<H: Family, const N: usize> Drop for Handed<H, N> {
    fn drop(&mut self) {
        let mut panics = FirstPanic::none();
        let mut at = 0;
        for inlet in self.inlets() {
            if let Some(drop) = inlet.kind.drop {
                // SAFETY: Packed, and nothing is used after this drop.
                panics.catch(|| unsafe { drop_erased(drop, self.words.as_mut_ptr().add(at).cast()) });
            }
            at += words_of(inlet);
        }
        panics.resume();
    }
}

impl<H: Family, const N: usize> std::fmt::Debug for Handed<H, N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Handed").field("slot", &self.slot).finish_non_exhaustive()
    }
}
