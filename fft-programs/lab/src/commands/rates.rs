//! `calibrate --rates` and `--check`: measures the rates of this computer for the cost model of plans, and
//! the model's errors. `earth-fft transform --rates` reads the rates.

use std::num::NonZeroUsize;

use earth_console::failure::Failure;
use earth_console::io::atomic_output::Output;
use earth_console::progress::Timed;
use earth_console::stop::Stop;
use earth_fft::Rates;
use earth_fft::advisor::{MemoryRates, Pattern};
use earth_report::document::Table;
use serde::Serialize;

use super::args::Calibrate;
use super::output::print_answer;
use crate::calibrate::rates::{CalibrationEffort, Checked, Error, checked, rates};

#[derive(Debug, Serialize)]
struct Answer<'a> {
    schema: u32,
    rates: &'a Rates,
    /// Summary by class; empty without `--check`.
    checked: &'a [Checked],
    /// Plans that the summary covers.
    errors: &'a [Error],
}

/// Measures rates, writes them and checks them, depending on the arguments.
///
/// # Errors
///
/// Returns the errors of writing the file, of planning and of running plans.
pub(super) fn run(args: &Calibrate, stop: &Stop) -> Result<(), Failure> {
    let output = args.rates.as_ref().map(|path| Output::open(path, &stop.unfinished)).transpose()?;
    let progress = Timed::steps("calibrating", None);
    let rates = rates(CalibrationEffort::default(), &progress)?;
    drop(progress);
    if let Some(output) = output {
        output.commit(|sink| write!(sink, "{rates}"))?;
    }
    let progress = Timed::steps("checking", None);
    let sizes = args.check.map_or(0, NonZeroUsize::get);
    let (errors, summary) = checked(&rates, sizes, &progress)?;
    drop(progress);
    let answer = Answer { schema: 1, rates: &rates, checked: &summary, errors: &errors };
    print_answer(args.json, &answer, || {
        let classes = (!summary.is_empty()).then(|| format!("\n{}", errors_by_class(&summary)));
        format!("{}{}", bandwidths(&rates), classes.unwrap_or_default())
    })
}

/// Tabulates the bandwidths of each cache level, at half of its bytes, and of memory.
fn bandwidths(rates: &Rates) -> Table {
    let name = |of: &MemoryRates| {
        let along = if of.pattern == Pattern::Stream { "rows" } else { "columns" };
        format!("{along}, {} thread{}", of.threads, if of.threads == 1 { "" } else { "s" })
    };
    let names = ["GB/s".to_owned()].into_iter().chain(rates.memory.iter().map(name));
    let memory = rates.levels.last().map_or(f64::INFINITY, |last| 4.0 * last.bytes as f64);
    let levels = rates.levels.iter().map(|level| (level.name.as_str(), level.bytes as f64 / 2.0));
    let row = |(level, bytes): (&str, f64)| -> Vec<String> {
        let rates = rates.memory.iter().map(|of| format!("{:.1}", of.rate.at(bytes)));
        [level.to_owned()].into_iter().chain(rates).collect()
    };
    Table::new(names).with(levels.chain([("memory", memory)]).map(row))
}

/// Tabulates the errors of the predictions, by class of sizes.
fn errors_by_class(summary: &[Checked]) -> Table {
    let row = |Checked { class, plans, ratio, error }: &Checked| -> Vec<String> {
        let ratios = ratio.map(|ratio| format!("{ratio:.2}"));
        let errors = error.map(|error| format!("{:.0} %", 100.0 * error));
        [(*class).to_owned(), plans.to_string()].into_iter().chain(ratios).chain(errors).collect()
    };
    let names = [
        "class",
        "plans",
        "predicted/measured: least",
        "median",
        "greatest",
        "error: least",
        "median",
        "greatest",
    ];
    Table::new(names).with(summary.iter().map(row))
}
