//! `earth-lab simulate`: the figures and statements of the EARTH paper, from [`crate::simulate`], and the
//! pages that are shown alone.

use std::path::{Path, PathBuf};
use std::{fs, io};

use earth::simulated::{NetworkKind, Profile};
use earth_console::output::print_message;
use earth_console::progress::Timed;
use earth_console::stop::Stop;
use earth_console::{Failure, trace};

use super::args::{DEFAULT_PROFILE, Simulate, What};
use super::failure::LabError;
use super::output::Files;
use crate::overlap::measured::Measured;
use crate::run_cache::{RunFile, SimulateError};
use crate::simulate::{report, with_flop};
use crate::{growth, manycore, overlap, scale, simulate, torus};

/// Simulates the chosen subjects, and prints or writes the document.
///
/// # Errors
///
/// Returns the errors of the arguments, of the profile, of the simulation and of writing.
pub(super) fn run(args: &Simulate, stop: &Stop) -> Result<(), Failure> {
    let mut subjects = Vec::new();
    for what in &args.subjects {
        match what {
            What::Earth(subject) => subjects.push(*subject),
            alone => return paper(args, *alone, stop),
        }
    }
    if args.measured.is_some() {
        return Err(LabError::OverlapAlone.into());
    }
    let profile = profile(&args.profile, args.work)?;
    let files = Files::open(args.output.as_deref(), "simulate", None, stop)?;
    let (trace, kept) = (trace::open(args.trace.as_deref(), stop)?, kept(args)?);
    let progress = Timed::steps("simulating", None);
    let report = report(&subjects, profile, args.turns.policy, &stop.cancel, &kept, &progress)?;
    drop(progress);
    if let Some(file) = trace {
        match report.most_telling() {
            Some(point) => {
                print_message(format_args!("tracing {point}"));
                file.write(&report.trace(&point, &stop.cancel)?)?;
            }
            None => print_message("warning: no trace is written, because every run has more than 8 nodes"),
        }
    }
    files.write(&report.document(), report.tables(), args.json.then(|| report.answer()).as_ref())
}

/// Shows a paper that is shown alone, or some of its figures.
fn paper(args: &Simulate, what: What, stop: &Stop) -> Result<(), Failure> {
    let (refused, takes_costs) = match what {
        What::EarthPage => (LabError::EarthAlone, true),
        What::Torus | What::TorusPattern => (LabError::TorusAlone, true),
        What::Growth | What::GrowthSmall => (LabError::GrowthAlone, true),
        What::Scale | What::ScaleSmall => (LabError::ScaleAlone, true),
        What::Overlap | What::OverlapShort => (LabError::OverlapAlone, false),
        _ => (LabError::ManycoreAlone, false),
    };
    let has_usual_costs = args.work.is_none() && args.profile == DEFAULT_PROFILE;
    let is_alone =
        args.subjects.len() == 1 && args.trace.is_none() && !args.json && args.turns.policy.is_none();
    let page = args.output.as_deref();
    let is_page = page.is_none_or(|page| page.extension().is_some_and(|extension| extension == "md"));
    let is_measured = args.measured.is_none() || what == What::Overlap;
    if !(is_alone && is_page && is_measured && (takes_costs || has_usual_costs)) {
        return Err(refused.into());
    }
    let files = Files::open(None, "", page, stop)?;
    let kept = kept(args)?;
    let measured = args.measured.as_deref().map(measured).transpose()?.unwrap_or_default();
    let progress = Timed::steps("simulating", None);
    let document = match what {
        What::EarthPage => simulate::page(profile(&args.profile, args.work)?, &stop.cancel, &kept, &progress),
        What::Growth => growth::report(growth_profile(args)?, &stop.cancel, &kept, &progress),
        What::GrowthSmall => growth::small(growth_profile(args)?, &stop.cancel, &kept, &progress),
        What::Scale => scale::report(scale_profile(args)?, &stop.cancel, &kept, &progress),
        What::ScaleSmall => scale::small(scale_profile(args)?, &stop.cancel, &kept, &progress),
        What::Torus => torus::report(torus_profile(args)?, &stop.cancel, &kept, &progress),
        What::ManycoreStages => manycore::stages(&stop.cancel, &kept, &progress),
        What::Manycore => manycore::report(&stop.cancel, &kept, &progress),
        What::Overlap => overlap::report(measured, &stop.cancel, &kept, &progress),
        What::OverlapShort => overlap::short(&stop.cancel, &kept, &progress),
        _ => Ok(torus::pattern()),
    };
    drop(progress);
    files.write(&document?, Ok(Vec::new()), None::<&()>)
}

/// Returns the file that keeps finished runs, if one is given.
fn kept(args: &Simulate) -> Result<RunFile, Failure> {
    let open = |path| RunFile::open(path).map_err(SimulateError::Runs);
    Ok(args.runs.as_deref().map(open).transpose()?.unwrap_or_default())
}

/// Reads the reports of measured jobs in a folder, in the order of their names.
fn measured(folder: &Path) -> Result<Vec<Measured>, Failure> {
    let failure = |path: &Path, why: String| {
        Failure::from(LabError::Measured { name: path.display().to_string(), why })
    };
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let entries = entries.map_err(|error| failure(folder, error.to_string()))?;
    let mut paths: Vec<_> = entries.into_iter().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    if paths.is_empty() {
        return Err(failure(folder, "it has no .json file".to_owned()));
    }
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).map_err(|error| failure(&path, error.to_string()))?;
        Measured::from_json(&text).map_err(|why| failure(&path, why))
    };
    paths.into_iter().map(read).collect()
}

/// Returns the profile of the growth of distributed FFTs, or another profile of crossbars.
fn growth_profile(args: &Simulate) -> Result<Profile, Failure> {
    let is_usual = args.profile == DEFAULT_PROFILE;
    let name = if is_usual { growth::PROFILE } else { &args.profile };
    let failure = |why: String| Failure::from(LabError::Profile { name: name.to_owned(), why });
    let profile = if is_usual {
        growth::profile().map_err(|why| failure(why.to_string()))?
    } else {
        profile(name, None)?
    };
    if profile.network.kind != NetworkKind::Crossbar {
        return Err(failure("its network has no crossbars".to_owned()));
    }
    Ok(with_work(profile, args.work))
}

/// Returns the profile of the computer with 64 cores, or another profile.
fn scale_profile(args: &Simulate) -> Result<Profile, Failure> {
    let name = if args.profile == DEFAULT_PROFILE { scale::PROFILE } else { &args.profile };
    profile(name, args.work)
}

/// Returns the profile of the paper on Blue Gene/L, or another profile of a torus.
fn torus_profile(args: &Simulate) -> Result<Profile, Failure> {
    let name = if args.profile == DEFAULT_PROFILE { torus::PROFILE } else { &args.profile };
    let profile = profile(name, args.work)?;
    if profile.network.kind != NetworkKind::Torus {
        let why = "its network is not a torus".to_owned();
        return Err(Failure::from(LabError::Profile { name: name.to_owned(), why }));
    }
    Ok(profile)
}

/// Returns the built-in profile of this name, or the profile in the file of this name. `work` replaces its
/// cost of work.
pub(super) fn profile(name: &str, work: Option<f64>) -> Result<Profile, Failure> {
    let profile = Profile::named(name).map_or_else(|| read(name), Ok)?;
    Ok(with_work(profile, work))
}

/// Replaces the cost of work, if another one is given.
fn with_work(profile: Profile, work: Option<f64>) -> Profile {
    match work {
        Some(cycles) => with_flop(&profile, cycles),
        None => profile,
    }
}

/// Reads the profile in a file.
fn read(name: &str) -> Result<Profile, Failure> {
    let path = Path::new(name);
    if path.extension().is_none_or(|extension| extension != "toml") && !path.is_file() {
        let known = Profile::names().collect::<Vec<_>>().join(", ");
        return Err(Failure::from(LabError::UnknownProfile { name: name.to_owned(), known }));
    }
    let failure = |why: String| Failure::from(LabError::Profile { name: name.to_owned(), why });
    let text = fs::read_to_string(path).map_err(|error| failure(error.to_string()))?;
    Profile::from_toml(&text).map_err(|error| failure(error.to_string()))
}
