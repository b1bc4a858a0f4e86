//! The lock under which plans are made and destroyed, and threads made ready.
//!
//! FFTW's planner is one for a process and a precision, and knows no threads of its callers. Two libraries may be
//! one file, and one file may be in use by both precisions, so there is one lock for all of them.

use std::sync::{Mutex, MutexGuard, PoisonError};

static PLANNER: Mutex<()> = Mutex::new(());

/// Waits until no other thread uses the planner, and keeps it until the guard is dropped.
pub(crate) fn planner() -> MutexGuard<'static, ()> {
    PLANNER.lock().unwrap_or_else(PoisonError::into_inner)
}
