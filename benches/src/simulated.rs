//! The speed of the simulated machine, in fibers per second of the host's time.
//!
//! [`fib`] on 64 nodes has few events under way at a time. [`Crowd`] has any number of them: every node
//! starts functions on all the others in one fiber, so all functions are under way at once.

use std::time::{Duration, Instant};

use earth::simulated::Profile;
use earth::{Config, Eu, Machine, NodeId, Reply, SlotRef, threaded};

use crate::fib;

/// A function that waits for a crowd of functions.
pub struct Crowd {
    size: u64,
    out: Reply<u64>,
}

#[threaded]
impl Crowd {
    /// Starts `each` functions from every one of `nodes` nodes. Puts their number.
    pub fn start(nodes: u64, each: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let done = eu.slot_ref(Self::end());
        for node in 0..eu.nodes() {
            eu.invoke(NodeId::new(node), Spreads::call(each, done));
        }
        Crowd { size: nodes * each, out }
    }

    #[slot(syncs = nodes as usize)]
    fn end(self, eu: &mut Eu<Self>) {
        eu.put(self.out, self.size);
    }
}

struct Spreads {
    done: SlotRef,
}

#[threaded]
impl Spreads {
    /// Starts `each` functions on the other nodes in turn.
    fn start(each: u64, done: SlotRef, eu: &mut Eu<Self>) -> Self {
        let ran = eu.slot_ref(Self::end());
        for i in 0..each as usize {
            let node = (eu.node().index() + 1 + i % (eu.nodes() - 1)) % eu.nodes();
            eu.invoke(NodeId::new(node), One::call(ran));
        }
        Spreads { done }
    }

    #[slot(syncs = each as usize)]
    fn end(self, eu: &mut Eu<Self>) {
        eu.rsync(self.done);
    }
}

struct One;

#[threaded]
impl One {
    fn start(done: SlotRef, eu: &mut Eu<Self>) {
        eu.rsync(done);
    }
}

/// Builds a simulated machine of 64 nodes.
///
/// # Panics
///
/// Never: the profile is built in.
pub fn machine(config: Config) -> Machine {
    Machine::simulated(&Profile::named("manna50").expect("a built-in profile")).nodes(64).config(config)
}

/// Computes the `n`-th Fibonacci number. Returns the number of fibers and the host's time for them.
///
/// # Panics
///
/// If the value is wrong.
pub fn fibs(machine: &mut Machine, n: u64) -> (u64, Duration) {
    let began = Instant::now();
    let run = machine.run(|out| fib::Fib::call(n, out)).unwrap_or_else(|error| panic!("{error}"));
    let took = began.elapsed();
    assert_eq!(run.value, fib::expected(n));
    (run.counters.fibers, took)
}

/// Runs a crowd with `alive` functions under way at once. Returns the number of fibers and the host's time
/// for them.
///
/// # Panics
///
/// If fewer functions were under way.
pub fn crowd(machine: &mut Machine, alive: u64) -> (u64, Duration) {
    let nodes = machine.node_count() as u64;
    let began = Instant::now();
    let run =
        machine.run(|out| Crowd::call(nodes, alive / nodes, out)).unwrap_or_else(|error| panic!("{error}"));
    let took = began.elapsed();
    assert_eq!(run.value, alive);
    (run.counters.fibers, took)
}
