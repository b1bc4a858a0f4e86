//! Values that come early are parked whole, value and signal, first in first out per inlet, and come in when
//! the inlet has been taken.

mod common;

use common::{good, on_every, scramble};
use earth::{NodeId, Replies, Reply, SlotRef, Then, threaded_old};

threaded_old! {
    /// Takes `rounds` values of one producer, one a round, in the order in which they were sent.
    fn Consumer(rounds: u64, out: Reply<u64>)
    state  { next: u64 = 0 }
    calls  { Producer }
    inlets { x: u64 }
    slots  { came: 1, reset 1 => consume }
    fiber start(this, eu) {
        let x = eu.reply_to(Self::x, Self::came);
        eu.invoke_old::<Producer>(NodeId::new(0), (0, this.rounds, x));
        Then::Wait
    }
    fiber consume(this, eu) {
        assert_eq!(eu.take(Self::x), scramble(this.next, 3));
        this.next += 1;
        if this.next < this.rounds {
            return Then::Wait;
        }
        eu.put(this.out, this.next);
        Then::End
    }
}

threaded_old! {
    /// Sends all of its values in one fiber.
    fn Producer(first: u64, count: u64, to: Reply<u64>)
    fiber start(this, eu) {
        for i in this.first..this.first + this.count {
            eu.put(this.to, scramble(i, 3));
        }
        Then::End
    }
}

#[test]
fn one_producer_on_the_same_node_runs_any_number_of_rounds_ahead() {
    on_every(|case| {
        for rounds in [1, 2, 100, 3_000] {
            let run = good::<Consumer>(&mut case.machine(), rounds);
            assert_eq!((run.value, run.counters.signals), (rounds, rounds + 1));
            if case.config == earth::Config::Spn {
                // All but the first find the inlet full, since nothing runs between.
                assert_eq!((run.counters.parked, run.counters.parked_high), (rounds - 1, rounds - 1));
            }
        }
    });
}

threaded_old! {
    /// Pairs the values of two producers, one of which may be far ahead; each inlet is served in order.
    /// Buffering values without their signals would fire the slot of two with two values of one producer.
    fn Pairs(rounds: u64, out: Reply<u64>)
    state  { round: u64 = 0 }
    calls  { Producer, Slow }
    inlets { left: u64, right: u64 }
    slots  { pair: 2, reset 2 => pair_up }
    fiber start(this, eu) {
        let (left, right) = (eu.reply_to(Self::left, Self::pair), eu.reply_to(Self::right, Self::pair));
        eu.invoke_old::<Producer>(NodeId::new(0), (1_000, this.rounds, left));
        eu.invoke_old::<Slow>(NodeId::new(0), (2_000, this.rounds, right));
        Then::Wait
    }
    fiber pair_up(this, eu) {
        let (right, left) = (eu.take(Self::right), eu.take(Self::left));
        assert_eq!((left, right), (scramble(1_000 + this.round, 3), scramble(2_000 + this.round, 3)));
        this.round += 1;
        if this.round < this.rounds {
            return Then::Wait;
        }
        eu.put(this.out, this.round);
        Then::End
    }
}

threaded_old! {
    /// Sends a value a fiber.
    fn Slow(first: u64, count: u64, to: Reply<u64>)
    fiber start(this, eu) {
        if this.count > 0 {
            eu.spawn(Self::send);
            return Then::Wait;
        }
        Then::End
    }
    fiber send(this, eu) {
        eu.put(this.to, scramble(this.first, 3));
        this.first += 1;
        this.count -= 1;
        if this.count == 0 {
            return Then::End;
        }
        eu.spawn(Self::send);
        Then::Wait
    }
}

#[test]
fn two_producers_are_paired_round_by_round_however_far_one_is_ahead() {
    on_every(|case| {
        for rounds in [1, 3, 500] {
            let run = good::<Pairs>(&mut case.machine(), rounds);
            assert_eq!((run.value, run.counters.signals), (rounds, 2 * rounds + 1));
        }
    });
}

threaded_old! {
    /// Values of several producers for one inlet: each producer's come in its own order, whatever node it is on. A
    /// producer waits for the consumer's word before it sends more than its window.
    fn Merge(producers: u64, each: u64, window: u64, out: Reply<u64>)
    state  { last: Vec<u64> = Vec::new(), acks: Vec<Option<SlotRef>> = Vec::new(), left: u64 = 0 }
    calls  { Windowed }
    inlets { x: (u64, u64), hello: (u64, SlotRef) }
    slots  { came: 1, reset 1 => consume, met: 1, reset 1 => meet }
    fiber start(this, eu) {
        this.last = vec![0; this.producers as usize];
        this.acks = vec![None; this.producers as usize];
        this.left = this.producers * this.each;
        for id in 0..this.producers {
            let replies = (eu.reply_to(Self::x, Self::came), eu.reply_to(Self::hello, Self::met));
            let node = NodeId::new((id as usize + 1) % eu.nodes());
            eu.invoke_old::<Windowed>(node, (Box::new((id, this.each, this.window, replies)),));
        }
        Then::Wait
    }
    fiber meet(this, eu) {
        let (id, ack) = eu.take(Self::hello);
        this.acks[id as usize] = Some(ack);
        // As many words as values came before the producer was known.
        (0..this.last[id as usize]).for_each(|_| eu.rsync(ack));
        Self::end_when_done(this, eu)
    }
    fiber consume(this, eu) {
        let (id, number) = eu.take(Self::x);
        let last = &mut this.last[id as usize];
        assert_eq!(number, *last, "of {} ahead at most, from {id}", this.window);
        *last += 1;
        if let Some(ack) = this.acks[id as usize] {
            eu.rsync(ack);
        }
        this.left -= 1;
        Self::end_when_done(this, eu)
    }
}

impl Merge {
    fn end_when_done(&mut self, eu: &mut earth::Eu) -> Then {
        if self.left > 0 || self.acks.contains(&None) {
            return Then::Wait;
        }
        eu.put(self.out, self.last.iter().sum());
        Then::End
    }
}

/// Its number, how many values, how many of them ahead, and where to.
type Window = (u64, u64, u64, (Reply<(u64, u64)>, Reply<(u64, SlotRef)>));

threaded_old! {
    fn Windowed(what: Box<Window>)
    state { sent: u64 = 0, heard: u64 = 0 }
    slots { ack: 1, reset 1 => heard }
    fiber start(this, eu) {
        let (id, each, window, (to, hello)) = *this.what;
        eu.put(hello, (id, eu.slot_ref(Self::ack)));
        this.sent = window.min(each);
        (0..this.sent).for_each(|i| eu.put(to, (id, i)));
        Then::Wait
    }
    fiber heard(this, eu) {
        let (id, each, _, (to, _)) = *this.what;
        this.heard += 1;
        if this.sent < each {
            eu.put(to, (id, this.sent));
            this.sent += 1;
        }
        if this.heard == each { Then::End } else { Then::Wait }
    }
}

#[test]
fn several_producers_of_one_inlet_stay_within_their_windows() {
    on_every(|case| {
        for (producers, each, window) in [(1, 20, 1), (3, 40, 4), (5, 7, 100)] {
            let run = good::<Merge>(&mut case.machine(), (producers, each, window));
            assert_eq!(run.value, producers * each);
            // A value and a word for it each, one greeting a producer, and the value of the run.
            assert_eq!(run.counters.signals, 2 * producers * each + producers + 1);
        }
    });
}

threaded_old! {
    /// Takes `n` values at each of `m` inlets, all sent at once.
    fn Columns(m: usize, n: u64, out: Reply<u64>)
    state  { taken: Vec<u64> = Vec::new(), left: u64 = 0 }
    calls  { Column }
    inlets { x[this.m]: Box<u64> }
    slots  { came[this.m]: 1, reset 1 => consume }
    fiber start(this, eu) {
        this.taken = vec![0; this.m];
        this.left = this.m as u64 * this.n;
        for node in 0..eu.nodes() {
            let x = eu.replies_to(Self::x, Self::came);
            eu.invoke_old::<Column>(NodeId::new(node), (node, this.n, x));
        }
        Then::Wait
    }
    fiber consume(this, eu, i) {
        let value = *eu.take(Self::x.at(i));
        this.taken[i] += value;
        this.left -= 1;
        if this.left > 0 {
            return Then::Wait;
        }
        eu.put(this.out, this.taken.iter().sum());
        Then::End
    }
}

threaded_old! {
    fn Column(node: usize, n: u64, to: Replies<Box<u64>>)
    fiber start(this, eu) {
        for i in (this.node..this.to.len()).step_by(eu.nodes()) {
            for k in 0..this.n {
                eu.put(this.to.at(i), Box::new(k * (i as u64 + 1)));
            }
        }
        Then::End
    }
}

#[test]
fn values_for_many_inlets_are_parked_apart() {
    on_every(|case| {
        let (m, n) = (13, 40);
        let run = good::<Columns>(&mut case.machine(), (m, n));
        let expected: u64 = (1..=m as u64).map(|i| i * (0..n).sum::<u64>()).sum();
        assert_eq!((run.value, run.counters.signals), (expected, m as u64 * n + 1));
    });
}
