//! `earth-lab simulate`: the figures and statements of the paper on EARTH, by [`crate::simulate`].

use std::fs;
use std::path::Path;

use earth::Error;
use earth::simulated::{NetworkKind, Profile};
use earth_console::folder::{create, write, write_all, write_page};
use earth_console::io::aside::Output;
use earth_console::output::{print, print_json, say};
use earth_console::progress::Timed;
use earth_console::stop::Stop;
use earth_console::{Failure, trace};
use earth_fft::TransformError;

use super::args::{DEFAULT_PROFILE, Simulate, What};
use super::failure::Refused;
use crate::simulate::{report, with_flop};

/// Simulates what was asked for, and prints or writes the document.
///
/// # Errors
///
/// Why that cannot be.
pub(super) fn run(args: &Simulate, stop: &Stop) -> Result<(), Failure> {
    let mut subjects = Vec::new();
    for what in &args.subjects {
        match what {
            What::Earth(subject) => subjects.push(*subject),
            What::Torus | What::TorusPattern => return torus(args, *what, stop),
            What::Manycore | What::ManycoreStages => return manycore(args, *what, stop),
        }
    }
    let mut profile = profile(&args.profile)?;
    if let Some(cycles) = args.work {
        profile = with_flop(&profile, cycles);
    }
    let page = args.output.as_deref().map(|directory| directory.join("simulate.html"));
    if let (Some(directory), Some(page)) = (&args.output, &page) {
        // A directory that cannot be written to is known before any work.
        create(directory)?;
        drop(Output::open(page, &stop.unfinished)?);
    }
    let trace = trace::open(args.trace.as_deref(), stop)?;
    let progress = Timed::steps("simulating", None);
    let report = report(&subjects, profile, args.turns.policy, &stop.cancel, &progress)?;
    drop(progress);
    if let Some(file) = trace {
        match report.most_telling() {
            Some(point) => {
                say(format_args!("tracing {point}"));
                file.write(&report.trace(&point, &stop.cancel)?)?;
            }
            None => say("warning: no run is on 8 nodes or fewer, so there is nothing to trace"),
        }
    }
    let document = report.document();
    if let (Some(directory), Some(page)) = (&args.output, &page) {
        write_all(document.plots(), directory, stop)?;
        write_all(report.tables().map_err(Failure::Stdout)?, directory, stop)?;
        write(&page.with_extension("md"), document.markdown("").as_bytes(), stop)?;
        write(page, document.page().as_bytes(), stop)?;
    }
    if args.json { print_json(&report.answer()) } else { print(document) }
}

/// The paper on Blue Gene/L, or its first figure.
fn torus(args: &Simulate, what: What, stop: &Stop) -> Result<(), Failure> {
    let page = page_alone(args, Refused::TorusAlone.into(), stop)?;
    let document = if what == What::TorusPattern {
        crate::torus::pattern()
    } else {
        let name = if args.profile == DEFAULT_PROFILE { crate::torus::PROFILE } else { &args.profile };
        let mut profile = profile(name)?;
        if profile.network.kind != NetworkKind::Torus {
            let why = "its network is no torus".to_owned();
            return Err(Failure::from(Refused::Profile { name: name.to_owned(), why }));
        }
        if let Some(cycles) = args.work {
            profile = with_flop(&profile, cycles);
        }
        let progress = Timed::steps("simulating", None);
        crate::torus::report(profile, &stop.cancel, &progress).map_err(TransformError::Machine)?
    };
    if let Some(page) = page {
        write_page(&document, page, stop)?;
    }
    print(document)
}

/// The paper on FFTs on a many-core, or its figures of stages.
fn manycore(args: &Simulate, what: What, stop: &Stop) -> Result<(), Failure> {
    if args.work.is_some() || args.profile != DEFAULT_PROFILE {
        return Err(Refused::ManycoreAlone.into());
    }
    let page = page_alone(args, Refused::ManycoreAlone.into(), stop)?;
    let progress = Timed::steps("simulating", None);
    let made = if what == What::Manycore {
        crate::manycore::report(&stop.cancel, &progress)
    } else {
        crate::manycore::stages(&stop.cancel, &progress)
    };
    drop(progress);
    let document = made.ok_or(TransformError::Machine(Error::Cancelled))?;
    if let Some(page) = page {
        write_page(&document, page, stop)?;
    }
    print(document)
}

/// The file of a paper that is shown alone, which can be written; what is asked for beside it is refused.
fn page_alone<'a>(args: &'a Simulate, refused: Failure, stop: &Stop) -> Result<Option<&'a Path>, Failure> {
    let is_page = |path: &Path| path.extension().is_some_and(|extension| extension == "md");
    let page = args.output.as_deref();
    let is_alone =
        args.subjects.len() == 1 && args.trace.is_none() && !args.json && args.turns.policy.is_none();
    if !is_alone || page.is_some_and(|page| !is_page(page)) {
        return Err(refused);
    }
    if let Some(page) = page {
        drop(Output::open(page, &stop.unfinished)?);
    }
    Ok(page)
}

/// The built-in profile of this name, or that of a file.
fn profile(name: &str) -> Result<Profile, Failure> {
    if let Some(profile) = Profile::named(name) {
        return Ok(profile);
    }
    let path = Path::new(name);
    if path.extension().is_none_or(|extension| extension != "toml") && !path.is_file() {
        let known = Profile::names().collect::<Vec<_>>().join(", ");
        return Err(Failure::from(Refused::UnknownProfile { name: name.to_owned(), known }));
    }
    let failure = |why: String| Failure::from(Refused::Profile { name: name.to_owned(), why });
    let text = fs::read_to_string(path).map_err(|error| failure(error.to_string()))?;
    Profile::from_toml(&text).map_err(|error| failure(error.to_string()))
}
