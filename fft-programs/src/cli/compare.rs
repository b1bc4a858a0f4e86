//! `earth-fft compare`: is it better to give a node one thread (SPN) or two (DUAL)?
//!
//! For each node count and block size two questions are asked, since DUAL uses twice as many threads: at
//! equal *nodes* (P against P) and at equal *cores* (2P of SPN against P of DUAL). A row is decided by
//! [`PAIRS`] pairs of runs, one SPN and one DUAL in turn, after one unmeasured pair whose results are
//! verified: drift of the machine hits both halves of a pair alike. The ratio is that of a pair, DUAL over
//! SPN; its median decides, minimum and maximum say how sure that is. No row is dropped for losing. If
//! [`BUDGET`] runs out, the rows that were not begun are left out, and their number is told.

use std::num::NonZeroUsize;
use std::thread;
use std::time::{Duration, Instant};

use earth_kernels::{Direction, verify};
use num_complex::Complex;
use serde::Serialize;

use super::args::Compare;
use super::failure::Failure;
use super::progress::Progress;
use super::table::{Table, seconds};
use super::{print, print_json, say, warn_of};
use crate::io::{Format, Input};
use crate::request::{Algorithm, Config, Counters, ProgramError, Programs, Request};
use crate::series;
use crate::signal::{Precision, Samples};

/// Pairs of runs a row.
const PAIRS: usize = 11;

/// When no further row is begun.
const BUDGET: Duration = Duration::from_secs(45);

/// The size to which the bundled series is padded with zeros; the papers' measurements over block sizes are
/// of this size.
const BUNDLED_SIZE: usize = 4096;

/// The largest number of nodes tried: twice as many are still a machine.
const MOST_NODES: usize = 32;

pub(super) fn run(args: &Compare, programs: &impl Programs) -> Result<(), Failure> {
    let samples = match &args.input {
        None => Samples::F64(series::sunspots_of(BUNDLED_SIZE)),
        Some(path) => {
            let (signal, _) = Input::open(path, Format::of(path)?)?.read()?;
            warn_of(&signal);
            signal.samples
        }
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut report = match samples {
        Samples::F32(samples) => compare(samples, programs, cores, BUDGET)?,
        Samples::F64(samples) => compare(samples, programs, cores, BUDGET)?,
    };
    if args.input.is_none() {
        report.series = "yearly sunspot numbers";
    }
    if args.json { print_json(&report) } else { report.print() }
}

/// All rows. The field names are the names in JSON; a change of any raises `schema`.
#[derive(Debug, Serialize)]
struct Report {
    schema: u32,
    series: &'static str,
    samples: usize,
    n: usize,
    precision: &'static str,
    usable_cores: usize,
    pairs: usize,
    /// How many samples one turn of the strongest line takes, the line at zero aside.
    strongest_period: Option<f64>,
    rows: Vec<Row>,
    rows_left_out: usize,
}

#[derive(Debug, Serialize)]
struct Row {
    equal: Equal,
    block: usize,
    spn: Side,
    dual: Side,
    /// DUAL's time over SPN's, pair by pair.
    ratio: Spread,
    /// The larger of both sides' relative errors.
    verified_error: f64,
}

/// What both sides have the same number of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Equal {
    Nodes,
    Cores,
}

#[derive(Debug, Serialize)]
struct Side {
    nodes: usize,
    threads: usize,
    seconds: Spread,
    gflops: f64,
    #[serde(flatten)]
    counters: Counters,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct Spread {
    min: f64,
    median: f64,
    max: f64,
}

impl Spread {
    /// Of an odd number of values.
    fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        Self { min: values[0], median: values[values.len() / 2], max: values[values.len() - 1] }
    }
}

/// What one row compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Plan {
    equal: Equal,
    block: usize,
    spn_nodes: usize,
    dual_nodes: usize,
}

/// The rows for `n` points on `cores` cores, the smaller machines first.
fn plans(n: usize, cores: usize) -> Vec<Plan> {
    let blocks: Vec<_> = [16, 64, 256].into_iter().filter(|&block| block <= n).collect();
    let blocks = if blocks.is_empty() { vec![n] } else { blocks };
    let counts = (0..).map(|log| 1 << log).take_while(|&count| count <= cores.clamp(2, MOST_NODES));
    counts
        .flat_map(|nodes| {
            [(Equal::Nodes, nodes), (Equal::Cores, 2 * nodes)].map(|(equal, spn)| (equal, spn, nodes))
        })
        .flat_map(|(equal, spn_nodes, dual_nodes)| {
            blocks.iter().map(move |&block| Plan { equal, block, spn_nodes, dual_nodes })
        })
        .collect()
}

fn compare<T: Precision>(
    mut samples: Vec<Complex<T>>,
    programs: &impl Programs,
    cores: usize,
    budget: Duration,
) -> Result<Report, Failure> {
    let given = samples.len();
    let n = given.next_power_of_two();
    if n > given {
        say(format_args!("{given} samples are followed by zeros up to {n}, a power of two"));
        samples.resize(n, Complex::new(T::zero(), T::zero()));
    }
    let plans = plans(n, cores);
    let progress = Progress::of(plans.len() as u64, "comparing");
    let start = Instant::now();
    let mut rows = Vec::new();
    let mut strongest_period = None;
    for plan in &plans {
        if start.elapsed() > budget {
            break;
        }
        let (row, period) = measure(*plan, &samples, programs)?;
        strongest_period = period;
        rows.push(row);
        progress.step();
    }
    Ok(Report {
        schema: 1,
        series: "from a file",
        samples: given,
        n,
        precision: T::NAME,
        usable_cores: cores,
        pairs: PAIRS,
        strongest_period,
        rows_left_out: plans.len() - rows.len(),
        rows,
    })
}

fn measure<T: Precision>(
    plan: Plan,
    samples: &[Complex<T>],
    programs: &impl Programs,
) -> Result<(Row, Option<f64>), Failure> {
    let request = |config, nodes| Request {
        algorithm: Algorithm::Sender,
        config,
        nodes: NonZeroUsize::new(nodes),
        block: NonZeroUsize::new(plan.block),
        inverse: false,
    };
    let requests = [request(Config::Spn, plan.spn_nodes), request(Config::Dual, plan.dual_nodes)];
    for request in &requests {
        request.check(samples.len()).map_err(ProgramError::from)?;
    }

    let mut verified_error = 0.0_f64;
    let mut period = None;
    let mut sides = Vec::new();
    for (request, threads_a_node) in requests.iter().zip([1, 2]) {
        let outcome = programs.transform(request, samples.to_vec())?;
        let verified = verify(samples, &outcome.spectrum, Direction::Forward, plan.block as u64);
        if let Some(wrong) = Failure::wrong(&verified) {
            return Err(wrong);
        }
        let error = verified.relative_error();
        verified_error = if error > verified_error || error.is_nan() { error } else { verified_error };
        period = strongest_period(&outcome.spectrum);
        sides.push((outcome.nodes, outcome.nodes * threads_a_node, outcome.counters));
    }

    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..PAIRS {
        for (request, times) in requests.iter().zip(&mut times) {
            times.push(programs.transform(request, samples.to_vec())?.seconds);
        }
    }
    let ratio = Spread::of(times[0].iter().zip(&times[1]).map(|(spn, dual)| dual / spn).collect());
    let operations = 5.0 * samples.len() as f64 * (samples.len() as f64).log2();
    let mut built = sides.into_iter().zip(times).map(|((nodes, threads, counters), times)| {
        let seconds = Spread::of(times);
        Side { nodes, threads, seconds, gflops: operations / seconds.median / 1e9, counters }
    });
    let (Some(spn), Some(dual)) = (built.next(), built.next()) else {
        unreachable!("two requests, two sides")
    };
    Ok((Row { equal: plan.equal, block: plan.block, spn, dual, ratio, verified_error }, period))
}

/// How many samples one turn of the strongest line takes; none without a line off zero.
fn strongest_period<T: Precision>(spectrum: &[Complex<T>]) -> Option<f64> {
    let strength = |bin: &usize| spectrum[*bin].re.widen().hypot(spectrum[*bin].im.widen());
    let bin = (1..=spectrum.len() / 2).max_by(|a, b| strength(a).total_cmp(&strength(b)))?;
    (strength(&bin) > 0.0).then(|| spectrum.len() as f64 / bin as f64)
}

impl Report {
    fn print(&self) -> Result<(), Failure> {
        let mut table = Table::with_header([
            "equal",
            "B",
            "SPN nodes",
            "DUAL nodes",
            "threads",
            "SPN",
            "DUAL",
            "DUAL/SPN",
            "min",
            "max",
            "fibers",
            "signals",
            "bytes moved",
            "error",
        ]);
        for row in &self.rows {
            let Row { spn, dual, ratio, .. } = row;
            table.row([
                if row.equal == Equal::Nodes { "nodes" } else { "cores" }.to_owned(),
                row.block.to_string(),
                spn.nodes.to_string(),
                dual.nodes.to_string(),
                format!("{}:{}", spn.threads, dual.threads),
                seconds(spn.seconds.median),
                seconds(dual.seconds.median),
                format!("{:.2}", ratio.median),
                format!("{:.2}", ratio.min),
                format!("{:.2}", ratio.max),
                spn.counters.fibers.to_string(),
                spn.counters.signals.to_string(),
                spn.counters.bytes_moved.to_string(),
                format!("{:.1e}", row.verified_error),
            ]);
        }
        let period = match self.strongest_period {
            Some(period) => format!("strongest line: one turn in {period:.1} samples"),
            None => "no line off zero".to_owned(),
        };
        let left_out = match self.rows_left_out {
            0 => String::new(),
            rows => format!("\n{rows} more rows were left out to stay under a minute."),
        };
        print(format_args!(
            "{}: {} samples, N = {} ({}), {} usable cores; {period}\n\n{table}\n\n\
             Median of {} pairs, in turn; DUAL/SPN above 1 means that SPN is faster. Every row is verified.{left_out}",
            self.series, self.samples, self.n, self.precision, self.usable_cores, self.pairs
        ))
    }
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
