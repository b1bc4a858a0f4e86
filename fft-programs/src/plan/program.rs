//! What a machine runs for a plan: one of the dataflow programs with its own plan.

use std::fmt;

use earth::{Block, Machine, Run, Shared, lend};
use earth_fftw::Effort;
use earth_kernels::Real;
use num_complex::Complex;

use crate::dataflow::Done;
use crate::dataflow::alone::{AloneJob, AlonePlan};
use crate::dataflow::matrix::{MatrixPlan, MatrixRecipe};
use crate::dataflow::receiver::{ReceiverJob, ReceiverPlan, Scalar};
use crate::dataflow::rectangle::RectangleJob;
use crate::dataflow::sender::{SenderJob, SenderPlan};
use crate::dataflow::square::SquareJob;
use crate::dataflow::two_pass::{TwoPassJob, TwoPassPlan};
use crate::kernel::Kernel;
use crate::planner::{Choice, PlanError};
use crate::problem::{Norm, Problem};
use crate::programs::{TransformError, compiled};

/// A program, planned.
#[derive(Debug)]
pub(crate) enum Program<T: Real> {
    /// The sender-initiated FFT of so many points.
    Sender(Shared<SenderPlan<T>>),
    /// The receiver-initiated FFT.
    Receiver(Shared<ReceiverPlan<T>>),
    /// The 2-D FFT of a matrix of these sides, in its own memory or through a second one.
    Matrix { plan: Shared<MatrixPlan<T>>, sides: [usize; 2], in_place: bool },
    /// The FFT of 2 or 3 dimensions in two passes.
    TwoPass(Shared<TwoPassPlan<T>>),
}

impl<T: Scalar> Program<T> {
    /// The program of a choice and its nodes, if the choice is one.
    pub(crate) fn plan(
        problem: &Problem,
        choice: Choice,
        (kernel, effort): (&Kernel, Effort),
    ) -> Result<Option<(Self, usize)>, PlanError> {
        let direction = problem.to();
        Ok(match choice {
            Choice::Alone => None,
            Choice::Sender { nodes, points, block } => {
                let plan = SenderPlan::new(points, block, direction)?;
                Some((Self::Sender(Shared::new(plan)), nodes))
            }
            Choice::Receiver { nodes, points, asking } => {
                let plan = ReceiverPlan::new(points, nodes, direction, asking)?;
                Some((Self::Receiver(Shared::new(plan)), nodes))
            }
            Choice::Matrix { nodes, sides, blocks } => {
                let recipe = MatrixRecipe::new(sides[0], sides[1], blocks, direction)
                    .norm(problem.normalisation())
                    .passes(|_, pass| pass.kernel(kernel, effort));
                let in_place = recipe.is_in_place();
                let plan = Shared::new(MatrixPlan::new(recipe)?);
                Some((Self::Matrix { plan, sides, in_place }, nodes))
            }
            Choice::TwoPass { nodes, blocks } => {
                let plan = TwoPassPlan::new(problem, blocks, kernel, effort)?;
                Some((Self::TwoPass(Shared::new(plan)), nodes))
            }
        })
    }

    /// The normalisation that the program's result has, if it is always the same.
    pub(crate) fn norm(&self) -> Option<Norm> {
        match self {
            Self::Sender(_) | Self::Receiver(_) => Some(Norm::Backward),
            Self::Matrix { .. } | Self::TwoPass(_) => None,
        }
    }

    /// Runs it on the points of the problem.
    pub(crate) fn run(
        &self,
        machine: &mut Machine,
        points: Vec<Complex<T>>,
    ) -> Result<Run<Done<T>>, TransformError> {
        match self {
            Self::Matrix { .. } | Self::TwoPass(_) => {
                let [rows, cols] = self.sides();
                self.run_matrix(machine, Block::from_vec(rows, cols, points)?)
            }
            Self::Sender(plan) => {
                let signal = Block::from_vec(1, plan.order().points(), points)?;
                Ok(compiled::sender(machine, SenderJob::new(signal, plan.clone()))?)
            }
            Self::Receiver(plan) => {
                let signal = Block::from_vec(1, plan.order().points(), points)?;
                Ok(compiled::receiver(machine, ReceiverJob::new(signal, plan.clone()))?)
            }
        }
    }

    /// Runs it on points that are in place afterwards. Programs for matrices work where the points are; the others have
    /// a copy, which is copied back.
    pub(crate) fn run_here(
        &self,
        machine: &mut Machine,
        points: &mut [Complex<T>],
    ) -> Result<(), TransformError> {
        if let Self::Matrix { .. } | Self::TwoPass(_) = self {
            let [rows, cols] = self.sides();
            return lend(points, rows, cols, |matrix| self.run_matrix(machine, matrix).map(drop))?;
        }
        let done = self.run(machine, points.to_vec())?.value;
        for (to, from) in points.chunks_mut(done.spectrum.cols()).zip(done.spectrum.iter_rows()) {
            to.copy_from_slice(from);
        }
        Ok(())
    }

    fn run_matrix(
        &self,
        machine: &mut Machine,
        matrix: Block<Complex<T>>,
    ) -> Result<Run<Done<T>>, TransformError> {
        Ok(match self {
            Self::TwoPass(plan) => compiled::two_pass(machine, TwoPassJob::new(matrix, plan.clone()))?,
            Self::Matrix { plan, in_place: true, .. } => {
                compiled::square(machine, SquareJob::new(matrix, plan.clone()))?
            }
            Self::Matrix { plan, .. } => {
                compiled::rectangle(machine, RectangleJob::new(matrix, plan.clone()))?
            }
            Self::Sender(_) | Self::Receiver(_) => unreachable!("it is one for matrices"),
        })
    }

    /// The rows and columns that a program for matrices has.
    fn sides(&self) -> [usize; 2] {
        match self {
            Self::Matrix { sides, .. } => *sides,
            Self::TwoPass(plan) => plan.sides(),
            Self::Sender(_) | Self::Receiver(_) => unreachable!("it is one for matrices"),
        }
    }
}

/// Runs the plan of one thread in a fiber.
pub(crate) fn run_alone<T: Scalar>(
    machine: &mut Machine,
    plan: &Shared<AlonePlan<T>>,
    points: Vec<Complex<T>>,
) -> Result<Run<Done<T>>, TransformError> {
    let points = Block::from_vec(1, plan.points(), points)?;
    Ok(compiled::alone(machine, AloneJob::new(points, plan.clone()))?)
}

/// What it does to the points, and the bytes of blocks that it moves.
impl<T: Scalar> fmt::Display for Program<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = size_of::<Complex<T>>();
        match self {
            Self::Sender(plan) => {
                let order = plan.order();
                let (threads, stages) = (order.threads(), order.stages());
                let moved = order.points() * bytes * (stages as usize + 3);
                write!(f, "{threads} threads exchange blocks of {}, {moved} bytes moved", order.block())
            }
            Self::Receiver(plan) => {
                let moved = 4 * plan.order().points() * bytes;
                write!(f, "points ask for their operands, {moved} bytes moved and asks beside")
            }
            Self::Matrix { plan, sides: [rows, cols], in_place } => {
                let [along, across] = [0, 1].map(|pass| plan.pass(pass).cut());
                let (points, twice) =
                    (rows * cols, if *in_place { "in place" } else { "through a second matrix" });
                let kept: usize = if *in_place { along.rows().map(|rows| rows * rows).sum() } else { 0 };
                let moved = (5 * points - 2 * kept) * bytes;
                write!(
                    f,
                    "{} row blocks of the matrix and {} of its transpose exchange tiles {twice}, {moved} bytes moved",
                    along.count(),
                    across.count()
                )
            }
            Self::TwoPass(plan) => {
                let ([rows, cols], [along, across]) = (plan.sides(), [0, 1].map(|pass| plan.cut(pass)));
                let moved = 4 * rows * cols * bytes;
                write!(
                    f,
                    "{} row blocks, then {} strips of {}, in place, {moved} bytes moved",
                    along.count(),
                    across.count(),
                    **plan
                )
            }
        }
    }
}
