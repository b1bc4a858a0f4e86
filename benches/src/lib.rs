//! Workloads, each on earth and on a peer, that `cargo bench` times side by side.
//!
//! Every workload checks its own result. Machines and thread pools are built once and reused, as users would
//! reuse them. The measured time is a run from the call to its return.
#![forbid(unsafe_code)]

pub mod alive;
pub mod chain;
pub mod empty;
pub mod fib;
pub mod outstanding;
pub mod paired;
pub mod patterns;
pub mod rank_trip;
pub mod round_trip;
pub mod service;
pub mod simulated;
pub mod traced;
pub mod tree;
pub mod wavefront;

pub use earth_test_support::resident;

/// Builds a rayon pool of `threads` threads. The system places them, as it places a machine's.
///
/// # Panics
///
/// If a thread cannot be started.
pub fn pool(threads: usize) -> rayon::ThreadPool {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("a pool can be built")
}
