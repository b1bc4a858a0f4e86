//! `earth-fft simulate`: the figures and statements of the paper on EARTH, in virtual time.
//!
//! The programs of this crate run, unchanged, on the simulated machine, whose costs are a profile. No cost is
//! chosen to make a statement of the paper hold: those that were published are, the others are estimates, and
//! what they matter is shown by changing them.
//!
//! 1. [`figures`], [`experiments`] and [`large`] say which runs stand where in which [`chart`];
//! 2. [`points`] runs each once, on all cores, and compares each result with the row kernel's;
//! 3. [`statements`] are judged by the rules of [`judge`];
//! 4. [`report`], [`plots`] and [`page`] show it.

mod chart;
mod experiments;
mod figures;
mod judge;
mod large;
mod page;
mod plots;
mod points;
mod report;
mod statements;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use clap::ValueEnum as _;
use earth::{Policy, Profile};

use super::args::{Simulate, Subject};
use super::failure::Failure;
use super::stop::Stop;
use super::{print, print_json, say, trace};
use crate::io::aside::{Output, WriteError};
use chart::Chart;
use judge::Results;
use points::Setups;
use report::Report;

pub(super) fn run(args: &Simulate, stop: &Stop) -> Result<(), Failure> {
    let mut profile = profile(&args.profile)?;
    if let Some(cycles) = args.work {
        profile = experiments::with_flop(&profile, cycles);
    }
    let page = args.output.as_deref().map(|directory| directory.join("simulate.html"));
    if let (Some(directory), Some(page)) = (&args.output, &page) {
        // A directory that cannot be written to is known before any work.
        fs::create_dir_all(directory)
            .map_err(|source| WriteError { name: format!("'{}'", directory.display()), source })?;
        drop(Output::open(page, &stop.unfinished)?);
    }
    let trace = trace::open(args.trace.as_deref(), stop)?;
    let report = report(&args.subjects, profile, args.turns.policy, stop)?;
    if let Some(file) = trace {
        match points::most_telling(report.runs.keys().copied()) {
            Some(point) => {
                say(format_args!("tracing {point}"));
                file.write(&points::trace(&point, &report.setups, stop)?)?;
            }
            None => say("warning: no run is on 8 nodes or fewer, so there is nothing to trace"),
        }
    }
    if let (Some(directory), Some(page)) = (&args.output, &page) {
        for chart in &report.charts {
            write(
                directory,
                &format!("{}.svg", chart.name),
                plots::file(chart, &report.runs).as_bytes(),
                stop,
            )?;
            write(directory, &format!("{}.csv", chart.name), &report.csv(chart).map_err(not_text)?, stop)?;
        }
        if !report.statements.is_empty() {
            write(directory, "statements.csv", &report.statements_csv().map_err(not_text)?, stop)?;
        }
        Output::open(page, &stop.unfinished)?.commit(|sink| sink.write_all(page::of(&report).as_bytes()))?;
    }
    if args.json { print_json(&report.answer()) } else { print(report.to_string().trim_end()) }
}

fn write(directory: &Path, name: &str, content: &[u8], stop: &Stop) -> Result<(), Failure> {
    let output = Output::open(&directory.join(name), &stop.unfinished)?;
    Ok(output.commit(|sink| sink.write_all(content))?)
}

/// Rows that are no CSV: only if memory is no file.
fn not_text(error: csv::Error) -> Failure {
    Failure::Stdout(error.into())
}

/// The built-in profile of this name, or that of a file.
fn profile(name: &str) -> Result<Profile, Failure> {
    if let Some(profile) = Profile::named(name) {
        return Ok(profile);
    }
    let path = Path::new(name);
    if path.extension().is_none_or(|extension| extension != "toml") && !path.is_file() {
        let known = Profile::names().collect::<Vec<_>>().join(", ");
        return Err(Failure::UnknownProfile { name: name.to_owned(), known });
    }
    let failure = |why: String| Failure::Profile { name: name.to_owned(), why };
    let text = fs::read_to_string(path).map_err(|error| failure(error.to_string()))?;
    Profile::from_toml(&text).map_err(|error| failure(error.to_string()))
}

/// The chart of a subject, if it has one.
fn chart_of(subject: Subject, setups: &mut Setups) -> Option<Chart> {
    figures::chart(subject).or_else(|| large::chart(subject)).or_else(|| experiments::chart(subject, setups))
}

/// Runs what the subjects need, each once.
fn report(
    subjects: &[Subject],
    profile: Profile,
    policy: Option<Policy>,
    stop: &Stop,
) -> Result<Report, Failure> {
    let wanted: BTreeSet<_> = if subjects.contains(&Subject::All) {
        Subject::value_variants().iter().copied().collect()
    } else {
        subjects.iter().copied().collect()
    };
    let mut setups = Setups::new(profile, policy);
    let charts: Vec<_> = wanted.iter().filter_map(|&subject| chart_of(subject, &mut setups)).collect();
    let with_statements = wanted.contains(&Subject::Statements);
    let mut points: BTreeSet<_> = charts.iter().flat_map(Chart::points).collect();
    if with_statements {
        points.extend(statements::points());
    }
    let runs = points::run(&points, &setups, stop)?;
    let statements = if with_statements {
        statements::judged(&Results::of(&runs, setups.given().clock_mhz))
    } else {
        Vec::new()
    };
    Ok(Report { setups, charts, runs, statements })
}
