//! Measures the steps of a study: PFFT-LB by all ways to make groups, and all methods in turn.
//!
//! *A round* runs each of what is compared twice and times the second run: the first one finds its threads
//! and its tables cold. Rounds go on until all means are reliable ([`repeat`]). Each run transforms the same
//! matrix, copied anew outside of the time.
//!
//! *Threads of others.* The threads of a library may spin on for a while after a transform, as OpenMP's do
//! for 0.2 s, on cores that our programs need: these wait until that is over. At most one machine exists.
//!
//! *Memory.* The matrix twice, what a program needs besides (a copy of rows that lie apart), and while speed
//! functions are measured as many rows for each group.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use earth::{CancelToken, Machine};
use earth_fft::kernel::Kernel;
use earth_fft::programs::matrix::{Sharing, grouped};
use earth_fft::programs::pfft::{self, Decided};
use earth_fft::programs::{MOST_NODES, memory};
use earth_fft::request::groups::{Groups, Pad, Partition, Speeds};
use earth_fft::request::{Config, Refusal};
use earth_fftw::{Effort, LibraryMatrix};
use earth_kernels::{Direction, Real, verify_2d};
use earth_partition::Distribution;
use earth_partition::{Grouping, Point, groupings};
use earth_rustfft::RustFft;
use num_complex::Complex;

use super::bench::{Bench, BenchError};
use super::rows::{Conditions, Method, Methods, Published, Sampled, Timed, Way};
use super::speeds;
use crate::measure::speeds::Subject;
use crate::measure::{Reliability, repeat};
use crate::signals::noise;

/// How long the threads of a library may spin after a transform.
const SPINNING: Duration = Duration::from_millis(250);

/// The repetitions of a mean before the first look: the paper's, and for points of speed functions fewer.
const LEAST: u32 = 10;
const LEAST_OF_SPEEDS: u32 = 3;

/// Chooses the values that are summed by the definition when a result is verified.
const SEED: u64 = 17;

/// Measures on real cores, with points of the precision `T`.
#[derive(Debug)]
pub struct MatrixBench<T: Real> {
    conditions: Conditions,
    effort: Effort,
    machine: Machine,
    /// The matrix, of the last N.
    matrix: Vec<Complex<T>>,
    /// Where it is transformed.
    work: Vec<Complex<T>>,
    /// When the threads of a library are at rest.
    at_rest: Option<Instant>,
}

/// What is run in turn.
enum Runner<T: Real> {
    Ours(Sharing),
    Theirs(LibraryMatrix<T>),
}

impl<T: Real> MatrixBench<T> {
    /// On as many cores as the conditions say: a node each, or with two threads a node half as many nodes.
    ///
    /// # Errors
    ///
    /// More nodes than machines have.
    pub fn new(
        conditions: Conditions,
        config: Config,
        effort: Effort,
        cancel: CancelToken,
    ) -> Result<Self, Refusal> {
        let nodes = match config {
            Config::Spn => conditions.cores,
            Config::Dual => (conditions.cores / 2).max(1),
        };
        if nodes > MOST_NODES {
            return Err(Refusal::NoSuchMachine { nodes, most: MOST_NODES });
        }
        let machine = Machine::threads(nodes).config(config.into()).cancel_token(cancel);
        Ok(Self { conditions, effort, machine, matrix: Vec::new(), work: Vec::new(), at_rest: None })
    }

    /// Makes the matrix of `n` x `n`, unless it is there.
    fn prepare(&mut self, n: usize) -> Result<(), BenchError> {
        let points = n.checked_mul(n).ok_or(Refusal::TooManySamples)?;
        if self.matrix.len() == points {
            return Ok(());
        }
        (self.matrix, self.work) = (Vec::new(), Vec::new());
        // The matrix, where it is transformed, and a copy of whatever kind.
        let needed = (points as u64).saturating_mul(3 * size_of::<Complex<T>>() as u64);
        let available = memory::available();
        if needed > available {
            return Err(Refusal::TooLittleMemory { needed, available }.into());
        }
        self.matrix = noise(points);
        Ok(())
    }

    fn reliability(&self) -> Reliability {
        let most = self.conditions.repetitions;
        let seconds = self.conditions.point_seconds;
        Reliability { least: LEAST.min(most), most, seconds, ..Reliability::default() }
    }

    /// Of points of speed functions, of which there are more.
    fn reliability_of_speeds(&self) -> Reliability {
        let seconds = self.conditions.speed_seconds / 4.0;
        Reliability { least: LEAST_OF_SPEEDS.min(self.conditions.repetitions), seconds, ..self.reliability() }
    }

    /// PFFT-LB.
    fn balanced(&self, kernel: &Kernel, n: usize, grouping: Grouping) -> Result<Sharing, BenchError> {
        let dealt = Distribution::balanced(n, grouping.groups);
        let dealt = dealt.map_err(|error| Refusal::Unmeasured(error.to_string()))?;
        Ok(Sharing {
            kernel: kernel.clone(),
            effort: self.effort,
            ..Sharing::of_square(grouping.threads, dealt.rows().to_vec())
        })
    }

    /// One group: the library's own threads, or our program.
    fn basic(&self, kernel: &Kernel, n: usize) -> Result<Runner<T>, BenchError> {
        let cores = self.conditions.cores;
        let threaded = kernel.load()?.is_some_and(|library| {
            let halves = library.describe().precisions;
            halves.iter().any(|half| half.precision == T::NAME && (cores == 1 || half.threads.is_ok()))
        });
        if threaded {
            return Ok(Runner::Theirs(kernel.plan_2d(n, n, cores, Direction::Forward, self.effort)?));
        }
        let one = Grouping { groups: 1, threads: self.machine.node_count() };
        Ok(Runner::Ours(self.balanced(kernel, n, one)?))
    }

    /// What a method becomes, by speed functions.
    fn decide(
        &self,
        kernel: &Kernel,
        n: usize,
        grouping: Grouping,
        pad: Pad,
        speeds: Speeds,
    ) -> Result<Decided, Refusal> {
        let asked = Groups {
            groups: NonZeroUsize::new(grouping.groups),
            threads: NonZeroUsize::new(grouping.threads),
            partition: Partition::Fpm,
            pad,
            kernel: Some(kernel.clone()),
            effort: Some(self.effort),
            barrier: false,
            speeds,
        };
        pfft::decide(&asked, grouping, [n, n], None, (T::NAME, size_of::<Complex<T>>()))
    }

    /// The methods that need groups, and what their speed functions were.
    fn grouped(
        &mut self,
        kernel: &Kernel,
        n: usize,
        grouping: Grouping,
        row: &mut Methods,
    ) -> Result<Vec<(Method, Runner<T>)>, BenchError> {
        let balanced = self.balanced(kernel, n, grouping)?;
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
        let fpm = self.decided(kernel, n, grouping, Pad::None, own, &balanced, &mut row.notes)?;
        let pad =
            self.decided(kernel, n, grouping, Pad::Auto, models.clone().into(), &fpm, &mut row.notes)?;
        let barrier = Sharing { barrier: true, ..balanced.clone() };
        let mut sharings = vec![
            (Method::Lb, balanced),
            (Method::LbBarrier, barrier),
            (Method::Fpm, fpm.clone()),
            (Method::FpmPad, pad),
        ];
        if self.conditions.as_published {
            let most = fpm.distribution[0].iter().copied().max().unwrap_or(n);
            let mut own = models.swap_remove(0);
            let (machine, sampled) = (&mut self.machine, &mut row.speeds);
            speeds::longer::<T>(machine, &subjects[0], n, most, reliability, &mut own, sampled)?;
            let own: Speeds = Arc::from(vec![own]);
            let filled = self.decided(kernel, n, grouping, Pad::Spectrum, own, &fpm, &mut row.notes)?;
            sharings.push((Method::Published, filled));
        }
        Ok(sharings.into_iter().map(|(method, sharing)| (method, Runner::Ours(sharing))).collect())
    }

    /// The same, or `otherwise` with a note, if what was measured does not tell.
    #[expect(clippy::too_many_arguments, reason = "it is one question")]
    fn decided(
        &self,
        kernel: &Kernel,
        n: usize,
        grouping: Grouping,
        pad: Pad,
        speeds: Speeds,
        otherwise: &Sharing,
        notes: &mut Vec<String>,
    ) -> Result<Sharing, BenchError> {
        match self.decide(kernel, n, grouping, pad, speeds) {
            Ok(Decided { sharing, notes: more }) => {
                notes.extend(more);
                Ok(sharing)
            }
            Err(Refusal::Unmeasured(why)) => {
                notes.push(format!("with the padding '{pad}' nothing was decided: {why}"));
                Ok(otherwise.clone())
            }
            Err(other) => Err(other.into()),
        }
    }

    /// Waits until the threads of a library are at rest.
    fn rest(&mut self) {
        if let Some(time) = self.at_rest.take() {
            thread::sleep(time.saturating_duration_since(Instant::now()));
        }
    }

    /// One run, and the seconds that it took; its result is in `work`.
    fn run(&mut self, runner: &mut Runner<T>, kernel: &Kernel, n: usize) -> Result<f64, BenchError> {
        let mut data = std::mem::take(&mut self.work);
        data.clear();
        data.extend_from_slice(&self.matrix);
        match runner {
            Runner::Ours(sharing) => {
                self.rest();
                let done = grouped(&mut self.machine, n, n, data, sharing, Direction::Forward)?;
                let planning = if self.conditions.planning { done.planning } else { Duration::ZERO };
                self.work = done.spectrum;
                Ok((done.phases.total() + planning).as_secs_f64())
            }
            Runner::Theirs(plan) => {
                let start = Instant::now();
                if self.conditions.planning {
                    *plan = kernel.plan_2d(n, n, self.conditions.cores, Direction::Forward, self.effort)?;
                }
                plan.transform(&mut data)?;
                let took = start.elapsed();
                self.work = data;
                self.at_rest = (plan.name() == "mkl").then(|| Instant::now() + SPINNING);
                Ok(took.as_secs_f64())
            }
        }
    }

    /// All of them in turn, until the means are reliable.
    fn in_turn(
        &mut self,
        kernel: &Kernel,
        n: usize,
        runners: &mut [&mut Runner<T>],
    ) -> Result<Vec<Point>, BenchError> {
        let measured = repeat(self.reliability(), runners.len(), |times| {
            for (runner, time) in runners.iter_mut().zip(times) {
                self.run(runner, kernel, n)?;
                *time = self.run(runner, kernel, n)?;
            }
            Ok::<(), BenchError>(())
        })?;
        Ok(measured.points)
    }

    /// The error of the last result, which is in `work`.
    fn error(&self, n: usize) -> (f64, f64) {
        let verified = verify_2d(n, n, &self.matrix, &self.work, Direction::Forward, SEED, RustFft::new);
        (verified.relative_error(), verified.bound)
    }
}

impl<T: Real> Bench for MatrixBench<T> {
    fn groupings(&self) -> Vec<Grouping> {
        groupings(self.machine.node_count()).collect()
    }

    fn version(&self, kernel: &Kernel) -> Result<Option<String>, BenchError> {
        Ok(kernel.load()?.and_then(|library| library.describe().version))
    }

    fn ways(&mut self, kernel: &Kernel, n: usize) -> Result<Vec<Way>, BenchError> {
        self.prepare(n)?;
        let groupings = self.groupings();
        let sharings = groupings.iter().map(|&way| Ok(Runner::Ours(self.balanced(kernel, n, way)?)));
        let mut runners = sharings.collect::<Result<Vec<_>, BenchError>>()?;
        let times = self.in_turn(kernel, n, &mut runners.iter_mut().collect::<Vec<_>>())?;
        let way = |(Grouping { groups, threads }, time)| Way { groups, threads, time };
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
        };
        let mut runners = vec![(Method::Basic, self.basic(kernel, n)?)];
        if groups > 1 {
            runners.extend(self.grouped(kernel, n, grouping, &mut row)?);
        }
        row.notes.dedup();
        let mut errors = Vec::new();
        for (method, runner) in &mut runners {
            self.run(runner, kernel, n)?;
            let (error, bound) = self.error(n);
            if *method != Method::Published && (error.is_nan() || error > bound) {
                let what = format!("{method} with {kernel}");
                return Err(BenchError::Wrong { what, n, error, bound });
            }
            errors.push(error);
        }
        let times =
            self.in_turn(kernel, n, &mut runners.iter_mut().map(|(_, runner)| runner).collect::<Vec<_>>())?;
        for (((method, runner), time), error) in runners.into_iter().zip(times).zip(errors) {
            row.methods.push(timed(method, runner, time, error));
        }
        Ok(row)
    }

    fn published(&mut self) -> Result<Published, BenchError> {
        const N: usize = 48;
        const FILLED: usize = 64;
        self.prepare(N)?;
        let nodes = Grouping { groups: self.machine.node_count(), threads: 1 };
        let kernel = Kernel::RustFft;
        let filled = Sharing { spectrum: Some([FILLED; 2]), ..self.balanced(&kernel, N, nodes)? };
        self.run(&mut Runner::Ours(filled), &kernel, N)?;
        let (error, bound) = self.error(N);
        Ok(Published { n: N, filled: FILLED, error, bound })
    }
}

fn timed<T: Real>(method: Method, runner: Runner<T>, time: Point, error: f64) -> Timed {
    let (by_library, sharing) = match runner {
        Runner::Ours(sharing) => (false, sharing),
        Runner::Theirs(_) => (true, Sharing::default()),
    };
    let [rows, _] = sharing.distribution;
    let [through, _] = sharing.chirps;
    let filled = sharing.spectrum.map(|[length, _]| vec![length]);
    let apart = sharing.strides.iter().flatten().any(|&stride| stride > 0);
    Timed { method, by_library, time, rows, apart, through: filled.unwrap_or(through), error }
}

#[cfg(test)]
#[path = "matrices_tests.rs"]
mod tests;
