//! The layout of a frame: which slots, inlets and cells a function declares, and how
//! many of each a frame has.
//!
//! Slots, inlets and cells are numbered separately, in 32 bits. The declared ones come first, in order of
//! declaration; the elements of arrays follow, so a single one's number is a constant and an array's
//! elements are consecutive.

use earth_memory::Kind;
use earth_memory::frames::{Declared, InletLayout, SlotLayout};

use super::value::{self, Value, ValueHooks};
use super::wire::{Undecodable, Unpacker, Wire};

/// The layout of a function's frames: its slots, inlets, cells and fibers. [`#[threaded]`](macro@crate::threaded) writes it.
#[derive(Debug)]
pub struct Layout {
    pub(crate) name: fn() -> &'static str,
    pub(crate) slots: &'static [SlotSpec],
    pub(crate) inlets: &'static [InletSpec],
    pub(crate) cells: &'static [CellSpec],
    pub(crate) fibers: &'static [&'static str],
    pub(crate) sized: bool,
}

/// What is known of declared slots and inlets beside where they lie.
#[derive(Debug)]
pub enum Declarations {}

impl Declared for Declarations {
    type Value = ValueHooks;
    type Slot = SlotName;
    /// Its name.
    type Inlet = &'static str;
}

/// A declared slot or array of slots.
pub type SlotSpec = SlotLayout<Declarations>;

/// A declared inlet or array of inlets.
pub type InletSpec = InletLayout<Declarations>;

/// What is known of a slot beside its counts.
#[derive(Debug)]
pub struct SlotName {
    name: &'static str,
    /// The number of the fiber that it enables.
    pub(crate) fiber: u32,
    /// Whether its count is known only when the frame starts.
    varies: bool,
}

/// A declared slot that enables fiber `fiber` and counts the inlets `first_inlet..first_inlet + inlets`. Count and
/// reset are those of a frame that is not [sized](Layout::new); a count of `None` is known only when the frame starts.
pub const fn declared_slot(
    name: &'static str,
    fiber: u32,
    count: Option<u32>,
    reset: u32,
    first_inlet: u32,
    inlets: u32,
) -> SlotSpec {
    let (count, varies) = match count {
        Some(count) => (count, false),
        None => (0, true),
    };
    SlotSpec::new(count, reset, first_inlet, inlets, SlotName { name, fiber, varies })
}

/// A declared inlet, or an array of such, for values of a kind, which signals slot `slot`.
pub const fn declared_inlet(
    name: &'static str,
    kind: &'static Kind<ValueHooks>,
    slot: u32,
    array: bool,
) -> InletSpec {
    InletSpec::of(kind, name).signalling(slot, array)
}

/// A declared cell or array of cells.
#[derive(Debug)]
pub struct CellSpec {
    name: &'static str,
    pub(crate) unpack: fn(&mut Unpacker<'_>) -> Result<Value, Undecodable>,
    pub(crate) copy: fn(&Value) -> Option<Value>,
}

/// The layout that stands for the code between fibers.
pub(crate) static BETWEEN_FIBERS: Layout =
    Layout::new(|| "the synchronization unit", &[], &[], &[], &["between fibers"], false);

impl Layout {
    /// A layout. `sized` says that counts or lengths are known only when the frame starts.
    pub const fn new(
        name: fn() -> &'static str,
        slots: &'static [SlotSpec],
        inlets: &'static [InletSpec],
        cells: &'static [CellSpec],
        fibers: &'static [&'static str],
        sized: bool,
    ) -> Self {
        Layout { name, slots, inlets, cells, fibers, sized }
    }

    /// Whether frames have more than what lies in their one piece of memory.
    pub(crate) const fn has_extra(&self) -> bool {
        self.sized || !self.cells.is_empty()
    }

    /// The number of the fiber that a declared slot enables.
    pub(crate) fn fiber_of(&self, slot: u32) -> u32 {
        self.slots.get(slot as usize).map_or(u32::MAX, |slot| slot.hooks().fiber)
    }

    /// The function's name without the modules it is in.
    pub(crate) fn name(&self) -> String {
        short((self.name)())
    }
}

impl CellSpec {
    /// A cell for a value of type `T`.
    pub const fn new<T: Wire + Clone>(name: &'static str) -> Self {
        CellSpec { name, unpack: value::unpack::<T>, copy: value::copy::<T> }
    }
}

/// `a::b::Name<c::D>` without its modules: `Name<D>`.
pub(crate) fn short(path: &str) -> String {
    let mut name = String::with_capacity(path.len());
    for piece in path.split_inclusive(['<', '>', ',', ' ', '(', ')', '[', ']', '&', ';']) {
        name.push_str(piece.rsplit("::").next().unwrap_or(piece));
    }
    name
}

/// The numbers of one declared name: a single one or the elements of an array.
pub(crate) use earth_memory::frames::Extent;

/// The sizes of one frame, for functions that know them only when the frame starts.
#[derive(Debug, Default)]
pub struct Sizes {
    pub(crate) slots: Vec<Extent>,
    pub(crate) inlets: Vec<Extent>,
    pub(crate) cells: Vec<Extent>,
    /// Count and reset of each declared slot.
    pub(crate) counts: Vec<(u32, u32)>,
    totals: [u32; 3],
    too_large: bool,
}

impl Sizes {
    pub(crate) fn of(layout: &Layout) -> Self {
        let totals = [layout.slots.len() as u32, layout.inlets.len() as u32, layout.cells.len() as u32];
        Sizes { totals, ..Sizes::default() }
    }

    /// The next declared slot: an array of `len`, or a single one.
    pub fn slot(&mut self, len: Option<usize>, count: usize, reset: usize) {
        let (count, reset) = (self.fits(count), self.fits(reset));
        self.counts.push((count, reset));
        let extent = self.extent(0, self.slots.len(), len);
        self.slots.push(extent);
    }

    /// The next declared inlet: an array of `len`, or a single one.
    pub fn inlet(&mut self, len: Option<usize>) {
        let extent = self.extent(1, self.inlets.len(), len);
        self.inlets.push(extent);
    }

    /// The next declared cell: an array of `len`, or a single one.
    pub fn cell(&mut self, len: Option<usize>) {
        let extent = self.extent(2, self.cells.len(), len);
        self.cells.push(extent);
    }

    fn fits(&mut self, count: usize) -> u32 {
        u32::try_from(count).unwrap_or_else(|_| {
            self.too_large = true;
            0
        })
    }

    fn extent(&mut self, which: usize, ordinal: usize, len: Option<usize>) -> Extent {
        let Some(len) = len else { return Extent { first: ordinal as u32, len: 1, array: false } };
        let first = self.totals[which];
        // The last number stands for "not an element".
        match u32::try_from(len).ok().and_then(|len| first.checked_add(len)).filter(|&end| end < u32::MAX) {
            Some(end) => self.totals[which] = end,
            None => self.too_large = true,
        }
        Extent { first, len: len as u32, array: true }
    }

    /// The first declared slot whose count was worked out to be 0: nothing would ever enable its fiber. (A 0 in the
    /// declaration is meant to be raised.)
    pub(crate) fn never_enabled(&self, layout: &Layout) -> Option<usize> {
        (0..layout.slots.len()).find(|&ordinal| {
            layout.slots[ordinal].hooks().varies && self.counts[ordinal].0 == 0 && self.slots[ordinal].len > 0
        })
    }

    /// How many slots, inlets and cells the frame has; `None` if that or a count does not fit 32 bits.
    pub(crate) fn totals(&self) -> Option<[u32; 3]> {
        if self.too_large { None } else { Some(self.totals) }
    }
}

/// A declaration that has a name: a slot, an inlet or a cell.
pub(crate) trait Named {
    fn name(&self) -> &'static str;
}

impl Named for SlotSpec {
    fn name(&self) -> &'static str {
        self.hooks().name
    }
}

impl Named for InletSpec {
    fn name(&self) -> &'static str {
        self.hooks()
    }
}

impl Named for CellSpec {
    fn name(&self) -> &'static str {
        self.name
    }
}

/// The name of number `number`: `done`, or `stage[3]`, or `number 5` if it belongs to nothing declared.
pub(crate) fn name_of<S: Named>(specs: &[S], extents: Option<&[Extent]>, number: u32) -> String {
    let single = |ordinal: u32| Extent { first: ordinal, len: 1, array: false };
    for (ordinal, spec) in specs.iter().enumerate() {
        let extent = extents.map_or(single(ordinal as u32), |extents| extents[ordinal]);
        if (extent.first..extent.first.saturating_add(extent.len)).contains(&number) {
            let name = spec.name();
            return if extent.array { format!("{name}[{}]", number - extent.first) } else { name.to_owned() };
        }
    }
    format!("number {number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_modules_and_nothing_else() {
        assert_eq!(short("a::b::Fib"), "Fib");
        assert_eq!(short("a::Sender<b::c::D, (e::F, [f64; 3])>"), "Sender<D, (F, [f64; 3])>");
    }

    #[test]
    fn arrays_are_numbered_after_all_declared_names() {
        const SLOTS: &[SlotSpec] = &[
            declared_slot("first", 0, None, 0, 0, 0),
            declared_slot("many", 0, None, 0, 0, 0),
            declared_slot("last", 0, None, 0, 0, 0),
        ];
        let layout = Layout::new(|| "F", SLOTS, &[], &[], &[], true);
        let mut sizes = Sizes::of(&layout);
        sizes.slot(None, 2, 0);
        sizes.slot(Some(4), 1, 1);
        sizes.slot(None, 1, 0);
        assert_eq!(sizes.totals(), Some([7, 0, 0]));
        let name = |number| name_of(layout.slots, Some(&sizes.slots), number);
        assert_eq!(
            [0, 2, 3, 6, 7].map(name),
            ["first", "last", "many[0]", "many[3]", "number 7"].map(str::to_owned)
        );
    }

    #[test]
    fn sizes_beyond_32_bits_are_found_out() {
        const SLOTS: &[SlotSpec] = &[declared_slot("s", 0, None, 0, 0, 0)];
        let layout = Layout::new(|| "F", SLOTS, &[], &[], &[], true);
        let mut sizes = Sizes::of(&layout);
        sizes.slot(Some(u32::MAX as usize), 1, 0);
        assert_eq!(sizes.totals(), None);
        let mut sizes = Sizes::of(&layout);
        sizes.slot(None, 1 << 32, 0);
        assert_eq!(sizes.totals(), None);
    }
}
