//! FFTs by stages as solvers: their plan and their program.

use std::fmt;
use std::num::NonZeroUsize;

use earth::{Reply, Shared, Work};
use earth_fft::dataflow::points::Points;
use earth_fft::dataflow::tables::Tables;
use earth_fft::dataflow::work;
use earth_fft::solver::{
    Counts, Draft, Memory, Program, Request, Runs, Solver, describe_block, solver_methods,
};
use earth_fft::{PlanError, Precision, UntypedProblem};
use earth_kernels::{Direction, RadixFactors, RadixOrder, Real, scale};
use num_complex::Complex;
use serde::{Deserialize, Serialize};

use super::{RadixFft, RadixJob, Thread};
use crate::error::Error;
use crate::threads::{Addresses, ByThreads as _, Computed, Targets, default_block};

/// Number of stages whose factors are near in PAR-R2LM.
pub const LOCAL_STAGES: u32 = 6;

/// Plan of an FFT by stages: the order of its work, the factors, and whether it has barriers.
#[derive(Debug)]
pub struct RadixPlan<T: Real> {
    /// Order of the work: which points each thread takes.
    pub(super) order: RadixOrder,
    pub(super) barriers: bool,
    /// Number of stages whose factors each node copies.
    pub(super) local_stages: u32,
    direction: Direction,
    pub(super) factors: Tables<RadixFactors<T>>,
}

impl<T: Real> RadixPlan<T> {
    /// Plans transforms of this order.
    pub fn new(order: RadixOrder, direction: Direction) -> Self {
        let factors = Tables::of(RadixFactors::new(order, direction));
        Self { order, barriers: false, local_stages: 0, direction, factors }
    }

    /// Plans transforms of phantom signals of any size. The plan has the order and no factors.
    pub fn phantom(order: RadixOrder) -> Self {
        let (direction, factors) = (Direction::Forward, Tables::none());
        Self { order, barriers: false, local_stages: 0, direction, factors }
    }

    /// Sets whether all threads wait for each other before a stage. Otherwise a thread waits only for the
    /// points that it takes.
    #[must_use]
    pub fn with_barriers(self, barriers: bool) -> Self {
        Self { barriers, ..self }
    }

    /// Has each node keep a copy of the factors of the first `local_stages` stages.
    #[must_use]
    pub fn local_stages(self, local_stages: u32) -> Self {
        Self { local_stages, ..self }
    }

    /// Returns the work of `stages` stages of one thread.
    pub(super) fn work(&self, stages: u32) -> Work {
        let levels = stages * self.order.radix().trailing_zeros();
        work::radix_butterfly(self.order.radix() * self.order.block() * levels as usize)
    }

    /// Computes the first stages of a thread in its own points.
    pub(super) fn transform_own(&self, points: &mut Points<T>, local: &[Complex<T>]) {
        let factors = self.factors.get().with(local);
        let points = points.row_mut(0);
        self.order.transform_own(points, factors);
        if self.order.rounds() == 0 {
            self.scale(points);
        }
    }

    /// Computes a round of a thread in the blocks that it takes.
    pub(super) fn combine(&self, round: u32, thread: usize, blocks: &mut [Points<T>], local: &[Complex<T>]) {
        let factors = self.factors.get().with(local);
        self.order.combine(round, thread, blocks.iter_mut().map(|block| block.row_mut(0)), factors);
        if round == self.order.rounds() {
            for block in blocks {
                self.scale(block.row_mut(0));
            }
        }
    }

    /// Divides the inverse by N. The points are still in the cache here, and all nodes share the work.
    fn scale(&self, points: &mut [Complex<T>]) {
        if self.direction == Direction::Inverse {
            scale(points, T::of(1.0 / self.order.points() as f64));
        }
    }
}

/// FFT by stages of butterflies of 2, 4 or 8 points: `radix-2`, `radix-2-local`, `radix-4`, `radix-8`.
///
/// It solves series of complex points whose number is a power of the radix.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stages {
    radix: usize,
    local: bool,
    settings: StageSettings,
}

#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct StageSettings {
    block: Option<NonZeroUsize>,
    barriers: bool,
}

impl Stages {
    /// Returns the FFT by stages of butterflies of 2 points.
    pub fn radix_2() -> Self {
        Self { radix: 2, local: false, settings: StageSettings::default() }
    }

    /// Returns radix 2 with the factors of its first six stages in the memory of each node.
    pub fn radix_2_local() -> Self {
        Self { local: true, ..Self::radix_2() }
    }

    /// Returns the FFT by stages of butterflies of 4 points.
    pub fn radix_4() -> Self {
        Self { radix: 4, ..Self::radix_2() }
    }

    /// Returns the FFT by stages of butterflies of 8 points.
    pub fn radix_8() -> Self {
        Self { radix: 8, ..Self::radix_2() }
    }

    /// Returns the solver of this name, if there is one.
    pub fn of_name(name: &str) -> Option<Self> {
        let all = [Self::radix_2(), Self::radix_2_local(), Self::radix_4(), Self::radix_8()];
        all.into_iter().find(|stages| stages.name() == name)
    }

    /// Sets the points of a thread, a power of the radix.
    #[must_use]
    pub fn block(mut self, block: impl Into<Option<NonZeroUsize>>) -> Self {
        self.settings.block = block.into();
        self
    }

    /// Sets whether each stage waits until all nodes have ended the one before, as published. By default a
    /// thread waits only for its points.
    #[must_use]
    pub fn barriers(mut self, barriers: bool) -> Self {
        self.settings.barriers = barriers;
        self
    }

    fn plan<T: Precision>(&self, request: &Request<'_>) -> Result<Draft<T>, PlanError> {
        let (algorithm, radix, block) = (self.name(), self.radix, self.settings.block);
        let n = request.series(algorithm, block)?;
        RadixOrder::new(n, radix, 1).map_err(|_| Error::NotAPowerOfRadix { algorithm, radix, n })?;
        let nodes = request.node_count();
        let order = match block.map(NonZeroUsize::get) {
            Some(block) => RadixOrder::new(n, radix, block).map_err(|_| Error::BlockOfRadix {
                algorithm,
                radix,
                n,
                block,
            })?,
            None => {
                RadixOrder::new(n, radix, RadixOrder::longest_block(radix, default_block(n, nodes) / radix))
                    .map_err(Error::from)?
            }
        };
        request.fits::<T>(&[n])?;
        let plan = if request.phantom {
            RadixPlan::phantom(order)
        } else {
            RadixPlan::new(order, request.problem.to())
        };
        let local = if self.local { LOCAL_STAGES } else { 0 };
        let plan = plan.with_barriers(self.settings.barriers).local_stages(local);
        let program = Box::new(RadixProgram { plan: Shared::new(plan), factor: request.factor() });
        Ok(Draft { program, nodes })
    }
}

impl Solver for Stages {
    fn name(&self) -> &'static str {
        match self.radix {
            2 if self.local => "radix-2-local",
            2 => "radix-2",
            4 => "radix-4",
            _ => "radix-8",
        }
    }

    fn about(&self) -> &'static str {
        match self.radix {
            2 if self.local => "As radix-2, with its first factors near each node",
            2 => "Stages of butterflies of 2; N a power of 2",
            4 => "Stages of butterflies of 4; N a power of 4",
            _ => "Stages of butterflies of 8; N a power of 8",
        }
    }

    fn block_of(&self, problem: &UntypedProblem, parts: usize) -> Option<NonZeroUsize> {
        let points = problem.points().filter(|_| self.settings.block.is_none())?;
        NonZeroUsize::new(RadixOrder::longest_block(self.radix, points / (self.radix * parts)))
    }

    fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        describe_block(self.settings.block, f)?;
        if self.settings.barriers { f.write_str(" with barriers") } else { Ok(()) }
    }

    solver_methods!(settings);
}

/// FFT by stages, and the factor of its result.
#[derive(Debug)]
pub(crate) struct RadixProgram<T: Real> {
    pub(crate) plan: Shared<RadixPlan<T>>,
    pub(crate) factor: T,
}

impl<T: Precision> Program<T> for RadixProgram<T> {
    fn block(&self) -> Option<usize> {
        Some(self.plan.order.block())
    }

    fn counts(&self) -> Counts {
        // A butterfly of R points counts as R / 2 log2 R butterflies of two.
        let points = self.plan.order.points() as u64;
        Counts { requests: 0, half_butterflies: points * u64::from(points.trailing_zeros()) }
    }

    fn memory(&self, _: usize) -> Memory {
        let order = self.plan.order;
        let (handle, address) = (size_of::<Points<T>>() as u64, size_of::<Reply<Points<T>>>() as u64);
        let part = size_of::<Addresses<T>>() + size_of::<Computed<T>>();
        let frame = (size_of::<Thread<T>>() + size_of::<Targets<T>>() + part) as u64;
        // A block of each round has a handle, an inlet, an address with `RadixFft`, and a target.
        let block = 2 * handle + 2 * address;
        let blocks = (order.radix() as u64).saturating_mul(u64::from(order.rounds()) * block + handle);
        // The signal in digit-reversed order.
        let points = order.points() as u64;
        Memory::of::<T>(points, (order.threads() as u64).saturating_mul(2 * frame + blocks))
    }

    fn runs(&self) -> Runs<'_, T> {
        Runs::on_signal(self.plan.sides(), self.factor, |machine, signal| {
            let job = RadixJob::new(signal, self.plan.clone(), machine.node_count());
            machine.run_with(job.shared(), |out| RadixFft::<T>::call(job, out))
        })
    }
}

impl<T: Real> fmt::Display for RadixProgram<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = self.plan.order;
        let moved = order.points() * size_of::<Complex<T>>() * (order.rounds() as usize + 5);
        let local = if self.plan.local_stages > 0 { ", the first factors near" } else { "" };
        let waiting = if self.plan.barriers() > 0 { "with barriers" } else { "without barriers" };
        write!(
            f,
            "{} threads, {} stages of radix {} {waiting}{local}, {moved} bytes moved",
            order.threads(),
            order.stages(),
            order.radix()
        )
    }
}
