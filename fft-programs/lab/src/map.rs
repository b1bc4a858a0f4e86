//! SPN against DUAL as a map: over the grain of fibers, their messages, distances, blocks, parallelism, and
//! the costs of DUAL's second unit.
//!
//! 1. [`grid`] lists the axes, and the sizes of the [family](earth_programs::chains) at each row;
//! 2. [`runs`] simulates each run that the page asks for once, and [`measured`] measures on this computer;
//! 3. [`model`] predicts ratios from the costs of a profile, and [`crossing`] compares where they pass 1;
//! 4. [`points`] has the example programs and the FFTs;
//! 5. [`document`] and [`figures`] fill the page template `page.md`, and [`answer`] is the JSON.

mod answer;
mod crossing;
mod document;
mod figures;
mod grid;
mod measured;
mod model;
mod points;
mod rows;
mod runs;

use earth::CancelToken;
use earth::simulated::{NetworkKind, Profile};
use earth_console::work::Progress;
use earth_report::document::Document;

use crate::run_cache::{RunFile, SimulateError};
use grid::{PROFILES, SMALL, WHOLE};
use runs::Results;

pub use answer::Answer;
pub(crate) use measured::pairs::Kind;

/// Choices of a map.
#[derive(Debug, Default)]
pub struct Request {
    /// Whether the map is small and takes seconds.
    pub is_small: bool,
    /// Further profile, beside the built-in ones. It replaces the profile that a measurement calibrates.
    pub profile: Option<Profile>,
}

/// Whether the model has the network of a profile.
pub fn can_predict(profile: &Profile) -> bool {
    profile.network.kind != NetworkKind::Torus
}

/// Simulates and makes the map. Also measures on this computer, if there is a file for its rows.
///
/// # Errors
///
/// An error of a run or of keeping it, or `cancel` was cancelled.
pub fn report(
    request: Request,
    measurements: Option<(&RunFile, &impl Progress)>,
    cancel: &CancelToken,
    kept: &RunFile,
    progress: &impl Progress,
) -> Result<(Document, Answer), SimulateError> {
    let Request { is_small, profile } = request;
    let extent = if is_small { &SMALL } else { &WHOLE };
    let measured = match measurements {
        Some((rows, progress)) => Some(measured::measured(extent, profile.clone(), rows, cancel, progress)?),
        None => None,
    };
    let own = measured.as_ref().map(|measured| measured.profile.clone()).or(profile);
    let built_in = PROFILES.iter().filter_map(|name| Profile::named(name));
    let profiles = built_in.chain(own.filter(|own| !PROFILES.contains(&own.name.as_str()))).collect();
    let report = |results: &Results| (document::document(results), Answer::of(results));
    Results::new(extent, profiles, measured).reported(report, cancel, kept, progress)
}
