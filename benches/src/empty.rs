//! A run of a program without work: the cost of its beginning and of the detection of its end.
//!
//! On rayon the pool runs a closure while its caller waits.

use earth::{Eu, Machine, Reply, threaded};
use rayon::ThreadPool;

/// A function that answers at once.
pub struct Nothing;

#[threaded]
impl Nothing {
    /// Puts its argument.
    pub fn start(number: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, number);
    }
}

/// Runs the program on earth, `times` times.
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

/// Runs the closure on rayon, `times` times.
///
/// # Panics
///
/// If a result is wrong.
pub fn on_rayon(pool: &ThreadPool, times: u64) {
    for number in 0..times {
        assert_eq!(pool.install(|| std::hint::black_box(number)), number);
    }
}
