//! The values of one round of a slot, on their way from the store that counts signals to the one whose fiber takes them.
//!
//! Both stores have a frame of one layout under one identity. The inlets that a slot counts lie one behind another in a frame,
//! so the values of a round are one range of its bytes: they leave it in the one store, and come into the same bytes in the
//! other, in the words of a [`Handed`]. So a fiber of two numbers is handed over with two words.
//!
//! # Invariant
//!
//! * **Packed.** The words hold the bytes that the values of all inlets that the slot counts have in a frame of the layout,
//!   from the word of the frame on in which the first of them begins.

use std::mem::{ManuallyDrop, MaybeUninit};
use std::ptr;

use super::frame::Frame;
use super::head::{Head, PARKED};
use super::id::FrameId;
use super::layout::{FrameLayout, Function, InletLayout, MASK_BITS, SlotLayout, Spot};

use super::store::Frames;
use crate::erased::{FirstPanic, drop_erased};
use crate::parcel::Parcel;

type Word = MaybeUninit<u64>;

/// How many bytes a word has.
const WORD: u32 = 8;

/// The values of the inlets that a slot counts, at most `N` words, out of their frame.
pub struct Handed<F: Function, const N: usize> {
    layout: &'static FrameLayout<F>,
    /// A number of 32 bits, as a word: what is copied as one is written as one.
    slot: u64,
    words: [Word; N],
}

// SAFETY: the values are `Send`, and the layout is a constant whose hooks are `Sync`, by the bounds of `Function`.
unsafe impl<F: Function, const N: usize> Send for Handed<F, N> {}

/// The values that the fiber of a slot takes.
pub enum Near<'a, F: Function, const N: usize> {
    /// These values.
    Values(NearRound<'a, F, N>),
    /// No values: the slot counts no inlets.
    Nothing,
    /// Something else, or the frame is another one: see [`round`](Frames::round).
    Other,
}

/// A round of at most `N` whole words of values. All its inlets are full and have bits in the first mask. No value is
/// [parked](Frames::park) at its frame.
pub struct NearRound<'a, F: Function, const N: usize> {
    frame: Frame<'a, F>,
    place: &'static SlotLayout,
    first: &'static Spot,
    slot: u32,
}

/// A slot of a live frame whose round is over, which counts single inlets or none.
pub struct Round<'a, F: Function> {
    frame: Frame<'a, F>,
    /// The slot, if it counts inlets, and the first of these.
    counts: Option<(u32, &'static SlotLayout, &'static Spot)>,
}

impl Spot {
    /// Where the word begins in which the value does.
    const fn base(&self) -> u32 {
        self.at / WORD * WORD
    }

    /// How many words the values of a slot take from the base of its first inlet on, which this is.
    const fn words(&self) -> usize {
        (self.end - self.base()).div_ceil(WORD) as usize
    }

    /// Copies the values of a slot, whose first inlet this is. Each side is given by where the word of the base is.
    ///
    /// # Safety
    ///
    /// Both have [`words`](Self::words) words, which are `N` at most.
    #[inline(always)]
    unsafe fn copy<const N: usize>(&self, from: *const Word, to: *mut Word) {
        // SAFETY: by this function's contract.
        unsafe {
            if self.near_words == 0 {
                let (skip, bytes) = ((self.at - self.base()) as usize, (self.end - self.at) as usize);
                from.cast::<u8>().add(skip).copy_to_nonoverlapping(to.cast::<u8>().add(skip), bytes);
                return;
            }
            // Word by word, as they were written and will be read: a load that is wider than the store before it waits for
            // that. Counted at compile time, so that few words are copied without a loop.
            for at in 0..N {
                if at as u32 == self.near_words {
                    break;
                }
                to.add(at).write_volatile(from.add(at).read_volatile());
            }
        }
    }
}

impl<F: Function> FrameLayout<F> {
    /// The inlets that a slot counts.
    #[inline(always)]
    fn inlets_of(&self, slot: &SlotLayout) -> &'static [InletLayout<F::Value>] {
        &self.inlets[slot.first_inlet as usize..][..slot.inlets as usize]
    }

    /// The spot of the first inlet that a slot of the layout counts.
    ///
    /// # Safety
    ///
    /// It counts one.
    #[inline(always)]
    unsafe fn first_spot(&self, slot: &SlotLayout) -> &'static Spot {
        // SAFETY: by this function's contract; the layout has seen that slots count inlets of its own.
        unsafe { &self.inlets.get_unchecked(slot.first_inlet as usize).spot }
    }
}

impl<F: Function> Frames<F> {
    /// The values of a declared slot whose round is over, if the recent frame has it, as is so for nearly all rounds.
    #[inline(always)]
    pub fn near<const N: usize>(&mut self, id: FrameId, slot: u32) -> Near<'_, F, N> {
        let head = self.recent.get();
        // SAFETY: Still; Live: a head is there always.
        let frame = unsafe {
            if (*head).id != id.word() {
                return Near::Other;
            }
            Frame::new(head)
        };
        let layout = frame.layout();
        let Some(place) = layout.slots.get(slot as usize) else { return Near::Other };
        if place.inlets == 0 {
            return Near::Nothing;
        }
        // SAFETY: it counts an inlet.
        let first = unsafe { layout.first_spot(place) };
        let fits = (first.near_words as usize).wrapping_sub(1) < N;
        let full = !frame.mask().get() & place.due.counted as u32 == 0;
        if !fits || !full || frame.flags().get() & PARKED != 0 {
            return Near::Other;
        }
        Near::Values(NearRound { frame, place, first, slot })
    }

    /// The round of a slot of a live frame that was the last to reach zero, most often; `None` if it counts an array of inlets,
    /// or an element of one.
    #[inline(always)]
    pub fn round(&mut self, id: FrameId, slot: u32) -> Option<Round<'_, F>> {
        let frame = self.recent_or_live(id, false)?;
        let layout = frame.layout();
        let Some(place) = layout.slots.get(slot as usize) else {
            let (array, _) = frame.extra()?.tables.slot(slot)?;
            let is_bare = layout.slots[array.declared as usize].inlets == 0;
            return is_bare.then_some(Round { frame, counts: None });
        };
        let counts = match layout.inlets_of(place) {
            [] => None,
            [first, ..] if first.spot.end != 0 => Some((slot, place, &first.spot)),
            _ => return None,
        };
        Some(Round { frame, counts })
    }

    /// Whether a single inlet that a slot of a live frame counts holds a value.
    pub fn holds_any(&self, id: FrameId, slot: u32) -> bool {
        let Some(frame) = self.live(id) else { return false };
        let layout = frame.layout();
        let inlets = layout.slots.get(slot as usize).map_or(&[][..], |slot| layout.inlets_of(slot));
        // SAFETY: the spots are of the layout.
        inlets.iter().any(|inlet| !inlet.array && unsafe { frame.is_full_at(&inlet.spot) })
    }

    /// Puts values into the inlets that they left in another store, without a signal. They are given back if there is no
    /// such frame here or one of the inlets is full.
    #[inline(always)]
    pub fn take_over<const N: usize>(
        &mut self,
        id: FrameId,
        handed: Handed<F, N>,
    ) -> Result<(), Handed<F, N>> {
        let Some(frame) = self.live(id).filter(|frame| ptr::eq(frame.layout(), handed.layout)) else {
            return Err(handed);
        };
        // SAFETY: the frame is of the layout that the values are of; Packed: the slot counts an inlet, empty inlets have room
        // for the values and are full afterwards.
        unsafe {
            let (layout, slot) = (handed.layout, handed.layout.slots.get_unchecked(handed.slot as usize));
            let first = *layout.first_spot(slot);
            if !frame.turn(layout, slot, &first, false) {
                return Err(handed);
            }
            let handed = ManuallyDrop::new(handed);
            first.copy::<N>(handed.words.as_ptr(), Head::place(frame.head(), first.base()));
        }
        // Its fiber is the next one, most often.
        self.recent.set(frame.head());
        Ok(())
    }
}

impl<F: Function> Frame<'_, F> {
    /// Has all inlets that a slot counts be full if they were empty, or be empty if they were full. Returns whether they were.
    ///
    /// # Safety
    ///
    /// The frame has this layout and the layout this slot, which counts single inlets, the first at `first`. Inlets that are
    /// full now get values at once. The values of inlets that are empty now are the caller's.
    #[inline(always)]
    unsafe fn turn(self, layout: &FrameLayout<F>, slot: &SlotLayout, first: &Spot, were_full: bool) -> bool {
        if first.near_words > 0 || slot.first_inlet + slot.inlets <= MASK_BITS {
            let (mask, counted) = (self.mask().get(), slot.due.counted as u32);
            let turns = mask & counted == if were_full { counted } else { 0 };
            if turns {
                self.mask().set(mask ^ counted);
            }
            return turns;
        }
        let inlets = layout.inlets_of(slot);
        // SAFETY: by this function's contract; masks are where the layout says.
        unsafe {
            let turns = inlets.iter().all(|inlet| self.is_full_at(&inlet.spot) == were_full);
            for Spot { mask_at, bit, .. } in inlets.iter().map(|inlet| inlet.spot).filter(|_| turns) {
                self.mask_at(mask_at).set(self.mask_at(mask_at).get() ^ bit);
            }
            turns
        }
    }
}

impl<F: Function, const N: usize> NearRound<'_, F, N> {
    /// Takes the values out of their inlets.
    #[inline(always)]
    pub fn take(self) -> Handed<F, N> {
        let NearRound { frame, place, first, slot } = self;
        frame.mask().set(frame.mask().get() ^ place.due.counted as u32);
        // SAFETY: Full: all inlets held values, and none does now; Packed.
        unsafe {
            // Where there are fewer words the first one comes again: no loop, so that they stay in registers.
            let from = Head::<F>::place::<Word>(frame.head(), first.at);
            let words = std::array::from_fn(|at| {
                from.add(if at < first.near_words as usize { at } else { 0 }).read_volatile()
            });
            Handed { layout: frame.layout(), slot: u64::from(slot), words }
        }
    }
}

impl<F: Function> Round<'_, F> {
    /// How many words the values take, if the slot counts inlets.
    #[inline(always)]
    pub fn words(&self) -> Option<usize> {
        self.counts.map(|(.., first)| first.words())
    }

    /// Whether anything is [parked](Frames::park) of the frame.
    #[inline(always)]
    pub fn has_parked(&self) -> bool {
        self.frame.flags().get() & PARKED != 0
    }

    /// Takes the values out of their inlets; `None`, without a change, if one of them is empty, there are none, or they
    /// have more words.
    #[inline(always)]
    pub fn take<const N: usize>(&mut self) -> Option<Handed<F, N>> {
        let ((slot, place, &first), frame) = (self.counts?, self.frame);
        let layout = frame.layout();
        // SAFETY: the slot is one of the layout; Full: all inlets hold values, and none does afterwards; Packed.
        unsafe {
            if first.words() > N || !frame.turn(layout, place, &first, true) {
                return None;
            }
            let mut words = [const { Word::uninit() }; N];
            first.copy::<N>(Head::<F>::place(frame.head(), first.base()), words.as_mut_ptr());
            Some(Handed { layout, slot: u64::from(slot), words })
        }
    }
}

impl<F: Function, const N: usize> Handed<F, N> {
    /// The number of the slot.
    #[inline(always)]
    pub fn slot(&self) -> u32 {
        self.slot as u32
    }

    #[inline(always)]
    fn counts(&self) -> &'static SlotLayout {
        &self.layout.slots[self.slot as usize]
    }

    /// The inlets, and the offset of the value of each in the words.
    fn places(&self) -> impl Iterator<Item = (&'static InletLayout<F::Value>, usize)> + use<F, N> {
        let inlets = self.layout.inlets_of(self.counts());
        let base = inlets.first().map_or(0, |first| first.spot.base());
        inlets.iter().map(move |inlet| (inlet, (inlet.spot.at - base) as usize))
    }

    /// Gives out the values one by one, with the numbers of their inlets.
    pub fn give(self, mut give: impl FnMut(u32, Parcel<F::Value>)) {
        let first = self.counts().first_inlet;
        let this = ManuallyDrop::new(self);
        // If one call unwinds, the values behind are leaked: nothing that holds them is left to drop them.
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
                // SAFETY: Packed, and nothing is used after this drop.
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

impl<F: Function> std::fmt::Debug for Round<'_, F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Round").field("words", &self.words()).finish_non_exhaustive()
    }
}
