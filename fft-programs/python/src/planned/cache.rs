//! A bounded cache of plans, found by their problems. A full cache drops the plan that was used longest ago.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use earth_signal::ProcessLock;
use pyo3::prelude::*;
use smallvec::SmallVec;

use crate::planned::Planned;

/// A problem as numbers. Keys of few axes need no allocation.
pub(crate) type Key = SmallVec<[isize; 24]>;

/// The number of plans that are kept unless `set_cache_size` sets it.
const PLANS: usize = 256;

#[derive(Debug)]
struct Cache {
    plans: HashMap<Key, (Arc<Planned>, u64)>,
    most: usize,
    /// Counts uses.
    clock: u64,
    hits: u64,
    misses: u64,
}

impl Default for Cache {
    fn default() -> Self {
        Self { plans: HashMap::new(), most: PLANS, clock: 0, hits: 0, misses: 0 }
    }
}

impl Cache {
    fn shrink(&mut self, most: usize) -> Vec<Arc<Planned>> {
        let mut dropped = Vec::new();
        while self.plans.len() > most {
            let Some(oldest) =
                self.plans.iter().min_by_key(|(_, (_, used))| *used).map(|(key, _)| key.clone())
            else {
                break;
            };
            dropped.extend(self.plans.remove(&oldest).map(|(plan, _)| plan));
        }
        dropped
    }
}

/// A forked child may be unable to lock it. It then plans each call.
static CACHE: LazyLock<ProcessLock<Cache>> = LazyLock::new(ProcessLock::default);

/// Returns the plan of a problem, which `plan` makes unless the cache has it. Several threads may plan at
/// once.
///
/// # Errors
///
/// The error of `plan`.
pub(crate) fn get(key: Key, plan: impl FnOnce() -> PyResult<Planned>) -> PyResult<Arc<Planned>> {
    if let Some(mut cache) = CACHE.lock() {
        cache.clock += 1;
        let clock = cache.clock;
        if let Some((plan, used)) = cache.plans.get_mut(&key) {
            *used = clock;
            let plan = Arc::clone(plan);
            cache.hits += 1;
            return Ok(plan);
        }
        cache.misses += 1;
    }
    let plan = Arc::new(plan()?);
    // Dropping a plan may join threads, so plans are dropped after the cache is unlocked.
    let _dropped = CACHE.lock().map(|mut cache| {
        let (most, clock) = (cache.most, cache.clock);
        if most > 0 {
            let before = cache.plans.insert(key, (Arc::clone(&plan), clock));
            let mut dropped = cache.shrink(most);
            dropped.extend(before.map(|(plan, _)| plan));
            return dropped;
        }
        Vec::new()
    });
    Ok(plan)
}

/// Drops all plans.
pub(crate) fn clear() {
    let _dropped = CACHE.lock().map(|mut cache| std::mem::take(&mut cache.plans));
}

/// Return the counts of the cache of plans: (hits, misses, plans, most plans).
#[pyfunction]
pub(crate) fn cache_info() -> (u64, u64, usize, usize) {
    CACHE.lock().map_or((0, 0, 0, 0), |cache| (cache.hits, cache.misses, cache.plans.len(), cache.most))
}

/// Drop all plans of the cache.
#[pyfunction]
pub(crate) fn clear_cache() {
    clear();
}

/// Set the most plans that the cache keeps. The default is 256, and 0 keeps none.
#[pyfunction]
pub(crate) fn set_cache_size(plans: usize) {
    let _dropped = CACHE.lock().map(|mut cache| {
        cache.most = plans;
        cache.shrink(plans)
    });
}
