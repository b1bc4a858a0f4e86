//! The cost of a trace: programs whose fibers work for a fixed time, on a machine with a trace and on one
//! without.
//!
//! There are two shapes. A [`Links`] fiber gets one signal from the previous one. Two of three [`Tree`]
//! fibers are started with a token, and one is enabled by two values, so tokens, values and frames are traced
//! too. The work is the same as for a [wavefront](crate::wavefront) tile, so the processor cannot overlap it
//! with the next fiber's.

use std::hint::black_box;
use std::time::Duration;

use earth::records::Records;
use earth::{Eu, Machine, Reply, Run, Start, Then, threaded};

use crate::fib;
use crate::wavefront::{calibrate, tile};

/// A chain of working fibers.
pub struct Links {
    count: u64,
    rounds: u64,
    done: u64,
    out: Reply<u64>,
}

#[threaded]
impl Links {
    /// Runs `links` fibers one after another, each with `rounds` rounds of work.
    pub fn start(links: u64, rounds: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.sync(Self::link());
        Links { count: links, rounds, done: 0, out }
    }

    #[slot(sync, again)]
    fn link(&mut self, eu: &mut Eu<Self>) -> Then {
        black_box(tile(black_box(self.rounds)));
        self.done += 1;
        if self.done < self.count {
            eu.sync(Self::link());
            return Then::Wait;
        }
        eu.put(self.out, self.done);
        Then::End
    }
}

/// A call that waits for two others.
pub struct Tree {
    rounds: u64,
    out: Reply<u64>,
}

#[threaded]
impl Tree {
    /// Computes the n-th Fibonacci number, with two tokens per call and `rounds` rounds of work per fiber.
    pub fn start(n: u64, rounds: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        black_box(tile(black_box(rounds)));
        if n < 2 {
            eu.put(out, n);
            return Start::End;
        }
        eu.token(Tree::call(n - 1, rounds, eu.reply(Self::add().left)));
        eu.token(Tree::call(n - 2, rounds, eu.reply(Self::add().right)));
        Start::Wait(Tree { rounds, out })
    }

    #[slot]
    fn add(self, left: u64, right: u64, eu: &mut Eu<Self>) {
        black_box(tile(black_box(self.rounds)));
        eu.put(self.out, left + right);
    }
}

/// Shape of a traced program.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// [`Links`], with this number of links.
    Chain(u64),
    /// [`Tree`] for this number.
    Fib(u64),
}

impl Shape {
    /// Returns the number of fibers.
    pub fn fibers(self) -> u64 {
        match self {
            Shape::Chain(links) => links + 1,
            Shape::Fib(n) => 3 * fib::joins(n) + 1,
        }
    }

    /// Runs the program. Returns the time of the run.
    ///
    /// # Panics
    ///
    /// If the result is wrong, or a fiber was not recorded.
    pub fn run(self, machine: &mut Machine, rounds: u64) -> Duration {
        let run: Run<u64> = match self {
            Shape::Chain(links) => machine.run(|out| Links::call(links, rounds, out)),
            Shape::Fib(n) => machine.run(|out| Tree::call(n, rounds, out)),
        }
        .unwrap_or_else(|error| panic!("{error}"));
        let value = match self {
            Shape::Chain(links) => links,
            Shape::Fib(n) => fib::expected(n),
        };
        assert_eq!((run.value, run.counters.fibers), (value, self.fibers()));
        for node in run.records.iter().flat_map(Records::nodes) {
            assert_eq!((node.fiber_count() as u64, node.dropped()), (self.fibers(), 0));
        }
        run.elapsed
    }

    /// Returns the rounds of work with which a fiber takes `time` in total, by the fastest of five runs.
    pub fn rounds(self, machine: &mut Machine, time: Duration) -> u64 {
        let bare = (0..5).map(|_| self.run(machine, 0)).min().unwrap_or_default();
        let own = bare.div_f64(self.fibers() as f64);
        calibrate(time.saturating_sub(own))
    }
}
