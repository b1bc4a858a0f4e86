//! SPN against DUAL: is it better to give a node one thread or two?
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
//! It ends within a minute on a usual computer: what is too large is cut ([`subject`], [`plan`]), and when the time is
//! over, the rows that are not finished are left out, and their number is told.

mod document;
mod figures;
mod plan;
mod report;
mod subject;

use std::num::NonZeroUsize;

use earth::Policy;
use earth::records::Records;
use earth_fft::request::{
    Algorithm, Config, Counters, Outcome, ProgramError, Programs, Request, Use, gflops,
};
use earth_fft::{Precision, Shape, magnitude, verified};
use earth_kernels::{Direction, Verified};
use num_complex::Complex;

use crate::facts::Facts;
use crate::picture::Picture;
use crate::progress::Progress;
use plan::{Plan, plans};
use report::{About, Row, Side, Spread};

pub use report::Report;
pub use subject::Subject;

/// Pairs of timed runs a row.
const PAIRS: usize = 11;

/// Chooses the values that are summed by the definition when a spectrum is verified.
const SEED: u64 = 17;

/// Why there is no comparison.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// A program gave no spectrum.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A program gave a wrong spectrum.
    #[error("a spectrum is wrong: its relative error is {:.1e} where at most {:.1e} is rounding", .0.relative_error(), .0.bound)]
    Wrong(Verified),
}

/// What rows are measured with.
#[derive(Debug)]
pub struct Bench<'a, P> {
    /// The programs.
    pub programs: &'a P,
    /// The cores that may be used.
    pub cores: usize,
    /// The policy of the machines of both configurations.
    pub policy: Policy,
}

impl<P: Programs> Bench<'_, P> {
    /// The fastest side of the first subject's rows, run again under a trace; with a request that says which. Nothing if
    /// no row was finished.
    ///
    /// # Errors
    ///
    /// The program's.
    pub fn trace_fastest<T: Precision>(
        &self,
        report: &Report,
        subject: &Subject<T>,
    ) -> Result<Option<(Request, Records)>, ProgramError> {
        let rows = report.rows.iter().filter(|row| row.subject == 0);
        let sides = rows.flat_map(|row| row.sides().map(|(config, side)| (row, config, side)));
        let fastest = sides.min_by(|(.., a), (.., b)| a.seconds.median.total_cmp(&b.seconds.median));
        let Some((row, config, side)) = fastest else { return Ok(None) };
        let request = self.request(subject, row.algorithm, row.block, config, side.nodes);
        // As for the timed runs: the first one finds threads and memory cold.
        self.programs.traced(&request, subject.samples.clone())?;
        let (_, records) = self.programs.traced(&request, subject.samples.clone())?;
        Ok(Some((request, records)))
    }

    fn request<T>(
        &self,
        subject: &Subject<T>,
        algorithm: Algorithm,
        block: Option<usize>,
        config: Config,
        nodes: usize,
    ) -> Request {
        Request {
            shape: subject.shape,
            algorithm,
            config,
            policy: self.policy,
            nodes: NonZeroUsize::new(nodes),
            block: block.and_then(NonZeroUsize::new),
            groups: None,
            inverse: false,
        }
    }

    /// Measures the rows of all subjects, a pair of runs at a time, until `progress` says that the time is over.
    ///
    /// # Errors
    ///
    /// A program's, or a spectrum that is wrong.
    pub fn compare<T: Precision>(
        &self,
        subjects: &[Subject<T>],
        progress: &impl Progress,
    ) -> Result<Report, CompareError> {
        let shapes: Vec<_> = subjects.iter().map(|subject| subject.shape).collect();
        let (plans, rows_too_large) = plans(&shapes, self.cores);
        progress.begin((plans.len() * PAIRS) as u64);
        let mut abouts: Vec<_> = subjects
            .iter()
            .map(|Subject { name, unit, given, shape, .. }| {
                About::of(name.clone(), *given, *shape, T::NAME, unit)
            })
            .collect();
        let mut rows = Vec::new();
        for plan in &plans {
            let (subject, about) = (&subjects[plan.subject], &mut abouts[plan.subject]);
            let Some(row) = self.measure(*plan, subject, about, progress)? else { break };
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
        progress: &impl Progress,
    ) -> Result<Option<Row>, CompareError> {
        let Plan { equal, algorithm, block, .. } = plan;
        let request = |config, nodes| self.request(subject, algorithm, block, config, nodes);
        let requests = [request(Config::Spn, plan.spn_nodes), request(Config::Dual, plan.dual_nodes)];

        let mut verified_error = 0.0_f64;
        let [mut spn, mut dual] = [None, None];
        for (request, side) in requests.iter().zip([&mut spn, &mut dual]) {
            if progress.is_over() {
                return Ok(None);
            }
            request.check().map_err(ProgramError::from)?;
            let outcome = self.programs.transform(request, subject.samples.clone())?;
            let verified =
                verified(subject.shape, &subject.samples, &outcome.spectrum, Direction::Forward, SEED);
            let error = verified.relative_error();
            // NaN, of samples that are not finite, proves nothing.
            if error > verified.bound {
                return Err(CompareError::Wrong(verified));
            }
            verified_error = if error > verified_error || error.is_nan() { error } else { verified_error };
            if matches!(subject.shape, Shape::Line(_)) && about.picture.is_none() {
                describe(about, &outcome.spectrum);
            }
            *side = Some(Timed::of(&outcome));
        }
        let (Some(mut spn), Some(mut dual)) = (spn, dual) else { unreachable!("two requests, two sides") };

        for _ in 0..PAIRS {
            for (request, side) in requests.iter().zip([&mut spn, &mut dual]) {
                if progress.is_over() {
                    return Ok(None);
                }
                self.programs.transform(request, subject.samples.clone())?;
                side.note(&self.programs.transform(request, subject.samples.clone())?);
            }
            progress.done(1);
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
