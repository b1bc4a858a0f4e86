//! `earth-fft bench-fft`: compares plans of this project with MKL and FFTW, by [`peers`].

pub(crate) mod args;
mod instructions;
pub(crate) mod peers;

use std::path::{Path, PathBuf};
use std::time::Duration;

use earth_console::Failure;
use earth_console::args::Precision as Of;
use earth_console::folder::write_page;
use earth_console::io::atomic_output::Output;
use earth_console::output::{duration, print, print_json, print_message};
use earth_console::progress::Timed;
use earth_console::stop::Stop;
use earth_console::text::read_text;
use earth_console::wisdom::read_wisdom;
use earth_fft::{Kernel, Precision};
use earth_report::facts::usable_cores;

use args::BenchFft;
use peers::cases::{Case, durations};
use peers::{Bench, Form, PlanStore, Question, Report, Who, documented};

/// Makes the first call that a question asks for, and prints its times.
pub(crate) fn first_call(question: &str) -> Result<(), Failure> {
    let question: Question = serde_json::from_str(question).map_err(Failure::usage)?;
    let who = match question.who() {
        "earth" => Who::Kernel(Kernel::Earth),
        peer => args::peer(peer).map_err(Failure::usage)?,
    };
    print_json(&question.answer(&who)?)
}

/// Compares transforms with those by libraries, and prints or writes the document.
pub(crate) fn run(args: &BenchFft, stop: &Stop) -> Result<(), Failure> {
    if args.output.as_deref() == Some(Path::new("-")) {
        return Err(Failure::PageOnStdout);
    }
    if let Some(isa) = args.isa {
        isa.limit()?;
    }
    // A page that cannot be written is reported before any work.
    let output = args.output.as_deref().map(|path| Output::open(path, &stop.unfinished)).transpose()?;
    let reports = if args.reports.is_empty() {
        let cases = Case::all(&args.words)?;
        let real = Case::are_real(&cases, args.real, args.gap != 0)?;
        durations(&args.words).iter().for_each(print_message);
        vec![match args.precision {
            Of::F32 => measured::<f32>(args, &cases, real, stop),
            Of::F64 => measured::<f64>(args, &cases, real, stop),
        }?]
    } else {
        let read = |path: &PathBuf| read_text("show the report", path, None, Report::from_json);
        Report::merged(args.reports.iter().map(read).collect::<Result<_, _>>()?)
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

/// Measures cases, of real numbers or of points.
fn measured<T: Precision>(
    args: &BenchFft,
    cases: &[Case],
    real: bool,
    stop: &Stop,
) -> Result<Report, Failure> {
    let (peers, missing) = match &args.peers[..] {
        [] => Bench::found::<T>(args.isa, cases),
        peers => {
            peers.iter().try_for_each(|peer| peer.check_instructions(args.isa))?;
            (peers.to_vec(), Vec::new())
        }
    };
    let bench = Bench {
        peers,
        missing,
        form: Form {
            real,
            in_place: !args.out_of_place,
            gap: args.gap.into(),
            large_pages: args.large_pages,
        },
        threads: args.threads.map_or_else(usable_cores, usize::from),
        rounds: args.rounds,
        limit: duration(args.plan_seconds),
    };
    let mut known = known(args, bench.limit)?;
    let before = known.clone();
    let kept = args.peer_wisdom.as_deref().map(|path| Output::open(path, &stop.unfinished)).transpose()?;
    let progress = Timed::weighted("comparing", args.max_seconds);
    let report = bench.run::<T>(cases, &mut known, &progress);
    // Plans are kept even if the measurement fails.
    if let Some(kept) = kept.filter(|_| known != before) {
        let _turn = kept.turn()?;
        known.merge(self::known(args, bench.limit)?);
        kept.commit(|sink| sink.write_all(known.to_json().as_bytes()))?;
    }
    Ok(report?)
}

/// Returns the plans in the file of `--peer-wisdom`, if there is one.
fn known(args: &BenchFft, limit: Duration) -> Result<PlanStore, Failure> {
    let Some(path) = &args.peer_wisdom else { return Ok(PlanStore::new(limit)) };
    read_wisdom(path, PlanStore::new(limit), |json| PlanStore::from_json(json, limit))
}
