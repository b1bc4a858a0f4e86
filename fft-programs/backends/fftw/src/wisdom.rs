//! Wisdom: results of a library's planners as text in the library's format, exported and imported by another
//! process.
//!
//! A planner that has imported a plan does not search for it again. FFTW keeps wisdom for each precision. MKL
//! does not search and keeps no wisdom.

use std::ffi::{CString, c_char, c_void};

use crate::loaded::interface::Interface;
use crate::lock::planner;

/// Appends a character to a text.
///
/// # Safety
///
/// `text` points to a `Vec<u8>` that no other code uses.
unsafe extern "C" fn write(character: c_char, text: *mut c_void) {
    // SAFETY: as the caller promised.
    let text = unsafe { &mut *text.cast::<Vec<u8>>() };
    text.extend(character.to_ne_bytes());
}

/// Exports the planner's results, if the library supports this.
pub(crate) fn export(interface: &Interface) -> Option<String> {
    let (export, _) = interface.wisdom?;
    let mut text = Vec::new();
    let _turn = planner()?;
    // SAFETY: `export` calls `write` with the pointer to the text; the lock is held.
    unsafe { export(write, (&raw mut text).cast()) };
    String::from_utf8(text).ok().filter(|text| !text.is_empty())
}

/// Imports the results of another planner. Returns whether the library accepted them.
pub(crate) fn import(interface: &Interface, text: &str) -> bool {
    let (Some((_, import)), Ok(text)) = (interface.wisdom, CString::new(text)) else { return false };
    let Some(_turn) = planner() else { return false };
    // SAFETY: the string ends with a zero byte and is only read; the lock is held.
    unsafe { import(text.as_ptr()) != 0 }
}

/// Drops the planner's results. Returns whether the library has a function for this.
pub(crate) fn forget(interface: &Interface) -> bool {
    let (Some(forget), Some(_turn)) = (interface.forget_wisdom, planner()) else { return false };
    // SAFETY: the function takes no argument and leaves plans valid; the lock is held.
    unsafe { forget() };
    true
}
