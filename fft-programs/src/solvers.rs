//! The solvers of this crate.

use std::sync::{Arc, LazyLock};

pub use crate::dataflow::batch::solver::Batch;
pub use crate::dataflow::tall::solver::Tall;
pub use crate::dataflow::transpose::solver::Transpose;
pub use crate::dataflow::two_pass::solver::TwoPass;
use crate::solver::Solver;

/// Returns all solvers of this crate, in the order in which a planner tries and measures them.
pub fn all() -> &'static [Arc<dyn Solver>] {
    static ALL: LazyLock<Vec<Arc<dyn Solver>>> = LazyLock::new(|| {
        vec![
            Arc::new(Transpose::new()),
            Arc::new(Tall::new()),
            Arc::new(TwoPass::new()),
            Arc::new(Batch::new()),
            Arc::new(Transpose::ffte()),
        ]
    });
    &ALL
}
