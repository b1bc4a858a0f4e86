//! Lock for making and destroying plans, and for initializing threads.
//!
//! FFTW has one planner per process and precision, and it is not thread-safe. Two libraries may be the same
//! file, and one file may serve both precisions, so all of them share one lock.
//!
//! In a child that is forked while another thread plans, the planner stays in an intermediate state. The
//! child cannot plan, and it leaks plans.

use std::sync::MutexGuard;

use earth_signal::ProcessLock;

static PLANNER: ProcessLock<()> = ProcessLock::new(());

/// Waits until no other thread uses the planner, and locks it until the guard is dropped. Returns `None` in a
/// child that was forked while another thread held the lock.
pub(crate) fn planner() -> Option<MutexGuard<'static, ()>> {
    PLANNER.lock()
}
