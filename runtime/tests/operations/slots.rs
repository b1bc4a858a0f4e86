//! Slots: one-shot, with a reset, raised; fibers enabled directly; signals before the first fiber has ended.

use crate::common::{gives, on_every};
use earth::{Eu, NodeId, Reply, SlotRef, Start, Then, threaded};

/// `rounds` rounds of one signal from each of three peers, after a first round in which it gets their
/// addresses.
struct Repeats {
    rounds: u64,
    round: u64,
    peers: Vec<SlotRef>,
    out: Reply<u64>,
}

#[threaded]
impl Repeats {
    fn start(rounds: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let (to, peer) = (eu.slot_ref(Self::next()), eu.reply(Self::meet().peer));
        for node in 0..3 {
            eu.invoke(NodeId::new(node % eu.nodes()), Peer::call(rounds, to, peer));
        }
        Repeats { rounds, round: 0, peers: Vec::new(), out }
    }

    #[slot(again)]
    fn meet(&mut self, peer: SlotRef, eu: &mut Eu<Self>) {
        self.peers.push(peer);
        eu.sync(Self::next());
    }

    #[slot(syncs = 3, again)]
    fn next(&mut self, eu: &mut Eu<Self>) -> Then {
        if self.round == self.rounds {
            eu.put(self.out, self.round);
            return Then::End;
        }
        self.round += 1;
        self.peers.iter().for_each(|&peer| eu.rsync(peer));
        Then::Wait
    }
}

struct Peer {
    rounds: u64,
    to: SlotRef,
}

#[threaded]
impl Peer {
    fn start(rounds: u64, to: SlotRef, out: Reply<SlotRef>, eu: &mut Eu<Self>) -> Self {
        eu.put(out, eu.slot_ref(Self::poked()));
        Peer { rounds, to }
    }

    #[slot(sync, again)]
    fn poked(&mut self, eu: &mut Eu<Self>) -> Then {
        eu.rsync(self.to);
        self.rounds -= 1;
        if self.rounds == 0 { Then::End } else { Then::Wait }
    }
}

#[test]
fn a_slot_with_a_reset_counts_round_after_round() {
    on_every(|case| {
        let run = gives(&mut case.machine(), |out| Repeats::call(50, out));
        assert_eq!(run.value, 50);
        assert_eq!(run.counters.fibers, 1 + 3 + 3 + 51 + 150);
        // Each peer sends a value with its address, and the signals are counted.
        assert_eq!(run.counters.signals, 3 + 3 + 2 * 150 + 1);
        assert_eq!((run.counters.invokes, run.counters.tokens), (3, 0));
    });
}

/// Starts `n` children in two fibers, raising the count before each. The children signal at any time.
struct Raised {
    n: u64,
    started: u64,
    out: Reply<u64>,
}

#[threaded]
impl Raised {
    fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        for _ in 0..n / 2 {
            eu.incr(Self::done(), 2);
            eu.token(Signals::call(eu.slot_ref(Self::done()), 2));
        }
        eu.sync(Self::start_rest());
        Raised { n, started: 0, out }
    }

    #[slot(sync)]
    fn start_rest(&mut self, eu: &mut Eu<Self>) {
        for i in self.n / 2..self.n {
            eu.incr(Self::done(), 1);
            let node = NodeId::new(i as usize % eu.nodes());
            eu.invoke(node, Signals::call(eu.slot_ref(Self::done()), 1));
        }
        self.started = self.n;
        eu.sync(Self::done());
    }

    #[slot(sync)]
    fn done(self, eu: &mut Eu<Self>) {
        assert_eq!(self.started, self.n, "the last signal is this function's own");
        eu.put(self.out, self.started);
    }
}

struct Signals;

#[threaded]
impl Signals {
    fn start(to: SlotRef, times: u64, eu: &mut Eu<Self>) {
        (0..times).for_each(|_| eu.rsync(to));
    }
}

#[test]
fn a_raise_comes_before_the_signals_of_what_is_started_afterwards() {
    on_every(|case| {
        let mut machine = case.machine();
        for n in [1, 2, 64, 301] {
            let run = gives(&mut machine, |out| Raised::call(n, out));
            assert_eq!(run.value, n);
            assert_eq!(run.counters.signals, 1 + 2 * (n / 2) + (n - n / 2) + 1 + 1);
            assert_eq!((run.counters.tokens, run.counters.invokes), (n / 2, n - n / 2));
        }
    });
}

/// Enables its fibers directly, with indices. Each fiber runs once each time it is enabled.
struct Spawns {
    sum: u64,
    plain: u64,
    out: Reply<(u64, u64)>,
}

#[threaded]
impl Spawns {
    fn start(n: usize, out: Reply<(u64, u64)>, eu: &mut Eu<Self>) -> Self {
        (0..n).for_each(|i| eu.spawn(Self::indexed(i)));
        eu.spawn(Self::plain());
        eu.spawn(Self::indexed(u32::MAX as usize));
        eu.spawn(Self::indexed(0));
        Spawns { sum: 0, plain: 0, out }
    }

    #[spawned]
    fn indexed(&mut self, index: usize, eu: &mut Eu<Self>) {
        self.sum += index as u64;
        eu.sync(Self::done());
    }

    #[spawned]
    fn plain(&mut self, eu: &mut Eu<Self>) {
        self.plain += 1;
        eu.sync(Self::done());
    }

    #[slot(syncs = n + 3)]
    fn done(self, eu: &mut Eu<Self>) {
        eu.put(self.out, (self.sum, self.plain));
    }
}

#[test]
fn fibers_are_enabled_directly_with_an_index() {
    on_every(|case| {
        let run = gives(&mut case.machine(), |out| Spawns::call(100, out));
        assert_eq!(run.value, (99 * 50 + u64::from(u32::MAX), 1));
        assert_eq!((run.counters.fibers, run.counters.signals), (1 + 103 + 1, 103 + 1));
    });
}

/// Signals its own slot in its first fiber. Fibers that this enables run after the first fiber has ended, and
/// see its effects.
struct Early {
    steps: Vec<u64>,
    out: Reply<u64>,
}

#[threaded]
impl Early {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.sync(Self::then());
        eu.put(eu.reply(Self::with().x), 10);
        Early { steps: vec![1], out }
    }

    #[slot(sync)]
    fn then(&mut self, eu: &mut Eu<Self>) -> Then {
        self.steps.push(2);
        self.end_after_three(eu)
    }

    #[slot]
    fn with(&mut self, x: u64, eu: &mut Eu<Self>) -> Then {
        self.steps.push(x);
        self.end_after_three(eu)
    }
}

impl Early {
    fn end_after_three(&self, eu: &mut Eu) -> Then {
        if self.steps.len() < 3 {
            return Then::Wait;
        }
        assert_eq!(self.steps[0], 1);
        eu.put(self.out, self.steps.iter().sum());
        Then::End
    }
}

#[test]
fn a_fiber_that_enables_others_ends_before_they_start() {
    on_every(|case| assert_eq!(gives(&mut case.machine(), Early::call).value, 13));
}

/// Ends in its first fiber after it gave out an address. The frame is made only for the address, and ends.
struct GivesAndEnds;

#[threaded]
impl GivesAndEnds {
    fn start(out: Reply<SlotRef>, eu: &mut Eu<Self>) -> Start<Self> {
        eu.put(out, eu.slot_ref(Self::never()));
        Start::End
    }

    #[slot(sync)]
    fn never(&mut self) {}
}

struct Plain;

#[threaded]
impl Plain {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, 1);
    }
}

#[test]
fn a_frame_is_made_only_for_who_waits_or_gives_out_an_address() {
    on_every(|case| {
        let mut machine = case.machine();
        let counters = gives(&mut machine, GivesAndEnds::call).counters;
        assert_eq!((counters.frames, counters.frames_ended, counters.frames_high), (1, 1, 1));
        let counters = gives(&mut machine, Plain::call).counters;
        assert_eq!((counters.frames, counters.frames_ended, counters.frames_high), (0, 0, 0));
    });
}

/// Leaves its slots half counted, raised or in a later round, and starts itself again `left` times. Every
/// second time it counts them completely.
struct Again {
    left: u64,
    sum: u64,
    fired: u64,
    out: Reply<u64>,
}

#[threaded]
impl Again {
    fn start(left: u64, sum: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        if left.is_multiple_of(2) {
            // The exact number of signals: one round of `once`, and the first two rounds of `repeats`.
            (0..3).for_each(|_| eu.sync(Self::once()));
            (0..4).for_each(|_| eu.sync(Self::repeats()));
        } else {
            eu.sync(Self::once());
            eu.incr(Self::once(), 7);
            (0..3).for_each(|_| eu.sync(Self::repeats()));
        }
        eu.put(eu.reply(Self::take().x), 10);
        eu.put(eu.reply(Self::take().y), 20);
        eu.sync(Self::take());
        Again { left, sum, fired: 0, out }
    }

    #[slot(syncs = 3)]
    fn once(&mut self, eu: &mut Eu<Self>) -> Then {
        self.count(1, eu)
    }

    #[slot(sync, again, first = 2)]
    fn repeats(&mut self, eu: &mut Eu<Self>) -> Then {
        self.count(1, eu)
    }

    #[slot(again, first = 1)]
    fn take(&mut self, x: u64, y: u64, eu: &mut Eu<Self>) -> Then {
        self.count(x + y, eu)
    }
}

impl Again {
    fn count(&mut self, fired: u64, eu: &mut Eu) -> Then {
        self.fired += fired;
        // A full count fires three times, a half one once. A slot that starts with the wrong count fires at
        // the wrong time or never.
        if self.fired < 30 + if self.left.is_multiple_of(2) { 3 } else { 1 } {
            return Then::Wait;
        }
        let sum = self.sum + self.fired;
        if self.left == 0 {
            eu.put(self.out, sum);
        } else {
            eu.invoke(eu.node(), Again::call(self.left - 1, sum, self.out));
        }
        Then::End
    }
}

#[test]
fn a_frame_that_serves_again_starts_as_declared() {
    on_every(|case| {
        let run = gives(&mut case.machine(), |out| Again::call(9, 0, out));
        assert_eq!(run.value, 5 * (30 + 3) + 5 * (30 + 1));
        assert!(run.counters.frames_high <= 2, "the frames were live one after another");
    });
}
