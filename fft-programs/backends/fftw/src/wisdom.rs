//! What a library's planners found, as text in the library's own words: told, and learnt in another process.
//!
//! A planner that has learnt a plan does not search for it again. FFTW keeps it for each precision; MKL, which does not
//! search, keeps none.

use std::ffi::{CString, c_char, c_void};

use crate::loaded::interface::Interface;
use crate::lock::planner;

/// Appends a character to the text that is given.
///
/// # Safety
///
/// `text` points to a `Vec<u8>` that nobody else uses.
unsafe extern "C" fn write(character: c_char, text: *mut c_void) {
    // SAFETY: as the caller promised.
    let text = unsafe { &mut *text.cast::<Vec<u8>>() };
    text.extend(character.to_ne_bytes());
}

/// What the planner knows, if it tells.
pub(crate) fn told(interface: &Interface) -> Option<String> {
    let (export, _) = interface.wisdom?;
    let mut text = Vec::new();
    let _turn = planner()?;
    // SAFETY: the function writes by the one that it is given, which gets the text; the lock is held.
    unsafe { export(write, (&raw mut text).cast()) };
    String::from_utf8(text).ok().filter(|text| !text.is_empty())
}

/// Has the planner learn what another one knew. Returns whether it could use it.
pub(crate) fn learnt(interface: &Interface, text: &str) -> bool {
    let (Some((_, import)), Ok(text)) = (interface.wisdom, CString::new(text)) else { return false };
    let Some(_turn) = planner() else { return false };
    // SAFETY: a string that ends with a zero and is only read; the lock is held.
    unsafe { import(text.as_ptr()) != 0 }
}
