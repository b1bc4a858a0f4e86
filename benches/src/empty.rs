//! A run of a program that does nothing: what it costs to begin and to find out that all is done.
//!
//! On rayon a closure that the pool runs while its caller waits.

use earth::{Eu, Machine, Reply, threaded};
use rayon::ThreadPool;

/// A function that answers at once.
pub struct Nothing;

#[threaded]
impl Nothing {
    /// The number that it was given.
    pub fn start(number: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, number);
    }
}

/// On earth, so many times.
///
/// # Panics
///
/// If a result is wrong.
pub fn on_earth(machine: &mut Machine, times: u64) {
    for number in 0..times {
        let run = machine.run(|out| Nothing::call(number, out)).expect("nothing runs");
        assert_eq!((run.value, run.counters.fibers), (number, 1));
    }
}

/// On rayon, so many times.
///
/// # Panics
///
/// If a result is wrong.
pub fn on_rayon(pool: &ThreadPool, times: u64) {
    for number in 0..times {
        assert_eq!(pool.install(|| std::hint::black_box(number)), number);
    }
}
