//! The gate: every worker runs every round once, and the caller waits for all of them.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use earth_model::atomic::AtomicUsize;
use earth_model::checked::gate::{Gate, Round, Signal};
use earth_model::{explore, explore_all};
use loom::cell::UnsafeCell;
use loom::thread::{JoinHandle, spawn};

/// Starts a worker that counts its rounds. Its handle returns the count.
fn worker(shared: &Arc<(Gate, AtomicUsize)>, spin: usize) -> JoinHandle<usize> {
    let shared = Arc::clone(shared);
    spawn(move || {
        let (gate, work) = &*shared;
        let mut seen = Round::default();
        let mut rounds = 0;
        while let Signal::Start(round) = gate.wait(seen, spin) {
            assert_ne!(round, seen);
            seen = round;
            rounds += 1;
            work.fetch_add(1, Relaxed);
            gate.done();
        }
        rounds
    })
}

fn rounds(workers: usize, rounds: usize, spin: usize) {
    let shared = Arc::new((Gate::new(workers), AtomicUsize::new(0)));
    let threads: Vec<_> = (0..workers).map(|_| worker(&shared, spin)).collect();
    for round in 1..=rounds {
        shared.0.open();
        shared.0.wait_done(spin);
        assert_eq!(shared.1.load(Relaxed), round * workers, "not all workers were done");
    }
    shared.0.shut();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), rounds);
    }
}

#[test]
fn one_worker_runs_two_rounds() {
    explore(|| rounds(1, 2, 0));
}

#[test]
fn two_workers_run_one_round() {
    explore(|| rounds(2, 1, 0));
}

#[test]
fn spinning_and_blocking_meet() {
    explore(|| rounds(1, 1, 1));
}

/// Shutting the gate does not overtake a round: a worker that has not started the round still runs it.
#[test]
fn a_gate_that_is_shut_at_once_still_runs_its_round() {
    explore_all(|| {
        let shared = Arc::new((Gate::new(1), AtomicUsize::new(0)));
        let thread = worker(&shared, 0);
        shared.0.open();
        shared.0.shut();
        shared.0.wait_done(0);
        assert_eq!(thread.join().unwrap(), 1);
    });
}

/// The caller's work before a round is visible to the worker, and the worker's work to the caller after it.
/// The cell is not atomic.
#[test]
fn a_round_hands_over_and_back() {
    struct Lent(Arc<UnsafeCell<usize>>);
    // SAFETY: the gate passes the cell from one thread to the other, which is the property under test.
    unsafe impl Send for Lent {}
    impl Lent {
        fn add(&self) -> usize {
            self.0.with_mut(|place| {
                // SAFETY: loom checks that no other access is concurrent.
                unsafe {
                    *place += 1;
                    *place
                }
            })
        }
    }
    explore(|| {
        let gate = Arc::new(Gate::new(1));
        let (here, there) = {
            #[expect(clippy::arc_with_non_send_sync, reason = "the gate makes it safe")]
            let cell = Arc::new(UnsafeCell::new(0));
            (Lent(Arc::clone(&cell)), Lent(cell))
        };
        let waiting = Arc::clone(&gate);
        let thread = spawn(move || {
            let Signal::Start(_) = waiting.wait(Round::default(), 1) else { unreachable!("not shut") };
            there.add();
            waiting.done();
        });
        here.add();
        gate.open();
        gate.wait_done(1);
        assert_eq!(here.add(), 3);
        thread.join().unwrap();
    });
}
