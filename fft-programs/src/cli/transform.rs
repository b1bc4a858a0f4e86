//! `earth-fft transform`: one file to its spectrum.
//!
//! Steps: open the input, open the output (so that one that cannot be written is known before any work),
//! read, check the size, transform, verify if asked, write aside and rename, print the summary. A wrong
//! spectrum is never written.

use earth_kernels::{Direction, verify};
use num_complex::Complex;
use serde::Serialize;

use super::args::Transform;
use super::failure::Failure;
use super::progress::Progress;
use super::stop::Stop;
use super::table::{Table, seconds};
use super::{duration, print, print_json, say, warn_of};
use crate::io::aside::Output;
use crate::io::csv::Rows;
use crate::io::{Format, Input, csv, npy};
use crate::request::{Config, Counters, Outcome, ProgramError, Programs, Request};
use crate::signal::{Precision, Samples, Shape, Signal};

/// Chooses the values that are summed by the definition when a spectrum is verified.
const SEED: u64 = 11;

pub(super) fn run(args: &Transform, programs: &impl Programs, stop: &Stop) -> Result<(), Failure> {
    let input_format = Format::of(&args.input)?;
    let output_format = Format::of(&args.output)?;
    let to_stdout = args.output.as_os_str() == "-";
    if to_stdout && args.json {
        return Err(Failure::TwoResults);
    }
    let input = Input::open(&args.input, input_format)?;
    if let Some(seconds) = args.max_seconds {
        stop.after(duration(seconds)).map_err(Failure::NoTimer)?;
    }
    let output = Output::open(&args.output, &stop.unfinished)?;
    let reading = Progress::endless("reading");
    let (signal, read_format) = input.read()?;
    drop(reading);
    let job = Job {
        args,
        format: output_format.unwrap_or(read_format),
        was_real: signal.was_real,
        shape: signal.shape,
    };
    job.warn(&signal);
    let summary = match signal.samples {
        Samples::F32(samples) => job.transform(samples, programs, output)?,
        Samples::F64(samples) => job.transform(samples, programs, output)?,
    };
    match (args.json, to_stdout) {
        (true, _) => print_json(&summary),
        (false, false) => print(summary.table()),
        (false, true) => {
            say(format_args!("done\n{}", summary.table()));
            Ok(())
        }
    }
}

struct Job<'a> {
    args: &'a Transform,
    format: Format,
    was_real: bool,
    shape: Shape,
}

impl Job<'_> {
    fn warn(&self, signal: &Signal) {
        warn_of(signal);
        let unused = match self.format {
            Format::Npy if self.args.rate.is_some() => Some("--rate"),
            Format::Npy if self.args.full => Some("--full"),
            _ => None,
        };
        if let Some(option) = unused {
            say(format_args!("warning: {option} changes only what a .csv holds"));
        }
    }

    fn transform<T: Precision>(
        &self,
        samples: Vec<Complex<T>>,
        programs: &impl Programs,
        output: Output,
    ) -> Result<Summary, Failure> {
        let Self { args, .. } = *self;
        let request = Request {
            shape: self.shape,
            algorithm: args.algorithm,
            config: args.config,
            nodes: args.nodes,
            block: args.block,
            inverse: args.inverse,
        };
        request.check().map_err(ProgramError::from)?;
        let sample = size_of::<Complex<T>>();
        let copy = if args.verify { (samples.len() * sample) as u64 } else { 0 };
        programs.admit(&request, sample, copy).map_err(ProgramError::from)?;
        let original = args.verify.then(|| samples.clone());

        let transforming = Progress::endless("transforming");
        let outcome = programs.transform(&request, samples)?;
        drop(transforming);
        if let Some(unmet) = unmet(&request, &outcome) {
            say(unmet);
        }

        let verifying = Progress::endless("verifying");
        let direction = if args.inverse { Direction::Inverse } else { Direction::Forward };
        let verified = original.map(|samples| verify(&samples, &outcome.spectrum, direction, SEED));
        drop(verifying);
        if let Some(wrong) = verified.as_ref().and_then(Failure::wrong) {
            return Err(wrong);
        }
        let verified_error = verified.map(|verified| verified.relative_error());

        let writing = Progress::endless("writing");
        output.commit(|sink| match self.format {
            Format::Npy => npy::write(sink, &outcome.spectrum),
            Format::Csv => csv::write(sink, &outcome.spectrum, self.rows(), args.rate),
        })?;
        drop(writing);
        Ok(Summary::of(&request, &outcome, verified_error))
    }

    fn rows(&self) -> Rows {
        if self.args.inverse {
            Rows::Signal
        } else {
            Rows::Spectrum { half: self.was_real && !self.args.full }
        }
    }
}

/// What to say if the nodes or the block size are not those asked for, as `auto` may find that they cannot be.
fn unmet<T>(request: &Request, outcome: &Outcome<T>) -> Option<String> {
    let Outcome { nodes, block, algorithm_used, .. } = outcome;
    let n = outcome.spectrum.len();
    let other_nodes = request.nodes.is_some_and(|asked| asked.get() != *nodes);
    let other_block = request.block.filter(|asked| Some(asked.get()) != *block);
    let (what, size) = match other_block {
        Some(block) if n.is_power_of_two() => ("the block size", block.get()),
        None if !other_nodes => return None,
        _ => ("the number of samples", n),
    };
    let ending = if *nodes == 1 { "node" } else { "nodes" };
    Some(format!(
        "warning: {what}, {size}, is no power of two, so the {algorithm_used} does it all on {nodes} {ending}"
    ))
}

/// What is printed when all is done. The field names are the names in JSON; a change of any raises `schema`.
#[derive(Debug, Serialize)]
struct Summary {
    schema: u32,
    n: usize,
    precision: &'static str,
    inverse: bool,
    algorithm: String,
    config: Config,
    nodes: usize,
    block: Option<usize>,
    seconds: f64,
    reorder_seconds: f64,
    gflops: f64,
    #[serde(flatten)]
    counters: Counters,
    /// Null if not asked for, and if non-finite samples make it undefined.
    verified_error: Option<f64>,
    #[serde(skip)]
    verified: bool,
}

impl Summary {
    fn of<T: Precision>(request: &Request, outcome: &Outcome<T>, verified_error: Option<f64>) -> Self {
        Self {
            schema: 1,
            n: outcome.spectrum.len(),
            precision: T::NAME,
            inverse: request.inverse,
            algorithm: outcome.algorithm_used.clone(),
            config: request.config,
            nodes: outcome.nodes,
            block: outcome.block,
            seconds: outcome.seconds,
            reorder_seconds: outcome.parts.reordering,
            gflops: outcome.gflops(),
            counters: outcome.counters,
            verified_error: verified_error.filter(|error| !error.is_nan()),
            verified: verified_error.is_some(),
        }
    }

    fn table(&self) -> Table {
        let Counters { fibers, tokens, invokes, signals, bytes_moved } = self.counters;
        let direction = if self.inverse { "inverse, divided by N" } else { "forward" };
        let error = match self.verified_error {
            Some(error) => format!("{error:.2e}"),
            None if self.verified => "undefined (samples that are not finite)".to_owned(),
            None => "not verified".to_owned(),
        };
        let mut table = Table::facts();
        let mut fact = |name: &str, value: String| {
            table.row([name.to_owned(), value]);
        };
        fact("N", format!("{} ({}, {direction})", self.n, self.precision));
        fact("algorithm", self.algorithm.clone());
        fact("configuration", self.config.to_string());
        fact("nodes", self.nodes.to_string());
        if let Some(block) = self.block {
            fact("block", block.to_string());
        }
        let reordering = if self.reorder_seconds > 0.0 {
            format!(" (of which reordering {})", seconds(self.reorder_seconds))
        } else {
            String::new()
        };
        fact("time", format!("{}{reordering}", seconds(self.seconds)));
        fact("GFLOPS", format!("{:.3} (5 N log2 N / time)", self.gflops));
        fact("fibers", fibers.to_string());
        fact("tokens", tokens.to_string());
        fact("invokes", invokes.to_string());
        fact("signals", signals.to_string());
        fact("bytes moved", bytes_moved.to_string());
        fact("relative error", error);
        table
    }
}
