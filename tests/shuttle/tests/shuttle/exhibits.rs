//! These tests put one weakness at a time into the runtime, and the schedules must find it. They show that
//! the same schedules could find a fault in the programs of the other tests.
//!
//! Shuttle cannot find a weakness of memory orders, since all threads see a write at once. An example is a
//! unit that answers its `Attention` by a load and a store. The store may overwrite a request, but the unit
//! then looks at its queues. Under Shuttle it sees everything that was published before the request. The
//! models of `tests/model` find this weakness.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use earth::Config::{self, Dual, Spn};
use earth_signal::{Weakness, weakened};

use crate::cases::By::{self, Pct, Random};
use crate::cases::{Case, schedule};
use crate::programs::{fib, floods, reads, ring, runs, shared_tokens};

/// Largest number of schedules that may be needed to find a weakness. Most need less than 50.
const WITHIN: usize = 2_000;

/// Configuration, number of nodes and number of cores of the machine.
type On = (Config, usize, usize);

/// Runs a program with a weakness until it fails. Checks that it fails, with a message that contains `told`.
#[track_caller]
fn finds(weakness: Weakness, program: fn(Case), (config, nodes, cores): On, by: By, told: &str) {
    let schedules = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&schedules);
    let runs = move || {
        counted.fetch_add(1, Relaxed);
        program(Case { config, nodes, cores });
    };
    let failed = catch_unwind(AssertUnwindSafe(|| weakened(weakness, || schedule(by, WITHIN, runs))));
    let schedules = schedules.load(Relaxed);
    let Err(payload) = failed else { panic!("{weakness:?} is not found in {schedules} schedules") };
    let said = payload.downcast::<String>().map_or_else(|_| String::new(), |said| *said);
    // `cargo test -- --nocapture` prints this line.
    println!("{weakness:?}: found in schedule {schedules}");
    assert!(said.contains(told), "{weakness:?} is found by another failure: {said}");
}

/// Beginning of the panic message when all threads wait.
const DEADLOCK: &str = "deadlock! blocked tasks";

#[test]
fn two_claims_of_one_cell() {
    finds(Weakness::Claim, reads, (Spn, 3, 3), Random, DEADLOCK);
}

#[test]
fn a_cell_that_is_given_back_early() {
    let told = "a cell is written while its receiver has it";
    finds(Weakness::GiveBack, ring, (Dual, 1, 2), Random, told);
}

#[test]
fn a_busy_worker_that_counts_as_idle() {
    let told = "a unit that was idle has sent or received without becoming busy";
    finds(Weakness::NeverBusy, fib, (Spn, 2, 2), Random, told);
}

#[test]
fn an_end_by_one_collection() {
    finds(Weakness::QuietOnce, reads, (Spn, 2, 2), Pct(4), "the run is stuck");
}

/// A token that runs twice sends its signal twice: one too many, or one to a frame that has ended.
#[test]
fn two_thieves_of_one_token() {
    finds(Weakness::Steal, shared_tokens, (Spn, 3, 3), Random, "fiber `start` of Says on node");
}

#[test]
fn a_look_before_the_announcement() {
    finds(Weakness::AnnounceAfter, fib, (Spn, 2, 2), Random, DEADLOCK);
}

#[test]
fn progress_without_a_wake_up() {
    finds(Weakness::NoRing, ring, (Dual, 3, 4), Random, DEADLOCK);
}

#[test]
fn an_idle_worker_that_does_not_ring() {
    finds(Weakness::SleepsUnrung, floods, (Spn, 3, 3), Pct(4), DEADLOCK);
}

#[test]
fn a_sleep_without_a_look_for_work() {
    finds(Weakness::ParksBlind, fib, (Spn, 2, 2), Random, DEADLOCK);
}

#[test]
fn a_wake_before_what_it_is_for() {
    finds(Weakness::WakesFirst, fib, (Dual, 2, 4), Random, DEADLOCK);
}

#[test]
fn a_gate_that_is_opened_without_its_lock() {
    finds(Weakness::GateUnlocked, runs, (Spn, 2, 2), Pct(4), DEADLOCK);
}
