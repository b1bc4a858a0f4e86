//! Measurements on this computer, each kept in a file at once, so that a measurement that was interrupted
//! goes on with the rows that are left.
//!
//! 1. [`pairs`] measures the family in pairs of SPN and DUAL, on threads and on ranks;
//! 2. [`peers`] has the same chains as tasks of other systems;
//! 3. this file lists all rows, and measures the example programs.

pub(crate) mod pairs;
pub(crate) mod peers;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use earth::simulated::Profile;
use earth::{CancelToken, Config, Machine};
use earth_console::work::Progress;
use earth_fft::computer::{processor, usable_cores};
use earth_programs::work::nanoseconds_per_round;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::grid::{Axis, Case, EQUALS, Extent, MEASURED, Shape};
use super::points::{Sample, instance, names, unless_refused};
use crate::calibrate::{Effort, calibrated, kernels};
use crate::compare::Equal;
use crate::run_cache::{Clock, RunFile, SimulateError};
use pairs::{Bench, Kind, Pair};
use peers::{Peer, Peers};

/// Everything that was measured.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) processor: String,
    pub(crate) cores: usize,
    /// Number of DUAL nodes: half the cores, as a power of two.
    pub(crate) nodes: u32,
    pub(crate) profile: Profile,
    pub(crate) rows: Vec<Row>,
    pub(crate) points: Vec<Point>,
    /// Grains in nanoseconds, each with the engines.
    pub(crate) peers: Vec<(u32, Vec<Peer>)>,
    /// Number of rows that are left out, since the time was over.
    pub(crate) left: usize,
}

/// Ratios of a row of a map.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) kind: Kind,
    pub(crate) axis: Axis,
    pub(crate) name: String,
    pub(crate) case: Case,
    pub(crate) equal: Equal,
    /// Grains in nanoseconds, each with its ratio.
    pub(crate) pairs: Vec<(u32, Pair)>,
}

/// Example program, at equal nodes and at equal cores.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Point {
    pub(crate) program: String,
    /// Counts of SPN's run at equal nodes.
    pub(crate) sample: Sample,
    pub(crate) pairs: [Pair; 2],
}

/// Row of the file.
#[derive(Serialize)]
enum Key {
    Profile,
    Pair { kind: Kind, shape: Shape, equal: Equal, grain: u32, pairs: usize },
    Point { program: &'static str, nodes: u32, pairs: usize, is_usual: bool },
    Peers { cores: usize, grain: u32, pairs: usize },
}

/// Takes rows from the file, or measures them.
struct Rows<'a, P> {
    kept: &'a RunFile,
    progress: &'a P,
    /// Rows that were measured since, with their keys, both as JSON: maps share rows.
    known: RefCell<HashMap<String, String>>,
    left: Cell<usize>,
}

impl<P: Progress> Rows<'_, P> {
    /// Returns a row of the file, or measures and keeps it; `None` if the time is over.
    fn row<V: Serialize + DeserializeOwned>(
        &self,
        key: &Key,
        measure: impl FnOnce() -> Result<V, SimulateError>,
    ) -> Result<Option<V>, SimulateError> {
        let text = serde_json::to_string(key).unwrap_or_default();
        let known = self.known.borrow().get(&text).and_then(|row| serde_json::from_str(row).ok());
        if let Some(known) = known.or_else(|| self.kept.result(key)) {
            self.progress.done(1);
            return Ok(Some(known));
        }
        if self.progress.is_over() {
            self.left.set(self.left.get() + 1);
            return Ok(None);
        }
        let measured = keep(self.kept, key, measure)?;
        self.known.borrow_mut().insert(text, serde_json::to_string(&measured).unwrap_or_default());
        self.progress.done(1);
        Ok(Some(measured))
    }
}

/// Rows of the maps that a computer with this many DUAL nodes can measure.
fn plan(extent: &Extent, nodes: u32) -> Vec<(Kind, Axis, String, Case, Equal)> {
    let mut plan = Vec::new();
    for (kind, axes) in [(Kind::Threads, &MEASURED[..]), (Kind::Ranks, &MEASURED[..1])] {
        for &axis in axes {
            let usual = Shape { nodes, ..extent.usual };
            // Messages within the only node go to the same chain, whatever their number of receivers.
            let is_alone = nodes == 1;
            let equals = if kind == Kind::Ranks { &EQUALS[1..] } else { &EQUALS[..] };
            for &equal in equals {
                let usual =
                    if is_alone && equal == Equal::Nodes { Shape { remote: 0, ..usual } } else { usual };
                for (name, case) in axis.rows(extent, usual) {
                    let is_there = !(is_alone && equal == Equal::Nodes && case.shape.remote > 0);
                    if is_there {
                        plan.push((kind, axis, name, case, equal));
                    }
                }
            }
        }
    }
    plan
}

/// Measures everything that `kept` lacks. `profile` replaces the costs that `calibrate` measures.
pub(crate) fn measured(
    extent: &Extent,
    profile: Option<Profile>,
    kept: &RunFile,
    cancel: &CancelToken,
    progress: &impl Progress,
) -> Result<Measured, SimulateError> {
    let cores = usable_cores();
    let half = (cores / 2).max(1);
    let nodes = 1 << half.ilog2();
    let (plan, programs) = (plan(extent, nodes), names());
    let grains = extent.grains;
    progress.begin((1 + plan.len() * grains.len() + programs.len() + grains.len()) as u64);
    let kept_rows = Rows { kept, progress, known: RefCell::default(), left: Cell::new(0) };
    let bench = Bench { round: nanoseconds_per_round(), run: extent.run, pairs: extent.pairs, cancel };

    let machine = |config, nodes| Machine::threads(nodes).config(config).cancel_token(cancel.clone());
    let effort = if extent.is_usual { Effort::default() } else { Effort { operations: 1000, runs: 1 } };
    let own = match kept.result(&Key::Profile) {
        Some(own) => own,
        // Measured even if the time is over, because all predictions need it.
        None => keep(kept, &Key::Profile, || Ok(calibrated(machine, effort, kernels())?))?,
    };
    progress.done(1);
    let profile = profile.unwrap_or(own);

    let mut rows = Vec::new();
    for (kind, axis, name, case, equal) in plan {
        let mut pairs = Vec::new();
        for &grain in grains {
            let key = Key::Pair { kind, shape: case.shape, equal, grain, pairs: extent.pairs };
            let pair = kept_rows.row(&key, || bench.pair(kind, case.shape, equal, grain))?;
            pairs.extend(pair.map(|pair| (grain, pair)));
        }
        rows.push(Row { kind, axis, name, case, equal, pairs });
    }
    let mut points = Vec::new();
    for program in programs {
        let key = Key::Point { program, nodes, pairs: extent.pairs, is_usual: extent.is_usual };
        let point = kept_rows.row(&key, || point(program, extent, nodes, cancel))?;
        points.extend(point.flatten());
    }
    let mut peers = Vec::new();
    let mut compiled = None;
    for &grain in grains {
        let key = Key::Peers { cores, grain, pairs: extent.pairs };
        let measure = || compiled.get_or_insert_with(|| Peers::compiled(cores)).measured(&bench, grain);
        peers.extend(kept_rows.row(&key, measure)?.map(|of| (grain, of)));
    }
    let processor = processor().unwrap_or_else(|| "an unknown processor".to_owned());
    let left = kept_rows.left.get();
    Ok(Measured { processor, cores, nodes, profile, rows, points, peers, left })
}

/// Measures a row, and keeps it in the file.
fn keep<V: Serialize>(
    kept: &RunFile,
    key: &Key,
    measure: impl FnOnce() -> Result<V, SimulateError>,
) -> Result<V, SimulateError> {
    let clock = Clock::start();
    let measured = measure()?;
    kept.add(key, &measured, clock.seconds())?;
    Ok(measured)
}

/// Measures an example program; `None` if it does not run at these sizes.
fn point(
    program: &str,
    extent: &Extent,
    nodes: u32,
    cancel: &CancelToken,
) -> Result<Option<Point>, SimulateError> {
    let Some(instance) = unless_refused(instance(program, extent.is_usual))? else { return Ok(None) };
    let machines = [(Config::Spn, nodes), (Config::Spn, 2 * nodes), (Config::Dual, nodes)];
    let mut times = [const { Vec::new() }; 3];
    let mut sample = None;
    for _ in 0..extent.pairs {
        for ((config, nodes), times) in machines.into_iter().zip(&mut times) {
            let machine = Machine::threads(nodes as usize).config(config);
            let ran = instance.run_warm(machine.cancel_token(cancel.clone()));
            let Some(run) = unless_refused(ran)? else { return Ok(None) };
            let seconds = run.elapsed.as_secs_f64();
            sample.get_or_insert_with(|| Sample::of(seconds, &run.counters));
            times.push(1e9 * seconds);
        }
    }
    let [spn, more, dual] = &times;
    let pairs = [Pair::of(spn, dual), Pair::of(more, dual)];
    Ok(sample.map(|sample| Point { program: program.to_owned(), sample, pairs }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::grid::{SMALL, WHOLE};

    #[test]
    fn rows_that_one_node_cannot_measure_are_left_out() {
        let alone = plan(&WHOLE, 1);
        let is_of = |of: Equal| move |row: &&(Kind, Axis, String, Case, Equal)| row.4 == of;
        assert!(alone.iter().filter(is_of(Equal::Nodes)).all(|row| row.3.shape.remote == 0));
        assert!(alone.iter().filter(is_of(Equal::Cores)).any(|row| row.3.shape.remote > 0));
        let messages = |plan: &[(Kind, Axis, String, Case, Equal)]| {
            plan.iter().filter(|row| row.1 == Axis::Messages && row.0 == Kind::Threads).count()
        };
        let [all, local] = [WHOLE.messages.len(), 4];
        assert_eq!((messages(&alone), messages(&plan(&WHOLE, 4))), (local + all, 2 * all));
    }

    /// Progress whose time is over after some rows.
    struct Until(Cell<u64>);

    struct Listener(parking_lot::Mutex<Until>);

    impl Progress for Listener {
        fn begin(&self, _: u64) {}
        fn done(&self, work: u64) {
            let until = self.0.lock();
            until.0.set(until.0.get().saturating_sub(work));
        }
        fn is_over(&self) -> bool {
            self.0.lock().0.get() == 0
        }
    }

    #[test]
    fn a_measurement_goes_on_with_the_rows_that_are_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.jsonl");
        let cancel = CancelToken::new();
        let profile = || Profile::named("manna50");
        let run = |rows: u64| {
            let kept = RunFile::measured(&path).unwrap();
            let listener = Listener(parking_lot::Mutex::new(Until(Cell::new(rows))));
            measured(&SMALL, profile(), &kept, &cancel, &listener).unwrap()
        };
        let first = run(4);
        let rows = |measured: &Measured| measured.rows.iter().map(|row| row.pairs.len()).sum::<usize>();
        assert!(first.left > 0 && rows(&first) == 3, "{} rows, {} left", rows(&first), first.left);
        let text = std::fs::read_to_string(&path).unwrap();
        let second = run(7);
        assert!(std::fs::read_to_string(&path).unwrap().starts_with(&text));
        assert_eq!((rows(&second), first.left - second.left), (6, 3));
        assert_eq!(first.rows[0].pairs, second.rows[0].pairs[..first.rows[0].pairs.len()]);
    }
}
