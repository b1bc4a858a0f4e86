//! `earth-fft bench-fft`: plans of this project beside MKL and FFTW, by [`earth_lab::bench_fft`].

use std::path::Path;

use earth_fft::Precision;
use earth_lab::bench_fft::cases::{Case, durations};
use earth_lab::bench_fft::{Bench, Report};
use earth_lab::facts::usable_cores;

use crate::args::{BenchFft, Precision as Of};
use crate::failure::Failure;
use crate::io::aside::Output;
use crate::output::{duration, print, print_json, say};
use crate::progress::Timed;
use crate::stop::Stop;

pub(super) fn run(args: &BenchFft, stop: &Stop) -> Result<(), Failure> {
    let cases = Case::all(&args.words)?;
    if args.output.as_deref() == Some(Path::new("-")) {
        return Err(Failure::PageOnStdout);
    }
    // A page that cannot be written is known before any work.
    let output = args.output.as_deref().map(|path| Output::open(path, &stop.unfinished)).transpose()?;
    durations(&args.words).iter().for_each(say);
    let report = match args.precision {
        Of::F32 => measured::<f32>(args, &cases),
        Of::F64 => measured::<f64>(args, &cases),
    }?;
    let document = report.document();
    if let Some(output) = output {
        output.commit(|sink| sink.write_all(document.page().as_bytes()))?;
    }
    if args.json { print_json(&report) } else { print(document) }
}

fn measured<T: Precision>(args: &BenchFft, cases: &[Case]) -> Result<Report, Failure> {
    let (peers, missing) = match &args.peers[..] {
        [] => Bench::found::<T>(),
        peers => (peers.to_vec(), Vec::new()),
    };
    let bench = Bench {
        peers,
        missing,
        in_place: !args.out_of_place,
        gap: args.gap.into(),
        threads: args.threads.map_or_else(usable_cores, usize::from),
        rounds: args.rounds,
        limit: duration(args.plan_seconds),
    };
    let progress = Timed::weighted("comparing", args.max_seconds);
    Ok(bench.run::<T>(cases, &progress)?)
}
