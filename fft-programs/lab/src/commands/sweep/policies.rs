//! `earth-lab policies`: which policies matter, from [`crate::policies`].

use earth_console::Failure;
use earth_console::output::print_message;
use earth_console::progress::Timed;
use earth_console::stop::Stop;
use earth_fft::Planner;
use earth_programs::{PROGRAMS, Program};

use super::super::args::Policies;
use super::super::failure::LabError;
use super::super::output::Files;
use crate::policies::{PoliciesError, report};
use crate::sweep::{Rows, SweepError, transforms};

/// Algorithm of the planner that runs beside the example programs. `receiver` has 250,000 waiting fibers a
/// node, and the critical path first looks at all of them for each choice.
const TRANSFORM: &str = "sender";

/// Does the runs, and prints or writes the report.
///
/// # Errors
///
/// Returns the errors of the arguments, of the rows, of the runs and of writing.
pub(in crate::commands) fn run(planner: &Planner, args: &Policies, stop: &Stop) -> Result<(), Failure> {
    let ffts = transforms(planner);
    let ffts = ffts.iter().map(|program| program as &dyn Program);
    let all = PROGRAMS.iter().copied().chain(ffts.filter(|program| program.name() == TRANSFORM));
    let programs: Vec<_> =
        all.filter(|program| args.program.as_deref().is_none_or(|name| name == program.name())).collect();
    if let (Some(name), true) = (&args.program, programs.is_empty()) {
        return Err(Failure::from(LabError::NoSuchProgram { name: name.clone() }));
    }
    let files = Files::open(None, "", args.output.as_deref(), stop)?;
    let mut rows = match &args.rows {
        Some(path) => Rows::open(path).map_err(|error| Failure::from(SweepError::from(error)))?,
        None => Rows::in_memory(),
    };
    let progress = Timed::steps("running", args.max_seconds);
    let made = report(&programs, !args.simulated, &mut rows, &stop.cancel, &progress);
    let (document, answer) = made.map_err(|error| match error {
        PoliciesError::Sweep(error) => Failure::from(error),
        PoliciesError::Experiment(error) => {
            let (name, why) = ("policies".to_owned(), error.to_string());
            Failure::from(LabError::Experiment { name, why })
        }
    })?;
    progress.finish();
    if answer.left_out > 0 {
        print_message(format_args!(
            "{} runs are left out because the time limit is reached",
            answer.left_out
        ));
    }
    files.write(&document, Ok(Vec::new()), args.json.then_some(&answer))
}
