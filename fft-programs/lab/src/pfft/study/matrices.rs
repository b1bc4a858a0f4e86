//! Measurement of a study's steps: PFFT-LB with all groupings, and all methods in turn.
//!
//! *A round* runs each competitor twice and times the second run, because the first one finds its threads and
//! its tables cold. Rounds repeat until all means are reliable ([`repeat`]). Each run transforms a fresh copy
//! of the same matrix; copying is not timed.
//!
//! *Library threads.* A library's threads may keep spinning after a transform, as OpenMP's do for 0.2 s, on
//! cores that our programs need. Our programs wait until the spinning is over. At most one machine exists at
//! a time.
//!
//! *Memory.* The matrix twice, and the additional memory of a program (a copy of rows with padded leading
//! dimension). Measuring speed functions takes additional rows for each group.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use earth::{CancelToken, Config, Machine};
use earth_fft::kernel::Kernel;
use earth_fft::{Plan, PlanError, Planner, Precision, Problem, memory};
use earth_fftw::{Arrays, Effort, LibraryWhole, WholeProblem};
use earth_kernels::{Direction, verify};
use earth_papers::groups::{Pad, Partition, Speeds};
use earth_papers::partition::{Grouping, Point, groupings};
use earth_papers::{Grouped, Groups, Shares};
use earth_rustfft::RustFft;
use num_complex::Complex;

use super::bench::{Bench, BenchError};
use super::rows::{Conditions, GroupingTime, Method, Methods, Published, Sampled, Timed};
use super::speeds;
use crate::pfft::measure::speeds::Subject;
use crate::pfft::measure::{Reliability, repeat};
use crate::signals::noise;

/// Longest time that a library's threads may spin after a transform.
const SPINNING: Duration = Duration::from_millis(250);

/// Repetitions of a mean before the first check, as in the paper: of methods, and of points of speed
/// functions.
const LEAST: u32 = 10;
const LEAST_OF_SPEEDS: u32 = 10;

/// Seed that chooses the values of a result to verify by the definition of the DFT.
const SEED: u64 = 17;

/// Bench on real cores, with points of the precision `T`.
#[derive(Debug)]
pub struct MatrixBench<T: Precision> {
    conditions: Conditions,
    effort: Effort,
    machine: Machine,
    /// Matrix of the last N.
    matrix: Vec<Complex<T>>,
    /// Memory in which the matrix is transformed.
    work: Vec<Complex<T>>,
    /// Time at which the threads of a library stop spinning.
    at_rest: Option<Instant>,
}

/// Transform that runs in turn with others.
enum Runner<T: Precision> {
    Ours(Box<Ours<T>>),
    Theirs(LibraryWhole<T>),
}

/// Plan of ours, and the planner that plans it again where planning is part of the time.
struct Ours<T: Precision> {
    planner: Planner,
    plan: Plan<T>,
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
        Ok(Self { conditions, effort, machine, matrix: Vec::new(), work: Vec::new(), at_rest: None })
    }

    /// Makes the matrix of `n` x `n`, unless it exists.
    fn prepare(&mut self, n: usize) -> Result<(), BenchError> {
        let points = n.checked_mul(n).ok_or(PlanError::TooManySamples)?;
        if self.matrix.len() == points {
            return Ok(());
        }
        (self.matrix, self.work) = (Vec::new(), Vec::new());
        // The matrix, the memory in which it is transformed, and one copy.
        let needed = (points as u64).saturating_mul(3 * size_of::<Complex<T>>() as u64);
        memory::is_there(needed)?;
        self.matrix = noise(points);
        Ok(())
    }

    fn reliability(&self) -> Reliability {
        let most = self.conditions.repetitions;
        let seconds = self.conditions.point_seconds;
        Reliability { least: LEAST.min(most), most, seconds, ..Reliability::default() }
    }

    /// Returns the limits for the mean of a point of a speed function; there are many points.
    fn reliability_of_speeds(&self) -> Reliability {
        let seconds = self.conditions.speed_seconds / 4.0;
        Reliability { least: LEAST_OF_SPEEDS.min(self.conditions.repetitions), seconds, ..self.reliability() }
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

    /// Returns the baseline with one group: the library's own threads, or our program.
    fn basic(&self, kernel: &Kernel, n: usize) -> Result<Runner<T>, BenchError> {
        let cores = self.conditions.cores;
        let threaded = kernel.load()?.is_some_and(|library| {
            let halves = library.describe().precisions;
            halves.iter().any(|half| half.precision == T::NAME && (cores == 1 || half.threads.is_ok()))
        });
        if threaded {
            return Ok(Runner::Theirs(kernel.plan_whole(self.theirs(n))?));
        }
        let one = Grouping { groups: 1, threads: self.machine.node_count() };
        Ok(Runner::Ours(Box::new(Self::ours(self.balanced(kernel, one, false), n)?)))
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
        let mut ours = vec![
            (Method::Lb, balanced),
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

    /// Waits until the threads of a library stop spinning.
    fn rest(&mut self) {
        if let Some(time) = self.at_rest.take() {
            thread::sleep(time.saturating_duration_since(Instant::now()));
        }
    }

    /// Runs once and returns the seconds; the result is in `work`.
    fn run(&mut self, runner: &mut Runner<T>, kernel: &Kernel) -> Result<f64, BenchError> {
        let mut data = std::mem::take(&mut self.work);
        data.clear();
        data.extend_from_slice(&self.matrix);
        match runner {
            Runner::Ours(ours) => {
                self.rest();
                let start = Instant::now();
                if self.conditions.planning {
                    ours.plan = ours.planner.plan(ours.plan.problem())?;
                }
                let planning = if self.conditions.planning { start.elapsed() } else { Duration::ZERO };
                let run = ours.plan.run_on(&mut self.machine, data)?;
                self.work = run.output.into_vec();
                Ok((run.phases.total() + planning).as_secs_f64())
            }
            Runner::Theirs(plan) => {
                let start = Instant::now();
                if self.conditions.planning {
                    *plan = kernel.plan_whole(plan.problem())?;
                }
                plan.transform(Arrays::InPlace(&mut data), 1)?;
                let took = start.elapsed();
                self.work = data;
                self.at_rest = (plan.name() == "mkl").then(|| Instant::now() + SPINNING);
                Ok(took.as_secs_f64())
            }
        }
    }

    /// Runs all in turn, `turns` times per round, until the means are reliable. Returns the means of the
    /// first turns, then the means of the second turns.
    fn in_turn(
        &mut self,
        kernel: &Kernel,
        runners: &mut [&mut Runner<T>],
        turns: usize,
    ) -> Result<Vec<Point>, BenchError> {
        let number = runners.len();
        let measured = repeat(self.reliability(), turns * number, |times| {
            for turn in times.chunks_mut(number) {
                for (runner, time) in runners.iter_mut().zip(turn) {
                    self.run(runner, kernel)?;
                    *time = self.run(runner, kernel)?;
                }
            }
            Ok::<(), BenchError>(())
        })?;
        Ok(measured.points)
    }

    /// Returns the error of the last result, which is in `work`, and its bound.
    fn error(&self, n: usize) -> (f64, f64) {
        let verified = verify(&[n, n], &self.matrix, &self.work, Direction::Forward, SEED, RustFft::new);
        (verified.relative_error(), verified.bound)
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
            runners.extend(self.grouped(kernel, n, grouping, &mut row)?);
        }
        row.notes.dedup();
        let mut errors = Vec::new();
        for (method, runner) in &mut runners {
            self.run(runner, kernel)?;
            let (error, bound) = self.error(n);
            if *method != Method::Published && (error.is_nan() || error > bound) {
                let what = format!("{method} with {kernel}");
                return Err(BenchError::Wrong { what, n, error, bound });
            }
            errors.push(error);
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
        let (error, bound) = self.error(N);
        Ok(Published { n: N, filled: FILLED, error, bound })
    }
}

/// Returns the distribution of rows in a plan; empty if the plan has no groups.
fn shares<T: Precision>(plan: &Plan<T>) -> Shares {
    earth_papers::shares(plan).cloned().unwrap_or_default()
}

fn timed<T: Precision>(method: Method, runner: Runner<T>, [time, again]: [Point; 2], error: f64) -> Timed {
    let (by_library, of) = match runner {
        Runner::Ours(ours) => (false, shares(&ours.plan)),
        Runner::Theirs(_) => (true, Shares::default()),
    };
    let [rows, _] = of.distribution;
    let [through, _] = of.chirps;
    let filled = of.spectrum.map(|[length, _]| vec![length]);
    let apart = of.strides.iter().flatten().any(|&stride| stride > 0);
    Timed { method, by_library, time, again, rows, apart, through: filled.unwrap_or(through), error }
}

#[cfg(test)]
#[path = "matrices_tests.rs"]
mod tests;
