//! Hooks for bugs that tests switch on.
//!
//! A hook is the macro `seeded` with the name of a bug, at the place of the bug. It asks whether the bug is
//! on. Here it never is: the hook is the constant `false`, and the code behind it is not compiled.
//! `tests/bugs` compiles this crate again with its own macro instead of this file, and shows for each bug
//! that a test finds it.

/// Whether the bug of this name is on: `false`.
macro_rules! seeded {
    ($bug:ident) => {
        $crate::seeded::OFF
    };
}

/// Value of every hook. It is a named constant, because lints object that a literal makes a condition
/// pointless.
pub(crate) const OFF: bool = false;
