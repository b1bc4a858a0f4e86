//! `earth-fft compare`: is it better to give a node one thread (SPN) or two (DUAL)?
//!
//! For each program and number of nodes two questions are asked, since DUAL uses twice as many threads: at
//! equal *nodes* (P against P) and at equal *cores* (2P of SPN against P of DUAL). A row is decided by
//! [`PAIRS`] pairs of timed runs, one SPN and one DUAL in turn: drift of the machine hits both halves of a
//! pair alike. The ratio is that of a pair, DUAL over SPN; its median decides, minimum and maximum say how
//! sure that is. No row is dropped for losing.
//!
//! Each timed run comes right after one of the same kind that is not timed, so that its threads and its
//! memory are warm, and at most one machine exists at a time ([`Programs`] keep the last): the idle threads
//! of a second one would spin for a while on cores that the first one needs. Before its pairs, the results of
//! both sides of a row are verified.
//!
//! It ends within a minute: what is too large is cut ([`subject`], [`plan`]), and when the time of
//! `--max-seconds` is over, the rows that are not finished are left out, and their number is told.

mod page;
mod plan;
mod plots;
mod report;
mod subject;

use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Instant;

use earth::Policy;
use earth_kernels::Direction;
use num_complex::Complex;

use super::args::Compare;
use super::facts::{Facts, usable_cores};
use super::failure::Failure;
use super::picture::Picture;
use super::progress::Progress;
use super::stop::Stop;
use super::trace::{self, TraceFile};
use super::{duration, print, print_json, say, verified, warn_of};
use crate::io::aside::Output;
use crate::io::{Format, Input};
use crate::request::{Config, Counters, Outcome, ProgramError, Programs, Request, Use, gflops};
use crate::signal::{Precision, Samples, Shape, magnitude};
use plan::{Plan, plans};
use report::{About, Report, Row, Side, Spread};
use subject::Subject;

/// Pairs of timed runs a row.
const PAIRS: usize = 11;

/// Chooses the values that are summed by the definition when a spectrum is verified.
const SEED: u64 = 17;

pub(super) fn run(args: &Compare, programs: &impl Programs, stop: &Stop) -> Result<(), Failure> {
    if args.output.as_deref() == Some(Path::new("-")) {
        return Err(Failure::PageOnStdout);
    }
    // A page that cannot be written is known before any work.
    let page = args.output.as_deref().map(|path| Output::open(path, &stop.unfinished)).transpose()?;
    let trace = trace::open(args.trace.as_deref(), stop)?;
    let deadline = Instant::now().checked_add(duration(args.max_seconds));
    let policy = args.turns.policy.unwrap_or_default();
    let bench = Bench { programs, cores: usable_cores(), policy, deadline };
    let report = match &args.input {
        None => bench.compare_and_trace(&[Subject::sunspots(), Subject::bricks()], trace)?,
        Some(path) => {
            let (signal, _) = Input::open(path, Format::of(path)?)?.read()?;
            warn_of(&signal);
            let name =
                if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() };
            match signal.samples {
                Samples::F32(samples) => {
                    bench.compare_and_trace(&[Subject::fitted(name, samples, signal.shape)], trace)?
                }
                Samples::F64(samples) => {
                    bench.compare_and_trace(&[Subject::fitted(name, samples, signal.shape)], trace)?
                }
            }
        }
    };
    if let Some(output) = page {
        output.commit(|sink| sink.write_all(page::of(&report).as_bytes()))?;
    }
    if args.json { print_json(&report) } else { print(report) }
}

/// Where rows are measured.
struct Bench<'a, P> {
    programs: &'a P,
    cores: usize,
    /// Machines of both configurations run under it.
    policy: Policy,
    /// When no further run is begun.
    deadline: Option<Instant>,
}

impl<P: Programs> Bench<'_, P> {
    /// Compares, and then traces the fastest side of the first subject's rows.
    fn compare_and_trace<T: Precision>(
        &self,
        subjects: &[Subject<T>],
        trace: Option<TraceFile>,
    ) -> Result<Report, Failure> {
        let report = self.compare(subjects)?;
        let Some(file) = trace else { return Ok(report) };
        let sides = report
            .rows
            .iter()
            .filter(|row| row.subject == 0)
            .flat_map(|row| [(row, Config::Spn, &row.spn), (row, Config::Dual, &row.dual)]);
        let fastest = sides.min_by(|(.., a), (.., b)| a.seconds.median.total_cmp(&b.seconds.median));
        let (Some((row, config, side)), [subject, ..]) = (fastest, subjects) else {
            say("warning: no row was finished, so there is nothing to trace");
            return Ok(report);
        };
        let request = Request {
            shape: subject.shape,
            algorithm: row.algorithm,
            config,
            policy: self.policy,
            nodes: NonZeroUsize::new(side.nodes),
            block: row.block.and_then(NonZeroUsize::new),
            groups: None,
            inverse: false,
        };
        let nodes = if side.nodes == 1 { "1 node".to_owned() } else { format!("{} nodes", side.nodes) };
        say(format_args!("tracing {} by '{}', {config}, {nodes}", subject.name, row.algorithm));
        // As for the timed runs: the first one finds threads and memory cold.
        self.programs.traced(&request, subject.samples.clone())?;
        let (_, trace) = self.programs.traced(&request, subject.samples.clone())?;
        file.write(&trace)?;
        Ok(report)
    }

    fn compare<T: Precision>(&self, subjects: &[Subject<T>]) -> Result<Report, Failure> {
        let shapes: Vec<_> = subjects.iter().map(|subject| subject.shape).collect();
        let (plans, rows_too_large) = plans(&shapes, self.cores);
        let progress = Progress::of((plans.len() * PAIRS) as u64, "comparing");
        let mut abouts: Vec<_> = subjects
            .iter()
            .map(|Subject { name, unit, given, shape, .. }| {
                About::of(name.clone(), *given, *shape, T::NAME, unit)
            })
            .collect();
        let mut rows = Vec::new();
        for plan in &plans {
            let (subject, about) = (&subjects[plan.subject], &mut abouts[plan.subject]);
            let Some(row) = self.measure(*plan, subject, about, &progress)? else { break };
            rows.push(row);
        }
        let machine = Facts { usable_cores: self.cores, ..Facts::found() };
        let rows_left_out = plans.len() - rows.len();
        Ok(Report {
            schema: 2,
            machine,
            policy: self.policy,
            pairs: PAIRS,
            subjects: abouts,
            rows,
            rows_left_out,
            rows_too_large,
        })
    }

    /// One row, and what its spectrum shows of the subject; nothing if the time is up.
    fn measure<T: Precision>(
        &self,
        plan: Plan,
        subject: &Subject<T>,
        about: &mut About,
        progress: &Progress,
    ) -> Result<Option<Row>, Failure> {
        let Plan { equal, algorithm, block, .. } = plan;
        let request = |config, nodes| Request {
            shape: subject.shape,
            algorithm,
            config,
            policy: self.policy,
            nodes: NonZeroUsize::new(nodes),
            block: block.and_then(NonZeroUsize::new),
            groups: None,
            inverse: false,
        };
        let requests = [request(Config::Spn, plan.spn_nodes), request(Config::Dual, plan.dual_nodes)];
        let is_late = || self.deadline.is_some_and(|deadline| Instant::now() >= deadline);

        let mut verified_error = 0.0_f64;
        let [mut spn, mut dual] = [None, None];
        for (request, side) in requests.iter().zip([&mut spn, &mut dual]) {
            if is_late() {
                return Ok(None);
            }
            request.check().map_err(ProgramError::from)?;
            let outcome = self.programs.transform(request, subject.samples.clone())?;
            let verified =
                verified(subject.shape, &subject.samples, &outcome.spectrum, Direction::Forward, SEED);
            if let Some(wrong) = Failure::wrong(&verified) {
                return Err(wrong);
            }
            let error = verified.relative_error();
            verified_error = if error > verified_error || error.is_nan() { error } else { verified_error };
            if matches!(subject.shape, Shape::Line(_)) && about.picture.is_none() {
                describe(about, &outcome.spectrum);
            }
            *side = Some(Timed::of(&outcome));
        }
        let (Some(mut spn), Some(mut dual)) = (spn, dual) else { unreachable!("two requests, two sides") };

        for _ in 0..PAIRS {
            for (request, side) in requests.iter().zip([&mut spn, &mut dual]) {
                if is_late() {
                    return Ok(None);
                }
                self.programs.transform(request, subject.samples.clone())?;
                side.note(&self.programs.transform(request, subject.samples.clone())?);
            }
            progress.step();
        }
        let ratio = Spread::of(spn.times.iter().zip(&dual.times).map(|(spn, dual)| dual / spn).collect());
        let (spn, dual) = (spn.side(1), dual.side(2));
        Ok(Some(Row { subject: plan.subject, algorithm, equal, block, spn, dual, ratio, verified_error }))
    }
}

/// Notes what the spectrum of a series shows.
fn describe<T: Precision>(about: &mut About, spectrum: &[Complex<T>]) {
    about.picture = Picture::of(spectrum);
    about.strongest_period = about.picture.as_ref().map(|picture| picture.period);
    let scale = 2.0 / about.samples as f64;
    let amplitude = |&value: &Complex<T>| scale * magnitude(value);
    about.amplitudes = spectrum.iter().skip(1).take(spectrum.len() / 2).map(amplitude).collect();
}

/// One side of a row while it is measured.
struct Timed {
    nodes: usize,
    points: usize,
    counters: Counters,
    paper_tokens: u64,
    half_butterflies: u64,
    times: Vec<f64>,
    units: Vec<Use>,
}

impl Timed {
    /// With what is the same in all runs, from one that is not timed.
    fn of<T>(outcome: &Outcome<T>) -> Self {
        let Outcome { nodes, counters, paper_tokens, half_butterflies, .. } = *outcome;
        let (points, times, units) = (outcome.spectrum.len(), Vec::new(), Vec::new());
        Self { nodes, points, counters, paper_tokens, half_butterflies, times, units }
    }

    fn note<T>(&mut self, outcome: &Outcome<T>) {
        self.times.push(outcome.seconds);
        self.units.push(outcome.units);
    }

    fn side(self, threads_a_node: usize) -> Side {
        let Self { nodes, points, counters, paper_tokens, half_butterflies, times, units } = self;
        let seconds = Spread::of(times);
        let mean = |part: fn(&Use) -> f64| units.iter().map(part).sum::<f64>() / units.len() as f64;
        Side {
            nodes,
            threads: nodes * threads_a_node,
            seconds,
            gflops: gflops(points, seconds.median),
            units: Use {
                eu_busy: mean(|units| units.eu_busy),
                eu_idle: mean(|units| units.eu_idle),
                su_busy: mean(|units| units.su_busy),
                su_idle: mean(|units| units.su_idle),
            },
            paper_tokens,
            half_butterflies,
            counters,
        }
    }
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
