//! Binding of a machine's threads to CPUs.
//!
//! A thread is bound only if the program calls [`Machine::pin`](super::Machine::pin) or the user sets
//! `EARTH_PIN=on`. All threads and processes that a bound thread starts keep its mask of one CPU. This
//! project's own queries correct for that. If a thread's mask is a single CPU that a machine has bound, they
//! return the mask from [before](Usable) the binding.
//!
//! A machine *holds* a CPU for each of its threads while it runs. A register of this process lists the held
//! CPUs. Machines that run at the same time hold different CPUs, and machines that run in turn hold the same
//! ones. The CPUs come from the affinity mask of the thread that builds the machine, at that time, in the
//! order of [`topology`](super::topology). If there are fewer free CPUs than threads, the first threads get
//! them, and the others run unbound.
//!
//! A process *claims* each CPU that its machines hold: it binds an abstract socket whose name contains the
//! CPU's number. In a network namespace, the kernel gives a name to one socket only. So no two processes
//! claim the same CPU. The claims end when the last machine that binds is dropped, or with the process. A CPU
//! that another process claims does not count as free. Containers with network namespaces of their own do not
//! see each other's claims. So a machine whose CPU quota is below the size of its mask binds no thread.
//! Containers without a quota need separate CPU sets.
//!
//! Between runs a worker keeps its binding. If the worker gets another CPU, the calling thread rebinds it
//! before the wake-up. A worker that sleeps on a CPU in use could not rebind itself before that CPU is free.
//! The calling thread is bound during a run only, and with `pin_caller(false)` never. The machine then holds
//! the calling thread's current CPU, so that no worker is bound there.
//!
//! Threads are bound on Linux only.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::Path;

use earth_signal::{Process, ProcessLock};

pub(super) use system::current_cpu;
use system::{Name, Thread, affinity_mask, give_mask, name, this_thread};

use super::{Machine, topology};
use crate::primitive::thread;
use crate::vocabulary::error::Error;

/// Directory that describes all CPUs.
const CPUS: &str = "/sys/devices/system/cpu";

/// CPUs that the machines of this process claim.
static REGISTER: ProcessLock<Register> =
    ProcessLock::new(Register { process: None, machines: 0, claims: BTreeMap::new() });

impl Machine {
    /// Returns the value of the environment variable `EARTH_PIN`, which controls [binding](Machine::pin):
    /// true for `on`, false for `off`, `None` if it is not set.
    ///
    /// # Errors
    ///
    /// [`Error::Environment`] if it has any other value.
    pub fn pin_variable() -> Result<Option<bool>, Error> {
        let Some(value) = env::var_os("EARTH_PIN") else { return Ok(None) };
        let known = [("on", true), ("off", false)].into_iter().find(|(word, _)| value == *word);
        known.map(|(_, pin)| Some(pin)).ok_or_else(|| Error::Environment {
            variable: "EARTH_PIN".to_owned(),
            expected: "`on` or `off`".to_owned(),
            value: value.to_string_lossy().into_owned(),
        })
    }

    /// Returns the number of cores that the calling thread may use: the CPUs of its affinity mask, or fewer
    /// if its control group has a CPU quota. Returns 1 if both are unknown.
    ///
    /// On a machine that [binds](Machine::pin) its threads, fibers and the threads that they start get the
    /// number from before the binding, as long as such a machine exists.
    /// [`std::thread::available_parallelism`] returns 1 there.
    pub fn usable_cores() -> usize {
        Usable::here().cores
    }
}

/// CPUs and cores that a thread may use.
#[derive(Clone, Debug)]
pub(super) struct Usable {
    /// CPUs of its affinity mask; empty where threads cannot be bound.
    mask: BTreeSet<usize>,
    /// Number of usable cores: the number of CPUs in the mask, or fewer under a CPU quota.
    pub(super) cores: usize,
}

impl Usable {
    /// Returns what the current thread may use, or could use before a machine bound it or the thread that
    /// started it.
    pub(super) fn here() -> Self {
        Self::narrowed().unwrap_or_else(|| Usable {
            mask: affinity_mask(),
            cores: thread::available_parallelism().map_or(1, std::num::NonZero::get),
        })
    }

    /// Returns what the current thread could use before, if its mask equals a bound thread's mask.
    pub(super) fn narrowed() -> Option<Self> {
        if REGISTER.lock()?.claims.is_empty() {
            return None;
        }
        let mask = affinity_mask();
        let cpu = mask.first().filter(|_| mask.len() == 1)?;
        REGISTER.lock()?.claims.get(cpu).map(|claim| claim.before.clone())
    }

    pub(super) fn give(&self) {
        give_mask(None, &self.mask);
    }
}

/// CPUs that this process claims.
struct Register {
    /// Process that claims them. A forked child claims none of its parent's CPUs.
    process: Option<Process>,
    /// Number of this process's machines that bind their threads.
    machines: usize,
    claims: BTreeMap<usize, Claim>,
}

struct Claim {
    _name: Name,
    /// Whether a running machine holds the CPU.
    held: bool,
    /// CPUs and cores that the threads bound to this CPU could use before.
    before: Usable,
}

impl Register {
    /// Clears the entries that a fork copied from the parent.
    fn of_this_process(&mut self) -> &mut Self {
        let process = Some(Process::current());
        if self.process != process {
            *self = Register { process, machines: 0, claims: BTreeMap::new() };
        }
        self
    }

    /// Holds a CPU for threads that may use `before`. Returns false if another process claims it.
    fn hold(&mut self, cpu: usize, before: &Usable) -> bool {
        let claim = match self.claims.entry(cpu) {
            Entry::Occupied(claim) => claim.into_mut(),
            Entry::Vacant(place) => match name(cpu) {
                Some(name) => place.insert(Claim { _name: name, held: false, before: before.clone() }),
                None => return false,
            },
        };
        claim.held = true;
        if before.cores > claim.before.cores {
            claim.before = before.clone();
        }
        true
    }
}

/// CPUs that the threads of one machine may be bound to.
#[derive(Debug)]
pub(super) struct Cpus {
    threads: usize,
    usable: Usable,
    /// All these CPUs, in the order in which the machine takes them if all are free.
    order: Vec<usize>,
    /// CPU of each thread in this run, for the first threads.
    of_threads: Vec<usize>,
}

impl Cpus {
    /// Returns the CPUs for `threads` threads, or `None` if a quota is below the size of the mask.
    pub(super) fn new(threads: usize, usable: Usable) -> Option<Self> {
        if usable.cores < usable.mask.len() {
            return None;
        }
        let order = topology::order(Path::new(CPUS), &usable.mask, &BTreeSet::new());
        REGISTER.lock()?.of_this_process().machines += 1;
        Some(Cpus { threads, usable, order, of_threads: Vec::new() })
    }

    /// Holds free CPUs for a run, at most one a thread. The first thread gets the CPU `caller`, if it is
    /// among them.
    pub(super) fn hold(&mut self, caller: Option<usize>) -> Holding<'_> {
        let Cpus { threads, usable, order, of_threads } = self;
        of_threads.clear();
        let Some(mut register) = REGISTER.lock() else { return Holding(self) };
        let register = register.of_this_process();
        let held = register.claims.iter().filter(|(_, claim)| claim.held);
        let held: BTreeSet<_> = held.map(|(cpu, _)| *cpu).collect();
        let others = (!held.is_empty()).then(|| topology::order(Path::new(CPUS), &usable.mask, &held));
        let free = others.as_ref().unwrap_or(order).iter().copied();
        of_threads.extend(free.filter(|cpu| register.hold(*cpu, usable)).take(*threads));
        if let Some(at) = of_threads.iter().position(|cpu| Some(*cpu) == caller) {
            of_threads.swap(0, at);
        }
        Holding(self)
    }
}

impl Drop for Cpus {
    fn drop(&mut self) {
        let Some(mut register) = REGISTER.lock() else { return };
        let register = register.of_this_process();
        register.machines = register.machines.saturating_sub(1);
        if register.machines == 0 {
            register.claims.clear();
        }
    }
}

/// CPUs of a running machine, which are released when this is dropped.
#[derive(Debug)]
pub(super) struct Holding<'a>(&'a mut Cpus);

impl Holding<'_> {
    /// Returns the CPU of a thread, if it has one.
    pub(super) fn of(&self, thread: usize) -> Option<usize> {
        self.0.of_threads.get(thread).copied()
    }
}

impl Drop for Holding<'_> {
    fn drop(&mut self) {
        let Some(mut register) = REGISTER.lock() else { return };
        let register = register.of_this_process();
        for cpu in &self.0.of_threads {
            if let Some(claim) = register.claims.get_mut(cpu) {
                claim.held = false;
            }
        }
    }
}

/// Binding of the current thread to a CPU. Dropping it restores the thread's former affinity mask.
pub(super) struct CoreBinding {
    before: Option<BTreeSet<usize>>,
}

impl CoreBinding {
    /// Binds the current thread to `cpu`, if there is one. A thread that cannot be bound runs unbound.
    pub(super) fn on(cpu: Option<usize>) -> Self {
        let bind = |cpu| {
            let before = affinity_mask();
            give_mask(None, &BTreeSet::from([cpu])).then_some(before)
        };
        CoreBinding { before: cpu.and_then(bind) }
    }
}

impl Drop for CoreBinding {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // The thread had this mask before, so the system accepts it.
            give_mask(None, before);
        }
    }
}

/// Thread that other threads bind.
#[derive(Debug)]
pub(super) struct Bound {
    thread: Thread,
    /// CPU that it is bound to.
    cpu: Option<usize>,
}

impl Bound {
    /// Returns the current thread, unbound.
    pub(super) fn current() -> Self {
        Bound { thread: this_thread(), cpu: None }
    }

    /// Binds the thread to `cpu`, or to the whole mask of `cpus` if there is none. A thread that cannot be
    /// bound is left unchanged.
    pub(super) fn bind(&mut self, cpu: Option<usize>, cpus: &Holding<'_>) {
        if self.cpu == cpu {
            return;
        }
        let given = match cpu {
            Some(cpu) => give_mask(Some(self.thread), &BTreeSet::from([cpu])),
            None => give_mask(Some(self.thread), &cpus.0.usable.mask),
        };
        if given {
            self.cpu = cpu;
        }
    }
}

/// Calls of Linux.
#[cfg(target_os = "linux")]
mod system {
    use std::collections::BTreeSet;
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixDatagram};

    use rustix::thread::{CpuSet, Pid, gettid, sched_getaffinity, sched_getcpu, sched_setaffinity};

    pub(super) type Thread = Pid;

    /// Bound socket name. Two processes never have the same one at the same time.
    pub(super) type Name = UnixDatagram;

    pub(super) fn this_thread() -> Thread {
        gettid()
    }

    /// Returns the CPUs that the current thread may use.
    pub(super) fn affinity_mask() -> BTreeSet<usize> {
        sched_getaffinity(None)
            .map(|mask| (0..CpuSet::MAX_CPU).filter(|cpu| mask.is_set(*cpu)).collect())
            .unwrap_or_default()
    }

    /// Sets the affinity mask of a thread, or of the current one if `thread` is `None`. Returns whether that
    /// succeeded.
    pub(super) fn give_mask(thread: Option<Thread>, mask: &BTreeSet<usize>) -> bool {
        let mut set = CpuSet::new();
        for cpu in mask {
            set.set(*cpu);
        }
        sched_setaffinity(thread, &set).is_ok()
    }

    /// Returns the current thread's CPU at this moment.
    #[expect(clippy::unnecessary_wraps, reason = "it is unknown on other systems")]
    pub(in super::super) fn current_cpu() -> Option<usize> {
        Some(sched_getcpu())
    }

    /// Takes the name of a CPU. Returns `None` if another process has it or the system gives no name.
    pub(super) fn name(cpu: usize) -> Option<Name> {
        let address = SocketAddr::from_abstract_name(format!("earth-cpu-{cpu}")).ok()?;
        Name::bind_addr(&address).ok()
    }
}

/// Other systems bind no threads.
#[cfg(not(target_os = "linux"))]
mod system {
    use std::collections::BTreeSet;

    pub(super) type Thread = ();
    pub(super) type Name = ();

    pub(super) fn this_thread() -> Thread {}

    pub(super) fn affinity_mask() -> BTreeSet<usize> {
        BTreeSet::new()
    }

    pub(super) fn give_mask(_thread: Option<Thread>, _mask: &BTreeSet<usize>) -> bool {
        false
    }

    pub(in super::super) fn current_cpu() -> Option<usize> {
        None
    }

    pub(super) fn name(_cpu: usize) -> Option<Name> {
        None
    }
}
