//! The places of the elements of arrays in the extras of frames: one table for all frames of a function that have the same
//! sizes.
//!
//! A store keeps the tables that it used last, each in the place that its function and its sizes give it by a hash, so the
//! next frame of these sizes finds it there. One that another takes the place of goes to a second place half-way round, so
//! two that share a place push out neither of them. One that is pushed out lives as long as a frame that has it.

use std::ptr;
use std::rc::Rc;

use super::count::{Count, Due};
use super::layout::{FULL_ELSEWHERE, FrameLayout, Function, InletLayout, MASK_BITS, SlotLayout, rounds_of};
use crate::kind::Kind;

/// How many elements a declared slot or inlet has, and their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// The number of the first element; that of the declaration if it is no array.
    pub first: u32,
    /// How many there are.
    pub len: u32,
    /// Whether it is an array.
    pub array: bool,
}

impl Extent {
    /// A single one, of a function whose declarations have the numbers from 0 on.
    pub fn single(ordinal: u32) -> Self {
        Extent { first: ordinal, len: 1, array: false }
    }

    /// Whether it is an array with an element of this index.
    #[inline(always)]
    pub(super) fn has_element(self, index: u32) -> bool {
        self.array && index < self.len
    }

    /// The index of the element with this number, if it is an array that has it.
    #[inline(always)]
    fn index_of(self, number: u32) -> Option<u32> {
        let index = number.wrapping_sub(self.first);
        self.has_element(index).then_some(index)
    }

    /// How many elements there are, none if it is no array.
    #[inline(always)]
    pub(super) fn elements(self) -> u32 {
        if self.array { self.len } else { 0 }
    }

    /// Whether an element, or the single one, has this number.
    pub fn has(&self, number: u32) -> bool {
        number.checked_sub(self.first).is_some_and(|index| index < self.len)
    }
}

/// The extents of all that a function declares, in the order of declarations.
#[derive(Debug)]
pub struct Extents {
    /// The extent of each slot, the count of its first round and the count of later ones.
    pub slots: Vec<(Extent, u32, u32)>,
    /// The extent of each inlet.
    pub inlets: Vec<Extent>,
}

/// A declared slot, or array of slots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slots {
    pub(super) extent: Extent,
    pub(super) first: Count,
    /// Its bits are in the frame's first mask. An array has the bits of the inlets of all its elements.
    pub(super) due: Due,
    /// The word that holds the first count, if it is an array.
    pub(super) at: u32,
}

/// A declared inlet, or array of inlets.
pub(super) struct Inlets<V: 'static> {
    pub(super) extent: Extent,
    pub(super) kind: &'static Kind<V>,
    /// The slot that the first element signals, and how far apart the slots of two neighbours are: 0 or 1.
    pub(super) slot: u32,
    pub(super) step: u32,
    /// The end of a round whose last value came at this array. Its bits are in the frame's first mask.
    pub(super) due: Due,
    /// The bits of all elements in the frame's first mask; none if some lie elsewhere, or it is no array.
    pub(super) bits: u32,
    /// The first word of the values, and the words of each.
    pub(super) at: u32,
    pub(super) words: u32,
}

/// An array with elements, all of which have bits in the frame's first mask and signal one slot, whose count is in the
/// frame: all data for the arrival of a value, in one place.
pub(super) struct Gathered<V: 'static> {
    pub(super) first: u32,
    pub(super) len: u32,
    pub(super) kind: *const Kind<V>,
    pub(super) slot: u32,
    pub(super) at: u32,
    pub(super) due: Due,
}

impl<V> Gathered<V> {
    /// The first of these arrays that is such a one, or one without elements.
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

/// The places of elements, in all frames of one layout that have the same sizes.
///
/// # Invariant
///
/// * **Sized.** They have the slots and inlets of the layout, in its order. Elements have the numbers behind the numbers of
///   declarations.
pub(super) struct Tables<F: Function> {
    layout: &'static FrameLayout<F>,
    /// The key of the sizes.
    pub(super) numbers: Box<[u32]>,
    pub(super) slots: Box<[Slots]>,
    pub(super) inlets: Box<[Inlets<F::Value>]>,
    /// Of them the first that is gathered: most often the only one.
    pub(super) gathered: Gathered<F::Value>,
    /// How many words there are. The first of them are the counts of all elements of arrays of slots, so many, in the order of
    /// their numbers. The masks of elements of inlets that have no bit in the frame's first mask follow, two a word, so many
    /// words; then the values of each array of inlets.
    pub(super) words: u32,
    pub(super) counts: u32,
    pub(super) masks: u32,
    /// The flags that a frame begins with.
    pub(super) flags: u32,
}

/// More bits than a mask has: of inlets some of which have none in the frame's first mask.
const ELSEWHERE: u64 = u64::MAX;

/// The bits of a declared inlet, or of all elements of an array, in the frame's first mask.
fn bits_of(Extent { first, len, .. }: Extent) -> u64 {
    let end = u64::from(first) + u64::from(len);
    match len {
        0 => 0,
        _ if end > u64::from(MASK_BITS) => ELSEWHERE,
        _ => (1 << end) - (1 << first),
    }
}

/// The number behind the numbers of all of these. Declarations have the first numbers.
///
/// # Panics
///
/// If the elements of arrays do not have the numbers that follow, or there is no such number of 32 bits.
fn numbered(extents: impl ExactSizeIterator<Item = Extent>) -> u32 {
    let first = extents.len() as u64;
    let end = extents.filter(|extent| extent.array).fold(first, |next, extent| {
        assert!(u64::from(extent.first) == next, "elements have the numbers that follow");
        next + u64::from(extent.len)
    });
    u32::try_from(end).expect("elements have numbers of 32 bits")
}

/// The words that hold the masks of elements, if the numbers of all inlets end at `end`.
fn masks_of(end: u32, declared: u32) -> u32 {
    if end > MASK_BITS.max(declared) { (end.div_ceil(MASK_BITS) - 1).div_ceil(2) } else { 0 }
}

/// The declared slots. The counts of elements of arrays follow one another.
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
    /// The declared inlet, or array, of this extent. The values of an array begin at word `at`.
    ///
    /// # Panics
    ///
    /// If an array has a place in the frame, or is longer than the array of slots that it signals.
    fn new(inlet: &InletLayout<V>, extent: Extent, slot: &SlotLayout, slots: &Slots, at: u64) -> Self {
        assert!(extent.array == inlet.array, "an array has no place in the frame");
        let (number, step) = if slots.extent.array { (slots.extent.first, 1) } else { (inlet.slot, 0) };
        assert!(!extent.array || step == 0 || extent.len <= slots.extent.len, "each inlet has a slot");
        let counted = match step {
            0 => slots.due.counted,
            // Of a slot of an array each inlet is one element of its own, which is full if its value came just now.
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
    /// The tables of frames of these extents.
    ///
    /// # Panics
    ///
    /// If their number is not that which `layout` declares, an array signals a shorter one, or the numbers of elements do
    /// not follow.
    fn new(layout: &'static FrameLayout<F>, numbers: &[u32], extents: &Extents) -> Self {
        assert!(
            extents.slots.len() == layout.slots.len() && extents.inlets.len() == layout.inlets.len(),
            "sizes are those of the function's declarations"
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
            slots,
            gathered: Gathered::of(&inlets),
            inlets,
            words: u32::try_from(words).expect("the arrays of a frame have words with numbers of 32 bits"),
            counts,
            masks,
            flags: rounds | elsewhere,
        }
    }

    /// Whether frames of this layout with these sizes have these tables.
    #[inline(always)]
    pub(super) fn are_of(&self, layout: &'static FrameLayout<F>, numbers: &[u32]) -> bool {
        // In line: there are few numbers.
        let same = |(a, b): (&u32, &u32)| a == b;
        ptr::eq(self.layout, layout)
            && self.numbers.len() == numbers.len()
            && self.numbers.iter().zip(numbers).all(same)
    }

    /// The declared array that element `number` of slots belongs to, its number, and the index there.
    #[inline(always)]
    pub(super) fn slot(&self, number: u32) -> Option<(&Slots, usize, u32)> {
        let mut slots = self.slots.iter().enumerate();
        slots.find_map(|(declared, slots)| Some((slots, declared, slots.extent.index_of(number)?)))
    }

    /// The declared array that element `number` of inlets belongs to, and its index there.
    #[inline(always)]
    pub(super) fn inlet(&self, number: u32) -> Option<(&Inlets<F::Value>, u32)> {
        self.inlets.iter().find_map(|inlets| Some((inlets, inlets.extent.index_of(number)?)))
    }
}

/// The tables that a store used last.
pub(super) struct LastTables<F: Function> {
    places: Vec<Option<Rc<Tables<F>>>>,
}

/// How many there are at most, a power of two.
const PLACES: usize = 256;

impl<F: Function> LastTables<F> {
    pub(super) const fn new() -> Self {
        LastTables { places: Vec::new() }
    }

    /// The tables of frames of this layout with these sizes, which `extents` works out if they are not there.
    #[inline(always)]
    pub(super) fn get(
        &mut self,
        layout: &'static FrameLayout<F>,
        numbers: &[u32],
        extents: impl FnOnce() -> Extents,
    ) -> Rc<Tables<F>> {
        // Linear, so that sizes of one function that are close to each other have places of their own.
        let hash = numbers.iter().fold(0, |hash: u32, &number| hash.wrapping_mul(31).wrapping_add(number));
        let at =
            (hash as usize).wrapping_add(ptr::from_ref(layout).addr() / size_of::<FrameLayout<F>>()) % PLACES;
        match self.places.get(at) {
            Some(Some(tables)) if tables.are_of(layout, numbers) => tables.clone(),
            _ => self.look_further(at, layout, numbers, extents),
        }
    }

    /// As [`get`](Self::get), of tables that are not at `at`. They are found in the second place or made, and put there.
    #[cold]
    #[inline(never)]
    fn look_further(
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
