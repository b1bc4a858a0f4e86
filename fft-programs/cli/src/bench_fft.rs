//! `earth-fft bench-fft`: plans of this project beside MKL and FFTW, by [`earth_lab::bench_fft`].

use std::fs;
use std::path::Path;

use earth_fft::Precision;
use earth_lab::bench_fft::cases::{Case, durations};
use earth_lab::bench_fft::{Bench, Report, documented};
use earth_lab::facts::usable_cores;

use crate::args::{BenchFft, Precision as Of};
use crate::failure::Failure;
use crate::folder::write_page;
use crate::io::aside::Output;
use crate::output::{duration, print, print_json, say};
use crate::progress::Timed;
use crate::stop::Stop;

/// Compares transforms with those of libraries, and prints or writes the document.
///
/// # Errors
///
/// Why that cannot be.
pub fn run(args: &BenchFft, stop: &Stop) -> Result<(), Failure> {
    if args.output.as_deref() == Some(Path::new("-")) {
        return Err(Failure::PageOnStdout);
    }
    // A page that cannot be written is known before any work.
    let output = args.output.as_deref().map(|path| Output::open(path, &stop.unfinished)).transpose()?;
    let reports = if args.reports.is_empty() {
        let cases = Case::all(&args.words)?;
        durations(&args.words).iter().for_each(say);
        vec![match args.precision {
            Of::F32 => measured::<f32>(args, &cases),
            Of::F64 => measured::<f64>(args, &cases),
        }?]
    } else {
        Report::merged(args.reports.iter().map(|path| read(path)).collect::<Result<_, _>>()?)
    };
    let document = documented(&reports);
    if let Some(output) = output {
        output.commit(|sink| sink.write_all(document.page().as_bytes()))?;
    }
    if let Some(page) = &args.page {
        write_page(&document, page, stop)?;
    }
    match &reports[..] {
        [report] if args.json => print_json(report),
        reports if args.json => print_json(&reports),
        _ => print(document),
    }
}

/// A report that was printed as JSON before.
fn read(path: &Path) -> Result<Report, Failure> {
    let failure = |why: String| Failure::Report { name: path.display().to_string(), why };
    let json = fs::read_to_string(path).map_err(|error| failure(error.to_string()))?;
    Report::from_json(&json).map_err(failure)
}

fn measured<T: Precision>(args: &BenchFft, cases: &[Case]) -> Result<Report, Failure> {
    let (peers, missing) = match &args.peers[..] {
        [] => Bench::found::<T>(),
        peers => (peers.to_vec(), Vec::new()),
    };
    let bench = Bench {
        peers,
        missing,
        real: args.real,
        in_place: !args.out_of_place,
        gap: args.gap.into(),
        threads: args.threads.map_or_else(usable_cores, usize::from),
        rounds: args.rounds,
        limit: duration(args.plan_seconds),
    };
    let progress = Timed::weighted("comparing", args.max_seconds);
    Ok(bench.run::<T>(cases, &progress)?)
}
