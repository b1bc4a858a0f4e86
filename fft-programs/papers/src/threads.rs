//! FFTs of a series by threads, which are dealt to nodes in turn and led by a part on each node.
//!
//! 1. *Setup.* [`ThreadsFft`] [arranges](ByThreads::arranged) the points and deals them to M threads. Thread
//!    `t` is on node `t mod P`, where a [`Part`] leads the node's threads. The part invokes its threads. Each
//!    thread sends the part its [`Addresses`], and the parts pass them to node 0. When all addresses are
//!    known, each part receives the targets of its threads' blocks, and gives each thread its [`Targets`].
//! 2. *Stages.* The threads exchange blocks as their program defines. With *barriers* a stage begins when all
//!    threads have ended the stage before. Threads signal their part, parts signal node 0, node 0 signals all
//!    parts, and these signal their threads.
//! 3. *Home.* A part whose threads have all ended sends their blocks home in one message. `ThreadsFft`
//!    [joins](ByThreads::joined) them.
//!
//! *Counts* of all this, with Q = min(P, M) nodes that have threads:
//!
//! * 4 Q + 3 fibers: four of a part, three of `ThreadsFft`;
//! * M + Q invokes;
//! * 2 M + 3 Q + 1 signals (a thread: its addresses, its result; a part: addresses, targets, home; the value
//!   of the run);
//! * M + Q + 1 frames.
//!
//! All points move five times: dealt to parts and threads, back to the parts, home, the value of the run.
//! `events_sent` is 4 (Q - 1): invoke, addresses, targets and home of each part except on node 0. E barriers
//! add E (2 Q + 1) fibers, E (M + 2 Q) signals, and 2 E (Q - 1) events.
//!
//! # Why a part on each node
//!
//! Suppose node 0 sends M threads each other's addresses, and receives M blocks, while it has points of its
//! own to compute. Then all wait for it as soon as blocks are small: on 64 nodes, with 16 threads each, that
//! was a tenth of the simulated time. Parts move that work to their own nodes. The cost is that blocks do not
//! go home while others are still being computed, which is a loss where their way home takes the time.
//!
//! # Larger than memory
//!
//! For a [phantom](earth::Block::phantom) signal the same fibers run and the same blocks move, without
//! points. A row has at most 2^32 - 1 points, so a longer signal comes as M rows, one for each thread: the
//! same points in the same order.

use std::fmt::Debug;
use std::time::Duration;

use earth::{
    Arrived, Block, Eu, NodeId, Published, Replies, Reply, Shared, SharedValues, SlotRefs, Wire, threaded,
};
use earth_fft::dataflow::phases::{Done, Phases, Times};
use earth_fft::dataflow::points::{Points, check_signal};
use earth_kernels::Real;
use num_complex::Complex;

/// Plan of an FFT by threads.
pub trait ByThreads: Debug + Send + Sync + Sized + 'static {
    /// Real type of its points.
    type Real: Real;

    /// Returns the number of threads, and the points of each.
    fn sides(&self) -> [usize; 2];

    /// Checks that the signal is a phantom if the plan is for phantoms.
    fn check(&self, signal: &Points<Self::Real>);

    /// Invokes the thread that owns these points, on this node. Its addresses go to `addresses`.
    fn invoke(
        plan: Shared<Self>,
        own: Points<Self::Real>,
        addresses: Reply<Addresses<Self::Real>>,
        eu: &mut Eu,
    );

    /// Yields the targets of a thread's blocks, one after another: a thread, and the number of its inlet.
    fn takers(&self, thread: usize) -> impl Iterator<Item = (usize, usize)>;

    /// Returns the number of barriers of a run.
    fn barriers(&self) -> usize {
        0
    }

    /// Returns a copy of the factors that each node keeps near, if there are any.
    fn local(&self) -> Option<Points<Self::Real>> {
        None
    }

    /// Returns the points in the order in which they are dealt.
    fn arranged(&self, signal: Points<Self::Real>, _: &mut Eu) -> Points<Self::Real> {
        signal
    }

    /// Joins the blocks of all threads, from the first to the last, to one block of `shape` in natural order.
    fn joined(&self, shape: [usize; 2], blocks: Vec<Points<Self::Real>>, eu: &mut Eu) -> Points<Self::Real>;
}

/// Returns the number of points a thread for `points` points (a power of two) on `nodes` nodes.
///
/// On one node a thread has all of them. Otherwise each node has two threads, so that one works while the
/// other waits. More threads mean more exchange stages, and each costs a pass over the memory.
pub(crate) fn default_block(points: usize, nodes: usize) -> usize {
    let threads = if nodes <= 1 { 1 } else { 2 * nodes.min(points).next_power_of_two() };
    (points / threads).max(1)
}

/// Input of [`ThreadsFft`].
#[derive(Debug, Wire)]
pub struct ThreadsJob<P: ByThreads> {
    signal: Points<P::Real>,
    plan: Shared<P>,
    /// Number of nodes with threads.
    parts: usize,
}

impl<P: ByThreads> ThreadsJob<P> {
    /// Creates the job to transform a signal in natural order on the first `nodes` nodes. The signal is one
    /// row, or a row for each thread; its spectrum has the same shape.
    ///
    /// # Panics
    ///
    /// If the signal has other rows or points than the plan's, the plan is for phantoms and the signal is not
    /// one, or there are no nodes.
    pub fn new(signal: Block<Complex<P::Real>>, plan: Shared<P>, nodes: usize) -> Self {
        assert!(nodes > 0, "threads are dealt to one node at least");
        let [threads, points] = plan.sides();
        if [signal.rows(), signal.cols()] != [threads, points] {
            check_signal(&signal, threads * points);
        }
        plan.check(&signal);
        Self { signal, plan, parts: nodes.min(threads) }
    }

    /// Returns the values that its run begins with.
    pub fn shared(&self) -> SharedValues {
        SharedValues::default().with(&self.plan)
    }
}

/// Addresses of a thread.
#[derive(Debug, Wire)]
pub struct Addresses<T: Real> {
    /// Inlet for the targets.
    pub(crate) targets: Reply<Targets<T>>,
    /// Inlets for blocks.
    pub(crate) blocks: Replies<Points<T>>,
    /// Slots for stages, which barriers signal.
    pub(crate) stages: SlotRefs,
}

/// A thread's number and the addresses that it sends to, made when the addresses of all threads are known.
#[derive(Debug, Wire)]
pub struct Targets<T: Real> {
    pub(crate) thread: usize,
    /// Inlets for its blocks, one after another.
    pub(crate) takers: Vec<Reply<Points<T>>>,
    /// Inlet for its result at the end.
    pub(crate) done: Reply<Computed<T>>,
    /// Slots of its part for barriers.
    pub(crate) arrived: SlotRefs,
    /// Factors that its node keeps near.
    pub(crate) local: Option<Published<Complex<T>>>,
}

/// Inlets for the blocks of each thread of a part.
type Takers<T> = Vec<Vec<Reply<Points<T>>>>;

/// Addresses of a part, sent when all its threads have their points.
#[derive(Debug, Wire)]
pub struct PartAddresses<T: Real> {
    /// Inlet for the takers of its threads' blocks.
    begin: Reply<Takers<T>>,
    /// Inlets of each thread for blocks.
    blocks: Vec<Replies<Points<T>>>,
    /// Slots for barriers.
    open: SlotRefs,
}

/// Final blocks of a thread or of a part, and the time, by their node's clock, when the last was computed.
#[derive(Debug, Wire)]
pub struct Computed<T: Real> {
    pub(crate) blocks: Vec<Points<T>>,
    pub(crate) computed: Duration,
}

/// An FFT by threads. It deals the points, connects the threads, and joins the blocks that come back.
pub struct ThreadsFft<P: ByThreads> {
    plan: Shared<P>,
    /// Rows and columns of the signal.
    shape: [usize; 2],
    out: Reply<Done<P::Real>>,
    /// Times when it was started, when the points were arranged, and when they were dealt.
    times: [Duration; 3],
    /// Slots of the parts for barriers.
    open: Vec<SlotRefs>,
}

#[threaded(parts = job.parts, barriers = job.plan.barriers())]
impl<P: ByThreads> ThreadsFft<P> {
    /// Starts the transform of the job's signal.
    pub fn deal(job: ThreadsJob<P>, out: Reply<Done<P::Real>>, eu: &mut Eu<Self>) -> Self {
        let started = eu.now();
        let ThreadsJob { signal, plan, .. } = job;
        let ([_, points], shape) = (plan.sides(), [signal.rows(), signal.cols()]);
        let arranged = plan.arranged(signal, eu);
        let ready = eu.now();
        let (met, home) = (eu.replies(Self::connect().met), eu.replies(Self::gather().home));
        let mut shares: Vec<Vec<_>> = (0..parts).map(|_| Vec::new()).collect();
        let pieces = arranged.split_rows_into(1).flat_map(|row| row.split_cols_into(points));
        for (thread, piece) in pieces.enumerate() {
            shares[thread % parts].push(piece);
        }
        let crossed = eu.slot_refs(Self::cross(..));
        for (node, share) in shares.into_iter().enumerate() {
            let part = Part::call(share, parts, plan.clone(), crossed, met.at(node), home.at(node));
            eu.invoke(NodeId::new(node), part);
        }
        Self { plan, shape, out, times: [started, ready, Duration::ZERO], open: Vec::new() }
    }

    #[slot]
    fn connect(&mut self, #[inlets(parts)] met: Arrived<'_, PartAddresses<P::Real>>, eu: &mut Eu<Self>) {
        // All points are dealt, and no thread computes before it has its targets.
        self.times[2] = eu.now();
        let ([threads, _], parts) = (self.plan.sides(), met.len());
        let inlet = |(thread, number): (usize, usize)| met[thread % parts].blocks[thread / parts].at(number);
        for (node, part) in met.iter().enumerate() {
            let of_part = (node..threads).step_by(parts);
            let takers: Takers<_> =
                of_part.map(|thread| self.plan.takers(thread).map(inlet).collect()).collect();
            eu.put(part.begin, takers);
        }
        self.open = met.iter().map(|part| part.open).collect();
    }

    #[slots(len = barriers, syncs = parts)]
    fn cross(&mut self, stage: usize, eu: &mut Eu<Self>) {
        for part in &self.open {
            eu.rsync(part.at(stage));
        }
    }

    #[slot]
    fn gather(self, #[inlets(parts)] home: Arrived<'_, Computed<P::Real>>, eu: &mut Eu<Self>) {
        let back = eu.now();
        let Self { plan, shape, out, times: [started, ready, dealt], .. } = self;
        let mut computed = Duration::ZERO;
        let shares = home.map(|part| {
            computed = computed.max(part.computed);
            part.blocks.into_iter()
        });
        let mut shares: Vec<_> = shares.collect();
        let (parts, [threads, _]) = (shares.len(), plan.sides());
        let each = shares.iter().map(ExactSizeIterator::len).sum::<usize>() / threads;
        let of_thread = |thread: usize| shares[thread % parts].by_ref().take(each).collect::<Vec<_>>();
        let blocks = (0..threads).flat_map(of_thread).collect();
        let spectrum = plan.joined(shape, blocks, eu);
        // The points are reordered first, before they are dealt, or last.
        let ended = eu.now() + ready.saturating_sub(started);
        let times = Times { started: ready, dealt, local: dealt, computed, home: back, ended };
        eu.put(out, Done::new(spectrum, Phases::of(times)));
    }
}

/// One node's part. It starts the node's threads, and exchanges messages with node 0 for them.
pub struct Part<P: ByThreads> {
    parts: usize,
    plan: Shared<P>,
    crossed: SlotRefs,
    met: Reply<PartAddresses<P::Real>>,
    home: Reply<Computed<P::Real>>,
    /// Inlets of its threads for their targets, and their slots for stages.
    threads: Vec<(Reply<Targets<P::Real>>, SlotRefs)>,
}

#[threaded(threads = pieces.len(), barriers = plan.barriers())]
impl<P: ByThreads> Part<P> {
    /// Starts the part of this node, one of `parts`, whose threads own these points.
    pub fn start(
        pieces: Vec<Points<P::Real>>,
        parts: usize,
        plan: Shared<P>,
        crossed: SlotRefs,
        met: Reply<PartAddresses<P::Real>>,
        home: Reply<Computed<P::Real>>,
        eu: &mut Eu<Self>,
    ) -> Self {
        let addresses = eu.replies(Self::tell().addresses);
        for (place, piece) in pieces.into_iter().enumerate() {
            P::invoke(plan.clone(), piece, addresses.at(place), eu);
        }
        Self { parts, plan, crossed, met, home, threads: Vec::new() }
    }

    #[slot]
    fn tell(&mut self, #[inlets(threads)] addresses: Arrived<'_, Addresses<P::Real>>, eu: &mut Eu<Self>) {
        self.threads = addresses.iter().map(|thread| (thread.targets, thread.stages)).collect();
        let blocks = addresses.map(|thread| thread.blocks).collect();
        let begin = eu.reply(Self::begin().takers);
        eu.put(self.met, PartAddresses { begin, blocks, open: eu.slot_refs(Self::open(..)) });
    }

    #[slot]
    fn begin(&mut self, takers: Takers<P::Real>, eu: &mut Eu<Self>) {
        let (node, done) = (eu.node().index(), eu.replies(Self::send_home().done));
        let (local, arrived) = (self.plan.local().map(Published::from), eu.slot_refs(Self::arrive(..)));
        for (place, (&(targets, _), takers)) in self.threads.iter().zip(takers).enumerate() {
            let (thread, local) = (node + place * self.parts, local.clone());
            eu.put(targets, Targets { thread, takers, done: done.at(place), arrived, local });
        }
    }

    #[slots(len = barriers, syncs = threads)]
    fn arrive(&mut self, stage: usize, eu: &mut Eu<Self>) {
        eu.rsync(self.crossed.at(stage));
    }

    #[slots(len = barriers, sync)]
    fn open(&mut self, stage: usize, eu: &mut Eu<Self>) {
        for (_, stages) in &self.threads {
            eu.rsync(stages.at(stage));
        }
    }

    #[slot]
    fn send_home(self, #[inlets(threads)] done: Arrived<'_, Computed<P::Real>>, eu: &mut Eu<Self>) {
        let (mut computed, mut blocks) = (Duration::ZERO, Vec::new());
        for thread in done {
            computed = computed.max(thread.computed);
            blocks.extend(thread.blocks);
        }
        eu.put(self.home, Computed { blocks, computed });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_blocks_give_each_node_two_threads() {
        let blocks = [1, 2, 3, 4, 64].map(|nodes| default_block(1 << 16, nodes));
        assert_eq!(blocks, [65536, 16384, 8192, 8192, 512]);
        assert_eq!([1, 2, 64, usize::MAX].map(|nodes| default_block(4, nodes)), [4, 1, 1, 1]);
        assert_eq!(default_block(1, 8), 1);
    }
}
