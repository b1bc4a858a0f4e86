//! The nodes of this process in a run, and its input, as a stall monitor sees them.

use std::sync::Arc;

use earth_signal::Flag;

use super::super::stall::{Beginning, NodeState, Rest, Surroundings};
use super::super::threads::SharedTransport;
use super::injector::InjectorQueue;

/// Surroundings of one run.
pub(super) struct RankSurroundings {
    pub(super) rank: usize,
    /// Number of the process's first node.
    pub(super) first_node: usize,
    /// Whether neither the link nor a heartbeat reports a lost rank.
    pub(super) hides_losses: bool,
    pub(super) has_begun: Flag,
    pub(super) injector: Option<Arc<InjectorQueue>>,
    pub(super) roads: Arc<SharedTransport>,
}

impl Surroundings for RankSurroundings {
    fn beginning(&self) -> Beginning {
        match (self.has_begun.is_raised(), self.rank) {
            (true, _) => Beginning::Over,
            (false, 0) => Beginning::AwaitsRanks,
            (false, _) => Beginning::NotBegun,
        }
    }

    fn is_input_open(&self) -> bool {
        self.injector.as_ref().is_some_and(|injector| injector.is_open())
    }

    fn hides_losses(&self) -> bool {
        self.hides_losses
    }

    fn node_state(&self, node: usize) -> NodeState {
        let SharedTransport { ends, executors, .. } = &*self.roads;
        let node = node - self.first_node;
        let (messages, shared) = (ends.inboxes[node].waiting(), ends.shared[node].waiting());
        NodeState { worker: executors[node], rest: Rest::Idle, messages, shared }
    }
}
