//! Many tokens that have not run yet: the memory of one outstanding piece of work.
//!
//! The figure is resident memory, so it includes the allocator's overhead and the spare room of queues. It is
//! measured while all pieces are outstanding.

use std::sync::atomic::{AtomicUsize, Ordering};

use earth::{Eu, Machine, Reply, SlotRef, threaded};
use rayon::ThreadPool;

use earth_test_support::resident::resident;

/// A function that waits for many tokens, with the resident memory before they were made and after.
pub struct Many {
    before: usize,
    after: usize,
    out: Reply<u64>,
}

#[threaded]
impl Many {
    /// Makes `count` tokens in one fiber and waits for all of them.
    pub fn start(count: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let done = eu.slot_ref(Self::end());
        let before = resident();
        for value in 0..count {
            eu.token(One::call(value, done));
        }
        Many { before, after: resident(), out }
    }

    #[slot(syncs = count as usize)]
    fn end(self, eu: &mut Eu<Self>) {
        eu.put(self.out, (self.after - self.before) as u64);
    }
}

/// Signals that it ran.
struct One;

#[threaded]
impl One {
    fn start(value: u64, done: SlotRef, eu: &mut Eu<Self>) {
        std::hint::black_box(value);
        eu.rsync(done);
    }
}

/// Returns the bytes per outstanding token on earth.
///
/// # Panics
///
/// If the program fails.
pub fn on_earth(machine: &mut Machine, count: u64) -> f64 {
    machine.run(|out| Many::call(count, out)).expect("the tokens run").value as f64 / count as f64
}

/// Returns the bytes per outstanding `scope.spawn` on rayon. The job does the same work as the token.
pub fn on_rayon(pool: &ThreadPool, count: u64) -> f64 {
    let done = AtomicUsize::new(0);
    let done = &done;
    let bytes = pool.scope(|scope| {
        let before = resident();
        for value in 0..count {
            scope.spawn(move |_| {
                std::hint::black_box(value);
                done.fetch_add(1, Ordering::Relaxed);
            });
        }
        resident() - before
    });
    bytes as f64 / count as f64
}
