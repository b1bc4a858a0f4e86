//! Who transforms: a plan of ours, or a peer's.
//!
//! Everybody is planned for one thread and for all that may be used, as far as the two differ, and takes part with the
//! faster plan, as a few trials find it.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use earth_fft::kernel::{Kernel, KernelError};
use earth_fft::{Layout, Operations, Precision, Problem, RealToComplexPlan};
use earth_fftw::{Effort, Kind, Library, LibraryWhole, WholeProblem};
use earth_report::spread::Spread;

use super::cases::Case;
use super::known::{KnownPlans, Planning};
use super::points::{Arrays, Expected, Form, Points};
use super::report::Counted;
use super::scipy::Scipy;
use super::{BenchFftError, SPINNING};

/// The trials of a plan, whose median counts: what some of them gain by chance the rounds need not gain.
const TRIALS: usize = 5;

/// Somebody to be planned for a case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Who {
    /// This project, with its own kernels.
    Earth,
    /// A peer.
    Peer(Rival),
}

/// A peer to compare with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rival {
    /// A library on its own threads, or rustfft as the row kernel of this project's passes.
    Kernel(Kernel),
    /// `SciPy`, in a process of Python.
    Scipy,
}

impl Rival {
    /// The library, if it is one.
    pub(super) fn load(&self) -> Result<Option<Library>, KernelError> {
        match self {
            Self::Kernel(kernel) => kernel.load(),
            Self::Scipy => Ok(None),
        }
    }
}

/// A plan that takes part.
pub(super) struct Contestant<T: Precision> {
    plan: Plan<T>,
    pub(super) name: &'static str,
    pub(super) threads: usize,
    /// The plan in words.
    pub(super) way: String,
    pub(super) planning: Planning,
}

enum Plan<T: Precision> {
    Own(Box<earth_fft::Plan<T>>),
    Real(Box<RealToComplexPlan<T>>),
    Library(LibraryWhole<T>),
    Scipy(Scipy),
}

/// What plans are made for.
#[derive(Clone, Copy)]
pub(super) struct Terms {
    pub(super) form: Form,
    /// The threads that may be used.
    pub(super) threads: usize,
    /// What a library's planner may take for one plan.
    pub(super) limit: Duration,
}

impl Who {
    /// The name in tables.
    pub(super) fn name(&self) -> Result<&'static str, BenchFftError> {
        Ok(match self {
            Self::Earth => "earth",
            Self::Peer(Rival::Scipy) => "scipy",
            Self::Peer(rival) => rival.load()?.map_or("rustfft", |library| library.name()),
        })
    }

    /// The faster of the plans for one thread and for all.
    pub(super) fn best<T: Precision>(
        &self,
        case: &Case,
        terms: Terms,
        points: &mut Points<T>,
        expected: &Expected,
        known: &mut KnownPlans,
    ) -> Result<Contestant<T>, BenchFftError> {
        let most = if case.class.is_by_one_thread() { 1 } else { terms.threads };
        let mut best: Option<(f64, Contestant<T>)> = None;
        for threads in if most > 1 { vec![1, most] } else { vec![1] } {
            let contestant = self.plan(case, threads, terms, points, known)?;
            if best.as_ref().is_some_and(|(_, best)| best.threads == contestant.threads) {
                // It takes one thread whatever it may take.
                continue;
            }
            contestant.check(case, points, expected)?;
            let trials = (0..TRIALS).map(|_| contestant.seconds(points, 1)).collect::<Result<Vec<_>, _>>()?;
            contestant.rest();
            let median = Spread::of(trials).median;
            if best.as_ref().is_none_or(|(fastest, _)| median < *fastest) {
                best = Some((median, contestant));
            }
        }
        best.map(|(_, contestant)| contestant).ok_or(BenchFftError::NoThreads)
    }

    fn plan<T: Precision>(
        &self,
        case: &Case,
        threads: usize,
        Terms { form, limit, .. }: Terms,
        points: &Points<T>,
        known: &mut KnownPlans,
    ) -> Result<Contestant<T>, BenchFftError> {
        let (name, distance) = (self.name()?, points.distance());
        let library = match self {
            Self::Peer(rival) => rival.load()?,
            Self::Earth => None,
        };
        if *self == Self::Peer(Rival::Scipy) {
            let (begun, plan) = (Instant::now(), Plan::Scipy(Scipy::begin(points, threads)?));
            let planning =
                Planning { seconds: begun.elapsed().as_secs_f64(), cut_short: false, earlier: false };
            let way = format!("by {threads} threads of a process of Python");
            return Ok(Contestant { plan, name, threads, way, planning });
        }
        if let Some(library) = library {
            let problem = WholeProblem::new(&case.lengths);
            let problem = WholeProblem {
                distance,
                in_place: form.in_place,
                threads,
                effort: Effort::Measure,
                limit: Some(limit),
                ..if form.real { problem.of(Kind::RealToComplex) } else { problem }
            };
            let (plan, planning) = known.plan::<T>(&library, problem)?;
            let way = format!("by {threads} threads of the library's own");
            return Ok(Contestant { plan: Plan::Library(plan), name, threads, way, planning });
        }
        let kernel = if *self == Self::Earth { Kernel::Earth } else { Kernel::RustFft };
        let begun = Instant::now();
        let planner = earth_papers::planner().kernel(kernel).nodes(NonZeroUsize::new(threads));
        let (plan, nodes, way) = if form.real {
            let problem = Problem::real_to_complex(&case.lengths);
            let problem = if form.in_place { problem.padded() } else { problem };
            let plan = planner.plan_real_to_complex::<T>(&problem)?;
            let (nodes, way) = (plan.nodes(), plan.to_string());
            (Plan::Real(Box::new(plan)), nodes, way)
        } else {
            let problem = Problem::complex(&case.lengths);
            let problem = if distance == case.sides()[1] {
                problem
            } else {
                problem.layout(Layout::rows(&case.lengths, distance))
            };
            let plan = planner.plan::<T>(&problem)?;
            let (nodes, way) = (plan.nodes(), plan.to_string());
            (Plan::Own(Box::new(plan)), nodes, way)
        };
        let planning = Planning { seconds: begun.elapsed().as_secs_f64(), cut_short: false, earlier: false };
        let threads = nodes.unwrap_or(1);
        Ok(Contestant { plan, name, threads, way, planning })
    }
}

impl<T: Precision> Contestant<T> {
    /// Transforms so many times.
    fn run(&self, arrays: Arrays<'_, T>, times: usize) -> Result<(), BenchFftError> {
        let theirs = |plan: &LibraryWhole<T>, arrays| plan.transform(arrays, times);
        match (&self.plan, arrays) {
            (Plan::Scipy(scipy), arrays) => scipy.transform(arrays)?,
            (Plan::Library(plan), Arrays::InPlace(points)) => {
                theirs(plan, earth_fftw::Arrays::InPlace(points))?;
            }
            (Plan::Library(plan), Arrays::Between(input, output)) => {
                theirs(plan, earth_fftw::Arrays::Between(input, output))?;
            }
            (Plan::Library(plan), Arrays::RealInPlace(data)) => {
                theirs(plan, earth_fftw::Arrays::RealInPlace(data))?;
            }
            (Plan::Library(plan), Arrays::RealBetween(input, output)) => {
                theirs(plan, earth_fftw::Arrays::RealBetween(input, output))?;
            }
            (Plan::Own(plan), Arrays::InPlace(points)) => {
                for _ in 0..times {
                    plan.process(points)?;
                }
            }
            (Plan::Own(plan), Arrays::Between(input, output)) => {
                for _ in 0..times {
                    plan.process_out_of_place(input, output)?;
                }
            }
            (Plan::Real(plan), Arrays::RealInPlace(data)) => {
                for _ in 0..times {
                    plan.process_padded(data)?;
                }
            }
            (Plan::Real(plan), Arrays::RealBetween(input, output)) => {
                for _ in 0..times {
                    plan.process(input, output)?;
                }
            }
            _ => unreachable!("plans are made for the arrays that are there"),
        }
        Ok(())
    }

    /// The seconds of one of so many transforms, on average. Each stretch of them comes right after one that is not
    /// timed, so that threads and caches are warm.
    pub(super) fn seconds(&self, points: &mut Points<T>, times: usize) -> Result<f64, BenchFftError> {
        if let Plan::Scipy(scipy) = &self.plan {
            scipy.seconds(1)?;
            return Ok(scipy.seconds(times)? / times as f64);
        }
        let (mut left, mut seconds) = (times, 0.0);
        while left > 0 {
            points.ready(1);
            self.run(points.arrays(1), 1)?;
            let now = points.ready(left);
            let arrays = points.arrays(now);
            let begun = Instant::now();
            self.run(arrays, now)?;
            seconds += begun.elapsed().as_secs_f64();
            left -= now;
        }
        Ok(seconds / times as f64)
    }

    /// What our plan does in a transform.
    pub(super) fn counted(&self) -> Option<Counted> {
        let (operations, bytes) = match &self.plan {
            Plan::Own(plan) => (plan.operations(), plan.traffic()),
            Plan::Real(plan) => (plan.operations(), plan.traffic()),
            Plan::Library(_) | Plan::Scipy(_) => return None,
        };
        let Operations { arithmetic: computed, moved, shuffled } = operations?;
        Some(Counted { computed, moved, shuffled, bytes: bytes? })
    }

    /// Waits until threads that a library leaves spinning are at rest.
    pub(super) fn rest(&self) {
        if self.threads > 1 && matches!(self.plan, Plan::Library(_)) {
            std::thread::sleep(SPINNING);
        }
    }

    /// Whether it transforms noise to what is expected.
    fn check(&self, case: &Case, points: &mut Points<T>, expected: &Expected) -> Result<(), BenchFftError> {
        points.noise();
        self.run(points.arrays(1), 1)?;
        match points.wrong(expected) {
            None => Ok(()),
            Some(error) => Err(BenchFftError::Wrong { who: self.name, case: case.to_string(), error }),
        }
    }
}
