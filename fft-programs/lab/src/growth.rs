//! Growth of distributed FFTs with the number of ranks, simulated on a network of measured rates, beside a
//! closed form.
//!
//! The plans are the library's, for phantoms: arrays with a length and no points. The machine is the profile
//! `slingshot-11.toml`, and the page names the source of each of its figures.
//!
//! 1. [`cases`] lists the arrays, the numbers of ranks, and changes of the machine;
//! 2. [`results`] runs each plan that the page asks for once, and evaluates the
//!    [closed form](crate::model::distributed);
//! 3. [`document`] and [`figures`] fill the page template `page.md`.

mod cases;
mod document;
mod figures;
mod results;

use earth::CancelToken;
use earth::simulated::{Profile, ProfileError};
use earth_console::work::Progress;
use earth_report::document::Document;

use crate::run_cache::{RunFile, SimulateError};
use results::Results;

/// Name of the profile of the page's machine.
pub const PROFILE: &str = "slingshot-11";

/// Returns the profile of the page's machine.
///
/// # Errors
///
/// None, since a test reads the profile.
pub fn profile() -> Result<Profile, ProfileError> {
    Profile::from_toml(include_str!("growth/slingshot-11.toml"))
}

/// Simulates and makes the report. The profile's network consists of crossbars.
///
/// # Errors
///
/// An error of a plan, of its run or of keeping it, or `cancel` was cancelled.
pub fn report(
    profile: Profile,
    cancel: &CancelToken,
    kept: &RunFile,
    progress: &impl Progress,
) -> Result<Document, SimulateError> {
    Results::reported(profile, document::document, cancel, kept, progress)
}

/// Reports only small arrays on few ranks, which takes a second.
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
    Results::reported(profile, document::small, cancel, kept, progress)
}
