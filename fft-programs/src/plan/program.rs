//! What a machine runs for a plan: one of the dataflow programs with its own plan.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use earth::{Block, Machine, Run, Shared};
use earth_kernels::{RadixOrder, Real, RowKernel, scale};
use earth_memory::{lend_rows, lend_rows_for_reading, try_collected};
use earth_serial::Kernels as _;
use num_complex::Complex;

use crate::dataflow::manycore::{NEAR_STAGES, RadixJob, RadixPlan, Waiting};
use crate::dataflow::matrix::dealing::Dealing;
use crate::dataflow::matrix::{MatrixPlan, RowOptions};
use crate::dataflow::receiver::{Asking, ReceiverJob, ReceiverPlan, Scalar};
use crate::dataflow::rectangle::RectangleJob;
use crate::dataflow::row_pass::RowPass;
use crate::dataflow::sender::{SenderJob, SenderPlan};
use crate::dataflow::square::SquareJob;
use crate::dataflow::tall::{TallCut, TallPlan};
use crate::dataflow::transpose::{Form, TransposePlan};
use crate::dataflow::two_pass::{TwoPassJob, TwoPassPlan};
use crate::dataflow::{Done, manycore, receiver, rectangle, sender, square, two_pass};
use crate::kernel::{Kernel, Planned};
use crate::memory;
use crate::plan::need;
use crate::plan::series::Series;
use crate::plan::tall::Tall;
use crate::plan::{Counts, TransformError};
use crate::planner::{Algorithm, LARGE, PlanError, fits};
use crate::problem::{Data, Norm, Rows, Slices, UntypedProblem};

/// A program, planned.
#[derive(Debug)]
pub(crate) enum Program<T: Real> {
    /// The sender-initiated FFT, whose result is multiplied by the factor at the end.
    Sender { plan: Shared<SenderPlan<T>>, factor: T },
    /// The receiver-initiated FFT, whose result is multiplied by the factor at the end.
    Receiver { plan: Shared<ReceiverPlan<T>>, factor: T },
    /// An FFT by stages, whose result is multiplied by the factor at the end.
    Stages { plan: Shared<RadixPlan<T>>, factor: T },
    /// The 2-D FFT of a matrix of these sides, in its own memory or through a second one.
    Matrix { plan: Shared<MatrixPlan<T>>, sides: [usize; 2], in_place: bool },
    /// The FFT of 2 or 3 dimensions in two passes.
    TwoPass(Shared<TwoPassPlan<T>>),
    /// The FFT of 2 or 3 dimensions whose columns are few and long.
    Tall(Tall<T>),
    /// The FFT of a series in two passes.
    Transpose(Series<T>),
}

/// Real numbers, or points that are kept, which a run has beside the points of its result.
pub(crate) type Input<T> = (Option<Block<T>>, Option<Block<Complex<T>>>);

/// How programs are planned: of which problem, with rows transformed as told, and without tables if it is for phantoms.
#[derive(Clone, Copy)]
pub(crate) struct Making<'a> {
    pub(crate) problem: &'a UntypedProblem,
    pub(crate) options: &'a RowOptions,
    pub(crate) phantom: bool,
}

impl Making<'_> {
    /// The sender-initiated FFT of threads of `block` points.
    pub(crate) fn sender<T: Scalar>(self, points: usize, block: usize) -> Result<Program<T>, PlanError> {
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
        Ok(Program::Sender { plan: Shared::new(plan), factor: self.factor() })
    }

    /// An FFT by stages.
    pub(crate) fn by_stages<T: Scalar>(
        self,
        order: RadixOrder,
        algorithm: Algorithm,
        barriers: bool,
    ) -> Result<Program<T>, PlanError> {
        self.fits::<T>(&[order.points()])?;
        let plan =
            if self.phantom { RadixPlan::phantom(order) } else { RadixPlan::new(order, self.problem.to()) };
        let waiting = if barriers { Waiting::Barriers } else { Waiting::Dataflow };
        let near = if algorithm == Algorithm::Radix2Local { NEAR_STAGES } else { 0 };
        let plan = Shared::new(plan.waiting(waiting).near_stages(near));
        Ok(Program::Stages { plan, factor: self.factor() })
    }

    /// The receiver-initiated FFT, which asks for so many roots of a node at a time.
    pub(crate) fn receiver<T: Scalar>(
        self,
        points: usize,
        nodes: usize,
        asking: Asking,
        roots: Option<NonZeroUsize>,
    ) -> Result<Program<T>, PlanError> {
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
        Ok(Program::Receiver { plan: Shared::new(plan), factor: self.factor() })
    }

    /// The FFT of a matrix by tiles.
    pub(crate) fn matrix<T: Scalar>(
        self,
        sides: [usize; 2],
        dealt: &[Dealing; 2],
        barrier: bool,
    ) -> Result<Program<T>, PlanError> {
        self.fits::<T>(&sides)?;
        let plan =
            if self.phantom { MatrixPlan::phantom(dealt) } else { MatrixPlan::new(dealt, self.options) };
        let plan = plan?.norm(self.problem.normalisation()).barrier(barrier);
        let in_place = plan.is_in_place();
        Ok(Program::Matrix { plan: Shared::new(plan), sides, in_place })
    }

    /// The FFT in two passes, in such row blocks and strips.
    pub(crate) fn two_pass<T: Scalar>(self, blocks: [usize; 2]) -> Result<Program<T>, PlanError> {
        let Self { problem, options, phantom } = self;
        self.fits::<T>(problem.lengths())?;
        let plan = if phantom {
            TwoPassPlan::phantom(problem, blocks)?
        } else {
            TwoPassPlan::new(problem, blocks, options)?
        };
        Ok(Program::TwoPass(Shared::new(plan)))
    }

    /// The FFT of few long columns, cut as told.
    pub(crate) fn tall<T: Scalar>(self, cut: TallCut) -> Result<Program<T>, PlanError> {
        let Self { problem, options, phantom } = self;
        self.fits::<T>(&[&cut.sides[..], &problem.lengths()[1..]].concat())?;
        let points = problem.rows_of_points().map_or(0, |rows| rows.count.saturating_mul(rows.cols));
        self.has_aside::<T>(points)?;
        let plan =
            if phantom { TallPlan::phantom(problem, cut)? } else { TallPlan::new(problem, cut, options)? };
        Ok(Program::Tall(Tall::new(plan)))
    }

    /// The FFT of a series, in such row blocks and strips.
    pub(crate) fn transpose<T: Scalar>(
        self,
        form: Form,
        blocks: [usize; 2],
    ) -> Result<Program<T>, PlanError> {
        let Self { problem, options, phantom } = self;
        self.fits::<T>(&form.sides)?;
        self.has_aside::<T>(form.sides[0].saturating_mul(form.sides[1]))?;
        let plan = if phantom {
            TransposePlan::phantom(problem, form, blocks)?
        } else {
            TransposePlan::new(problem, form, blocks, options)?
        };
        Ok(Program::Transpose(Series::new(plan)))
    }

    /// Checks that there is memory for a second matrix of this number of points; phantoms have none.
    fn has_aside<T: Real>(&self, points: usize) -> Result<(), PlanError> {
        let aside = need::bytes::<T>(points as u64);
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

impl<T: Scalar> Program<T> {
    /// The name by which it is asked for.
    pub(crate) fn algorithm(&self) -> Algorithm {
        match self {
            Self::Sender { .. } => Algorithm::Sender,
            Self::Receiver { plan, .. } if plan.asking() == Asking::Tree => Algorithm::Receiver,
            Self::Receiver { .. } => Algorithm::ReceiverShared,
            Self::Stages { plan, .. } => match plan.order().radix() {
                2 if plan.has_near() => Algorithm::Radix2Local,
                2 => Algorithm::Radix2,
                4 => Algorithm::Radix4,
                _ => Algorithm::Radix8,
            },
            Self::Matrix { .. } => Algorithm::Grouped,
            Self::TwoPass(_) => Algorithm::TwoPass,
            Self::Tall(_) => Algorithm::Tall,
            Self::Transpose(series) if series.plan().form().nested => Algorithm::Ffte,
            Self::Transpose(_) => Algorithm::Transpose,
        }
    }

    /// The points of a thread, or of a matrix the rows of a row block.
    pub(crate) fn block(&self) -> Option<usize> {
        match self {
            Self::Sender { plan, .. } => Some(plan.order().block()),
            Self::Receiver { .. } => None,
            Self::Stages { plan, .. } => Some(plan.order().block()),
            Self::Matrix { plan, .. } => Some(plan.pass(0).block()),
            Self::TwoPass(plan) => Some(plan.rows().block()),
            Self::Tall(tall) => Some(tall.plan().rows().block()),
            Self::Transpose(series) => Some(series.plan().block()),
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
            Self::Stages { plan, .. } => {
                // A butterfly of R points is as good as R / 2 log2 R of two.
                let points = plan.order().points() as u64;
                Counts { asks: 0, half_butterflies: points * u64::from(points.trailing_zeros()) }
            }
            Self::Matrix { .. } | Self::TwoPass(_) | Self::Tall(_) | Self::Transpose(_) => Counts::default(),
        }
    }

    /// Runs it on the input of a problem without gaps, or of one whose rows are padded, or on a phantom of one.
    pub(crate) fn run(
        &self,
        machine: &mut Machine,
        problem: &UntypedProblem,
        input: Option<Data<T>>,
    ) -> Result<Run<Done<T>>, TransformError> {
        let padded = problem.is_padded();
        let points = match self {
            // A row has at most 2^32 - 1 points, and a phantom may have more.
            Self::Sender { plan, .. } if input.is_none() => [plan.order().threads(), plan.order().block()],
            Self::Stages { plan, .. } if input.is_none() => plan.rows(),
            Self::Transpose(series) => return series.run(machine, problem.elements(), input, padded),
            _ => self.sides(),
        };
        let numbers = Some(self.number_sides()).filter(|_| !padded);
        let (points, numbers) = problem.elements().arrays(input, points, numbers)?;
        self.run_blocks(machine, points, (numbers, None))
    }

    /// Runs it on what a call brings, with the result in the output, and does not touch the gaps between rows. Most programs
    /// work where the output is; the others have a copy, which is copied back. Returns false, and has done nothing, if a
    /// slice is too short, or if rows of real numbers do not begin where those of their spectra do and are to be replaced
    /// by them.
    pub(crate) fn run_here(
        &self,
        machine: &mut Machine,
        slices: &mut Slices<'_, T>,
    ) -> Result<bool, TransformError> {
        if let Self::Transpose(series) = self {
            return series.run_here(machine, slices);
        }
        let [of_points, of_numbers] = self.rows();
        let [span, width] = [of_points, of_numbers].map(|rows| rows.span());
        let points = match slices {
            Slices::InPlace(points) => points.get_mut(..span),
            Slices::OutOfPlace(input, output) => {
                let both = input.get(..span).zip(output.get_mut(..span));
                if self.row_pass().is_some() {
                    let Some((input, output)) = both else { return Ok(false) };
                    lend_rows_for_reading(input, of_points.sides(), of_points.distance, |input| {
                        self.run_lent(machine, output, (None, Some(input)))
                    })??;
                    return Ok(true);
                }
                both.map(|(input, output)| {
                    for (at, len) in of_points.lines() {
                        output[at..][..len].copy_from_slice(&input[at..][..len]);
                    }
                    output
                })
            }
            Slices::Padded(numbers) => {
                let in_place = self.row_pass().is_some_and(RowPass::is_in_place);
                numbers.get_mut(..2 * span).filter(|_| in_place).map(bytemuck::cast_slice_mut)
            }
            Slices::RealToComplex(numbers, points) => {
                let both = numbers.get(..width).zip(points.get_mut(..span));
                let Some((numbers, points)) = both else { return Ok(false) };
                lend_rows_for_reading(numbers, of_numbers.sides(), of_numbers.distance, |numbers| {
                    self.run_lent(machine, points, (Some(numbers), None))
                })??;
                return Ok(true);
            }
            Slices::ComplexToReal(points, numbers) => {
                let both = points.get_mut(..span).zip(numbers.get_mut(..width));
                let Some((points, numbers)) = both else { return Ok(false) };
                lend_rows(numbers, of_numbers.sides(), of_numbers.distance, |numbers| {
                    self.run_lent(machine, points, (Some(numbers), None))
                })??;
                return Ok(true);
            }
        };
        let Some(points) = points else { return Ok(false) };
        if let Self::Matrix { .. } | Self::TwoPass(_) | Self::Tall(_) = self {
            self.run_lent(machine, points, (None, None))?;
            return Ok(true);
        }
        let copy = try_collected(points.iter().copied(), "a copy of the points")?;
        let copy = Block::from_vec(of_points.count, of_points.cols, copy)?;
        let done = self.run_blocks(machine, copy, (None, None))?.value;
        for (to, from) in points.chunks_mut(done.spectrum.cols()).zip(done.spectrum.iter_rows()) {
            to.copy_from_slice(from);
        }
        Ok(true)
    }

    /// Runs it on points that are lent to it.
    fn run_lent(
        &self,
        machine: &mut Machine,
        points: &mut [Complex<T>],
        input: Input<T>,
    ) -> Result<(), TransformError> {
        let [of_points, _] = self.rows();
        let run = |points| self.run_blocks(machine, points, input).map(drop);
        lend_rows(points, of_points.sides(), of_points.distance, run)?
    }

    fn run_blocks(
        &self,
        machine: &mut Machine,
        points: Block<Complex<T>>,
        input: Input<T>,
    ) -> Result<Run<Done<T>>, TransformError> {
        let (mut run, factor) = match self {
            Self::TwoPass(plan) => {
                let (numbers, from) = input;
                let job = match numbers {
                    Some(numbers) => TwoPassJob::between(points, numbers, plan.clone()),
                    None => TwoPassJob::new(points, plan.clone()),
                };
                return Ok(two_pass::run(machine, from.into_iter().fold(job, TwoPassJob::from))?);
            }
            Self::Tall(tall) => return tall.run(machine, points, input),
            Self::Matrix { plan, in_place: true, .. } => {
                return Ok(square::run(machine, SquareJob::new(points, plan.clone()))?);
            }
            Self::Matrix { plan, .. } => {
                return Ok(rectangle::run(machine, RectangleJob::new(points, plan.clone()))?);
            }
            Self::Transpose(_) => unreachable!("series have runs of their own"),
            Self::Sender { plan, factor } => {
                let job = SenderJob::new(points, plan.clone(), machine.node_count());
                (sender::run(machine, job)?, *factor)
            }
            Self::Stages { plan, factor } => {
                let job = RadixJob::new(points, plan.clone(), machine.node_count());
                (manycore::run(machine, job)?, *factor)
            }
            Self::Receiver { plan, factor } => {
                (receiver::run(machine, ReceiverJob::new(points, plan.clone()))?, *factor)
            }
        };
        let spectrum = &mut run.value.spectrum;
        if factor != T::one() && !spectrum.is_phantom() {
            spectrum.iter_rows_mut().for_each(|row| scale(row, factor));
        }
        Ok(run)
    }

    /// The rows and columns of its points; a series is one row.
    fn sides(&self) -> [usize; 2] {
        match self {
            Self::Sender { plan, .. } => [1, plan.order().points()],
            Self::Receiver { plan, .. } => [1, plan.order().points()],
            Self::Stages { plan, .. } => [1, plan.order().points()],
            Self::Matrix { sides, .. } => *sides,
            Self::TwoPass(plan) => plan.sides(),
            Self::Tall(tall) => tall.plan().rows().sides(),
            Self::Transpose(series) => series.plan().sides(),
        }
    }

    /// How the rows of its points lie, and those of its real numbers.
    fn rows(&self) -> [Rows; 2] {
        self.row_pass().map_or_else(|| [Rows::dense(self.sides()), Rows::default()], RowPass::rows)
    }

    /// The rows and columns of its real numbers, if it has any.
    fn number_sides(&self) -> [usize; 2] {
        self.row_pass().and_then(RowPass::number_sides).unwrap_or_default()
    }

    /// The pass over rows, if the program begins or ends with one.
    fn row_pass(&self) -> Option<&RowPass<T>> {
        match self {
            Self::TwoPass(plan) => Some(plan.rows()),
            Self::Tall(tall) => Some(tall.plan().rows()),
            _ => None,
        }
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
            Self::Stages { plan, .. } => {
                let order = plan.order();
                let moved = order.points() * bytes * (order.rounds() as usize + 5);
                let near = if plan.has_near() { ", the first factors near" } else { "" };
                let waiting = if plan.barriers() > 0 { "with barriers" } else { "without barriers" };
                write!(
                    f,
                    "{} threads, {} stages of radix {} {waiting}{near}, {moved} bytes moved",
                    order.threads(),
                    order.stages(),
                    order.radix()
                )
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
                let (way, _, moved) = in_two_passes(plan.rows());
                write!(f, "{}, {way}, {moved} bytes moved", **plan)
            }
            Self::Tall(tall) => {
                // The transform of columns moves their points, and those of the matrix aside, between its nodes and home.
                let (way, points, moved) = in_two_passes(tall.plan().rows());
                let moved = moved + 5 * points;
                write!(f, "{}, {way} and through a second matrix, {moved} bytes moved", tall.plan())
            }
            Self::Transpose(series) => {
                let plan = series.plan();
                let ([rows, cols], [along, across]) = (plan.sides(), [0, 1].map(|pass| plan.cut(pass)));
                let last = [3, 1].into_iter().nth(plan.numbers().unwrap_or(2)).unwrap_or(0);
                let moved = (4 * rows * cols + last) * bytes;
                write!(
                    f,
                    "{} strips, then {} row blocks, of a matrix of {rows} x {cols}: {}, through a second matrix, {moved} bytes moved",
                    across.workers(),
                    along.workers(),
                    plan
                )
            }
        }
    }
}

/// How a transform in two passes uses its arrays, the bytes of its points, and the bytes that it moves.
fn in_two_passes<T: Real>(rows: &RowPass<T>) -> (&'static str, usize, usize) {
    let [points, numbers] =
        [Some(rows.sides()), rows.number_sides()].map(|sides| sides.map_or(0, |[rows, cols]| rows * cols));
    let (points, numbers) = (points * size_of::<Complex<T>>(), numbers * size_of::<T>());
    let (way, moved) = match (rows.is_in_place(), rows.columns_first()) {
        (true, _) => ("in place", 4 * points),
        (false, false) => ("from real numbers to points", 4 * points + numbers),
        (false, true) => ("from points to real numbers", 2 * points + 3 * numbers),
    };
    (way, points, moved)
}
