//! All runs, on several cores, each compared with the row kernel.
//!
//! Several figures may want one run, which is done once. Each is a simulation in one thread, so runs are
//! shared out to as many threads as there are usable cores, the long ones first; what comes out does not depend on
//! who ran what when. Each result is compared with that of the row kernel, unless the run is one without data.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;

use earth::records::Records;
use earth::{CancelToken, Machine};
use earth_fft::dataflow::receiver::Asking;
use earth_fft::kernel::own_rows;
use earth_fft::programs::{self, TransformError, Transformed, phantom};
use earth_fft::request::Config;
use earth_kernels::{Direction, bound, relative_error};
use num_complex::Complex;
use parking_lot::Mutex;

use super::measured::{Measured, Point, Runs};
use super::program::{Large, Program};
use super::setups::Setups;
use crate::computer::usable_cores;
use crate::progress::Progress;
use crate::signals::noise;

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum SimulateError {
    /// A simulated program ended with an error.
    #[error("the simulation failed: {0}")]
    Machine(#[source] TransformError),
    /// A simulated program gave another result than the row kernel.
    #[error(
        "the simulated transform is wrong ({what}): its relative error is {error:.1e} where at most {bound:.1e} is rounding"
    )]
    Wrong {
        /// Which run.
        what: String,
        /// The relative L2 error.
        error: f64,
        /// The largest that rounding explains.
        bound: f64,
    },
}

/// Runs all points, each once.
pub(super) fn run(
    points: &BTreeSet<Point>,
    setups: &Setups,
    cancel: &CancelToken,
    progress: &impl Progress,
) -> Result<Runs, SimulateError> {
    let mut order: Vec<_> = points.iter().copied().collect();
    let effort = |point: &Point| {
        let fibers = point.program.fibers(point.n, point.p);
        if point.config == Config::Dual { 4 * fibers } else { fibers }
    };
    order.sort_by_key(|point| std::cmp::Reverse(effort(point)));
    let with_data = points.iter().filter(|point| !matches!(point.program, Program::Large(_)));
    let subjects: BTreeMap<_, _> = with_data.map(|point| (point.n, Subject::of(point.n))).collect();

    progress.begin(order.len() as u64);
    let (left, runs) = (Mutex::new(order.iter()), Mutex::new(Ok(Runs::new())));
    thread::scope(|scope| {
        for _ in 0..usable_cores().min(order.len()) {
            scope.spawn(|| {
                let next = || left.lock().next();
                while let Some(point) = next() {
                    let measured = measure(point, setups, subjects.get(&point.n), cancel);
                    progress.done(1);
                    let mut runs = runs.lock();
                    match (runs.as_mut(), measured) {
                        (Ok(runs), Ok(measured)) => drop(runs.insert(*point, measured)),
                        (Ok(_), Err(failure)) => *runs = Err(failure),
                        (Err(_), _) => {}
                    }
                    if runs.is_err() {
                        break;
                    }
                }
            });
        }
    });
    runs.into_inner()
}

/// What is transformed: a signal of so many points, and its transform by the row kernel.
struct Subject {
    signal: Vec<Complex<f64>>,
    spectrum: Vec<Complex<f64>>,
}

impl Subject {
    /// Any signal does, as times do not depend on it.
    fn of(n: usize) -> Self {
        let signal = noise(n);
        let kernel = own_rows::<f64>(n);
        let mut spectrum = signal.clone();
        kernel.transform(Direction::Forward, &mut spectrum, &mut kernel.scratch());
        Self { signal, spectrum }
    }
}

/// The run among `points` that shows most in a picture: the one with the fewest fibers on the most nodes up to
/// 8, parallel programs first.
pub(super) fn most_telling(points: impl Iterator<Item = Point>) -> Option<Point> {
    let few = points.filter(|point| point.p <= 8);
    few.min_by_key(|point| (std::cmp::Reverse(point.p), point.program.fibers(point.n, point.p), *point))
}

/// Traces a run.
pub(super) fn trace(point: &Point, setups: &Setups, cancel: &CancelToken) -> Result<Records, SimulateError> {
    let mut machine = setups.machine(point, cancel).trace(true);
    let records = match point.program {
        Program::Large(large) => run_large(large, &mut machine, point.n).map(|(_, records)| records),
        program => transform(program, machine, &Subject::of(point.n).signal).map(|done| done.records),
    };
    Ok(records.map_err(SimulateError::Machine)?.unwrap_or_default())
}

/// Runs a point, and compares what it gives with the subject's spectrum.
fn measure(
    point: &Point,
    setups: &Setups,
    subject: Option<&Subject>,
    cancel: &CancelToken,
) -> Result<Measured, SimulateError> {
    let mut machine = setups.machine(point, cancel);
    let subject = match (point.program, subject) {
        (Program::Large(large), _) => {
            let run = run_large(large, &mut machine, point.n);
            return run.map(|(measured, _)| measured).map_err(SimulateError::Machine);
        }
        (_, Some(subject)) => subject,
        (_, None) => unreachable!("what is run with data has a subject"),
    };
    let done = transform(point.program, machine, &subject.signal).map_err(SimulateError::Machine)?;
    let (error, bound) = (relative_error(&done.spectrum, &subject.spectrum), bound::<f64>(point.n));
    // A NaN is wrong, too.
    if error.is_nan() || error > bound {
        return Err(SimulateError::Wrong { what: point.to_string(), error, bound });
    }
    Ok(Measured { error: Some(error), ..Measured::of(&done) })
}

fn transform(
    program: Program,
    mut machine: Machine,
    signal: &[Complex<f64>],
) -> Result<Transformed<f64>, TransformError> {
    let signal = signal.to_vec();
    match program {
        Program::Row => programs::row(&mut machine, signal, Direction::Forward),
        Program::Sender(block) => programs::sender(&mut machine, signal, block, Direction::Forward),
        Program::Tree => programs::receiver(&mut machine, signal, Asking::Tree, Direction::Forward),
        Program::Shared => programs::receiver(&mut machine, signal, Asking::Shared, Direction::Forward),
        Program::Large(_) => unreachable!("it is run without data"),
    }
}

/// Runs a program on `n` points without data.
fn run_large(
    large: Large,
    machine: &mut Machine,
    n: usize,
) -> Result<(Measured, Option<Records>), TransformError> {
    let of_signal = |done: phantom::Simulated| (Measured::without_data(&done), done.records);
    match large {
        Large::Row => phantom::row::<f64>(machine, n).map(of_signal),
        Large::Sender(block) => phantom::sender::<f64>(machine, n, block).map(of_signal),
        Large::Square(rows) => {
            let side = n.isqrt();
            let done = phantom::matrix::<f64>(machine, side, side, Some(rows))?;
            Ok((Measured::of_matrix(&done), done.records))
        }
    }
}

#[cfg(test)]
mod tests {
    use earth::FiberOrder;
    use earth::Policy;
    use earth::simulated::Profile;

    use super::*;
    use crate::progress::Unseen;

    fn point(program: Program, n: usize, p: usize) -> Point {
        Point::at(program, Config::Spn, n, p)
    }

    fn manna() -> Setups {
        Setups::new(Profile::named("manna50").unwrap(), None)
    }

    #[test]
    fn points_run_once_each_and_come_out_the_same() {
        let programs = [(Program::Row, 1), (Program::Sender(4), 3), (Program::Tree, 4), (Program::Shared, 4)];
        let mut points: BTreeSet<_> = programs.map(|(program, p)| point(program, 64, p)).into();
        points.extend(points.clone().into_iter().map(|point| Point { config: Config::Dual, ..point }));
        let runs = [(); 2].map(|()| run(&points, &manna(), &CancelToken::new(), &Unseen).unwrap());
        assert_eq!(runs[0], runs[1]);
        assert!(runs[0].keys().eq(&points));
        let tree = &runs[0][&point(Program::Tree, 64, 4)];
        assert_eq!((tree.asks, tree.half_butterflies), (2 * 3 * 64, 3 * 64));
        let row = &runs[0][&point(Program::Row, 64, 1)];
        // 64 points, six levels, five operations each of 54.7 cycles.
        assert!((row.total() * 50e6 - 64.0 * 6.0 * 5.0 * 54.7).abs() < 1.0, "{row:?}");
        for run in runs[0].values() {
            let parts = run.setup + run.local + run.multithreaded + run.reordering;
            assert!(parts > 0.0 && parts <= run.cycles as f64 / 50e6 * 1.000_001, "{run:?}");
        }
    }

    #[test]
    fn the_most_telling_run_is_short_and_on_many_nodes() {
        let points = [
            point(Program::Row, 64, 1),
            point(Program::Sender(16), 1024, 4),
            point(Program::Tree, 1024, 8),
            point(Program::Sender(16), 1024, 8),
            point(Program::Sender(16), 1024, 16),
        ];
        assert_eq!(most_telling(points.into_iter()), Some(points[3]));
        assert_eq!(most_telling(points[4..].iter().copied()), None);
    }

    #[test]
    fn a_wrong_transform_is_a_failure() {
        let point = point(Program::Sender(4), 16, 2);
        let mut subject = Subject::of(16);
        subject.spectrum[3].im += 1e-9;
        let failure = measure(&point, &manna(), Some(&subject), &CancelToken::new()).unwrap_err();
        assert!(matches!(failure, SimulateError::Wrong { .. }), "{failure}");
        assert!(failure.to_string().contains("sender, B = 4, N = 16, P = 2, spn"), "{failure}");
    }

    #[test]
    fn a_cancelled_run_is_an_interruption() {
        let cancel = CancelToken::new();
        cancel.cancel();
        let error = run(&[point(Program::Tree, 64, 4)].into(), &manna(), &cancel, &Unseen).unwrap_err();
        let cancelled = TransformError::Machine(earth::Error::Cancelled);
        assert!(matches!(&error, SimulateError::Machine(why) if *why == cancelled), "{error}");
    }

    #[test]
    fn a_policy_is_that_of_all_machines_and_in_the_names_of_others() {
        let manna = Profile::named("manna50").unwrap();
        let of = |fibers| Policy { fibers, ..Policy::default() };
        let [queue, first] = [FiberOrder::OneQueue, FiberOrder::FibersFirst].map(of);
        let points: BTreeSet<_> = [point(Program::Tree, 64, 4), point(Program::Shared, 64, 4)].into();
        let runs =
            |policy| run(&points, &Setups::new(manna.clone(), policy), &CancelToken::new(), &Unseen).unwrap();
        assert_eq!(runs(Some(queue)), runs(None), "the profile's own");
        for point in &points {
            assert_ne!(runs(Some(first))[point].cycles, runs(None)[point].cycles, "{point}");
        }
        let mut setups = Setups::new(manna.clone(), Some(queue));
        assert_eq!((setups.at(0).name.as_str(), setups.other_policy()), ("manna50", None));
        let other = setups.with("other", Profile { policy: first, ..manna });
        assert_eq!(
            (setups.at(other).name.as_str(), setups.other_policy()),
            ("other, policy one-queue", Some(queue))
        );
    }
}
