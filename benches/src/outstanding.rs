//! Many tokens made and none run yet: the memory of one outstanding piece of work.
//!
//! What is compared is resident memory, so what the allocator adds to each piece and the spare room of queues
//! count. It is asked for while all pieces are outstanding; memory that was used before and freed would not
//! show, so each measurement belongs in a process of its own.

use std::sync::atomic::{AtomicUsize, Ordering};

use earth::{Machine, Reply, Then, threaded_old};
use rayon::ThreadPool;

threaded_old! {
    /// Makes `count` tokens in one fiber and waits for all of them.
    pub fn Many(count: u64, out: Reply<u64>)
    state { before: usize = 0, after: usize = 0 }
    calls { One }
    slots { all: (this.count) => end }
    fiber start(this, eu) {
        let done = eu.slot_ref(Self::all);
        this.before = resident();
        for value in 0..this.count {
            eu.token_old::<One>((value, done));
        }
        this.after = resident();
        Then::Wait
    }
    fiber end(this, eu) {
        eu.put(this.out, (this.after - this.before) as u64);
        Then::End
    }
}

threaded_old! {
    /// Signals that it ran.
    fn One(value: u64, done: earth::SlotRef)
    fiber start(this, eu) {
        std::hint::black_box(this.value);
        eu.rsync(this.done);
        Then::End
    }
}

/// The resident memory of this process in bytes, as Linux tells it; 0 elsewhere.
fn resident() -> usize {
    const PAGE: usize = 4096;
    let pages = std::fs::read_to_string("/proc/self/statm")
        .ok()
        .and_then(|text| text.split_whitespace().nth(1)?.parse::<usize>().ok());
    pages.unwrap_or(0) * PAGE
}

/// Bytes an outstanding token takes on earth.
///
/// # Panics
///
/// If the program fails.
pub fn on_earth(machine: &mut Machine, count: u64) -> f64 {
    machine.run_old::<Many>(count).expect("the tokens run").value as f64 / count as f64
}

/// Bytes an outstanding `scope.spawn` takes on rayon: the job is asked to do as much as the token.
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
