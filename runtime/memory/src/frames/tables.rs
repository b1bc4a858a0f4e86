//! Where the elements of arrays lie in the extras of frames: one table for all frames of a function that have the same
//! sizes.
//!
//! A store keeps the tables that it used last, each in the place that its function and its sizes give it by a hash, so the
//! next frame of these sizes finds it there. One that another takes the place of goes to a second place half-way round, so
//! two that share a place push out neither of them. One that is pushed out lives as long as a frame that has it.

use std::ptr;
use std::rc::Rc;

use super::count::{Count, Due};
use super::layout::{FULL_ELSEWHERE, Family, FrameLayout, MASK_BITS, ValueOf, rounds_of};
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

/// A declared slot, or array of slots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slots {
    pub(super) extent: Extent,
    pub(super) first: Count,
    /// The bits that it counts are those of the frame's first mask. Of an array they are the bits of all its elements.
    pub(super) due: Due,
    /// The word that holds the first count, if it is an array.
    pub(super) at: u32,
}

/// What is asked of a slot by the number of an element.
pub(super) struct SlotArray {
    first: u32,
    len: u32,
    /// The number of the declaration.
    pub(super) declared: u32,
    pub(super) due: Due,
}

/// A declared inlet, or array of inlets.
pub(super) struct Inlets<H: Family> {
    pub(super) extent: Extent,
    pub(super) kind: &'static Kind<ValueOf<H>>,
    /// The slot that the first element signals, and how far apart the slots of two neighbours are: 0 or 1.
    pub(super) slot: u32,
    pub(super) step: u32,
    /// The bits of the frame's first mask that are set if a slot has all its values, the last of which came at this array,
    /// and what follows then.
    pub(super) due: Due,
    /// The bits of all elements in the frame's first mask; none if some lie elsewhere, or it is no array.
    pub(super) bits: u32,
    /// The first word of the values, and the words of each.
    pub(super) at: u32,
    pub(super) words: u32,
}

/// An array with elements, all of which have bits in the frame's first mask and signal one slot, whose count lies in the
/// frame: what a value for one of them needs, in one place.
pub(super) struct Gathered<H: Family> {
    pub(super) first: u32,
    pub(super) len: u32,
    pub(super) kind: *const Kind<ValueOf<H>>,
    pub(super) slot: u32,
    pub(super) at: u32,
    pub(super) due: Due,
}

impl<H: Family> Gathered<H> {
    /// The first of these arrays that is such a one, or one without elements.
    fn of(inlets: &[Inlets<H>]) -> Self {
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

/// Where the elements of all frames lie that are of one layout and have the same sizes.
///
/// # Invariant
///
/// * **Sized.** There are as many slots and inlets as the layout declares. Elements have the numbers that follow those of
///   declarations.
pub(super) struct Tables<H: Family> {
    layout: &'static FrameLayout<H>,
    /// What the user of frames knows the sizes by.
    pub(super) numbers: Box<[u32]>,
    pub(super) slots: Box<[Slots]>,
    /// Those that are arrays.
    arrays: Box<[SlotArray]>,
    pub(super) inlets: Box<[Inlets<H>]>,
    /// Of them the first that is gathered: most often the only one.
    pub(super) gathered: Gathered<H>,
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

impl<H: Family> Tables<H> {
    /// The tables of frames with these sizes: for each declared slot its extent, the count of the first round and that of
    /// later ones; for each declared inlet its extent.
    ///
    /// # Panics
    ///
    /// If these are not as many as `layout` declares, an array signals a shorter one, or the numbers of elements do not
    /// follow on those of declarations and on each other.
    fn new(
        layout: &'static FrameLayout<H>,
        numbers: &[u32],
        slots: impl Iterator<Item = (Extent, u32, u32)>,
        inlets: impl Iterator<Item = Extent>,
    ) -> Self {
        let slots: Box<[(Extent, u32, u32)]> = slots.collect();
        let extents: Box<[Extent]> = inlets.collect();
        assert!(
            slots.len() == layout.slots.len() && extents.len() == layout.inlets.len(),
            "sizes are those of the function's declarations"
        );
        let counts = numbered(slots.iter().map(|(extent, ..)| extent)) - slots.len() as u32;
        let end = numbered(extents.iter());
        let rounds =
            slots.iter().map(|&(_, count, reset)| rounds_of(Count::round(count), Count::after(reset)));
        let mut flags = rounds.fold(layout.flags & FULL_ELSEWHERE, |all, flags| all | flags);
        let mut masks = 0;
        if end > MASK_BITS.max(extents.len() as u32) {
            masks = (end.div_ceil(MASK_BITS) - 1).div_ceil(2);
            flags |= FULL_ELSEWHERE;
        }
        let mut at = 0;
        let slots = slots.iter().zip(layout.slots).map(|(&(extent, count, reset), place)| {
            let inlets = place.first_inlet as usize..(place.first_inlet + place.inlets) as usize;
            let counted = extents[inlets].iter().map(|&extent| bits_of(extent));
            let counted = counted.fold(0, |all, bits| all | bits);
            let first = at;
            at += extent.elements();
            Slots {
                extent,
                first: Count::round(count),
                due: Due { counted, next: Count::after(reset) },
                at: first,
            }
        });
        let slots: Box<[Slots]> = slots.collect();
        let arrays = (0..).zip(&slots).filter(|(_, slots)| slots.extent.array);
        let arrays = arrays.map(|(declared, &Slots { extent: Extent { first, len, .. }, due, .. })| {
            SlotArray { first, len, declared, due }
        });
        let arrays = arrays.collect();
        let mut words = u64::from(counts) + u64::from(masks);
        let inlets = extents.iter().zip(layout.inlets).map(|(&extent, place)| {
            assert!(extent.array == place.is_array(), "an array has no place in the frame");
            let Slots { extent: signalled, due, .. } = slots[place.slot as usize];
            let (slot, step) = if signalled.array { (signalled.first, 1) } else { (place.slot, 0) };
            assert!(!extent.array || step == 0 || extent.len <= signalled.len, "each inlet has a slot");
            // Of a slot of an array each inlet is one element of its own, which is full if its value came just now.
            let alone = layout.slots[place.slot as usize].inlets == 1;
            let counted = if step == 0 {
                due.counted
            } else if alone {
                0
            } else {
                ELSEWHERE
            };
            let bits = match bits_of(extent) {
                bits if extent.array && bits != ELSEWHERE => bits as u32,
                _ => 0,
            };
            let (at, each) = (words as u32, place.kind.size.div_ceil(8));
            words += u64::from(extent.elements()) * u64::from(each);
            Inlets {
                extent,
                kind: place.kind,
                slot,
                step,
                due: Due { counted, ..due },
                bits,
                at,
                words: each,
            }
        });
        let inlets: Box<[Inlets<H>]> = inlets.collect();
        let gathered = Gathered::of(&inlets);
        let words = u32::try_from(words).expect("the arrays of a frame have words with numbers of 32 bits");
        Tables {
            layout,
            numbers: numbers.into(),
            slots,
            arrays,
            gathered,
            inlets,
            words,
            counts,
            masks,
            flags,
        }
    }

    /// Whether they are those of frames of this layout with these sizes.
    #[inline(always)]
    pub(super) fn are_of(&self, layout: &'static FrameLayout<H>, numbers: &[u32]) -> bool {
        // In line: there are few numbers.
        let same = |(a, b): (&u32, &u32)| a == b;
        ptr::eq(self.layout, layout)
            && self.numbers.len() == numbers.len()
            && self.numbers.iter().zip(numbers).all(same)
    }

    /// The array that element `number` of slots belongs to, and its index there.
    #[inline(always)]
    pub(super) fn slot(&self, number: u32) -> Option<(&SlotArray, u32)> {
        self.arrays.iter().find_map(|array| {
            let index = number.wrapping_sub(array.first);
            (index < array.len).then_some((array, index))
        })
    }

    /// The declared array that element `number` of inlets belongs to, and its index there.
    #[inline(always)]
    pub(super) fn inlet(&self, number: u32) -> Option<(&Inlets<H>, u32)> {
        self.inlets.iter().find_map(|inlets| Some((inlets, inlets.extent.index_of(number)?)))
    }
}

/// The number that follows those of all of these: declarations have the first numbers.
///
/// # Panics
///
/// If the elements of arrays do not have those that follow on them and on each other, or there is no such number of 32 bits.
fn numbered<'a>(extents: impl ExactSizeIterator<Item = &'a Extent>) -> u32 {
    let first = extents.len() as u64;
    let end = extents.filter(|extent| extent.array).fold(first, |next, extent| {
        assert!(u64::from(extent.first) == next, "elements have the numbers that follow");
        next + u64::from(extent.len)
    });
    u32::try_from(end).expect("elements have numbers of 32 bits")
}

/// The tables that a store used last.
pub(super) struct LastTables<H: Family> {
    places: Vec<Option<Rc<Tables<H>>>>,
}

/// How many there are at most, a power of two.
const PLACES: usize = 256;

impl<H: Family> LastTables<H> {
    pub(super) const fn new() -> Self {
        LastTables { places: Vec::new() }
    }

    /// The tables of frames of this layout with these sizes, which `sizes` works out if they are not there.
    #[inline(always)]
    pub(super) fn get<S, I>(
        &mut self,
        layout: &'static FrameLayout<H>,
        numbers: &[u32],
        sizes: impl FnOnce() -> (S, I),
    ) -> Rc<Tables<H>>
    where
        S: Iterator<Item = (Extent, u32, u32)>,
        I: Iterator<Item = Extent>,
    {
        // Linear, so that sizes of one function that are close to each other have places of their own.
        let hash = numbers.iter().fold(0, |hash: u32, &number| hash.wrapping_mul(31).wrapping_add(number));
        let at =
            (hash as usize).wrapping_add(ptr::from_ref(layout).addr() / size_of::<FrameLayout<H>>()) % PLACES;
        match self.places.get(at) {
            Some(Some(tables)) if tables.are_of(layout, numbers) => tables.clone(),
            _ => self.look_further(at, layout, numbers, sizes),
        }
    }

    /// As [`get`](Self::get), of tables that are not in their place: they are put there, found in the second place or made.
    #[cold]
    #[inline(never)]
    fn look_further<S, I>(
        &mut self,
        at: usize,
        layout: &'static FrameLayout<H>,
        numbers: &[u32],
        sizes: impl FnOnce() -> (S, I),
    ) -> Rc<Tables<H>>
    where
        S: Iterator<Item = (Extent, u32, u32)>,
        I: Iterator<Item = Extent>,
    {
        self.places.resize(PLACES, None);
        let second = at ^ (PLACES / 2);
        let found = self.places[second].take_if(|tables| tables.are_of(layout, numbers));
        let tables = found.unwrap_or_else(|| {
            let (slots, inlets) = sizes();
            Rc::new(Tables::new(layout, numbers, slots, inlets))
        });
        if let Some(last) = self.places[at].replace(Rc::clone(&tables)) {
            self.places[second] = Some(last);
        }
        tables
    }
}
