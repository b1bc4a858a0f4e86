//! Hooks for bugs that tests switch on, as the runtime has them: in `tests/bugs/memory` this crate is compiled once more,
//! with a switch in the place of this file.

/// Whether the bug of this name is on: `false`.
macro_rules! seeded {
    ($bug:ident) => {
        $crate::seeded::OFF
    };
}

/// What every hook is. A named constant, since lints say of a literal that it makes a condition pointless.
pub(crate) const OFF: bool = false;
