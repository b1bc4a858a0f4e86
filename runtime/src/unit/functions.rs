//! The functions of a run, each under the number that is its name in bytes.
//!
//! A function gets its number when a unit first starts it, so a program lists nothing. All units of a process share
//! the table behind a lock; each remembers which functions it has met, so that it passes the lock once for each.

use std::any::TypeId;
use std::collections::HashMap;

use parking_lot::RwLock;

use super::function::{FunctionRef, Threaded, function};
use crate::vocabulary::layout::Layout;

/// The functions of a run.
#[derive(Debug, Default)]
pub(crate) struct Functions {
    table: RwLock<Table>,
}

#[derive(Debug, Default)]
struct Table {
    list: Vec<FunctionRef>,
    numbers: HashMap<TypeId, u32>,
}

impl Functions {
    /// A table with the main function `F`.
    pub(crate) fn reached_by<F: Threaded>() -> Self {
        let functions = Functions::default();
        functions.register::<F>();
        functions
    }

    /// Gives `F` a number, unless it has one.
    pub(crate) fn register<F: Threaded>(&self) {
        if self.has::<F>() {
            return;
        }
        let Table { list, numbers } = &mut *self.table.write();
        numbers.entry(TypeId::of::<F>()).or_insert_with(|| {
            list.push(function::<F>());
            list.len() as u32 - 1
        });
    }

    fn has<F: Threaded>(&self) -> bool {
        self.table.read().numbers.contains_key(&TypeId::of::<F>())
    }

    /// The number of a function; `u32::MAX`, which no function has, if it has none.
    pub(crate) fn number(&self, function: FunctionRef) -> u32 {
        self.position(|listed| listed.is_same(function)).unwrap_or(u32::MAX)
    }

    /// The number of the function of a fiber; `u32::MAX` for what runs between fibers. It serves a name, so a
    /// function of the same name will do where a layout has several addresses.
    pub(super) fn number_of(&self, layout: &Layout) -> u32 {
        self.position(|listed| std::ptr::eq(listed.hooks().layout, layout))
            .or_else(|| self.position(|listed| (listed.hooks().layout.name)() == (layout.name)()))
            .unwrap_or(u32::MAX)
    }

    fn position(&self, is: impl Fn(FunctionRef) -> bool) -> Option<u32> {
        self.table.read().list.iter().position(|listed| is(listed)).map(|number| number as u32)
    }

    /// The function of this number.
    pub(crate) fn get(&self, number: u32) -> Option<FunctionRef> {
        self.table.read().list.get(number as usize).copied()
    }
}
