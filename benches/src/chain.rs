//! A chain of fibers, each enabled by the previous one: the cost of a switch between fibers without other
//! work.
//!
//! On rayon each link is a job of one scope that spawns the next.

use earth::{Eu, Machine, Reply, Then, threaded};
use rayon::{Scope, ThreadPool};

/// A chain of fibers.
pub struct Chain {
    links: u64,
    done: u64,
    out: Reply<u64>,
}

#[threaded]
impl Chain {
    /// Runs `links` fibers one after another.
    pub fn start(links: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.sync(Self::link());
        Chain { links, done: 0, out }
    }

    #[slot(sync, again)]
    fn link(&mut self, eu: &mut Eu<Self>) -> Then {
        self.done += 1;
        if self.done < self.links {
            eu.sync(Self::link());
            return Then::Wait;
        }
        eu.put(self.out, self.done);
        Then::End
    }
}

/// Runs the chain on earth.
///
/// # Panics
///
/// If the result is wrong.
pub fn on_earth(machine: &mut Machine, links: u64) {
    let run = machine.run(|out| Chain::call(links, out)).expect("the chain runs");
    assert_eq!(run.value, links);
    assert_eq!(run.counters.fibers, links + 1);
}

/// Runs the chain on rayon.
pub fn on_rayon(pool: &ThreadPool, links: u64) {
    pool.scope(|scope| link(scope, links));
}

fn link(scope: &Scope<'_>, left: u64) {
    if left > 0 {
        scope.spawn(move |scope| link(scope, left - 1));
    }
}
