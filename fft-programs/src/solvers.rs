//! The solvers of this crate.

use std::num::NonZeroUsize;
use std::sync::{Arc, LazyLock};

pub use crate::dataflow::manycore::solver::Stages;
pub use crate::dataflow::matrix::solver::Grouped;
pub use crate::dataflow::receiver::solver::Receiver;
pub use crate::dataflow::sender::solver::Sender;
pub use crate::dataflow::tall::solver::Tall;
pub use crate::dataflow::transpose::solver::Transpose;
pub use crate::dataflow::two_pass::solver::TwoPass;
use crate::planner::PlanError;
use crate::solver::Solver;

/// The solver of this name in blocks of so many points or rows.
///
/// # Errors
///
/// [`PlanError::NoSuchAlgorithm`] and [`PlanError::NoBlocks`].
pub fn in_blocks(name: &str, block: Option<NonZeroUsize>) -> Result<Arc<dyn Solver>, PlanError> {
    let found = all().iter().find(|solver| solver.name() == name);
    let solver = found.ok_or_else(|| PlanError::no_such(name, all().iter().map(|solver| solver.name())))?;
    match block {
        None => Ok(solver.clone()),
        Some(block) => solver.in_blocks(block).ok_or(PlanError::NoBlocks { algorithm: solver.name() }),
    }
}

/// All of them, in the order in which they are asked and measured.
pub fn all() -> &'static [Arc<dyn Solver>] {
    static ALL: LazyLock<Vec<Arc<dyn Solver>>> = LazyLock::new(|| {
        vec![
            Arc::new(Transpose::new()),
            Arc::new(Tall::new()),
            Arc::new(TwoPass::new()),
            Arc::new(Sender::new()),
            Arc::new(Grouped::new()),
            Arc::new(Transpose::ffte()),
            Arc::new(Receiver::shared()),
            Arc::new(Receiver::tree()),
            Arc::new(Stages::radix_2()),
            Arc::new(Stages::radix_2_local()),
            Arc::new(Stages::radix_4()),
            Arc::new(Stages::radix_8()),
        ]
    });
    &ALL
}
