//! `earth-fft transform`: one file to its spectrum.
//!
//! Steps: open the input, open the output (so that one that cannot be written is known before any work),
//! read, check the size and what the output can hold, transform, verify if asked, write aside and rename,
//! print the summary. A wrong spectrum is never written. With `--trace` the transform is a traced run, and the trace
//! is written last.
//!
//! *What holds what.* A `.npy` holds everything, a `.csv` a line, a `.png` a matrix (its spectrum in shades,
//! or, after an inverse, its real parts). The other pairs are refused: a table of a matrix would be a
//! third meaning of columns, a picture of a line is one row of pixels, and neither has three dimensions.

mod planned;
mod spectrum;
mod summary;

use earth_fft::{Precision, verified};
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
use crate::signal::{Samples, Signal, Values};
use crate::stop::Stop;
use crate::trace::{self, TraceFile};
use planned::Planned;
use spectrum::Spectrum;
use summary::Summary;

/// Chooses the values that are summed by the definition when a spectrum is verified.
const SEED: u64 = 11;

pub(super) fn run(args: &Transform, stop: &Stop) -> Result<(), Failure> {
    let to_stdout = args.output.as_os_str() == "-";
    if to_stdout && args.json {
        return Err(Failure::TwoResults);
    }
    let summary = from_file_to_file(args, stop)?;
    match (args.json, to_stdout) {
        (true, _) => print_json(&summary),
        (false, false) => print(summary.table()),
        (false, true) => {
            say(format_args!("done\n{}", summary.table()));
            Ok(())
        }
    }
}

fn from_file_to_file(args: &Transform, stop: &Stop) -> Result<Summary, Failure> {
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
        stop,
        format: output_format.unwrap_or(read_format),
        was_real: signal.samples.is_real(),
        lengths: &signal.lengths,
    };
    let lengths = signal.lengths.clone();
    match (job.format, lengths.len()) {
        (Format::Png, dimensions) if dimensions != 2 => return Err(Failure::NoPicture { lengths }),
        (Format::Csv, dimensions) if dimensions != 1 => return Err(Failure::NoTable { lengths }),
        _ => {}
    }
    job.warn(&signal);
    match signal.samples {
        Samples::F32(values) => job.transform(values, output, trace),
        Samples::F64(values) => job.transform(values, output, trace),
    }
}

struct Job<'a> {
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
            say(format_args!("warning: {option} changes only what a .csv holds"));
        }
    }

    fn transform<T: Precision>(
        &self,
        values: Values<T>,
        output: Output,
        trace_file: Option<TraceFile>,
    ) -> Result<Summary, Failure> {
        let Self { args, stop, lengths, .. } = *self;
        // To verify takes the samples and the spectrum as points.
        let points = (values.len() as u64).saturating_mul(size_of::<Complex<T>>() as u64);
        let copies = if args.verify { 2 * points } else { 0 };
        let planned = Planned::new(args, stop, (lengths, &values), trace_file.is_some(), copies)?;
        if args.explain {
            say(&planned);
        }
        let facts = planned.facts();
        let asked = args.nodes.is_some_and(|nodes| nodes.get() > 1) || args.block.is_some();
        if asked && facts.nodes.is_none() {
            say(format_args!("warning: one thread does it all, because {}", facts.why));
        }
        facts.notes.iter().for_each(say);
        let original = args.verify.then(|| values.to_points());

        let transforming = Progress::endless("transforming");
        let ran = planned.run(lengths, values)?;
        drop(transforming);
        let summary = Summary::of(args, lengths, facts, &ran);
        let verified_error = self.deliver(&ran.spectrum, original.as_deref(), output)?;
        if let (Some(file), Some(records)) = (trace_file, ran.records) {
            file.write(&records)?;
        }
        Ok(summary.verified(verified_error))
    }

    /// Holds the spectrum against the transform of its samples, if they are there, and writes it. Gives the error.
    fn deliver<T: Precision>(
        &self,
        spectrum: &Spectrum<T>,
        original: Option<&[Complex<T>]>,
        output: Output,
    ) -> Result<Option<f64>, Failure> {
        let verifying = Progress::endless("verifying");
        let verified = original.map(|samples| self.verify(samples, &spectrum.values().collect::<Vec<_>>()));
        drop(verifying);
        if let Some(wrong) = verified.as_ref().and_then(Failure::wrong) {
            return Err(wrong);
        }
        if let (Format::Png, Shades::Signal) = (self.format, self.shades()) {
            let lost = Lost::of(spectrum.values());
            if !lost.is_nothing() {
                say(format_args!("warning: {lost}"));
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

    fn verify<T: Precision>(&self, samples: &[Complex<T>], spectrum: &[Complex<T>]) -> Verified {
        verified(self.lengths, samples, spectrum, self.direction(), SEED)
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
#[path = "transform_tests.rs"]
mod tests;
