//! The command line `earth-fft`: what the binary does.
//!
//! * [`args`]: the commands and their options; a file for each command.
//! * [`transform`] and the other commands, each with a `run` of its arguments.
//! * [`io`]: `.npy`, `.csv` and `.png` in and out, as a [`signal`]; an output appears whole or not at all.
//! * [`series`], [`bricks`]: a bundled real series and a bundled real picture.
//! * [`stop`]: Ctrl-C and the time budget.
//!
//! Results go to standard output, words about them (warnings, errors, progress) to standard error. Exit
//! codes: 0 if all went well, 2 if the command line itself is wrong, 1 for anything that needed a file or a
//! machine to be found out or whose time is over, 130 after Ctrl-C. A reader that closes our standard
//! output early (`earth-fft ... | head`) has seen enough: that is 0 and silence.

#![forbid(unsafe_code)]

pub mod args;
pub mod bench_fft;
pub mod bricks;
pub mod calibrate;
pub mod compare;
mod failure;
mod folder;
pub mod info;
pub mod io;
mod libraries;
mod output;
pub mod profile;
pub mod profile2d;
mod progress;
mod rates;
mod saved;
pub mod series;
pub mod signal;
pub mod simulate;
pub mod simulate2d;
mod solvers;
pub mod stop;
mod trace;
pub mod transform;
mod wisdom;

pub use failure::Failure;
