//! `earth-lab what-if`: predicts runs on other machines, from [`crate::what_if`].

use earth_console::Failure;
use earth_console::progress::Timed;
use earth_console::stop::Stop;
use earth_programs::named;

use super::args::WhatIf;
use super::failure::LabError;
use super::output::Files;
use crate::what_if::report;

/// Measures and predicts, and prints or writes the report.
///
/// # Errors
///
/// Returns the errors of the arguments, of the runs and of writing.
pub(super) fn run(args: &WhatIf, stop: &Stop) -> Result<(), Failure> {
    let program = args.program.as_deref();
    if let Some(name) = program.filter(|name| named(name).is_none()) {
        return Err(Failure::from(LabError::NoSuchProgram { name: name.to_owned() }));
    }
    let files = Files::open(None, "", args.output.as_deref(), stop)?;
    let progress = Timed::steps("measuring", None);
    let (document, answer) = report(program, &stop.cancel, &progress)?;
    progress.finish();
    files.write(&document, Ok(Vec::new()), args.json.then_some(&answer))
}
