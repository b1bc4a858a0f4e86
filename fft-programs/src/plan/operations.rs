//! Counts of the operations of a plan's kernels in a call.

use earth_codelets::{Along, Isa, Operations, operations, real_operations};
use earth_serial::Method;

use super::Plan;
use crate::advisor::{Pass, PassWork};
use crate::precision::Precision;
use crate::problem::Kind;

impl<T: Precision, K: Kind> Plan<T, K> {
    /// Returns the numbers that a call computes, moves between memory and registers, and shuffles between
    /// vector lanes, as the kernels' plans count them. `None` in these cases:
    ///
    /// * The plan is for phantoms.
    /// * A pass gathers its lines.
    /// * A pass has no kernel, or a kernel that is not the project's own.
    ///
    /// ```
    /// use earth_fft::{Planner, Problem};
    ///
    /// let plan = Planner::new().plan::<f64>(&Problem::complex(&[1024]))?;
    /// if let Some(done) = plan.operations() {
    ///     // Each point, which is two numbers, is loaded and stored at least.
    ///     assert!(done.moved >= 4 * 1024);
    /// }
    /// # Ok::<(), earth_fft::PlanError>(())
    /// ```
    pub fn operations(&self) -> Option<Operations> {
        let mut each = self.passes()?.into_iter().map(|pass| of_pass::<T>(&pass));
        each.try_fold(Operations::default(), |all, of| Some(all + of?))
    }

    /// Returns the bytes that the passes of a call read and write, in any cache or memory. `None` if the
    /// passes are unknown.
    pub fn traffic(&self) -> Option<u64> {
        Some(self.passes()?.into_iter().map(|pass| pass.bytes as u64).sum())
    }
}

/// Returns the operations of a pass over lines.
fn of_pass<T: Precision>(pass: &Pass) -> Option<Operations> {
    let PassWork::Lines { way, kernel, len, lines, real } = &pass.work else { return None };
    let along = match way {
        Method::Rows => Along::Rows,
        Method::Columns => Along::Columns,
        Method::Turned => Along::Turned,
        Method::Gathered | Method::GatheredTransposed => return None,
    };
    let done = operations::<T>(Isa::best(), along, *len, *lines).filter(|_| kernel.starts_with("earth-"))?;
    Some(if *real { done + real_operations::<T>(*len, *lines) } else { done })
}

#[cfg(test)]
mod tests {
    use earth_codelets::{Along, Isa, operations};

    use std::num::NonZeroUsize;

    use crate::kernel::Kernel;
    use crate::{Planner, Problem};

    #[test]
    fn a_plan_counts_what_its_passes_do() {
        let problem = Problem::complex(&[1 << 12]);
        let planner = |nodes| Planner::new().nodes(NonZeroUsize::new(nodes));
        // Rows, columns and rows that become columns, by one thread and by two nodes.
        let (series, matrix) = (problem.clone(), Problem::complex(&[64, 64]));
        let count = |nodes, problem| planner(nodes).plan::<f64>(problem).unwrap().operations();
        if let (Some(alone), Some(shared)) = (count(1, &matrix), count(2, &matrix)) {
            assert_eq!(alone, shared);
            let columns = operations::<f64>(Isa::best(), Along::Columns, 64, 64).unwrap();
            let rows = operations::<f64>(Isa::best(), Along::Rows, 64, 64).unwrap();
            assert_eq!(alone, rows + columns);
            assert!(count(2, &series).is_some_and(|turned| turned.arithmetic > rows.arithmetic));
            let real = planner(1).plan_real_to_complex::<f64>(&Problem::real_to_complex(&[2 << 12])).unwrap();
            assert!(real.operations().unwrap().arithmetic > count(1, &series).unwrap().arithmetic);
        }
        let other = Planner::new().kernel(Kernel::RustFft).plan::<f64>(&problem).unwrap();
        assert_eq!((other.operations(), other.traffic()), (None, Some(32 << 12)));
        assert_eq!(Planner::new().phantom().plan::<f64>(&problem).unwrap().operations(), None);
    }
}
