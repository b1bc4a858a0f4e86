//! How programs are planned.

use std::num::NonZeroUsize;
use std::sync::Arc;

use earth::{Config, Shared};
use earth_kernels::{RadixOrder, Real, RowKernel};
use earth_serial::Kernels as _;

use crate::dataflow::manycore::program::RadixProgram;
use crate::dataflow::manycore::{NEAR_STAGES, RadixPlan, Waiting};
use crate::dataflow::matrix::dealing::Dealing;
use crate::dataflow::matrix::program::MatrixProgram;
use crate::dataflow::matrix::{MatrixPlan, RowOptions};
use crate::dataflow::receiver::program::ReceiverProgram;
use crate::dataflow::receiver::{Asking, ReceiverPlan};
use crate::dataflow::sender::SenderPlan;
use crate::dataflow::sender::program::SenderProgram;
use crate::dataflow::tall::program::TallProgram;
use crate::dataflow::tall::{TallCut, TallPlan};
use crate::dataflow::transpose::program::TransposeProgram;
use crate::dataflow::transpose::{Form, TransposePlan};
use crate::dataflow::two_pass::TwoPassPlan;
use crate::dataflow::two_pass::program::TwoPassProgram;
use crate::kernel::{Kernel, Planned};
use crate::memory;
use crate::planner::{Algorithm, LARGE, PlanError, fits};
use crate::precision::Precision;
use crate::problem::{Norm, UntypedProblem};
use crate::solver::{Program, bytes};

/// A problem for which a program is planned, and how.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub(crate) problem: &'a UntypedProblem,
    pub(crate) options: &'a RowOptions,
    /// Whether the plan is for phantoms, without tables.
    pub(crate) phantom: bool,
    pub(crate) config: Config,
}

impl Request<'_> {
    /// The sender-initiated FFT of threads of `block` points.
    pub(crate) fn sender<T: Precision>(
        self,
        points: usize,
        block: usize,
    ) -> Result<Box<dyn Program<T>>, PlanError> {
        self.fits::<T>(&[points])?;
        let plan = if self.phantom {
            SenderPlan::phantom(points, block)?
        } else {
            let plan = SenderPlan::new(points, block, self.problem.to())?;
            match self.other_kernel(block)? {
                Some(kernel) => plan.rows_by(kernel),
                None => plan,
            }
        };
        Ok(Box::new(SenderProgram { plan: Shared::new(plan), factor: self.factor() }))
    }

    /// An FFT by stages.
    pub(crate) fn by_stages<T: Precision>(
        self,
        order: RadixOrder,
        algorithm: Algorithm,
        barriers: bool,
    ) -> Result<Box<dyn Program<T>>, PlanError> {
        self.fits::<T>(&[order.points()])?;
        let plan =
            if self.phantom { RadixPlan::phantom(order) } else { RadixPlan::new(order, self.problem.to()) };
        let waiting = if barriers { Waiting::Barriers } else { Waiting::Dataflow };
        let near = if algorithm == Algorithm::Radix2Local { NEAR_STAGES } else { 0 };
        let plan = Shared::new(plan.waiting(waiting).near_stages(near));
        Ok(Box::new(RadixProgram { plan, factor: self.factor() }))
    }

    /// The receiver-initiated FFT, which asks for so many roots of a node at a time.
    pub(crate) fn receiver<T: Precision>(
        self,
        points: usize,
        nodes: usize,
        asking: Asking,
        roots: Option<NonZeroUsize>,
    ) -> Result<Box<dyn Program<T>>, PlanError> {
        if self.phantom {
            let tree = asking == Asking::Tree;
            let algorithm = if tree { Algorithm::Receiver } else { Algorithm::ReceiverShared };
            return Err(PlanError::NeedsPoints { algorithm });
        }
        self.fits::<T>(&[points])?;
        let mut plan = ReceiverPlan::new(points, nodes, self.problem.to(), asking)?;
        if let Some(roots) = roots {
            plan = plan.roots(roots.get());
        }
        if let Some(kernel) = self.other_kernel(plan.order().share())? {
            plan = plan.rows_by(kernel);
        }
        Ok(Box::new(ReceiverProgram { plan: Shared::new(plan), factor: self.factor() }))
    }

    /// The FFT of a matrix by tiles.
    pub(crate) fn matrix<T: Precision>(
        self,
        sides: [usize; 2],
        dealt: &[Dealing; 2],
        barrier: bool,
    ) -> Result<MatrixProgram<T>, PlanError> {
        self.fits::<T>(&sides)?;
        let plan =
            if self.phantom { MatrixPlan::phantom(dealt) } else { MatrixPlan::new(dealt, self.options) };
        let plan = plan?.norm(self.problem.normalisation()).barrier(barrier);
        Ok(MatrixProgram { plan: Shared::new(plan), sides, shares: None, notes: Vec::new() })
    }

    /// The FFT in two passes, in such row blocks and strips.
    pub(crate) fn two_pass<T: Precision>(self, blocks: [usize; 2]) -> Result<Box<dyn Program<T>>, PlanError> {
        let Self { problem, options, phantom, .. } = self;
        self.fits::<T>(problem.lengths())?;
        let plan = if phantom {
            TwoPassPlan::phantom(problem, blocks)?
        } else {
            TwoPassPlan::new(problem, blocks, options)?
        };
        Ok(Box::new(TwoPassProgram { plan: Shared::new(plan) }))
    }

    /// The FFT of few long columns, cut as told.
    pub(crate) fn tall<T: Precision>(self, cut: TallCut) -> Result<Box<dyn Program<T>>, PlanError> {
        let Self { problem, options, phantom, .. } = self;
        self.fits::<T>(&[&cut.sides[..], &problem.lengths()[1..]].concat())?;
        let points = problem.rows_of_points().map_or(0, |rows| rows.count.saturating_mul(rows.cols));
        self.has_aside::<T>(points)?;
        let plan =
            if phantom { TallPlan::phantom(problem, cut)? } else { TallPlan::new(problem, cut, options)? };
        Ok(Box::new(TallProgram::new(plan)))
    }

    /// The FFT of a series, in such row blocks and strips.
    pub(crate) fn transpose<T: Precision>(
        self,
        form: Form,
        blocks: [usize; 2],
    ) -> Result<Box<dyn Program<T>>, PlanError> {
        let Self { problem, options, phantom, .. } = self;
        self.fits::<T>(&form.sides)?;
        self.has_aside::<T>(form.sides[0].saturating_mul(form.sides[1]))?;
        let plan = if phantom {
            TransposePlan::phantom(problem, form, blocks)?
        } else {
            TransposePlan::new(problem, form, blocks, options)?
        };
        Ok(Box::new(TransposeProgram::new(plan)))
    }

    /// Checks that there is memory for a second matrix of this number of points; phantoms have none.
    fn has_aside<T: Real>(&self, points: usize) -> Result<(), PlanError> {
        let aside = bytes::<T>(points as u64);
        if self.phantom || aside < LARGE { Ok(()) } else { memory::is_there(aside) }
    }

    /// Checks that there is memory for the tables of lines of these lengths; phantoms have none.
    fn fits<T: Real>(&self, lengths: &[usize]) -> Result<(), PlanError> {
        if self.phantom { Ok(()) } else { fits::<T>(lengths) }
    }

    /// By what the result of the programs for series, which divide their inverse by the points, is multiplied.
    fn factor<T: Real>(self) -> T {
        let points = self.problem.points().unwrap_or(usize::MAX) as f64;
        T::of(self.problem.factor() / Norm::Backward.factor(self.problem.to(), points))
    }

    /// The kernel of the rows of these programs, unless it is the project's own, which they have.
    fn other_kernel<T: Real>(self, len: usize) -> Result<Option<Arc<dyn RowKernel<T>>>, PlanError> {
        match self.options.kernel {
            Kernel::Earth => Ok(None),
            _ => Ok(Some(Planned(self.options).rows(len)?)),
        }
    }
}
