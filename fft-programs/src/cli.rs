//! The command line `earth-fft`: what the binary does, callable with any set of [`Programs`].
//!
//! Results go to standard output, words about them (warnings, errors, progress) to standard error. Exit
//! codes: 0 if all went well, 2 if the command line itself is wrong, 1 for anything that needed a file or a
//! machine to be found out or whose time is over, 130 after Ctrl-C. A reader that closes our standard
//! output early (`earth-fft ...
//! | head`) has seen enough: that is 0 and silence.

pub mod args;
mod axes;
mod calibrate;
mod compare;
mod facts;
mod failure;
mod info;
mod libraries;
mod page;
mod picture;
mod profile;
mod profile2d;
mod progress;
mod saved;
mod simulate;
pub mod stop;
mod table;
mod trace;
mod transform;

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use earth_kernels::{Direction, Verified, verify, verify_2d};
use earth_rustfft::RustFft;
use num_complex::Complex;

pub use failure::Failure;

use crate::request::Programs;
use crate::signal::{Precision, Shape, Signal};
use args::{Cli, Command};
use stop::Stop;

/// The exit code after Ctrl-C, as shells have it.
pub const INTERRUPTED: u8 = 130;

/// Carries out one command and tells the user how it went.
///
/// `stop` is what a handler of Ctrl-C uses, and what the programs are cancelled by.
pub fn run(cli: &Cli, programs: &impl Programs, stop: &Stop) -> ExitCode {
    let done = match &cli.command {
        Command::Transform(args) => transform::run(args, programs, stop),
        Command::Compare(args) => compare::run(args, programs, stop),
        Command::Simulate(args) => simulate::run(args, stop),
        Command::Profile2d(args) => profile2d::run(args, stop),
        Command::Calibrate(args) => calibrate::run(args, stop),
        Command::Profile(args) => profile::run(args, stop),
        Command::Info(args) => info::run(args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) if failure.is_broken_pipe() => ExitCode::SUCCESS,
        Err(failure) if failure.is_interruption() && stop.is_out_of_time() => {
            say(stop::OUT_OF_TIME);
            ExitCode::from(1)
        }
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

/// Whether `spectrum` is the transform of samples of this shape; `seed` chooses the values that are
/// summed by the definition.
fn verified<T: Precision>(
    shape: Shape,
    samples: &[Complex<T>],
    spectrum: &[Complex<T>],
    direction: Direction,
    seed: u64,
) -> Verified {
    match shape {
        Shape::Line(_) => verify(samples, spectrum, direction, seed, RustFft::new),
        Shape::Matrix { rows, cols } => {
            verify_2d(rows, cols, samples, spectrum, direction, seed, RustFft::new)
        }
    }
}

/// Prints one object as JSON on standard output.
fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    print(serde_json::to_string(value).map_err(|error| Failure::Stdout(error.into()))?)
}

/// So many seconds, or the longest time there is.
fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}
