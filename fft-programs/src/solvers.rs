//! The solvers of this crate.

use std::sync::{Arc, LazyLock};

pub use crate::dataflow::tall::solver::Tall;
pub use crate::dataflow::transpose::solver::Transpose;
pub use crate::dataflow::two_pass::solver::TwoPass;
use crate::solver::Solver;

/// All of them, in the order in which they are asked and measured.
pub fn all() -> &'static [Arc<dyn Solver>] {
    static ALL: LazyLock<Vec<Arc<dyn Solver>>> = LazyLock::new(|| {
        vec![
            Arc::new(Transpose::new()),
            Arc::new(Tall::new()),
            Arc::new(TwoPass::new()),
            Arc::new(Transpose::ffte()),
        ]
    });
    &ALL
}
