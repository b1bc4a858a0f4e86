//! The placement of units on the threads of a machine.

use std::sync::Arc;

use super::custom::PolicyUse;

/// A unit of a node, as a [`Placement`] sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct UnitPlace {
    /// The number of the node.
    pub node: usize,
    /// The number of nodes.
    pub nodes: usize,
    /// The number of units of a node: 1 in SPN, 2 in DUAL.
    pub units: usize,
    /// Whether this is the synchronization unit of a DUAL node.
    pub synchronizes: bool,
}

/// Selects which worker steps a unit. A worker is a thread; a machine has at most one for each core and unit.
///
/// # Bounds
///
/// Each worker has a unit: a placement that leaves a worker without one ends the run with
/// [`Error::Policy`](crate::Error::Policy). Worker 0 is the calling thread. On a machine of
/// [ranks](crate::ranks), nodes are numbered within their rank, and the worker of the first node's
/// synchronization unit is the calling thread.
///
/// # Examples
///
/// ```
/// use earth::Machine;
/// use earth::policy::{Placement, Policies, UnitPlace};
///
/// /// Deals the nodes to the workers in turn.
/// struct InTurn;
///
/// impl Placement for InTurn {
///     fn worker(&self, unit: UnitPlace, workers: usize) -> usize {
///         unit.node % workers
///     }
/// }
///
/// let machine = Machine::threads(4).policies(Policies::new().placement("in-turn", InTurn));
/// ```
pub trait Placement: Send + Sync {
    /// Returns the worker of a unit, below `workers`. Equal questions have equal answers.
    fn worker(&self, unit: UnitPlace, workers: usize) -> usize;
}

/// The built-in placement: neighboring nodes share a worker, and so do the two units of a DUAL node.
struct Neighbors;

impl Placement for Neighbors {
    fn worker(&self, unit: UnitPlace, workers: usize) -> usize {
        let number = unit.node * unit.units + usize::from(unit.synchronizes);
        number * workers / (unit.nodes * unit.units)
    }
}

/// A placement with its name.
#[derive(Clone)]
pub(crate) struct NamedPlacement {
    pub(crate) name: Arc<str>,
    pub(crate) placement: Arc<dyn Placement>,
}

/// Returns the workers of all units, node by node: of the execution unit, and of the unit that owns the
/// slots. In SPN these are one unit. On a machine of ranks, the calling thread synchronizes: it gets the unit
/// that owns the first node's slots.
///
/// A wrong answer or a panic of a program's own placement unwinds as a fault of the policy.
pub(crate) fn workers_of(
    own: Option<&NamedPlacement>,
    nodes: usize,
    units: usize,
    workers: usize,
    calling_synchronizes: bool,
) -> Vec<[usize; 2]> {
    let worker = |node: usize, synchronizes: bool| {
        let unit = UnitPlace { node, nodes, units, synchronizes };
        let Some(NamedPlacement { name, placement }) = own else {
            return Neighbors.worker(unit, workers);
        };
        let user = PolicyUse { name: Arc::clone(name), node };
        let worker = user.guard(|| placement.worker(unit, workers));
        if worker >= workers {
            user.fault(format!("named worker {worker} of {workers}"));
        }
        worker
    };
    let mut placed: Vec<_> =
        (0..nodes).map(|node| [false, units > 1].map(|second| worker(node, second))).collect();
    let idle = (0..workers).find(|worker| !placed.iter().flatten().any(|at| at == worker));
    if let (Some(NamedPlacement { name, .. }), Some(idle)) = (own, idle) {
        PolicyUse { name: Arc::clone(name), node: 0 }.fault(format!("left worker {idle} without a unit"));
    }
    if calling_synchronizes && let Some(&[_, calling]) = placed.first() {
        // The calling thread is worker 0.
        for worker in placed.iter_mut().flatten() {
            *worker = match *worker {
                0 => calling,
                worker if worker == calling => 0,
                worker => worker,
            };
        }
    }
    placed
}
