//! The calling thread's core during a run.
//!
//! The other workers are bound to cores of their own. The calling thread is the caller's, so it is
//! bound only as long as a run takes: left where it is, it may share a core with a worker while another
//! is free, and some kernels let them share it for seconds. Linux only; elsewhere the scheduler keeps
//! the choice.

use core_affinity::CoreId;

/// The binding of the calling thread to a core, which ends when this is dropped.
pub(super) struct CoreBinding {
    #[cfg(target_os = "linux")]
    before: Option<rustix::thread::CpuSet>,
}

impl CoreBinding {
    /// Binds the calling thread to `core`, if there is one. A thread that cannot be bound runs unbound.
    #[cfg(target_os = "linux")]
    pub(super) fn on(core: Option<CoreId>) -> Self {
        use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

        let bind = |core: CoreId| {
            let before = sched_getaffinity(None).ok()?;
            let mut only = CpuSet::new();
            only.set(core.id);
            sched_setaffinity(None, &only).ok().map(|()| before)
        };
        CoreBinding { before: core.and_then(bind) }
    }

    /// Binds nothing: elsewhere than on Linux a binding cannot be undone.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn on(_core: Option<CoreId>) -> Self {
        CoreBinding {}
    }
}

#[cfg(target_os = "linux")]
impl Drop for CoreBinding {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // The set it had before is one that it may have.
            let _ = rustix::thread::sched_setaffinity(None, before);
        }
    }
}
