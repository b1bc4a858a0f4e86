//! Which CPUs a machine's threads are bound to, and for how long.
//!
//! A machine *holds* a CPU for each of its threads from when it is built until it is dropped: a register of this process
//! tells which are held, so that no two machines hold the same. CPUs are those of the affinity mask that the thread
//! which builds the machine has then, [near ones first](super::topology). When fewer are free than there are threads,
//! the first threads have them, and the others run unbound; or, if binding was asked for, each shares the CPU of a thread
//! of another machine.
//!
//! The calling thread is the caller's, so it is bound only as long as a run takes: left where it is, it may share a
//! core with a worker while another is free, and some kernels let them share it for seconds.
//!
//! Linux only; elsewhere no thread is bound and the scheduler keeps the choice.

use std::collections::BTreeSet;
use std::path::Path;

use parking_lot::Mutex;

use super::topology;

/// The CPUs that the machines of this process hold.
static HELD: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

/// The CPUs of one machine's threads, which are given back when this is dropped.
#[derive(Debug, Default)]
pub(super) struct Cpus {
    /// The CPU that each thread is bound to, for the first threads.
    of_threads: Vec<usize>,
    /// How many of them are held, the first ones; the others belong to other machines.
    held: usize,
}

impl Cpus {
    /// Holds CPUs for `threads` threads, as far as they are free; `shares` is whether a thread that finds none shares
    /// one. Fails with the number of CPUs that there are if all are to be bound and there are fewer.
    pub(super) fn hold(threads: usize, shares: bool) -> Result<Self, usize> {
        let (root, allowed) = (Path::new("/sys/devices/system/cpu"), affinity_mask());
        let mut register = HELD.lock();
        let mut of_threads = topology::order(root, &allowed, &register);
        of_threads.truncate(threads);
        let held = of_threads.len();
        register.extend(&of_threads);
        let mut cpus = Cpus { of_threads, held };
        if shares {
            let own = cpus.of_threads.iter().copied().collect();
            cpus.of_threads.extend(topology::order(root, &allowed, &own));
            cpus.of_threads.truncate(threads);
            if cpus.of_threads.len() < threads {
                // Given back below, which takes the lock.
                drop(register);
                return Err(cpus.of_threads.len());
            }
        }
        Ok(cpus)
    }

    /// The CPU of a thread, if it has one.
    pub(super) fn of(&self, thread: usize) -> Option<usize> {
        self.of_threads.get(thread).copied()
    }
}

impl Drop for Cpus {
    fn drop(&mut self) {
        let mut register = HELD.lock();
        for cpu in &self.of_threads[..self.held] {
            register.remove(cpu);
        }
    }
}

/// The CPUs that the current thread may use; none where threads cannot be bound.
#[cfg(target_os = "linux")]
fn affinity_mask() -> BTreeSet<usize> {
    use rustix::thread::{CpuSet, sched_getaffinity};

    sched_getaffinity(None)
        .map(|mask| (0..CpuSet::MAX_CPU).filter(|cpu| mask.is_set(*cpu)).collect())
        .unwrap_or_default()
}

#[cfg(not(target_os = "linux"))]
fn affinity_mask() -> BTreeSet<usize> {
    BTreeSet::new()
}

/// The binding of the current thread to a CPU, which ends when this is dropped: the thread then has the affinity mask
/// that it had before.
pub(super) struct CoreBinding {
    #[cfg(target_os = "linux")]
    before: Option<rustix::thread::CpuSet>,
}

impl CoreBinding {
    /// Binds the current thread to `cpu`, if there is one. A thread that cannot be bound runs unbound.
    #[cfg(target_os = "linux")]
    pub(super) fn on(cpu: Option<usize>) -> Self {
        use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

        let bind = |cpu: usize| {
            let before = sched_getaffinity(None).ok()?;
            let mut only = CpuSet::new();
            only.set(cpu);
            sched_setaffinity(None, &only).ok().map(|()| before)
        };
        CoreBinding { before: cpu.and_then(bind) }
    }

    /// Binds nothing.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn on(_cpu: Option<usize>) -> Self {
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
