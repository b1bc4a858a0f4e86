//! How fast the simulated machine is: fibers a second of the host's time.
//!
//! [`fib`] on 64 nodes has few events under way at a time. [`Crowd`] has as many as one likes:
//! every node starts functions on all the others in one fiber, so that all of them are under way at once.

use std::time::{Duration, Instant};

use earth::simulated::Profile;
use earth::{Config, Eu, Machine, NodeId, Reply, SlotRef, threaded};

use crate::fib;

/// Somebody who waits for a crowd of functions.
pub struct Crowd {
    size: u64,
    out: Reply<u64>,
}

#[threaded]
impl Crowd {
    /// Starts `each` functions from every one of `nodes` nodes; how many there were.
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
    let run = machine.run(|out| fib::Fib::call(n, out)).unwrap_or_else(|error| panic!("{error}"));
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
    let run =
        machine.run(|out| Crowd::call(nodes, alive / nodes, out)).unwrap_or_else(|error| panic!("{error}"));
    let took = began.elapsed();
    assert_eq!(run.value, alive);
    (run.counters.fibers, took)
}
