//! A run ends when all is quiet, and not before: also while units sleep, or an execution unit is inside a
//! long fiber and its synchronization unit has nothing to do.

mod common;

use std::time::{Duration, Instant};

use common::{good, on_every, scramble};
use earth::{Config, Machine, NodeId, Reply, Then, threaded_old};

/// Computes for about as long as `millis` says: a thousand times what an idle unit waits before it sleeps.
fn compute(millis: u64) -> u64 {
    let started = Instant::now();
    let mut x = 1;
    while started.elapsed() < Duration::from_millis(millis) {
        x = scramble(x, 1_000);
    }
    x
}

threaded_old! {
    /// Puts the only value at the end of a long fiber, the last of `hops` such fibers
    /// on one node after another.
    fn Long(millis: u64, hops: u64, out: Reply<u64>)
    fiber start(this, eu) {
        assert_ne!(compute(this.millis), 0);
        if this.hops > 0 {
            let next = NodeId::new((eu.node().index() + 1) % eu.nodes());
            eu.invoke_old::<Long>(next, (this.millis, this.hops - 1, this.out));
        } else {
            eu.put(this.out, this.millis);
        }
        Then::End
    }
}

#[test]
fn a_value_at_the_end_of_a_long_fiber_always_arrives() {
    for config in [Config::Dual, Config::Spn] {
        for nodes in 1..=4 {
            let mut machine = Machine::threads(nodes).config(config);
            for _ in 0..3 {
                assert_eq!(good::<Long>(&mut machine, (50, 0)).value, 50);
            }
            // All but one node sleep meanwhile, and each is woken in turn.
            assert_eq!(good::<Long>(&mut machine, (5, 6)).value, 5);
        }
    }
}

threaded_old! {
    /// Everything a long fiber does before it goes on computing is done by the synchronization unit
    /// meanwhile; what comes of it waits.
    fn Busy(millis: u64, out: Reply<u64>)
    state  { answers: u64 = 0 }
    calls  { Echo }
    inlets { x: u64 }
    slots  { came: 1, reset 1 => count }
    fiber start(this, eu) {
        for i in 0..8 {
            eu.invoke_old::<Echo>(NodeId::new(i % eu.nodes()), (eu.reply_to(Self::x, Self::came),));
            eu.token_old::<Echo>((eu.reply_to(Self::x, Self::came),));
        }
        assert_ne!(compute(this.millis), 0);
        Then::Wait
    }
    fiber count(this, eu) {
        this.answers += eu.take(Self::x);
        if this.answers == 8 {
            assert_ne!(compute(this.millis), 0);
        }
        if this.answers < 16 {
            return Then::Wait;
        }
        eu.put(this.out, this.answers);
        Then::End
    }
}

threaded_old! {
    fn Echo(to: Reply<u64>)
    fiber start(this, eu) {
        eu.put(this.to, 1);
        Then::End
    }
}

#[test]
fn a_node_that_computes_answers_in_the_end() {
    for config in [Config::Dual, Config::Spn] {
        for nodes in 1..=4 {
            let mut machine = Machine::threads(nodes).config(config);
            for _ in 0..3 {
                assert_eq!(good::<Busy>(&mut machine, 10).value, 16);
            }
        }
    }
}

threaded_old! {
    fn Nothing(out: Reply<u64>)
    fiber start(this, eu) {
        eu.put(this.out, 5);
        Then::End
    }
}

#[test]
fn thousands_of_short_runs_each_end_with_their_value() {
    on_every(|case| {
        let mut machine = case.machine();
        for _ in 0..300 {
            assert_eq!(good::<Nothing>(&mut machine, ()).value, 5);
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
                (0..50).for_each(|_| common::still_works(&mut machine));
                // A machine may move to another thread between runs, which then runs node 0.
                scope.spawn(move || (0..50).for_each(|_| common::still_works(&mut machine)));
            });
        }
    });
}
