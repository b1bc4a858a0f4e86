//! A chain of fibers, each enabled by the one before: what a switch between fibers costs
//! when nothing else goes on.
//!
//! On rayon each link is a job of one scope that spawns the next.

use earth::{Machine, Reply, Then, threaded_old};
use rayon::{Scope, ThreadPool};

threaded_old! {
    /// Runs `links` fibers one after another.
    pub fn Chain(links: u64, out: Reply<u64>)
    state { done: u64 = 0 }
    slots { next: 1, reset 1 => link }
    fiber start(_this, eu) {
        eu.sync(Self::next);
        Then::Wait
    }
    fiber link(this, eu) {
        this.done += 1;
        if this.done < this.links {
            eu.sync(Self::next);
            return Then::Wait;
        }
        eu.put(this.out, this.done);
        Then::End
    }
}

/// On earth.
///
/// # Panics
///
/// If the result is wrong.
pub fn on_earth(machine: &mut Machine, links: u64) {
    let run = machine.run_old::<Chain>(links).expect("the chain runs");
    assert_eq!(run.value, links);
    assert_eq!(run.counters.fibers, links + 1);
}

/// On rayon.
pub fn on_rayon(pool: &ThreadPool, links: u64) {
    pool.scope(|scope| link(scope, links));
}

fn link(scope: &Scope<'_>, left: u64) {
    if left > 0 {
        scope.spawn(move |scope| link(scope, left - 1));
    }
}
