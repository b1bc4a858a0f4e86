//! The paper of Sabharwal, Garg, Garg, Gunnels and Sahoo: the transpose FFT on the torus of Blue Gene/L.
//!
//! The paper's measurements on 65,536 nodes are reproduced from two parts. The [model](crate::model::torus)
//! gives the computation time and the least time of an exchange. A packet-level simulation gives the share of
//! the peak bandwidth that an all-to-all reaches.
//!
//! 1. [`cases`] lists the tori and transforms; [`phases`] are the paper's partners. [`exchange`] describes an
//!    all-to-all in a given order, and [`drive`] runs it;
//! 2. [`program`] is the transform as a program of the runtime, on the same torus;
//! 3. [`results`] does each run that the page asks for once, and computes the times of transforms from shares
//!    and model;
//! 4. [`statements`] judges the paper's statements by these results, and again after each change of an
//!    estimate; [`document`] and [`figures`] fill the page template `page.md`.

mod cases;
mod document;
mod drive;
mod exchange;
mod figures;
mod phases;
mod program;
mod results;
mod statements;

use earth::CancelToken;
use earth::simulated::Profile;
use earth_console::work::Progress;
use earth_report::document::Document;

use crate::run_cache::{RunFile, SimulateError};

/// Name of the built-in profile of the paper's machine.
pub const PROFILE: &str = "bluegene-l";

/// Simulates and makes the report.
///
/// # Errors
///
/// Returns an error if `cancel` was cancelled, if the runtime's program ended with an error, or if the runs
/// cannot be kept.
pub fn report(
    profile: Profile,
    cancel: &CancelToken,
    kept: &RunFile,
    progress: &impl Progress,
) -> Result<Document, SimulateError> {
    let results = results::Results::new(profile);
    loop {
        let document = document::document(&results, kept.seconds());
        if results.is_whole() {
            return Ok(document);
        }
        // The document has recorded the runs that are missing.
        results.simulate(cancel, kept, progress)?;
    }
}

/// Makes the first figure alone, which needs no run.
pub fn pattern() -> Document {
    document::pattern()
}
