//! Scale of the runtime on 4 to 64 nodes: what is counted on real threads and on simulated machines, and the
//! times that a profile of a computer with 64 cores predicts.
//!
//! The profile `epyc-7773x` has published latencies. The page says what is counted, measured and predicted.
//!
//! 1. [`cases`] lists the programs, the numbers of nodes, and the distances between cores;
//! 2. [`sample`] runs a program on any machine, and counts what the machine's own counters do not tell;
//! 3. [`touched`] has small programs that show what a run, a signal and a steal touch;
//! 4. [`network`] is the network of groups of cores;
//! 5. [`results`] does the runs on threads, and each simulated run that the page asks for once;
//! 6. [`document`] and [`figures`] fill the page template `page.md`.

mod cases;
mod document;
mod figures;
mod network;
mod results;
mod sample;
mod touched;

use earth::CancelToken;
use earth::simulated::Profile;
use earth_console::work::Progress;
use earth_report::document::Document;

use crate::run_cache::{RunFile, SimulateError};
use cases::{FEW, WHOLE};
use results::Results;

/// Name of the profile of the page's computer.
pub const PROFILE: &str = "epyc-7773x";

/// Counts on threads, simulates, and makes the report.
///
/// # Errors
///
/// An error of a program, of its run or of keeping it, or `cancel` was cancelled.
pub fn report(
    profile: Profile,
    cancel: &CancelToken,
    kept: &RunFile,
    progress: &impl Progress,
) -> Result<Document, SimulateError> {
    Results::reported((profile, WHOLE), document::document, cancel, kept, progress)
}

/// Makes the same page of small programs on few nodes, which takes a second.
///
/// # Errors
///
/// The errors of [`report`].
pub fn small(
    profile: Profile,
    cancel: &CancelToken,
    kept: &RunFile,
    progress: &impl Progress,
) -> Result<Document, SimulateError> {
    Results::reported((profile, FEW), document::document, cancel, kept, progress)
}

/// Returns the profile of the page's computer, for tests.
#[cfg(test)]
fn profile() -> Profile {
    Profile::named(PROFILE).unwrap()
}
