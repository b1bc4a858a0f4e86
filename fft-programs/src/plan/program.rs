//! What a machine runs for a plan: one of the dataflow programs with its own plan.

use std::fmt;

use earth::{Block, Machine, Run, ShapeError, Shared, lend};
use earth_kernels::{Real, RowShape, scale};
use num_complex::Complex;
use parking_lot::Mutex;

use crate::dataflow::Done;
use crate::dataflow::alone::{AloneJob, AlonePlan};
use crate::dataflow::matrix::dealing::Dealing;
use crate::dataflow::matrix::{MatrixPlan, RowOptions};
use crate::dataflow::points::Points;
use crate::dataflow::receiver::{Asking, ReceiverJob, ReceiverPlan, Scalar};
use crate::dataflow::rectangle::RectangleJob;
use crate::dataflow::sender::{SenderJob, SenderPlan};
use crate::dataflow::square::SquareJob;
use crate::dataflow::transpose::{TransposeJob, TransposePlan};
use crate::dataflow::two_pass::{TwoPassJob, TwoPassPlan};
use crate::kernel::Kernel;
use crate::plan::steps::Slices;
use crate::plan::{Counts, TransformError, compiled};
use crate::planner::{Algorithm, Choice, PlanError};
use crate::problem::{Kind, Norm, Problem};

/// A program, planned.
#[derive(Debug)]
pub(crate) enum Program<T: Real> {
    /// The sender-initiated FFT, whose result is multiplied by the factor at the end.
    Sender { plan: Shared<SenderPlan<T>>, factor: T },
    /// The receiver-initiated FFT, whose result is multiplied by the factor at the end.
    Receiver { plan: Shared<ReceiverPlan<T>>, factor: T },
    /// The 2-D FFT of a matrix of these sides, in its own memory or through a second one.
    Matrix { plan: Shared<MatrixPlan<T>>, sides: [usize; 2], in_place: bool },
    /// The FFT of 2 or 3 dimensions in two passes.
    TwoPass(Shared<TwoPassPlan<T>>),
    /// The FFT of a series in two passes, and the matrix between them, unless a run has it.
    Transpose { plan: Shared<TransposePlan<T>>, aside: Mutex<Option<Points<T>>> },
}

impl<T: Scalar> Program<T> {
    /// The program of a choice and its nodes, if the choice is one; without tables, if it is for phantoms.
    pub(crate) fn plan<K: Kind>(
        problem: &Problem<K>,
        choice: Choice,
        options: &RowOptions,
        phantom: bool,
    ) -> Result<Option<(Self, usize)>, PlanError> {
        let direction = problem.to();
        let matrix = |sides, dealt: [Dealing; 2], barrier| {
            let plan = if phantom { MatrixPlan::phantom(&dealt) } else { MatrixPlan::new(&dealt, options) };
            let plan = plan?.norm(problem.normalisation()).barrier(barrier);
            let in_place = plan.is_in_place();
            Ok::<_, PlanError>(Self::Matrix { plan: Shared::new(plan), sides, in_place })
        };
        // The programs for series divide their inverse by the points.
        let points = problem.points().unwrap_or(usize::MAX) as f64;
        let factor = T::of(problem.factor() / Norm::Backward.factor(direction, points));
        // The programs for series have the project's own kernel unless told otherwise.
        let other_kernel = |len: usize| match &options.kernel {
            Kernel::Earth => Ok(None),
            other => other.plan(RowShape::contiguous(len, 1), options.effort).map(Some),
        };
        Ok(Some(match choice {
            Choice::Alone => return Ok(None),
            Choice::Sender { nodes, points, block } if phantom => {
                (Self::Sender { plan: Shared::new(SenderPlan::phantom(points, block)?), factor }, nodes)
            }
            Choice::Sender { nodes, points, block } => {
                let mut plan = SenderPlan::new(points, block, direction)?;
                if let Some(kernel) = other_kernel(block)? {
                    plan = plan.rows_by(kernel);
                }
                (Self::Sender { plan: Shared::new(plan), factor }, nodes)
            }
            Choice::Receiver { asking, .. } if phantom => {
                let tree = asking == Asking::Tree;
                let algorithm = if tree { Algorithm::Receiver } else { Algorithm::ReceiverShared };
                return Err(PlanError::NeedsPoints { algorithm });
            }
            Choice::Receiver { nodes, points, asking } => {
                let mut plan = ReceiverPlan::new(points, nodes, direction, asking)?;
                if let Some(kernel) = other_kernel(plan.order().share())? {
                    plan = plan.rows_by(kernel);
                }
                (Self::Receiver { plan: Shared::new(plan), factor }, nodes)
            }
            Choice::Matrix { nodes, sides, blocks } => {
                (matrix(sides, Dealing::of_matrix(sides, blocks), false)?, nodes)
            }
            Choice::TwoPass { nodes, blocks } => {
                let plan = if phantom {
                    let [rows, row @ ..] = problem.lengths() else {
                        unreachable!("it has 2 or 3 dimensions")
                    };
                    TwoPassPlan::phantom([*rows, row.iter().product()], blocks)?
                } else {
                    TwoPassPlan::new(problem, blocks, &options.kernel, options.effort)?
                };
                (Self::TwoPass(Shared::new(plan)), nodes)
            }
            Choice::Transpose { nodes, sides, blocks } => {
                let plan = if phantom {
                    TransposePlan::phantom(sides, blocks)?
                } else {
                    TransposePlan::new(problem, sides, blocks, &options.kernel, options.effort)?
                };
                (Self::Transpose { plan: Shared::new(plan), aside: Mutex::default() }, nodes)
            }
            Choice::Groups { nodes, sides, shares, block, .. } => {
                (matrix(sides, shares.dealt(sides, block), shares.barrier)?, nodes)
            }
        }))
    }

    /// The name by which it is asked for.
    pub(crate) fn algorithm(&self) -> Algorithm {
        match self {
            Self::Sender { .. } => Algorithm::Sender,
            Self::Receiver { plan, .. } if plan.asking() == Asking::Tree => Algorithm::Receiver,
            Self::Receiver { .. } => Algorithm::ReceiverShared,
            Self::Matrix { .. } => Algorithm::Grouped,
            Self::TwoPass(_) => Algorithm::TwoPass,
            Self::Transpose { .. } => Algorithm::Transpose,
        }
    }

    /// The points of a thread, or of a matrix the rows of a row block.
    pub(crate) fn block(&self) -> Option<usize> {
        match self {
            Self::Sender { plan, .. } => Some(plan.order().block()),
            Self::Receiver { .. } => None,
            Self::Matrix { plan, .. } => Some(plan.pass(0).block()),
            Self::TwoPass(plan) => Some(plan.block()),
            Self::Transpose { plan, .. } => Some(plan.block()),
        }
    }

    /// What it counts, by the formulas at the head of its file.
    pub(crate) fn counts(&self) -> Counts {
        match self {
            Self::Sender { plan, .. } => {
                let order = plan.order();
                Counts { asks: 0, half_butterflies: order.points() as u64 * u64::from(order.stages()) }
            }
            Self::Receiver { plan, .. } => {
                let order = plan.order();
                let each = match plan.asking() {
                    Asking::Tree => order.nodes() as u64 - 1,
                    Asking::Shared => u64::from(order.levels()),
                };
                let half_butterflies = order.points() as u64 * each;
                Counts { asks: 2 * half_butterflies, half_butterflies }
            }
            Self::Matrix { .. } | Self::TwoPass(_) | Self::Transpose { .. } => Counts::default(),
        }
    }

    /// Runs it on the points of the problem, or on as many that are not there.
    pub(crate) fn run(
        &self,
        machine: &mut Machine,
        points: Option<Vec<Complex<T>>>,
    ) -> Result<Run<Done<T>>, TransformError> {
        let (mut run, factor) = match self {
            Self::Matrix { .. } | Self::TwoPass(_) | Self::Transpose { .. } => {
                return self.run_matrix(machine, block(self.sides(), points)?);
            }
            Self::Sender { plan, factor } => {
                let order = plan.order();
                // A row has at most 2^32 - 1 points, and a phantom may have more.
                let shape =
                    if points.is_some() { [1, order.points()] } else { [order.threads(), order.block()] };
                let job = SenderJob::new(block(shape, points)?, plan.clone());
                (compiled::sender(machine, job)?, *factor)
            }
            Self::Receiver { plan, factor } => {
                let job = ReceiverJob::new(block(self.sides(), points)?, plan.clone());
                (compiled::receiver(machine, job)?, *factor)
            }
        };
        let spectrum = &mut run.value.spectrum;
        if factor != T::one() && !spectrum.is_phantom() {
            spectrum.iter_rows_mut().for_each(|row| scale(row, factor));
        }
        Ok(run)
    }

    /// Runs it on what a call brings, with the result in the output. Most programs work where the output is; the
    /// others have a copy, which is copied back. Returns false, and has done nothing, if a slice is too short.
    pub(crate) fn run_here(
        &self,
        machine: &mut Machine,
        slices: &mut Slices<'_, T>,
    ) -> Result<bool, TransformError> {
        let [rows, cols] = self.sides();
        let points = match slices {
            Slices::InPlace(points) => points.get_mut(..rows * cols),
            Slices::OutOfPlace(input, output) => {
                let both = input.get(..rows * cols).zip(output.get_mut(..rows * cols));
                both.map(|(input, output)| {
                    output.copy_from_slice(input);
                    output
                })
            }
            _ => unreachable!("nodes share complex points"),
        };
        let Some(points) = points else { return Ok(false) };
        if let Self::Matrix { .. } | Self::TwoPass(_) | Self::Transpose { .. } = self {
            lend(points, rows, cols, |matrix| self.run_matrix(machine, matrix).map(drop))??;
            return Ok(true);
        }
        let done = self.run(machine, Some(points.to_vec()))?.value;
        for (to, from) in points.chunks_mut(done.spectrum.cols()).zip(done.spectrum.iter_rows()) {
            to.copy_from_slice(from);
        }
        Ok(true)
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
            Self::Transpose { plan, aside } => {
                let lent = aside.lock().take().unwrap_or_else(|| plan.aside());
                let run = compiled::transpose(machine, TransposeJob::new(matrix, lent, plan.clone()))?;
                run.map(|left| {
                    *aside.lock() = Some(left.aside);
                    left.done
                })
            }
            Self::Sender { .. } | Self::Receiver { .. } => unreachable!("it copies its points"),
        })
    }

    /// The rows and columns of its points; a series is one row.
    fn sides(&self) -> [usize; 2] {
        match self {
            Self::Sender { plan, .. } => [1, plan.order().points()],
            Self::Receiver { plan, .. } => [1, plan.order().points()],
            Self::Matrix { sides, .. } => *sides,
            Self::TwoPass(plan) => plan.sides(),
            Self::Transpose { plan, .. } => plan.sides(),
        }
    }
}

/// Runs the plan of one thread in a fiber.
pub(crate) fn run_alone<T: Scalar>(
    machine: &mut Machine,
    plan: &Shared<AlonePlan<T>>,
    points: Option<Vec<Complex<T>>>,
) -> Result<Run<Done<T>>, TransformError> {
    let count = plan.points();
    // As many rows as the points allow, since those of a row are counted in 32 bits.
    let rows = if points.is_some() { 1 } else { 1 << count.trailing_zeros().min(24) };
    let job = AloneJob::new(block([rows, count / rows], points)?, plan.clone());
    Ok(compiled::alone(machine, job)?)
}

/// The points as so many rows and columns; without points a phantom.
fn block<T: Scalar>(
    [rows, cols]: [usize; 2],
    points: Option<Vec<Complex<T>>>,
) -> Result<Block<Complex<T>>, ShapeError> {
    match points {
        Some(points) => Block::from_vec(rows, cols, points),
        None => Block::phantom(rows, cols),
    }
}

/// What it does to the points, and the bytes of blocks that it moves.
impl<T: Scalar> fmt::Display for Program<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = size_of::<Complex<T>>();
        match self {
            Self::Sender { plan, .. } => {
                let order = plan.order();
                let (threads, stages) = (order.threads(), order.stages());
                let moved = order.points() * bytes * (stages as usize + 3);
                write!(f, "{threads} threads exchange blocks of {}, {moved} bytes moved", order.block())
            }
            Self::Receiver { plan, .. } => {
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
            Self::Transpose { plan, .. } => {
                let ([rows, cols], [along, across]) = (plan.sides(), [0, 1].map(|pass| plan.cut(pass)));
                let moved = 9 * rows * cols * bytes;
                write!(
                    f,
                    "{} strips, then {} row blocks, of a matrix of {rows} x {cols}: {}, through a second matrix, {moved} bytes moved",
                    across.count(),
                    along.count(),
                    **plan
                )
            }
        }
    }
}
