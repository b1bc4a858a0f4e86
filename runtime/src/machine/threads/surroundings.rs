//! The nodes of a run on threads, and its input, as a stall monitor sees them.

use std::sync::Arc;

use super::super::stall::{NodeState, Rest, Surroundings, WatchedRun};
use super::super::units::Units as _;
use super::ThreadsShared;
use super::transport::SharedTransport;

/// Returns what a monitor looks at during a run. No worker may be working.
pub(super) fn watched_run(shared: &Arc<ThreadsShared>, roads: &Arc<SharedTransport>) -> WatchedRun {
    let surroundings = PoolSurroundings { shared: Arc::clone(shared), roads: Arc::clone(roads) };
    WatchedRun { units: (&**shared).activities(), surroundings: Box::new(surroundings) }
}

/// Surroundings of one run.
struct PoolSurroundings {
    shared: Arc<ThreadsShared>,
    roads: Arc<SharedTransport>,
}

impl Surroundings for PoolSurroundings {
    fn is_input_open(&self) -> bool {
        self.shared.outside.lock().is_open
    }

    fn node_state(&self, node: usize) -> NodeState {
        let ThreadsShared { one_thread, sleepers, .. } = &*self.shared;
        let SharedTransport { ends, homes, executors, .. } = &*self.roads;
        let one_thread = one_thread.is_raised();
        let sleeps = |worker| !one_thread && sleepers.is_announced(worker);
        NodeState {
            worker: if one_thread { 0 } else { executors[node] },
            rest: if sleeps(executors[node]) && sleeps(homes[node]) { Rest::Sleeps } else { Rest::Looks },
            messages: ends.inboxes[node].waiting(),
            shared: ends.shared[node].waiting(),
        }
    }
}
