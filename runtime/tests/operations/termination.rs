//! A run ends at quiescence, and not before. This also holds while units sleep, or while an execution unit is
//! inside a long fiber and its synchronization unit is idle.

use std::time::{Duration, Instant};

use crate::common::{gives, on_every, scramble};
use earth::{Config, Eu, Machine, NodeId, Reply, Then, threaded};

/// Computes for about `millis` milliseconds: a thousand times longer than an idle unit waits before it
/// sleeps.
fn compute(millis: u64) -> u64 {
    let started = Instant::now();
    let mut x = 1;
    while started.elapsed() < Duration::from_millis(millis) {
        x = scramble(x, 1_000);
    }
    x
}

/// Puts the only value at the end of a long fiber, the last of `hops` such fibers on one node after another.
struct Long;

#[threaded]
impl Long {
    fn start(millis: u64, hops: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
        assert_ne!(compute(millis), 0);
        if hops > 0 {
            let next = NodeId::new((eu.node().index() + 1) % eu.nodes());
            eu.invoke(next, Long::call(millis, hops - 1, out));
        } else {
            eu.put(out, millis);
        }
    }
}

#[test]
fn a_value_at_the_end_of_a_long_fiber_always_arrives() {
    for config in [Config::Dual, Config::Spn] {
        for nodes in 1..=4 {
            let mut machine = Machine::threads(nodes).config(config);
            for _ in 0..3 {
                assert_eq!(gives(&mut machine, |out| Long::call(50, 0, out)).value, 50);
            }
            // All nodes but one sleep meanwhile, and each is woken in turn.
            assert_eq!(gives(&mut machine, |out| Long::call(5, 6, out)).value, 5);
        }
    }
}

/// The synchronization unit handles the operations of a long fiber while the fiber continues to compute.
/// Enabled fibers wait.
struct Busy {
    millis: u64,
    answers: u64,
    out: Reply<u64>,
}

#[threaded]
impl Busy {
    fn start(millis: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let to = eu.reply(Self::count().x);
        for i in 0..8 {
            eu.invoke(NodeId::new(i % eu.nodes()), Echo::call(to));
            eu.token(Echo::call(to));
        }
        assert_ne!(compute(millis), 0);
        Busy { millis, answers: 0, out }
    }

    #[slot(again)]
    fn count(&mut self, x: u64, eu: &mut Eu<Self>) -> Then {
        self.answers += x;
        if self.answers == 8 {
            assert_ne!(compute(self.millis), 0);
        }
        if self.answers < 16 {
            return Then::Wait;
        }
        eu.put(self.out, self.answers);
        Then::End
    }
}

struct Echo;

#[threaded]
impl Echo {
    fn start(to: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(to, 1);
    }
}

#[test]
fn a_node_that_computes_answers_in_the_end() {
    for config in [Config::Dual, Config::Spn] {
        for nodes in 1..=4 {
            let mut machine = Machine::threads(nodes).config(config);
            for _ in 0..3 {
                assert_eq!(gives(&mut machine, |out| Busy::call(10, out)).value, 16);
            }
        }
    }
}

struct Nothing;

#[threaded]
impl Nothing {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, 5);
    }
}

#[test]
fn thousands_of_short_runs_each_end_with_their_value() {
    on_every(|case| {
        let mut machine = case.machine();
        // A stepped run takes the same steps each time.
        for _ in 0..if case.is_stepped() { 10 } else { 60 } {
            assert_eq!(gives(&mut machine, Nothing::call).value, 5);
        }
    });
}

#[test]
fn machines_run_side_by_side_and_one_after_another_from_many_threads() {
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                let config = if thread % 2 == 0 { Config::Spn } else { Config::Dual };
                let mut machine = Machine::threads(1 + thread).config(config);
                (0..50).for_each(|_| crate::common::still_works(&mut machine));
                // A machine may move to another thread between runs. This thread then runs node 0.
                scope.spawn(move || (0..50).for_each(|_| crate::common::still_works(&mut machine)));
            });
        }
    });
}
