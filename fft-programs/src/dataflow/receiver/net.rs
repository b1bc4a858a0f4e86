//! What the parts of the receiver-initiated FFT share: who holds which point, the factors, and where values are.
//!
//! A [`ReceiverPlan`] serves many runs, a [`Net`] one: it is among the values that the run begins with, so that an ask
//! carries it in one word. A node's cells are read and written by functions of that node alone, whom others ask; so each
//! part notes the addresses of its own, and no node needs those of another one.

use std::sync::{Arc, OnceLock};

use earth::{CellRef, CellRefs, Eu, Shared, Wire};
use earth_kernels::{Direction, Real, ReceiverOrder, RowKernel, SharesError, Twiddles, scale};
use num_complex::Complex;

use crate::dataflow::work;
use crate::kernel::own_rows;

/// A real number that may travel by itself.
pub trait Scalar: Real + Wire {}

impl<T: Real + Wire> Scalar for T {}

/// How many times each point is computed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Asking {
    /// Once for every ask, as in the paper.
    Tree,
    /// Once, however often it is asked for.
    Shared,
}

/// The plan of a receiver-initiated FFT, which all nodes share: who holds what, the factors, the row kernel.
#[derive(Debug)]
pub struct ReceiverPlan<T: Real> {
    pub(super) order: ReceiverOrder,
    pub(super) asking: Asking,
    direction: Direction,
    factors: Twiddles<T>,
    kernel: Arc<dyn RowKernel<T>>,
}

impl<T: Real> ReceiverPlan<T> {
    /// Plans transforms of `points` points on `nodes` nodes.
    ///
    /// # Errors
    ///
    /// Numbers that are no powers of two, or more nodes than points.
    pub fn new(
        points: usize,
        nodes: usize,
        direction: Direction,
        asking: Asking,
    ) -> Result<Self, SharesError> {
        let order = ReceiverOrder::new(points, nodes)?;
        let (factors, kernel) = (Twiddles::new(points, direction), own_rows(order.share()));
        Ok(Self { order, asking, direction, factors, kernel })
    }

    /// Who holds what.
    pub fn order(&self) -> ReceiverOrder {
        self.order
    }

    /// How many times each point is computed.
    pub fn asking(&self) -> Asking {
        self.asking
    }

    /// Has the shares of nodes transformed by this kernel, of rows as long as a share.
    #[must_use]
    pub fn rows_by(self, kernel: Arc<dyn RowKernel<T>>) -> Self {
        Self { kernel, ..self }
    }

    /// The cells of a node, one a point of each level that is read: all but the last one, or level 0 alone.
    pub(super) fn cells(&self) -> usize {
        match self.asking {
            Asking::Tree => self.order.share(),
            Asking::Shared => self.order.share() * self.order.levels().max(1) as usize,
        }
    }

    /// How many roots a node asks for at a time, W: enough to keep it busy while answers are on their way,
    /// and few enough that the asks of all nodes, up to 2 P - 1 a root, stay in the caches.
    pub fn window(&self) -> usize {
        const ROOTS_OF_ALL_NODES: usize = 512;
        (ROOTS_OF_ALL_NODES / self.order.nodes()).clamp(1, self.order.share())
    }

    /// The local stages of a share, and the division of the inverse by N.
    pub(super) fn transform(&self, share: &mut [Complex<T>]) {
        self.kernel.transform(self.direction, share, &mut self.kernel.scratch());
        if self.direction == Direction::Inverse {
            scale(share, T::of(1.0 / self.order.points() as f64));
        }
    }
}

/// The plan, and the cells of values: all that an ask of one run needs to know.
#[derive(Debug)]
pub struct Net<T: Real> {
    pub(super) plan: Shared<ReceiverPlan<T>>,
    /// The cells of each node whose part runs in this process.
    values: Vec<OnceLock<CellRefs<Complex<T>>>>,
}

impl<T: Real> Net<T> {
    /// The net of a run, before the parts have made their cells.
    pub(super) fn new(plan: Shared<ReceiverPlan<T>>) -> Self {
        let values = (0..plan.order.nodes()).map(|_| OnceLock::new()).collect();
        Self { plan, values }
    }

    /// Takes note of the cells of a node, which are made once a run.
    pub(super) fn made(&self, node: usize, values: CellRefs<Complex<T>>) {
        self.values[node].get_or_init(|| values);
    }

    /// The cell of a point of this node.
    ///
    /// # Panics
    ///
    /// Before the part of the node has made its cells.
    pub(super) fn cell(&self, point: usize, level: u32) -> CellRef<Complex<T>> {
        let order = self.plan.order;
        let Some(values) = self.values[order.node(point)].get() else {
            unreachable!("nobody asks before all parts have made their cells")
        };
        values.at(level as usize * order.share() + order.place(point))
    }

    /// A point from its operands.
    pub(super) fn combine(
        &self,
        eu: &mut Eu,
        point: usize,
        level: u32,
        operands: [Complex<T>; 2],
    ) -> Complex<T> {
        eu.work(work::receiver_butterfly());
        self.plan.order.combine(point, level, operands, &self.plan.factors)
    }
}
