//! The values of one round of a slot, in transit from the store that counts signals to the store whose fiber
//! takes them.
//!
//! Both stores have a frame of one layout under one identity. The inlets that a slot counts are contiguous in
//! a frame, so the values of a round are one range of its bytes. A [`Handed`] carries the words of this range
//! from the first store to the same bytes in the second. So handing over a fiber of two numbers takes two
//! words.
//!
//! # Invariant
//!
//! * **Packed.** The words hold the bytes that the values of all inlets of the slot have in a frame of the
//!   layout. They start at the word of the frame that contains the beginning of the first value.

use std::mem::{ManuallyDrop, MaybeUninit};
use std::ptr;

use super::frame::Frame;
use super::head::{Head, PARKED};
use super::id::FrameId;
use super::layout::{FrameLayout, Function, InletLayout, SlotLayout, Spot};
use super::store::Frames;
use crate::erased::{FirstPanic, drop_erased};
use crate::parcel::Parcel;

type Word = MaybeUninit<u64>;

const WORD: u32 = 8;

/// The values of the inlets that a slot counts, at most `N` words, taken out of their frame.
pub struct Handed<F: Function, const N: usize> {
    layout: &'static FrameLayout<F>,
    /// Number of the slot, which fits in 32 bits. It is stored as a word, so that a word-sized copy reads
    /// what a word-sized store wrote.
    slot: u64,
    words: [Word; N],
}

// SAFETY: the values are `Send`. The layout is a constant whose hooks are `Sync`, by the bounds of
// `Function`.
unsafe impl<F: Function, const N: usize> Send for Handed<F, N> {}

/// The values that the fiber of a slot takes, in the fast cases.
pub enum FastRound<'a, F: Function, const N: usize> {
    /// The values of the round.
    Values(FullRound<'a, F, N>),
    /// No values: the slot counts no inlets.
    Nothing,
    /// Any other case, or another frame is the recent one.
    Other,
}

/// A round with at most `N` words of values. All its inlets are full and have bits in the first mask.
pub struct FullRound<'a, F: Function, const N: usize> {
    frame: Frame<'a, F>,
    place: &'static SlotLayout,
    first: &'static Spot,
    slot: u32,
}

impl Spot {
    /// Returns the offset of the word that contains the beginning of the value.
    const fn base(&self) -> u32 {
        self.at / WORD * WORD
    }

    /// Copies the values of the slot that has this first inlet. `from` and `to` are the addresses of the word
    /// at `base` on both sides.
    ///
    /// # Safety
    ///
    /// Both sides have `value_words` words, at most `N`.
    #[inline(always)]
    unsafe fn copy<const N: usize>(&self, from: *const Word, to: *mut Word) {
        // SAFETY: by this function's contract.
        unsafe {
            if !(self.at | self.end).is_multiple_of(WORD) {
                let (skip, bytes) = ((self.at - self.base()) as usize, (self.end - self.at) as usize);
                from.cast::<u8>().add(skip).copy_to_nonoverlapping(to.cast::<u8>().add(skip), bytes);
                return;
            }
            // Word by word, as they were written and will be read: a load wider than the store before it
            // waits for that store. The bound is a compile-time constant, so few words are copied without a
            // loop.
            for at in 0..N {
                if at as u32 == self.value_words {
                    break;
                }
                to.add(at).write_volatile(from.add(at).read_volatile());
            }
        }
    }
}

impl<F: Function> FrameLayout<F> {
    #[inline(always)]
    fn inlets_of(&self, slot: &SlotLayout) -> &'static [InletLayout<F::Value>] {
        &self.inlets[slot.first_inlet as usize..][..slot.inlets as usize]
    }

    /// Returns the spot of the first inlet that a slot of the layout counts.
    ///
    /// # Safety
    ///
    /// The slot counts an inlet.
    #[inline(always)]
    unsafe fn first_spot(&self, slot: &SlotLayout) -> &'static Spot {
        // SAFETY: by this function's contract. The layout has checked that slots count its own inlets.
        unsafe { &self.inlets.get_unchecked(slot.first_inlet as usize).spot }
    }
}

impl<F: Function> Frames<F> {
    /// Returns the values of a declared slot whose round is over, in the common case: the recent frame has
    /// the slot, and no value is [parked](Frames::park) at the frame.
    #[inline(always)]
    pub fn fast_round<const N: usize>(&mut self, id: FrameId, slot: u32) -> FastRound<'_, F, N> {
        let head = self.recent.get();
        // SAFETY: Still; Live: a head is always present.
        let frame = unsafe {
            if (*head).id != id.word() {
                return FastRound::Other;
            }
            Frame::new(head)
        };
        if frame.flags().get() & PARKED != 0 { FastRound::Other } else { frame.round(slot) }
    }

    /// Returns the values of any slot of a live frame whose round is over, if they fit in `N` words and none
    /// belongs to an array.
    pub fn round<const N: usize>(&mut self, id: FrameId, slot: u32) -> FastRound<'_, F, N> {
        let Some(frame) = self.recent_or_live(id, false) else { return FastRound::Other };
        let array = frame.extra().and_then(|extra| extra.tables.slot(slot));
        match array {
            Some((_, declared, _)) if frame.layout().slots[declared].inlets == 0 => FastRound::Nothing,
            _ => frame.round(slot),
        }
    }

    /// Whether an inlet that is no array, and that a slot of a live frame counts, holds a value.
    pub fn holds_any(&self, id: FrameId, slot: u32) -> bool {
        let Some(frame) = self.live(id) else { return false };
        let layout = frame.layout();
        let inlets = layout.slots.get(slot as usize).map_or(&[][..], |slot| layout.inlets_of(slot));
        // SAFETY: the spots belong to the layout.
        inlets.iter().any(|inlet| !inlet.array && unsafe { frame.is_full_at(&inlet.spot) })
    }

    /// Stores values in the inlets that they had in another store, without a signal. Returns the values if no
    /// such frame exists here or one of the inlets is full.
    #[inline(always)]
    pub fn take_over<const N: usize>(
        &mut self,
        id: FrameId,
        handed: Handed<F, N>,
    ) -> Result<(), Handed<F, N>> {
        let Some(frame) = self.live(id).filter(|frame| ptr::eq(frame.layout(), handed.layout)) else {
            return Err(handed);
        };
        // SAFETY: the frame has the layout of the values. Packed: the slot counts an inlet. Empty inlets have
        // room for the values and are full afterwards.
        unsafe {
            let (layout, slot) = (handed.layout, handed.layout.slots.get_unchecked(handed.slot as usize));
            let first = *layout.first_spot(slot);
            let (mask, counted) = (frame.mask().get(), slot.due.counted as u32);
            if mask & counted != 0 {
                return Err(handed);
            }
            frame.mask().set(mask | counted);
            let handed = ManuallyDrop::new(handed);
            first.copy::<N>(handed.words.as_ptr(), Head::place(frame.head(), first.base()));
        }
        // Its fiber usually runs next.
        self.recent.set(frame.head());
        Ok(())
    }
}

impl<'a, F: Function> Frame<'a, F> {
    /// Returns the values of a declared slot whose round is over.
    #[inline(always)]
    fn round<const N: usize>(self, slot: u32) -> FastRound<'a, F, N> {
        let layout = self.layout();
        let Some(place) = layout.slots.get(slot as usize) else { return FastRound::Other };
        if place.inlets == 0 {
            return FastRound::Nothing;
        }
        // SAFETY: the slot counts an inlet.
        let first = unsafe { layout.first_spot(place) };
        let fits = first.value_words as usize <= N;
        let full = !self.mask().get() & place.due.counted as u32 == 0;
        if fits && full {
            FastRound::Values(FullRound { frame: self, place, first, slot })
        } else {
            FastRound::Other
        }
    }
}

impl<F: Function, const N: usize> FullRound<'_, F, N> {
    /// Takes the values out of their inlets.
    #[inline(always)]
    pub fn take(self) -> Handed<F, N> {
        let FullRound { frame, place, first, slot } = self;
        frame.mask().set(frame.mask().get() ^ place.due.counted as u32);
        // SAFETY: Full: all inlets held values, and none does now; Packed.
        unsafe {
            // Unused words get a copy of the first word of the head. Without a variable loop count the words
            // stay in registers.
            let (from, head) = (Head::place::<Word>(frame.head(), first.base()), frame.head().cast::<Word>());
            let words = std::array::from_fn(|at| {
                (if at < first.value_words as usize { from.add(at) } else { head }).read_volatile()
            });
            Handed { layout: frame.layout(), slot: u64::from(slot), words }
        }
    }
}

impl<F: Function, const N: usize> Handed<F, N> {
    /// Returns the number of the slot.
    #[inline(always)]
    pub fn slot(&self) -> u32 {
        self.slot as u32
    }

    #[inline(always)]
    fn counts(&self) -> &'static SlotLayout {
        &self.layout.slots[self.slot as usize]
    }

    /// Iterates over the inlets, each with the offset of its value in the words.
    fn places(&self) -> impl Iterator<Item = (&'static InletLayout<F::Value>, usize)> + use<F, N> {
        let inlets = self.layout.inlets_of(self.counts());
        let base = inlets.first().map_or(0, |first| first.spot.base());
        inlets.iter().map(move |inlet| (inlet, (inlet.spot.at - base) as usize))
    }

    /// Passes the values one by one to `give`, with the numbers of their inlets.
    pub fn give(self, mut give: impl FnMut(u32, Parcel<F::Value>)) {
        let first = self.counts().first_inlet;
        let this = ManuallyDrop::new(self);
        // If one call unwinds, the remaining values are leaked, since no owner is left to drop them.
        for (number, (inlet, at)) in (first..).zip(this.places()) {
            // SAFETY: Packed, and each value is read once.
            give(number, unsafe {
                Parcel::from_memory(inlet.kind, this.words.as_ptr().cast::<u8>().add(at))
            });
        }
    }
}

impl<F: Function, const N: usize> Drop for Handed<F, N> {
    fn drop(&mut self) {
        let mut panics = FirstPanic::none();
        for (inlet, at) in self.places() {
            if let Some(drop) = inlet.kind.drop {
                // SAFETY: Packed. No value is used after this drop.
                panics.catch(|| unsafe { drop_erased(drop, self.words.as_mut_ptr().cast::<u8>().add(at)) });
            }
        }
        panics.resume();
    }
}

impl<F: Function, const N: usize> std::fmt::Debug for Handed<F, N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Handed").field("slot", &self.slot).finish_non_exhaustive()
    }
}
