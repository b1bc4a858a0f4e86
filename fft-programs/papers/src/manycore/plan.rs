//! The plan of an FFT by stages, which all its threads share.

use earth::{Block, Work};
use earth_fft::dataflow::points::Points;
use earth_fft::dataflow::tables::Tables;
use earth_fft::dataflow::work;
use earth_kernels::{Direction, RadixFactors, RadixOrder, Real, scale};
use num_complex::Complex;

/// The stages whose factors are near in PAR-R2LM.
pub const NEAR_STAGES: u32 = 6;

/// What threads wait for before a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Waiting {
    /// For the points that they take.
    #[default]
    Dataflow,
    /// And for all threads to have done the stage before.
    Barriers,
}

/// The plan of an FFT by stages: the order of its work, the factors, and what threads wait for.
#[derive(Debug)]
pub struct RadixPlan<T: Real> {
    order: RadixOrder,
    waiting: Waiting,
    /// The stages whose factors each node has a copy of.
    near_stages: u32,
    direction: Direction,
    factors: Tables<RadixFactors<T>>,
}

impl<T: Real> RadixPlan<T> {
    /// Plans transforms of this order.
    pub fn new(order: RadixOrder, direction: Direction) -> Self {
        let factors = Tables::of(RadixFactors::new(order, direction));
        Self { order, waiting: Waiting::Dataflow, near_stages: 0, direction, factors }
    }

    /// Plans transforms of phantom signals: the plan knows the order and computes nothing, whatever the size.
    pub fn phantom(order: RadixOrder) -> Self {
        let (waiting, direction) = (Waiting::Dataflow, Direction::Forward);
        Self { order, waiting, near_stages: 0, direction, factors: Tables::none() }
    }

    /// Sets what threads wait for.
    #[must_use]
    pub fn waiting(self, waiting: Waiting) -> Self {
        Self { waiting, ..self }
    }

    /// Has each node keep a copy of the factors of the first stages, so many of them.
    #[must_use]
    pub fn near_stages(self, near_stages: u32) -> Self {
        Self { near_stages, ..self }
    }

    /// Who takes which points.
    pub fn order(&self) -> RadixOrder {
        self.order
    }

    /// Whether nodes have copies of factors.
    pub fn has_near(&self) -> bool {
        self.near_stages > 0
    }

    /// The barriers of a run.
    pub fn barriers(&self) -> usize {
        if self.waiting == Waiting::Barriers { self.order.rounds() as usize } else { 0 }
    }

    /// The rows and columns of a signal that is a row for each thread.
    pub(crate) fn rows(&self) -> [usize; 2] {
        [self.order.threads(), self.order.radix() * self.order.block()]
    }

    /// Checks that the signal is a phantom if the plan is for phantoms.
    #[track_caller]
    pub(super) fn check(&self, signal: &Points<T>) {
        self.factors.check(signal);
    }

    /// A copy of the factors that a node keeps near, unless there are none.
    pub(super) fn near(&self) -> Option<Points<T>> {
        let count = self.order.factors(self.near_stages);
        let factors = self.factors.found()?.factors()[..count].to_vec();
        (count > 0).then(|| Block::from_vec(1, count, factors).unwrap_or_else(|error| panic!("{error}")))
    }

    /// The work of a stage of one thread.
    pub(super) fn work(&self, stages: u32) -> Work {
        let levels = stages * self.order.radix().trailing_zeros();
        work::radix_butterfly(self.order.radix() * self.order.block() * levels as usize)
    }

    /// The first stages of a thread, in its own points.
    pub(super) fn transform_own(&self, points: &mut Points<T>, near: &[Complex<T>]) {
        let factors = self.factors.get().with(near);
        let points = points.row_mut(0);
        self.order.transform_own(points, factors);
        if self.order.rounds() == 0 {
            self.scale(points);
        }
    }

    /// A round of a thread, in the blocks that it takes.
    pub(super) fn combine(&self, round: u32, thread: usize, blocks: &mut [Points<T>], near: &[Complex<T>]) {
        let factors = self.factors.get().with(near);
        self.order.combine(round, thread, blocks.iter_mut().map(|block| block.row_mut(0)), factors);
        if round == self.order.rounds() {
            for block in blocks {
                self.scale(block.row_mut(0));
            }
        }
    }

    /// Divides the inverse by N, here because the points are in the cache and all nodes do it.
    fn scale(&self, points: &mut [Complex<T>]) {
        if self.direction == Direction::Inverse {
            scale(points, T::of(1.0 / self.order.points() as f64));
        }
    }
}
