//! Who transforms: a plan of ours, or a peer's.
//!
//! Everybody is planned for one thread and for all that may be used, as far as the two differ, and takes part with the
//! faster plan, as a few trials find it.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use earth_fft::kernel::{Kernel, KernelError};
use earth_fft::{Layout, Operations, Precision, Problem, RealToComplexPlan};
use earth_fftw::{Arrays, Effort, Kind, Library, LibraryWhole, WholeProblem};
use earth_report::spread::Spread;

use super::cases::Case;
use super::known::{KnownPlans, Planning};
use super::points::{Expected, Form, Points};
use super::report::Counted;
use super::scipy::Scipy;
use super::{BenchFftError, SPINNING};

/// The trials of a plan, whose median counts: what some of them gain by chance the rounds need not gain.
const TRIALS: usize = 5;

/// Somebody who transforms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Who {
    /// This project with its own kernels or with rustfft, or a library on its own threads.
    Kernel(Kernel),
    /// `SciPy`, in a process of Python.
    Scipy,
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
    /// The library, if it is one.
    pub(super) fn load(&self) -> Result<Option<Library>, KernelError> {
        match self {
            Self::Kernel(kernel) => kernel.load(),
            Self::Scipy => Ok(None),
        }
    }

    /// The name in tables.
    pub(super) fn name(&self) -> Result<&'static str, BenchFftError> {
        Ok(match self {
            Self::Kernel(Kernel::Earth) => "earth",
            Self::Kernel(kernel) => kernel.load()?.map_or("rustfft", |library| library.name()),
            Self::Scipy => "scipy",
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
        let one = self.plan(case, 1, terms, points, known)?;
        let median = one.median(case, points, expected)?;
        if terms.threads == 1 || case.class.is_by_one_thread() {
            return Ok(one);
        }
        let all = self.plan(case, terms.threads, terms, points, known)?;
        // A plan may take one thread whatever it may take.
        let is_better = all.threads != one.threads && all.median(case, points, expected)? < median;
        Ok(if is_better { all } else { one })
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
        let begun = Instant::now();
        let Self::Kernel(kernel) = self else {
            let plan = Plan::Scipy(Scipy::begin(points, threads)?);
            let way = format!("by {threads} threads of a process of Python");
            return Ok(Contestant { plan, name, threads, way, planning: Planning::since(begun) });
        };
        if let Some(library) = kernel.load()? {
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
        let planner = earth_papers::planner().kernel(kernel.clone()).nodes(NonZeroUsize::new(threads));
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
        Ok(Contestant { plan, name, threads: nodes.unwrap_or(1), way, planning: Planning::since(begun) })
    }
}

impl<T: Precision> Contestant<T> {
    /// Transforms so many times.
    fn run(&self, arrays: Arrays<'_, T>, times: usize) -> Result<(), BenchFftError> {
        let mut times = 0..times;
        match (&self.plan, arrays) {
            (Plan::Scipy(scipy), arrays) => scipy.transform(arrays)?,
            (Plan::Library(plan), arrays) => plan.transform(arrays, times.len())?,
            (Plan::Own(plan), Arrays::InPlace(points)) => times.try_for_each(|_| plan.process(points))?,
            (Plan::Own(plan), Arrays::Between(input, output)) => {
                times.try_for_each(|_| plan.process_out_of_place(input, output))?;
            }
            (Plan::Real(plan), Arrays::RealInPlace(data)) => {
                times.try_for_each(|_| plan.process_padded(data))?;
            }
            (Plan::Real(plan), Arrays::RealBetween(input, output)) => {
                times.try_for_each(|_| plan.process(input, output))?;
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

    /// The median of some trials, after it has transformed noise to what is expected.
    fn median(&self, case: &Case, points: &mut Points<T>, expected: &Expected) -> Result<f64, BenchFftError> {
        self.check(case, points, expected)?;
        let trials = (0..TRIALS).map(|_| self.seconds(points, 1)).collect::<Result<Vec<_>, _>>()?;
        self.rest();
        Ok(Spread::of(trials).median)
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
