//! The sender-initiated FFT as a solver, its plan, and its program.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use earth::{Reply, Shared};
use earth_fft::advisor::passes::{lines, steps};
use earth_fft::advisor::{Pass, PassWork};
use earth_fft::dataflow::points::{Points, scratch};
use earth_fft::dataflow::tables::Tables;
use earth_fft::kernel::own_rows;
use earth_fft::solver::{Counts, Draft, Memory, Program, Request, Runs, Solver, solver_methods};
use earth_fft::{PlanError, Precision, UntypedProblem};
use earth_fftw::Effort;
use earth_kernels::{Direction, OrderError, Real, RowKernel, SenderOrder, Twiddles, scale};
use num_complex::Complex;
use serde::{Deserialize, Serialize};

use super::{Sender as Thread, SenderFft, SenderJob};
use crate::error::Error;
use crate::threads::{Addresses, ByThreads as _, Computed, Targets, default_block};

/// Name of a thread's step for one point of an exchange stage. Its rate is measured for the
/// [advisor](earth_fft::advisor).
const SENDER: &str = "sender";

/// Name of the exchange of one block by a thread.
const EXCHANGE: &str = "exchange";

/// Name of the reordering of a single point.
const REORDER: &str = "reorder";

/// Plan of a sender-initiated FFT, which all threads share: the order of their work, the factors, the row
/// kernel.
#[derive(Debug)]
pub struct SenderPlan<T: Real> {
    pub(super) order: SenderOrder,
    direction: Direction,
    pub(super) tables: Tables<(Twiddles<T>, Arc<dyn RowKernel<T>>)>,
}

impl<T: Real> SenderPlan<T> {
    /// Plans transforms of `points` points in blocks of `block`.
    ///
    /// # Errors
    ///
    /// Sizes that are no powers of two, or a block longer than the signal.
    pub fn new(points: usize, block: usize, direction: Direction) -> Result<Self, OrderError> {
        let order = SenderOrder::new(points, block)?;
        let kernel = own_rows(block);
        kernel.prepare(direction);
        let tables = Tables::of((Twiddles::new(points, direction), kernel));
        Ok(Self { order, direction, tables })
    }

    /// Plans transforms of phantom signals of any size. The plan has the order and no factors.
    ///
    /// # Errors
    ///
    /// The errors of [`new`](Self::new).
    pub fn phantom(points: usize, block: usize) -> Result<Self, OrderError> {
        let (order, direction) = (SenderOrder::new(points, block)?, Direction::Forward);
        Ok(Self { order, direction, tables: Tables::none() })
    }

    /// Has this kernel transform the blocks. Its rows must be as long as a block.
    #[must_use]
    pub fn rows_by(self, kernel: Arc<dyn RowKernel<T>>) -> Self {
        Self { tables: self.tables.map(|(factors, _)| (factors, kernel)), ..self }
    }

    /// Returns the scratch points for the transform of a block, in addition to the spare block of its thread.
    fn scratch_len(&self) -> usize {
        let len = if self.tables.is_none() { 0 } else { self.tables.get().1.scratch_len() };
        if self.order.stages() > 0 && len <= self.order.block() { 0 } else { len }
    }

    /// Returns the order of the work.
    pub fn order(&self) -> SenderOrder {
        self.order
    }

    /// Computes the local stages of one block, and divides the inverse by N. The block is in the cache here,
    /// and all nodes share the work. A spare block serves as scratch if it is long enough.
    pub(super) fn transform(&self, block: &mut [Complex<T>], mut spare: Option<Points<T>>) {
        let (_, kernel) = self.tables.get();
        let mut own;
        let scratch = match spare.as_mut().map(|spare| spare.row_mut(0)) {
            Some(spare) if spare.len() >= kernel.scratch_len() => spare,
            _ => {
                own = scratch(kernel.scratch_len());
                &mut own
            }
        };
        kernel.transform(self.direction, block, scratch);
        if self.direction == Direction::Inverse {
            scale(block, T::of(1.0 / self.order.points() as f64));
        }
    }
}

/// The sender-initiated FFT: `sender`. It solves series of a power of two of complex points.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sender {
    block: Option<NonZeroUsize>,
}

impl Sender {
    /// Name of the solver.
    pub const NAME: &str = "sender";

    /// Returns the solver with its default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the points of a thread, a power of two. By default each node has two threads.
    #[must_use]
    pub fn block(self, block: impl Into<Option<NonZeroUsize>>) -> Self {
        Self { block: block.into() }
    }

    fn plan<T: Precision>(&self, request: &Request<'_>) -> Result<Draft<T>, PlanError> {
        let algorithm = Self::NAME;
        let n = request.series(algorithm, self.block)?;
        if !n.is_power_of_two() {
            return Err(Error::NotAPowerOfTwo { algorithm, n }.into());
        }
        let nodes = request.node_count();
        let block = self.block.map_or_else(|| default_block(n, nodes), NonZeroUsize::get);
        if !block.is_power_of_two() {
            return Err(Error::BlockNotAPowerOfTwo { algorithm, block }.into());
        }
        request.fits::<T>(&[n])?;
        let plan = if request.phantom {
            SenderPlan::phantom(n, block).map_err(Error::from)?
        } else {
            let plan = SenderPlan::new(n, block, request.problem.to()).map_err(Error::from)?;
            match request.other_kernel(block)? {
                Some(kernel) => plan.rows_by(kernel),
                None => plan,
            }
        };
        let program = Box::new(SenderProgram { plan: Shared::new(plan), factor: request.factor() });
        Ok(Draft { program, nodes })
    }
}

impl Solver for Sender {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn about(&self) -> &'static str {
        "Sender-initiated; N a power of two"
    }

    fn block_of(&self, problem: &UntypedProblem, parts: usize) -> Option<NonZeroUsize> {
        let points = problem.points().filter(|_| self.block.is_none())?;
        NonZeroUsize::new(points / parts.next_power_of_two())
    }

    fn is_worth_measuring(&self, problem: &UntypedProblem, _: Effort) -> bool {
        problem.lengths().len() == 1
    }

    solver_methods!();
}

/// A sender-initiated FFT, and the factor of its result.
#[derive(Debug)]
pub(crate) struct SenderProgram<T: Real> {
    pub(crate) plan: Shared<SenderPlan<T>>,
    pub(crate) factor: T,
}

impl<T: Precision> Program<T> for SenderProgram<T> {
    fn block(&self) -> Option<usize> {
        Some(self.plan.order.block())
    }

    fn counts(&self) -> Counts {
        let order = self.plan.order;
        Counts { requests: 0, half_butterflies: order.points() as u64 * u64::from(order.stages()) }
    }

    fn memory(&self, nodes: usize) -> Memory {
        let order = self.plan.order;
        let (handle, address) = (size_of::<Points<T>>() as u64, size_of::<Reply<Points<T>>>() as u64);
        let [n, threads] = [order.points(), order.threads()].map(|count| count as u64);
        // Each thread has a spare block before the first stage is over. These are freed before the output in
        // natural order is allocated.
        let copies = if order.stages() == 0 { 0 } else { n };
        let scratch = (self.plan.scratch_len() * nodes.min(order.threads())) as u64;
        let part = size_of::<Addresses<T>>() + size_of::<Computed<T>>();
        let frame = (size_of::<Thread<T>>() + size_of::<Targets<T>>() + part) as u64;
        // Each stage has an inlet in the frame, its address with `SenderFft`, and a target.
        let stage = handle + 2 * address;
        let frames = threads.saturating_mul(2 * frame + u64::from(order.stages()) * stage);
        Memory::of::<T>(copies + scratch, frames)
    }

    fn passes(&self, _: &UntypedProblem, nodes: usize) -> Option<Vec<Pass>> {
        let (order, point) = (self.plan.order, size_of::<Complex<T>>());
        let (points, threads, stages) = (order.points(), order.threads(), u64::from(order.stages()));
        let [butterflies, exchanges] =
            [(SENDER, points as u64 * stages), (EXCHANGE, threads as u64 * (stages + 3))]
                .map(|(name, count)| Pass { work: PassWork::Steps(name, count), ..steps::<T>(nodes) });
        let rows = lines::<T>(self.plan.tables.found()?.1.name(), [threads, order.block()], nodes);
        let reordered = Pass { work: PassWork::Steps(REORDER, points as u64), ..steps::<T>(1) };
        let (bytes, footprint) = (4 * points * point * stages as usize, 2 * points * point);
        let moved = |pass: Pass, bytes, what: String| Pass { bytes, footprint, what, parts: 0, ..pass };
        Some(vec![
            moved(butterflies, bytes, format!("{stages} exchange stages of {points} points")),
            moved(exchanges, 0, format!("{threads} threads that exchange blocks")),
            rows,
            moved(reordered, 2 * points * point, "points put into their order".to_owned()),
        ])
    }

    fn runs(&self) -> Runs<'_, T> {
        Runs::on_signal(self.plan.sides(), self.factor, |machine, signal| {
            let job = SenderJob::new(signal, self.plan.clone(), machine.node_count());
            machine.run_with(job.shared(), |out| SenderFft::<T>::call(job, out))
        })
    }
}

impl<T: Real> fmt::Display for SenderProgram<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = self.plan.order;
        let moved = order.points() * size_of::<Complex<T>>() * (order.stages() as usize + 3);
        write!(f, "{} threads exchange blocks of {}, {moved} bytes moved", order.threads(), order.block())
    }
}
