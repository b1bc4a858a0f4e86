//! `earth-lab map`: where DUAL is faster than SPN, from [`crate::map`].

use std::path::Path;

use earth::simulated::Profile;
use earth_console::Failure;
use earth_console::progress::Timed;
use earth_console::stop::Stop;

use super::args::Map;
use super::failure::LabError;
use super::output::Files;
use super::simulate::profile;
use crate::map::{Request, can_predict, report};
use crate::run_cache::{RunFile, RunFileError, SimulateError};

/// Makes the map, and prints or writes it.
///
/// # Errors
///
/// Returns the errors of the arguments, of the profile, of the runs and of writing.
pub(super) fn run(args: &Map, stop: &Stop) -> Result<(), Failure> {
    let profile = args.profile.as_deref().map(predictable).transpose()?;
    // Opened first, so that files that cannot be written fail before any run.
    let files = Files::open(None, "", args.output.as_deref(), stop)?;
    let measured = opened(args.measured.as_deref(), RunFile::measured)?;
    let kept = opened(args.runs.as_deref(), RunFile::open)?.unwrap_or_default();
    let measuring = Timed::steps("measuring", args.max_seconds);
    let simulating = Timed::steps("simulating", None);
    let measurements = measured.as_ref().map(|rows| (rows, &measuring));
    let request = Request { is_small: args.small, profile };
    let (document, answer) = report(request, measurements, &stop.cancel, &kept, &simulating)?;
    measuring.finish();
    simulating.finish();
    files.write(&document, Ok(Vec::new()), args.json.then_some(&answer))
}

fn opened(
    path: Option<&Path>,
    open: impl Fn(&Path) -> Result<RunFile, RunFileError>,
) -> Result<Option<RunFile>, Failure> {
    path.map(|path| open(path).map_err(|error| Failure::from(SimulateError::Runs(error)))).transpose()
}

/// Returns a profile that the model can predict.
fn predictable(name: &str) -> Result<Profile, Failure> {
    let profile = profile(name, None)?;
    if can_predict(&profile) {
        return Ok(profile);
    }
    let why = "its network is a torus, which the model does not have".to_owned();
    Err(Failure::from(LabError::Profile { name: name.to_owned(), why }))
}
