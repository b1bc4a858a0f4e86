//! Loom models of what `earth-signal` promises.
//!
//! The protocol files of `earth-signal` name their atomics, locks and cells through `super::primitive` only.
//! This package compiles the same files again, by `#[path]`, beside other primitives:
//!
//! | module | primitives | what for |
//! |---|---|---|
//! | [`checked`] | loom's | the promises, explored |
//! | [`misused`] | loom's, never dropped | programs that use the protocol wrongly and must be found wrong |
//! | [`weak_fence`] | a fence that does nothing | what the fences are for |
//! | [`weak_publish`] | stores that are all relaxed | what the release stores are for |
//! | [`weak_claim`] | a read-modify-write in two halves | what the atomicity of a claim is for |
//!
//! The tests that find something wrong keep the others honest: a model that cannot fail proves nothing.
//!
//! A model has at most four threads, its main thread included. [`explore`] covers every execution with at
//! most two preemptions (and every choice of what a load may see), and with three in the long checks, which set
//! `EARTH_LONG`; [`explore_all`] covers every execution.
//! No exploration is cut off by time or by number.
//!
//! A model that is found wrong unwinds with its threads in the middle of their work, and loom's objects must
//! not be dropped then; so what such a model shares lives in [`Leaked`] or in `std::sync::Arc`.

#![expect(
    clippy::duplicate_mod,
    reason = "compiling the protocol files more than once is what this package is for"
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

/// At most this many threads in a model, the main thread included.
const THREADS: usize = 4;

/// Runs every execution of `model` that has at most two preemptions, or three in the long checks.
pub fn explore(model: impl Fn() + Send + Sync + 'static) {
    let preemptions = if std::env::var_os("EARTH_LONG").is_some() { 3 } else { 2 };
    run(Some(preemptions), model);
}

/// Runs every execution of `model`: for small models.
pub fn explore_all(model: impl Fn() + Send + Sync + 'static) {
    run(None, model);
}

fn run(preemptions: Option<usize>, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.max_threads = THREADS;
    // A path that grows longer than this is an endless loop, and a panic.
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
    // Shown by `cargo test -- --nocapture`.
    let name = std::thread::current().name().map(str::to_owned);
    println!("{}: {} executions", name.unwrap_or_default(), executions.load(Relaxed));
}
