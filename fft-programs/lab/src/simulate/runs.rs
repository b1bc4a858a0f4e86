//! All runs, on all usable cores, each compared with the row kernel.
//!
//! A run that several figures need is done once, and so are runs whose costs differ only where the program
//! does not [use](costs) them. Finished runs are kept in the [file](RunFile) of the command line. Each run is
//! a simulation in one thread. As many threads as there are usable cores take the runs, long ones first; the
//! results do not depend on the thread. The spectrum of each run with data is compared with the row kernel's.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

use earth::records::Records;
use earth::simulated::Profile;
use earth::{CancelToken, Config, Machine};
use earth_console::work::Progress;
use earth_fft::kernel::own_rows;
use earth_fft::{Plan, PlanRun, Planner, Precision, Problem, TransformError};
use earth_kernels::{Direction, bound, relative_error};
use earth_papers::{Grouped, Receiver, Sender};
use num_complex::Complex;
use serde::Serialize;

use super::costs;
use super::measured::{Measured, Point, Runs};
use super::program::Program;
use super::setups::Setups;
use crate::run_cache::{RunCache, RunFile, SimulateError};
use crate::signals::noise;

/// Run as a key: a point, and the costs that may influence its results.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Run {
    program: Program,
    config: Config,
    n: usize,
    p: usize,
    single: bool,
    phantom: bool,
    /// Costs as JSON.
    costs: String,
}

impl Run {
    fn of(point: &Point, setups: &Setups) -> Self {
        let Point { program, config, n, p, single, phantom, .. } = *point;
        let used = costs::used(point, &setups.of(point).profile);
        let costs =
            serde_json::to_string(&used).unwrap_or_else(|why| unreachable!("costs are figures: {why}"));
        Self { program, config, n, p, single, phantom, costs }
    }

    /// Returns the point, without an index of its costs.
    fn point(&self) -> Point {
        let Self { program, config, n, p, single, phantom, .. } = *self;
        Point { single, phantom, ..Point::at(program, config, n, p) }
    }

    fn profile(&self) -> Profile {
        serde_json::from_str(&self.costs).unwrap_or_else(|why| unreachable!("costs are a profile: {why}"))
    }
}

/// Results of several sets of points.
pub(super) struct Done {
    /// Results of each set.
    pub(super) sets: Vec<Runs>,
    /// Number of runs that were done for all of them.
    pub(super) number: usize,
}

/// Runs all points at the costs of their setups. Runs that cannot differ are done once, over all sets of
/// points.
pub(super) fn run_all(
    wanted: &[(&BTreeSet<Point>, &Setups)],
    kept: &RunFile,
    cancel: &CancelToken,
    progress: &impl Progress,
) -> Result<Done, SimulateError> {
    let effort = |run: &Run| {
        let fibers = run.program.fibers(run.n, run.p);
        if run.config == Config::Dual { 4 * fibers as u64 } else { fibers as u64 }
    };
    let mut cache = RunCache::default();
    let mut subjects: BTreeMap<usize, Subject<f64>> = BTreeMap::new();
    for (points, setups) in wanted {
        for point in *points {
            if !point.phantom {
                subjects.entry(point.n).or_insert_with(|| Subject::of(point.n));
            }
            let _: Option<Measured> = cache.result(&Run::of(point, setups));
        }
    }
    cache.run(kept, effort, progress, |run: &Run| {
        measure(&run.point(), &run.profile(), subjects.get(&run.n), cancel)
    })?;
    let results = |(points, setups): &(&BTreeSet<Point>, &Setups)| {
        let result = |point: &Point| Some((*point, cache.result(&Run::of(point, setups))?));
        points.iter().filter_map(result).collect()
    };
    Ok(Done { sets: wanted.iter().map(results).collect(), number: cache.number() })
}

/// Runs points of one set of setups.
pub(super) fn run(
    points: &BTreeSet<Point>,
    setups: &Setups,
    kept: &RunFile,
    cancel: &CancelToken,
    progress: &impl Progress,
) -> Result<Runs, SimulateError> {
    Ok(run_all(&[(points, setups)], kept, cancel, progress)?.sets.into_iter().flatten().collect())
}

/// Input of a run and the expected result: a signal and its transform by the row kernel.
struct Subject<T> {
    signal: Vec<Complex<T>>,
    spectrum: Vec<Complex<f64>>,
}

impl<T: Precision> Subject<T> {
    /// Makes a signal of noise. Times do not depend on the signal.
    fn of(n: usize) -> Self {
        let signal = noise::<T>(n);
        let kernel = own_rows::<f64>(n);
        let mut spectrum: Vec<_> = signal.iter().map(|z| Complex::new(z.re.widen(), z.im.widen())).collect();
        kernel.transform(Direction::Forward, &mut spectrum, &mut kernel.scratch());
        Self { signal, spectrum }
    }
}

/// Returns the run among `points` that is most informative in a trace: the most nodes up to 8, and then the
/// fewest fibers, parallel programs first.
pub(super) fn most_telling(points: impl Iterator<Item = Point>) -> Option<Point> {
    let few = points.filter(|point| point.p <= 8);
    few.min_by_key(|point| (std::cmp::Reverse(point.p), point.program.fibers(point.n, point.p), *point))
}

pub(super) fn trace(point: &Point, setups: &Setups, cancel: &CancelToken) -> Result<Records, SimulateError> {
    let signal = if point.phantom { Vec::new() } else { noise(point.n) };
    let profile = &setups.of(point).profile;
    let (_, run) = transform::<f64>(point, profile, &signal, cancel, true).map_err(SimulateError::Machine)?;
    Ok(run.records.unwrap_or_default())
}

/// Runs a point by itself.
#[cfg(test)]
pub(super) fn alone(point: &Point, profile: &Profile) -> Result<Measured, SimulateError> {
    measure(point, profile, None, &CancelToken::new())
}

/// Runs a point, and compares its result with the subject's spectrum. Points in single precision have their
/// own subject.
fn measure(
    point: &Point,
    profile: &Profile,
    subject: Option<&Subject<f64>>,
    cancel: &CancelToken,
) -> Result<Measured, SimulateError> {
    match subject {
        _ if point.phantom => {
            let run = transform::<f64>(point, profile, &[], cancel, false);
            let (plan, run) = run.map_err(SimulateError::Machine)?;
            Ok(Measured::of(point, &plan, &run))
        }
        _ if point.single => compared::<f32>(point, profile, &Subject::of(point.n), cancel),
        Some(subject) => compared(point, profile, subject, cancel),
        None => compared::<f64>(point, profile, &Subject::of(point.n), cancel),
    }
}

/// Runs a point with data, and compares its result with the subject's spectrum.
fn compared<T: Precision>(
    point: &Point,
    profile: &Profile,
    subject: &Subject<T>,
    cancel: &CancelToken,
) -> Result<Measured, SimulateError> {
    let run = transform(point, profile, &subject.signal, cancel, false);
    let (plan, run) = run.map_err(SimulateError::Machine)?;
    let measured = Measured::of(point, &plan, &run);
    let (error, bound) = (relative_error(&run.output.into_vec(), &subject.spectrum), bound::<T>(point.n));
    // An error of NaN is also wrong.
    if error.is_nan() || error > bound {
        return Err(SimulateError::Wrong { what: point.to_string(), error, bound });
    }
    Ok(Measured { error: Some(error), ..measured })
}

/// Runs the program of a point on its machine.
fn transform<T: Precision>(
    point: &Point,
    profile: &Profile,
    signal: &[Complex<T>],
    cancel: &CancelToken,
    traced: bool,
) -> Result<(Plan<T>, PlanRun<T>), TransformError> {
    let (planner, lengths) = planned(point);
    let plan = planner.plan(&Problem::complex(&lengths))?;
    let machine = Machine::simulated(profile).nodes(point.p).config(point.config);
    let mut machine = machine.policy(profile.policy).cancel_token(cancel.clone()).trace(traced);
    let run = if point.phantom {
        plan.run_phantom_on(&mut machine)?
    } else {
        plan.run_on(&mut machine, signal.to_vec())?
    };
    Ok((plan, run))
}

/// Returns the planner of a point, and the lengths of its transform.
fn planned(point: &Point) -> (Planner, Vec<usize>) {
    let planner = earth_papers::planner();
    let planner = if point.phantom { planner.phantom() } else { planner };
    let asked = [Some(point.p), point.program.block(), point.program.roots()];
    let [nodes, block, roots] = asked.map(|number| number.and_then(NonZeroUsize::new));
    let planner = match point.program {
        Program::Row => planner,
        Program::Sender(_) => planner.with(Sender::new().block(block)),
        Program::Tree | Program::TreeBy(_) => planner.with(Receiver::tree().roots(roots)),
        Program::Tokens => planner.with(Receiver::tokens()),
        Program::Shared | Program::SharedBy(_) => planner.with(Receiver::shared().roots(roots)),
        Program::Square(_) => planner.with(Grouped::new().block(block)),
    };
    let square = matches!(point.program, Program::Square(_));
    (planner.nodes(nodes), if square { vec![point.n.isqrt(); 2] } else { vec![point.n] })
}

#[cfg(test)]
mod tests {
    use earth::FiberOrder;
    use earth::Policy;

    use super::*;

    fn point(program: Program, n: usize, p: usize) -> Point {
        Point::at(program, Config::Spn, n, p)
    }

    fn manna() -> Setups {
        Setups::new(Profile::named("manna50").unwrap(), None)
    }

    #[test]
    fn points_run_once_each_and_come_out_the_same() {
        let programs = [
            (Program::Row, 1),
            (Program::Sender(4), 3),
            (Program::Tree, 4),
            (Program::Shared, 4),
            (Program::Tokens, 4),
        ];
        let mut points: BTreeSet<_> = programs.map(|(program, p)| point(program, 64, p)).into();
        points.extend(points.clone().into_iter().map(|point| Point { config: Config::Dual, ..point }));
        let runs =
            [(); 2].map(|()| run(&points, &manna(), &RunFile::default(), &CancelToken::new(), &()).unwrap());
        assert_eq!(runs[0], runs[1]);
        assert!(runs[0].keys().eq(&points));
        let tree = &runs[0][&point(Program::Tree, 64, 4)];
        assert_eq!((tree.requests, tree.half_butterflies), (2 * 3 * 64, 3 * 64));
        let row = &runs[0][&point(Program::Row, 64, 1)];
        // 64 points, six levels, five operations of 54.7 cycles each.
        assert!((row.total() * 50e6 - 64.0 * 6.0 * 5.0 * 54.7).abs() < 1.0, "{row:?}");
        for run in runs[0].values() {
            let parts = run.dealing + run.local + run.multithreaded + run.gathering + run.reordering;
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
        let failure = measure(&point, manna().given(), Some(&subject), &CancelToken::new()).unwrap_err();
        assert!(matches!(failure, SimulateError::Wrong { .. }), "{failure}");
        assert!(failure.to_string().contains("sender, B = 4, N = 16, P = 2, spn"), "{failure}");
    }

    #[test]
    fn a_cancelled_run_is_an_interruption() {
        let cancel = CancelToken::new();
        cancel.cancel();
        let error = run(&[point(Program::Tree, 64, 4)].into(), &manna(), &RunFile::default(), &cancel, &())
            .unwrap_err();
        let cancelled = TransformError::Machine(earth::Error::Cancelled);
        assert!(matches!(&error, SimulateError::Machine(why) if *why == cancelled), "{error}");
    }

    #[test]
    fn a_policy_is_that_of_all_machines_and_in_the_names_of_others() {
        let manna = Profile::named("manna50").unwrap();
        let of = |fibers| Policy { fibers, ..Policy::default() };
        let [queue, first] = [FiberOrder::OneQueue, FiberOrder::FibersFirst].map(of);
        let points: BTreeSet<_> = [point(Program::Tree, 64, 4), point(Program::Shared, 64, 4)].into();
        let runs = |policy| {
            run(&points, &Setups::new(manna.clone(), policy), &RunFile::default(), &CancelToken::new(), &())
                .unwrap()
        };
        assert_eq!(runs(Some(queue)), runs(None), "the profile's own");
        for point in &points {
            assert_ne!(runs(Some(first))[point].cycles, runs(None)[point].cycles, "{point}");
        }
        for (policy, given, inherited) in [
            (queue, "manna50", "other"),
            (first, "manna50, policy fibers-first", "other, policy fibers-first"),
        ] {
            let mut setups = Setups::new(manna.clone(), Some(policy));
            let other = Profile { clock_mhz: 1.0, ..setups.given().clone() };
            let other = setups.with("other", other);
            let name = |setup| setups.of(&Point { setup, ..point(Program::Tree, 64, 4) }).name.as_str();
            assert_eq!([0, other].map(name), [given, inherited]);
            assert_eq!(setups.other_policy(), (policy == first).then_some(first));
        }
    }
}
