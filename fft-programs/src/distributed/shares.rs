//! Unequal shares of ranks, for ranks of unequal speed.

use crate::planner::PlanError;
use crate::problem::UntypedProblem;

/// Lengths of the ranges that ranks have of the first dimension while it is cut, and of the second.
///
/// The first lengths distribute the transform of all dimensions except the first, the second lengths the
/// transform of the first dimension.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shares {
    lengths: [Vec<usize>; 2],
    /// Work of each rank in thousandths of the usual work, or empty.
    paces: Vec<u32>,
}

impl Shares {
    /// Makes shares of these lengths, one for each rank.
    pub fn new(first: Vec<usize>, second: Vec<usize>) -> Self {
        Self { lengths: [first, second], paces: Vec::new() }
    }

    /// Has the work of rank `i` take `paces[i]` thousandths of its usual time on simulated machines. Real
    /// cores ignore it. A missing entry means the usual pace.
    #[must_use]
    pub fn paces(self, paces: Vec<u32>) -> Self {
        Self { paces, ..self }
    }

    /// Returns the number of ranks.
    pub fn ranks(&self) -> usize {
        self.lengths[0].len()
    }

    /// Returns the length of each rank's range of the first (0) or the second dimension (1).
    ///
    /// # Panics
    ///
    /// If `dimension` is neither.
    pub fn of(&self, dimension: usize) -> &[usize] {
        &self.lengths[dimension]
    }

    /// Returns the paces of ranks. A rank without an entry has the usual pace.
    pub(super) fn all_paces(&self) -> &[u32] {
        &self.paces
    }

    /// Checks that the shares cover the first two dimensions of a problem.
    ///
    /// # Errors
    ///
    /// [`PlanError::NeedsMatrix`] for a series, [`PlanError::Shares`] for lengths that do not add up, or for
    /// different numbers of ranks.
    pub(super) fn check(&self, problem: &UntypedProblem) -> Result<(), PlanError> {
        let lengths = problem.lengths();
        if lengths.len() < 2 {
            return Err(PlanError::NeedsMatrix { algorithm: "distributed" });
        }
        let last = if problem.is_real() && lengths.len() == 2 { lengths[1] / 2 + 1 } else { lengths[1] };
        for (dimension, length) in [lengths[0], last].into_iter().enumerate() {
            let shares = self.of(dimension);
            let total = shares.iter().try_fold(0_usize, |total, share| total.checked_add(*share));
            if total != Some(length) || shares.len() != self.ranks() {
                return Err(PlanError::Shares { dimension, length });
            }
        }
        Ok(())
    }
}
