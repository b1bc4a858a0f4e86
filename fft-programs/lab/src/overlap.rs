//! The paper of Song and Hollingsworth: the transform of three dimensions that overlaps its exchange with its
//! work, and whose parameters are tuned.
//!
//! The program is `overlap3d` of `earth-papers`, without points, on two simulated machines. Real runs are
//! read from reports of `earth-fft-mpi overlap`.
//!
//! 1. [`cases`] has the paper's settings, and its figures; [`machines`] has the profiles;
//! 2. [`runs`] simulates a transform, or searches for parameters;
//! 3. [`results`] does each run that the page asks for once;
//! 4. [`measured`] is the form of reports of real runs, and [`jobs`] tabulates them;
//! 5. [`statements`] judges the paper's statements by these results, and again after each change of an
//!    estimate; [`document`] and [`figures`] fill the page template `page.md`.

mod cases;
mod document;
mod figures;
mod jobs;
mod machines;
pub mod measured;
mod results;
mod runs;
mod statements;

use earth::CancelToken;
use earth_console::work::Progress;
use earth_report::document::Document;

use crate::run_cache::{RunFile, SimulateError};
use cases::Scope;
use measured::Measured;
use results::Results;

/// Simulates and makes the page. Without `measured` jobs, statements on real runs cannot be told.
///
/// # Errors
///
/// Returns an error if `cancel` was cancelled, if a program ended with an error, or if the runs cannot be
/// kept.
pub fn report(
    measured: Vec<Measured>,
    cancel: &CancelToken,
    kept: &RunFile,
    progress: &impl Progress,
) -> Result<Document, SimulateError> {
    let results = Results::new(Scope::Whole, measured);
    reported(&results, |results| document::document(results, kept.seconds()), cancel, kept, progress)
}

/// Makes the figures for two arrays on 16 and 32 ranks.
///
/// # Errors
///
/// The errors of [`report`].
pub fn short(
    cancel: &CancelToken,
    kept: &RunFile,
    progress: &impl Progress,
) -> Result<Document, SimulateError> {
    reported(&Results::new(Scope::Short, Vec::new()), document::short, cancel, kept, progress)
}

fn reported(
    results: &Results,
    document: impl Fn(&Results) -> Document,
    cancel: &CancelToken,
    kept: &RunFile,
    progress: &impl Progress,
) -> Result<Document, SimulateError> {
    loop {
        let document = document(results);
        if results.is_whole() {
            return Ok(document);
        }
        // The document has recorded the runs that are missing.
        results.simulate(cancel, kept, progress)?;
    }
}
