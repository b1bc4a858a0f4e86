//! Which CPUs a machine's threads are bound to, and for how long.
//!
//! A thread is bound only if the program asks for it by [`Machine::pin`](super::Machine::pin) or the user by `EARTH_PIN=on`.
//! All threads and processes that a bound thread starts have its mask of one CPU for good. The project's own reads see
//! through that mask: a thread whose mask is one CPU to which a machine has bound a thread has the mask of [before](Usable).
//!
//! A machine *holds* a CPU for each of its threads while it runs. A register of this process tells which CPUs are held. Machines
//! that run at once hold different CPUs, and machines that run in turn hold the same ones. The CPUs are those of the affinity
//! mask that the thread which builds the machine has then, [near ones first](super::topology). When fewer are free than
//! there are threads, the first threads have them, and the others run unbound.
//!
//! A process *claims* each CPU that its machines hold, by an abstract socket whose name has the CPU's number. The kernel gives a
//! name to one socket of a network namespace, so no two processes claim the same CPU. The claims end when the last machine
//! that binds is dropped, or with the process. A CPU that another process claims counts as not free. Containers with network
//! namespaces of their own do not see each other's claims, so a machine that has less than its mask, by a CPU quota, binds
//! nothing, and containers without a quota need CPU sets of their own.
//!
//! Between runs a worker keeps its binding. If it gets another CPU, the calling thread binds it anew before it is woken, since a
//! worker that sleeps on a CPU that somebody uses would have to wait there until it could bind itself. The calling thread is
//! bound only as long as a run takes, and not at all if it is to be left alone. Then it takes the CPU on which it is, so that
//! no worker is bound there.
//!
//! Linux only; elsewhere no thread is bound and the scheduler keeps the choice.

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

/// The directory that tells of all CPUs.
const CPUS: &str = "/sys/devices/system/cpu";

/// The CPUs that the machines of this process claim.
static REGISTER: ProcessLock<Register> =
    ProcessLock::new(Register { process: None, machines: 0, claims: BTreeMap::new() });

impl Machine {
    /// What the environment variable `EARTH_PIN` says of [binding](Machine::pin): true for `on`, false for `off`, nothing if it
    /// is not set.
    ///
    /// # Errors
    ///
    /// [`Error::Environment`] if it is neither.
    pub fn pin_variable() -> Result<Option<bool>, Error> {
        let Some(value) = env::var_os("EARTH_PIN") else { return Ok(None) };
        let known = [("on", true), ("off", false)].into_iter().find(|(word, _)| value == *word);
        known.map(|(_, pin)| Some(pin)).ok_or_else(|| Error::Environment {
            variable: "EARTH_PIN".to_owned(),
            expected: "`on` or `off`".to_owned(),
            value: value.to_string_lossy().into_owned(),
        })
    }

    /// The number of cores that the calling thread may use: the CPUs of its affinity mask, or fewer by the CPU quota of its
    /// control group; 1 if neither can be told.
    ///
    /// In a fiber of a machine that [binds](Machine::pin) its threads, and in threads that the fiber starts, it is the number
    /// from before the binding as long as such a machine exists, where [`std::thread::available_parallelism`] says 1.
    pub fn usable_cores() -> usize {
        Usable::here().cores
    }
}

/// What a thread may use.
#[derive(Clone, Debug)]
pub(super) struct Usable {
    /// The CPUs of its affinity mask; none where threads cannot be bound.
    mask: BTreeSet<usize>,
    /// How many cores: at most those of the mask, fewer by a CPU quota.
    pub(super) cores: usize,
}

impl Usable {
    /// What the current thread may use, or could before a machine bound it or the thread that started it.
    pub(super) fn here() -> Self {
        Self::narrowed().unwrap_or_else(|| Usable {
            mask: affinity_mask(),
            cores: thread::available_parallelism().map_or(1, std::num::NonZero::get),
        })
    }

    /// What the current thread could use before, if it has the mask of a thread that a machine has bound.
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

/// The CPUs that this process claims.
struct Register {
    /// The process that claims them: a child that was forked claims none of its parent's.
    process: Option<Process>,
    /// The number of its machines that bind their threads.
    machines: usize,
    claims: BTreeMap<usize, Claim>,
}

struct Claim {
    _name: Name,
    /// Whether a machine that runs holds the CPU.
    held: bool,
    /// What the threads that are bound to the CPU could use before.
    before: Usable,
}

impl Register {
    /// Forgets what was copied from a parent.
    fn of_this_process(&mut self) -> &mut Self {
        let process = Some(Process::current());
        if self.process != process {
            *self = Register { process, machines: 0, claims: BTreeMap::new() };
        }
        self
    }

    /// Holds a CPU for threads that may use `before`, unless another process claims it.
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

/// The CPUs that the threads of one machine may be bound to.
#[derive(Debug)]
pub(super) struct Cpus {
    threads: usize,
    usable: Usable,
    /// All of them, in the order in which they are taken if all are free.
    order: Vec<usize>,
    /// The CPU that each thread is bound to in this run, for the first threads.
    of_threads: Vec<usize>,
}

impl Cpus {
    /// The CPUs for `threads` threads, or none if a quota leaves less than the mask.
    pub(super) fn new(threads: usize, usable: Usable) -> Option<Self> {
        if usable.cores < usable.mask.len() {
            return None;
        }
        let order = topology::order(Path::new(CPUS), &usable.mask, &BTreeSet::new());
        REGISTER.lock()?.of_this_process().machines += 1;
        Some(Cpus { threads, usable, order, of_threads: Vec::new() })
    }

    /// Holds CPUs for a run, as far as they are free. The first thread has the CPU `caller`, if it is one of these.
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
        let Some(mut register) = REGISTER.lock() else { return };
        let register = register.of_this_process();
        for cpu in &self.0.of_threads {
            if let Some(claim) = register.claims.get_mut(cpu) {
                claim.held = false;
            }
        }
    }
}

/// The binding of the current thread to a CPU, which ends when this is dropped: the thread then has the affinity mask
/// that it had before.
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
            // The mask that it had before is one that it may have.
            give_mask(None, before);
        }
    }
}

/// A thread that others bind.
#[derive(Debug)]
pub(super) struct Bound {
    thread: Thread,
    /// What it is bound to.
    cpu: Option<usize>,
}

impl Bound {
    /// The current thread, which is bound to none yet.
    pub(super) fn current() -> Self {
        Bound { thread: this_thread(), cpu: None }
    }

    /// Binds the thread to `cpu`, or, if there is none, to none of those of `cpus` in particular. A thread that cannot be
    /// bound stays as it is.
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

/// What is asked of Linux.
#[cfg(target_os = "linux")]
mod system {
    use std::collections::BTreeSet;
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixDatagram};

    use rustix::thread::{CpuSet, Pid, gettid, sched_getaffinity, sched_getcpu, sched_setaffinity};

    pub(super) type Thread = Pid;

    /// What no two processes have at a time.
    pub(super) type Name = UnixDatagram;

    pub(super) fn this_thread() -> Thread {
        gettid()
    }

    /// The CPUs that the current thread may use.
    pub(super) fn affinity_mask() -> BTreeSet<usize> {
        sched_getaffinity(None)
            .map(|mask| (0..CpuSet::MAX_CPU).filter(|cpu| mask.is_set(*cpu)).collect())
            .unwrap_or_default()
    }

    /// Gives a thread, the current one if none is named, an affinity mask. Returns whether it has it now.
    pub(super) fn give_mask(thread: Option<Thread>, mask: &BTreeSet<usize>) -> bool {
        let mut set = CpuSet::new();
        for cpu in mask {
            set.set(*cpu);
        }
        sched_setaffinity(thread, &set).is_ok()
    }

    /// The CPU that runs the current thread at this moment.
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it cannot be told")]
    pub(in super::super) fn current_cpu() -> Option<usize> {
        Some(sched_getcpu())
    }

    /// The name of a CPU, unless another process has it or none can be had.
    pub(super) fn name(cpu: usize) -> Option<Name> {
        let address = SocketAddr::from_abstract_name(format!("earth-cpu-{cpu}")).ok()?;
        Name::bind_addr(&address).ok()
    }
}

/// Nothing is bound elsewhere.
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
