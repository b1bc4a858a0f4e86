//! Hooks for bugs that tests switch on. `tests/bugs/memory` compiles this crate again with a switch that
//! replaces this file.

/// Whether the bug of this name is on: `false`.
macro_rules! seeded {
    ($bug:ident) => {
        $crate::seeded::OFF
    };
}

/// The value of every hook. It is a named constant because lints reject conditions with a literal.
pub(crate) const OFF: bool = false;
