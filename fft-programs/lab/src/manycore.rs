//! The paper of Chen and Gao: FFTs by stages on a many-core chip with software-managed memory, and a cost
//! model of them.
//!
//! 1. [`chip`] is the Cyclops-64 as data and [`code`] the butterfly's code. [`program`] makes the
//!    [operations](operation) of all elements, with the index arithmetic of the library's own programs.
//!    [`machine`] simulates them event by event.
//!    [`estimates`] are the chip's unpublished parameters, and [`reversal`] is the digit reversal.
//! 2. [`results`] does each run that the page asks for once, as a [`task`], and evaluates the
//!    [model](crate::model::manycore).
//! 3. [`statements`] judges the paper's statements by these results. [`document`] and [`figures`] fill the
//!    page template `page.md`.

pub(crate) mod chip;
pub(crate) mod code;
mod document;
mod estimates;
mod figures;
mod machine;
mod operation;
pub(crate) mod program;
mod results;
mod reversal;
mod servers;
mod statements;
mod task;

use earth::CancelToken;
use earth_console::work::Progress;
use earth_report::document::Document;

use crate::run_cache::{RunFile, SimulateError};

/// Simulates and makes the report.
///
/// # Errors
///
/// Returns an error if `cancel` was cancelled, or if the runs cannot be kept.
pub fn report(
    cancel: &CancelToken,
    kept: &RunFile,
    progress: &impl Progress,
) -> Result<Document, SimulateError> {
    results::Results::reported(document::document, cancel, kept, progress)
}

/// Reports only the times of stages of 2^10 points, which takes a second.
///
/// # Errors
///
/// Returns an error if `cancel` was cancelled, or if the runs cannot be kept.
pub fn stages(
    cancel: &CancelToken,
    kept: &RunFile,
    progress: &impl Progress,
) -> Result<Document, SimulateError> {
    results::Results::reported(document::stages, cancel, kept, progress)
}
