//! The sender-initiated FFT: threads that own a block each, send it to their mate, and combine.
//!
//! Source: Thulasiraman, Theobald, Khokhar, Gao, "Multithreaded Algorithms for the Fast Fourier Transform",
//! section 2.2. N points, in blocks of B contiguous ones, both powers of two; M = N/B threads; S = log2 M.
//! [`SenderOrder`] says who is whose mate and why that is a transform.
//!
//! 1. *Setup.* [`SenderFft`] deals the blocks: that of thread `t` goes to node `t mod P`, where a [`Part`] leads the
//!    node's threads. It starts them, each a [`Sender`], which tells it the [`Addresses`] of its inlets; node 0 hears
//!    of them from the parts. When all addresses are known, each part is told where the blocks of its threads go in
//!    each stage, and gives each thread its [`Targets`].
//! 2. *Exchange*, S stages. The fiber `produce` copies the thread's block into a spare one, moves that to the
//!    mate by one split-phase transfer, and signals the thread's own slot. The fiber `consume`, enabled by
//!    that signal and by the mate's block, computes the thread's side of the butterflies in its own block.
//!    What came from the mate is the spare of the next stage: after the first one nothing is allocated.
//! 3. *Local stages.* The fiber `local` transforms its B points with the row kernel and hands them to its node's part.
//! 4. *Home.* A part whose threads are all done sends their blocks home in one message.
//! 5. *Reordering.* The blocks lie in reversed order and hold every M-th output; `SenderFft` copies
//!    them into natural order.
//!
//! # Counts
//!
//! Z is the bytes of a point, Q = min(P, M) the nodes that have threads.
//!
//! | counter | count | made of |
//! |---|---|---|
//! | fibers | M (2S + 3) + 4Q + 3 | a thread: `start`, `begin`, S of `produce`, S of `consume`, `local`; four of a part, three of `SenderFft` |
//! | invokes | M + Q | |
//! | signals | M (2S + 3) + 3Q + 1 | a thread: its addresses, its targets, S of its own, S blocks, its result; a part: addresses, targets, home; the value of the run |
//! | block moves | M S | S stages |
//! | bytes moved | N Z (S + 5) | dealt to parts and threads, S stages, back to the parts, home, the value of the run |
//! | frames | M + Q + 1 | |
//! | tokens, parked values, deferred reads | 0 | |
//!
//! `events_sent` is 4 (Q - 1), as each part but that of node 0 is invoked, tells and is told, and sends home; and M for
//! each stage with mates on different nodes. Mates are M/2^(s+1) threads apart, so these are the stages where P does
//! not divide that: the last log2 Q if P is a power of two.
//!
//! # Why a part on each node
//!
//! If node 0 tells M threads of each other, and takes in M blocks while it has points of its own to compute, then all
//! wait for it as soon as blocks are small: on 64 nodes, with 16 threads each, that was a tenth of the simulated time.
//! Parts take that to their own nodes. What it costs is that blocks do not go home while others are still computed,
//! which is a loss where their way home is what takes the time.
//!
//! # Why one inlet and one slot a stage
//!
//! The paper synchronises by a flag of one bit and argues that a thread is at most one iteration ahead
//! (section 3.2). It is not: of four threads, 0 exchanges with 2 and then with 1. Thread 1 waits for 3 alone,
//! not for 0, before it sends its block of stage 1, so that block may arrive while 0 still waits for the one
//! of stage 0. In general the mate of stage `s` depends in the earlier stages on threads of its own sub-cube
//! only, and a thread's lead reaches S - 1 stages. With an inlet and a slot for each stage an early block
//! waits in its own inlet, and a slot of 2 gets just its own producer's signal and its own mate's block:
//! nothing is ever parked, in any schedule. A frame cannot end while a block is under way to it: `local` runs
//! after the S-th `consume`, hence after the last of the S blocks that are ever sent there.
//!
//! # Where this departs from the paper
//!
//! * The flag, as explained above.
//! * Butterflies are `a + b` and `(a - b) w`. The paper's `a + b w` and `a - b w` from the first stage on are
//!   a transform in no output order (see [`butterfly`](earth_kernels::butterfly)).
//! * The producer sends its points as they are. Section 2.2 has it multiply by `w` first; here the factor
//!   applies to the difference, which only the lower mate computes.
//! * Exchange first, then the local stages, as in section 2.2; section 5.2 has it the other way round, which
//!   contiguous blocks of a natural order do not allow: their first mates are N/2 points apart.
//! * Pairs on one node synchronise like all others; section 3.2 holds that they need not, but their
//!   fibers are scheduled freely too.
//! * The reordering, of which the paper does not speak, is done, and timed by itself.
//!
//! # When it loses
//!
//! An exchange stage reads three blocks and writes two to do one level of the transform; a row kernel does
//! several levels in one pass. So it pays only where several nodes share the work, and with few stages:
//! against one call of the row kernel on one core each level costs several times as much. Node 0 does the
//! setup (3 Q messages, M (S + 1) addresses) and the reordering alone. Small blocks drown in fibers: a
//! butterfly of B points has to outweigh the dispatch of two fibers and the transfer of a block.
//!
//! # Larger than memory
//!
//! Of a [phantom](earth::Block::phantom) signal the same fibers run, and the same blocks move, without a point;
//! its plan is that of [`SenderPlan::phantom`], without tables. A row has at most 2^32 - 1 points, so a longer
//! signal comes as M rows, one for each thread: the same points in the same order.

pub(crate) mod solver;

use std::time::Duration;

use earth::{Arrived, Block, Eu, NodeId, Replies, Reply, Shared, SharedValues, Wire, threaded};
use earth_fft::dataflow::phases::{Done, Phases, Times};
use earth_fft::dataflow::points::{Points, check_signal, whole_series};
use earth_fft::dataflow::work;
use earth_kernels::{Real, SenderOrder};
use num_complex::Complex;

pub use solver::SenderPlan;

/// The input of [`SenderFft`].
#[derive(Debug, Wire)]
pub struct SenderJob<T: Real> {
    signal: Points<T>,
    /// Its rows and columns.
    shape: [usize; 2],
    plan: Shared<SenderPlan<T>>,
    /// The nodes that have threads.
    parts: usize,
}

impl<T: Real> SenderJob<T> {
    /// The job to transform a signal in natural order, in its own memory, on the first `nodes` nodes. The signal is one
    /// row, or a row for each thread; so is its spectrum.
    ///
    /// # Panics
    ///
    /// If the signal has other rows or points, the plan is for phantoms and the signal is none, or there are no nodes.
    pub fn new(signal: Block<Complex<T>>, plan: Shared<SenderPlan<T>>, nodes: usize) -> Self {
        assert!(nodes > 0, "blocks are dealt to one node at least");
        let order = plan.order;
        let shape = [signal.rows(), signal.cols()];
        if shape != [order.threads(), order.block()] {
            check_signal(&signal, order.points());
        }
        plan.tables.check(&signal);
        let parts = nodes.min(order.threads());
        Self { signal, shape, plan, parts }
    }

    /// The values that its run begins with.
    pub fn shared(&self) -> SharedValues {
        SharedValues::default().with(&self.plan)
    }
}

/// The addresses of a thread's inlets.
#[derive(Debug, Wire)]
pub struct Addresses<T: Real> {
    /// Its inlet for the targets.
    targets: Reply<Targets<T>>,
    /// Its inlets for the blocks of its mates, by stage.
    mate: Replies<Points<T>>,
}

/// Where the block of each thread of a part goes: to its mate of each stage.
type Mates<T> = Vec<Vec<Reply<Points<T>>>>;

/// The addresses of a part, told when all its threads have their blocks.
#[derive(Debug, Wire)]
pub struct Met<T: Real> {
    /// Its inlet for the mates of its threads.
    begin: Reply<Mates<T>>,
    /// The inlets of each thread for the blocks of its mates, by stage.
    mate: Vec<Replies<Points<T>>>,
}

/// Blocks at the end, one of a thread or all of a part, and by their node's clock when the last was computed.
#[derive(Debug, Wire)]
pub struct Computed<B: Wire> {
    points: B,
    computed: Duration,
}

/// A thread's place in the plan and the addresses that it sends to, made when those of all threads are known.
#[derive(Debug, Wire)]
pub struct Targets<T: Real> {
    thread: usize,
    plan: Shared<SenderPlan<T>>,
    /// Where its block goes: to its mate of each stage.
    mates: Vec<Reply<Points<T>>>,
    /// And after the last one.
    done: Reply<Computed<Points<T>>>,
}

/// The sender-initiated FFT: it deals the blocks, connects the threads, and reorders what comes back.
pub struct SenderFft<T: Real> {
    plan: Shared<SenderPlan<T>>,
    /// The rows and columns of the signal.
    shape: [usize; 2],
    out: Reply<Done<T>>,
    started: Duration,
    dealt: Duration,
}

#[threaded(parts = job.parts)]
impl<T: Real> SenderFft<T> {
    /// The transform of the job's signal.
    pub fn deal(job: SenderJob<T>, out: Reply<Done<T>>, eu: &mut Eu<Self>) -> Self {
        let started = eu.now();
        let SenderJob { signal, shape, plan, .. } = job;
        let order = plan.order;
        let (met, home) = (eu.replies(Self::connect().met), eu.replies(Self::reorder().home));
        let mut shares: Vec<Vec<_>> = (0..parts).map(|_| Vec::new()).collect();
        let blocks = signal.split_rows_into(1).flat_map(|row| row.split_cols_into(order.block()));
        for (thread, block) in blocks.enumerate() {
            shares[thread % parts].push(block);
        }
        for (node, share) in shares.into_iter().enumerate() {
            let part = Part::call(share, parts, plan.clone(), met.at(node), home.at(node));
            eu.invoke(NodeId::new(node), part);
        }
        Self { plan, shape, out, started, dealt: Duration::ZERO }
    }

    #[slot]
    fn connect(&mut self, #[inlets(parts)] met: Arrived<'_, Met<T>>, eu: &mut Eu<Self>) {
        // All points are dealt, and nobody computes before it has its targets.
        self.dealt = eu.now();
        let (order, parts) = (self.plan.order, met.len());
        let inlet = |thread: usize, stage: u32| met[thread % parts].mate[thread / parts].at(stage as usize);
        for (node, part) in met.iter().enumerate() {
            let threads = (node..order.threads()).step_by(parts);
            let mates_of =
                |thread| (0..order.stages()).map(|stage| inlet(order.mate(thread, stage), stage)).collect();
            eu.put(part.begin, threads.map(mates_of).collect());
        }
    }

    #[slot]
    fn reorder(self, #[inlets(parts)] home: Arrived<'_, Computed<Vec<Points<T>>>>, eu: &mut Eu<Self>) {
        let back = eu.now();
        let mut computed = Duration::ZERO;
        let shares = home.map(|part| {
            computed = computed.max(part.computed);
            part.points.into_iter()
        });
        let mut shares: Vec<_> = shares.collect();
        let parts = shares.len();
        let blocks =
            (0..self.plan.order.threads()).filter_map(|thread| shares[thread % parts].next()).collect();
        let spectrum = in_natural_order(eu, self.plan.order, self.shape, blocks);
        let Self { started, dealt, .. } = self;
        let times = Times { started, dealt, local: dealt, computed, home: back, ended: eu.now() };
        eu.put(self.out, Done::new(spectrum, Phases::of(times)));
    }
}

/// Joins the blocks of all threads, from the first to the last, to one block of `shape` in natural order.
fn in_natural_order<T: Real>(
    eu: &mut Eu,
    order: SenderOrder,
    shape: [usize; 2],
    blocks: Vec<Points<T>>,
) -> Points<T> {
    let whole = whole_series(shape, blocks);
    if order.stages() == 0 {
        return whole;
    }
    let mut natural = whole.zeroed_like(whole.rows(), whole.cols());
    eu.compute((&mut natural, &whole), work::copy(order.points()), |(natural, whole)| {
        let (Some(from), Some(to)) = (whole.as_slice(), natural.as_mut_slice()) else {
            unreachable!("whole rows lie in one piece")
        };
        order.natural_order(from, to);
    });
    natural
}

/// One node's part: it starts the node's threads, and speaks with node 0 for them.
pub struct Part<T: Real> {
    parts: usize,
    plan: Shared<SenderPlan<T>>,
    met: Reply<Met<T>>,
    home: Reply<Computed<Vec<Points<T>>>>,
    /// The inlets of its threads for their targets.
    targets: Vec<Reply<Targets<T>>>,
}

#[threaded(threads = blocks.len())]
impl<T: Real> Part<T> {
    /// The part of this node, of so many, whose threads own these blocks.
    pub fn start(
        blocks: Vec<Points<T>>,
        parts: usize,
        plan: Shared<SenderPlan<T>>,
        met: Reply<Met<T>>,
        home: Reply<Computed<Vec<Points<T>>>>,
        eu: &mut Eu<Self>,
    ) -> Self {
        let (here, addresses) = (eu.node(), eu.replies(Self::tell().addresses));
        for (place, block) in blocks.into_iter().enumerate() {
            eu.invoke(here, Sender::call(block, plan.order.stages(), addresses.at(place)));
        }
        Self { parts, plan, met, home, targets: Vec::new() }
    }

    #[slot]
    fn tell(&mut self, #[inlets(threads)] addresses: Arrived<'_, Addresses<T>>, eu: &mut Eu<Self>) {
        self.targets = addresses.iter().map(|thread| thread.targets).collect();
        let mate = addresses.map(|thread| thread.mate).collect();
        eu.put(self.met, Met { begin: eu.reply(Self::begin().mates), mate });
    }

    #[slot]
    fn begin(&mut self, mates: Mates<T>, eu: &mut Eu<Self>) {
        let (node, done) = (eu.node().index(), eu.replies(Self::send_home().done));
        for (place, (&targets, mates)) in self.targets.iter().zip(mates).enumerate() {
            let (thread, plan) = (node + place * self.parts, self.plan.clone());
            eu.put(targets, Targets { thread, plan, mates, done: done.at(place) });
        }
    }

    #[slot]
    fn send_home(self, #[inlets(threads)] done: Arrived<'_, Computed<Points<T>>>, eu: &mut Eu<Self>) {
        let mut computed = Duration::ZERO;
        let points = done.map(|thread| {
            computed = computed.max(thread.computed);
            thread.points
        });
        let points = points.collect();
        eu.put(self.home, Computed { points, computed });
    }
}

/// One thread of the transform.
pub struct Sender<T: Real> {
    mine: Points<T>,
    stages: usize,
    targets: Option<Targets<T>>,
    spare: Option<Points<T>>,
}

#[threaded]
impl<T: Real> Sender<T> {
    /// The thread that owns the block `mine`, and exchanges it in so many stages.
    pub fn start(mine: Points<T>, stages: u32, addresses: Reply<Addresses<T>>, eu: &mut Eu<Self>) -> Self {
        let (targets, mate) = (eu.reply(Self::begin().targets), eu.replies(Self::consume(..).theirs));
        eu.put(addresses, Addresses { targets, mate });
        Self { mine, stages: stages as usize, targets: None, spare: None }
    }

    #[slot]
    fn begin(&mut self, targets: Targets<T>, eu: &mut Eu<Self>) {
        self.targets = Some(targets);
        self.go_on(eu, 0);
    }

    #[spawned]
    fn produce(&mut self, stage: usize, eu: &mut Eu<Self>) {
        let spare = self.spare.take();
        let (mine, targets) = self.parts();
        let mut copy = spare.unwrap_or_else(|| mine.zeroed_like(1, mine.cols()));
        let work = work::copy(copy.len());
        eu.compute((&mut copy, &*mine), work, |(copy, mine)| copy.copy_from(mine));
        eu.put_block(targets.mates[stage], copy);
        eu.sync(Self::consume(stage));
    }

    /// The signal is that of the thread's own producer.
    #[slots(len = stages as usize, sync)]
    fn consume(&mut self, stage: usize, theirs: Points<T>, eu: &mut Eu<Self>) {
        let (mine, Targets { thread, plan, .. }) = self.parts();
        let work = work::sender_butterfly(theirs.len());
        eu.compute((mine, &theirs), work, |(mine, theirs)| {
            let (factors, _) = plan.tables.get();
            plan.order.combine(*thread, stage as u32, mine.row_mut(0), theirs.row(0), factors);
        });
        self.spare = Some(theirs);
        self.go_on(eu, stage + 1);
    }

    #[spawned]
    fn local(mut self, eu: &mut Eu<Self>) {
        let spare = self.spare.take();
        let (mine, targets) = self.parts();
        let work = work::row_fft(1, mine.len());
        eu.compute(mine, work, |mine| targets.plan.transform(mine.row_mut(0), spare));
        let (done, computed) = (targets.done, eu.now());
        eu.put(done, Computed { points: self.mine, computed });
    }
}

impl<T: Real> Sender<T> {
    /// Enables the producer of `stage`, or the local stages if there is no such stage.
    fn go_on(&self, eu: &mut Eu<Self>, stage: usize) {
        if stage < self.stages { eu.spawn(Self::produce(stage)) } else { eu.spawn(Self::local()) }
    }

    /// The block and the targets, which a thread has from `begin` on.
    fn parts(&mut self) -> (&mut Points<T>, &Targets<T>) {
        let Some(targets) = &self.targets else { unreachable!("stages come after `begin`") };
        (&mut self.mine, targets)
    }
}
