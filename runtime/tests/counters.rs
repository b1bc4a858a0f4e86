//! What is counted: exactly, where the program says so, and the same on every machine.

mod common;

use std::time::Duration;

use common::{Kind, good, on_every};
use earth::{Block, Config, Counters, NodeId, Reply, SlotRef, Then, Work, threaded_old};

threaded_old! {
    /// A little of everything, on three nodes by name, `i`-th of them the node `i`
    /// modulo the number of nodes.
    fn Everything(out: Reply<u64>)
    state  { sum: u64 = 0 }
    calls  { Part }
    inlets { sum: u64, block: Block<u32>, read: u64 }
    cells  { c: u64 }
    slots  { one: 1, reset 1 => add, moved: 1, reset 1 => check, answered: 1 => answer, all: 3 => wait, rest: 4 => done }
    fiber start(_this, eu) {
        eu.incr(Self::all, 3);
        for i in 0..3 {
            let node = NodeId::new(i % eu.nodes());
            let replies = (eu.reply_to(Self::sum, Self::one), eu.reply_to(Self::block, Self::moved), eu.slot_ref(Self::rest));
            eu.invoke_old::<Part>(node, (Block::zeroed(3, 5), Box::new(replies)));
        }
        eu.get(eu.cell_ref(Self::c), eu.reply_to(Self::read, Self::answered));
        Then::Wait
    }
    fiber add(this, eu) {
        this.sum += eu.take(Self::sum);
        eu.sync(Self::all);
        Then::Wait
    }
    fiber check(_this, eu) {
        assert_eq!(eu.take(Self::block).row(0), [2; 15]);
        eu.sync(Self::all);
        Then::Wait
    }
    fiber wait(_this, eu) {
        eu.write(eu.cell_ref(Self::c), 10);
        Then::Wait
    }
    fiber answer(this, eu) {
        this.sum += eu.take(Self::read);
        eu.sync(Self::rest);
        Then::Wait
    }
    fiber done(this, eu) {
        eu.put(this.out, this.sum);
        Then::End
    }
}

threaded_old! {
    fn Part(block: Block<u32>, to: Box<(Reply<u64>, Reply<Block<u32>>, SlotRef)>)
    state  { sum: u64 = 0 }
    calls  { Squares }
    inlets { x: u64 }
    slots  { came: 1, reset 1 => add, all: 10 => done }
    fiber start(_this, eu) {
        (0..10).for_each(|i| eu.token_old::<Squares>((i, eu.reply_to(Self::x, Self::came))));
        Then::Wait
    }
    fiber add(this, eu) {
        this.sum += eu.take(Self::x);
        eu.sync(Self::all);
        Then::Wait
    }
    fiber done(this, eu) {
        let (sum, block, over) = *this.to;
        eu.put_block(block, Block::from_fn(1, 15, |_, _| 2));
        eu.put(sum, this.sum + this.block.len() as u64);
        eu.rsync(over);
        Then::End
    }
}

threaded_old! {
    fn Squares(i: u64, to: Reply<u64>)
    fiber start(this, eu) {
        eu.put(this.to, this.i * this.i);
        Then::End
    }
}

threaded_old! {
    /// Runs `n` fibers one after another on the last node, and nothing but its own three on node 0.
    fn Lopsided(n: u64, out: Reply<u64>)
    calls  { Spins }
    inlets { ran: u64 }
    slots  { over: 1 => done }
    fiber start(this, eu) {
        let to = NodeId::new(eu.nodes() - 1);
        eu.invoke_old::<Spins>(to, (this.n, 0, eu.reply_to(Self::ran, Self::over)));
        eu.spawn(Self::idle);
        Then::Wait
    }
    fiber idle(_this, _eu) { Then::Wait }
    fiber done(this, eu) {
        let ran = eu.take(Self::ran);
        eu.put(this.out, ran);
        Then::End
    }
}

threaded_old! {
    fn Spins(n: u64, ran: u64, out: Reply<u64>)
    slots { next: 1, reset 1 => spin }
    fiber start(_this, eu) {
        eu.sync(Self::next);
        Then::Wait
    }
    fiber spin(this, eu) {
        this.ran += 1;
        eu.work(Work::Cycles(100));
        if this.ran < this.n {
            eu.sync(Self::next);
            return Then::Wait;
        }
        eu.put(this.out, this.ran);
        Then::End
    }
}

#[test]
fn each_node_has_its_own_counts() {
    on_every(|case| {
        let run = good::<Lopsided>(&mut case.machine(), 50);
        assert_eq!(run.by_node.iter().sum::<Counters>(), run.counters);
        let fibers: Vec<_> = run.by_node.iter().map(|node| node.fibers).collect();
        let mut expected = vec![0; case.nodes];
        expected[0] += 3;
        expected[case.nodes - 1] += 51;
        assert_eq!(fibers, expected);
        let signals: u64 = run.by_node.iter().map(|node| node.signals).sum();
        assert_eq!((signals, run.by_node[0].signals >= 2), (50 + 2, true));
        // A node's units, or the threads that step them, are busy or idle for as long as the run took.
        let spent = |node: &Counters| node.eu_busy + node.eu_idle + node.su_busy + node.su_idle;
        let total: Duration = run.by_node.iter().map(spent).sum();
        let units = case.nodes * if case.config == Config::Dual { 2 } else { 1 };
        let clocks = match case.kind {
            Kind::Threads => units.min(std::thread::available_parallelism().map_or(1, usize::from)),
            Kind::Stepper(_) | Kind::Simulated(_) => units,
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

/// What the program fixes, whatever the machine.
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
fn what_the_program_fixes_is_counted_exactly_and_alike() {
    on_every(|case| {
        let mut machine = case.machine();
        for _ in 0..3 {
            let run = good::<Everything>(&mut machine, ());
            assert_eq!(run.value, 3 * ((0..10).map(|i| i * i).sum::<u64>() + 15) + 10);
            // One part: start, 10 squares, 10 additions, done. Main: start, 3 additions, 3
            // checks, wait, answer, done.
            let fibers = 3 * (1 + 10 + 10 + 1) + (1 + 3 + 3 + 1 + 1 + 1);
            // One part: 10 values, 10 signals; 3 to main. Main: 6 of its own, the answer, one more for the
            // rest. And the value of the run.
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

threaded_old! {
    /// Sends `n` signals to a slot on the last node, and is told when all have come.
    fn Sends(n: u64, out: Reply<u64>)
    calls  { Hears }
    inlets { to: SlotRef }
    slots  { met: 1 => send, over: 1 => done }
    fiber start(this, eu) {
        let args = (this.n as u32, eu.reply_to(Self::to, Self::met), eu.slot_ref(Self::over));
        eu.invoke_old::<Hears>(NodeId::new(eu.nodes() - 1), args);
        Then::Wait
    }
    fiber send(this, eu) {
        let to = eu.take(Self::to);
        (0..this.n).for_each(|_| eu.rsync(to));
        Then::Wait
    }
    fiber done(this, eu) {
        eu.put(this.out, this.n);
        Then::End
    }
}

threaded_old! {
    fn Hears(n: u32, out: Reply<SlotRef>, over: SlotRef)
    slots { many: (this.n) => heard }
    fiber start(this, eu) {
        eu.put(this.out, eu.slot_ref(Self::many));
        Then::Wait
    }
    fiber heard(this, eu) {
        eu.rsync(this.over);
        Then::End
    }
}

#[test]
fn events_between_nodes_are_counted_one_by_one() {
    on_every(|case| {
        for n in [1, 100] {
            let counters = good::<Sends>(&mut case.machine(), n).counters;
            assert_eq!((counters.fibers, counters.signals), (5, n + 3));
            // The start, the address, the signals, the last word.
            let sent = if case.nodes == 1 { 0 } else { 1 + 1 + n + 1 };
            assert_eq!(counters.events_sent, sent);
        }
    });
}

#[test]
fn one_seed_is_one_run() {
    for case in common::cases().filter(|case| case.is_stepped()) {
        let untimed = |mut counters: Counters| {
            let Counters { eu_busy, eu_idle, su_busy, su_idle, .. } = &mut counters;
            for time in [eu_busy, eu_idle, su_busy, su_idle] {
                *time = Duration::ZERO;
            }
            counters
        };
        let mut machine = case.machine();
        let first = untimed(good::<Everything>(&mut machine, ()).counters);
        let again = untimed(good::<Everything>(&mut machine, ()).counters);
        let other = untimed(good::<Everything>(&mut case.machine(), ()).counters);
        assert_eq!((first, first), (again, other), "on {case}");
    }
}
