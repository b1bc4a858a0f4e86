//! How fast the simulated machine is: fibers a second of the host's time.
//!
//! [`fib`] on 64 nodes has few events under way at a time. [`Crowd`] has as many as one likes:
//! every node starts functions on all the others in one fiber, so that all of them are under way at once.

use std::time::{Duration, Instant};

use earth::{Config, Machine, NodeId, Profile, Reply, SlotRef, Then, threaded_old};

use crate::fib;

threaded_old! {
    /// Starts `each` functions from every one of `nodes` nodes; how many there were.
    pub fn Crowd(nodes: u64, each: u64, out: Reply<u64>)
    calls { Spreads }
    slots { all: (this.nodes) => end }
    fiber start(this, eu) {
        let done = eu.slot_ref(Self::all);
        for node in 0..eu.nodes() {
            eu.invoke_old::<Spreads>(NodeId::new(node), (this.each, done));
        }
        Then::Wait
    }
    fiber end(this, eu) {
        eu.put(this.out, this.nodes * this.each);
        Then::End
    }
}

threaded_old! {
    /// Starts `each` functions on the other nodes in turn.
    fn Spreads(each: u64, done: SlotRef)
    calls { One }
    slots { all: (this.each) => end }
    fiber start(this, eu) {
        let done = eu.slot_ref(Self::all);
        for i in 0..this.each as usize {
            let node = (eu.node().index() + 1 + i % (eu.nodes() - 1)) % eu.nodes();
            eu.invoke_old::<One>(NodeId::new(node), (done,));
        }
        Then::Wait
    }
    fiber end(this, eu) {
        eu.rsync(this.done);
        Then::End
    }
}

threaded_old! {
    fn One(done: SlotRef)
    fiber start(this, eu) {
        eu.rsync(this.done);
        Then::End
    }
}

/// A simulated machine of 64 nodes.
///
/// # Panics
///
/// Never: its profile is built in.
pub fn machine(config: Config) -> Machine {
    Machine::simulated(&Profile::named("manna50").expect("a built-in profile")).nodes(64).config(config)
}

/// Fibers of the `n`-th Fibonacci number, and the host's time for them.
///
/// # Panics
///
/// If the value is wrong.
pub fn fibs(machine: &mut Machine, n: u64) -> (u64, Duration) {
    let began = Instant::now();
    let run = machine.run_old::<fib::Fib>(n).unwrap_or_else(|error| panic!("{error}"));
    let took = began.elapsed();
    assert_eq!(run.value, fib::expected(n));
    (run.counters.fibers, took)
}

/// Fibers of a crowd with `alive` functions under way at once, and the host's time for them.
///
/// # Panics
///
/// If there were fewer.
pub fn crowd(machine: &mut Machine, alive: u64) -> (u64, Duration) {
    let nodes = machine.node_count() as u64;
    let began = Instant::now();
    let run = machine.run_old::<Crowd>((nodes, alive / nodes)).unwrap_or_else(|error| panic!("{error}"));
    let took = began.elapsed();
    assert_eq!(run.value, alive);
    (run.counters.fibers, took)
}
