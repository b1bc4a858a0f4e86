//! Runs that a report asks for. Each of them is done once, however often the report asks.
//!
//! A report is made twice. The first report asks for results that are not there yet, and [`Asked`] notes their runs.
//! [`Asked::run`] does the noted runs, and the second report finds all their results.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use earth_console::threads::each_once;
use earth_console::work::Progress;

/// Results by their runs, and the runs whose results were not there.
pub(crate) struct Asked<K, V> {
    done: BTreeMap<K, V>,
    missing: RefCell<BTreeSet<K>>,
}

impl<K, V> Default for Asked<K, V> {
    fn default() -> Self {
        Self { done: BTreeMap::new(), missing: RefCell::default() }
    }
}

impl<K: Clone + Ord + Send, V: Clone + Send> Asked<K, V> {
    /// The result of a run, if it was done. A run that was not done is noted.
    pub(crate) fn result(&self, run: &K) -> Option<V> {
        let result = self.done.get(run).cloned();
        if result.is_none() {
            self.missing.borrow_mut().insert(run.clone());
        }
        result
    }

    /// Does the noted runs on all cores. The runs with the greatest effort come first.
    ///
    /// # Errors
    ///
    /// The first error of a run.
    pub(crate) fn run<E: Send>(
        &mut self,
        effort: impl Fn(&K) -> u64,
        progress: &impl Progress,
        run: impl Fn(&K) -> Result<V, E> + Sync,
    ) -> Result<(), E> {
        self.done = each_once(self.missing.take(), effort, progress, run)?;
        Ok(())
    }

    /// Invents the results of the noted runs.
    #[cfg(test)]
    pub(crate) fn invent(&mut self, result: impl Fn(&K) -> V) {
        self.done = self.missing.take().into_iter().map(|run| (run.clone(), result(&run))).collect();
    }

    /// Whether all results that were asked for were there.
    pub(crate) fn is_whole(&self) -> bool {
        self.missing.borrow().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn runs_are_noted_once_and_then_there() {
        let mut asked = Asked::default();
        assert_eq!([3, 5, 3].map(|run| asked.result(&run)), [None; 3]);
        assert!(!asked.is_whole());
        let Ok(()) = asked.run(|_| 0, &(), |&run| Ok::<_, Infallible>(2 * run));
        assert_eq!([3, 5].map(|run| asked.result(&run)), [Some(6), Some(10)]);
        assert!(asked.is_whole());
        assert_eq!((asked.result(&4), asked.is_whole()), (None, false));
    }
}
