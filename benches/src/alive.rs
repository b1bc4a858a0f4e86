//! Many functions alive at once: a recursion in which each level waits for the next.
//!
//! On earth a level is a frame, made by a token. On rayon it is a `join`, whose calls stay on the stack of
//! one thread.

use earth::{Eu, Machine, Reply, Start, threaded};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// A level that waits for the levels below it.
pub struct Level {
    out: Reply<u64>,
}

#[threaded]
impl Level {
    /// Counts `below` levels.
    pub fn start(below: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        if below == 0 {
            eu.put(out, 0);
            return Start::End;
        }
        eu.token(Level::call(below - 1, eu.reply(Self::add().counted)));
        Start::Wait(Level { out })
    }

    #[slot]
    fn add(self, counted: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, counted + 1);
    }
}

/// Runs the recursion on earth.
///
/// # Panics
///
/// If the result is wrong, or the functions were not alive at once.
pub fn on_earth(machine: &mut Machine, count: u64) {
    let run = machine.run(|out| Level::call(count, out)).expect("the recursion runs");
    assert_eq!(run.value, count);
    assert!(run.counters.frames_high >= count, "at most {} frames at once", run.counters.frames_high);
}

/// Builds a pool of one thread, whose stack has room for 10^6 levels.
///
/// # Panics
///
/// If the thread cannot be started.
pub fn deep_pool() -> ThreadPool {
    let pool = ThreadPoolBuilder::new().num_threads(1).stack_size(1 << 30).build();
    pool.expect("a pool can be built")
}

/// Runs the recursion on rayon.
///
/// # Panics
///
/// If the result is wrong.
pub fn on_rayon(pool: &ThreadPool, count: u64) {
    assert_eq!(pool.install(|| levels(count)), count);
}

/// No half is a constant, so the compiler cannot turn the recursion into a loop.
fn levels(below: u64) -> u64 {
    if below == 0 {
        return 0;
    }
    let (counted, one) = rayon::join(|| levels(below - 1), || std::hint::black_box(1));
    counted + one
}
