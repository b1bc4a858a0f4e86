//! Comparison of this project's plans with MKL and FFTW: the time of a transform, against the better of the
//! two.
//!
//! 1. Peers are loaded at run time ([`Bench::peers`]). Every contestant is planned for a size, in place or
//!    from one array to another, for the same memory, by the number of threads that is fastest for it
//!    ([`contestant`]). FFTW measures while it plans, once for all runs with the same [`PlanStore`].
//! 2. Every contestant transforms noise. Some of its values are checked against the definition, and its
//!    energy against the input's ([`points`]).
//! 3. In each of at least 11 rounds every contestant runs once, ours twice, in an order that rotates. A run
//!    is as many transforms as take about [`SAMPLE`] seconds, or a single one. Untimed transforms precede it,
//!    with several threads for [`WARM_UP`].
//! 4. The ratio is the better peer's time over ours, by rounds. Its upper quartile must not be below the
//!    target of the [class]. Ours against itself is the null band ([`earth_report::spread`]).
//!
//! The class `cold` has a fresh process for each time ([`first`]). A call of the classes `filters` and
//! `convolutions` has two transforms and a product ([`points`]).
//!
//! `SciPy` takes part if it is named, in a process of its own ([`scipy`]), which shows what Python adds to a
//! call.
//!
//! *Cost.* Mostly the planning of FFTW for large sizes, then the rounds.
//!
//! *When it misleads.* On a shared computer the ratios of rounds spread. All threads of all peers are in one
//! process. The program therefore waits for libraries whose threads spin before the next contestant begins.

pub(crate) mod cases;
mod class;
mod contestant;
mod document;
mod first;
mod known;
mod points;
mod report;
mod roof;
mod scipy;

use std::num::NonZeroUsize;
use std::time::Duration;

use earth_console::work::Progress;
use earth_fft::kernel::{Kernel, KernelError, own_simd};
use earth_fft::{PlanError, Precision, Problem, TransformError, memory};
use earth_fftw::{Effort, LibraryError};
use earth_report::facts::{Facts, usable_cores};
use earth_report::spread::Spread;

use cases::Case;
use contestant::{Contestant, Terms};
use points::Points;
use report::{Entry, LeftOut, Peer, Row, SCHEMA, summaries};
use roof::Roof;

use super::instructions::Instructions;
pub(crate) use contestant::Who;
pub(crate) use document::documented;
pub(crate) use first::Question;
pub(crate) use known::PlanStore;
pub(crate) use points::Form;
pub(crate) use report::Report;
pub(crate) use scipy::ScipyError;

/// Time that the threads of a library may spin after a transform.
pub(crate) const SPINNING: Duration = Duration::from_millis(250);

/// Time of untimed transforms before a run with several threads. The system may leave a thread that wakes on
/// the core of the thread that woke it, for some milliseconds.
pub(crate) const WARM_UP: Duration = Duration::from_millis(20);

/// Least number of rounds of a row.
pub(crate) const ROUNDS: usize = 11;

/// Time of a run of several transforms, in seconds.
const SAMPLE: f64 = 0.01;

/// Reason why there is no comparison.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchFftError {
    /// This project has no such plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A transform of this project failed.
    #[error(transparent)]
    Transform(#[from] TransformError),
    /// A library cannot be used.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// A library has wider instructions than the contestants may use.
    #[error("{name} has {set} instructions; --peer takes the path of a build without them")]
    Instructions {
        /// Name of the library.
        name: &'static str,
        /// The instructions.
        set: String,
    },
    /// A library makes no plan, or its plan refuses the arrays.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// `SciPy` cannot be used.
    #[error(transparent)]
    Scipy(#[from] ScipyError),
    /// A contestant's transform is wrong.
    #[error("{who} transforms {case} points wrongly: a relative error of {error:.1e}")]
    Wrong { who: &'static str, case: String, error: f64 },
    /// A fresh process made no first call.
    #[error("a first call by {who} failed: {why}")]
    First {
        /// Name of the contestant.
        who: String,
        /// Reason.
        why: String,
    },
    /// The arrays do not fit in memory.
    #[error("there is not enough memory for {case} points")]
    NoMemory { case: String },
}

/// Settings of a measurement.
#[derive(Clone, Debug)]
pub(crate) struct Bench {
    /// Peers.
    pub(crate) peers: Vec<Who>,
    /// Messages about libraries that were not found, a sentence each.
    pub(crate) missing: Vec<String>,
    /// Kind and layout of the arrays.
    pub(crate) form: Form,
    /// Largest number of threads.
    pub(crate) threads: usize,
    /// Rounds a row: an odd number, so that one of them is the median.
    pub(crate) rounds: usize,
    /// Time limit of a library's planner for one plan.
    pub(crate) limit: Duration,
}

impl Bench {
    /// Returns MKL and FFTW where they are found, have the precision and no wider instructions than `isa`, or
    /// rustfft if there is none. `SciPy` takes part in first calls. Also returns a sentence for each
    /// missing library.
    pub(crate) fn found<T: Precision>(isa: Option<Instructions>, cases: &[Case]) -> (Vec<Who>, Vec<String>) {
        let (mut peers, mut missing) = (Vec::new(), Vec::new());
        for (kernel, hint) in [
            (Kernel::Mkl, "pip's package mkl has libmkl_rt, and so has Intel's oneAPI"),
            (
                Kernel::Fftw,
                "Debian's packages libfftw3-double3 and libfftw3-single3 have it, and --peer takes a path",
            ),
        ] {
            let has_precision = kernel.load().map(|library| {
                library.is_some_and(|library| {
                    library.describe().precisions.iter().any(|half| half.precision == T::NAME)
                })
            });
            match has_precision {
                Ok(true) => {
                    let peer = Who::Kernel(kernel);
                    match peer.check_instructions(isa) {
                        Ok(()) => peers.push(peer),
                        Err(why) => missing.push(why.to_string()),
                    }
                }
                Ok(false) => missing.push(format!("{kernel} has no {} here: {hint}", T::NAME)),
                Err(_) => missing.push(format!("{kernel} was not found: {hint}")),
            }
        }
        if cases.iter().any(|case| case.class.is_cold()) {
            match scipy::version() {
                Ok(_) => peers.push(Who::Scipy),
                Err(why) => missing.push(why.to_string()),
            }
        }
        if peers.is_empty() {
            peers.push(Who::Kernel(Kernel::RustFft));
        }
        (peers, missing)
    }

    /// Measures cases in turn, until `progress` reports that the time is over. Cases that do not fit into
    /// memory are left out. Libraries use the `known` plans, and add what they learn.
    pub(crate) fn run<T: Precision>(
        &self,
        cases: &[Case],
        known: &mut PlanStore,
        progress: &impl Progress,
    ) -> Result<Report, BenchFftError> {
        // A number of nodes beyond any machine's is refused before any measurement.
        earth_papers::planner().nodes(NonZeroUsize::new(self.threads)).plan::<T>(&Problem::complex(&[2]))?;
        let peers = self.peers.iter().map(Peer::of::<T>).collect::<Result<Vec<_>, _>>()?;
        for library in self.peers.iter().map(Who::load).filter_map(Result::transpose) {
            known.teach::<T>(&library?)?;
        }
        let ours = Who::Kernel(Kernel::Earth);
        let contestants: Vec<_> = std::iter::once(&ours).chain(&self.peers).collect();
        progress.begin((cases.len() * self.rounds) as u64);
        let (mut rows, mut left_out) = (Vec::new(), Vec::new());
        for case in cases {
            let mut leave = |because: &str| {
                left_out.push(LeftOut { size: case.to_string(), because: because.to_owned() });
                progress.done(self.rounds as u64);
            };
            if progress.is_over() {
                leave("the time was over");
                continue;
            }
            // A library needs as much memory again for planning.
            if memory::is_there(Points::<T>::bytes(case, self.form).saturating_mul(2)).is_err() {
                leave("there is not enough memory");
                continue;
            }
            rows.extend(if case.class.is_cold() {
                self.first_row::<T>(case, &contestants, || progress.done(1))?
            } else {
                self.row::<T>(case, &contestants, known, progress)?
            });
        }
        let Form { real, in_place, gap, large_pages } = self.form;
        Ok(Report {
            schema: SCHEMA,
            machine: Facts::found(),
            precision: T::NAME.to_owned(),
            real,
            in_place,
            gap,
            large_pages,
            threads: self.threads,
            rounds: self.rounds,
            plan_seconds: self.limit.as_secs_f64(),
            peers,
            missing: self.missing.clone(),
            roof: if rows.is_empty() {
                Roof::default()
            } else {
                Roof::measured::<T>(self.threads.min(usable_cores()))
            },
            classes: summaries(&rows, own_simd()),
            rows,
            left_out,
        })
    }

    fn row<T: Precision>(
        &self,
        case: &Case,
        contestants: &[&Who],
        known: &mut PlanStore,
        progress: &impl Progress,
    ) -> Result<Option<Row>, BenchFftError> {
        let terms = Terms {
            form: self.form,
            threads: self.threads,
            is_free: false,
            effort: Effort::Measure,
            limit: Some(self.limit),
        };
        let mut points = Points::<T>::new(case, terms.form)?;
        let expected = points.expected();
        let best = |who: &&Who| who.best(case, terms, &mut points, &expected, known);
        let contestants = contestants.iter().map(best).collect::<Result<Vec<_>, _>>()?;
        let number = |contestant: &Contestant<T>| {
            let number = number(contestant, &mut points);
            contestant.rest();
            number
        };
        let numbers = contestants.iter().map(number).collect::<Result<Vec<_>, _>>()?;
        // Ours, each peer, and ours again.
        let entries = contestants.len() + 1;
        let mut seconds = vec![Vec::with_capacity(self.rounds); entries];
        for round in 0..self.rounds {
            for at in (0..entries).map(|entry| (entry + round) % entries) {
                let who = at % contestants.len();
                let contestant = &contestants[who];
                seconds[at].push(contestant.seconds(&mut points, numbers[who])?);
                contestant.rest();
            }
            progress.done(1);
        }
        let again = seconds.pop().unwrap_or_default();
        let entry = |(contestant, seconds): (&Contestant<T>, &Vec<f64>)| Entry {
            name: contestant.name.to_owned(),
            threads: contestant.threads,
            way: contestant.way.clone(),
            seconds: Spread::of(seconds.clone()),
            gflops: 0.0,
            counted: contestant.counted(),
            planning_seconds: contestant.planning.seconds,
            planning_cut_short: contestant.planning.cut_short,
            planned_earlier: contestant.planning.earlier,
        };
        let entries = contestants.iter().zip(&seconds).map(entry).collect();
        Ok(Row::of(case, (self.form.real, own_simd()), entries, [&seconds[0], &again], &seconds[1..]))
    }
}

/// Returns the number of transforms that take the contestant about [`SAMPLE`] seconds.
fn number<T: Precision>(contestant: &Contestant<T>, points: &mut Points<T>) -> Result<usize, BenchFftError> {
    let mut times = 1;
    loop {
        let seconds = contestant.seconds(points, times)?;
        // Most clocks cannot resolve such short times; if they report 0, the number ends the loop.
        if seconds * times as f64 >= SAMPLE / 8.0 || times >= 1 << 24 {
            return Ok((SAMPLE / seconds.max(1e-9)).ceil() as usize);
        }
        times *= 4;
    }
}

impl Peer {
    fn of<T: Precision>(who: &Who) -> Result<Self, BenchFftError> {
        let name = who.name()?.to_owned();
        if *who == Who::Scipy {
            return Ok(Self { name, version: Some(scipy::version()?), path: None });
        }
        let described = who.load()?.map(|library| library.describe());
        let path = described.as_ref().and_then(|library| {
            let half = library.precisions.iter().find(|half| half.precision == T::NAME)?;
            Some(half.path.display().to_string())
        });
        Ok(Self { name, version: described.and_then(|library| library.version), path })
    }
}

#[cfg(test)]
#[path = "peers/peers_tests.rs"]
mod tests;
