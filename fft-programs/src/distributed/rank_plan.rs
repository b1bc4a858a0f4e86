//! The plan that all ranks of a distributed transform share: its route, the plan of each stage, and memory
//! for tiles.

use earth_kernels::Real;
use earth_memory::{NoMemory, Pool};

use super::distribution::Part;
use super::route::Route;
use super::shares::Shares;
use super::stage_plan::StagePlan;
use crate::dataflow::points::{Points, row_of};
use crate::dataflow::work::USUAL;
use crate::kernel::RowOptions;
use crate::planner::PlanError;
use crate::problem::{Elements, UntypedProblem};

/// Plan of a distributed transform. Each process has one for its ranks.
#[derive(Debug)]
pub struct RankPlan<T: Real> {
    elements: Elements,
    route: Route,
    stages: Vec<StagePlan<T>>,
    /// Paces of ranks. A rank without an entry has the usual pace.
    paces: Vec<u32>,
    /// Memory of tiles, or `None` if the plan is for phantoms.
    tiles: Option<Pool>,
}

impl<T: Real> RankPlan<T> {
    /// Plans the stages of a route. Without `options` the plan is for phantoms.
    ///
    /// # Errors
    ///
    /// [`PlanError::Problem`] and [`PlanError::Kernel`].
    pub(super) fn new(
        problem: &UntypedProblem,
        route: Route,
        shares: Option<&Shares>,
        options: Option<&RowOptions>,
    ) -> Result<Self, PlanError> {
        let stage = |stage| StagePlan::new(problem, &route, stage, options);
        let stages = (0..route.stages().len()).map(stage).collect::<Result<_, _>>()?;
        let tiles = options.map(|_| Pool::new());
        let paces = shares.map_or_else(Vec::new, |shares| shares.all_paces().to_vec());
        Ok(Self { elements: problem.elements(), route, stages, paces, tiles })
    }

    /// Returns the element types of the transform.
    pub(super) fn elements(&self) -> Elements {
        self.elements
    }

    /// Returns the route.
    pub(super) fn route(&self) -> &Route {
        &self.route
    }

    /// Returns the plan of each stage.
    pub(super) fn stages(&self) -> &[StagePlan<T>] {
        &self.stages
    }

    /// Returns the pace of the work of a rank, in thousandths.
    pub(super) fn pace(&self, rank: usize) -> u32 {
        self.paces.get(rank).copied().unwrap_or(USUAL)
    }

    /// Returns whether the plan is for phantoms.
    pub(super) fn is_phantom(&self) -> bool {
        self.tiles.is_none()
    }

    /// Returns the greatest number of points that the transform of a chunk of a rank takes besides the tiles.
    pub(super) fn temporary(&self, stage: usize, rank: usize) -> usize {
        let largest = self.route.chunks(stage, rank).iter().map(Part::len).max().unwrap_or(0);
        self.stages[stage].temporary(largest) + if self.is_widened(stage) { largest } else { 0 }
    }

    /// Returns whether a stage reads or writes an odd number of real numbers as points.
    pub(super) fn is_widened(&self, stage: usize) -> bool {
        self.route.takes_numbers(stage) && self.route.real_series().is_some_and(|series| series.is_widened())
    }

    /// Returns the bytes of tiles that are kept for the next call.
    pub(super) fn kept_bytes(&self) -> usize {
        self.tiles.as_ref().map_or(0, Pool::kept)
    }

    /// Returns a row of `points` points with arbitrary contents. Its last handle returns it to the plan.
    ///
    /// # Errors
    ///
    /// [`NoMemory`].
    pub(super) fn memory(&self, points: usize) -> Result<Points<T>, NoMemory> {
        row_of(self.tiles.as_ref(), points)
    }
}
