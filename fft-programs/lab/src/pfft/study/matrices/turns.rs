//! Runs of programs and of libraries, in turn.

use std::thread;
use std::time::{Duration, Instant};

use earth_fft::kernel::Kernel;
use earth_fft::{Plan, Planner, Precision};
use earth_fftw::{Arrays, LibraryWhole};
use earth_papers::Shares;
use earth_papers::partition::Point;
use num_complex::Complex;

use super::MatrixBench;
use crate::pfft::measure::repeat;
use crate::pfft::study::bench::BenchError;
use crate::pfft::study::rows::{Method, Timed};
use crate::signals::points_of_noise;

/// Longest time that a library's threads may spin after a transform.
const SPINNING: Duration = Duration::from_millis(250);

/// Transform that runs in turn with others.
pub(super) enum Runner<T: Precision> {
    Ours(Box<Ours<T>>),
    Theirs(LibraryWhole<T>),
}

/// Plan of ours, and the planner that plans it again where planning is part of the time.
pub(super) struct Ours<T: Precision> {
    pub(super) planner: Planner,
    pub(super) plan: Plan<T>,
}

impl<T: Precision> Runner<T> {
    /// Returns the seconds that a library's planner took.
    pub(super) fn planning(&self) -> f64 {
        match self {
            Self::Ours(_) => 0.0,
            Self::Theirs(plan) => plan.planning().as_secs_f64(),
        }
    }
}

impl<T: Precision> MatrixBench<T> {
    /// Waits until the threads of a library stop spinning.
    pub(super) fn rest(&mut self) {
        if let Some(time) = self.at_rest.take() {
            thread::sleep(time.saturating_duration_since(Instant::now()));
        }
    }

    /// Returns the memory of the last result, with the matrix in it.
    pub(super) fn fresh(&mut self) -> Vec<Complex<T>> {
        let mut data = std::mem::take(&mut self.work);
        data.clear();
        if self.is_large() {
            data.extend(points_of_noise(self.n * self.n));
        } else {
            data.extend_from_slice(&self.matrix);
        }
        data
    }

    /// Runs once and returns the seconds; the result is in `work`.
    pub(super) fn run(&mut self, runner: &mut Runner<T>, kernel: &Kernel) -> Result<f64, BenchError> {
        let mut data = self.fresh();
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
    pub(super) fn in_turn(
        &mut self,
        kernel: &Kernel,
        runners: &mut [&mut Runner<T>],
        turns: usize,
    ) -> Result<Vec<Point>, BenchError> {
        let number = runners.len();
        let measured = repeat(self.reliability(), turns * number, |times| {
            for turn in times.chunks_mut(number) {
                for (runner, time) in runners.iter_mut().zip(turn) {
                    // A large matrix makes the first run's threads and tables a small part of the time.
                    if !self.is_large() {
                        self.run(runner, kernel)?;
                    }
                    *time = self.run(runner, kernel)?;
                }
            }
            Ok::<(), BenchError>(())
        })?;
        Ok(measured.points)
    }
}

/// Returns the distribution of rows in a plan; empty if the plan has no groups.
pub(super) fn shares<T: Precision>(plan: &Plan<T>) -> Shares {
    earth_papers::shares(plan).cloned().unwrap_or_default()
}

pub(super) fn timed<T: Precision>(
    method: Method,
    runner: Runner<T>,
    [time, again]: [Point; 2],
    error: f64,
) -> Timed {
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
