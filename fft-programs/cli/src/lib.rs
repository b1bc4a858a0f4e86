//! The command line `earth-fft`: what the binary does.
//!
//! * [`args`]: the commands and their options; a file for each command.
//! * [`io`]: `.npy`, `.csv` and `.png` in and out, as a [`signal`]; an output appears whole or not at all.
//! * [`series`], [`bricks`]: a bundled real series and a bundled real picture.
//! * [`stop`]: Ctrl-C and the time budget.
//!
//! Results go to standard output, words about them (warnings, errors, progress) to standard error. Exit
//! codes: 0 if all went well, 2 if the command line itself is wrong, 1 for anything that needed a file or a
//! machine to be found out or whose time is over, 130 after Ctrl-C. A reader that closes our standard
//! output early (`earth-fft ...
//! | head`) has seen enough: that is 0 and silence.

#![forbid(unsafe_code)]

pub mod args;
mod bench_fft;
pub mod bricks;
mod calibrate;
mod compare;
mod failure;
mod folder;
mod info;
pub mod io;
mod libraries;
mod output;
mod profile;
mod profile2d;
mod progress;
mod saved;
pub mod series;
pub mod signal;
mod simulate;
mod simulate2d;
pub mod stop;
mod trace;
mod transform;
mod wisdom;

use std::process::ExitCode;

use args::{Cli, Command};
use output::say;
use stop::Stop;

pub use failure::Failure;
pub use stop::INTERRUPTED;

/// Carries out one command and tells the user how it went.
///
/// `stop` is what a handler of Ctrl-C uses, and what runs are cancelled by.
pub fn run(cli: &Cli, stop: &Stop) -> ExitCode {
    let done = match &cli.command {
        Command::Transform(args) => transform::run(args, stop),
        Command::Compare(args) => compare::run(args, stop),
        Command::BenchFft(args) => bench_fft::run(args, stop),
        Command::Simulate(args) => simulate::run(args, stop),
        Command::Profile2d(args) => profile2d::run(args, stop),
        Command::Simulate2d(args) => simulate2d::run(args, stop),
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
