//! `earth-fft transform`: one file to its spectrum.
//!
//! Steps: open the input, open the output (so that one that cannot be written is known before any work),
//! read, check the size and what the output can hold, transform, verify if asked, write aside and rename,
//! print the summary. A wrong spectrum is never written. With `--trace` the transform is a traced run, and the trace
//! is written last.
//!
//! *What holds what.* A `.npy` holds everything, a `.csv` a line, a `.png` a matrix (its spectrum in shades,
//! or, after an inverse, its real parts). The other two pairs are refused: a table of a matrix would be a
//! third meaning of columns, and a picture of a line is one row of pixels.

mod summary;

use std::num::NonZeroUsize;

use earth_fft::request::{Outcome, ProgramError, Programs, Request};
use earth_fft::verified;
use earth_fft::{Precision, Shape};
use earth_kernels::{Direction, Verified};
use num_complex::Complex;

use crate::args::Transform;
use crate::failure::Failure;
use crate::io::aside::Output;
use crate::io::csv::Rows;
use crate::io::png::{Lost, Shades};
use crate::io::{Format, Input, csv, npy, png};
use crate::output::{duration, print, print_json, say, warn_of};
use crate::progress::Progress;
use crate::saved;
use crate::signal::{Samples, Signal};
use crate::stop::Stop;
use crate::trace::{self, TraceFile};
use summary::Summary;

/// Chooses the values that are summed by the definition when a spectrum is verified.
const SEED: u64 = 11;

pub(super) fn run(args: &Transform, programs: &impl Programs, stop: &Stop) -> Result<(), Failure> {
    let to_stdout = args.output.as_os_str() == "-";
    if to_stdout && args.json {
        return Err(Failure::TwoResults);
    }
    let summary = from_file_to_file(args, programs, stop)?;
    match (args.json, to_stdout) {
        (true, _) => print_json(&summary),
        (false, false) => print(summary.table()),
        (false, true) => {
            say(format_args!("done\n{}", summary.table()));
            Ok(())
        }
    }
}

fn from_file_to_file(args: &Transform, programs: &impl Programs, stop: &Stop) -> Result<Summary, Failure> {
    let input_format = Format::of(&args.input)?;
    let output_format = Format::of(&args.output)?;
    let input = Input::open(&args.input, input_format)?;
    if let Some(seconds) = args.max_seconds {
        stop.after(duration(seconds)).map_err(Failure::NoTimer)?;
    }
    let output = Output::open(&args.output, &stop.unfinished)?;
    let trace = trace::open(args.trace.as_deref(), stop)?;
    let reading = Progress::endless("reading");
    let (signal, read_format) = input.read()?;
    drop(reading);
    let job = Job {
        args,
        format: output_format.unwrap_or(read_format),
        was_real: signal.was_real,
        shape: signal.shape,
    };
    match (job.format, job.shape) {
        (Format::Png, Shape::Line(n)) => return Err(Failure::PictureOfLine { n }),
        (Format::Csv, Shape::Matrix { rows, cols }) => return Err(Failure::TableOfMatrix { rows, cols }),
        _ => {}
    }
    job.warn(&signal);
    match signal.samples {
        Samples::F32(samples) => job.transform(samples, programs, output, trace),
        Samples::F64(samples) => job.transform(samples, programs, output, trace),
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
            Format::Csv => None,
            _ if self.args.rate.is_some() => Some("--rate"),
            _ if self.args.full => Some("--full"),
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
        trace_file: Option<TraceFile>,
    ) -> Result<Summary, Failure> {
        let Self { args, .. } = *self;
        let mut request = Request {
            shape: self.shape,
            algorithm: args.algorithm,
            config: args.config,
            policy: args.turns.policy.unwrap_or_default(),
            nodes: args.nodes,
            block: args.block,
            groups: args.sharing.groups(),
            inverse: args.inverse,
        };
        saved::give(&mut request, &args.sharing.profiles, args.sharing.force, T::NAME)?;
        request.check().map_err(ProgramError::from)?;
        let sample = size_of::<Complex<T>>();
        let copy = if args.verify { (samples.len() * sample) as u64 } else { 0 };
        programs.admit(&request, sample, copy).map_err(ProgramError::from)?;
        let original = args.verify.then(|| samples.clone());

        let transforming = Progress::endless("transforming");
        let (outcome, records) = if trace_file.is_some() {
            let (outcome, records) = programs.traced(&request, samples)?;
            (outcome, Some(records))
        } else {
            (programs.transform(&request, samples)?, None)
        };
        drop(transforming);
        if let Some(unmet) = unmet(&request, &outcome) {
            say(unmet);
        }
        outcome.notes.iter().for_each(say);

        let verifying = Progress::endless("verifying");
        let verified = original.map(|samples| self.verify(&samples, &outcome.spectrum));
        drop(verifying);
        if let Some(wrong) = verified.as_ref().and_then(Failure::wrong) {
            return Err(wrong);
        }
        let verified_error = verified.map(|verified| verified.relative_error());
        if let (Format::Png, Shades::Signal) = (self.format, self.shades()) {
            let lost = Lost::of(&outcome.spectrum);
            if !lost.is_nothing() {
                say(format_args!("warning: {lost}"));
            }
        }

        let writing = Progress::endless("writing");
        output.commit(|sink| match (self.format, self.shape) {
            (Format::Png, Shape::Matrix { rows, cols }) => {
                png::write(sink, &outcome.spectrum, (rows, cols), self.shades())
            }
            (Format::Csv, _) => csv::write(sink, &outcome.spectrum, self.rows(), args.rate),
            (_, shape) => npy::write(sink, &outcome.spectrum, shape),
        })?;
        if let (Some(file), Some(records)) = (trace_file, records) {
            file.write(&records)?;
        }
        drop(writing);
        Ok(Summary::of(&request, &outcome, verified_error))
    }

    fn verify<T: Precision>(&self, samples: &[Complex<T>], spectrum: &[Complex<T>]) -> Verified {
        let direction = if self.args.inverse { Direction::Inverse } else { Direction::Forward };
        verified(self.shape, samples, spectrum, direction, SEED)
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

/// The warning that the nodes or the block size are not those asked for, if they are not, as `auto` may find that
/// they cannot be.
fn unmet<T>(request: &Request, outcome: &Outcome<T>) -> Option<String> {
    let Outcome { nodes, block, algorithm_used, .. } = outcome;
    let n = outcome.spectrum.len();
    let other_nodes = request.nodes.map(NonZeroUsize::get).filter(|asked| asked != nodes);
    let other_block = request.block.map(NonZeroUsize::get).filter(|asked| Some(*asked) != *block);
    let ending = if *nodes == 1 { "node" } else { "nodes" };
    if let Shape::Matrix { .. } = request.shape {
        return match (other_nodes, other_block) {
            (None, None) => None,
            (Some(asked), _) => Some(format!(
                "warning: not {asked} nodes, the {algorithm_used} does it all on {nodes} {ending}"
            )),
            (None, Some(asked)) => {
                let blocks = block.map_or("no blocks".to_owned(), |block| format!("blocks of {block}"));
                Some(format!("warning: not blocks of {asked}, the {algorithm_used} has {blocks}"))
            }
        };
    }
    let (what, size) = match other_block {
        Some(block) if n.is_power_of_two() => ("the block size", block),
        None if other_nodes.is_none() => return None,
        _ => ("the number of samples", n),
    };
    Some(format!(
        "warning: {what}, {size}, is no power of two, so the {algorithm_used} does it all on {nodes} {ending}"
    ))
}

#[cfg(test)]
#[path = "transform_tests.rs"]
mod tests;
