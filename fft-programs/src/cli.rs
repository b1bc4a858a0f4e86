//! The command line `earth-fft`: what the binary does, callable with any set of [`Programs`].
//!
//! Results go to standard output, words about them (warnings, errors, progress) to standard error. Exit
//! codes: 0 if all went well, 2 if the command line itself is wrong, 1 for anything that needed a file or a
//! machine to be found out, 130 after Ctrl-C. A reader that closes our standard output early (`earth-fft ...
//! | head`) has seen enough: that is 0 and silence.

pub mod args;
mod compare;
mod failure;
mod info;
mod picture;
mod progress;
mod table;
mod transform;

use std::io::{self, Write};
use std::process::ExitCode;

pub use failure::Failure;

use crate::io::aside::Unfinished;
use crate::request::Programs;
use crate::signal::Signal;
use args::{Cli, Command};

/// The exit code after Ctrl-C, as shells have it.
pub const INTERRUPTED: u8 = 130;

/// Carries out one command and tells the user how it went.
///
/// `unfinished` is what a handler of Ctrl-C must [sweep](Unfinished::sweep) before it ends the process.
pub fn run(cli: &Cli, programs: &impl Programs, unfinished: &Unfinished) -> ExitCode {
    let done = match &cli.command {
        Command::Transform(args) => transform::run(args, programs, unfinished),
        Command::Compare(args) => compare::run(args, programs),
        Command::Info(args) => info::run(args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) if failure.is_broken_pipe() => ExitCode::SUCCESS,
        Err(failure) if failure.is_interruption() => ExitCode::from(INTERRUPTED),
        Err(failure) => {
            say(&failure);
            ExitCode::from(failure.exit_code())
        }
    }
}

/// Prints a result on standard output.
fn print(text: impl std::fmt::Display) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{text}").and_then(|()| stdout.flush()).map_err(Failure::Stdout)
}

/// Prints a line of words on standard error; if that is gone, there is nobody to tell.
fn say(text: impl std::fmt::Display) {
    let _ = writeln!(io::stderr().lock(), "earth-fft: {text}");
}

/// Warns of what is remarkable about a signal that was read.
fn warn_of(signal: &Signal) {
    for note in &signal.notes {
        say(format_args!("warning: {note}"));
    }
    let (non_finite, n) = (signal.samples.non_finite(), signal.samples.len());
    if non_finite > 0 {
        say(format_args!(
            "warning: {non_finite} of {n} samples are not finite, so most of the result will not be either"
        ));
    }
}

/// Prints one object as JSON on standard output.
fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    print(serde_json::to_string(value).map_err(|error| Failure::Stdout(error.into()))?)
}
