//! What a trace costs: programs whose fibers work for a set time, on a machine that traces and on one that
//! does not.
//!
//! Two shapes. A [`Links`] fiber gets one signal from the one before. Of three [`Tree`] fibers two are started
//! with a token and one is enabled by two values, so tokens, values and frames are traced too. The work is
//! that of the [wavefront](crate::wavefront)'s tiles, which the processor cannot overlap with the next fiber's.

use std::hint::black_box;
use std::time::Duration;

use earth::{Machine, Reply, Run, Then, threaded_old};

use crate::fib;
use crate::wavefront::{calibrate, tile};

threaded_old! {
    /// Runs `links` fibers one after another, each of so many rounds of work.
    pub fn Links(links: u64, rounds: u64, out: Reply<u64>)
    state { done: u64 = 0 }
    slots { next: 1, reset 1 => link }
    fiber start(_this, eu) {
        eu.sync(Self::next);
        Then::Wait
    }
    fiber link(this, eu) {
        black_box(tile(black_box(this.rounds)));
        this.done += 1;
        if this.done < this.links {
            eu.sync(Self::next);
            return Then::Wait;
        }
        eu.put(this.out, this.done);
        Then::End
    }
}

threaded_old! {
    /// The n-th Fibonacci number, two tokens a call, with so many rounds of work a fiber.
    pub fn Tree(n: u64, rounds: u64, out: Reply<u64>)
    inlets { left: u64, right: u64 }
    slots  { done: 2 => add }
    fiber start(this, eu) {
        black_box(tile(black_box(this.rounds)));
        if this.n < 2 { eu.put(this.out, this.n); return Then::End; }
        eu.token_old::<Tree>((this.n - 1, this.rounds, eu.reply_to(Self::left, Self::done)));
        eu.token_old::<Tree>((this.n - 2, this.rounds, eu.reply_to(Self::right, Self::done)));
        Then::Wait
    }
    fiber add(this, eu) {
        black_box(tile(black_box(this.rounds)));
        let sum = eu.take(Self::left) + eu.take(Self::right);
        eu.put(this.out, sum);
        Then::End
    }
}

/// One of the two shapes.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// [`Links`], so many.
    Chain(u64),
    /// [`Tree`] of this number.
    Fib(u64),
}

impl Shape {
    /// How many fibers it has.
    pub fn fibers(self) -> u64 {
        match self {
            Shape::Chain(links) => links + 1,
            Shape::Fib(n) => 3 * fib::joins(n) + 1,
        }
    }

    /// Runs it. The time of the run is told, without what is made of the records afterwards.
    ///
    /// # Panics
    ///
    /// If the result is wrong, or a fiber was not written down.
    pub fn run(self, machine: &mut Machine, rounds: u64) -> Duration {
        let run: Run<u64> = match self {
            Shape::Chain(links) => machine.run_old::<Links>((links, rounds)),
            Shape::Fib(n) => machine.run_old::<Tree>((n, rounds)),
        }
        .unwrap_or_else(|error| panic!("{error}"));
        let value = match self {
            Shape::Chain(links) => links,
            Shape::Fib(n) => fib::expected(n),
        };
        assert_eq!((run.value, run.counters.fibers), (value, self.fibers()));
        if let Some(trace) = run.trace {
            assert_eq!((trace.slices.len() as u64, trace.dropped), (self.fibers(), 0));
        }
        run.elapsed
    }

    /// The rounds of work with which a fiber takes `time` in all, at the least of five runs.
    pub fn rounds(self, machine: &mut Machine, time: Duration) -> u64 {
        let bare = (0..5).map(|_| self.run(machine, 0)).min().unwrap_or_default();
        let own = bare.div_f64(self.fibers() as f64);
        calibrate(time.saturating_sub(own))
    }
}
