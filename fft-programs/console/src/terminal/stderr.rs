//! Messages on standard error. Each line begins with the name of the binary.

use std::io::{self, Write};
use std::sync::OnceLock;

/// Name of the binary, at the beginning of each line on standard error.
static NAME: OnceLock<&str> = OnceLock::new();

/// Sets the name of the binary.
pub(crate) fn begin(name: &'static str) {
    NAME.get_or_init(|| name);
}

/// Returns the name of the binary.
pub fn name() -> &'static str {
    NAME.get().unwrap_or(&"earth")
}

/// Prints a line on standard error. A failure is ignored, since it could not be reported.
pub fn print_message(text: impl std::fmt::Display) {
    let _ = writeln!(io::stderr().lock(), "{}: {text}", name());
}
