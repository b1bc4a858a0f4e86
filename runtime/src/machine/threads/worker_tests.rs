//! Workers sleep during a run, whatever blocks them. A fiber waits until the given number of workers sleep.
//! No test measures time; a fiber gives up after many looks.

use std::sync::Arc;
use std::thread::{ThreadId, current};

use earth_signal::{Active, Sleepers};
use parking_lot::Mutex;

use super::super::WorkerPool;
use crate::machine::core_binding::Usable;
use crate::machine::{Config, Kind, Machine};
use crate::{Eu, NodeId, Policy, Reply, Shared, SlotRef, Start, Then, threaded};

/// Number of looks of a fiber for sleeping workers: many times what the workers need.
pub(super) const LOOKS: u32 = 200_000;

/// Returns a machine of `workers` workers, as if each thread of this process had a core, and its sleepers.
pub(super) fn machine(machine: Machine, workers: usize) -> (Machine, Shared<Sleepers>) {
    let machine = machine_on(usize::MAX, machine, workers);
    let Kind::Threads(Some(pool)) = &machine.kind else { unreachable!("it runs on threads") };
    let sleepers = Arc::clone(&pool.shared.sleepers);
    (machine, Shared::from(sleepers))
}

/// Returns a machine of `workers` workers, as if there were `cores` cores.
fn machine_on(cores: usize, machine: Machine, workers: usize) -> Machine {
    let mut machine = machine.pin(false);
    let mut usable = Usable::here();
    usable.cores = cores;
    let pool = WorkerPool::of_workers(workers, &machine.settings, usable, None).expect("it can be built");
    machine.kind = Kind::Threads(Some(Box::new(pool)));
    machine
}

/// Returns whether at least `workers` workers go to sleep before a fiber gives up waiting.
fn sleep(sleepers: &Sleepers, workers: usize) -> bool {
    found(|| sleepers.announced() >= workers)
}

/// Returns whether `look` returns true before a fiber gives up.
fn found(look: impl Fn() -> bool) -> bool {
    (0..LOOKS).any(|_| {
        std::thread::yield_now();
        look()
    })
}

/// Function that waits in its only fiber until `workers` workers sleep.
struct Waits;

#[threaded]
impl Waits {
    fn start(sleepers: Shared<Sleepers>, workers: usize, out: Reply<bool>, eu: &mut Eu<Self>) {
        eu.put(out, sleep(&sleepers, workers));
    }
}

/// Makes tokens that wait until workers sleep, and waits itself. Returns how many of them saw the workers
/// asleep.
struct Makes {
    out: Reply<usize>,
    missing: usize,
    saw: usize,
}

#[threaded]
impl Makes {
    fn start(
        sleepers: Shared<Sleepers>,
        workers: usize,
        tokens: usize,
        out: Reply<usize>,
        eu: &mut Eu<Self>,
    ) -> Start<Self> {
        for _ in 0..tokens {
            eu.token(Waits::call(sleepers.clone(), workers, eu.reply(Self::hear().saw)));
        }
        let saw = usize::from(sleep(&sleepers, workers));
        Start::Wait(Makes { out, missing: tokens, saw })
    }

    #[slot(again)]
    fn hear(&mut self, saw: bool, eu: &mut Eu<Self>) -> Then {
        self.saw += usize::from(saw);
        self.missing -= 1;
        if self.missing > 0 {
            return Then::Wait;
        }
        eu.put(self.out, self.saw);
        Then::End
    }
}

/// Has another node send more signals than fit into this node's inbox while its only fiber runs.
struct Flooded {
    out: Reply<bool>,
    slept: bool,
}

struct Floods;

#[threaded]
impl Floods {
    fn start(signals: usize, to: SlotRef, eu: &mut Eu<Self>) {
        for _ in 0..signals {
            eu.rsync(to);
        }
    }
}

#[threaded]
impl Flooded {
    fn start(sleepers: Shared<Sleepers>, signals: usize, out: Reply<bool>, eu: &mut Eu<Self>) -> Start<Self> {
        let all = eu.slot_ref(Self::all());
        eu.invoke(NodeId::new(1), Floods::call(signals, all));
        let slept = sleep(&sleepers, 1);
        Start::Wait(Flooded { out, slept })
    }

    #[slot(syncs = signals)]
    fn all(self, eu: &mut Eu<Self>) {
        eu.put(self.out, self.slept);
    }
}

#[test]
fn a_worker_without_work_sleeps_however_often_it_looks() {
    for (config, spin) in
        [Config::Spn, Config::Dual].into_iter().flat_map(|config| [(config, 0), (config, 4_000)])
    {
        let policy = Policy { spin, ..Policy::default() };
        let (mut machine, sleepers) = machine(Machine::threads(4).config(config).policy(policy), 4);
        // The fiber's own worker is awake. All other workers are idle, in DUAL too.
        let run = machine.run(|out| Waits::call(sleepers, 3, out)).expect("it runs");
        assert!(run.value, "{config}, {spin} looks");
    }
}

#[test]
fn all_workers_sleep_while_an_open_input_is_idle() {
    for config in [Config::Spn, Config::Dual] {
        let (machine, sleepers) = machine(Machine::threads(4).config(config), 4);
        let waits = sleepers.clone();
        let input = machine.open(move |out| Waits::call(waits, 0, out));
        let slept = sleep(&sleepers, 4);
        let (_, run) = input.close().wait();
        run.expect("it runs");
        assert!(slept, "{config}");
    }
}

#[test]
fn a_synchronization_unit_sleeps_while_its_execution_unit_runs_one_fiber() {
    for spin in [0, 4_000] {
        let policy = Policy { spin, ..Policy::default() };
        let (mut machine, sleepers) = machine(Machine::threads(1).config(Config::Dual).policy(policy), 2);
        let run = machine.run(|out| Waits::call(sleepers, 1, out)).expect("it runs");
        assert!(run.value, "{spin} looks");
    }
}

#[test]
fn a_synchronization_unit_sleeps_while_its_tokens_wait_for_a_fiber() {
    // The execution unit gets two tokens at a time; the others wait.
    let (mut machine, sleepers) = machine(Machine::threads(1).config(Config::Dual), 2);
    let run = machine.run(|out| Makes::call(sleepers, 1, 10, out)).expect("it runs");
    // The last tokens wait until the other worker sleeps too, which it does because no work is left.
    assert_eq!(run.value, 11);
}

/// Offers tokens, and waits until one of them runs on node 1 and both synchronization units sleep. Returns
/// whether they did.
struct Offers {
    out: Reply<bool>,
    slept: bool,
}

/// On node 1: reports that it runs, and runs until it may end.
struct StolenToken;

/// Whether a token runs on node 1, and whether it may end.
static RUNS: Mutex<(bool, bool)> = Mutex::new((false, false));

#[threaded]
impl StolenToken {
    fn start(done: SlotRef, eu: &mut Eu<Self>) {
        if eu.node().index() == 1 {
            RUNS.lock().0 = true;
            found(|| RUNS.lock().1);
        }
        eu.rsync(done);
    }
}

#[threaded]
impl Offers {
    fn start(sleepers: Shared<Sleepers>, tokens: usize, out: Reply<bool>, eu: &mut Eu<Self>) -> Start<Self> {
        (0..tokens).for_each(|_| eu.token(StolenToken::call(eu.slot_ref(Self::done()))));
        let slept = found(|| RUNS.lock().0) && sleep(&sleepers, 2);
        RUNS.lock().1 = true;
        Start::Wait(Offers { out, slept })
    }

    #[slot(syncs = tokens)]
    fn done(self, eu: &mut Eu<Self>) {
        eu.put(self.out, self.slept);
    }
}

#[test]
fn a_thief_sleeps_while_its_execution_unit_is_busy_and_others_share() {
    let policy = Policy { spin: 50, ..Policy::default() };
    let (mut machine, sleepers) = machine(Machine::threads(2).config(Config::Dual).policy(policy), 4);
    // Node 0 shares more tokens than node 1 takes: node 1 takes one token to run and one to run next.
    let run = machine.run(|out| Offers::call(sleepers, 20, out)).expect("it runs");
    assert!(run.value);
}

/// Whether a token of [`Long`] has run on another node.
static ELSEWHERE: Mutex<bool> = Mutex::new(false);

/// Makes a hundred tokens, and runs until another node has run one of them. Returns whether one has.
struct Long;

#[threaded]
impl Long {
    fn start(out: Reply<bool>, eu: &mut Eu<Self>) {
        (0..100).for_each(|_| eu.token(Runs::call()));
        eu.put(out, found(|| *ELSEWHERE.lock()));
    }
}

struct Runs;

#[threaded]
impl Runs {
    fn start(eu: &mut Eu<Self>) {
        *ELSEWHERE.lock() |= eu.node().index() > 0;
    }
}

#[test]
fn tokens_are_taken_while_their_maker_runs() {
    for (config, workers) in [(Config::Spn, 2), (Config::Dual, 4), (Config::Dual, 2)] {
        for trace in [false, true] {
            *ELSEWHERE.lock() = false;
            let (mut machine, _) = machine(Machine::threads(2).config(config).trace(trace), workers);
            let run = machine.run(Long::call).expect("it runs");
            assert!(run.value, "{config}, {workers} workers, trace({trace})");
        }
    }
}

#[test]
fn a_worker_sleeps_while_all_that_it_has_is_held_back() {
    for config in [Config::Spn, Config::Dual] {
        let (mut machine, sleepers) = machine(Machine::threads(2).config(config).queue_capacity(1), 2);
        // In DUAL one worker steps both units of a node.
        let run = machine.run(|out| Flooded::call(sleepers, 10, out)).expect("it runs");
        assert!(run.value, "{config}");
    }
}

/// Sends signals from every node to every node, through queues of one cell, and counts the arrivals.
struct Crowd {
    out: Reply<usize>,
    all: usize,
}

struct Member;

#[threaded]
impl Member {
    fn start(signals: usize, events_heard: SlotRef, eu: &mut Eu<Self>) {
        for node in 0..eu.nodes() {
            (0..signals).for_each(|_| eu.invoke(NodeId::new(node), Nudge::call(events_heard)));
        }
    }
}

struct Nudge;

#[threaded]
impl Nudge {
    fn start(events_heard: SlotRef, eu: &mut Eu<Self>) {
        eu.rsync(events_heard);
    }
}

#[threaded]
impl Crowd {
    fn start(signals: usize, nodes: usize, out: Reply<usize>, eu: &mut Eu<Self>) -> Start<Self> {
        let events_heard = eu.slot_ref(Self::events_heard());
        for node in 0..eu.nodes() {
            eu.invoke(NodeId::new(node), Member::call(signals, events_heard));
        }
        Start::Wait(Crowd { out, all: signals * nodes * nodes })
    }

    #[slot(syncs = signals * nodes * nodes)]
    fn events_heard(self, eu: &mut Eu<Self>) {
        eu.put(self.out, self.all);
    }
}

/// Workers that sleep at the first fruitless look, holding or idle, are woken whenever they can continue. A
/// missing wake-up shows as a run that does not end.
#[test]
fn workers_that_sleep_at_once_are_woken() {
    let policy = Policy { spin: 0, ..Policy::default() };
    for (config, workers) in [(Config::Spn, 2), (Config::Spn, 5), (Config::Dual, 2), (Config::Dual, 7)] {
        let nodes = Machine::threads(5).config(config).policy(policy).queue_capacity(1);
        let (mut machine, _) = machine(nodes, workers);
        for signals in 1..=40 {
            let run = machine.run(|out| Crowd::call(signals, 5, out)).expect("it runs");
            assert_eq!(run.value, 25 * signals);
        }
    }
}

#[test]
fn a_thread_of_many_units_looks_at_all_of_them_less_often() {
    let looks = [1, 2, 3, 512, 1024].map(|units| super::looks(1000, units));
    assert_eq!(looks, [1000, 500, 334, 2, 1]);
    assert_eq!(super::looks(0, 3), 0);
}

/// Function that answers at once.
struct Answers;

#[threaded]
impl Answers {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, 42);
    }
}

/// Naive Fibonacci function with two tokens a call, down to `n` below 2.
struct Fib {
    out: Reply<u64>,
}

#[threaded]
impl Fib {
    fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        if n < 2 {
            eu.put(out, n);
            return Start::End;
        }
        eu.token(Fib::call(n - 1, eu.reply(Self::add().left)));
        eu.token(Fib::call(n - 2, eu.reply(Self::add().right)));
        Start::Wait(Fib { out })
    }

    #[slot]
    fn add(self, left: u64, right: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, left + right);
    }
}

/// Stands for threads that work for other machines.
type Busy = Shared<Mutex<Vec<Active>>>;

/// Asks all nodes except node 0 for their thread, until one of them runs in another thread than node 0, at
/// most `times` times. Returns whether one did. First the threads of `busy` end their work.
struct Asks {
    out: Reply<bool>,
    asked: usize,
    left: u32,
    was_elsewhere: bool,
}

struct IsIn;

#[threaded]
impl IsIn {
    fn start(thread: Shared<ThreadId>, out: Reply<bool>, eu: &mut Eu<Self>) {
        eu.put(out, current().id() == *thread);
    }
}

impl Asks {
    fn ask(&mut self, eu: &mut Eu<Self>) {
        let here = Shared::new(current().id());
        for node in 1..eu.nodes() {
            eu.invoke(NodeId::new(node), IsIn::call(here.clone(), eu.reply(Self::hear().is_here)));
            self.asked += 1;
        }
    }
}

#[threaded]
impl Asks {
    fn start(busy: Busy, times: u32, out: Reply<bool>, eu: &mut Eu<Self>) -> Start<Self> {
        busy.lock().clear();
        let mut asks = Asks { out, asked: 0, left: times, was_elsewhere: false };
        asks.ask(eu);
        Start::Wait(asks)
    }

    #[slot(again)]
    fn hear(&mut self, is_here: bool, eu: &mut Eu<Self>) -> Then {
        self.asked -= 1;
        self.was_elsewhere |= !is_here;
        if self.asked > 0 {
            return Then::Wait;
        }
        self.left -= 1;
        if self.left > 0 && !self.was_elsewhere {
            std::thread::yield_now();
            self.ask(eu);
            return Then::Wait;
        }
        eu.put(self.out, self.was_elsewhere);
        Then::End
    }
}

/// Both configurations, with some numbers of workers.
const WORKERS: [(Config, usize); 4] =
    [(Config::Spn, 2), (Config::Spn, 3), (Config::Dual, 2), (Config::Dual, 5)];

#[test]
fn a_run_that_finds_no_free_core_stays_in_the_calling_thread() {
    for (config, workers) in WORKERS {
        let mut machine = machine_on(2, Machine::threads(3).config(config), workers);
        let _busy = Active::new();
        for _ in 0..3 {
            let none = Busy::new(Mutex::new(Vec::new()));
            let run = machine.run(|out| Asks::call(none, 20, out)).expect("it runs");
            assert!(!run.value, "{config}, {workers} workers");
            assert_eq!(run.counters.fibers, 1 + 2 * 2 * 20);
            let (spent, idle) =
                (run.counters.eu_busy + run.counters.su_busy, run.counters.eu_idle + run.counters.su_idle);
            // Only the calling thread is busy.
            assert!(spent <= 3 * idle, "{workers} workers: {spent:?}, {idle:?}");
        }
        // A run that panics, and a run after it.
        assert!(machine.run(|out: Reply<u64>| Panics::call(out)).is_err());
        assert_eq!(machine.run(|out| Fib::call(12, out)).map(|run| run.value), Ok(144));
    }
}

struct Panics;

#[threaded]
impl Panics {
    fn start(_out: Reply<u64>, _eu: &mut Eu<Self>) {
        panic!("as it should");
    }
}

#[test]
fn a_run_gives_its_workers_their_units_when_cores_become_free() {
    const CORES: usize = 10_000;
    for (config, workers) in WORKERS {
        let mut machine = machine_on(CORES, Machine::threads(3).config(config), workers);
        for _ in 0..3 {
            let busy = Busy::new(Mutex::new((0..CORES).map(|_| Active::new()).collect()));
            let run = machine.run(|out| Asks::call(busy, LOOKS, out)).expect("it runs");
            assert!(run.value, "{config}, {workers} workers");
        }
    }
}

#[test]
fn threads_outside_find_the_workers_awake_though_there_is_no_free_core() {
    for (config, workers) in WORKERS {
        let machine = machine_on(1, Machine::threads(3).config(config), workers);
        let input = machine.open(Answers::call);
        for node in [1, 2, 0] {
            let (tell, told) = std::sync::mpsc::sync_channel(1);
            input.invoke(NodeId::new(node), Tells::call(Shared::new(tell))).expect("there is such a node");
            assert_eq!(told.recv(), Ok(node));
        }
        assert_eq!(input.close().wait().1.map(|run| run.value), Ok(42));
    }
}

/// Reports its node.
struct Tells;

#[threaded]
impl Tells {
    fn start(tell: Shared<std::sync::mpsc::SyncSender<usize>>, eu: &mut Eu<Self>) {
        let _ = tell.try_send(eu.node().index());
    }
}
