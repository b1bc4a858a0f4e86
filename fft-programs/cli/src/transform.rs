//! `earth-fft transform`: from one file to its spectrum.
//!
//! Steps: open the input; open the output (so that an unwritable output is reported before any work); read;
//! check the size and the output format; plan; transform; verify if requested; write a temporary file and
//! rename it; print the summary. A wrong spectrum is never written. A plan for one thread runs in this
//! thread. A plan for nodes runs on a machine, which counts and may trace. With `--trace` one node also runs
//! on a machine, and the trace file is written last.
//!
//! *Formats.* A `.npy` holds every array, a `.csv` a series, a `.png` a matrix (its spectrum in shades or,
//! after an inverse, its real parts). The other pairs are refused. A table of a matrix would be a third
//! meaning of columns, a picture of a series is one row of pixels, and neither has three dimensions.
//!
//! *Real numbers* are transformed as such where the planner supports it, which takes half the work and half
//! the memory of complex points. Each row is padded by one or two numbers, so that half its spectrum fits in
//! place. Real numbers are taken as complex points with the imaginary part 0 in these cases:
//!
//! * an inverse, where they are a spectrum;
//! * features that plans of real numbers lack: groups of nodes and the programs of the papers;
//! * several requested nodes and an odd number of samples in a series, as nodes share pairs of samples.

mod planner;
mod spectrum;
mod summary;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use earth::Machine;
use earth::records::Records;
use earth_console::Failure;
use earth_console::io::atomic_output::Output;
use earth_console::io::csv::Rows;
use earth_console::io::png::{Lost, Shades};
use earth_console::io::{Format, Input, csv, npy, png};
use earth_console::output::{duration, print, print_json, print_message, warn_of, warn_of_table};
use earth_console::progress::Progress;
use earth_console::signal::{Samples, Signal, Values, widened};
use earth_console::stop::Stop;
use earth_console::trace::{self, TraceFile};
use earth_console::wisdom::WisdomFile;
use earth_fft::{Complex, Kind, Plan, Planner, Precision, Problem, memory, verified};
use earth_kernels::{Direction, Verified};
use earth_memory::try_collected;

use crate::args::Transform;
use crate::failure::CliError;
use planner::planner;
use spectrum::{Spectrum, make_room, padded};
use summary::Summary;

/// Seed for the choice of the values that verification checks by the definition.
const SEED: u64 = 11;

/// Transforms the file, writes the spectrum, and prints the summary.
pub(crate) fn run(planner: &Planner, args: &Transform, stop: &Stop) -> Result<(), Failure> {
    let to_stdout = args.output.as_os_str() == "-";
    if to_stdout && args.json {
        return Err(CliError::TwoResults.into());
    }
    let summary = from_file_to_file(planner, args, stop)?;
    match (args.json, to_stdout) {
        (true, _) => print_json(&summary),
        (false, false) => print(summary.table()),
        (false, true) => {
            print_message(format_args!("done\n{}", summary.table()));
            Ok(())
        }
    }
}

fn from_file_to_file(planner: &Planner, args: &Transform, stop: &Stop) -> Result<Summary, Failure> {
    let input_format = Format::of(&args.input)?;
    let output_format = Format::of(&args.output)?;
    let input = Input::open(&args.input, input_format)?;
    if let Some(seconds) = args.max_seconds {
        stop.after(duration(seconds)).map_err(Failure::NoTimer)?;
    }
    let output = Output::open(&args.output, &stop.unfinished)?;
    let trace = trace::open(args.trace.as_deref(), stop)?;
    let reading = Progress::endless("reading");
    let (signal, read_format) = input.read(&args.table)?;
    drop(reading);
    let job = Job {
        known: planner,
        args,
        stop,
        format: output_format.unwrap_or(read_format),
        was_real: signal.samples.is_real(),
        lengths: &signal.lengths,
    };
    let lengths = signal.lengths.clone();
    match (job.format, lengths.len()) {
        (Format::Png, dimensions) if dimensions != 2 => return Err(Failure::NotAMatrix { lengths }),
        (Format::Csv, dimensions) if dimensions != 1 => return Err(Failure::NotASeries { lengths }),
        _ => {}
    }
    job.warn(&signal);
    warn_of_table(&args.table, read_format);
    match signal.samples {
        Samples::F32(values) => job.transform(values, output, trace),
        Samples::F64(values) => job.transform(values, output, trace),
    }
}

/// Result of a run.
struct Ran<T> {
    spectrum: Spectrum<T>,
    summary: Summary,
    records: Option<Records>,
}

/// Returns the bytes for the verification of a spectrum, in addition to the spectrum and the samples: all
/// points in double precision, and the memory that rustfft needs for the longest dimension.
fn in_verifying(lengths: &[usize]) -> u64 {
    let points = lengths.iter().fold(1_usize, |points, &length| points.saturating_mul(length));
    let longest = lengths.iter().copied().max().unwrap_or(0);
    (points as u64).saturating_add((longest as u64).saturating_mul(12)).saturating_mul(16)
}

struct Job<'a> {
    /// Planner with the known solvers.
    known: &'a Planner,
    args: &'a Transform,
    stop: &'a Stop,
    format: Format,
    was_real: bool,
    lengths: &'a [usize],
}

impl Job<'_> {
    fn warn(&self, signal: &Signal) {
        warn_of(signal);
        let unused = match self.format {
            Format::Csv => None,
            _ if self.args.rate.is_some() => Some("--rate"),
            _ if self.args.full => Some("--full"),
            _ => None,
        };
        if let Some(option) = unused {
            print_message(format_args!("warning: {option} changes only what a .csv holds"));
        }
    }

    /// Plans the values, transforms them, and delivers their spectrum. The kind of plan is chosen only here.
    fn transform<T: Precision>(
        &self,
        values: Values<T>,
        output: Output,
        trace_file: Option<TraceFile>,
    ) -> Result<Summary, Failure> {
        let Self { args, stop, lengths, .. } = *self;
        let open = |path: &PathBuf| WisdomFile::open(path, &args.profiles, args.measures(), stop);
        let file = args.wisdom.as_ref().map(open).transpose()?;
        let planner = planner(self.known, args, lengths, T::NAME, (file.as_ref(), &stop.cancel))?;
        let several = args.nodes.is_some_and(|nodes| nodes.get() > 1);
        let as_points = args.inverse || several && matches!(lengths, [n] if !n.is_multiple_of(2));
        let real = match &values {
            // An error here is also an error for complex points, or does not concern them.
            Values::Real(_) if !as_points => {
                planner.plan_real_to_complex(&Problem::real_to_complex(lengths).padded()).ok()
            }
            _ => None,
        };
        let (original, ran) = match (real, values) {
            (Some(plan), Values::Real(mut numbers)) => {
                let cols = lengths.last().map_or(1, |&cols| cols);
                let more = (padded(cols) - cols) * (numbers.len() / cols);
                let machine = self.ready(&planner, &plan, file, (numbers.len(), more))?;
                let original = args.verify.then(|| widened(&numbers)).transpose()?;
                let begin = Instant::now();
                make_room(&mut numbers, cols)?;
                let moving = begin.elapsed();
                (original, self.ran(&plan, machine, numbers, Some(moving))?)
            }
            (_, values) => {
                let plan = planner.plan(&Problem::complex(lengths).direction(self.direction()))?;
                let more = if matches!(values, Values::Real(_)) { 2 * values.count() } else { 0 };
                let machine = self.ready(&planner, &plan, file, (values.count(), more))?;
                let original = args.verify.then(|| values.to_points()).transpose()?;
                (original, self.ran(&plan, machine, values.into_points()?, None)?)
            }
        };
        let Ran { spectrum, summary, records } = ran;
        let verified_error = self.deliver(&spectrum, original.as_deref(), output)?;
        if let (Some(file), Some(records)) = (trace_file, records) {
            file.write(&records)?;
        }
        Ok(summary.verified(verified_error))
    }

    /// Saves the wisdom, explains the plan, and creates its machine if it needs one. Checks the memory for a
    /// run on `values` values, which grow by `more` numbers.
    fn ready<T: Precision, K: Kind>(
        &self,
        planner: &Planner,
        plan: &Plan<T, K>,
        file: Option<WisdomFile>,
        (values, more): (usize, usize),
    ) -> Result<Option<Machine>, Failure> {
        let args = self.args;
        file.map_or(Ok(()), WisdomFile::save)?;
        let nodes = plan.nodes().or(args.trace.is_some().then_some(1));
        let machine = nodes.map(|nodes| planner.machine(nodes).trace(args.trace.is_some()));
        // Verification takes the values and, after the transform, the spectrum as points.
        let bytes = |numbers: usize| (numbers as u64).saturating_mul(size_of::<T>() as u64);
        let run = plan.needed().saturating_add(machine.as_ref().map_or(0, Machine::footprint));
        let needed = if args.verify {
            let copy = bytes(2 * values);
            run.max(copy.saturating_add(in_verifying(self.lengths))).saturating_add(copy)
        } else {
            run
        };
        memory::is_there_with_threads(needed.saturating_add(bytes(more)), plan.threads())?;
        if args.explain {
            print_message(format_args!("{plan:#}"));
        }
        let asked = args.nodes.is_some_and(|nodes| nodes.get() > 1) || args.block.is_some();
        if asked && plan.nodes().is_none() {
            print_message(format_args!("warning: one thread does it all, because {}", plan.why()));
        }
        plan.notes().iter().for_each(print_message);
        Ok(machine)
    }

    /// Runs the plan, in this thread if there is no machine. `moving` is the time that it took to pad real
    /// numbers.
    fn ran<T: Precision, K: Kind<Output<T> = Complex<T>>>(
        &self,
        plan: &Plan<T, K>,
        machine: Option<Machine>,
        input: Vec<K::Input<T>>,
        moving: Option<Duration>,
    ) -> Result<Ran<T>, Failure> {
        let transforming = Progress::endless("transforming");
        let run = match machine {
            Some(mut machine) => plan.run_on(&mut machine, input),
            None => plan.run_here(input),
        }?;
        drop(transforming);
        if self.stop.cancel.is_cancelled() {
            return Err(Failure::Interrupted);
        }
        let summary = Summary::of(self.args, self.lengths, plan, &run, moving);
        let stored = if moving.is_some() { Spectrum::half } else { Spectrum::whole };
        Ok(Ran { spectrum: stored(self.lengths, run.output.into_vec()), summary, records: run.records })
    }

    /// Verifies the spectrum against its samples, if given, and writes it. Returns the error.
    fn deliver<T: Precision>(
        &self,
        spectrum: &Spectrum<T>,
        original: Option<&[Complex<T>]>,
        output: Output,
    ) -> Result<Option<f64>, Failure> {
        let verifying = Progress::endless("verifying");
        let verified = original.map(|samples| self.verify(samples, spectrum)).transpose()?;
        drop(verifying);
        if let Some(wrong) = verified.as_ref().and_then(Failure::wrong) {
            return Err(wrong);
        }
        if let (Format::Png, Shades::Signal) = (self.format, self.shades()) {
            let lost = Lost::of(spectrum.values());
            if !lost.is_nothing() {
                print_message(format_args!("warning: {lost}"));
            }
        }

        let writing = Progress::endless("writing");
        output.commit(|sink| match (self.format, self.lengths) {
            (Format::Png, &[rows, cols]) => {
                png::write(sink, |row, col| spectrum.value(row, col), (rows, cols), self.shades())
            }
            (Format::Csv, _) => csv::write(sink, spectrum.values(), self.rows(), self.args.rate),
            (_, lengths) => npy::write(sink, spectrum.values(), lengths),
        })?;
        drop(writing);
        Ok(verified.map(|verified| verified.relative_error()))
    }

    fn verify<T: Precision>(
        &self,
        samples: &[Complex<T>],
        spectrum: &Spectrum<T>,
    ) -> Result<Verified, Failure> {
        let spectrum = try_collected(spectrum.values(), "the spectrum to verify")?;
        memory::is_there(in_verifying(self.lengths))?;
        Ok(verified(self.lengths, samples, &spectrum, self.direction(), SEED))
    }

    fn direction(&self) -> Direction {
        if self.args.inverse { Direction::Inverse } else { Direction::Forward }
    }

    fn shades(&self) -> Shades {
        if self.args.inverse { Shades::Signal } else { Shades::Spectrum }
    }

    fn rows(&self) -> Rows {
        if self.args.inverse {
            Rows::Signal
        } else {
            Rows::Spectrum { half: self.was_real && !self.args.full }
        }
    }
}

#[cfg(test)]
#[path = "transform/transform_tests.rs"]
mod tests;
