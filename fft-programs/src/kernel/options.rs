//! How rows are transformed.

use earth_fftw::Effort;
use earth_kernels::Direction;

use super::Kernel;

/// How rows are transformed, whoever has them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowOptions {
    /// The kernel.
    pub kernel: Kernel,
    /// How hard its planner tries.
    pub effort: Effort,
    /// The direction.
    pub direction: Direction,
}

impl RowOptions {
    /// Rows in a direction by a kernel that is planned so hard.
    pub fn new(kernel: Kernel, effort: Effort, direction: Direction) -> Self {
        Self { kernel, effort, direction }
    }
}

impl From<Direction> for RowOptions {
    /// Rows in this direction by the project's own kernel.
    fn from(direction: Direction) -> Self {
        Self::new(Kernel::default(), Effort::default(), direction)
    }
}
