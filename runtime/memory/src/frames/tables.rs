//! The positions of array elements in the extras of frames: one table for all frames of a function with equal
//! sizes.
//!
//! A store caches the tables that it used last. A hash of the function and the sizes gives the cache position
//! of a table, where the next frame of these sizes finds it. A displaced table moves to a second position,
//! half the cache away. So two tables with one position do not evict each other. An evicted table lives as
//! long as a frame uses it.

use std::ptr;
use std::rc::Rc;

use super::count::{Count, Due};
use super::layout::{FULL_ELSEWHERE, FrameLayout, Function, InletLayout, MASK_BITS, SlotLayout, rounds_of};
use crate::kind::Kind;

/// Number of elements of a declared slot or inlet, and their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Number of the first element, or of the declaration if it is no array.
    pub first: u32,
    /// Number of elements.
    pub len: u32,
    /// Whether it is an array.
    pub array: bool,
}

impl Extent {
    /// Returns the extent of a single slot or inlet. Declarations are numbered from 0.
    pub fn single(ordinal: u32) -> Self {
        Extent { first: ordinal, len: 1, array: false }
    }

    /// Whether it is an array with an element of this index.
    #[inline(always)]
    pub(super) fn has_element(self, index: u32) -> bool {
        self.array && index < self.len
    }

    /// Returns the index of the element with this number, if it is an array with such an element.
    #[inline(always)]
    fn index_of(self, number: u32) -> Option<u32> {
        let index = number.wrapping_sub(self.first);
        self.has_element(index).then_some(index)
    }

    /// Returns the number of array elements; 0 if it is no array.
    #[inline(always)]
    pub(super) fn elements(self) -> u32 {
        if self.array { self.len } else { 0 }
    }

    /// Whether an element, or the single slot or inlet, has this number.
    pub fn has(&self, number: u32) -> bool {
        number.checked_sub(self.first).is_some_and(|index| index < self.len)
    }
}

/// Extents of all slots and inlets of a function, in the order of declarations.
#[derive(Debug)]
pub struct Extents {
    /// For each slot its extent, the count of its first round, and the count of later rounds.
    pub slots: Vec<(Extent, u32, u32)>,
    /// Extent of each inlet.
    pub inlets: Vec<Extent>,
}

/// A declared slot, or array of slots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slots {
    pub(super) extent: Extent,
    pub(super) first: Count,
    /// End of a round. Its bits are in the frame's first mask. An array has the bits of the inlets of all its
    /// elements.
    pub(super) due: Due,
    /// Word that holds the first count, if it is an array.
    pub(super) at: u32,
}

/// A declared inlet, or array of inlets.
pub(super) struct Inlets<V: 'static> {
    pub(super) extent: Extent,
    pub(super) kind: &'static Kind<V>,
    /// Slot that the first element signals, and the distance between the slots of two neighbors: 0 or 1.
    pub(super) slot: u32,
    pub(super) step: u32,
    /// End of a round whose last value arrived at this array. Its bits are in the frame's first mask.
    pub(super) due: Due,
    /// Bits of all elements in the frame's first mask; 0 if some bits are elsewhere, or if it is no array.
    pub(super) bits: u32,
    /// First word of the values, and the number of words of each.
    pub(super) at: u32,
    pub(super) words: u32,
}

/// An array whose elements all have bits in the frame's first mask and signal one slot with its count in the
/// frame. It holds all data for the arrival of a value in one place.
pub(super) struct Gathered<V: 'static> {
    pub(super) first: u32,
    pub(super) len: u32,
    pub(super) kind: *const Kind<V>,
    pub(super) slot: u32,
    pub(super) at: u32,
    pub(super) due: Due,
}

impl<V> Gathered<V> {
    /// Returns the first such array of these inlets, or an array without elements.
    fn of(inlets: &[Inlets<V>]) -> Self {
        let found = inlets.iter().find(|inlets| inlets.bits != 0 && inlets.step == 0);
        found.map_or(
            Gathered { first: 0, len: 0, kind: ptr::null(), slot: 0, at: 0, due: Due::UNKNOWN },
            |&Inlets { extent: Extent { first, len, .. }, kind, slot, at, due, .. }| Gathered {
                first,
                len,
                kind,
                slot,
                at,
                due,
            },
        )
    }
}

/// Positions of elements, for all frames of one layout with equal sizes.
///
/// # Invariant
///
/// * **Sized.** The tables have the slots and inlets of the layout, in its order. Elements are numbered after
///   the declarations.
pub(super) struct Tables<F: Function> {
    layout: &'static FrameLayout<F>,
    /// Key of the sizes.
    pub(super) numbers: Box<[u32]>,
    pub(super) slots: Box<[Slots]>,
    /// Declared number of the first array of slots, which is usually the only one; 0 if there is none.
    array: usize,
    pub(super) inlets: Box<[Inlets<F::Value>]>,
    /// First of the inlets that is gathered, usually the only one.
    pub(super) gathered: Gathered<F::Value>,
    /// Number of words. They hold, in this order:
    ///
    /// 1. The counts of all elements of arrays of slots, in the order of their numbers: `counts` words.
    /// 2. The masks of elements of inlets without a bit in the frame's first mask, two a word: `masks` words.
    /// 3. The values of each array of inlets.
    pub(super) words: u32,
    pub(super) counts: u32,
    pub(super) masks: u32,
    /// Initial flags of a frame.
    pub(super) flags: u32,
}

/// More bits than a mask has. It stands for inlets that are not all in the frame's first mask.
const ELSEWHERE: u64 = u64::MAX;

/// Returns the bits of a declared inlet, or of all elements of an array, in the frame's first mask.
fn bits_of(Extent { first, len, .. }: Extent) -> u64 {
    let end = u64::from(first) + u64::from(len);
    match len {
        0 => 0,
        _ if end > u64::from(MASK_BITS) => ELSEWHERE,
        _ => (1 << end) - (1 << first),
    }
}

/// Returns the number after all numbers of these extents. Declarations have the first numbers.
///
/// # Panics
///
/// If the elements of arrays are not numbered consecutively after the declarations, or a number does not fit
/// in 32 bits.
fn numbered(extents: impl ExactSizeIterator<Item = Extent>) -> u32 {
    let first = extents.len() as u64;
    let end = extents.filter(|extent| extent.array).fold(first, |next, extent| {
        assert!(u64::from(extent.first) == next, "array elements must be numbered consecutively");
        next + u64::from(extent.len)
    });
    u32::try_from(end).expect("the number of an array element must fit in 32 bits")
}

/// Returns the number of words for the masks of elements, if the numbers of all inlets end at `end`.
fn masks_of(end: u32, declared: u32) -> u32 {
    if end > MASK_BITS.max(declared) { (end.div_ceil(MASK_BITS) - 1).div_ceil(2) } else { 0 }
}

/// Places the declared slots. The counts of array elements follow one another.
fn place_slots(layout: &[SlotLayout], extents: &Extents) -> Box<[Slots]> {
    let mut at = 0;
    let place = |(&(extent, count, reset), slot): (&(Extent, u32, u32), &SlotLayout)| {
        let inlets = &extents.inlets[slot.first_inlet as usize..][..slot.inlets as usize];
        let counted = inlets.iter().fold(0, |all, &extent| all | bits_of(extent));
        let first = at;
        at += extent.elements();
        let due = Due { counted, next: Count::after(reset) };
        Slots { extent, first: Count::round(count), due, at: first }
    };
    extents.slots.iter().zip(layout).map(place).collect()
}

impl<V> Inlets<V> {
    /// Places the declared inlet, or array, of this extent. The values of an array begin at word `at`.
    ///
    /// # Panics
    ///
    /// If the extent and the inlet are not both an array or both single, or if the array is longer than the
    /// array of slots that it signals.
    fn new(inlet: &InletLayout<V>, extent: Extent, slot: &SlotLayout, slots: &Slots, at: u64) -> Self {
        assert!(extent.array == inlet.array, "an extent must be an array exactly if its inlet is");
        let (number, step) = if slots.extent.array { (slots.extent.first, 1) } else { (inlet.slot, 0) };
        assert!(
            !extent.array || step == 0 || extent.len <= slots.extent.len,
            "each inlet of an array must have a slot"
        );
        let counted = match step {
            0 => slots.due.counted,
            // For a slot of an array each inlet contributes one element. That element is full, as its value
            // has just arrived.
            _ if slot.inlets == 1 => 0,
            _ => ELSEWHERE,
        };
        Inlets {
            extent,
            kind: inlet.kind,
            slot: number,
            step,
            due: Due { counted, ..slots.due },
            bits: u32::try_from(bits_of(extent)).ok().filter(|_| extent.array).unwrap_or(0),
            at: at as u32,
            words: inlet.kind.size.div_ceil(8),
        }
    }
}

impl<F: Function> Tables<F> {
    /// Makes the tables of frames of these extents.
    ///
    /// # Panics
    ///
    /// If the extents differ in number from the declarations of `layout`, an array signals a shorter array,
    /// or elements are not numbered consecutively.
    fn new(layout: &'static FrameLayout<F>, numbers: &[u32], extents: &Extents) -> Self {
        assert!(
            extents.slots.len() == layout.slots.len() && extents.inlets.len() == layout.inlets.len(),
            "extents must match the function's declarations"
        );
        let counts = numbered(extents.slots.iter().map(|slot| slot.0)) - layout.slots.len() as u32;
        let masks = masks_of(numbered(extents.inlets.iter().copied()), layout.inlets.len() as u32);
        let slots = place_slots(layout.slots, extents);
        let mut words = u64::from(counts) + u64::from(masks);
        let place = |(inlet, &extent): (&InletLayout<F::Value>, &Extent)| {
            let (slot, at) = (inlet.slot as usize, words);
            let inlets = Inlets::new(inlet, extent, &layout.slots[slot], &slots[slot], at);
            words += u64::from(extent.elements()) * u64::from(inlets.words);
            inlets
        };
        let inlets: Box<[Inlets<F::Value>]> = layout.inlets.iter().zip(&extents.inlets).map(place).collect();
        let rounds = slots.iter().fold(0, |all, slots| all | rounds_of(slots.first, slots.due.next));
        let elsewhere = if masks > 0 { FULL_ELSEWHERE } else { layout.flags & FULL_ELSEWHERE };
        Tables {
            layout,
            numbers: numbers.into(),
            array: slots.iter().position(|slots| slots.extent.array).unwrap_or(0),
            slots,
            gathered: Gathered::of(&inlets),
            inlets,
            words: u32::try_from(words).expect("the word count of a frame's arrays must fit in 32 bits"),
            counts,
            masks,
            flags: rounds | elsewhere,
        }
    }

    /// Whether these tables belong to frames of this layout with these sizes.
    #[inline(always)]
    pub(super) fn are_of(&self, layout: &'static FrameLayout<F>, numbers: &[u32]) -> bool {
        // Compared by an inline loop, as there are few numbers.
        let same = |(a, b): (&u32, &u32)| a == b;
        ptr::eq(self.layout, layout)
            && self.numbers.len() == numbers.len()
            && self.numbers.iter().zip(numbers).all(same)
    }

    /// Returns the declared array with element `number` of slots, its declared number, and the index of the
    /// element.
    #[inline(always)]
    pub(super) fn slot(&self, number: u32) -> Option<(&Slots, usize, u32)> {
        let first = self.slots.get(self.array)?;
        match first.extent.index_of(number) {
            Some(index) => Some((first, self.array, index)),
            None => self.slot_of_later(number),
        }
    }

    /// Does the same as [`slot`](Self::slot) for any array.
    #[inline(never)]
    fn slot_of_later(&self, number: u32) -> Option<(&Slots, usize, u32)> {
        let mut slots = self.slots.iter().enumerate();
        slots.find_map(|(declared, slots)| Some((slots, declared, slots.extent.index_of(number)?)))
    }

    /// Returns the declared array with element `number` of inlets, and the index of the element.
    #[inline(always)]
    pub(super) fn inlet(&self, number: u32) -> Option<(&Inlets<F::Value>, u32)> {
        self.inlets.iter().find_map(|inlets| Some((inlets, inlets.extent.index_of(number)?)))
    }
}

/// Cache of the tables that a store used last.
pub(super) struct LastTables<F: Function> {
    places: Vec<Option<Rc<Tables<F>>>>,
}

/// Size of the cache, a power of two.
const PLACES: usize = 256;

impl<F: Function> LastTables<F> {
    pub(super) const fn new() -> Self {
        LastTables { places: Vec::new() }
    }

    /// Returns the tables of frames of this layout with these sizes. Calls `extents` if the cache does not
    /// have them.
    #[inline(always)]
    pub(super) fn get(
        &mut self,
        layout: &'static FrameLayout<F>,
        numbers: &[u32],
        extents: impl FnOnce() -> Extents,
    ) -> Rc<Tables<F>> {
        // The hash is linear, so similar sizes of one function have different positions.
        let hash = numbers.iter().fold(0, |hash: u32, &number| hash.wrapping_mul(31).wrapping_add(number));
        let at =
            (hash as usize).wrapping_add(ptr::from_ref(layout).addr() / size_of::<FrameLayout<F>>()) % PLACES;
        match self.places.get(at) {
            Some(Some(tables)) if tables.are_of(layout, numbers) => tables.clone(),
            _ => self.get_slow(at, layout, numbers, extents),
        }
    }

    /// Does the same as [`get`](Self::get) for tables that are not at `at`. Finds them in the second position
    /// or makes them, and puts them at `at`.
    #[cold]
    #[inline(never)]
    fn get_slow(
        &mut self,
        at: usize,
        layout: &'static FrameLayout<F>,
        numbers: &[u32],
        extents: impl FnOnce() -> Extents,
    ) -> Rc<Tables<F>> {
        self.places.resize(PLACES, None);
        let second = at ^ (PLACES / 2);
        let found = self.places[second].take_if(|tables| tables.are_of(layout, numbers));
        let tables = found.unwrap_or_else(|| Rc::new(Tables::new(layout, numbers, &extents())));
        if let Some(last) = self.places[at].replace(Rc::clone(&tables)) {
            self.places[second] = Some(last);
        }
        tables
    }
}
