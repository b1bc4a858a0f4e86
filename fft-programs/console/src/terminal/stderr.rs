//! Words on standard error, each line of which begins with the name of the binary.

use std::io::{self, Write};
use std::sync::OnceLock;

/// The name of the binary, with which each line on standard error begins.
static NAME: OnceLock<&str> = OnceLock::new();

/// Notes the name of the binary.
pub(crate) fn begin(name: &'static str) {
    NAME.get_or_init(|| name);
}

/// The name of the binary.
pub fn name() -> &'static str {
    NAME.get().unwrap_or(&"earth")
}

/// Prints a line of words on standard error; if that is gone, there is nobody to tell.
pub fn say(text: impl std::fmt::Display) {
    let _ = writeln!(io::stderr().lock(), "{}: {text}", name());
}
