//! Cache of the runs that a report asks for: each run is done once, however often the report asks for it.
//!
//! A report is made twice. The first pass asks for results that do not exist yet, and [`RunCache`] records
//! their runs. [`RunCache::run`] does the recorded runs, and the second pass finds all their results.
//!
//! *Kept runs.* [`RunFile`] keeps each result in a file as soon as its run is done. A report that is made
//! again takes up the runs of the file and does the others.

mod clock;
mod error;
mod file;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use earth_console::threads::each_once;
use earth_console::work::Progress;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) use clock::Clock;
pub use error::SimulateError;
pub use file::{RunFile, RunFileError};

/// Results by run, and the recorded runs whose results are missing.
pub(crate) struct RunCache<K, V> {
    done: BTreeMap<K, V>,
    missing: RefCell<BTreeSet<K>>,
}

impl<K, V> Default for RunCache<K, V> {
    fn default() -> Self {
        Self { done: BTreeMap::new(), missing: RefCell::default() }
    }
}

impl<K: Clone + Ord + Send + Serialize, V: Clone + Send + Serialize + DeserializeOwned> RunCache<K, V> {
    /// Returns the result of a run if the run was done; otherwise records the run and returns `None`.
    pub(crate) fn result(&self, run: &K) -> Option<V> {
        let result = self.done.get(run).cloned();
        if result.is_none() {
            self.missing.borrow_mut().insert(run.clone());
        }
        result
    }

    /// Does the recorded runs on all cores, in descending order of effort. Runs that `kept` has are not done
    /// again.
    ///
    /// # Errors
    ///
    /// Returns the first error of a run, or of the file.
    pub(crate) fn run(
        &mut self,
        kept: &RunFile,
        effort: impl Fn(&K) -> u64,
        progress: &impl Progress,
        run: impl Fn(&K) -> Result<V, SimulateError> + Sync,
    ) -> Result<(), SimulateError> {
        let (mut known, mut left) = (Vec::new(), Vec::new());
        for run in self.missing.take() {
            match kept.result(&run) {
                Some(result) => known.push((run, result)),
                None => left.push(run),
            }
        }
        let run = |key: &K| {
            let clock = Clock::start();
            let result = run(key)?;
            kept.add(key, &result, clock.seconds())?;
            Ok::<_, SimulateError>(result)
        };
        self.done.extend(known);
        self.done.extend(each_once(left, effort, progress, run)?);
        Ok(())
    }

    /// Returns the number of runs whose results are known.
    pub(crate) fn number(&self) -> usize {
        self.done.len()
    }

    /// Invents the results of the recorded runs.
    #[cfg(test)]
    pub(crate) fn invent(&mut self, result: impl Fn(&K) -> V) {
        self.done.extend(self.missing.take().into_iter().map(|run| (run.clone(), result(&run))));
    }

    /// Yields the results of the runs that were done.
    pub(crate) fn results(&self) -> impl Iterator<Item = &V> {
        self.done.values()
    }

    /// Yields the runs that were done.
    pub(crate) fn done(&self) -> impl Iterator<Item = &K> {
        self.done.keys()
    }

    /// Returns whether every result that was asked for existed.
    pub(crate) fn is_whole(&self) -> bool {
        self.missing.borrow().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use parking_lot::Mutex;

    use super::*;

    fn run(cache: &mut RunCache<u32, f64>, kept: &RunFile) -> Vec<u32> {
        let done = Mutex::new(Vec::new());
        let ran = cache.run(
            kept,
            |_| 0,
            &(),
            |&run| {
                done.lock().push(run);
                Ok(f64::from(run) / 3.0)
            },
        );
        ran.unwrap();
        let mut done = done.into_inner();
        done.sort_unstable();
        done
    }

    #[test]
    fn runs_are_requested_once_and_then_present() {
        let mut cache = RunCache::default();
        assert_eq!([3, 5, 3].map(|run| cache.result(&run)), [None; 3]);
        assert!(!cache.is_whole());
        assert_eq!(run(&mut cache, &RunFile::default()), [3, 5]);
        assert_eq!([3, 5].map(|run| cache.result(&run)), [Some(1.0), Some(5.0 / 3.0)]);
        assert!(cache.is_whole());
        assert_eq!((cache.result(&4), cache.is_whole(), cache.number()), (None, false, 2));
    }
}
