//! Contestants: plans of this project and of peers.
//!
//! Each contestant is planned for one thread and for all allowed threads, if these differ. It takes part with
//! the faster plan, as found by a few trials.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use earth_fft::kernel::{Kernel, KernelError};
use earth_fft::{
    ComplexToRealPlan, Direction, Layout, Norm, Operations, Precision, Problem, RealToComplexPlan,
};
use earth_fftw::{Arrays, Effort, Kind, Library, LibraryWhole, WholeProblem};
use earth_report::spread::Spread;

use super::cases::Case;
use super::known::{PlanStore, Planning};
use super::points::{Expected, Form, Job, Points};
use super::report::Counted;
use super::scipy::Scipy;
use super::{BenchFftError, SPINNING, WARM_UP};
use crate::bench_fft::instructions::Instructions;

/// Trials of a plan in a turn. Their median counts, so that a lucky trial does not decide.
const TRIALS: usize = 3;

/// Turns of both plans. The better turn of each counts, so that a change of the processor's speed between
/// turns does not decide.
const TURNS: usize = 2;

/// Seconds of transforms in a trial, or a single one.
const TRIAL: f64 = 2e-3;

/// Maker of plans.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Who {
    /// This project with its own kernels or with rustfft, or a library on its own threads.
    Kernel(Kernel),
    /// `SciPy`, in a process of Python.
    Scipy,
}

/// Plan that takes part.
pub(super) struct Contestant<T: Precision> {
    plan: Plan<T>,
    pub(super) name: &'static str,
    pub(super) threads: usize,
    /// Description of the plan.
    pub(super) way: String,
    pub(super) planning: Planning,
}

enum Plan<T: Precision> {
    Own(Box<earth_fft::Plan<T>>),
    Real(Box<RealToComplexPlan<T>>),
    ToReal(Box<ComplexToRealPlan<T>>),
    Library(LibraryWhole<T>),
    /// A filter: to the spectrum and back.
    Filter(Box<[Self; 2]>),
    Scipy(Scipy),
}

/// Conditions of a plan.
#[derive(Clone, Copy)]
pub(super) struct Terms {
    pub(super) form: Form,
    /// Largest number of threads.
    pub(super) threads: usize,
    /// Whether our planner chooses the number of nodes.
    pub(super) is_free: bool,
    /// Effort of a library's planner, and its time limit for one plan.
    pub(super) effort: Effort,
    pub(super) limit: Option<Duration>,
}

impl Who {
    /// Loads the library, if it is one.
    pub(super) fn load(&self) -> Result<Option<Library>, KernelError> {
        match self {
            Self::Kernel(kernel) => kernel.load(),
            Self::Scipy => Ok(None),
        }
    }

    /// Returns the name in tables.
    pub(super) fn name(&self) -> Result<&'static str, BenchFftError> {
        Ok(match self {
            Self::Kernel(Kernel::Earth) => "earth",
            Self::Kernel(kernel) => kernel.load()?.map_or("rustfft", |library| library.name()),
            Self::Scipy => "scipy",
        })
    }

    /// Checks that a library has no wider instructions than `isa`.
    pub(crate) fn check_instructions(&self, isa: Option<Instructions>) -> Result<(), BenchFftError> {
        let Some((isa, library)) = isa.zip(self.load()?) else { return Ok(()) };
        let version = library.describe().version.unwrap_or_default();
        match isa.exceeded_by(&version) {
            Some(set) => Err(BenchFftError::Instructions { name: library.name(), set: set.to_owned() }),
            None => Ok(()),
        }
    }

    /// Returns the name on the command line.
    pub(super) fn word(&self) -> String {
        match self {
            Self::Kernel(kernel) => kernel.to_string(),
            Self::Scipy => "scipy".to_owned(),
        }
    }

    /// Returns the faster of the plans for one thread and for all.
    pub(super) fn best<T: Precision>(
        &self,
        case: &Case,
        terms: Terms,
        points: &mut Points<T>,
        expected: &Expected,
        known: &mut PlanStore,
    ) -> Result<Contestant<T>, BenchFftError> {
        let one = self.plan(case, 1, terms, points, known)?;
        one.check(case, points, expected)?;
        if terms.threads == 1 || case.class.is_by_one_thread() {
            return Ok(one);
        }
        let all = self.plan(case, terms.threads, terms, points, known)?;
        // A plan may use one thread even if it may use more.
        if all.threads == one.threads {
            return Ok(one);
        }
        all.check(case, points, expected)?;
        let mut least = [f64::INFINITY; 2];
        for _ in 0..TURNS {
            for (least, contestant) in least.iter_mut().zip([&one, &all]) {
                *least = least.min(contestant.median(points)?);
            }
        }
        Ok(if least[1] < least[0] { all } else { one })
    }

    /// Plans for a number of threads.
    pub(super) fn plan<T: Precision>(
        &self,
        case: &Case,
        threads: usize,
        terms: Terms,
        points: &Points<T>,
        known: &mut PlanStore,
    ) -> Result<Contestant<T>, BenchFftError> {
        let Self::Kernel(kernel) = self else {
            let begun = Instant::now();
            let (name, plan) = (self.name()?, Plan::Scipy(Scipy::begin(points, threads)?));
            let way = format!("by {threads} threads of a process of Python");
            return Ok(Contestant { plan, name, threads, way, planning: Planning::since(begun) });
        };
        let distance = points.distance();
        let mut plan = |kind| self.plan_kind(kernel, kind, case, (threads, distance, terms), known);
        if case.class.is_filter() {
            return Ok(plan(Kind::RealToComplex)?.and_back(plan(Kind::ComplexToReal)?));
        }
        plan(if terms.form.real { Kind::RealToComplex } else { Kind::Complex(Direction::Forward) })
    }

    /// Plans one transform by a kernel, for a number of threads and a distance of rows of points.
    fn plan_kind<T: Precision>(
        &self,
        kernel: &Kernel,
        kind: Kind,
        case: &Case,
        (threads, distance, Terms { form, is_free, effort, limit, .. }): (usize, usize, Terms),
        known: &mut PlanStore,
    ) -> Result<Contestant<T>, BenchFftError> {
        let name = self.name()?;
        let begun = Instant::now();
        if let Some(library) = kernel.load()? {
            let rows = [case.batch, case.lengths[0]];
            let problem = WholeProblem::new(if case.batch > 1 { &rows } else { &case.lengths });
            let problem = WholeProblem {
                distance,
                separate_rows: case.batch > 1,
                in_place: form.in_place,
                threads,
                effort,
                limit,
                ..problem.of(kind)
            };
            let (plan, planning) = known.plan::<T>(&library, problem)?;
            let way = format!("by {threads} threads of the library's own");
            return Ok(Contestant { plan: Plan::Library(plan), name, threads, way, planning });
        }
        let nodes = NonZeroUsize::new(threads).filter(|_| !is_free);
        let planner = earth_papers::planner().kernel(kernel.clone()).nodes(nodes);
        let (lengths, batch) = (&case.lengths, case.batch);
        let (plan, nodes, way) = match kind {
            Kind::RealToComplex => {
                let problem = Problem::real_to_complex(lengths).batch(batch);
                let problem = if form.in_place { problem.padded() } else { problem };
                let plan = planner.plan_real_to_complex::<T>(&problem)?;
                let (nodes, way) = (plan.nodes(), plan.to_string());
                (Plan::Real(Box::new(plan)), nodes, way)
            }
            Kind::ComplexToReal => {
                // Without a factor, as libraries do.
                let problem = Problem::complex_to_real(lengths).batch(batch).norm(Norm::Forward);
                let problem = if form.in_place { problem.padded() } else { problem };
                let plan = planner.plan_complex_to_real::<T>(&problem)?;
                let (nodes, way) = (plan.nodes(), plan.to_string());
                (Plan::ToReal(Box::new(plan)), nodes, way)
            }
            Kind::Complex(direction) => {
                let problem = Problem::complex(lengths).direction(direction).batch(batch);
                let problem = if distance == case.sides()[1] {
                    problem
                } else {
                    problem.layout(Layout::rows(lengths, distance))
                };
                let plan = planner.plan::<T>(&problem)?;
                let (nodes, way) = (plan.nodes(), plan.to_string());
                (Plan::Own(Box::new(plan)), nodes, way)
            }
        };
        Ok(Contestant { plan, name, threads: nodes.unwrap_or(1), way, planning: Planning::since(begun) })
    }
}

impl<T: Precision> Plan<T> {
    /// Transforms `times` times.
    fn transform(&self, arrays: Arrays<'_, T>, times: usize) -> Result<(), BenchFftError> {
        let mut times = 0..times;
        match (self, arrays) {
            (Self::Scipy(scipy), arrays) => scipy.transform(arrays)?,
            (Self::Library(plan), arrays) => plan.transform(arrays, times.len())?,
            (Self::Own(plan), Arrays::InPlace(points)) => times.try_for_each(|_| plan.process(points))?,
            (Self::Own(plan), Arrays::OutOfPlace(input, output)) => {
                times.try_for_each(|_| plan.process_out_of_place(input, output))?;
            }
            (Self::Real(plan), Arrays::RealInPlace(data)) => {
                times.try_for_each(|_| plan.process_padded(data))?;
            }
            (Self::Real(plan), Arrays::RealOutOfPlace(input, output)) => {
                times.try_for_each(|_| plan.process(input, output))?;
            }
            (Self::ToReal(plan), Arrays::SpectrumInPlace(data)) => {
                times.try_for_each(|_| plan.process_padded(data))?;
            }
            (Self::ToReal(plan), Arrays::SpectrumOutOfPlace(input, output)) => {
                times.try_for_each(|_| plan.process(input, output))?;
            }
            _ => unreachable!("plans are made for the arrays that are there"),
        }
        Ok(())
    }

    /// Whether a library's threads run it.
    fn is_by_library(&self) -> bool {
        match self {
            Self::Library(_) => true,
            Self::Filter(plans) => plans.iter().any(Self::is_by_library),
            Self::Own(_) | Self::Real(_) | Self::ToReal(_) | Self::Scipy(_) => false,
        }
    }

    /// Returns the operations and the traffic of one call.
    fn counted(&self) -> Option<Counted> {
        let (operations, bytes) = match self {
            Self::Own(plan) => (plan.operations(), plan.traffic()),
            Self::Real(plan) => (plan.operations(), plan.traffic()),
            Self::ToReal(plan) => (plan.operations(), plan.traffic()),
            Self::Filter(plans) => return Some(plans[0].counted()?.and(plans[1].counted()?)),
            Self::Library(_) | Self::Scipy(_) => return None,
        };
        let Operations { arithmetic: computed, moved, shuffled } = operations?;
        Some(Counted { computed, moved, shuffled, bytes: bytes? })
    }
}

impl<T: Precision> Contestant<T> {
    /// Returns the filter whose second transform is `back`.
    fn and_back(self, back: Self) -> Self {
        Self {
            plan: Plan::Filter(Box::new([self.plan, back.plan])),
            name: self.name,
            threads: self.threads.max(back.threads),
            way: format!("{}\n{}", self.way, back.way),
            planning: self.planning.and(back.planning),
        }
    }

    /// Transforms or filters `times` times.
    pub(super) fn run(&self, job: Job<'_, T>, times: usize) -> Result<(), BenchFftError> {
        match (&self.plan, job) {
            (plan, Job::Transform(arrays)) => plan.transform(arrays, times),
            (Plan::Filter(plans), Job::Filter(mut arrays)) => (0..times).try_for_each(|_| {
                plans[0].transform(arrays.there(), 1)?;
                arrays.multiply();
                plans[1].transform(arrays.back(), 1)
            }),
            (Plan::Scipy(scipy), Job::Filter(arrays)) => {
                Ok(scipy.transform(Arrays::RealInPlace(arrays.numbers))?)
            }
            (_, Job::Filter(_)) => unreachable!("a filter has two plans, or a process"),
        }
    }

    /// Returns the average seconds of one of `times` transforms. Each timed sequence follows an untimed
    /// transform, so that caches are warm. With several threads untimed transforms take [`WARM_UP`] before
    /// that, so that the system has given each thread a core.
    pub(super) fn seconds(&self, points: &mut Points<T>, times: usize) -> Result<f64, BenchFftError> {
        if let Plan::Scipy(scipy) = &self.plan {
            scipy.seconds(1)?;
            return Ok(scipy.seconds(times)? / times as f64);
        }
        let begun = Instant::now();
        while self.threads > 1 && begun.elapsed() < WARM_UP {
            self.run_untimed(points)?;
        }
        let (mut left, mut seconds) = (times, 0.0);
        while left > 0 {
            self.run_untimed(points)?;
            let now = points.ready(left);
            let job = points.job(now);
            let begun = Instant::now();
            self.run(job, now)?;
            seconds += begun.elapsed().as_secs_f64();
            left -= now;
        }
        Ok(seconds / times as f64)
    }

    fn run_untimed(&self, points: &mut Points<T>) -> Result<(), BenchFftError> {
        points.ready(1);
        self.run(points.job(1), 1)
    }

    /// Returns the operations and the traffic of one call by our plan.
    pub(super) fn counted(&self) -> Option<Counted> {
        self.plan.counted()
    }

    /// Waits until a library's spinning threads have parked.
    pub(super) fn rest(&self) {
        if self.threads > 1 && self.plan.is_by_library() {
            std::thread::sleep(SPINNING);
        }
    }

    /// Returns the median of some trials.
    fn median(&self, points: &mut Points<T>) -> Result<f64, BenchFftError> {
        let times = ((TRIAL / self.seconds(points, 1)?) as usize).max(1);
        let trials = (0..TRIALS).map(|_| self.seconds(points, times)).collect::<Result<Vec<_>, _>>()?;
        self.rest();
        Ok(Spread::of(trials).median)
    }

    /// Checks that it transforms noise to the expected result.
    fn check(&self, case: &Case, points: &mut Points<T>, expected: &Expected) -> Result<(), BenchFftError> {
        points.noise();
        self.run(points.job(1), 1)?;
        self.verify(case, points, expected)
    }

    /// Checks the result of a transform of noise.
    pub(super) fn verify(
        &self,
        case: &Case,
        points: &mut Points<T>,
        expected: &Expected,
    ) -> Result<(), BenchFftError> {
        match points.wrong(expected) {
            None => Ok(()),
            Some(error) => Err(BenchFftError::Wrong { who: self.name, case: case.to_string(), error }),
        }
    }
}
