//! What a machine can be told before it runs. A changed machine is a new one: what was built for the old settings goes.

use std::time::Duration;

use super::cancel::CancelToken;
use super::schedule::Schedule;
use super::settings::Config;
use super::stall::{Stall, StallMonitor};
use super::stepped::{Faults, Simulation, Stepped};
use super::{Kind, Machine, queues};
use crate::probe::recorder::Limits;
use crate::vocabulary::policy::Policy;

impl Machine {
    /// Sets the order in which a simulated machine lets its units act. It has no effect on other machines.
    #[must_use]
    pub fn schedule(self, schedule: Schedule) -> Self {
        self.simulate(|simulation| simulation.schedule = schedule)
    }

    /// Sets what goes wrong on a simulated machine. It has no effect on other machines.
    #[must_use]
    pub fn faults(self, faults: Faults) -> Self {
        self.simulate(|simulation| simulation.faults = faults)
    }

    /// The seed of a simulated machine's random choices, its [schedule's](Machine::schedule) and its
    /// [faults'](Machine::faults); 0 unless told otherwise.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        self.set(|settings| settings.seed = seed)
    }

    /// Whether a simulated machine keeps the order in which its units act in a run, for
    /// [`recording`](Machine::recording). No other machine can be told.
    #[must_use]
    pub fn record(self, record: bool) -> Self {
        self.simulate(|simulation| simulation.record = record)
    }

    /// Ends a run of a simulated machine that takes more than `steps` steps (a fiber, a message, an event of a
    /// synchronization unit; on the stepper a turn of a worker, of up to 32 fibers a unit, or a message that moves) with [`Error::TooManySteps`](crate::Error::TooManySteps), so that no test of a program that
    /// never ends hangs.
    /// No other machine can be told; without a word there is no limit.
    #[must_use]
    pub fn step_limit(self, steps: u64) -> Self {
        self.simulate(|simulation| simulation.most_steps = steps)
    }

    fn simulate(mut self, change: impl FnOnce(&mut Simulation)) -> Self {
        if let Kind::Simulated(simulation, built) = &mut self.kind {
            change(simulation);
            *built = Stepped::default();
        }
        self
    }

    /// Sets the number of nodes, 1 to [`MOST_NODES`](Machine::MOST_NODES).
    #[must_use]
    pub fn nodes(self, nodes: usize) -> Self {
        self.set(|settings| settings.nodes = nodes)
    }

    /// The bytes that its queues and units take on real cores, once they are built: what runs in it is not counted.
    pub fn footprint(&self) -> u64 {
        queues::footprint(&self.settings) as u64
    }

    /// Sets whether a node's two units share a thread (SPN) or have one each (DUAL).
    #[must_use]
    pub fn config(self, config: Config) -> Self {
        self.set(|settings| settings.config = config)
    }

    /// Sets in which order nodes take up what waits for them, in SPN and DUAL alike. Without a word it is the usual
    /// [`Policy`], or what the profile of a simulated machine says.
    #[must_use]
    pub fn policy(self, policy: Policy) -> Self {
        self.set(|settings| settings.policy = Some(policy))
    }

    /// Whether each thread of a machine on real cores is bound to a CPU of its own, the calling thread for the time of a run;
    /// `false` unless told otherwise. `true` is an error if there are fewer cores than units.
    ///
    /// A bound thread is not moved by the system, and shares its CPU only with threads that nobody bound. But all threads,
    /// processes and thread pools that a fiber starts have its thread's mask of one CPU for good. So bind only where fibers start none.
    ///
    /// CPUs are those of the affinity mask that the calling thread has when the machine is built, by its first run.
    /// Threads go to CPUs that share a cache before others, and to one hardware thread of each core before the second
    /// ones. A machine holds its CPUs while it runs. Machines that run in turn have the same CPUs, and machines that run at once
    /// have different ones, in other processes too: a process claims its CPUs until its last machine that binds is dropped. Threads that find no free CPU run
    /// unbound. Under a CPU quota that leaves less than the mask no thread is bound, since its CPUs belong to other containers as
    /// well. Containers without a quota do not see each other's claims, unless they share a network namespace: give each a set
    /// of CPUs. Threads are bound on Linux alone.
    ///
    /// The environment variable `EARTH_PIN` decides for all machines of a process: with `off` none is bound, with `on` a machine of several
    /// threads is bound unless it was told `pin(false)`. Another value is an [error](crate::Error::Environment) of every run
    /// on real cores.
    #[must_use]
    pub fn pin(self, pin: bool) -> Self {
        self.set(|settings| settings.pin = Some(pin))
    }

    /// Whether the calling thread is bound where the others [are](Machine::pin); `true` unless told otherwise. `false` leaves its affinity mask
    /// alone, as a library does that is called by other people's threads. A CPU is held for it all the same, the one that it
    /// is on when the run begins if that is free, so that no other thread of the machine is bound there.
    #[must_use]
    pub fn pin_caller(self, pin_caller: bool) -> Self {
        self.set(|settings| settings.pin_caller = pin_caller)
    }

    /// Passes every event between nodes through its bytes, as a machine without shared memory would: stolen tokens, too, and
    /// calls that come from [outside](crate::input) for another node than node 0.
    #[must_use]
    pub fn through_bytes(self, through_bytes: bool) -> Self {
        self.set(|settings| settings.through_bytes = through_bytes)
    }

    /// How many values may be parked at full inlets of one node; 1,048,576 unless told otherwise.
    #[must_use]
    pub fn parking_limit(self, limit: usize) -> Self {
        self.set(|settings| settings.parking_limit = limit)
    }

    /// The capacity of each queue between units: a power of two, at most 1,048,576. Unless told otherwise it is 1024 up to 64 nodes, and
    /// less the more nodes there are, 64 with 1024 (64 on the simulated machine, 4 on the stepper). The rings between the
    /// two units of a DUAL node on threads have a quarter as many cells, at least one, with room for 1 to 7 messages
    /// each. What finds a queue full is held back by its sender, with all later events for the same node behind it.
    #[must_use]
    pub fn queue_capacity(self, capacity: usize) -> Self {
        self.set(|settings| settings.queue = Some(capacity))
    }

    /// Whether each run gives [`records`](crate::Run::records) of what ran when and why, of which the crate `earth-trace`
    /// makes a trace; `false` unless told otherwise. One that fails [leaves](Machine::failed_records) them.
    ///
    /// Off, it costs nothing. On, a fiber with one signal on its own node takes some 12 ns more, an event between
    /// units, a function that is invoked or a token that another node takes an allocation more, and a node writes
    /// down 40 bytes a fiber, 16 more if the length of a queue has changed, and 16 a signal (32 if it came from another
    /// node), at most 230 MB, the longest of runs (see [`trace_limit`](Machine::trace_limit)). On real cores the first
    /// such machine of a process takes up to 0.2 s to compare clocks. Virtual time does not change.
    #[must_use]
    pub fn trace(self, trace: bool) -> Self {
        self.set(|settings| settings.trace = if trace { Some(Limits::default()) } else { None })
    }

    /// Switches [tracing](Machine::trace) on, with at most so many fibers a node: 1,048,576 unless told otherwise.
    /// For each of them up to four signals are kept and one service of the synchronization unit. The rest is
    /// [counted](crate::records::NodeRecords::dropped).
    #[must_use]
    pub fn trace_limit(self, fibers: usize) -> Self {
        self.set(|settings| settings.trace = Some(Limits::fibers(fibers)))
    }

    /// Ends every run with [`Error::Cancelled`](crate::Error::Cancelled) once `token` is cancelled.
    #[must_use]
    pub fn cancel_token(self, token: CancelToken) -> Self {
        self.set(|settings| settings.cancel = Some(token))
    }

    /// Sets the stack of each thread in which fibers run, in bytes: from 131,072 to `isize::MAX`.
    ///
    /// Without a word node 0 has the stack of the thread that calls [`run`](Machine::run), and every other node 8 MiB, or
    /// as many bytes as the environment's `RUST_MIN_STACK` says, if these are more. With a size all nodes have it, on
    /// machines of every kind: each run takes one thread more, in which node 0 runs, and the calling thread waits for
    /// it. To start that thread takes some 30 µs a run. Only the pages of a stack that are used take memory.
    ///
    /// ```
    /// # use earth::{Eu, Machine, Reply, threaded};
    /// struct Deep;
    ///
    /// #[threaded]
    /// impl Deep {
    ///     fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
    ///         eu.put(out, depth(100_000));
    ///     }
    /// }
    ///
    /// fn depth(left: u64) -> u64 {
    ///     if left == 0 { 0 } else { 1 + std::hint::black_box(depth(left - 1)) }
    /// }
    ///
    /// let mut machine = Machine::threads(2).stack_size(64 << 20);
    /// assert_eq!(machine.run(Deep::call)?.value, 100_000);
    /// # Ok::<(), earth::Error>(())
    /// ```
    #[must_use]
    pub fn stack_size(self, bytes: usize) -> Self {
        self.set(|settings| settings.stack_size = Some(bytes))
    }

    /// Has every run watched by a thread that calls `report`, once for each fiber that has been running for the time
    /// `after` and has not returned. A run that does not end names the reason in this way. `report` may
    /// [cancel](CancelToken) the run, which then ends as soon as the fiber returns.
    ///
    /// Without a monitor it costs nothing. With one, the fibers of real cores run by the code that traces them, without
    /// the writing, and a fiber is published by two stores. The thread lives as long as the run, looks four times in the
    /// time `after`, but not more often than once a millisecond, and sleeps in between. `run` returns when a report that
    /// is on has returned. A report that panics changes nothing in the run.
    ///
    /// ```
    /// # use std::sync::atomic::{AtomicBool, Ordering};
    /// # use std::time::Duration;
    /// # use earth::{Eu, Machine, Reply, Stall, threaded};
    /// static GO_ON: AtomicBool = AtomicBool::new(false);
    ///
    /// struct Hangs;
    ///
    /// #[threaded]
    /// impl Hangs {
    ///     fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
    ///         while !GO_ON.load(Ordering::Relaxed) { std::thread::yield_now(); }
    ///         eu.put(out, 42);
    ///     }
    /// }
    ///
    /// let mut machine = Machine::threads(2).stall_monitor(Duration::from_millis(50), |stall: &Stall| {
    ///     // fiber `start` of Hangs on node 0 has been running for 50 ms and has not returned
    ///     eprintln!("{stall}");
    ///     assert_eq!((stall.at.function.as_str(), stall.at.fiber.as_str()), ("Hangs", "start"));
    ///     GO_ON.store(true, Ordering::Relaxed);
    /// });
    /// assert_eq!(machine.run(Hangs::call)?.value, 42);
    /// # Ok::<(), earth::Error>(())
    /// ```
    #[must_use]
    pub fn stall_monitor(self, after: Duration, report: impl Fn(&Stall) + Send + Sync + 'static) -> Self {
        self.set(|settings| settings.stall_monitor = Some(StallMonitor::new(after, report)))
    }
}
