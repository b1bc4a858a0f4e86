//! How points of the receiver-initiated FFT are asked for, and what its parts share: who holds which point, the factors, and where values are.
//!
//! A [`ReceiverPlan`] serves many runs, a [`Net`] one: it is among the values that the run begins with, so that an ask
//! carries it in one word. A node's cells are read and written by functions of that node alone, whom others ask; so each
//! part notes the addresses of its own, and no node needs those of another one.
//!
//! *In a tree*, as in the paper, every [`Ask`] computes its point anew, from two further asks. A root leads to 2 P - 2 asks, a
//! binary tree of depth L with P leaves; the leaves read level 0. All points on the way are computed once for each path that
//! leads to them, and nobody keeps them: a node needs its own values of level 0 and no others.
//!
//! *With shared answers* every point of every level is computed once. A point of level l < L has two readers in the level
//! above: itself and its mate. The ask by itself is an `Ask`, which computes it, answers, and writes its cell; the ask by the
//! mate is a [`Read`] of that cell, which waits there if it comes first (an I-structure). So each of the N L points above level
//! 0 asks twice. *Memory.* A cell for each point of each level but the last.

use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use earth::{CellRef, CellRefs, Eu, NodeId, Replies, Reply, Shared, Start, Wire, threaded};
use earth_fft::dataflow::points::scratch;
use earth_fft::dataflow::work;
use earth_fft::kernel::own_rows;
use earth_kernels::{Direction, Real, ReceiverOrder, RowKernel, SharesError, Twiddles, scale};
use num_complex::Complex;

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
    /// How many roots of a node are under way, W: as many are asked for at first, and each that is done asks for the one
    /// W places on.
    pub(super) window: usize,
    direction: Direction,
    factors: Twiddles<T>,
    pub(super) kernel: Arc<dyn RowKernel<T>>,
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
        kernel.prepare(direction);
        let window = usual_window::<T>(order, asking);
        Ok(Self { order, asking, window, direction, factors, kernel })
    }

    /// Has each node ask for so many roots at first, at least one and at most all of its own.
    #[must_use]
    pub fn roots(self, roots: usize) -> Self {
        Self { window: roots.clamp(1, self.order.share()), ..self }
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

    /// The local stages of a share, and the division of the inverse by N.
    pub(super) fn transform(&self, share: &mut [Complex<T>]) {
        self.kernel.transform(self.direction, share, &mut scratch(self.kernel.scratch_len()));
        if self.direction == Direction::Inverse {
            scale(share, T::of(1.0 / self.order.points() as f64));
        }
    }
}

/// What an ask holds: the point and its level, the net, who wants the answer, and the two operands.
pub(crate) type Asked<T> = (usize, u32, Shared<Net<T>>, Reply<Complex<T>>, [Complex<T>; 2]);

/// How many roots a node asks for unless it is told: all, if the asks of all nodes then take no more than this many bytes.
fn usual_window<T: Real>(order: ReceiverOrder, asking: Asking) -> usize {
    const ROOM: usize = 1 << 30;
    let asks = match asking {
        Asking::Tree => 2 * order.nodes() - 1,
        Asking::Shared => 2 * order.levels() as usize + 1,
    };
    (ROOM / (size_of::<Asked<T>>() * asks * order.nodes())).clamp(1, order.share())
}

/// The plan, and the parts' addresses: all that an ask of one run needs to know.
#[derive(Debug)]
pub struct Net<T: Real> {
    pub(super) plan: Shared<ReceiverPlan<T>>,
    /// What the part of each node in this process has made.
    parts: Vec<OnceLock<Made<T>>>,
}

/// The cells of a part, and its inlets for its roots.
#[derive(Debug)]
struct Made<T> {
    values: CellRefs<Complex<T>>,
    roots: Replies<Complex<T>>,
}

impl<T: Real> Net<T> {
    /// The net of a run, before the parts have made their cells.
    pub(super) fn new(plan: Shared<ReceiverPlan<T>>) -> Self {
        let parts = (0..plan.order.nodes()).map(|_| OnceLock::new()).collect();
        Self { plan, parts }
    }

    /// Takes note of what the part of a node has made, once a run.
    pub(super) fn made(&self, node: usize, values: CellRefs<Complex<T>>, roots: Replies<Complex<T>>) {
        self.parts[node].get_or_init(|| Made { values, roots });
    }

    /// What the part of a point's node has made.
    ///
    /// # Panics
    ///
    /// Before it has.
    fn part(&self, point: usize) -> &Made<T> {
        let Some(made) = self.parts[self.plan.order.node(point)].get() else {
            unreachable!("nobody asks before all parts have made their cells")
        };
        made
    }

    /// The cell of a point of this node.
    pub(super) fn cell(&self, point: usize, level: u32) -> CellRef<Complex<T>> {
        let order = self.plan.order;
        self.part(point).values.at(level as usize * order.share() + order.place(point))
    }

    /// The root that is asked for when this point has been answered, and where it goes: none unless the point is a root
    /// itself, and one of its node is left.
    pub(super) fn next_root(&self, point: usize, level: u32) -> Option<(usize, Reply<Complex<T>>)> {
        let (order, window) = (self.plan.order, self.plan.window);
        if level < order.levels() || order.place(point) + window >= order.share() {
            return None;
        }
        let root = point + window;
        Some((root, self.part(root).roots.at(order.place(root))))
    }
}

/// An ask for a point of a level, on the node that has it: by itself, one level up, by anybody in a tree, or for a root.
pub(super) struct Ask<T: Scalar> {
    point: usize,
    level: u32,
    net: Shared<Net<T>>,
    out: Reply<Complex<T>>,
}

#[threaded(in_line)]
impl<T: Scalar> Ask<T> {
    /// Asks for the point's operands, or reads it at level 0.
    pub fn start(
        point: usize,
        level: u32,
        net: Shared<Net<T>>,
        out: Reply<Complex<T>>,
        eu: &mut Eu<Self>,
    ) -> Start<Self> {
        if level == 0 {
            eu.get(net.cell(point, 0), out);
            go_on(&net, point, level, eu);
            return Start::End;
        }
        let order = net.plan.order;
        let [even, odd] = order.operands(point, level);
        for (operand, inlet) in [(even, Self::combine().even), (odd, Self::combine().odd)] {
            let (node, to) = (NodeId::new(order.node(operand)), eu.reply(inlet));
            if operand == point || net.plan.asking == Asking::Tree {
                eu.invoke(node, Ask::call(operand, level - 1, net.clone(), to));
            } else {
                eu.invoke(node, Read::call(operand, level - 1, net.clone(), to));
            }
        }
        Start::Wait(Ask { point, level, net, out })
    }

    #[slot]
    fn combine(self, even: Complex<T>, odd: Complex<T>, eu: &mut Eu<Self>) {
        let Self { point, level, net, out } = self;
        let plan = &net.plan;
        eu.work(work::receiver_butterfly());
        let value = plan.order.combine(point, level, [even, odd], &plan.factors);
        // Nobody reads a root but the part that asked for it.
        if plan.asking == Asking::Shared && level < plan.order.levels() {
            eu.write(net.cell(point, level), value);
        }
        eu.put(out, value);
        go_on(&net, point, level, eu);
    }
}

/// Asks for the next root of this node, if the point is a root.
fn go_on<T: Scalar>(net: &Shared<Net<T>>, point: usize, level: u32, eu: &mut Eu<Ask<T>>) {
    if let Some((root, out)) = net.next_root(point, level) {
        eu.invoke(eu.node(), Ask::call(root, level, net.clone(), out));
    }
}

/// An ask for a point by its mate, one level up, where answers are shared.
pub(super) struct Read<T: Scalar>(PhantomData<fn(T)>);

#[threaded(in_line)]
impl<T: Scalar> Read<T> {
    /// Reads the point's cell.
    pub fn start(point: usize, level: u32, net: Shared<Net<T>>, out: Reply<Complex<T>>, eu: &mut Eu<Self>) {
        eu.get(net.cell(point, level), out);
    }
}
