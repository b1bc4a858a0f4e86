//! State of a machine that a stall monitor sees in addition to the fibers of its execution units.

/// State of a run outside of its fibers, as another thread sees it at this moment.
pub(in crate::machine) trait Surroundings: Send {
    /// Returns how far the beginning of the run has come.
    fn beginning(&self) -> Beginning {
        Beginning::Over
    }

    /// Returns whether threads outside may still start functions in the run.
    fn is_input_open(&self) -> bool {
        false
    }

    /// Returns whether a lost rank would go unnoticed.
    fn hides_losses(&self) -> bool {
        false
    }

    /// Returns the state of a node that publishes its fibers.
    fn node_state(&self, _node: usize) -> NodeState {
        NodeState { worker: 0, rest: Rest::Idle, messages: 0, shared: 0 }
    }
}

/// Surroundings of a machine that the calling thread steps. No monitor prints them.
impl Surroundings for () {}

/// Beginning of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::machine) enum Beginning {
    /// Another rank decides when the run begins.
    NotBegun,
    /// The run begins when all ranks have greeted this rank.
    AwaitsRanks,
    Over,
}

/// State of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::machine) struct NodeState {
    /// Number of the thread that runs its fibers.
    pub(in crate::machine) worker: usize,
    /// Activity of its threads while they run no fiber.
    pub(in crate::machine) rest: Rest,
    /// Number of messages in its inbox.
    pub(in crate::machine) messages: usize,
    /// Number of tokens that other nodes may take.
    pub(in crate::machine) shared: usize,
}

/// Activity of the threads of a node that runs no fiber.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::machine) enum Rest {
    Sleeps,
    /// It looks for work, or applies operations.
    Looks,
    /// It has no work, and may look for it or sleep.
    Idle,
}
