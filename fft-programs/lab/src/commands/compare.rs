//! `earth-lab compare`: compares SPN with DUAL on a file's samples, or on the bundled ones, with
//! [`crate::compare`].

mod bundled;

use std::path::Path;

use earth_console::Failure;
use earth_console::io::atomic_output::Output;
use earth_console::io::{Format, Input};
use earth_console::output::{print_message, warn_of, warn_of_table};
use earth_console::progress::Timed;
use earth_console::signal::Samples;
use earth_console::stop::Stop;
use earth_console::trace::{self, TraceFile};
use earth_fft::{Planner, Precision, Shape};
use earth_report::facts::usable_cores;

use super::args::Compare;
use super::failure::LabError;
use super::output::print_answer;
use crate::compare::{Bench, Report, Run, Subject};

/// Compares SPN with DUAL, and prints or writes the document.
///
/// # Errors
///
/// Returns the errors of the arguments, of reading the samples, of the programs and of writing.
pub(super) fn run(planner: &Planner, args: &Compare, stop: &Stop) -> Result<(), Failure> {
    if args.output.as_deref() == Some(Path::new("-")) {
        return Err(Failure::PageOnStdout);
    }
    // Opened first, so that an unwritable page fails before any work.
    let output = args.output.as_deref().map(|path| Output::open(path, &stop.unfinished)).transpose()?;
    let trace = trace::open(args.trace.as_deref(), stop)?;
    let progress = Timed::steps("comparing", Some(args.max_seconds));
    let policy = args.turns.policy.unwrap_or_default();
    let bench =
        Bench { planner: planner.clone(), cores: usable_cores(), policy, cancel: stop.cancel.clone() };
    let report = match &args.input {
        None => {
            measured(&bench, &[bundled::sunspots_subject(), bundled::bricks_subject()], &progress, trace)?
        }
        Some(path) => {
            let (signal, format) = Input::open(path, Format::of(path)?)?.read(&args.table)?;
            warn_of(&signal);
            warn_of_table(&args.table, format);
            let name =
                if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() };
            let shape = match signal.lengths[..] {
                [n] => Shape::Line(n),
                [rows, cols] => Shape::Matrix { rows, cols },
                _ => return Err(Failure::from(LabError::NotCompared { lengths: signal.lengths })),
            };
            match signal.samples {
                Samples::F32(values) => measured(
                    &bench,
                    &[Subject::fitted(name, values.into_points()?, shape)],
                    &progress,
                    trace,
                )?,
                Samples::F64(values) => measured(
                    &bench,
                    &[Subject::fitted(name, values.into_points()?, shape)],
                    &progress,
                    trace,
                )?,
            }
        }
    };
    let document = report.document();
    if let Some(output) = output {
        output.commit(|sink| sink.write_all(document.page().as_bytes()))?;
    }
    print_answer(args.json, &report, || document.to_string())
}

/// Compares, and then traces the fastest side of the first subject's rows if `trace` is a file.
fn measured<T: Precision>(
    bench: &Bench,
    subjects: &[Subject<T>],
    progress: &Timed,
    trace: Option<TraceFile>,
) -> Result<Report, Failure> {
    subjects.iter().flat_map(|subject| &subject.notes).for_each(print_message);
    let report = bench.compare(subjects, progress)?;
    progress.finish();
    let Some(file) = trace else { return Ok(report) };
    let Some((asked, records)) = bench.trace_fastest(&report, &subjects[0])? else {
        print_message("warning: no trace is written, because no row was finished");
        return Ok(report);
    };
    let Run { algorithm, config, nodes, .. } = asked;
    let nodes = if nodes == 1 { "1 node".to_owned() } else { format!("{nodes} nodes") };
    print_message(format_args!("tracing {} by '{algorithm}', {}, {nodes}", subjects[0].name, config.name()));
    file.write(&records)?;
    Ok(report)
}
