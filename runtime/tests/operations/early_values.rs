//! Early values are parked with their signals, in FIFO order per inlet. They enter the inlet when its value
//! has been taken.

use crate::common::{gives, on_every, scramble};
use earth::{Eu, NodeId, Replies, Reply, SlotRef, Start, Then, threaded};

/// Takes `rounds` values of one producer, one per round, in the order in which they were sent.
struct Consumer {
    rounds: u64,
    next: u64,
    out: Reply<u64>,
}

#[threaded]
impl Consumer {
    fn start(rounds: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(NodeId::new(0), Producer::call(0, rounds, eu.reply(Self::consume().x)));
        Consumer { rounds, next: 0, out }
    }

    #[slot(again)]
    fn consume(&mut self, x: u64, eu: &mut Eu<Self>) -> Then {
        assert_eq!(x, scramble(self.next, 3));
        self.next += 1;
        if self.next < self.rounds {
            return Then::Wait;
        }
        eu.put(self.out, self.next);
        Then::End
    }
}

/// Sends all its values in one fiber.
struct Producer;

#[threaded]
impl Producer {
    fn start(first: u64, count: u64, to: Reply<u64>, eu: &mut Eu<Self>) {
        (first..first + count).for_each(|i| eu.put(to, scramble(i, 3)));
    }
}

#[test]
fn one_producer_on_the_same_node_runs_any_number_of_rounds_ahead() {
    on_every(|case| {
        for rounds in [1, 2, 100, 3_000] {
            let run = gives(&mut case.machine(), |out| Consumer::call(rounds, out));
            assert_eq!((run.value, run.counters.signals), (rounds, rounds + 1));
            if case.config == earth::Config::Spn {
                // All values but the first find the inlet full, since no fiber runs in between.
                assert_eq!((run.counters.parked, run.counters.parked_high), (rounds - 1, rounds - 1));
            }
        }
    });
}

/// Pairs the values of two producers, one of which may be far ahead; each inlet is served in order. If values
/// were buffered without their signals, two values of one producer would fire the slot of two.
struct Pairs {
    rounds: u64,
    round: u64,
    out: Reply<u64>,
}

#[threaded]
impl Pairs {
    fn start(rounds: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let (left, right) = (eu.reply(Self::pair_up().left), eu.reply(Self::pair_up().right));
        eu.invoke(NodeId::new(0), Producer::call(1_000, rounds, left));
        eu.invoke(NodeId::new(0), Slow::call(2_000, rounds, right));
        Pairs { rounds, round: 0, out }
    }

    #[slot(again)]
    fn pair_up(&mut self, left: u64, right: u64, eu: &mut Eu<Self>) -> Then {
        assert_eq!((left, right), (scramble(1_000 + self.round, 3), scramble(2_000 + self.round, 3)));
        self.round += 1;
        if self.round < self.rounds {
            return Then::Wait;
        }
        eu.put(self.out, self.round);
        Then::End
    }
}

/// Sends one value per fiber.
struct Slow {
    first: u64,
    count: u64,
    to: Reply<u64>,
}

#[threaded]
impl Slow {
    fn start(first: u64, count: u64, to: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        if count == 0 {
            return Start::End;
        }
        eu.spawn(Self::send());
        Start::Wait(Slow { first, count, to })
    }

    #[spawned]
    fn send(&mut self, eu: &mut Eu<Self>) -> Then {
        eu.put(self.to, scramble(self.first, 3));
        self.first += 1;
        self.count -= 1;
        if self.count == 0 {
            return Then::End;
        }
        eu.spawn(Self::send());
        Then::Wait
    }
}

#[test]
fn two_producers_are_paired_round_by_round_however_far_one_is_ahead() {
    on_every(|case| {
        for rounds in [1, 3, 500] {
            let run = gives(&mut case.machine(), |out| Pairs::call(rounds, out));
            assert_eq!((run.value, run.counters.signals), (rounds, 2 * rounds + 1));
        }
    });
}

/// Merges values of several producers at one inlet. Each producer's values arrive in its order, on any node.
/// A producer waits for the consumer's signal before it exceeds its window.
struct Merge {
    window: u64,
    last: Vec<u64>,
    acks: Vec<Option<SlotRef>>,
    left: u64,
    out: Reply<u64>,
}

#[threaded]
impl Merge {
    fn start(producers: usize, each: u64, window: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let (x, hello) = (eu.reply(Self::consume().x), eu.reply(Self::meet().hello));
        for id in 0..producers {
            let node = NodeId::new((id + 1) % eu.nodes());
            eu.invoke(node, Windowed::call(id, each, window, x, hello));
        }
        let (last, acks) = (vec![0; producers], vec![None; producers]);
        Merge { window, last, acks, left: producers as u64 * each, out }
    }

    #[slot(again)]
    fn meet(&mut self, hello: (usize, SlotRef), eu: &mut Eu<Self>) -> Then {
        let (id, ack) = hello;
        self.acks[id] = Some(ack);
        // Sends a signal for each value that came before the producer was known.
        (0..self.last[id]).for_each(|_| eu.rsync(ack));
        self.end_when_done(eu)
    }

    #[slot(again)]
    fn consume(&mut self, x: (usize, u64), eu: &mut Eu<Self>) -> Then {
        let (id, number) = x;
        let last = &mut self.last[id];
        assert_eq!(number, *last, "of {} ahead at most, from {id}", self.window);
        *last += 1;
        if let Some(ack) = self.acks[id] {
            eu.rsync(ack);
        }
        self.left -= 1;
        self.end_when_done(eu)
    }
}

impl Merge {
    fn end_when_done(&self, eu: &mut Eu) -> Then {
        if self.left > 0 || self.acks.contains(&None) {
            return Then::Wait;
        }
        eu.put(self.out, self.last.iter().sum());
        Then::End
    }
}

/// Producer `id` of `each` values. It sends `window` values ahead.
struct Windowed {
    id: usize,
    each: u64,
    to: Reply<(usize, u64)>,
    sent: u64,
    heard: u64,
}

#[threaded]
impl Windowed {
    fn start(
        id: usize,
        each: u64,
        window: u64,
        to: Reply<(usize, u64)>,
        hello: Reply<(usize, SlotRef)>,
        eu: &mut Eu<Self>,
    ) -> Self {
        eu.put(hello, (id, eu.slot_ref(Self::heard())));
        let sent = window.min(each);
        (0..sent).for_each(|i| eu.put(to, (id, i)));
        Windowed { id, each, to, sent, heard: 0 }
    }

    #[slot(sync, again)]
    fn heard(&mut self, eu: &mut Eu<Self>) -> Then {
        self.heard += 1;
        if self.sent < self.each {
            eu.put(self.to, (self.id, self.sent));
            self.sent += 1;
        }
        if self.heard == self.each { Then::End } else { Then::Wait }
    }
}

#[test]
fn several_producers_of_one_inlet_stay_within_their_windows() {
    on_every(|case| {
        for (producers, each, window) in [(1, 20, 1), (3, 40, 4), (5, 7, 100)] {
            let run = gives(&mut case.machine(), |out| Merge::call(producers as usize, each, window, out));
            assert_eq!(run.value, producers * each);
            // A value and a signal for it each, one greeting per producer, and the value of the run.
            assert_eq!(run.counters.signals, 2 * producers * each + producers + 1);
        }
    });
}

/// Takes `n` values, which own memory, at each of `m` inlets. All values are sent at once.
struct Columns {
    taken: Vec<u64>,
    left: u64,
    out: Reply<u64>,
}

#[threaded]
impl Columns {
    fn start(m: usize, n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        for node in 0..eu.nodes() {
            eu.invoke(NodeId::new(node), Column::call(node, n, eu.replies(Self::consume(..).x)));
        }
        Columns { taken: vec![0; m], left: m as u64 * n, out }
    }

    #[slots(len = m, again)]
    fn consume(&mut self, i: usize, x: Vec<u64>, eu: &mut Eu<Self>) -> Then {
        self.taken[i] += x[0];
        self.left -= 1;
        if self.left > 0 {
            return Then::Wait;
        }
        eu.put(self.out, self.taken.iter().sum());
        Then::End
    }
}

struct Column;

#[threaded]
impl Column {
    fn start(node: usize, n: u64, to: Replies<Vec<u64>>, eu: &mut Eu<Self>) {
        for i in (node..to.len()).step_by(eu.nodes()) {
            for k in 0..n {
                eu.put(to.at(i), vec![k * (i as u64 + 1)]);
            }
        }
    }
}

#[test]
fn values_for_many_inlets_are_parked_apart() {
    on_every(|case| {
        let (m, n) = (13, 40);
        let run = gives(&mut case.machine(), |out| Columns::call(m, n, out));
        let expected: u64 = (1..=m as u64).map(|i| i * (0..n).sum::<u64>()).sum();
        assert_eq!((run.value, run.counters.signals), (expected, m as u64 * n + 1));
    });
}

/// Makes values wait at two inlets of a slot whose first round needs one signal more (the gate).
struct Gated {
    rounds: u64,
    taken: u64,
    out: Reply<u64>,
}

#[threaded]
impl Gated {
    fn start(rounds: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let gate = eu.slot_ref(Self::consume());
        let (x, y) = (eu.reply(Self::consume().x), eu.reply(Self::consume().y));
        eu.invoke(NodeId::new(0), Opens::call(rounds, x, y, gate));
        Gated { rounds, taken: 0, out }
    }

    #[slot(first = 1, again)]
    fn consume(&mut self, x: u64, y: u64, eu: &mut Eu<Self>) -> Then {
        assert_eq!((x, y), (self.taken, 2 * self.taken));
        self.taken += 1;
        if self.taken < self.rounds {
            return Then::Wait;
        }
        eu.put(self.out, self.taken);
        Then::End
    }
}

struct Opens;

#[threaded]
impl Opens {
    fn start(rounds: u64, x: Reply<u64>, y: Reply<u64>, gate: SlotRef, eu: &mut Eu<Self>) {
        for i in 0..rounds {
            eu.put(x, i);
            eu.put(y, 2 * i);
        }
        eu.rsync(gate);
    }
}

/// When the gate opens, each round admits the next one. This happens in a loop, because nested calls would
/// need a stack of unlimited size.
#[test]
fn any_number_of_rounds_may_wait_behind_a_gate() {
    on_every(|case| {
        let rounds = if case.nodes == 1 { 20_000 } else { 10 };
        let run = gives(&mut case.machine(), |out| Gated::call(rounds, out));
        assert_eq!((run.value, run.counters.parked), (rounds, 2 * (rounds - 1)));
    });
}
