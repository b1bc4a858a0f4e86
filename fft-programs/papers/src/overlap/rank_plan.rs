//! The plan that all ranks share, and the call of a process.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use earth::Shared;
use earth_fft::dataflow::points::{Points, row_of};
use earth_fft::distributed::RankArrays;
use earth_kernels::{Direction, Real, RowKernel};
use earth_memory::{NoMemory, Pool};
use serde::{Deserialize, Serialize};

use super::layout::Layout;
use super::parameters::{Parameters, Size};
use super::schedule::Variant;

/// How a tile is exchanged.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rounds {
    /// All blocks are sent at once, as by `LibNBC`.
    #[default]
    AllAtOnce,
    /// p - 1 rounds. In round r a rank sends to the r-th rank after it and receives from the r-th rank before
    /// it. A round begins when the block of the round before has arrived, as in `MPICH` for long messages.
    Pairwise,
}

/// Plan that all ranks share. Each process has one for its ranks.
pub struct OverlapRanks<T: Real> {
    pub(super) size: Size,
    pub(super) variant: Variant,
    /// Parameters as the variant uses them.
    pub(super) parameters: Parameters,
    pub(super) rounds: Rounds,
    pub(super) layout: Layout,
    /// Whether the output goes back to the ranks and to the order of the input.
    pub(super) returns: bool,
    /// Whether the transforms along z and the transposition are left out.
    pub(super) tiles_alone: bool,
    pub(super) direction: Direction,
    /// Factor of the result.
    pub(super) factor: T,
    /// Kernels of rows along x, y and z, or `None` if the plan is for phantoms.
    pub(super) kernels: Option<[Arc<dyn RowKernel<T>>; 3]>,
    pub(super) memory: Pool,
}

impl<T: Real> OverlapRanks<T> {
    /// Returns the number of tiles.
    pub(super) fn tiles(&self) -> usize {
        self.size.lengths[2].div_ceil(self.parameters.tile)
    }

    /// Returns the planes of z of a tile.
    pub(super) fn planes(&self, tile: usize) -> Range<usize> {
        let first = tile * self.parameters.tile;
        first..self.size.lengths[2].min(first + self.parameters.tile)
    }

    /// Returns whether a rank has points for another one.
    pub(super) fn sends(&self, from: usize, to: usize) -> bool {
        self.size.part(0, from) > 0 && self.size.part(1, to) > 0
    }

    /// Returns the number of points of a rank's output before its return.
    pub(super) fn output_len(&self, rank: usize) -> usize {
        let [nx, _, nz] = self.size.lengths;
        self.size.part(1, rank) * nx * nz
    }

    /// Returns the scratch of a call of any kernel, in points.
    pub(super) fn scratch_len(&self) -> usize {
        self.kernels.iter().flatten().map(|kernel| kernel.scratch_len()).max().unwrap_or(0)
    }

    /// Returns a row of `points` points with arbitrary contents. Its last handle returns it to the plan.
    pub(super) fn row(&self, points: usize) -> Result<Points<T>, NoMemory> {
        row_of(self.kernels.as_ref().map(|_| &self.memory), points)
    }
}

impl<T: Real> fmt::Debug for OverlapRanks<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OverlapRanks").field("size", &self.size).finish_non_exhaustive()
    }
}

/// A call in one process: the plan, and the arrays of the process's ranks.
#[derive(Debug)]
pub struct OverlapCall<T: Real> {
    pub(super) plan: Shared<OverlapRanks<T>>,
    pub(super) arrays: RankArrays<Points<T>>,
}
