//! Options of row transforms.

use earth_fftw::Effort;
use earth_kernels::Direction;

use super::Kernel;

/// Options of row transforms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowOptions {
    /// Row kernel.
    pub kernel: Kernel,
    /// Planning effort of a library.
    pub effort: Effort,
    /// Direction of the transform.
    pub direction: Direction,
}

impl RowOptions {
    /// Makes the options of rows.
    pub fn new(kernel: Kernel, effort: Effort, direction: Direction) -> Self {
        Self { kernel, effort, direction }
    }
}

impl From<Direction> for RowOptions {
    /// Makes the options of rows in this direction by the project's own kernel.
    fn from(direction: Direction) -> Self {
        Self::new(Kernel::default(), Effort::default(), direction)
    }
}
