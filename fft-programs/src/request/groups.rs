//! Groups of nodes that share a matrix, as they are asked for.

use std::num::NonZeroUsize;
use std::sync::Arc;

use earth_fftw::{Effort, EffortError};
use earth_partition::{Grouping, PerformanceModel};
use serde::Serialize;

use super::refusal::Refusal;

pub use super::options::{Pad, Partition};
use crate::kernel::{Kernel, KernelNameError};

/// Groups of nodes, as somebody wants them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Groups {
    /// The number of groups p; found from the nodes if `None`.
    pub groups: Option<NonZeroUsize>,
    /// The nodes of a group t; found from the nodes if `None`.
    pub threads: Option<NonZeroUsize>,
    /// Who gets which rows.
    pub partition: Partition,
    /// How rows are padded.
    pub pad: Pad,
    /// The row kernel; that of the speed functions, or earth, if `None`.
    pub kernel: Option<Kernel>,
    /// How hard its planner tries; as it did for the speed functions, or by a guess, if `None`.
    pub effort: Option<Effort>,
    /// Whether each step of the transform waits for the one before everywhere.
    pub barrier: bool,
    /// The speed functions of the groups, if any were measured.
    pub speeds: Speeds,
}

/// Speed functions of the same groups, each for another padding: rows as they are, padded, through a chirp. Clones
/// share them.
pub type Speeds = Arc<[PerformanceModel]>;

/// How groups of nodes shared a matrix. The field names are the names in JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Shared {
    /// The nodes of each group.
    pub threads: usize,
    /// The rows of each group, of the matrix and of its transpose.
    pub distribution: [Vec<usize>; 2],
    /// The leading dimensions that groups' rows had at work, of the matrix and of its transpose; 0 is their length.
    pub strides: [Vec<usize>; 2],
    /// The lengths that groups' chirps went through, of the matrix and of its transpose; 0 is no chirp.
    pub chirps: [Vec<usize>; 2],
    /// The lengths to which rows were filled up with zeros, if they were: then the result is not the transform.
    pub spectrum: Option<[usize; 2]>,
    /// The row kernel.
    pub kernel: Kernel,
    /// Whether steps waited for each other.
    pub barrier: bool,
}

impl Groups {
    /// The row kernel: the one asked for, else the one measured, else earth.
    ///
    /// # Errors
    ///
    /// Speed functions of a kernel that has no such name.
    pub fn kernel(&self) -> Result<Kernel, Refusal> {
        match (&self.kernel, self.speeds.first()) {
            (Some(kernel), _) => Ok(kernel.clone()),
            (None, Some(model)) => model
                .kernel()
                .name
                .parse()
                .map_err(|error: KernelNameError| Refusal::Unmeasured(error.to_string())),
            (None, None) => Ok(Kernel::default()),
        }
    }

    /// How hard its planner tries: as asked for, else as it did for the measurements, else by a guess.
    ///
    /// # Errors
    ///
    /// Speed functions of an effort that has no such name.
    pub fn effort(&self) -> Result<Effort, Refusal> {
        let measured = self.speeds.first().and_then(|model| model.kernel().effort.as_deref());
        match (self.effort, measured) {
            (Some(effort), _) => Ok(effort),
            (None, Some(name)) => {
                name.parse().map_err(|error: EffortError| Refusal::Unmeasured(error.to_string()))
            }
            (None, None) => Ok(Effort::default()),
        }
    }

    /// The groups and the nodes of each, if `nodes` nodes were asked for or, if none were, `usual` are usual: what
    /// was not said follows from the rest, and without anything each node is a group.
    ///
    /// # Errors
    ///
    /// Groups that are not the nodes asked for, or more nodes than can be counted, or than `most`.
    pub fn processors(&self, nodes: Option<usize>, usual: usize, most: usize) -> Result<Grouping, Refusal> {
        let fits = |grouping: Grouping| {
            let nodes = grouping.groups.saturating_mul(grouping.threads);
            if nodes > most { Err(Refusal::NoSuchMachine { nodes, most }) } else { Ok(grouping) }
        };
        let [groups, threads] = [self.groups, self.threads].map(|number| number.map(NonZeroUsize::get));
        // Speed functions are those of their own groups.
        let measured = self.speeds.first().map(PerformanceModel::grouping);
        if let (Some(measured), None, None, None) = (measured, groups, threads, nodes) {
            return fits(measured);
        }
        let whole = nodes.unwrap_or(usual);
        let [groups, threads] = match (groups, threads) {
            (Some(groups), Some(threads)) => [groups, threads],
            (Some(groups), None) => [groups, (whole / groups).max(1)],
            (None, Some(threads)) => [(whole / threads).max(1), threads],
            (None, None) => [whole, 1],
        };
        let product = groups.checked_mul(threads).ok_or(Refusal::TooManyGroups { groups, threads })?;
        match nodes {
            Some(nodes) if nodes != product => Err(Refusal::NodesOfGroups { groups, threads, nodes }),
            _ => fits(Grouping { groups, threads }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(groups: usize, threads: usize, nodes: usize, usual: usize) -> Result<[usize; 2], Refusal> {
        let [groups, threads] = [groups, threads].map(NonZeroUsize::new);
        let asked = Groups { groups, threads, ..Groups::default() };
        let nodes = Some(nodes).filter(|&nodes| nodes > 0);
        asked.processors(nodes, usual, 64).map(|Grouping { groups, threads }| [groups, threads])
    }

    #[test]
    fn what_was_not_said_follows_from_the_rest() {
        assert_eq!(machine(2, 3, 0, 4), Ok([2, 3]));
        assert_eq!(machine(2, 3, 6, 4), Ok([2, 3]));
        assert_eq!(machine(2, 0, 6, 4), Ok([2, 3]));
        assert_eq!(machine(0, 2, 6, 4), Ok([3, 2]));
        assert_eq!(machine(2, 0, 0, 4), Ok([2, 2]));
        assert_eq!(machine(0, 2, 0, 4), Ok([2, 2]));
        assert_eq!(machine(8, 0, 0, 4), Ok([8, 1]), "more groups than are usual");
        assert_eq!(machine(0, 8, 0, 4), Ok([1, 8]));
        assert_eq!(machine(0, 0, 0, 4), Ok([4, 1]));
        assert_eq!(machine(0, 0, 3, 4), Ok([3, 1]));
    }

    #[test]
    fn other_nodes_than_the_groups_have_are_refused() {
        let refused = |groups, threads, nodes| Err(Refusal::NodesOfGroups { groups, threads, nodes });
        assert_eq!(machine(2, 3, 5, 4), refused(2, 3, 5));
        assert_eq!(machine(4, 0, 6, 4), refused(4, 1, 6));
        assert_eq!(machine(0, 4, 6, 4), refused(1, 4, 6));
        assert_eq!(machine(8, 0, 6, 4), refused(8, 1, 6));
        assert_eq!(machine(13, 5, 0, 4), Err(Refusal::NoSuchMachine { nodes: 65, most: 64 }));
        let groups = usize::MAX;
        assert_eq!(machine(groups, 2, 0, 4), Err(Refusal::TooManyGroups { groups, threads: 2 }));
    }
}
