//! A cost model of the program's own.

use std::fmt;
use std::sync::Arc;

use super::{END_OF_TIME, Operations, Work};
use crate::vocabulary::custom::{PolicyFault, PolicyUse};

/// The costs that depend on the length of a block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BlockCost {
    /// A block on its own node.
    Local,
    /// Sending a message with a block to another node.
    Sending,
    /// Receiving and applying a message with a block.
    Receiving,
    /// Writing back the part of a block that one of two processors has in its cache.
    Flushing,
}

/// Costs of a simulated machine, in processor cycles. Each method gets the usual cost and returns it by
/// default. The usual cost is the cost in the machine's profile, times the node's
/// [slowness](crate::simulated::Faults::slowness).
///
/// One object serves all nodes. [`Policies::costs`](crate::policy::Policies::costs) gives it to a machine.
///
/// ```
/// use earth::policy::{CostModel, Policies};
/// use earth::Work;
///
/// /// Every other node works at half the speed.
/// struct BigAndLittle;
///
/// impl CostModel for BigAndLittle {
///     fn work(&self, node: usize, _work: Work, usual: u64) -> u64 {
///         if node % 2 == 0 { usual } else { 2 * usual }
///     }
/// }
///
/// let policies = Policies::new().costs("big-little", BigAndLittle);
/// ```
///
/// # Bounds
///
/// A cost of a block or of work is limited to 2^62 cycles, the end of virtual time. A run that reaches it
/// ends with [`Error::TooLong`](crate::Error::TooLong). The answers should depend on their arguments only:
/// then equal seeds give equal runs.
///
/// # Errors of the run
///
/// A cost of an operation above a thousand million cycles ends the run with
/// [`Error::Policy`](crate::Error::Policy). So does a panic.
pub trait CostModel: Send + Sync {
    /// Returns the costs of the operations of a node. A machine calls this when it is built.
    fn operations(&self, node: usize, usual: &Operations) -> Operations {
        let _ = node;
        usual.clone()
    }

    /// Returns the cost of handling a block of `bytes` bytes on a node.
    fn block(&self, node: usize, cost: BlockCost, bytes: u64, usual: u64) -> u64 {
        let _ = (node, cost, bytes);
        usual
    }

    /// Returns the cost of work that a fiber reports on a node.
    fn work(&self, node: usize, work: Work, usual: u64) -> u64 {
        let _ = (node, work);
        usual
    }
}

/// The cost model of one node.
#[derive(Clone)]
pub(crate) struct NodeModel {
    pub(crate) user: PolicyUse,
    pub(crate) model: Arc<dyn CostModel>,
}

impl NodeModel {
    /// Returns the costs of operations, which replace the usual ones.
    pub(crate) fn operations(&self, usual: &Operations) -> Operations {
        let operations = self.user.guard(|| self.model.operations(self.user.node, usual));
        if !operations.are_in_range() {
            self.user.fault("charges more than a thousand million cycles for an operation".to_owned());
        }
        operations
    }

    #[cold]
    pub(super) fn block(&self, cost: BlockCost, bytes: u64, usual: u64) -> u64 {
        self.user.guard(|| self.model.block(self.user.node, cost, bytes, usual)).min(END_OF_TIME)
    }

    #[cold]
    pub(super) fn work(&self, work: Work, usual: u64) -> Result<u64, PolicyFault> {
        let cost = self.user.try_call(|| self.model.work(self.user.node, work, usual))?;
        Ok(cost.min(END_OF_TIME))
    }
}

impl fmt::Debug for NodeModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.user, f)
    }
}
