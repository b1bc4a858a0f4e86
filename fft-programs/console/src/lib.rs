//! What the binaries have in common: arguments, files, progress, Ctrl-C and exit codes.
//!
//! * [`args`]: options that several commands have.
//! * [`io`]: `.npy`, `.csv` and `.png` in and out, as a [`signal`]; an output appears whole or not at all.
//! * [`series`], [`bricks`]: a bundled real series and a bundled real picture.
//! * [`speeds`]: speed functions in files. [`trace`]: traces in files. [`folder`]: pages with their plots.
//! * [`output`], [`progress`]: what is said on standard output and on standard error.
//! * [`work`]: the listener of a measurement. [`threads`]: work by several threads.
//! * [`stop`]: Ctrl-C and the time budget. [`failure`]: what can go wrong.
//!
//! Results go to standard output, words about them (warnings, errors, progress) to standard error. Exit
//! codes: 0 if all went well, 2 if the command line itself is wrong, 1 for anything that needed a file or a
//! machine to be found out or whose time is over, 130 after Ctrl-C. A reader that closes our standard
//! output early (`earth-fft ... | head`) has seen enough: that is 0 and silence.

#![forbid(unsafe_code)]

pub mod args;
mod bundled;
pub mod failure;
mod files;
pub mod io;
pub mod signal;
pub mod stop;
mod terminal;
pub mod threads;

use std::io::IsTerminal as _;
use std::process::ExitCode;

use earth::Machine;

pub use bundled::{bricks, series};
pub use failure::Failure;
pub use files::{folder, speeds, trace};
use stop::Stop;
use terminal::stderr;
pub use terminal::{output, progress, work};

/// Runs a command of the binary `name`: `read` reads the command line, `run` carries it out.
///
/// A wrong command line, and a wrong variable of the environment, are found before any work is done.
pub fn run<C>(
    name: &'static str,
    read: impl FnOnce(std::env::ArgsOs) -> Result<C, clap::Error>,
    run: impl FnOnce(C, &Stop) -> Result<(), Failure>,
) -> ExitCode {
    stderr::begin(name);
    if let Err(none) = earth_fft::memory::begin() {
        output::say(none);
        return ExitCode::FAILURE;
    }
    let command = match read(std::env::args_os()) {
        Ok(command) => command,
        Err(error) => error.exit(),
    };
    let stop = Stop::default();
    let on_interrupt = stop.clone();
    let handler = ctrlc::set_handler(move || {
        if std::io::stderr().is_terminal() {
            // The shell's prompt is not to follow a progress bar or ^C on their line.
            eprintln!();
        }
        on_interrupt.interrupt()
    });
    if let Err(error) = handler {
        output::say(format_args!("warning: Ctrl-C may leave a file behind: {error}"));
    }
    let done = earth_pin().and_then(|_| run(command, &stop));
    done.map_or_else(|failure| failure.end(&stop), |()| ExitCode::SUCCESS)
}

/// What the variable `EARTH_PIN` says: `on` or `off`, if it is set.
///
/// # Errors
///
/// Another value.
pub fn earth_pin() -> Result<Option<&'static str>, Failure> {
    let pin = Machine::pin_variable().map_err(Failure::Environment)?;
    Ok(pin.map(|pin| if pin { "on" } else { "off" }))
}
