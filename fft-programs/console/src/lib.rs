//! Common parts of the binaries: arguments, files, progress, Ctrl-C and exit codes.
//!
//! * [`args`]: options that several commands have.
//! * [`io`]: input and output of `.npy`, `.csv` and `.png` as a [`signal`]. An output appears whole or not at
//!   all.
//! * [`series`], [`bricks`]: a bundled real series and a bundled real picture.
//! * [`speeds`], [`trace`], [`wisdom`]: speed functions, traces and measured plans in files. [`text`]: other
//!   text files. [`folder`]: pages with their plots.
//! * [`output`], [`progress`]: text on standard output and standard error.
//! * [`work`]: the listener of a measurement. [`threads`]: work by several threads.
//! * [`stop`]: Ctrl-C and the time budget. [`failure`]: errors and exit codes.
//!
//! Results go to standard output; warnings, errors and progress go to standard error. Exit codes:
//!
//! | code | cause |
//! |---|---|
//! | 0 | success; also if the reader closed our standard output early (`earth-fft ... \| head`), without a message |
//! | 1 | an error that was found with the help of a file or a machine, or the end of the time budget |
//! | 2 | a wrong command line |
//! | 130 | Ctrl-C |

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

use std::process::ExitCode;

use earth::Machine;
use earth_fft::kernel::check_simd;
use earth_memory::NoMemory;

pub use bundled::{bricks, series};
pub use failure::Failure;
pub use files::{folder, speeds, text, trace, wisdom};
use stop::Stop;
use terminal::stderr;
pub use terminal::{output, progress, work};

/// Runs a command of the binary `name`. `read` parses the command line, and `run` carries it out.
///
/// A wrong command line or environment variable is reported before any work is done.
pub fn run<C>(
    name: &'static str,
    read: impl FnOnce(std::env::ArgsOs) -> Result<C, clap::Error>,
    run: impl FnOnce(C, &Stop) -> Result<(), Failure>,
) -> ExitCode {
    if let Err(none) = begin(name) {
        output::print_message(none);
        return ExitCode::FAILURE;
    }
    let command = match read(std::env::args_os()) {
        Ok(command) => command,
        Err(error) => error.exit(),
    };
    let stop = Stop::default();
    stop.watch_interrupts();
    let done = check_environment().and_then(|()| run(command, &stop));
    done.map_or_else(|failure| failure.end(&stop), |()| ExitCode::SUCCESS)
}

/// Begins the process of the binary `name`: its messages have this name, and it checks its memory. A `main`
/// that does not call [`run`] calls this function in its first lines.
///
/// # Errors
///
/// [`NoMemory`] if there is too little memory even to report a lack of memory later.
pub fn begin(name: &'static str) -> Result<(), NoMemory> {
    stderr::begin(name);
    earth_fft::memory::begin()
}

/// Checks the variables `EARTH_PIN` and `EARTH_ISA`.
///
/// # Errors
///
/// A value without a meaning.
pub fn check_environment() -> Result<(), Failure> {
    earth_pin()?;
    check_simd().map_err(|error| Failure::Environment(error.into()))
}

/// Returns the value of the variable `EARTH_PIN`, `on` or `off`, if it is set.
///
/// # Errors
///
/// Another value.
pub fn earth_pin() -> Result<Option<&'static str>, Failure> {
    let pin = Machine::pin_variable().map_err(|error| Failure::Environment(error.into()))?;
    Ok(pin.map(|pin| if pin { "on" } else { "off" }))
}
