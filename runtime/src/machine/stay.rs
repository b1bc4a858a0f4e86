//! The calling thread's core during a run.
//!
//! The other workers are bound to cores of their own. The calling thread is the caller's, so it is
//! bound only as long as a run takes: left where it is, it may share a core with a worker while another
//! is free, and some kernels let them share it for seconds. Linux only; elsewhere the calling thread
//! stays with the scheduler.

use core_affinity::CoreId;

/// Binds the calling thread to a core until this is dropped.
pub(super) struct Stay {
    #[cfg(target_os = "linux")]
    before: Option<rustix::thread::CpuSet>,
}

impl Stay {
    /// On `core`, if there is one to stay on. What cannot be bound runs unbound.
    #[cfg(target_os = "linux")]
    pub(super) fn on(core: Option<CoreId>) -> Self {
        use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

        let bind = |core: CoreId| {
            let before = sched_getaffinity(None).ok()?;
            let mut only = CpuSet::new();
            only.set(core.id);
            sched_setaffinity(None, &only).ok().map(|()| before)
        };
        Stay { before: core.and_then(bind) }
    }

    /// On no core in particular.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn on(_core: Option<CoreId>) -> Self {
        Stay {}
    }
}

#[cfg(target_os = "linux")]
impl Drop for Stay {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // The set it had before is one that it may have.
            let _ = rustix::thread::sched_setaffinity(None, before);
        }
    }
}
