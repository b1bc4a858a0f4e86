//! Results on standard output, messages on standard error.

use std::io::{self, Write};
use std::time::Duration;

use crate::failure::Failure;
use crate::io::Format;
use crate::io::csv::Options;
use crate::signal::{Note, Signal};
pub use crate::terminal::stderr::{name, print_message};

/// Prints a result on standard output.
pub fn print(text: impl std::fmt::Display) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{text}").and_then(|()| stdout.flush()).map_err(Failure::Stdout)
}

/// Prints the reader's remarks on a signal, and warns of values that are not finite.
pub fn warn_of(signal: &Signal) {
    for note in &signal.notes {
        let prefix = if matches!(note, Note::Header { .. }) { "" } else { "warning: " };
        print_message(format_args!("{prefix}{note}"));
    }
    let (non_finite, n) = (signal.samples.non_finite(), signal.samples.count());
    if non_finite > 0 {
        print_message(format_args!(
            "warning: {non_finite} of {n} samples are not finite, so most of the result will not be either"
        ));
    }
}

/// Warns of an option for tables if the input was another kind of file.
pub fn warn_of_table(table: &Options, read: Format) {
    if let (Some(option), Format::Npy | Format::Png) = (table.given(), read) {
        print_message(format_args!("warning: {option} changes only how a .csv is read"));
    }
}

/// Prints one object as JSON on standard output.
pub fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    print(serde_json::to_string(value).map_err(|error| Failure::Stdout(error.into()))?)
}

/// Returns `seconds` as a duration, or the longest duration if it does not fit.
pub fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}
