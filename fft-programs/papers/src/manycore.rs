//! FFTs of radix 2, 4 and 8 by stages. Butterflies are dealt to nodes in turn, with or without a barrier
//! after each stage.
//!
//! Source: Chen and Gao, "Performance Analysis of Cooley-Tukey FFT Algorithms for a Many-core Architecture",
//! sections 3 and 5.2: PAR-R2-FFT, PAR-R4-FFT, PAR-R2LM-FFT, and the radix 8 that it only predicts. There are
//! N = R^t points; a thread does B butterflies of a stage. [`RadixOrder`](earth_kernels::RadixOrder) defines
//! which points they take and proves that this is a transform.
//!
//! 1. *Reversal.* The signal is copied into digit-reversed order. This step is timed by itself.
//! 2. *Setup.* M = N / (R B) [threads](crate::threads) are dealt R B points each and connected. Thread `g` is
//!    on node `g mod P`, as the paper deals butterflies.
//! 3. *Own stages.* A [`Thread`] does the first `log_R B + 1` stages in its own points. It then cuts them
//!    into R blocks of B.
//! 4. *Rounds*: E of them, one for each remaining stage. After a stage each block goes to the thread that
//!    takes it in the next one. A slot for each round counts the R blocks and one signal.
//! 5. *Home.* After the last round the blocks go home; they are in natural order.
//!
//! *Barriers.* As published, a stage begins when all threads have ended the one before. Without barriers a
//! thread signals itself, and waits only for its blocks.
//!
//! *Factors* are a table that all nodes read. With near factors (PAR-R2LM) each part copies the factors of
//! stages 1 to 6 into memory of its own node, and its threads read the copy.
//!
//! # Counts
//!
//! Z is the number of bytes of a point; Q = min(P, M) is the number of nodes with threads. Barriers add the
//! counts of the third column.
//!
//! | counter | count | added by barriers | made of |
//! |---|---|---|---|
//! | fibers | M (2 + E (R + 1)) + 4 Q + 3 | E (2 Q + 1) | a thread: `start`, `begin`, R of `take` and one `combine` a round; four of a part, three of node 0 |
//! | invokes | M + Q | | |
//! | signals | M (3 + E (2 R + 1)) + 3 Q + 1 | E (M + 2 Q) | a thread: its addresses, its targets, its result; a round: R blocks, each of which signals the slot, and one more; a part: addresses, targets, home; the value of the run |
//! | block moves | M E R | | |
//! | bytes moved | N Z (E + 5), and M F Z if F factors are near | | dealt to parts and threads, E rounds, back to the parts, home, the value of the run |
//! | frames | M + Q + 1 | | |
//! | tokens, parked values, deferred reads | 0 | | |
//!
//! `events_sent` is 4 (Q - 1), plus one for each block whose next thread is on another node, plus 2 E (Q - 1)
//! with barriers. A block stays on its node if the R threads of its butterflies are a multiple of P apart.
//! With P a power of R only the first `log_R P` rounds send.
//!
//! # Why a thread does its stages in order
//!
//! Without barriers the blocks of a round may arrive before the blocks of an earlier one, or before the
//! thread has begun. The slot of a round therefore counts one signal beside its blocks. The signal is the
//! thread's own from the stage before, or the barrier's, which follows the thread's own. So a frame ends with
//! its last round, after everything that is sent to it.
//!
//! # When it loses
//!
//! On cores with caches it always loses. Each round is a pass over the memory for log2 R levels, in blocks
//! that other cores had. Barriers lose to no barriers wherever threads are not equally fast. With small
//! blocks the fibers dominate, R + 1 a round.

pub(crate) mod solver;

use earth::{Block, Eu, Reply, Shared, Then, threaded};
use earth_fft::dataflow::points::{Points, whole_series};
use earth_fft::dataflow::work;
use earth_kernels::Real;
use num_complex::Complex;

use crate::threads::{Addresses, ByThreads, Computed, Targets, ThreadsFft, ThreadsJob};
pub use solver::{LOCAL_STAGES, RadixPlan};

/// Input of [`RadixFft`].
pub type RadixJob<T> = ThreadsJob<RadixPlan<T>>;

/// FFT by stages.
pub type RadixFft<T> = ThreadsFft<RadixPlan<T>>;

impl<T: Real> ByThreads for RadixPlan<T> {
    type Real = T;

    fn sides(&self) -> [usize; 2] {
        [self.order.threads(), self.order.radix() * self.order.block()]
    }

    fn check(&self, signal: &Points<T>) {
        self.factors.check(signal);
    }

    fn invoke(plan: Shared<Self>, own: Points<T>, addresses: Reply<Addresses<T>>, eu: &mut Eu) {
        eu.invoke(eu.node(), Thread::call(own, plan, addresses));
    }

    /// Yields the threads that take the R blocks after each stage except the last.
    fn takers(&self, thread: usize) -> impl Iterator<Item = (usize, usize)> {
        let (blocks, radix) = (self.order.of_blocks(), self.order.radix());
        (0..self.order.rounds()).flat_map(move |round| {
            let butterfly = blocks.butterfly(round, thread);
            (0..radix).map(move |m| {
                let (taker, at) = blocks.taker(round + 1, butterfly.point(m));
                (taker, round as usize * radix + at)
            })
        })
    }

    fn barriers(&self) -> usize {
        if self.barriers { self.order.rounds() as usize } else { 0 }
    }

    fn local(&self) -> Option<Points<T>> {
        let count = self.order.factors(self.local_stages);
        let factors = self.factors.found()?.factors()[..count].to_vec();
        (count > 0).then(|| Block::from_vec(1, count, factors).unwrap_or_else(|error| panic!("{error}")))
    }

    fn arranged(&self, signal: Points<T>, eu: &mut Eu) -> Points<T> {
        let mut reversed = signal.zeroed_like(signal.rows(), signal.cols());
        eu.compute((&mut reversed, &signal), work::copy(self.order.points()), |(reversed, signal)| {
            let (Some(from), Some(to)) = (signal.as_slice(), reversed.as_mut_slice()) else {
                unreachable!("a whole signal is contiguous")
            };
            self.order.reverse(from, to);
        });
        reversed
    }

    fn joined(&self, shape: [usize; 2], blocks: Vec<Points<T>>, _: &mut Eu) -> Points<T> {
        let order = self.order;
        let mut placed: Vec<_> = blocks.iter().map(|_| None).collect();
        for (at, block) in blocks.into_iter().enumerate() {
            let last = order.of_blocks().butterfly(order.rounds(), at / order.radix());
            placed[last.point(at % order.radix())] = Some(block);
        }
        whole_series(shape, placed.into_iter().flatten().collect())
    }
}

/// Thread of the transform.
pub struct Thread<T: Real> {
    plan: Shared<RadixPlan<T>>,
    /// The thread's points, until its targets arrive.
    own: Option<Points<T>>,
    targets: Option<Targets<T>>,
    /// Blocks that have arrived: R of each round.
    taken: Vec<Option<Points<T>>>,
}

#[threaded(rounds = plan.order.rounds() as usize, radix = plan.order.radix())]
impl<T: Real> Thread<T> {
    /// Starts the thread that owns the points `own`.
    pub fn start(
        own: Points<T>,
        plan: Shared<RadixPlan<T>>,
        addresses: Reply<Addresses<T>>,
        eu: &mut Eu<Self>,
    ) -> Self {
        let targets = eu.reply(Self::begin().targets);
        let (blocks, combine) = (eu.replies(Self::take(..).block), eu.slot_refs(Self::combine(..)));
        eu.put(addresses, Addresses { targets, blocks, stages: combine });
        let taken = (0..rounds * radix).map(|_| None).collect();
        Self { plan, own: Some(own), targets: None, taken }
    }

    #[slot]
    fn begin(&mut self, targets: Targets<T>, eu: &mut Eu<Self>) -> Then {
        let Some(mut own) = self.own.take() else { unreachable!("a thread begins once") };
        let order = self.plan.order;
        eu.compute(&mut own, self.plan.work(order.own_stages()), |own| {
            self.plan.transform_own(own, local(&targets));
        });
        self.targets = Some(targets);
        self.send(0, own.split_cols_into(order.block()).collect(), eu)
    }

    #[slots(len = rounds * radix)]
    fn take(&mut self, index: usize, block: Points<T>, eu: &mut Eu<Self>) {
        self.taken[index] = Some(block);
        eu.sync(Self::combine(index / self.plan.order.radix()));
    }

    /// Waits for the signals of the blocks and for one of the stage before: the thread's own or the
    /// barrier's.
    #[slots(len = rounds, syncs = radix + 1)]
    fn combine(&mut self, round: usize, eu: &mut Eu<Self>) -> Then {
        let radix = self.plan.order.radix();
        let taken = &mut self.taken[round * radix..][..radix];
        let mut blocks: Vec<_> = taken.iter_mut().filter_map(Option::take).collect();
        let Some(targets) = &self.targets else { unreachable!("rounds come after `begin`") };
        eu.compute(&mut blocks[..], self.plan.work(1), |blocks| {
            self.plan.combine(round as u32 + 1, targets.thread, blocks, local(targets));
        });
        self.send(round + 1, blocks, eu)
    }
}

impl<T: Real> Thread<T> {
    /// Sends the blocks of a stage to the threads that take them. After the last stage it sends them home and
    /// ends the thread.
    fn send(&self, round: usize, blocks: Vec<Points<T>>, eu: &mut Eu<Self>) -> Then {
        let Some(targets) = &self.targets else { unreachable!("targets come before blocks") };
        let (rounds, radix) = (self.plan.order.rounds() as usize, self.plan.order.radix());
        if round == rounds {
            let computed = eu.now();
            eu.put(targets.done, Computed { blocks, computed });
            return Then::End;
        }
        for (&taker, block) in targets.takers[round * radix..].iter().zip(blocks) {
            eu.put_block(taker, block);
        }
        if self.plan.barriers() > 0 {
            eu.rsync(targets.arrived.at(round));
        } else {
            eu.sync(Self::combine(round));
        }
        Then::Wait
    }
}

/// Returns the factors near this node, empty if there are none.
fn local<T: Real>(targets: &Targets<T>) -> &[Complex<T>] {
    targets.local.as_ref().map_or(&[], |local| local.row(0))
}
