//! Counters: exact where the program determines them, and equal on every machine.

use std::time::Duration;

use crate::common::{Kind, gives, on_every};
use earth::{Block, Config, Counters, Eu, NodeId, Reply, SlotRef, Then, Work, threaded};

/// Uses a little of everything on three nodes: node `i`, modulo the number of nodes, is the `i`-th of them.
struct Everything {
    sum: u64,
    out: Reply<u64>,
}

#[threaded]
impl Everything {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.incr(Self::wait(), 3);
        let (sum, block) = (eu.reply(Self::add().sum), eu.reply(Self::check().block));
        for i in 0..3 {
            let part = Part::call(Block::zeroed(3, 5), sum, block, eu.slot_ref(Self::done()));
            eu.invoke(NodeId::new(i % eu.nodes()), part);
        }
        eu.get(eu.cell_ref(Self::c()), eu.reply(Self::answer().read));
        Everything { sum: 0, out }
    }

    #[cell]
    fn c() -> u64;

    #[slot(again)]
    fn add(&mut self, sum: u64, eu: &mut Eu<Self>) {
        self.sum += sum;
        eu.sync(Self::wait());
    }

    #[slot(again)]
    fn check(&mut self, block: Block<u32>, eu: &mut Eu<Self>) {
        assert_eq!(block.row(0), [2; 15]);
        eu.sync(Self::wait());
    }

    #[slot(syncs = 3)]
    fn wait(&mut self, eu: &mut Eu<Self>) {
        eu.write(eu.cell_ref(Self::c()), 10);
    }

    #[slot]
    fn answer(&mut self, read: u64, eu: &mut Eu<Self>) {
        self.sum += read;
        eu.sync(Self::done());
    }

    #[slot(syncs = 4)]
    fn done(self, eu: &mut Eu<Self>) {
        eu.put(self.out, self.sum);
    }
}

struct Part {
    block: Block<u32>,
    sum: u64,
    to: Reply<u64>,
    moved: Reply<Block<u32>>,
    over: SlotRef,
}

#[threaded]
impl Part {
    fn start(
        block: Block<u32>,
        to: Reply<u64>,
        moved: Reply<Block<u32>>,
        over: SlotRef,
        eu: &mut Eu<Self>,
    ) -> Self {
        (0..10).for_each(|i| eu.token(Squares::call(i, eu.reply(Self::add().x))));
        Part { block, sum: 0, to, moved, over }
    }

    #[slot(again)]
    fn add(&mut self, x: u64, eu: &mut Eu<Self>) {
        self.sum += x;
        eu.sync(Self::done());
    }

    #[slot(syncs = 10)]
    fn done(self, eu: &mut Eu<Self>) {
        eu.put_block(self.moved, Block::from_fn(1, 15, |_, _| 2));
        eu.put(self.to, self.sum + self.block.len() as u64);
        eu.rsync(self.over);
    }
}

struct Squares;

#[threaded]
impl Squares {
    fn start(i: u64, to: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(to, i * i);
    }
}

/// Runs `n` fibers one after another on the last node, and only its own three on node 0.
struct Lopsided {
    out: Reply<u64>,
}

#[threaded]
impl Lopsided {
    fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(NodeId::new(eu.nodes() - 1), Spins::call(n, eu.reply(Self::done().ran)));
        eu.spawn(Self::idle());
        Lopsided { out }
    }

    #[spawned]
    fn idle(&mut self, eu: &mut Eu<Self>) {
        eu.sync(Self::done());
    }

    /// Also counts a signal of `idle`, since the answer may arrive before `idle` has run.
    #[slot(syncs = 1)]
    fn done(self, ran: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, ran);
    }
}

struct Spins {
    n: u64,
    ran: u64,
    out: Reply<u64>,
}

#[threaded]
impl Spins {
    fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.sync(Self::spin());
        Spins { n, ran: 0, out }
    }

    #[slot(sync, again)]
    fn spin(&mut self, eu: &mut Eu<Self>) -> Then {
        self.ran += 1;
        eu.work(Work::Cycles(100));
        if self.ran < self.n {
            eu.sync(Self::spin());
            return Then::Wait;
        }
        eu.put(self.out, self.ran);
        Then::End
    }
}

#[test]
fn each_node_has_its_own_counts() {
    on_every(|case| {
        let run = gives(&mut case.machine(), |out| Lopsided::call(50, out));
        assert_eq!(run.by_node.iter().sum::<Counters>(), run.counters);
        let fibers: Vec<_> = run.by_node.iter().map(|node| node.fibers).collect();
        let mut expected = vec![0; case.nodes];
        expected[0] += 3;
        expected[case.nodes - 1] += 51;
        assert_eq!(fibers, expected);
        let signals: u64 = run.by_node.iter().map(|node| node.signals).sum();
        assert_eq!((signals, run.by_node[0].signals >= 3), (50 + 3, true));
        // The units of a node, or the threads that step them, are busy or idle for the whole run.
        let spent = |node: &Counters| node.eu_busy + node.eu_idle + node.su_busy + node.su_idle;
        let total: Duration = run.by_node.iter().map(spent).sum();
        let units = case.nodes * if case.config == Config::Dual { 2 } else { 1 };
        let clocks = match case.kind {
            Kind::Threads => units.min(std::thread::available_parallelism().map_or(1, usize::from)),
            Kind::Stepper(_) | Kind::Simulated(_) => units,
            // Each rank has its own clock, and begins and ends when it learns of the run.
            Kind::Ranks { .. } => return,
        } as u32;
        assert_eq!(total, total / clocks * clocks, "each clock ran as long as the others");
        assert!(total / clocks <= run.elapsed, "{total:?} of {:?}", run.elapsed);
        if case.is_simulated() {
            for node in &run.by_node {
                assert_eq!(spent(node), run.elapsed * (units / case.nodes) as u32);
            }
            if case.nodes > 1 {
                let busy = run.by_node.iter().map(|node| node.eu_busy).max();
                assert_eq!(busy, run.by_node.last().map(|node| node.eu_busy));
            }
        }
    });
}

/// Returns the counts that the program determines, on every machine.
fn fixed(counters: &Counters) -> [u64; 9] {
    let c = counters;
    [
        c.fibers,
        c.tokens,
        c.invokes,
        c.signals,
        c.block_moves,
        c.bytes_moved,
        c.frames,
        c.frames_ended,
        c.deferred_reads,
    ]
}

#[test]
fn counts_that_the_program_fixes_are_exact_and_equal() {
    on_every(|case| {
        let mut machine = case.machine();
        for _ in 0..3 {
            let run = gives(&mut machine, Everything::call);
            assert_eq!(run.value, 3 * ((0..10).map(|i| i * i).sum::<u64>() + 15) + 10);
            // One part: start, 10 squares, 10 additions, done. Main: start, 3 additions, 3 checks, wait,
            // answer, done.
            let fibers = 3 * (1 + 10 + 10 + 1) + (1 + 3 + 3 + 1 + 1 + 1);
            // One part: 10 values, 10 signals; 3 to main. Main: 6 of its own, the answer, one more for the
            // rest. Finally the value of the run.
            let signals = 3 * (10 + 10 + 3) + 6 + 1 + 1 + 1;
            // A block of 15 numbers as an argument, and one as a value.
            let bytes = 3 * (60 + 60);
            assert_eq!(fixed(&run.counters), [fibers, 30, 3, signals, 3, bytes, 4, 4, 1]);
            assert!(run.counters.frames_high >= 2 && run.counters.frames_high <= 4);
            if case.nodes == 1 {
                assert_eq!((run.counters.events_sent, run.counters.tokens_stolen), (0, 0));
                assert_eq!(run.counters.frames_high, 4);
            }
        }
    });
}

/// Sends `n` signals to a slot on the last node, and gets a reply when all have arrived.
struct Sends {
    n: u64,
    out: Reply<u64>,
}

#[threaded]
impl Sends {
    fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let hears = Hears::call(n as u32, eu.reply(Self::send().to), eu.slot_ref(Self::done()));
        eu.invoke(NodeId::new(eu.nodes() - 1), hears);
        Sends { n, out }
    }

    #[slot]
    fn send(&mut self, to: SlotRef, eu: &mut Eu<Self>) {
        (0..self.n).for_each(|_| eu.rsync(to));
    }

    #[slot(sync)]
    fn done(self, eu: &mut Eu<Self>) {
        eu.put(self.out, self.n);
    }
}

struct Hears {
    over: SlotRef,
}

#[threaded]
impl Hears {
    fn start(n: u32, out: Reply<SlotRef>, over: SlotRef, eu: &mut Eu<Self>) -> Self {
        eu.put(out, eu.slot_ref(Self::heard()));
        Hears { over }
    }

    #[slot(syncs = n as usize)]
    fn heard(self, eu: &mut Eu<Self>) {
        eu.rsync(self.over);
    }
}

#[test]
fn events_between_nodes_are_counted_one_by_one() {
    on_every(|case| {
        for n in [1, 100] {
            let counters = gives(&mut case.machine(), |out| Sends::call(n, out)).counters;
            assert_eq!((counters.fibers, counters.signals), (5, n + 3));
            // The start, the address, the signals, the final reply.
            let sent = if case.nodes == 1 { 0 } else { 1 + 1 + n + 1 };
            assert_eq!(counters.events_sent, sent);
        }
    });
}

#[test]
fn one_seed_is_one_run() {
    for case in crate::common::cases().filter(|case| case.is_stepped()) {
        let untimed = |mut counters: Counters| {
            let Counters { eu_busy, eu_idle, su_busy, su_idle, .. } = &mut counters;
            for time in [eu_busy, eu_idle, su_busy, su_idle] {
                *time = Duration::ZERO;
            }
            counters
        };
        let mut machine = case.machine();
        let first = untimed(gives(&mut machine, Everything::call).counters);
        let again = untimed(gives(&mut machine, Everything::call).counters);
        let other = untimed(gives(&mut case.machine(), Everything::call).counters);
        assert_eq!((first, first), (again, other), "on {case}");
    }
}
