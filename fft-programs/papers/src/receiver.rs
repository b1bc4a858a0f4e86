//! The receiver-initiated FFT: every output requests its operands, which request theirs.
//!
//! Source: Thulasiraman, Theobald, Khokhar, Gao, "Multithreaded Algorithms for the Fast Fourier Transform",
//! section 2.1. N points on P nodes, both powers of two, P <= N; L = log2 P. [`ReceiverOrder`] defines which
//! node holds which points, and proves that this is a transform.
//!
//! 1. *Setup.* [`ReceiverFft`] starts a [`Part`] [everywhere](earth::collective::everywhere()). The part of
//!    node `r` has its share, every P-th sample, and write-once cells for its values. It enters the cells in
//!    its process's `Net` and sends its [`Addresses`]. When all addresses have arrived, all points are dealt,
//!    and a [broadcast](earth::collective::broadcast()) starts every part.
//! 2. *Local stages.* Each part transforms its share with the row kernel and writes the points of level 0
//!    into its cells.
//! 3. *Multithreaded phase.* Each part requests its points of level L, the roots. A request for a point above
//!    level 0 requests the point's two operands, one on its own node and one on its mate's. It computes the
//!    point when both have arrived. At level 0 the request reads the value, or waits for it. There are three
//!    ways to request:
//!    * [a tree](RequestMode::Tree): every request computes its point again, as in the paper.
//!    * [tokens](RequestMode::Tokens): the same tree, but any idle node may take a request above level 0.
//!    * [shared](RequestMode::Shared): every point of every level is computed once. Its other reader finds it
//!      in a cell, or waits there until it is written (an I-structure, by deferred reads).
//! 4. *Home.* A part whose roots have all arrived sends them home, in natural order. The parts are dismissed
//!    when all of them have done so: until then other nodes may still read their cells.
//!
//! # The window
//!
//! A part requests all its roots at once, as in the paper, if there is memory for that. A tree of requests,
//! breadth first, has most of its 2 (P - 1) N requests alive together, each with a frame. Otherwise the part
//! requests [W of them](ReceiverPlan::roots), and each answered root requests the one W places on, so that W
//! are always in progress. The counts are the same. All at once is also fastest on real cores: 2^14 points on
//! one node take 4 to 20 % more processor time with W = 64 or 512. The order of fibers changes no time on one
//! node.
//!
//! # Counts
//!
//! A request is an `invoke` of `PointRequest` or `Read` on the node that owns the point. The paper calls it a
//! token. Section 4 lets any idle processor take a token, and `tokens` does that: of its 2 (P - 1) N requests
//! (P - 2) N are tokens and P N are invokes. Z is the number of bytes of a point.
//!
//! | counter | `tree` | `shared` |
//! |---|---|---|
//! | requests A, without the roots | 2 (P - 1) N | 2 N L |
//! | half butterflies H | (P - 1) N | N L |
//! | tokens | 0 | 0 |
//! | invokes | 2 P + N + A | the same |
//! | fibers | 4 + 5 P + N + A + H | the same |
//! | signals | 4 P + N + A + 2 | the same |
//! | frames | 2 + P + H | the same |
//! | bytes moved | 4 N Z: dealt in two steps, home, the value of the run | the same |
//!
//! The paper's Eq. 5 counts 2 N P - N tokens and equates that with Eq. 4, 2 (P - 1) N; the first one includes
//! the roots. It also counts N log2 P butterflies, which is right for `shared` only: in a tree a point is
//! computed once for each path that leads to it.
//!
//! # Why the mate's value is shared without a search
//!
//! A point of level l < L is requested by two points of the level above: by itself, on its own node, and by
//! its mate. The request on its own node computes it and writes its cell; the mate only reads the cell. So no
//! request has to find out which came first. Mates have the same place in their nodes' shares, and every node
//! requests its roots in the same order. So when a node waits for a mate's cell, that mate waits for no later
//! place, and the requests make progress.
//!
//! # Where this departs from the paper
//!
//! * A node's samples are every P-th one, as in the example of section 2.1. The contiguous samples of section
//!   5.1 allow no local stage of this transform.
//! * Level 0 is read through split-phase loads of cells. The paper leaves open how a requested thread finds
//!   its node's values.
//!
//! # When it loses
//!
//! A half butterfly costs two requests, two answers and a frame, hundreds of nanoseconds for ten flops.
//! `tree` does P - 1 of them for every point where log2 P would do. It is here because the paper compares it
//! with the sender-initiated FFT, and because it is a hard test of a runtime.

use std::time::Duration;

use earth::collective::{Group, broadcast, everywhere};
use earth::{Arrived, Block, Eu, NodeId, Reply, Shared, SharedValues, SlotRef, Wire, threaded};
use earth_fft::dataflow::phases::{Done, Phases, Times};
use earth_fft::dataflow::points::{Points, check_signal, or_unwind, whole_series};
use earth_fft::dataflow::work;
use earth_kernels::{Real, ReceiverOrder};
use num_complex::Complex;

mod net;
pub(crate) mod solver;

use net::{Net, PointRequest};

pub use net::{ReceiverPlan, RequestMode, Scalar};

/// Input of [`ReceiverFft`].
#[derive(Debug, Wire)]
pub struct ReceiverJob<T: Real> {
    signal: Points<T>,
    net: Shared<Net<T>>,
}

impl<T: Real> ReceiverJob<T> {
    /// Creates the job to transform a signal in natural order.
    ///
    /// # Panics
    ///
    /// If the signal is not one row of the plan's points, or is a phantom: its points travel one by one.
    pub fn new(signal: Block<Complex<T>>, plan: Shared<ReceiverPlan<T>>) -> Self {
        check_signal(&signal, plan.order.points());
        assert!(
            !signal.is_phantom(),
            "the receiver-initiated FFT sends single points, and a phantom has none"
        );
        Self { signal, net: Shared::new(Net::new(plan)) }
    }

    /// Returns the values that its run begins with.
    pub fn shared(&self) -> SharedValues {
        SharedValues::default().with(&self.net)
    }
}

/// Addresses of a part, sent when it has its points.
#[derive(Debug, Wire)]
pub struct Addresses {
    /// Inlet that receives the signal that all parts have their points.
    all_dealt: Reply<()>,
    /// Slot that ends it.
    dismissed: SlotRef,
}

/// A part's points of the last level. The two times, by the part's clock, are when its local stages ended and
/// when it had all of these points.
#[derive(Debug, Wire)]
pub struct PartResult<T: Real> {
    points: Points<T>,
    local: Duration,
    computed: Duration,
}

/// The receiver-initiated FFT. It deals the samples, connects the parts, and joins the points that come home.
pub struct ReceiverFft<T: Scalar> {
    net: Shared<Net<T>>,
    out: Reply<Done<T>>,
    started: Duration,
    dealt: Duration,
    /// Slots that end the parts.
    parts: Vec<SlotRef>,
}

#[threaded]
impl<T: Scalar> ReceiverFft<T> {
    /// Starts the transform of the job's signal.
    pub fn deal(job: ReceiverJob<T>, out: Reply<Done<T>>, eu: &mut Eu<Self>) -> Self {
        let started = eu.now();
        let ReceiverJob { signal, net } = job;
        let order = net.plan.order;
        let (home, met) = (eu.replies(Self::gather().home), eu.reply(Self::connect().parts));
        eu.work(work::copy(signal.len()));
        let dealt = dealt(order, &signal).split_cols_into(order.share()).enumerate();
        let args = dealt.map(|(node, points)| (node, points, net.clone(), home.at(node)));
        let nodes = Group::new(NodeId::new(0)..NodeId::new(order.nodes()));
        everywhere::<Part<T>>(eu, nodes, args, met);
        Self { net, out, started, dealt: Duration::ZERO, parts: Vec::new() }
    }

    #[slot]
    fn connect(&mut self, parts: Vec<Addresses>, eu: &mut Eu<Self>) {
        self.dealt = eu.now();
        broadcast(eu, &(), parts.iter().map(|part| part.all_dealt));
        self.parts = parts.iter().map(|part| part.dismissed).collect();
    }

    #[slot]
    fn gather(
        self,
        #[inlets(job.net.plan.order.nodes())] home: Arrived<'_, PartResult<T>>,
        eu: &mut Eu<Self>,
    ) {
        let arrived = eu.now();
        for &part in &self.parts {
            eu.rsync(part);
        }
        let (mut local, mut computed) = (Duration::ZERO, Duration::ZERO);
        let shares = home.map(|part| {
            local = local.max(part.local);
            computed = computed.max(part.computed);
            part.points
        });
        let spectrum = whole_series([1, self.net.plan.order.points()], shares.collect());
        let Self { started, dealt, .. } = self;
        let times = Times { started, dealt, local, computed, home: arrived, ended: eu.now() };
        eu.put(self.out, Done::new(spectrum, Phases::of(times)));
    }
}

/// Returns the samples of all nodes, node by node.
fn dealt<T: Real>(order: ReceiverOrder, signal: &Points<T>) -> Points<T> {
    let mut dealt = or_unwind(Block::try_zeroed(1, order.points(), "the samples as they are dealt"));
    let samples = (0..order.nodes()).flat_map(|node| order.samples(node));
    for (to, sample) in dealt.row_mut(0).iter_mut().zip(samples) {
        *to = signal.row(0)[sample];
    }
    dealt
}

/// One node's part: its share, and the requests for its points of the last level.
pub struct Part<T: Scalar> {
    node: usize,
    /// Points of this node; they go home after the last root has arrived.
    points: Option<Points<T>>,
    net: Shared<Net<T>>,
    home: Reply<PartResult<T>>,
    /// Time when the local stages ended.
    local: Duration,
}

#[threaded]
impl<T: Scalar> Part<T> {
    /// Starts the part of `node`, whose share is `points`. The points of the last level go `home`.
    pub fn start(
        node: usize,
        points: Points<T>,
        net: Shared<Net<T>>,
        home: Reply<PartResult<T>>,
        addresses: Reply<Addresses>,
        eu: &mut Eu<Self>,
    ) -> Self {
        net.made(node, eu.cell_refs(Self::values(..)), eu.replies(Self::collect().root));
        let (all_dealt, dismissed) = (eu.reply(Self::begin().all_dealt), eu.slot_ref(Self::end()));
        eu.put(addresses, Addresses { all_dealt, dismissed });
        Self { node, points: Some(points), net, home, local: Duration::ZERO }
    }

    /// Points of level 0 or, if shared, of all levels except the last.
    #[cells(len = net.plan.cells())]
    fn values(place: usize) -> Complex<T>;

    /// Computes the local stages and requests the first roots.
    #[slot]
    fn begin(&mut self, all_dealt: (), eu: &mut Eu<Self>) {
        let () = all_dealt;
        let Some(points) = &mut self.points else { unreachable!("points go home after the last root") };
        self.net.plan.transform(points.row_mut(0));
        eu.work(work::row_fft(1, points.len()));
        let values = eu.cell_refs(Self::values(..));
        for (place, &value) in points.row(0).iter().enumerate() {
            eu.write(values.at(place), value);
        }
        self.local = eu.now();
        let root = eu.replies(Self::collect().root);
        let order = self.net.plan.order;
        for place in 0..self.net.plan.window {
            let (point, level) = (self.node * order.share() + place, order.levels());
            let (to, net) = (NodeId::new(self.node), self.net.clone());
            eu.invoke(to, PointRequest::call(point, level, net, root.at(place)));
        }
    }

    #[slot]
    fn collect(
        &mut self,
        #[inlets(net.plan.order.share())] root: Arrived<'_, Complex<T>>,
        eu: &mut Eu<Self>,
    ) {
        let computed = eu.now();
        let Some(mut points) = self.points.take() else { unreachable!("all roots come once") };
        for (to, root) in points.row_mut(0).iter_mut().zip(root) {
            *to = root;
        }
        eu.put(self.home, PartResult { points, local: self.local, computed });
    }

    #[slot(sync)]
    fn end(self) {}
}
