//! Comparison of SPN with DUAL: is it better to give a node one thread or two?
//!
//! DUAL uses two threads per node, so each program and number of nodes is compared twice: at equal *nodes* (P
//! against P) and at equal *cores* (2P nodes of SPN against P nodes of DUAL).
//!
//! * [`PAIRS`] pairs of timed runs decide a row. A pair is one SPN run and one DUAL run, in turn, so drift of
//!   the computer affects both runs of a pair equally.
//! * The ratio is DUAL over SPN, per pair. Its median decides; its minimum and maximum show the uncertainty.
//!   No row is dropped because of its result.
//! * Each timed run directly follows an untimed run of the same kind, so its threads and its memory are warm.
//! * At most one machine exists at a time: the idle threads of a second one would spin for a while on cores
//!   that the first one needs.
//! * The results of both sides of a row are verified before its pairs.
//!
//! The comparison ends within a minute on a typical computer. Subjects and rows that are too large are cut
//! ([`subject`], [`plan`]). When the time limit is reached, unfinished rows are left out and counted.

mod document;
mod figures;
mod picture;
mod plan;
mod report;
mod subject;

use std::num::NonZeroUsize;
use std::time::Duration;

use earth::records::Records;
use earth::{CancelToken, Config, Counters, Machine, Policy};
use earth_console::work::Progress;
use earth_fft::{Counts, PlanRun, Planner, Precision, Problem, Shape, TransformError, magnitude, verified};
use earth_kernels::{Direction, Verified};
use earth_report::facts::Facts;
use earth_report::numbers::gflops;
use earth_report::spread::Spread;
use num_complex::Complex;

use picture::Picture;
use plan::{RowPlan, plans};
use report::{Row, Side, SubjectInfo, UnitTimes};

pub(crate) use report::Equal;

pub use report::Report;
pub use subject::Subject;

/// Pairs of timed runs per row.
const PAIRS: usize = 11;

/// Seed that chooses the values of a spectrum to verify by the definition of the DFT.
const SEED: u64 = 17;

/// Error of a comparison.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// A program failed.
    #[error(transparent)]
    Transform(#[from] TransformError),
    /// A program computed a wrong spectrum.
    #[error("a spectrum is wrong: its relative error is {:.1e}, and rounding explains at most {:.1e}", .0.relative_error(), .0.bound)]
    Wrong(Verified),
}

/// Environment in which rows are measured.
#[derive(Debug)]
pub struct Bench {
    /// Planner that knows the programs. The papers' programs are compared, and any others registered with it.
    pub planner: Planner,
    /// Number of usable cores.
    pub cores: usize,
    /// Policy of the machines of both configurations.
    pub policy: Policy,
    /// Token that cancels all runs.
    pub cancel: CancelToken,
}

/// Program on a machine, for a subject of a given shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    /// Shape of the subject.
    pub shape: Shape,
    /// Name of the program.
    pub algorithm: &'static str,
    /// Points per block; `None` lets the program choose.
    pub block: Option<usize>,
    /// Configuration of the machine.
    pub config: Config,
    /// Number of nodes of the machine.
    pub nodes: usize,
}

impl Run {
    fn plan<T: Precision>(&self, planner: &Planner) -> Result<earth_fft::Plan<T>, TransformError> {
        let [nodes, block] = [Some(self.nodes), self.block].map(|number| number.and_then(NonZeroUsize::new));
        let planner = planner.clone().algorithm(self.algorithm).nodes(nodes);
        let planner = block.map_or(Ok(planner.clone()), |block| planner.block(block))?;
        Ok(planner.plan(&Problem::complex(&self.shape.lengths()))?)
    }
}

/// Result of a transform: spectrum, time in seconds, and counts.
struct Ran<T> {
    spectrum: Vec<Complex<T>>,
    seconds: f64,
    counters: Counters,
    counts: Counts,
}

impl Bench {
    /// Lists the programs for a shape that are registered with the planner and are not this project's.
    fn others<T: Precision>(&self, shape: Shape) -> Vec<&'static str> {
        let own = earth_papers::planner();
        let is_own = |name: &str| own.solvers().any(|solver| solver.name() == name);
        let plans = |algorithm: &'static str| {
            Run { shape, algorithm, block: None, config: Config::Spn, nodes: 1 }
                .plan::<T>(&self.planner)
                .is_ok()
        };
        let names = self.planner.solvers().map(|solver| solver.name());
        names.filter(|name| !is_own(name)).filter(|name| plans(name)).collect()
    }

    /// Runs the fastest side of the first subject's rows again under a trace, and returns it with the trace.
    /// Returns `None` if no row was finished.
    ///
    /// # Errors
    ///
    /// Returns the program's errors.
    pub fn trace_fastest<T: Precision>(
        &self,
        report: &Report,
        subject: &Subject<T>,
    ) -> Result<Option<(Run, Records)>, TransformError> {
        let rows = report.rows.iter().filter(|row| row.subject == 0);
        let sides = rows.flat_map(|row| row.sides().map(|(config, side)| (row, config, side)));
        let fastest = sides.min_by(|(.., a), (.., b)| a.seconds.median.total_cmp(&b.seconds.median));
        let Some((row, config, side)) = fastest else { return Ok(None) };
        let (shape, nodes) = (subject.shape, side.nodes);
        let run = Run { shape, algorithm: row.algorithm, block: row.block, config, nodes };
        let done = self.run(run, &run.plan(&self.planner)?, subject, true)?;
        Ok(Some((run, done.records.unwrap_or_default())))
    }

    /// Runs a program twice on a new machine, and returns the second run: the first one finds threads and
    /// memory cold.
    fn run<T: Precision>(
        &self,
        run: Run,
        plan: &earth_fft::Plan<T>,
        subject: &Subject<T>,
        traced: bool,
    ) -> Result<PlanRun<T>, TransformError> {
        let mut machine = self.machine(run).trace(traced);
        plan.run_on(&mut machine, subject.samples.clone())?;
        plan.run_on(&mut machine, subject.samples.clone())
    }

    fn machine(&self, run: Run) -> Machine {
        let machine = Machine::threads(run.nodes).config(run.config).policy(self.policy);
        machine.cancel_token(self.cancel.clone())
    }

    /// Measures the rows of all subjects, one pair of runs at a time, until `progress` reports that the time
    /// is over.
    ///
    /// # Errors
    ///
    /// Returns the error of a program, or [`CompareError::Wrong`] for a wrong spectrum.
    pub fn compare<T: Precision>(
        &self,
        subjects: &[Subject<T>],
        progress: &impl Progress,
    ) -> Result<Report, CompareError> {
        // The two sides of a row run in turn; each side is planned once.
        let mut planned: Vec<(Run, earth_fft::Plan<T>)> = Vec::new();
        self.compared(subjects, progress, &mut |run, subject| {
            let found = planned.iter().position(|(side, _)| *side == run);
            let at = if let Some(at) = found {
                at
            } else {
                planned.truncate(1);
                planned.insert(0, (run, run.plan(&self.planner)?));
                0
            };
            let plan = &planned[at].1;
            let (run, counts) = (self.run(run, plan, subject, false)?, plan.counts());
            let (spectrum, seconds) = (run.output.into_vec(), run.phases.total().as_secs_f64());
            Ok(Ran { spectrum, seconds, counters: run.counters, counts })
        })
    }

    /// Measures the rows with any `transform`.
    fn compared<T: Precision>(
        &self,
        subjects: &[Subject<T>],
        progress: &impl Progress,
        transform: &mut impl FnMut(Run, &Subject<T>) -> Result<Ran<T>, TransformError>,
    ) -> Result<Report, CompareError> {
        let shapes: Vec<_> = subjects.iter().map(|subject| subject.shape).collect();
        let (plans, rows_too_large) = plans(&shapes, self.cores, |shape| self.others::<T>(shape));
        progress.begin((plans.len() * PAIRS) as u64);
        let mut abouts: Vec<_> = subjects
            .iter()
            .map(|Subject { name, unit, given, shape, .. }| {
                SubjectInfo::of(name.clone(), *given, *shape, T::NAME, unit)
            })
            .collect();
        let mut rows = Vec::new();
        for plan in &plans {
            let (subject, about) = (&subjects[plan.subject], &mut abouts[plan.subject]);
            let Some(row) = measure(*plan, subject, about, progress, transform)? else { break };
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
}

/// Measures one row, and describes its subject from the spectrum. Returns `None` if the time is over.
fn measure<T: Precision>(
    plan: RowPlan,
    subject: &Subject<T>,
    about: &mut SubjectInfo,
    progress: &impl Progress,
    transform: &mut impl FnMut(Run, &Subject<T>) -> Result<Ran<T>, TransformError>,
) -> Result<Option<Row>, CompareError> {
    let RowPlan { equal, algorithm, block, .. } = plan;
    let side = |config, nodes| Run { shape: subject.shape, algorithm, block, config, nodes };
    let run = [side(Config::Spn, plan.spn_nodes), side(Config::Dual, plan.dual_nodes)];

    let mut verified_error = 0.0_f64;
    let mut runs: [Vec<Ran<T>>; 2] = Default::default();
    for (run, runs) in run.into_iter().zip(&mut runs) {
        if progress.is_over() {
            return Ok(None);
        }
        let ran = transform(run, subject)?;
        let verified =
            verified(&subject.shape.lengths(), &subject.samples, &ran.spectrum, Direction::Forward, SEED);
        let error = verified.relative_error();
        // An error of NaN comes from samples that are not finite; it does not show a wrong spectrum.
        if error > verified.bound {
            return Err(CompareError::Wrong(verified));
        }
        verified_error = if error > verified_error || error.is_nan() { error } else { verified_error };
        if matches!(subject.shape, Shape::Line(_)) && about.picture.is_none() {
            describe(about, &ran.spectrum);
        }
        runs.push(Ran { spectrum: Vec::new(), ..ran });
    }
    for _ in 0..PAIRS {
        for (run, runs) in run.into_iter().zip(&mut runs) {
            if progress.is_over() {
                return Ok(None);
            }
            runs.push(Ran { spectrum: Vec::new(), ..transform(run, subject)? });
        }
        progress.done(1);
    }
    let [spn_times, dual_times] = runs.each_ref().map(|runs| times(runs));
    let ratio = Spread::of_ratios(&dual_times, &spn_times);
    let points = subject.samples.len();
    let [spn, dual] = [0, 1].map(|of| side_of(run[of].nodes, 1 + of, points, &runs[of]));
    Ok(Some(Row { subject: plan.subject, algorithm, equal, block, spn, dual, ratio, verified_error }))
}

/// Records properties of the spectrum of a series.
fn describe<T: Precision>(about: &mut SubjectInfo, spectrum: &[Complex<T>]) {
    about.picture = Picture::of(spectrum);
    about.strongest_period = about.picture.as_ref().map(|picture| picture.period);
    let scale = 2.0 / about.samples as f64;
    let amplitude = |&value: &Complex<T>| scale * magnitude(value);
    about.amplitudes = spectrum.iter().skip(1).take(spectrum.len() / 2).map(amplitude).collect();
}

/// Returns the times of all runs except the first one, which is not timed.
fn times<T>(runs: &[Ran<T>]) -> Vec<f64> {
    runs[1..].iter().map(|run| run.seconds).collect()
}

/// Summarizes one side of a row. Counts are equal in all runs and are taken from the first one.
fn side_of<T>(nodes: usize, threads_a_node: usize, points: usize, runs: &[Ran<T>]) -> Side {
    let (seconds, timed) = (Spread::of(times(runs)), &runs[1..]);
    let mean = |part: fn(&Counters) -> Duration| {
        timed.iter().map(|run| part(&run.counters)).sum::<Duration>().as_secs_f64() / timed.len() as f64
    };
    let units = UnitTimes {
        eu_busy: mean(|of| of.eu_busy),
        eu_idle: mean(|of| of.eu_idle),
        su_busy: mean(|of| of.su_busy),
        su_idle: mean(|of| of.su_idle),
    };
    let Ran { counts, counters, .. } = &runs[0];
    let Counters { fibers, tokens, invokes, signals, bytes_moved, .. } = *counters;
    Side {
        nodes,
        threads: nodes * threads_a_node,
        seconds,
        gflops: gflops(points, seconds.median),
        units,
        paper_tokens: counts.requests,
        half_butterflies: counts.half_butterflies,
        counters: [fibers, tokens, invokes, signals, bytes_moved],
    }
}

#[cfg(test)]
#[path = "compare/compare_tests.rs"]
mod tests;
