//! FFTs of radix 2, 4 and 8 by stages: butterflies dealt to nodes in turn, and a barrier after each stage or none.
//!
//! Source: Chen and Gao, "Performance Analysis of Cooley-Tukey FFT Algorithms for a Many-core Architecture", sections 3
//! and 5.2: PAR-R2-FFT, PAR-R4-FFT, PAR-R2LM-FFT, and the radix 8 that it only predicts. N = R^t points, B butterflies
//! of a stage to a thread; [`RadixOrder`](earth_kernels::RadixOrder) says which points they take and why that is a transform.
//!
//! 1. *Reversal.* [`RadixFft`] copies the signal into the order of reversed digits, which is timed by itself.
//! 2. *Setup.* It deals R B points to each of the M = N / (R B) threads; that of thread `g` lives on node `g mod P`, as the
//!    paper deals butterflies, where a [`Part`] leads the node's threads. The threads' addresses go to node 0, and
//!    those of the threads they send to come back.
//! 3. *Own stages.* A [`Thread`] does the first stages, `log_R B + 1`, in its own points, and cuts them into R blocks of B.
//! 4. *Rounds*, one for each stage that is left, E of them. After a stage each block goes to the thread that takes
//!    it in the next one. A slot for each round counts the R blocks and one signal.
//! 5. *Home.* After the last round a part sends the blocks of its threads home in one message; they are in natural order.
//!
//! *Barriers.* As published, a stage begins when all threads have done the one before: threads signal their part, parts
//! node 0, and this all parts and these their threads. Without barriers a thread signals itself, and waits for nothing
//! but its blocks.
//!
//! *Factors* are a table that all nodes read. With factors near (PAR-R2LM) each part makes a copy of those of stages 1 to 6
//! in memory of its own node, which its threads read instead.
//!
//! # Counts
//!
//! Z is the bytes of a point, Q = min(P, M) the nodes that have threads; what is added depends on what threads wait for.
//!
//! | counter | count | with barriers more | made of |
//! |---|---|---|---|
//! | fibers | M (2 + E (R + 1)) + 4 Q + 3 | E (2 Q + 1) | a thread: `start`, `begin`, R of `take` and one `combine` a round; four of a part, three of `RadixFft` |
//! | invokes | M + Q | | |
//! | signals | M (3 + E (2 R + 1)) + 3 Q + 1 | E (M + 2 Q) | a thread: its addresses, its targets, its result; a round: R blocks, each of which signals the slot, and one more; a part: addresses, targets, home; the value of the run |
//! | block moves | M E R | | |
//! | bytes moved | N Z (E + 5), and M F Z if F factors are near | | dealt to parts and threads, E rounds, back to the parts, home, the value of the run |
//! | frames | M + Q + 1 | | |
//! | tokens, parked values, deferred reads | 0 | | |
//!
//! `events_sent` is 4 (Q - 1), one for each block whose next thread is on another node, and with barriers 2 E (Q - 1). Where R
//! butterflies are dealt to threads a multiple of P apart, blocks stay on their node: with P a power of R only the
//! first `log_R P` rounds send.
//!
//! # Why a thread does its stages in their order
//!
//! Without barriers the blocks of a round may come before those of an earlier one, or before the thread has begun. The slot of a
//! round therefore counts one signal beside its blocks: the thread's own, from the stage before, or the barrier's, which has
//! the thread's own behind it. So a frame ends with its last round, after all that is sent to it.
//!
//! # When it loses
//!
//! Always, on cores with caches: each round is a pass over the memory for log2 R levels, in blocks that other cores had. A
//! barrier loses to none wherever threads are not equally fast. Small blocks drown in fibers, R + 1 a round.

pub(crate) mod solver;

use std::time::Duration;

use earth::{
    Arrived, Block, Eu, NodeId, Published, Replies, Reply, Shared, SharedValues, SlotRefs, Then, Wire,
    threaded,
};
use earth_fft::dataflow::phases::{Done, Phases, Times};
use earth_fft::dataflow::points::{Points, check_signal, whole_series};
use earth_fft::dataflow::work;
use earth_kernels::Real;
use num_complex::Complex;

pub use solver::{NEAR_STAGES, RadixPlan, Waiting};

/// The input of [`RadixFft`].
#[derive(Debug, Wire)]
pub struct RadixJob<T: Real> {
    signal: Points<T>,
    plan: Shared<RadixPlan<T>>,
    /// The nodes that have threads.
    parts: usize,
}

impl<T: Real> RadixJob<T> {
    /// The job to transform a signal in natural order on the first `nodes` nodes. The signal is one row, or a row for each
    /// thread; so is its spectrum.
    ///
    /// # Panics
    ///
    /// If the signal has other rows or points, the plan is for phantoms and the signal is none, or there are no nodes.
    pub fn new(signal: Block<Complex<T>>, plan: Shared<RadixPlan<T>>, nodes: usize) -> Self {
        assert!(nodes > 0, "threads are dealt to one node at least");
        let order = plan.order();
        if [signal.rows(), signal.cols()] != plan.rows() {
            check_signal(&signal, order.points());
        }
        plan.check(&signal);
        let parts = nodes.min(order.threads());
        Self { signal, plan, parts }
    }

    /// The values that its run begins with.
    pub fn shared(&self) -> SharedValues {
        SharedValues::default().with(&self.plan)
    }
}

/// Where the blocks of each thread of a part go, after each stage but the last.
type Takers<T> = Vec<Vec<Reply<Points<T>>>>;

/// The addresses of a part, told when all its threads have their points.
#[derive(Debug, Wire)]
pub struct Met<T: Real> {
    /// Its inlet for the takers of its threads' blocks.
    begin: Reply<Takers<T>>,
    /// The inlets of each thread for its blocks, by round.
    blocks: Vec<Replies<Points<T>>>,
    /// Its slots for barriers, by round.
    open: SlotRefs,
}

/// Blocks at the end, of a thread or of a part, and by their node's clock when the last was computed.
#[derive(Debug, Wire)]
pub struct Computed<T: Real> {
    blocks: Vec<Points<T>>,
    computed: Duration,
}

/// The FFT by stages: it reverses digits, deals the points, connects the threads, and joins what comes back.
pub struct RadixFft<T: Real> {
    plan: Shared<RadixPlan<T>>,
    /// The rows and columns of the signal.
    shape: [usize; 2],
    out: Reply<Done<T>>,
    /// When it was started, when the digits were reversed, when the points were dealt.
    times: [Duration; 3],
    /// The parts' slots for barriers.
    open: Vec<SlotRefs>,
}

#[threaded(parts = job.parts, barriers = job.plan.barriers())]
impl<T: Real> RadixFft<T> {
    /// The transform of the job's signal.
    pub fn deal(job: RadixJob<T>, out: Reply<Done<T>>, eu: &mut Eu<Self>) -> Self {
        let started = eu.now();
        let RadixJob { signal, plan, .. } = job;
        let (order, shape) = (plan.order(), [signal.rows(), signal.cols()]);
        let mut reversed = signal.zeroed_like(signal.rows(), signal.cols());
        eu.compute((&mut reversed, &signal), work::copy(order.points()), |(reversed, signal)| {
            let (Some(from), Some(to)) = (signal.as_slice(), reversed.as_mut_slice()) else {
                unreachable!("a whole signal lies in one piece")
            };
            order.reverse(from, to);
        });
        drop(signal);
        let ready = eu.now();
        let (met, home) = (eu.replies(Self::connect().met), eu.replies(Self::gather().home));
        let mut shares: Vec<Vec<_>> = (0..parts).map(|_| Vec::new()).collect();
        let [_, points] = plan.rows();
        let pieces = reversed.split_rows_into(1).flat_map(|row| row.split_cols_into(points));
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
    fn connect(&mut self, #[inlets(parts)] met: Arrived<'_, Met<T>>, eu: &mut Eu<Self>) {
        // All points are dealt, and nobody computes before it has its targets.
        self.times[2] = eu.now();
        let (order, parts) = (self.plan.order(), met.len());
        let blocks = order.of_blocks();
        for (node, part) in met.iter().enumerate() {
            let takers_of = |thread: usize| {
                let sent = (0..order.rounds()).flat_map(|round| {
                    let butterfly = blocks.butterfly(round, thread);
                    (0..order.radix()).map(move |m| (round, butterfly.point(m)))
                });
                let taker = |(round, block)| {
                    let (taker, m) = blocks.taker(round + 1, block);
                    met[taker % parts].blocks[taker / parts].at(round as usize * order.radix() + m)
                };
                sent.map(taker).collect()
            };
            eu.put(part.begin, (node..order.threads()).step_by(parts).map(takers_of).collect());
        }
        self.open = met.iter().map(|part| part.open).collect();
    }

    #[slots(len = barriers, syncs = parts)]
    fn cross(&mut self, round: usize, eu: &mut Eu<Self>) {
        for part in &self.open {
            eu.rsync(part.at(round));
        }
    }

    #[slot]
    fn gather(self, #[inlets(parts)] home: Arrived<'_, Computed<T>>, eu: &mut Eu<Self>) {
        let back = eu.now();
        let Self { plan, shape, out, times: [started, ready, dealt], .. } = self;
        let order = plan.order();
        let mut computed = Duration::ZERO;
        let shares = home.map(|part| {
            computed = computed.max(part.computed);
            part.blocks.into_iter()
        });
        let mut shares: Vec<_> = shares.collect();
        let (parts, mut blocks) =
            (shares.len(), (0..order.points() / order.block()).map(|_| None).collect::<Vec<_>>());
        for thread in 0..order.threads() {
            let last = order.of_blocks().butterfly(order.rounds(), thread);
            for m in 0..order.radix() {
                blocks[last.point(m)] = shares[thread % parts].next();
            }
        }
        let spectrum = whole_series(shape, blocks.into_iter().flatten().collect());
        // What is called reordering comes first here.
        let ended = eu.now() + ready.saturating_sub(started);
        let times = Times { started: ready, dealt, local: dealt, computed, home: back, ended };
        eu.put(out, Done::new(spectrum, Phases::of(times)));
    }
}

/// One node's part: it starts the node's threads, and speaks with node 0 for them.
pub struct Part<T: Real> {
    parts: usize,
    plan: Shared<RadixPlan<T>>,
    crossed: SlotRefs,
    met: Reply<Met<T>>,
    home: Reply<Computed<T>>,
    /// The inlets of its threads for their targets, and their slots for barriers.
    threads: Vec<(Reply<Targets<T>>, SlotRefs)>,
}

#[threaded(threads = pieces.len(), barriers = plan.barriers())]
impl<T: Real> Part<T> {
    /// The part of this node, of so many, whose threads own these points.
    pub fn start(
        pieces: Vec<Points<T>>,
        parts: usize,
        plan: Shared<RadixPlan<T>>,
        crossed: SlotRefs,
        met: Reply<Met<T>>,
        home: Reply<Computed<T>>,
        eu: &mut Eu<Self>,
    ) -> Self {
        let (here, addresses) = (eu.node(), eu.replies(Self::tell().addresses));
        for (place, piece) in pieces.into_iter().enumerate() {
            eu.invoke(here, Thread::call(piece, plan.clone(), addresses.at(place)));
        }
        Self { parts, plan, crossed, met, home, threads: Vec::new() }
    }

    #[slot]
    fn tell(&mut self, #[inlets(threads)] addresses: Arrived<'_, Addresses<T>>, eu: &mut Eu<Self>) {
        self.threads = addresses.iter().map(|thread| (thread.targets, thread.combine)).collect();
        let blocks = addresses.map(|thread| thread.blocks).collect();
        let begin = eu.reply(Self::begin().takers);
        eu.put(self.met, Met { begin, blocks, open: eu.slot_refs(Self::open(..)) });
    }

    #[slot]
    fn begin(&mut self, takers: Takers<T>, eu: &mut Eu<Self>) {
        let (node, done) = (eu.node().index(), eu.replies(Self::send_home().done));
        let (near, arrived) = (self.plan.near().map(Published::from), eu.slot_refs(Self::arrive(..)));
        for (place, (&(targets, _), takers)) in self.threads.iter().zip(takers).enumerate() {
            let (thread, near) = (node + place * self.parts, near.clone());
            eu.put(targets, Targets { thread, takers, done: done.at(place), arrived, near });
        }
    }

    #[slots(len = barriers, syncs = threads)]
    fn arrive(&mut self, round: usize, eu: &mut Eu<Self>) {
        eu.rsync(self.crossed.at(round));
    }

    #[slots(len = barriers, sync)]
    fn open(&mut self, round: usize, eu: &mut Eu<Self>) {
        for (_, combine) in &self.threads {
            eu.rsync(combine.at(round));
        }
    }

    #[slot]
    fn send_home(self, #[inlets(threads)] done: Arrived<'_, Computed<T>>, eu: &mut Eu<Self>) {
        let (mut computed, mut blocks) = (Duration::ZERO, Vec::new());
        for thread in done {
            computed = computed.max(thread.computed);
            blocks.extend(thread.blocks);
        }
        eu.put(self.home, Computed { blocks, computed });
    }
}

/// The addresses of a thread.
#[derive(Debug, Wire)]
pub struct Addresses<T: Real> {
    /// Its inlet for the targets.
    targets: Reply<Targets<T>>,
    /// Its inlets for blocks: R of each round.
    blocks: Replies<Points<T>>,
    /// Its slots for rounds, which barriers signal.
    combine: SlotRefs,
}

/// A thread's number and the addresses that it sends to, made when those of all threads are known.
#[derive(Debug, Wire)]
pub struct Targets<T: Real> {
    thread: usize,
    /// Where its R blocks go after each stage but the last.
    takers: Vec<Reply<Points<T>>>,
    /// And after the last one.
    done: Reply<Computed<T>>,
    /// The slots of its part for barriers, by round.
    arrived: SlotRefs,
    /// The factors that its node keeps near.
    near: Option<Published<Complex<T>>>,
}

/// One thread of the transform.
pub struct Thread<T: Real> {
    plan: Shared<RadixPlan<T>>,
    /// Its own points, until it has its targets.
    own: Option<Points<T>>,
    targets: Option<Targets<T>>,
    /// The blocks that have come: R of each round.
    taken: Vec<Option<Points<T>>>,
}

#[threaded(rounds = plan.order().rounds() as usize, radix = plan.order().radix())]
impl<T: Real> Thread<T> {
    /// The thread that owns these points.
    pub fn start(
        own: Points<T>,
        plan: Shared<RadixPlan<T>>,
        addresses: Reply<Addresses<T>>,
        eu: &mut Eu<Self>,
    ) -> Self {
        let targets = eu.reply(Self::begin().targets);
        let (blocks, combine) = (eu.replies(Self::take(..).block), eu.slot_refs(Self::combine(..)));
        eu.put(addresses, Addresses { targets, blocks, combine });
        let taken = (0..rounds * radix).map(|_| None).collect();
        Self { plan, own: Some(own), targets: None, taken }
    }

    #[slot]
    fn begin(&mut self, targets: Targets<T>, eu: &mut Eu<Self>) -> Then {
        let Some(mut own) = self.own.take() else { unreachable!("a thread begins once") };
        let order = self.plan.order();
        eu.compute(&mut own, self.plan.work(order.own_stages()), |own| {
            self.plan.transform_own(own, near(&targets));
        });
        self.targets = Some(targets);
        self.send(0, own.split_cols_into(order.block()).collect(), eu)
    }

    #[slots(len = rounds * radix)]
    fn take(&mut self, index: usize, block: Points<T>, eu: &mut Eu<Self>) {
        self.taken[index] = Some(block);
        eu.sync(Self::combine(index / self.plan.order().radix()));
    }

    /// The signals are those of the blocks, and one of the stage before: the thread's own or the barrier's.
    #[slots(len = rounds, syncs = radix + 1)]
    fn combine(&mut self, round: usize, eu: &mut Eu<Self>) -> Then {
        let radix = self.plan.order().radix();
        let taken = &mut self.taken[round * radix..][..radix];
        let mut blocks: Vec<_> = taken.iter_mut().filter_map(Option::take).collect();
        let Some(targets) = &self.targets else { unreachable!("rounds come after `begin`") };
        eu.compute(&mut blocks[..], self.plan.work(1), |blocks| {
            self.plan.combine(round as u32 + 1, targets.thread, blocks, near(targets));
        });
        self.send(round + 1, blocks, eu)
    }
}

impl<T: Real> Thread<T> {
    /// Sends the blocks of a stage to those who take them, or home after the last one, which ends the thread.
    fn send(&self, round: usize, blocks: Vec<Points<T>>, eu: &mut Eu<Self>) -> Then {
        let Some(targets) = &self.targets else { unreachable!("targets come before blocks") };
        let (rounds, radix) = (self.plan.order().rounds() as usize, self.plan.order().radix());
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

/// The factors that are near.
fn near<T: Real>(targets: &Targets<T>) -> &[Complex<T>] {
    targets.near.as_ref().map_or(&[], |near| near.row(0))
}
