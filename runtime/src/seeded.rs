//! Hooks for bugs that tests switch on.
//!
//! A hook, the macro `seeded` with the name of a bug, stands where the bug would be and asks whether it is on. Here it
//! never is: the hook is the constant `false`, and what depends on it is not compiled. `tests/bugs` compiles this crate
//! once more, with its own macro in the place of this file, and shows of each bug that a test finds it.

/// Whether the bug of this name is on: `false`.
macro_rules! seeded {
    ($bug:ident) => {
        $crate::seeded::OFF
    };
}

/// What every hook is. A named constant, since lints say of a literal that it makes a condition pointless.
pub(crate) const OFF: bool = false;
