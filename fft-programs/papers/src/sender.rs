//! The sender-initiated FFT: threads own a block each, send it to their mate, and combine.
//!
//! Source: Thulasiraman, Theobald, Khokhar, Gao, "Multithreaded Algorithms for the Fast Fourier Transform",
//! section 2.2. N points, in contiguous blocks of B, both powers of two; M = N/B threads; S = log2 M.
//! [`SenderOrder`](earth_kernels::SenderOrder) defines the mates and proves that this is a transform.
//!
//! 1. *Setup.* [Threads](crate::threads) are dealt a block each and connected: each is a [`Sender`].
//! 2. *Exchange*, S stages. The fiber `produce` copies the thread's block into a spare one, moves that to the
//!    mate by one split-phase transfer, and signals the thread's own slot. The fiber `consume`, enabled by
//!    that signal and by the mate's block, computes the thread's side of the butterflies in its own block.
//!    The mate's block becomes the spare of the next stage, so no block is allocated after the first stage.
//! 3. *Local stages.* The fiber `local` transforms its B points with the row kernel and hands them to its
//!    node's part.
//! 4. *Reordering.* The blocks are in bit-reversed order and hold every M-th output. Node 0 copies them into
//!    natural order.
//!
//! # Counts
//!
//! Z is the number of bytes of a point; Q = min(P, M) is the number of nodes with threads.
//!
//! | counter | count | made of |
//! |---|---|---|
//! | fibers | M (2S + 3) + 4Q + 3 | a thread: `start`, `begin`, S of `produce`, S of `consume`, `local`; four of a part, three of node 0 |
//! | invokes | M + Q | |
//! | signals | M (2S + 3) + 3Q + 1 | a thread: its addresses, its targets, S of its own, S blocks, its result; a part: addresses, targets, home; the value of the run |
//! | block moves | M S | S stages |
//! | bytes moved | N Z (S + 5) | dealt to parts and threads, S stages, back to the parts, home, the value of the run |
//! | frames | M + Q + 1 | |
//! | tokens, parked values, deferred reads | 0 | |
//!
//! `events_sent` is 4 (Q - 1), plus M for each stage with mates on different nodes. The first term counts,
//! for each part except on node 0: invoke, addresses, targets, home. Mates are M/2^(s+1) threads apart, so
//! the stages of the second term are the ones where P does not divide that: the last log2 Q if P is a power
//! of two.
//!
//! # Why one inlet and one slot a stage
//!
//! The paper synchronizes by a flag of one bit and argues that a thread is at most one iteration ahead
//! (section 3.2). The lead can be larger. Of four threads, 0 exchanges with 2 and then with 1. Thread 1 waits
//! only for 3, not for 0, before it sends its block of stage 1. So that block may arrive while 0 still waits
//! for the one of stage 0. In general the mate of stage `s` depends in the earlier stages on threads of its
//! own sub-cube only, and a thread's lead reaches S - 1 stages. With an inlet and a slot for each stage an
//! early block waits in its own inlet, and a slot of 2 gets just its own producer's signal and its own mate's
//! block. So no value is ever parked, in any schedule. A frame cannot end while a block is on its way to it:
//! `local` runs after the S-th `consume`, hence after the last of the S blocks that are ever sent there.
//!
//! # Where this departs from the paper
//!
//! * The flag, as explained above.
//! * Butterflies are `a + b` and `(a - b) w`. The paper's `a + b w` and `a - b w` from the first stage on are
//!   a transform in no output order (see [`SenderOrder`](earth_kernels::SenderOrder)).
//! * The producer sends its points as they are. Section 2.2 has it multiply by `w` first. Here the factor
//!   applies to the difference, which only the lower mate computes.
//! * The exchange comes first, then the local stages, as in section 2.2. Section 5.2 has the opposite order.
//!   Contiguous blocks in natural order do not allow that: their first mates are N/2 points apart.
//! * Pairs on one node synchronize like all others. Section 3.2 holds that they need not, but their fibers
//!   are scheduled freely too.
//! * The reordering, which the paper does not mention, is done, and timed by itself.
//!
//! # When it loses
//!
//! An exchange stage reads three blocks and writes two to do one level of the transform. A row kernel does
//! several levels in one pass. So it pays only where several nodes share the work, and with few stages:
//! against one call of the row kernel on one core each level costs several times as much. Node 0 does the
//! setup (3 Q messages, M (S + 1) addresses) and the reordering alone. With small blocks the fibers dominate:
//! a butterfly of B points has to outweigh the dispatch of two fibers and the transfer of a block.

pub(crate) mod solver;

use earth::{Eu, Reply, Shared, threaded};
use earth_fft::dataflow::points::{Points, whole_series};
use earth_fft::dataflow::work;
use earth_kernels::Real;

use crate::threads::{Addresses, ByThreads, Computed, Targets, ThreadsFft, ThreadsJob};
pub use solver::SenderPlan;

/// Input of [`SenderFft`].
pub type SenderJob<T> = ThreadsJob<SenderPlan<T>>;

/// The sender-initiated FFT.
pub type SenderFft<T> = ThreadsFft<SenderPlan<T>>;

impl<T: Real> ByThreads for SenderPlan<T> {
    type Real = T;

    fn sides(&self) -> [usize; 2] {
        [self.order.threads(), self.order.block()]
    }

    fn check(&self, signal: &Points<T>) {
        self.tables.check(signal);
    }

    fn invoke(plan: Shared<Self>, own: Points<T>, addresses: Reply<Addresses<T>>, eu: &mut Eu) {
        eu.invoke(eu.node(), Sender::call(own, plan, addresses));
    }

    /// Yields the mate of each stage.
    fn takers(&self, thread: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..self.order.stages()).map(move |stage| (self.order.mate(thread, stage), stage as usize))
    }

    fn joined(&self, shape: [usize; 2], blocks: Vec<Points<T>>, eu: &mut Eu) -> Points<T> {
        let whole = whole_series(shape, blocks);
        if self.order.stages() == 0 {
            return whole;
        }
        let mut natural = whole.zeroed_like(whole.rows(), whole.cols());
        eu.compute((&mut natural, &whole), work::copy(self.order.points()), |(natural, whole)| {
            let (Some(from), Some(to)) = (whole.as_slice(), natural.as_mut_slice()) else {
                unreachable!("whole rows are contiguous")
            };
            self.order.natural_order(from, to);
        });
        natural
    }
}

/// Thread of the transform.
pub struct Sender<T: Real> {
    mine: Points<T>,
    plan: Shared<SenderPlan<T>>,
    targets: Option<Targets<T>>,
    spare: Option<Points<T>>,
}

#[threaded(stages = plan.order.stages() as usize)]
impl<T: Real> Sender<T> {
    /// Starts the thread that owns the block `mine`.
    pub fn start(
        mine: Points<T>,
        plan: Shared<SenderPlan<T>>,
        addresses: Reply<Addresses<T>>,
        eu: &mut Eu<Self>,
    ) -> Self {
        let (targets, blocks) = (eu.reply(Self::begin().targets), eu.replies(Self::consume(..).theirs));
        eu.put(addresses, Addresses { targets, blocks, stages: eu.slot_refs(Self::consume(..)) });
        Self { mine, plan, targets: None, spare: None }
    }

    #[slot]
    fn begin(&mut self, targets: Targets<T>, eu: &mut Eu<Self>) {
        self.targets = Some(targets);
        self.go_on(eu, 0);
    }

    #[spawned]
    fn produce(&mut self, stage: usize, eu: &mut Eu<Self>) {
        let Self { mine, targets: Some(targets), spare, .. } = self else {
            unreachable!("stages come after `begin`")
        };
        let mut copy = spare.take().unwrap_or_else(|| mine.zeroed_like(1, mine.cols()));
        let work = work::copy(copy.len());
        eu.compute((&mut copy, &*mine), work, |(copy, mine)| copy.copy_from(mine));
        eu.put_block(targets.takers[stage], copy);
        eu.sync(Self::consume(stage));
    }

    /// The signal comes from the thread's own producer.
    #[slots(len = stages, sync)]
    fn consume(&mut self, stage: usize, theirs: Points<T>, eu: &mut Eu<Self>) {
        let Self { mine, plan, targets: Some(Targets { thread, .. }), .. } = self else {
            unreachable!("stages come after `begin`")
        };
        let work = work::sender_butterfly(theirs.len());
        eu.compute((mine, &theirs), work, |(mine, theirs)| {
            let (factors, _) = plan.tables.get();
            plan.order.combine(*thread, stage as u32, mine.row_mut(0), theirs.row(0), factors);
        });
        self.spare = Some(theirs);
        self.go_on(eu, stage + 1);
    }

    #[spawned]
    fn local(self, eu: &mut Eu<Self>) {
        let Self { mut mine, plan, targets: Some(Targets { done, .. }), spare } = self else {
            unreachable!("stages come after `begin`")
        };
        let work = work::row_fft(1, mine.len());
        eu.compute(&mut mine, work, |mine| plan.transform(mine.row_mut(0), spare));
        let computed = eu.now();
        eu.put(done, Computed { blocks: vec![mine], computed });
    }
}

impl<T: Real> Sender<T> {
    /// Enables the producer of `stage`, or the local stages if there is no such stage.
    fn go_on(&self, eu: &mut Eu<Self>, stage: usize) {
        let stages = self.plan.order.stages() as usize;
        if stage < stages { eu.spawn(Self::produce(stage)) } else { eu.spawn(Self::local()) }
    }
}
