//! Which CPUs a machine's threads are bound to, and for how long.
//!
//! A machine *holds* a CPU for each of its threads while it runs: a register of this process tells which are held, so that
//! no two machines that run at once hold the same, and machines that run in turn have the same ones. CPUs are those of the
//! affinity mask that the thread which builds the machine has then, [near ones first](super::topology). When fewer are free
//! than there are threads, the first threads have them, and the others run unbound; or, if binding was asked for, each shares
//! the CPU of a thread of another machine.
//!
//! Between runs a worker keeps its binding. If it gets another CPU, the calling thread binds it anew before it is woken, since a
//! worker that sleeps on a CPU that somebody uses would have to wait there until it could bind itself.
//!
//! The calling thread is the caller's, so it is bound only as long as a run takes, and not at all in a run that is over in a
//! moment, or if it is to be left alone. Then it takes the CPU on which it is: bound to that, a worker would share it while
//! another is free, for as long as some kernels let threads share one, which is milliseconds to seconds.
//!
//! Linux only; elsewhere no thread is bound and the scheduler keeps the choice.

use std::collections::BTreeSet;
use std::path::Path;

use parking_lot::Mutex;

use super::topology;

/// The CPUs that the machines of this process hold.
static HELD: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

/// The directory that tells of all CPUs.
const CPUS: &str = "/sys/devices/system/cpu";

/// The CPUs that the threads of one machine may be bound to.
#[derive(Debug, Default)]
pub(super) struct Cpus {
    threads: usize,
    /// Whether a thread that finds no free CPU shares one.
    shares: bool,
    allowed: BTreeSet<usize>,
    /// All of them, in the order in which they are taken if all are free.
    order: Vec<usize>,
    /// The CPU that each thread is bound to in this run, for the first threads, and how many of them are held.
    of_threads: Vec<usize>,
    held: usize,
}

impl Cpus {
    /// The CPUs for `threads` threads. Fails with the number of CPUs that there are if all threads are to be bound and there
    /// are fewer.
    pub(super) fn of_mask(threads: usize, shares: bool) -> Result<Self, usize> {
        let allowed = affinity_mask();
        let order = topology::order(Path::new(CPUS), &allowed, &BTreeSet::new());
        if shares && order.len() < threads {
            return Err(order.len());
        }
        Ok(Cpus { threads, shares, allowed, order, ..Cpus::default() })
    }

    /// Holds CPUs for a run, as far as they are free. The first thread has the CPU `caller`, if it is one of these.
    pub(super) fn hold(&mut self, caller: Option<usize>) -> Holding<'_> {
        let Cpus { threads, shares, allowed, order, of_threads, held } = self;
        of_threads.clear();
        let mut register = HELD.lock();
        if register.is_empty() {
            of_threads.extend(order.iter().take(*threads));
        } else {
            of_threads.extend(topology::order(Path::new(CPUS), allowed, &register).iter().take(*threads));
        }
        *held = of_threads.len();
        if let Some(at) = of_threads.iter().position(|cpu| Some(*cpu) == caller) {
            of_threads.swap(0, at);
        }
        register.extend(of_threads.iter());
        if *shares {
            let taken = *held;
            let others = order.iter().filter(|cpu| !of_threads[..taken].contains(cpu)).copied();
            let others: Vec<_> = others.take(*threads - taken).collect();
            of_threads.extend(others);
        }
        drop(register);
        Holding(self)
    }
}

/// The CPUs of a machine that runs, which are given back when this is dropped.
#[derive(Debug)]
pub(super) struct Holding<'a>(&'a mut Cpus);

impl Holding<'_> {
    /// The CPU of a thread, if it has one.
    pub(super) fn of(&self, thread: usize) -> Option<usize> {
        self.0.of_threads.get(thread).copied()
    }
}

impl Drop for Holding<'_> {
    fn drop(&mut self) {
        let mut register = HELD.lock();
        for cpu in &self.0.of_threads[..self.0.held] {
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
#[derive(Default)]
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

/// The binding of the calling thread in a run, which is made when the run turns out to last.
///
/// To bind a thread and to free it takes three calls of the system, several times what a short run takes. A thread that
/// is on its CPU already stays there for the time being; it may be moved later.
#[derive(Default)]
pub(super) struct LateBinding {
    /// The CPU, until the thread is bound to it.
    due: Option<usize>,
    binding: CoreBinding,
}

impl LateBinding {
    /// Binds the current thread to `cpu`, if there is one: at once if the thread is elsewhere or `at_once` says so, else
    /// by [`make`](Self::make).
    pub(super) fn new(cpu: Option<usize>, at_once: bool) -> Self {
        if at_once || cpu != current_cpu() {
            LateBinding { due: None, binding: CoreBinding::on(cpu) }
        } else {
            LateBinding { due: cpu, binding: CoreBinding::default() }
        }
    }

    /// Whether the binding is still to be made.
    #[inline]
    pub(super) fn is_due(&self) -> bool {
        self.due.is_some()
    }

    /// Makes the binding, unless it was made.
    #[inline]
    pub(super) fn make(&mut self) {
        if let Some(cpu) = self.due.take() {
            self.binding = CoreBinding::on(Some(cpu));
        }
    }
}

/// The CPU that runs the current thread at this moment, where that can be told.
#[cfg(target_os = "linux")]
#[allow(clippy::unnecessary_wraps, reason = "elsewhere it cannot be told")]
pub(super) fn current_cpu() -> Option<usize> {
    Some(rustix::thread::sched_getcpu())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn current_cpu() -> Option<usize> {
    None
}

/// A thread that others bind.
#[derive(Debug)]
pub(super) struct Bound {
    #[cfg(target_os = "linux")]
    id: rustix::thread::Pid,
    /// What it is bound to.
    cpu: Option<usize>,
}

impl Bound {
    /// The current thread, which is bound to none yet.
    pub(super) fn current() -> Self {
        Bound {
            #[cfg(target_os = "linux")]
            id: rustix::thread::gettid(),
            cpu: None,
        }
    }

    /// Binds the thread to `cpu`, or, if there is none, to none of those of `cpus` in particular. A thread that cannot be
    /// bound stays as it is.
    #[cfg(target_os = "linux")]
    pub(super) fn bind(&mut self, cpu: Option<usize>, cpus: &Holding<'_>) {
        use rustix::thread::{CpuSet, sched_setaffinity};

        if self.cpu == cpu {
            return;
        }
        let mut set = CpuSet::new();
        match cpu {
            Some(cpu) => set.set(cpu),
            None => cpus.0.allowed.iter().for_each(|cpu| set.set(*cpu)),
        }
        if sched_setaffinity(Some(self.id), &set).is_ok() {
            self.cpu = cpu;
        }
    }

    /// Binds nothing.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn bind(&mut self, cpu: Option<usize>, _cpus: &Holding<'_>) {
        self.cpu = cpu;
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
