//! The layout of a frame: the slots, inlets and cells that a function declares, and their numbers in a frame.
//!
//! Slots, inlets and cells are numbered separately, in 32 bits. Declared entries come first, in order of
//! declaration; the elements of arrays follow. The number of a single entry is therefore a constant, and the
//! elements of an array are consecutive.

use std::ops::Deref;

use earth_memory::frames::{Extents, ExtraContents, InletLayout, SlotLayout};

use super::value::{self, Value, ValueHooks};
use super::wire::{Undecodable, Unpacker, Wire};

/// The layout of a function's frames: its slots, inlets, cells and fibers.
/// [`#[threaded]`](macro@crate::threaded) generates it.
#[derive(Debug)]
pub struct Layout {
    pub(crate) name: fn() -> &'static str,
    pub(crate) slots: &'static [SlotSpec],
    pub(crate) inlets: &'static [InletSpec],
    pub(crate) cells: &'static [CellSpec],
    pub(crate) fibers: &'static [&'static str],
    pub(crate) beside: ExtraContents,
    /// How many [numbers](Sizes) of a frame describe its slots, its slots and inlets, and all entries.
    numbers: [usize; 3],
    pub(crate) slot_arrays: bool,
}

/// A declared slot or array of slots.
pub type SlotSpec = SlotLayout;

/// A declared inlet or array of inlets.
pub type InletSpec = InletLayout<ValueHooks>;

/// A declared cell or array of cells.
#[derive(Debug)]
pub struct CellSpec {
    name: &'static str,
    array: bool,
    pub(crate) unpack: fn(&mut Unpacker<'_>) -> Result<Value, Undecodable>,
    pub(crate) copy: fn(&Value) -> Option<Value>,
}

/// The layout that stands for the code between fibers.
pub(crate) static BETWEEN_FIBERS: Layout =
    Layout::new(|| "the synchronization unit", &[], &[], &[], &["between fibers"], ExtraContents::Nothing);

impl Layout {
    /// Makes a layout.
    pub const fn new(
        name: fn() -> &'static str,
        slots: &'static [SlotSpec],
        inlets: &'static [InletSpec],
        cells: &'static [CellSpec],
        fibers: &'static [&'static str],
        beside: ExtraContents,
    ) -> Self {
        let (mut numbers, mut slot_arrays) = ([0; 3], false);
        let mut i = 0;
        while i < slots.len() {
            let SlotSpec { array, again, varies, .. } = slots[i];
            numbers[0] += array as usize + varies as usize + (varies && again) as usize;
            slot_arrays |= array;
            i += 1;
        }
        numbers[1] = numbers[0];
        i = 0;
        while i < inlets.len() {
            numbers[1] += inlets[i].array as usize;
            i += 1;
        }
        numbers[2] = numbers[1];
        i = 0;
        while i < cells.len() {
            numbers[2] += cells[i].array as usize;
            i += 1;
        }
        Layout { name, slots, inlets, cells, fibers, beside, numbers, slot_arrays }
    }

    /// Whether counts or lengths are known only when a frame starts.
    pub(crate) const fn is_sized(&self) -> bool {
        self.numbers() > 0
    }

    /// Returns how many [numbers](Sizes) a frame has.
    pub(crate) const fn numbers(&self) -> usize {
        self.numbers[2]
    }

    /// Whether frames have more than their one piece of memory: arrays or cells.
    pub(crate) const fn has_extra(&self) -> bool {
        matches!(self.beside, ExtraContents::Extra)
    }

    /// Returns the number of the fiber that a declared slot enables.
    pub(crate) fn fiber_of(&self, slot: u32) -> u32 {
        self.slots.get(slot as usize).map_or(u32::MAX, |slot| slot.fiber)
    }

    pub(crate) fn fiber_name(&self, number: u32) -> &'static str {
        self.fibers.get(number as usize).copied().unwrap_or("?")
    }

    /// Returns the function's name without its modules.
    pub(crate) fn name(&self) -> String {
        short((self.name)())
    }
}

impl CellSpec {
    /// Makes the declaration of a cell, or of an array of cells, for values of type `T`.
    pub const fn new<T: Wire + Clone>(name: &'static str, array: bool) -> Self {
        CellSpec { name, array, unpack: value::unpack::<T>, copy: value::copy::<T> }
    }
}

/// Removes the modules from a type name: `a::b::Name<c::D>` becomes `Name<D>`.
pub(crate) fn short(path: &str) -> String {
    let mut name = String::with_capacity(path.len());
    for piece in path.split_inclusive(['<', '>', ',', ' ', '(', ')', '[', ']', '&', ';']) {
        name.push_str(piece.rsplit("::").next().unwrap_or(piece));
    }
    name
}

/// The numbers of one declared name: a single entry or the elements of an array.
pub(crate) use earth_memory::frames::Extent;

/// The sizes of one frame: its declarations, and the numbers that are known only when the frame starts.
///
/// The numbers are in this order, each part in order of declaration:
///
/// 1. for each slot: its length if it is an array; then, if they vary, its count and, if the slot resets, its
///    reset;
/// 2. the lengths of arrays of inlets, including one for each inlet of an array of slots;
/// 3. the lengths of arrays of cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes<'a> {
    layout: &'static Layout,
    numbers: &'a [u32],
}

impl<'a> Sizes<'a> {
    pub(crate) fn new(layout: &'static Layout, numbers: &'a [u32]) -> Self {
        Sizes { layout, numbers }
    }

    pub(crate) fn layout(self) -> &'static Layout {
        self.layout
    }

    #[inline(always)]
    pub(crate) fn numbers(self) -> &'a [u32] {
        self.numbers
    }

    /// Iterates over the declared slots: the entry numbers of each, its count and its reset.
    #[inline]
    pub(crate) fn slots(self) -> impl Iterator<Item = (Extent, u32, u32)> + use<'a> {
        let (mut numbers, mut end) = (self.numbers.iter().copied(), self.layout.slots.len() as u32);
        self.layout.slots.iter().enumerate().map(move |(ordinal, slot)| {
            let mut number = || numbers.next().unwrap_or_default();
            let SlotSpec { array, again, varies, .. } = *slot;
            let extent = numbered(ordinal, array.then(&mut number), &mut end);
            let (count, reset) = match (varies, again) {
                (true, true) => (number(), number()),
                (true, false) => (number(), 0),
                (false, _) => slot.counts(),
            };
            (extent, count, reset)
        })
    }

    /// Iterates over the entry numbers of each declared inlet.
    #[inline]
    pub(crate) fn inlets(self) -> impl Iterator<Item = Extent> + use<'a> {
        let [from, ..] = self.layout.numbers;
        self.extents(from, self.layout.inlets, |inlet| inlet.array)
    }

    /// Iterates over the entry numbers of each declared cell.
    #[inline]
    pub(crate) fn cells(self) -> impl Iterator<Item = Extent> + use<'a> {
        let [_, from, _] = self.layout.numbers;
        self.extents(from, self.layout.cells, |cell| cell.array)
    }

    fn extents<S>(
        self,
        from: usize,
        specs: &'static [S],
        is_array: fn(&S) -> bool,
    ) -> impl Iterator<Item = Extent> + use<'a, S> {
        let mut numbers = self.numbers.get(from..).unwrap_or_default().iter().copied();
        let mut end = specs.len() as u32;
        specs.iter().enumerate().map(move |(ordinal, spec)| {
            let len = is_array(spec).then(|| numbers.next().unwrap_or_default());
            numbered(ordinal, len, &mut end)
        })
    }

    pub(crate) fn all(self) -> Extents {
        Extents { slots: self.slots().collect(), inlets: self.inlets().collect() }
    }

    pub(crate) fn slot_name(self, number: u32) -> String {
        let names = self.layout.slots.iter().map(|slot| slot.name);
        name_of(names.zip(self.slots().map(|(extent, ..)| extent)), number)
    }

    pub(crate) fn inlet_name(self, number: u32) -> String {
        name_of(self.layout.inlets.iter().map(|inlet| inlet.name).zip(self.inlets()), number)
    }

    pub(crate) fn cell_name(self, number: u32) -> String {
        name_of(self.layout.cells.iter().map(|cell| cell.name).zip(self.cells()), number)
    }

    /// Returns the first declared slot with a computed count of 0, whose fiber no signal would ever enable.
    /// (The program means to raise a 0 in the declaration.)
    pub(crate) fn never_enabled(self) -> Option<(&'static SlotSpec, Extent)> {
        let mut slots = self.layout.slots.iter().zip(self.slots());
        slots.find_map(|(slot, (extent, count, _))| {
            (slot.varies && count == 0 && extent.len > 0).then_some((slot, extent))
        })
    }

    pub(crate) fn slots_total(self) -> usize {
        self.layout.slots.len() + self.slots().map(|(extent, ..)| elements(extent)).sum::<usize>()
    }

    pub(crate) fn cells_total(self) -> usize {
        self.layout.cells.len() + self.cells().map(elements).sum::<usize>()
    }

    /// Whether all slots, inlets and cells have numbers of 32 bits.
    pub(crate) fn fit(self) -> bool {
        let inlets = self.layout.inlets.len() + self.inlets().map(elements).sum::<usize>();
        // The largest number stands for "not an element".
        [self.slots_total(), inlets, self.cells_total()].iter().all(|&total| total < u32::MAX as usize)
    }
}

/// Returns the numbers of a declared name: its own ordinal, or for an array the next `len` numbers from `end`
/// on.
fn numbered(ordinal: usize, len: Option<u32>, end: &mut u32) -> Extent {
    let Some(len) = len else { return Extent::single(ordinal as u32) };
    let first = *end;
    *end = first.wrapping_add(len);
    Extent { first, len, array: true }
}

fn elements(extent: Extent) -> usize {
    if extent.array { extent.len as usize } else { 0 }
}

/// The numbers of the [sizes](Sizes) of a frame on their way to another unit. A few are stored in line.
#[derive(Debug)]
pub(crate) enum Numbers {
    Few(u8, [u32; FEW]),
    Many(Box<[u32]>),
}

/// The most numbers that travel in line.
const FEW: usize = 10;

impl From<&[u32]> for Numbers {
    fn from(numbers: &[u32]) -> Self {
        let mut few = [0; FEW];
        match few.get_mut(..numbers.len()) {
            Some(room) => {
                room.copy_from_slice(numbers);
                Numbers::Few(numbers.len() as u8, few)
            }
            None => Numbers::Many(numbers.into()),
        }
    }
}

impl Deref for Numbers {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        match self {
            Numbers::Few(len, numbers) => &numbers[..usize::from(*len)],
            Numbers::Many(numbers) => numbers,
        }
    }
}

/// Returns the name of entry `number` among these declarations: `done`, or `stage[3]`, or `number 5` if it
/// belongs to none.
fn name_of<'a>(mut declared: impl Iterator<Item = (&'a str, Extent)>, number: u32) -> String {
    match declared.find(|(_, extent)| extent.has(number)) {
        Some((name, extent)) if extent.array => format!("{name}[{}]", number - extent.first),
        Some((name, _)) => name.to_owned(),
        None => format!("number {number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOTS: &[SlotSpec] = &[
        SlotSpec::new("first", 0, None, false, false, 0, 0),
        SlotSpec::new("many", 0, Some((1, 1)), true, true, 0, 0),
        SlotSpec::new("last", 0, None, true, true, 0, 0),
    ];
    const CELLS: &[CellSpec] = &[CellSpec::new::<u64>("cell", false), CellSpec::new::<u64>("cells", true)];
    static LAYOUT: Layout = Layout::new(|| "F", SLOTS, &[], CELLS, &[], ExtraContents::Extra);

    #[test]
    fn names_lose_their_modules_and_nothing_else() {
        assert_eq!(short("a::b::Fib"), "Fib");
        assert_eq!(short("a::Sender<b::c::D, (e::F, [f64; 3])>"), "Sender<D, (F, [f64; 3])>");
    }

    #[test]
    fn arrays_are_numbered_after_all_declared_names() {
        let sizes = Sizes::new(&LAYOUT, &[2, 4, 2, 7, 8, 3]);
        let array = |first, len| Extent { first, len, array: true };
        let slots: Vec<_> = sizes.slots().collect();
        assert_eq!(slots, [(Extent::single(0), 2, 0), (array(3, 4), 1, 1), (array(7, 2), 7, 8)]);
        assert!(sizes.cells().eq([Extent::single(0), array(2, 3)]));
        assert_eq!((sizes.slots_total(), sizes.cells_total(), sizes.fit()), (9, 5, true));
        assert_eq!(
            [0, 2, 3, 6, 8, 9].map(|number| sizes.slot_name(number)),
            ["first", "number 2", "many[0]", "many[3]", "last[1]", "number 9"].map(str::to_owned)
        );
    }

    #[test]
    fn sizes_beyond_32_bits_are_found_out() {
        assert!(Sizes::new(&LAYOUT, &[1, u32::MAX - 6, 2, 1, 1, 0]).fit());
        assert!(!Sizes::new(&LAYOUT, &[1, u32::MAX - 5, 2, 1, 1, 0]).fit());
        assert!(!Sizes::new(&LAYOUT, &[1, u32::MAX, u32::MAX, 1, 1, 0]).fit());
        assert!(!Sizes::new(&LAYOUT, &[1, 0, 0, 1, 1, u32::MAX - 2]).fit());
    }
}
