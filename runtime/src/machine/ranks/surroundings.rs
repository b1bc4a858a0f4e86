//! This rank's node in a run, and its input, as a stall monitor sees them.

use std::sync::Arc;

use earth_signal::{Flag, Stealer};

use super::super::stall::{Beginning, NodeState, Rest, Surroundings};
use super::Built;
use super::injector::InjectorQueue;
use crate::node::function::{InboxSender, Token};

/// Surroundings of one run.
pub(super) struct RankSurroundings {
    rank: usize,
    has_begun: Flag,
    injector: Option<Arc<InjectorQueue>>,
    inbox: InboxSender,
    shared: Stealer<Token>,
}

impl RankSurroundings {
    pub(super) fn new(rank: usize, built: &Built, injector: Option<Arc<InjectorQueue>>) -> Self {
        RankSurroundings {
            rank,
            has_begun: built.has_begun.clone(),
            injector,
            inbox: built.ends.inbox.clone(),
            shared: built.ends.shared.clone(),
        }
    }
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

    fn node_state(&self, _node: usize) -> NodeState {
        let (messages, shared) = (self.inbox.waiting(), self.shared.waiting());
        NodeState { worker: 0, rest: Rest::Idle, messages, shared }
    }
}
