//! Measurement of a study's steps: PFFT-LB with all groupings, all methods in turn, and the further
//! experiments.
//!
//! *A round* runs each competitor twice and times the second run, because the first one finds its threads and
//! its tables cold. Rounds repeat until all means are reliable ([`repeat`](crate::pfft::measure::repeat)).
//! Each run transforms a fresh copy of the same matrix; copying is not timed.
//!
//! *Library threads.* A library's threads may keep spinning after a transform, as OpenMP's do for 0.2 s, on
//! cores that our programs need. Our programs wait until the spinning is over. At most one machine exists at
//! a time.
//!
//! *Memory.* The matrix twice, and the additional memory of a program (a copy of rows with padded leading
//! dimension). Measuring speed functions takes additional rows for each group.
//!
//! *Large matrices*, beyond [`LARGE`]: the matrix is in memory once, and each run gets it from the generator
//! of its points. Two such arrays are the most that a run needs, 8.6 GB for N = 16384. A round runs each
//! competitor once, there are fewer rounds, and results are checked by some values and by their energy.

mod checks;
mod further;
mod turns;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

use earth::{CancelToken, Config, Machine};
use earth_fft::kernel::Kernel;
use earth_fft::{PlanError, Planner, Precision, Problem, memory};
use earth_fftw::{Effort, WholeProblem};
use earth_papers::groups::{Pad, Partition, Speeds};
use earth_papers::partition::{Grouping, groupings};
use earth_papers::{Grouped, Groups, Shares};
use num_complex::Complex;

use super::bench::{Bench, BenchError};
use super::rows::further::{Efforts, Lengths, Transposes};
use super::rows::{Conditions, GroupingTime, Method, Methods, Published, Sampled};
use super::{speeds, transposes};
use crate::pfft::measure::Reliability;
use crate::pfft::measure::speeds::Subject;
use crate::signals::noise;
use turns::{Ours, Runner, shares, timed};

/// Repetitions of a mean before the first check, as in the paper: of methods, and of points of speed
/// functions.
const LEAST: u32 = 10;
const LEAST_OF_SPEEDS: u32 = 10;

/// Greatest N whose matrix is kept in memory beside the one that is transformed.
const LARGE: usize = 5_000;

/// Repetitions of a mean of a large matrix before the first check.
const LEAST_OF_LARGE: u32 = 4;

/// Bench on real cores, with points of the precision `T`.
#[derive(Debug)]
pub struct MatrixBench<T: Precision> {
    conditions: Conditions,
    effort: Effort,
    machine: Machine,
    /// Greatest N whose matrix is kept, [`LARGE`] except in tests.
    large: usize,
    /// N of the last matrix.
    n: usize,
    /// Matrix of the last N; empty if it is large.
    matrix: Vec<Complex<T>>,
    /// Memory in which the matrix is transformed.
    work: Vec<Complex<T>>,
    /// Time at which the threads of a library stop spinning.
    at_rest: Option<Instant>,
}

impl<T: Precision> MatrixBench<T> {
    /// Creates a bench on the cores of `conditions`: one core per node, or two cores per node with two
    /// threads.
    ///
    /// # Errors
    ///
    /// Returns an error if a machine may not have that many nodes.
    pub fn new(
        conditions: Conditions,
        config: Config,
        effort: Effort,
        cancel: CancelToken,
    ) -> Result<Self, PlanError> {
        let nodes = match config {
            Config::Spn => conditions.cores,
            Config::Dual => (conditions.cores / 2).max(1),
        };
        let most = Machine::MOST_NODES;
        if nodes > most {
            return Err(PlanError::NoSuchMachine { nodes, most });
        }
        let machine = Machine::threads(nodes).config(config).cancel_token(cancel);
        let (matrix, work) = (Vec::new(), Vec::new());
        Ok(Self { conditions, effort, machine, large: LARGE, n: 0, matrix, work, at_rest: None })
    }

    /// Makes the matrix of `n` x `n`, unless it exists or is large.
    fn prepare(&mut self, n: usize) -> Result<(), BenchError> {
        let points = n.checked_mul(n).ok_or(PlanError::TooManySamples)?;
        if self.n == n {
            return Ok(());
        }
        (self.n, self.matrix, self.work) = (0, Vec::new(), Vec::new());
        // The matrix, the memory in which it is transformed, and one copy; a large matrix and one copy.
        let arrays = if n > self.large { 2 } else { 3 };
        let needed = (points as u64).saturating_mul(arrays * size_of::<Complex<T>>() as u64);
        memory::is_there(needed)?;
        if n <= self.large {
            self.matrix = noise(points);
        }
        self.n = n;
        Ok(())
    }

    fn is_large(&self) -> bool {
        self.n > self.large
    }

    fn reliability(&self) -> Reliability {
        let most = self.conditions.repetitions;
        let least = if self.is_large() { LEAST_OF_LARGE } else { LEAST };
        let seconds = self.conditions.point_seconds;
        Reliability { least: least.min(most), most, seconds, ..Reliability::default() }
    }

    /// Returns the limits for the mean of a point of a speed function; there are many points.
    fn reliability_of_speeds(&self) -> Reliability {
        let seconds = self.conditions.speed_seconds / 4.0;
        let least = if self.is_large() { LEAST_OF_LARGE } else { LEAST_OF_SPEEDS };
        Reliability { least: least.min(self.conditions.repetitions), seconds, ..self.reliability() }
    }

    /// Plans our program.
    fn ours(planner: Planner, n: usize) -> Result<Ours<T>, PlanError> {
        Ok(Ours { plan: planner.plan(&Problem::complex(&[n, n]))?, planner })
    }

    fn planner(&self, kernel: &Kernel) -> Planner {
        earth_papers::planner().kernel(kernel.clone()).effort(self.effort)
    }

    /// Returns the planner of PFFT-LB.
    fn balanced(&self, kernel: &Kernel, grouping: Grouping, barrier: bool) -> Planner {
        let [groups, threads] = [grouping.groups, grouping.threads].map(NonZeroUsize::new);
        self.planner(kernel).with(Grouped::new().groups(Groups {
            groups,
            threads,
            barrier,
            ..Groups::default()
        }))
    }

    /// Returns the problem that a library solves.
    fn theirs(&self, n: usize) -> WholeProblem {
        WholeProblem { threads: self.conditions.cores, effort: self.effort, ..WholeProblem::new(&[n, n]) }
    }

    /// Returns whether a kernel is a library whose own transform runs on all cores.
    fn is_threaded(&self, kernel: &Kernel) -> Result<bool, BenchError> {
        let cores = self.conditions.cores;
        Ok(kernel.load()?.is_some_and(|library| {
            let halves = library.describe().precisions;
            halves.iter().any(|half| half.precision == T::NAME && (cores == 1 || half.threads.is_ok()))
        }))
    }

    /// Returns our program with one group of all nodes.
    fn one(&self, kernel: &Kernel, n: usize) -> Result<Runner<T>, BenchError> {
        let one = Grouping { groups: 1, threads: self.machine.node_count() };
        Ok(Runner::Ours(Box::new(Self::ours(self.balanced(kernel, one, false), n)?)))
    }

    /// Returns the baseline with one group: the library's own threads, or our program.
    fn basic(&self, kernel: &Kernel, n: usize) -> Result<Runner<T>, BenchError> {
        if self.is_threaded(kernel)? {
            return Ok(Runner::Theirs(kernel.plan_whole(self.theirs(n))?));
        }
        self.one(kernel, n)
    }

    /// Returns the methods that need groups, and records their speed functions in `row`.
    fn grouped(
        &mut self,
        kernel: &Kernel,
        n: usize,
        grouping: Grouping,
        row: &mut Methods,
    ) -> Result<Vec<(Method, Runner<T>)>, BenchError> {
        let balanced = Self::ours(self.balanced(kernel, grouping, false), n)?;
        let subject = |pad| Subject {
            grouping,
            kernel: kernel.clone(),
            effort: self.effort,
            pad,
            planning: self.conditions.planning,
        };
        let subjects = [Pad::None, Pad::Stride, Pad::Chirp].map(subject);
        let (reliability, seconds) = (self.reliability_of_speeds(), self.conditions.speed_seconds);
        self.rest();
        if self.is_large() {
            // Speed functions take rows of their own.
            self.work = Vec::new();
        }
        let mut models = Vec::new();
        for subject in &subjects {
            let (machine, sampled) = (&mut self.machine, &mut row.speeds);
            models.push(speeds::around::<T>(machine, subject, n, reliability, seconds, sampled)?);
        }
        let own: Speeds = models[..1].to_vec().into();
        let lb = shares(&balanced.plan);
        let fpm = self.decided(kernel, n, grouping, (Pad::None, own), &lb, &mut row.notes)?;
        let by_fpm = shares(&fpm.plan);
        let all = models.clone().into();
        let pad = self.decided(kernel, n, grouping, (Pad::Auto, all), &by_fpm, &mut row.notes)?;
        let barrier = Self::ours(self.balanced(kernel, grouping, true), n)?;
        let again = Self::ours(self.balanced(kernel, grouping, false), n)?;
        let mut ours = vec![
            (Method::Lb, balanced),
            (Method::LbAgain, again),
            (Method::LbBarrier, barrier),
            (Method::Fpm, fpm),
            (Method::FpmPad, pad),
        ];
        if self.conditions.as_published {
            let most = by_fpm.distribution[0].iter().copied().max().unwrap_or(n);
            let mut own = models.swap_remove(0);
            let (machine, sampled) = (&mut self.machine, &mut row.speeds);
            speeds::longer::<T>(machine, &subjects[0], n, most, reliability, &mut own, sampled)?;
            let own: Speeds = Arc::from(vec![own]);
            let filled = self.decided(kernel, n, grouping, (Pad::Spectrum, own), &by_fpm, &mut row.notes)?;
            ours.push((Method::Published, filled));
        }
        Ok(ours.into_iter().map(|(method, ours)| (method, Runner::Ours(Box::new(ours)))).collect())
    }

    /// Plans PFFT-FPM with this padding. Falls back to `otherwise`, with a note, if the measurements do not
    /// suffice for a decision.
    fn decided(
        &self,
        kernel: &Kernel,
        n: usize,
        grouping: Grouping,
        (pad, speeds): (Pad, Speeds),
        otherwise: &Shares,
        notes: &mut Vec<String>,
    ) -> Result<Ours<T>, BenchError> {
        let [groups, threads] = [grouping.groups, grouping.threads].map(NonZeroUsize::new);
        let groups = Groups { groups, threads, partition: Partition::Fpm, pad, barrier: false, speeds };
        match Self::ours(self.planner(kernel).with(Grouped::new().groups(groups)), n) {
            Ok(ours) => {
                notes.extend_from_slice(ours.plan.notes());
                Ok(ours)
            }
            Err(PlanError::Refused(refused)) => match refused.downcast_ref() {
                Some(earth_papers::Error::Unmeasured(why)) => {
                    notes.push(format!("with the padding '{pad}' nothing was decided: {why}"));
                    Ok(Self::ours(self.planner(kernel).with(Grouped::new().shares(otherwise.clone())), n)?)
                }
                _ => Err(PlanError::Refused(refused).into()),
            },
            Err(other) => Err(other.into()),
        }
    }
}

impl<T: Precision> Bench for MatrixBench<T> {
    fn groupings(&self) -> Vec<Grouping> {
        groupings(self.machine.node_count()).collect()
    }

    fn version(&self, kernel: &Kernel) -> Result<Option<String>, BenchError> {
        Ok(kernel.load()?.and_then(|library| library.describe().version))
    }

    fn ways(&mut self, kernel: &Kernel, n: usize) -> Result<Vec<GroupingTime>, BenchError> {
        self.prepare(n)?;
        let groupings = self.groupings();
        let ours = groupings.iter().map(|&way| Self::ours(self.balanced(kernel, way, false), n));
        let runners = ours.map(|ours| Ok(Runner::Ours(Box::new(ours?))));
        let mut runners = runners.collect::<Result<Vec<_>, BenchError>>()?;
        let times = self.in_turn(kernel, &mut runners.iter_mut().collect::<Vec<_>>(), 1)?;
        let way = |(Grouping { groups, threads }, time)| GroupingTime { groups, threads, time };
        Ok(groupings.into_iter().zip(times).map(way).collect())
    }

    fn methods(&mut self, kernel: &Kernel, n: usize, grouping: Grouping) -> Result<Methods, BenchError> {
        self.prepare(n)?;
        let Grouping { groups, threads } = grouping;
        let (kernel_name, version) = (kernel.to_string(), self.version(kernel)?);
        let mut row = Methods {
            kernel: kernel_name,
            version,
            n,
            groups,
            threads,
            methods: Vec::new(),
            speeds: Vec::<Sampled>::new(),
            notes: Vec::new(),
            took: 0.0,
        };
        let mut runners = vec![(Method::Basic, self.basic(kernel, n)?)];
        if groups > 1 {
            if matches!(runners[0].1, Runner::Theirs(_)) {
                runners.push((Method::One, self.one(kernel, n)?));
            }
            runners.extend(self.grouped(kernel, n, grouping, &mut row)?);
        }
        row.notes.dedup();
        let mut errors = Vec::new();
        for (method, runner) in &mut runners {
            errors.push(if *method == Method::Published {
                self.run(runner, kernel)?;
                self.error().0
            } else {
                self.checked(runner, kernel, || format!("{method} with {kernel}"))?
            });
        }
        let times =
            self.in_turn(kernel, &mut runners.iter_mut().map(|(_, runner)| runner).collect::<Vec<_>>(), 2)?;
        let (first, second) = times.split_at(runners.len());
        let times = first.iter().zip(second).map(|(&time, &again)| [time, again]);
        for (((method, runner), times), error) in runners.into_iter().zip(times).zip(errors) {
            row.methods.push(timed(method, runner, times, error));
        }
        Ok(row)
    }

    fn published(&mut self) -> Result<Published, BenchError> {
        const N: usize = 48;
        const FILLED: usize = 64;
        self.prepare(N)?;
        let nodes = Grouping { groups: self.machine.node_count(), threads: 1 };
        let kernel = Kernel::RustFft;
        let balanced = Self::ours(self.balanced(&kernel, nodes, false), N)?;
        let filled = Shares { spectrum: Some([FILLED; 2]), ..shares(&balanced.plan) };
        let filled = Self::ours(self.planner(&kernel).with(Grouped::new().shares(filled)), N)?;
        self.run(&mut Runner::Ours(Box::new(filled)), &kernel)?;
        let (error, bound) = self.error();
        Ok(Published { n: N, filled: FILLED, error, bound })
    }

    fn has_efforts(&self, kernel: &Kernel) -> Result<bool, BenchError> {
        // MKL plans in one way.
        let plans = kernel.load()?.is_some_and(|library| library.name() != "mkl");
        Ok(plans && self.is_threaded(kernel)?)
    }

    fn efforts(&mut self, kernel: &Kernel, n: usize) -> Result<Efforts, BenchError> {
        self.by_efforts(kernel, n)
    }

    fn lengths(&mut self, kernel: &Kernel) -> Result<Lengths, BenchError> {
        self.of_lengths(kernel)
    }

    fn transposes(&mut self, n: usize) -> Result<Transposes, BenchError> {
        self.rest();
        self.prepare(n)?;
        let reliability = self.reliability();
        let mut work = self.fresh();
        let measured = transposes::measured(&mut work, n, reliability);
        self.work = work;
        measured
    }
}

#[cfg(test)]
#[path = "matrices_tests.rs"]
mod tests;
