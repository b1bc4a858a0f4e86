//! Cache of the runs that a report asks for: each run is done once, however often the report asks for it.
//!
//! A report is made twice. The first pass asks for results that do not exist yet, and [`RunCache`] records
//! their runs. [`RunCache::run`] does the recorded runs, and the second pass finds all their results.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use earth_console::threads::each_once;
use earth_console::work::Progress;

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

impl<K: Clone + Ord + Send, V: Clone + Send> RunCache<K, V> {
    /// Returns the result of a run if the run was done; otherwise records the run and returns `None`.
    pub(crate) fn result(&self, run: &K) -> Option<V> {
        let result = self.done.get(run).cloned();
        if result.is_none() {
            self.missing.borrow_mut().insert(run.clone());
        }
        result
    }

    /// Does the recorded runs on all cores, in descending order of effort.
    ///
    /// # Errors
    ///
    /// Returns the first error of a run.
    pub(crate) fn run<E: Send>(
        &mut self,
        effort: impl Fn(&K) -> u64,
        progress: &impl Progress,
        run: impl Fn(&K) -> Result<V, E> + Sync,
    ) -> Result<(), E> {
        self.done = each_once(self.missing.take(), effort, progress, run)?;
        Ok(())
    }

    /// Invents the results of the recorded runs.
    #[cfg(test)]
    pub(crate) fn invent(&mut self, result: impl Fn(&K) -> V) {
        self.done = self.missing.take().into_iter().map(|run| (run.clone(), result(&run))).collect();
    }

    /// Returns whether every result that was asked for existed.
    pub(crate) fn is_whole(&self) -> bool {
        self.missing.borrow().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn runs_are_requested_once_and_then_present() {
        let mut cache = RunCache::default();
        assert_eq!([3, 5, 3].map(|run| cache.result(&run)), [None; 3]);
        assert!(!cache.is_whole());
        let Ok(()) = cache.run(|_| 0, &(), |&run| Ok::<_, Infallible>(2 * run));
        assert_eq!([3, 5].map(|run| cache.result(&run)), [Some(6), Some(10)]);
        assert!(cache.is_whole());
        assert_eq!((cache.result(&4), cache.is_whole()), (None, false));
    }
}
