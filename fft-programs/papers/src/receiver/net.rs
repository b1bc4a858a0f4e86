//! Requests for points of the receiver-initiated FFT, and the data that its parts share: the owners of
//! points, the factors, and the addresses of values.
//!
//! A [`ReceiverPlan`] serves many runs, a [`Net`] one. The net is among the values that the run begins with,
//! so that a request carries it in one word. A node's cells are read and written by functions of that node
//! alone, which others invoke. So each part enters only its own addresses, and no node needs the addresses of
//! another one.
//!
//! *In a tree*, as in the paper, every [`PointRequest`] computes its point again, from two further requests.
//! A root leads to 2 P - 2 requests, a binary tree of depth L with P leaves; the leaves read level 0. All
//! points on the way are computed once for each path that leads to them, and are not stored. A node keeps
//! only its own values of level 0.
//!
//! *By tokens* the requests form a tree, too, but no request above level 0 is bound to the node of its point.
//! It is a token, which the node that made it runs, or an idle node takes. It needs no value of the
//! point's node: it waits for the answers of two further requests. At level 0 the value is needed. So that
//! request is a [`Read`] on the point's node. A root begins on the node that owns it.
//!
//! *With shared answers* every point of every level is computed once. A point of level l < L has two readers
//! in the level above: itself and its mate. The request by itself is an `PointRequest`, which computes the
//! point, answers, and writes its cell. The request by the mate is a [`Read`] of that cell, which waits there
//! if it comes first (an I-structure). So each of the N L points above level 0 makes two requests. *Memory.*
//! A cell for each point of each level except the last.

use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use earth::{CellRef, CellRefs, Eu, NodeId, Replies, Reply, Shared, Start, Wire, threaded};
use earth_fft::dataflow::points::scratch;
use earth_fft::dataflow::work;
use earth_fft::kernel::own_rows;
use earth_kernels::{Direction, Real, ReceiverOrder, RowKernel, SharesError, Twiddles, scale};
use num_complex::Complex;

/// Real number that can be sent by itself.
pub trait Scalar: Real + Wire {}

impl<T: Real + Wire> Scalar for T {}

/// How often each point is computed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RequestMode {
    /// Once for every request, as in the paper, on the node that owns the point.
    Tree,
    /// Once for every request, as a token that any idle node may take.
    Tokens,
    /// Once in all.
    Shared,
}

/// Plan of a receiver-initiated FFT, which all nodes share: the owners of points, the factors, the row
/// kernel.
#[derive(Debug)]
pub struct ReceiverPlan<T: Real> {
    pub(super) order: ReceiverOrder,
    pub(super) mode: RequestMode,
    /// Number of roots that a node has in progress, W. The part requests W at first, and each answered root
    /// requests the one W places on.
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
        mode: RequestMode,
    ) -> Result<Self, SharesError> {
        let order = ReceiverOrder::new(points, nodes)?;
        let (factors, kernel) = (Twiddles::new(points, direction), own_rows(order.share()));
        kernel.prepare(direction);
        let window = usual_window::<T>(order, mode);
        Ok(Self { order, mode, window, direction, factors, kernel })
    }

    /// Has each node request `roots` roots at first, at least one and at most all of its own.
    #[must_use]
    pub fn roots(self, roots: usize) -> Self {
        Self { window: roots.clamp(1, self.order.share()), ..self }
    }

    /// Has this kernel transform the nodes' shares. Its rows must be as long as a share.
    #[must_use]
    pub fn rows_by(self, kernel: Arc<dyn RowKernel<T>>) -> Self {
        Self { kernel, ..self }
    }

    /// Returns the number of cells of a node: one a point of each level except the last or, in a tree, of
    /// level 0 alone.
    pub(super) fn cells(&self) -> usize {
        match self.mode {
            RequestMode::Tree | RequestMode::Tokens => self.order.share(),
            RequestMode::Shared => self.order.share() * self.order.levels().max(1) as usize,
        }
    }

    /// Computes the local stages of a share, and divides the inverse by N.
    pub(super) fn transform(&self, share: &mut [Complex<T>]) {
        self.kernel.transform(self.direction, share, &mut scratch(self.kernel.scratch_len()));
        if self.direction == Direction::Inverse {
            scale(share, T::of(1.0 / self.order.points() as f64));
        }
    }
}

/// Content of a request: the point and its level, the net, the inlet for the answer, and the two operands.
pub(crate) type RequestFrame<T> = (usize, u32, Shared<Net<T>>, Reply<Complex<T>>, [Complex<T>; 2]);

/// Returns the default number of roots that a node requests at first: all, if the requests of all nodes then
/// take no more than `ROOM` bytes.
fn usual_window<T: Real>(order: ReceiverOrder, mode: RequestMode) -> usize {
    const ROOM: usize = 1 << 30;
    let requests = match mode {
        RequestMode::Tree | RequestMode::Tokens => 2 * order.nodes() - 1,
        RequestMode::Shared => 2 * order.levels() as usize + 1,
    };
    (ROOM / (size_of::<RequestFrame<T>>() * requests * order.nodes())).clamp(1, order.share())
}

/// Plan and addresses of the parts: all that a request of one run needs.
#[derive(Debug)]
pub struct Net<T: Real> {
    pub(super) plan: Shared<ReceiverPlan<T>>,
    /// Addresses that the part of each node in this process has entered.
    parts: Vec<OnceLock<Made<T>>>,
}

/// Cells of a part, and its inlets for its roots.
#[derive(Debug)]
struct Made<T> {
    values: CellRefs<Complex<T>>,
    roots: Replies<Complex<T>>,
}

impl<T: Real> Net<T> {
    /// Creates the net of a run, before the parts have made their cells.
    pub(super) fn new(plan: Shared<ReceiverPlan<T>>) -> Self {
        let parts = (0..plan.order.nodes()).map(|_| OnceLock::new()).collect();
        Self { plan, parts }
    }

    /// Enters the addresses of a node's part, once a run.
    pub(super) fn made(&self, node: usize, values: CellRefs<Complex<T>>, roots: Replies<Complex<T>>) {
        self.parts[node].get_or_init(|| Made { values, roots });
    }

    /// Returns the addresses of the part of a point's node.
    ///
    /// # Panics
    ///
    /// If that part has not entered them yet.
    fn part(&self, point: usize) -> &Made<T> {
        let Some(made) = self.parts[self.plan.order.node(point)].get() else {
            unreachable!("requests begin after all parts have made their cells")
        };
        made
    }

    /// Returns the cell of a point of this node.
    pub(super) fn cell(&self, point: usize, level: u32) -> CellRef<Complex<T>> {
        let order = self.plan.order;
        self.part(point).values.at(level as usize * order.share() + order.place(point))
    }

    /// Returns the root to request when this point has been answered, and the inlet for it. `None` unless the
    /// point is a root itself and its node has another root left.
    pub(super) fn next_root(&self, point: usize, level: u32) -> Option<(usize, Reply<Complex<T>>)> {
        let (order, window) = (self.plan.order, self.plan.window);
        if level < order.levels() || order.place(point) + window >= order.share() {
            return None;
        }
        let root = point + window;
        Some((root, self.part(root).roots.at(order.place(root))))
    }
}

/// Request for a point of a level, invoked on the node that owns it, or a token. It comes from the point
/// itself one level up, from any reader in a tree, or for a root.
pub(super) struct PointRequest<T: Scalar> {
    point: usize,
    level: u32,
    net: Shared<Net<T>>,
    out: Reply<Complex<T>>,
}

#[threaded(in_line)]
impl<T: Scalar> PointRequest<T> {
    /// Requests the point's operands, or reads it at level 0.
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
            let below = level - 1;
            match net.plan.mode {
                RequestMode::Tokens if below > 0 => {
                    eu.token(PointRequest::call(operand, below, net.clone(), to));
                }
                RequestMode::Shared if operand == point => {
                    eu.invoke(node, PointRequest::call(operand, below, net.clone(), to));
                }
                RequestMode::Tree => eu.invoke(node, PointRequest::call(operand, below, net.clone(), to)),
                RequestMode::Tokens | RequestMode::Shared => {
                    eu.invoke(node, Read::call(operand, below, net.clone(), to));
                }
            }
        }
        Start::Wait(PointRequest { point, level, net, out })
    }

    #[slot]
    fn combine(self, even: Complex<T>, odd: Complex<T>, eu: &mut Eu<Self>) {
        let Self { point, level, net, out } = self;
        let plan = &net.plan;
        eu.work(work::receiver_butterfly());
        let value = plan.order.combine(point, level, [even, odd], &plan.factors);
        // Only the part that requested a root reads it.
        if plan.mode == RequestMode::Shared && level < plan.order.levels() {
            eu.write(net.cell(point, level), value);
        }
        eu.put(out, value);
        go_on(&net, point, level, eu);
    }
}

/// Requests the next root of this node, if the point is a root.
fn go_on<T: Scalar>(net: &Shared<Net<T>>, point: usize, level: u32, eu: &mut Eu<PointRequest<T>>) {
    if let Some((root, out)) = net.next_root(point, level) {
        eu.invoke(eu.node(), PointRequest::call(root, level, net.clone(), out));
    }
}

/// Request for a point by its mate, one level up, where answers are shared; by tokens, for a point of level
/// 0.
pub(super) struct Read<T: Scalar>(PhantomData<fn(T)>);

#[threaded(in_line)]
impl<T: Scalar> Read<T> {
    /// Reads the point's cell.
    pub fn start(point: usize, level: u32, net: Shared<Net<T>>, out: Reply<Complex<T>>, eu: &mut Eu<Self>) {
        eu.get(net.cell(point, level), out);
    }
}
