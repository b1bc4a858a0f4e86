//! `earth-lab sweep`: runs programs on machines under policies, as a file says, with [`crate::sweep`].

pub(super) mod policies;

use std::fs;
use std::path::{Path, PathBuf};

use earth::simulated::Profile;
use earth_console::Failure;
use earth_console::folder::{write, write_page};
use earth_console::io::atomic_output::Output;
use earth_console::output::print_message;
use earth_console::progress::Timed;
use earth_console::stop::Stop;
use earth_fft::Planner;
use earth_programs::{PROGRAMS, Program};

use super::args::Sweep;
use super::failure::LabError;
use super::output::print_answer;
use crate::sweep::{
    Experiment, OwnPolicy, Report, Rows, Subjects, SweepError, built_in, run as sweep, transforms,
};

/// Programs and policies that a binary of another crate adds to the laboratory's.
#[derive(Clone, Copy, Default)]
pub struct Additions<'a> {
    /// Programs. A program replaces the laboratory's of its name.
    pub programs: &'a [&'a dyn Program],
    /// Policies, which experiments name without a value.
    pub policies: &'a [OwnPolicy<'a>],
}

/// Does the runs of an experiment that have no row yet, and prints or draws all rows.
///
/// # Errors
///
/// Returns the errors of the experiment, of the rows, of runs and of writing.
pub(super) fn run(
    planner: &Planner,
    additions: Additions<'_>,
    args: &Sweep,
    stop: &Stop,
) -> Result<(), Failure> {
    let ffts = transforms(planner);
    let own = additions.programs.iter().copied().chain(PROGRAMS.iter().copied());
    let programs = own.chain(ffts.iter().map(|program| program as &dyn Program)).collect();
    let subjects = Subjects { programs, policies: additions.policies.to_vec() };

    let failed = |why: String| LabError::Experiment { name: args.experiment.display().to_string(), why };
    let text = fs::read_to_string(&args.experiment).map_err(|error| failed(error.to_string()))?;
    let folder = args.experiment.parent().unwrap_or(Path::new(""));
    let experiment = Experiment::from_toml(&text, &subjects, &|name| profile(folder, name))
        .map_err(|error| failed(error.to_string()))?;

    // Opened first, so that an output that cannot be written fails before any run.
    for path in args.plot.iter().chain(&args.page) {
        drop(Output::open(path, &stop.unfinished)?);
    }
    let usual = || PathBuf::from(args.experiment.file_stem().unwrap_or_default()).with_extension("csv");
    let path = args.output.clone().unwrap_or_else(usual);
    let mut rows = Rows::open(&path).map_err(|error| Failure::from(SweepError::from(error)))?;
    let progress = Timed::steps("sweeping", args.max_seconds);
    let left = sweep(&experiment, &mut rows, &progress, &stop.cancel)?;
    progress.finish();
    if left > 0 {
        print_message(format_args!("{left} runs are left out because the time limit is reached"));
    }

    let report = Report::of(&experiment, &rows, left);
    let document = report.document();
    if let Some(path) = &args.plot {
        let Some((_, plot)) = document.plots().into_iter().next() else {
            return Err(LabError::NothingToDraw.into());
        };
        write(path, &plot, stop)?;
    }
    match &args.page {
        Some(path) if path.extension().is_some_and(|extension| extension == "md") => {
            write_page(&document, path, stop)?;
        }
        Some(path) => write(path, document.page().as_bytes(), stop)?,
        None => {}
    }
    print_answer(args.json, &report, || document.to_string())
}

/// Returns the built-in profile of a name, or the profile in a file, whose name is relative to a folder.
fn profile(folder: &Path, name: &str) -> Result<Profile, String> {
    if Path::new(name).extension().is_none_or(|extension| extension != "toml") {
        return built_in(name);
    }
    let failed = |why: String| format!("the profile `{name}`: {why}");
    let text = fs::read_to_string(folder.join(name)).map_err(|error| failed(error.to_string()))?;
    Profile::from_toml(&text).map_err(|error| failed(error.to_string()))
}
