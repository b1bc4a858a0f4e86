//! The exchanges that the report needs, each run once, on as many threads as there are usable cores.

use std::collections::{BTreeMap, BTreeSet};

use earth::CancelToken;
use earth::simulated::Profile;
use parking_lot::Mutex;

use super::exchange::{Exchange, Measured};
use crate::computer::usable_cores;
use crate::progress::Progress;
use crate::threads::share;

/// What came of exchanges.
pub(crate) type Runs = BTreeMap<Exchange, Measured>;

/// Runs all of them. Nothing if that was cancelled.
pub(crate) fn run(
    exchanges: BTreeSet<Exchange>,
    profile: &Profile,
    cancel: &CancelToken,
    progress: &impl Progress,
) -> Option<Runs> {
    let mut order: Vec<_> = exchanges.into_iter().collect();
    order.sort_by_key(|exchange| std::cmp::Reverse(exchange.packet_hops(profile)));
    progress.begin(order.len() as u64);
    let threads = usable_cores().min(order.len());
    let (left, runs) = (Mutex::new(order.into_iter()), Mutex::new(Some(Runs::new())));
    share(threads, || {
        let next = || left.lock().next();
        while let Some(exchange) = next() {
            let measured = exchange.run(profile, cancel);
            progress.done(1);
            let mut all = runs.lock();
            let (Some(runs), Some(measured)) = (all.as_mut(), measured) else {
                *all = None;
                break;
            };
            runs.insert(exchange, measured);
        }
    });
    runs.into_inner()
}
