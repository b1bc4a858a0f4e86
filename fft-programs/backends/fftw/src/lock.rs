//! The lock under which plans are made and destroyed, and threads made ready.
//!
//! FFTW's planner is one for a process and a precision, and knows no threads of its callers. Two libraries may be
//! one file, and one file may be in use by both precisions, so there is one lock for all of them.

//!
//! In a child that is forked while another thread plans, the planner is in the middle of something for ever: nothing can
//! be planned there, and plans are leaked.

use std::sync::MutexGuard;

use earth_signal::ProcessLock;

static PLANNER: ProcessLock<()> = ProcessLock::new(());

/// Waits until no other thread uses the planner, and keeps it until the guard is dropped. Returns nothing in a child that
/// was forked in the middle of another thread's turn.
pub(crate) fn planner() -> Option<MutexGuard<'static, ()>> {
    PLANNER.lock()
}
