//! Options that are set before a machine runs. Changing one drops everything that was built for the old
//! settings.

use std::sync::Arc;
use std::time::Duration;

use super::cancel::CancelToken;
use super::schedule::Schedule;
use super::settings::Config;
use super::stall::{Stall, StallMonitor};
use super::stepped::{Faults, Simulation, Stepped};
use super::{Kind, Machine, queues};
use crate::node::su::Packing;
use crate::probe::costs::fiber_times::FiberTimes;
use crate::probe::recorder::RecordLimit;
use crate::vocabulary::policy::Policy;

impl Machine {
    /// Sets the order in which a simulated machine lets its units act. Other machines ignore it.
    #[must_use]
    pub fn schedule(self, schedule: Schedule) -> Self {
        self.simulate(|simulation| simulation.schedule = schedule)
    }

    /// Sets the faults of a simulated machine. Other machines ignore them.
    #[must_use]
    pub fn faults(self, faults: Faults) -> Self {
        self.simulate(|simulation| simulation.faults = faults)
    }

    /// Sets the seed of a simulated machine's random choices for its [schedule](Machine::schedule) and its
    /// [faults](Machine::faults). Default: 0.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        self.set(|settings| settings.seed = seed)
    }

    /// Sets whether the machine records the order in which its units act, for
    /// [`recording`](Machine::recording).
    ///
    /// On real cores a unit writes 8 bytes for each fiber and each message, and the machine builds new
    /// units for each run. All ranks of a machine set it, and have one node each. A recorded run has no
    /// [input](crate::input), and its machine has no [fiber policy](crate::policy::Policies::fibers) of the
    /// program's own.
    #[must_use]
    pub fn record(self, record: bool) -> Self {
        self.set(|settings| settings.order = record).simulate(|simulation| simulation.record = record)
    }

    /// Sets measured times of fibers. A simulated machine charges for them, and not for the
    /// [work](crate::Eu::work) that fibers report. Other machines, and steppers, ignore them.
    #[must_use]
    pub fn fiber_times(self, times: &FiberTimes) -> Self {
        let times = Arc::new(times.clone());
        self.simulate(|simulation| simulation.fiber_times = Some(times))
    }

    /// Ends a run of a simulated machine with [`Error::TooManySteps`](crate::Error::TooManySteps) after more
    /// than `steps` steps. So a test of a program that never ends does not hang. Default: no limit. Other
    /// machines ignore it.
    ///
    /// In virtual time a step is a fiber, a message or an event of a synchronization unit. On the stepper a
    /// step is a worker's turn, of up to 32 fibers a unit, or the move of a message.
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

    /// Sets the number of nodes, 1 to [`MOST_NODES`](Machine::MOST_NODES). On a machine of
    /// [ranks](Machine::ranks) it is the number of nodes of each rank, and all ranks set the same number.
    #[must_use]
    pub fn nodes(self, nodes: usize) -> Self {
        self.set(|settings| settings.nodes = nodes)
    }

    /// Returns the size of the queues and units on real cores, in bytes. The program's own memory is not
    /// counted.
    pub fn footprint(&self) -> u64 {
        queues::footprint(&self.settings) as u64
    }

    /// Sets whether a node's two units share a thread (SPN) or have one each (DUAL).
    #[must_use]
    pub fn config(self, config: Config) -> Self {
        self.set(|settings| settings.config = config)
    }

    /// Sets the order in which nodes take up waiting work, in SPN and in DUAL. Default: [`Policy`]'s default,
    /// or on a simulated machine its profile's policy.
    #[must_use]
    pub fn policy(self, policy: Policy) -> Self {
        self.set(|settings| settings.policy = Some(policy))
    }

    /// Sets whether a machine on real cores binds each of its threads to a CPU of its own. The calling thread
    /// is bound during a run only. Default: `false`. With `true`, a run fails if there are fewer cores than
    /// units.
    ///
    /// The system does not move a bound thread, which shares its CPU only with unbound threads. But every
    /// thread, process and thread pool that a fiber starts keeps its thread's affinity mask of one CPU. So
    /// bind only if fibers start none.
    ///
    /// A machine takes its CPUs as follows:
    ///
    /// * The CPUs come from the affinity mask of the thread that makes the first run, at that time.
    /// * CPUs that share a cache come first. One hardware thread of each core comes before the second ones.
    /// * A machine holds its CPUs while it runs. Machines that run in turn take the same CPUs.
    /// * Machines that run at the same time take different CPUs, in other processes too. A process claims its
    ///   CPUs until its last machine that binds is dropped.
    /// * Threads that find no free CPU run unbound.
    /// * If a CPU quota is below the number of CPUs in the mask, no thread is bound: other containers use
    ///   these CPUs too.
    /// * Containers without a quota do not see each other's claims, unless they share a network namespace.
    ///   Give each of them a CPU set.
    /// * Threads are bound on Linux only.
    ///
    /// The environment variable `EARTH_PIN` applies to all machines of a process. With `off`, no thread is
    /// bound. With `on`, a machine of several threads is bound unless it has `pin(false)`. Any other value
    /// makes every run on real cores fail with an [error](crate::Error::Environment).
    #[must_use]
    pub fn pin(self, pin: bool) -> Self {
        self.set(|settings| settings.pin = Some(pin))
    }

    /// Sets whether the calling thread is bound too when the machine [binds](Machine::pin) its threads.
    /// Default: `true`. Libraries that run in other people's threads set `false`, which leaves the calling
    /// thread's affinity mask unchanged. The machine still holds a CPU for it, so no other thread of the
    /// machine is bound there. If possible, it holds the calling thread's current CPU at the beginning of the
    /// run.
    #[must_use]
    pub fn pin_caller(self, pin_caller: bool) -> Self {
        self.set(|settings| settings.pin_caller = pin_caller)
    }

    /// Encodes every event between nodes as bytes, as a machine without shared memory would. This includes
    /// stolen tokens, and calls from [outside](crate::input) for nodes other than node 0.
    #[must_use]
    pub fn through_bytes(self, through_bytes: bool) -> Self {
        let packing = if through_bytes { Packing::Bytes } else { Packing::Moved };
        self.set(|settings| settings.packing = packing)
    }

    /// Sets how many values may be parked at full inlets of one node. Default: 1,048,576.
    #[must_use]
    pub fn parking_limit(self, limit: usize) -> Self {
        self.set(|settings| settings.parking_limit = limit)
    }

    /// Sets the capacity of each queue between units: a power of two, at most 1,048,576. If a queue is full,
    /// the sender holds the event back, with all its later events for the same node behind it.
    ///
    /// | machine | default capacity |
    /// |---|---|
    /// | real cores or ranks, up to 64 nodes | 1024 |
    /// | real cores or ranks, more nodes | 65,536 divided by the number of nodes rounded up to a power of two |
    /// | simulated machine | 64 |
    /// | stepper | 4 |
    ///
    /// The rings between the two units of a DUAL node on threads have a quarter of that number of cells, at
    /// least one. Each cell has room for 1 to 7 messages.
    #[must_use]
    pub fn queue_capacity(self, capacity: usize) -> Self {
        self.set(|settings| settings.queue = Some(capacity))
    }

    /// Sets whether each run returns [`records`](crate::Run::records): what ran, when and why. The crate
    /// `earth-trace` turns them into a trace. Default: `false`. A failed run
    /// [leaves](Machine::failed_records) its records too.
    ///
    /// Without tracing there is no cost. Virtual time never changes. Tracing costs:
    ///
    /// * A fiber with one signal on its own node takes about 12 ns more.
    /// * An event between units, an invoked function and a stolen token take one allocation more each.
    /// * A node writes 40 bytes a fiber, and 16 more if the length of a queue has changed. It writes 16 bytes
    ///   a signal, or 32 if the signal came from another node. The maximum is 230 MB a node (see
    ///   [`trace_limit`](Machine::trace_limit)).
    /// * On real cores, the first such machine of a process takes up to 0.2 s to compare clocks.
    #[must_use]
    pub fn trace(self, trace: bool) -> Self {
        self.set(|settings| settings.trace = if trace { Some(RecordLimit::default()) } else { None })
    }

    /// Switches [tracing](Machine::trace) on, for at most `fibers` fibers a node. Default: 1,048,576. Each of
    /// them keeps up to four signals and one service of the synchronization unit. The machine
    /// [counts](crate::records::NodeRecords::dropped) the records that it drops.
    #[must_use]
    pub fn trace_limit(self, fibers: usize) -> Self {
        self.set(|settings| settings.trace = Some(RecordLimit::fibers(fibers)))
    }

    /// Ends a run of a machine of [ranks](crate::ranks) with [`Error::LostRank`](crate::Error::LostRank) once
    /// a rank was silent for the time `limit`. All ranks set the same limit. Default: no limit. Other
    /// machines ignore it.
    ///
    /// Each rank sends the others a message four times in the limit. It sends none inside a fiber, so the
    /// limit must exceed the longest fiber. It is for ranks that hang or are stopped: a link reports a
    /// process that has ended by itself.
    #[must_use]
    pub fn heartbeat(self, limit: Duration) -> Self {
        self.set(|settings| settings.heartbeat = Some(limit))
    }

    /// Ends every run with [`Error::Cancelled`](crate::Error::Cancelled) once `token` is cancelled.
    #[must_use]
    pub fn cancel_token(self, token: CancelToken) -> Self {
        self.set(|settings| settings.cancel = Some(token))
    }

    /// Sets the stack size of each thread that runs fibers, in bytes: from 131,072 to `isize::MAX`.
    ///
    /// By default node 0 has the stack of the thread that calls [`run`](Machine::run). Every other node has 8
    /// MiB, or `RUST_MIN_STACK` bytes if that environment variable is larger. If a size is set, all nodes of
    /// every kind of machine have it. Node 0 then runs in an additional thread, and the calling thread waits.
    /// Starting that thread takes about 30 µs a run. Only the used pages of a stack take memory.
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

    /// Has a thread watch every run. The thread calls `report` once for each fiber that has been running for
    /// the time `after` and has not returned. So a run that does not end reports the reason. `report` may
    /// [cancel](CancelToken) the run, which then ends as soon as the fiber returns.
    ///
    /// Without this call, the environment variable `EARTH_WATCH` switches a monitor on. Its value is a time:
    /// `500ms`, `2s` or `1m`. A machine of threads or ranks then prints a report if a run makes no progress
    /// for that time. The report names the fibers, an open [input](crate::input), and the state of each node.
    /// Any other value makes every run on these machines fail with an [error](crate::Error::Environment).
    ///
    /// Without a monitor there is no cost. With one, fibers on real cores run by the tracing code, which then
    /// writes no records, and publishing a fiber takes three stores. The thread lives for one run. It looks
    /// four times in the time `after`, but at most once a millisecond, and sleeps in between. `run` waits for
    /// a report in progress. A report that panics does not affect the run.
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
