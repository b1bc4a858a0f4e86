//! The functions of a program, each with the number that identifies it in bytes.
//!
//! A program does not register its functions. The table has every function in the program, generic ones for
//! each set of arguments that they are used with. It is therefore complete before a run and equal in all
//! processes of the program (rule 10 of ARCHITECTURE.md). It is built when an event is first passed through
//! bytes or a fiber is first published.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use earth_memory::all_kinds;
use once_cell::race::OnceBox;

use crate::node::function::{Function, FunctionRef};
use crate::node::word_hasher::BuildWordHasher;
use crate::vocabulary::layout::Layout;

/// The number for code between fibers, which is not a function.
const NONE: u32 = u32::MAX;

#[derive(Debug)]
struct Table {
    list: Vec<FunctionRef>,
    /// The number of each function, by address, and of each layout.
    numbers: ByAddress,
    layouts: ByAddress,
}

type ByAddress = HashMap<usize, u32, BuildWordHasher>;

/// Threads that first need the table at the same time each build it, and one copy is kept. No thread waits
/// for another, because a forked process could then wait forever.
static TABLE: OnceBox<Table> = OnceBox::new();

fn table() -> &'static Table {
    TABLE.get_or_init(|| Box::new(make_table()))
}

fn make_table() -> Table {
    let list = all_kinds::<Function>();
    let numbered = || (0..).zip(&list);
    let layout = |function: FunctionRef| std::ptr::from_ref(function.hooks().layout).addr();
    Table {
        numbers: numbered()
            .map(|(number, function)| (std::ptr::from_ref(*function).addr(), number))
            .collect(),
        layouts: numbered().map(|(number, function)| (layout(function), number)).collect(),
        list,
    }
}

pub(crate) fn number(function: FunctionRef) -> u32 {
    table().numbers.get(&std::ptr::from_ref(function).addr()).copied().unwrap_or(NONE)
}

/// Returns the number of a fiber's function. A layout may have several addresses; then any function of the
/// same name is returned, because the number serves only to find a name.
pub(crate) fn number_of(layout: &'static Layout) -> u32 {
    let found = table().layouts.get(&std::ptr::from_ref(layout).addr()).copied();
    found.or_else(|| by_name(layout)).unwrap_or(NONE)
}

#[cold]
fn by_name(layout: &Layout) -> Option<u32> {
    let same = |function: &FunctionRef| (function.hooks().layout.name)() == (layout.name)();
    table().list.iter().position(same).map(|number| number as u32)
}

/// Returns a hash of the function table. Equal tables have functions of the same names, with the same slots,
/// inlets and cells, in the same order.
pub(crate) fn fingerprint() -> u64 {
    let mut hasher = DefaultHasher::new();
    for function in &table().list {
        let layout = function.hooks().layout;
        (layout.name)().hash(&mut hasher);
        layout.fibers.hash(&mut hasher);
        [layout.slots.len(), layout.inlets.len(), layout.cells.len()].hash(&mut hasher);
        layout.inlets.iter().for_each(|inlet| inlet.name.hash(&mut hasher));
    }
    hasher.finish()
}

pub(crate) fn get(number: u32) -> Option<FunctionRef> {
    table().list.get(number as usize).copied()
}
