//! Loom models of the guarantees of `earth-signal`.
//!
//! The protocol files of `earth-signal` name their atomics, locks and cells only through `super::primitive`.
//! This package compiles the same files again, by `#[path]`, with other primitives:
//!
//! | module | primitives | purpose |
//! |---|---|---|
//! | [`checked`] | loom's | the guarantees, explored |
//! | [`misused`] | loom's, never dropped | programs that misuse the protocol and must fail |
//! | [`weak_fence`] | a fence without effect | shows that the fences are needed |
//! | [`weak_publish`] | stores that are all relaxed | shows that the release stores are needed |
//! | [`weak_claim`] | a read-modify-write in two halves | shows that the claims must be atomic |
//!
//! The models that must fail validate the others: a model that cannot fail is no evidence.
//!
//! A model has at most four threads, its main thread included. [`explore`] covers every execution with at
//! most two preemptions, and every value that a load may see. In the long checks, which set `EARTH_LONG`, the
//! limit is three preemptions. [`explore_all`] covers every execution with at most three preemptions, and in
//! the long checks every execution. No exploration has a limit of time or number.
//!
//! A model that fails unwinds with its threads in the middle of their work, and loom's objects must not be
//! dropped then. Such a model therefore keeps its shared values in [`Leaked`] or in `std::sync::Arc`.

#![expect(
    clippy::duplicate_mod,
    reason = "this package compiles the protocol files more than once on purpose"
)]

pub mod atomic;
pub mod checked;
pub mod misused;
pub mod weak_claim;
pub mod weak_fence;
pub mod weak_publish;

mod leaked;

pub use leaked::Leaked;

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

/// Largest number of threads in a model, the main thread included.
const THREADS: usize = 4;

/// Runs every execution of `model` that has at most two preemptions, or three in the long checks.
pub fn explore(model: impl Fn() + Send + Sync + 'static) {
    run(Some(if is_long() { 3 } else { 2 }), model);
}

/// Runs every execution of `model` that has at most three preemptions, or every one in the long checks. It
/// suits small models only.
pub fn explore_all(model: impl Fn() + Send + Sync + 'static) {
    run(if is_long() { None } else { Some(3) }, model);
}

fn is_long() -> bool {
    std::env::var_os("EARTH_LONG").is_some()
}

fn run(preemptions: Option<usize>, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.max_threads = THREADS;
    // A longer path is an endless loop, and loom panics.
    builder.max_branches = 4_000;
    builder.max_duration = None;
    builder.max_permutations = None;
    builder.preemption_bound = preemptions;
    let executions = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&executions);
    builder.check(move || {
        counter.fetch_add(1, Relaxed);
        model();
    });
    // `cargo test -- --nocapture` prints this line.
    let name = std::thread::current().name().map(str::to_owned);
    println!("{}: {} executions", name.unwrap_or_default(), executions.load(Relaxed));
}
