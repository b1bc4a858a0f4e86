//! `earth-fft compare`: is it better to give a node one thread (SPN) or two (DUAL)?
//!
//! For each node count and block size two questions are asked, since DUAL uses twice as many threads: at
//! equal *nodes* (P against P) and at equal *cores* (2P of SPN against P of DUAL). A row is decided by
//! [`PAIRS`] pairs of timed runs, one SPN and one DUAL in turn: drift of the machine hits both halves of a
//! pair alike. The ratio is that of a pair, DUAL over SPN; its median decides, minimum and maximum say how
//! sure that is. No row is dropped for losing.
//!
//! Each timed run comes right after one of the same kind that is not timed, so that its threads and its
//! memory are warm, and at most one machine exists at a time ([`Programs`] keep the last): the idle threads
//! of a second one would spin for a while on cores that the first one needs. Before its pairs, the results
//! of both sides of a row are verified.
//!
//! It ends within a minute: signals of more than [`MOST_POINTS`] are cut, the number of blocks does not grow
//! with the signal, and when the time of `--max-seconds` is over, the rows that are not finished are left out, and their number
//! is told.

mod report;

use std::num::NonZeroUsize;
use std::path::Path;
use std::thread;
use std::time::Instant;

use earth_kernels::{Direction, verify};
use num_complex::Complex;

use super::args::Compare;
use super::failure::Failure;
use super::picture::Picture;
use super::progress::Progress;
use super::{duration, print, print_json, say, warn_of};
use crate::io::{Format, Input};
use crate::request::{Algorithm, Config, ProgramError, Programs, Request};
use crate::series;
use crate::signal::{Precision, Samples, Shape};
use report::{Equal, Report, Row, Side, Spread};

/// Pairs of timed runs a row.
const PAIRS: usize = 11;

/// The size to which the bundled series is padded with zeros; the papers' measurements over block sizes are
/// of this size.
const BUNDLED_SIZE: usize = 4096;

/// More points than this are not compared; at this size a row takes a second or two.
const MOST_POINTS: usize = 1 << 20;

/// Into how many blocks a signal is dealt, if it has as many points.
const BLOCKS: [usize; 3] = [256, 64, 16];

/// The largest number of nodes tried: twice as many are still a machine.
const MOST_NODES: usize = 32;

pub(super) fn run(args: &Compare, programs: &impl Programs) -> Result<(), Failure> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let deadline = Instant::now().checked_add(duration(args.max_seconds));
    let bench = Bench { programs, cores, deadline };
    let report = match &args.input {
        None => bench.compare(Subject::sunspots())?,
        Some(path) => {
            let (signal, _) = Input::open(path, Format::of(path)?)?.read()?;
            if let Shape::Matrix { rows, cols } = signal.shape {
                return Err(Failure::ComparedMatrix { rows, cols });
            }
            warn_of(&signal);
            let name =
                if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() };
            match signal.samples {
                Samples::F32(samples) => bench.compare(Subject::fitted(name, samples))?,
                Samples::F64(samples) => bench.compare(Subject::fitted(name, samples))?,
            }
        }
    };
    if args.json { print_json(&report) } else { print(report) }
}

/// What is transformed, over and over.
struct Subject<T> {
    series: String,
    /// What lies between two samples.
    unit: &'static str,
    /// How many samples are the series', before the zeros.
    given: usize,
    /// A power of two of them.
    samples: Vec<Complex<T>>,
}

impl Subject<f64> {
    fn sunspots() -> Self {
        let years = series::sunspots().samples.len();
        let last = series::FIRST_YEAR + years - 1;
        Self {
            series: format!("yearly sunspot numbers, {} to {last}", series::FIRST_YEAR),
            unit: "year",
            given: years,
            samples: series::sunspots_of(BUNDLED_SIZE),
        }
    }
}

impl<T: Precision> Subject<T> {
    /// A power of two of points: what is too long is cut, and zeros follow what is too short.
    fn fitted(series: String, mut samples: Vec<Complex<T>>) -> Self {
        let found = samples.len();
        if found > MOST_POINTS {
            say(format_args!(
                "only the first {MOST_POINTS} of {found} samples are compared, so that it takes less than a minute"
            ));
            samples.truncate(MOST_POINTS);
        }
        let given = samples.len();
        let n = given.next_power_of_two();
        if n > given {
            say(format_args!(
                "the {given} samples, less their mean, are followed by zeros up to {n}, a power of two"
            ));
            // Else the step from the mean to the zeros would be the strongest line there is.
            let sum: Complex<f64> = samples.iter().map(|z| Complex::new(z.re.widen(), z.im.widen())).sum();
            let mean = Complex::new(T::of(sum.re / given as f64), T::of(sum.im / given as f64));
            for z in &mut samples {
                *z -= mean;
            }
            samples.resize(n, Complex::new(T::zero(), T::zero()));
        }
        Self { series, unit: "sample", given, samples }
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
    let blocks: Vec<_> = BLOCKS.into_iter().filter(|&blocks| blocks <= n).map(|blocks| n / blocks).collect();
    let blocks = if blocks.is_empty() { vec![1] } else { blocks };
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

/// Where rows are measured.
struct Bench<'a, P> {
    programs: &'a P,
    cores: usize,
    /// When no further run is begun.
    deadline: Option<Instant>,
}

impl<P: Programs> Bench<'_, P> {
    fn compare<T: Precision>(&self, subject: Subject<T>) -> Result<Report, Failure> {
        let Subject { series, unit, given, samples } = subject;
        let plans = plans(samples.len(), self.cores);
        let progress = Progress::of((plans.len() * PAIRS) as u64, "comparing");
        let mut rows = Vec::new();
        let mut picture = None;
        for plan in &plans {
            let Some((row, seen)) = self.measure(*plan, &samples, &progress)? else { break };
            picture = seen;
            rows.push(row);
        }
        Ok(Report {
            schema: 1,
            series,
            samples: given,
            n: samples.len(),
            precision: T::NAME,
            algorithm: Algorithm::Sender,
            usable_cores: self.cores,
            pairs: PAIRS,
            strongest_period: picture.as_ref().map(|picture| picture.period),
            picture,
            unit,
            rows_left_out: plans.len() - rows.len(),
            rows,
        })
    }

    /// One row, and the spectrum that both sides found; nothing if the time is up.
    fn measure<T: Precision>(
        &self,
        plan: Plan,
        samples: &[Complex<T>],
        progress: &Progress,
    ) -> Result<Option<(Row, Option<Picture>)>, Failure> {
        let request = |config, nodes| Request {
            shape: Shape::Line(samples.len()),
            algorithm: Algorithm::Sender,
            config,
            nodes: NonZeroUsize::new(nodes),
            block: NonZeroUsize::new(plan.block),
            inverse: false,
        };
        let requests = [request(Config::Spn, plan.spn_nodes), request(Config::Dual, plan.dual_nodes)];
        let is_late = || self.deadline.is_some_and(|deadline| Instant::now() >= deadline);

        let mut verified_error = 0.0_f64;
        let mut picture = None;
        let mut sides = Vec::new();
        for (request, threads_a_node) in requests.iter().zip([1, 2]) {
            if is_late() {
                return Ok(None);
            }
            request.check().map_err(ProgramError::from)?;
            let outcome = self.programs.transform(request, samples.to_vec())?;
            let verified = verify(samples, &outcome.spectrum, Direction::Forward, plan.block as u64);
            if let Some(wrong) = Failure::wrong(&verified) {
                return Err(wrong);
            }
            let error = verified.relative_error();
            verified_error = if error > verified_error || error.is_nan() { error } else { verified_error };
            picture = Picture::of(&outcome.spectrum);
            sides.push((outcome.nodes, outcome.nodes * threads_a_node, outcome.counters));
        }

        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..PAIRS {
            for (request, times) in requests.iter().zip(&mut times) {
                if is_late() {
                    return Ok(None);
                }
                self.programs.transform(request, samples.to_vec())?;
                times.push(self.programs.transform(request, samples.to_vec())?.seconds);
            }
            progress.step();
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
        Ok(Some((Row { equal: plan.equal, block: plan.block, spn, dual, ratio, verified_error }, picture)))
    }
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
