//! Programs that have the same outcome in all schedules.

use earth::{Block, CancelToken, Config, Error, Eu, NodeId, Reply, Run, SlotRef, Start, threaded};
use shuttle::thread;

use crate::cases::{Case, explore, explore_of, repeat};
use crate::fib::Fib;
use crate::istructure::Sum;
use crate::ring::Ring;

/// Runs tokens, which nodes steal.
pub(crate) fn fib(case: Case) {
    let run = case.machine().run(|out| Fib::call(5, out));
    assert_eq!(run.map(|run| run.value), Ok(5));
}

#[test]
fn tokens_run_once() {
    explore(fib);
}

/// Passes addresses through cells, and a ball around the nodes.
pub(crate) fn ring(case: Case) {
    let nodes = case.nodes as u64;
    let run = case.machine().run(|out| Ring::call(case.nodes, 2, out)).expect("it runs");
    assert_eq!((run.value, run.counters.fibers), ((0..nodes).sum::<u64>() * 2, 4 * nodes + 3));
}

#[test]
fn nodes_send_in_a_chain() {
    explore(ring);
}

/// Requests values before they are written.
pub(crate) fn reads(case: Case) {
    let run = case.machine().run(|out| Sum::call(5, out));
    assert_eq!(run.map(|run| run.value), Ok(1 + 9 + 34 + 75 + 151));
}

#[test]
fn reads_wait_for_writes() {
    explore(reads);
}

/// Sends the parts of a block around the nodes, and joins them.
struct Joins {
    out: Reply<u64>,
}

#[threaded]
impl Joins {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let (upper, lower) = Block::from_fn(4, 2, |i, j| (2 * i + j) as u64).split_rows(1);
        let last = NodeId::new(eu.nodes() - 1);
        eu.invoke(last, Doubles::call(lower, eu.reply(Self::join().lower)));
        eu.token(Doubles::call(upper, eu.reply(Self::join().upper)));
        Joins { out }
    }

    #[slot]
    fn join(self, upper: Block<u64>, lower: Block<u64>, eu: &mut Eu<Self>) {
        let whole = upper.join_rows(lower).expect("they are of one block");
        eu.put(self.out, whole.iter_rows().flatten().zip(1..).map(|(value, weight)| value * weight).sum());
    }
}

struct Doubles;

#[threaded]
impl Doubles {
    fn start(mut part: Block<u64>, out: Reply<Block<u64>>, eu: &mut Eu<Self>) {
        part.iter_rows_mut().flatten().for_each(|value| *value *= 2);
        eu.put(out, part);
    }
}

pub(crate) fn blocks(case: Case) {
    let run = case.machine().run(Joins::call);
    assert_eq!(run.map(|run| run.value), Ok((0..8).map(|value| 2 * value * (value + 1)).sum()));
}

#[test]
fn blocks_move() {
    explore(blocks);
}

/// Makes a token each time that it enables itself, and puts the number of tokens when all have run.
struct Makes {
    rounds: u32,
    out: Reply<u32>,
}

const TOKENS: u32 = 6;

#[threaded]
impl Makes {
    fn start(out: Reply<u32>, eu: &mut Eu<Self>) -> Self {
        eu.incr(Self::done(), TOKENS);
        eu.spawn(Self::make());
        Makes { rounds: 0, out }
    }

    #[spawned]
    fn make(&mut self, eu: &mut Eu<Self>) {
        eu.token(Says::call(eu.slot_ref(Self::done())));
        self.rounds += 1;
        if self.rounds < TOKENS {
            eu.spawn(Self::make());
        }
    }

    #[slot(syncs = 0)]
    fn done(self, eu: &mut Eu<Self>) {
        eu.put(self.out, self.rounds);
    }
}

struct Says;

#[threaded]
impl Says {
    fn start(to: SlotRef, eu: &mut Eu<Self>) {
        eu.rsync(to);
    }
}

pub(crate) fn shared_tokens(case: Case) {
    let run = case.machine().run(Makes::call);
    let fibers = u64::from(2 * TOKENS + 2);
    assert_eq!(run.map(|run| (run.value, run.counters.fibers)), Ok((TOKENS, fibers)));
}

#[test]
fn tokens_are_shared_while_their_maker_runs() {
    explore(shared_tokens);
}

/// Raises a count before each token that lowers it again, and polls, all in one fiber.
struct Polls {
    out: Reply<u32>,
}

#[threaded]
impl Polls {
    fn start(out: Reply<u32>, eu: &mut Eu<Self>) -> Self {
        for _ in 0..TOKENS {
            eu.incr(Self::done(), 1);
            eu.token(Says::call(eu.slot_ref(Self::done())));
            eu.poll();
        }
        eu.sync(Self::done());
        Polls { out }
    }

    #[slot(sync)]
    fn done(self, eu: &mut Eu<Self>) {
        eu.put(self.out, TOKENS);
    }
}

fn polls(case: Case) {
    let run = case.machine().run(Polls::call);
    let fibers = u64::from(TOKENS + 2);
    assert_eq!(run.map(|run| (run.value, run.counters.fibers)), Ok((TOKENS, fibers)));
}

#[test]
fn a_fiber_that_polls_receives_and_shares() {
    explore(polls);
}

/// Makes every node send every other one more signals than the queues have room for.
struct Floods {
    out: Reply<u64>,
}

const SIGNALS: u32 = 9;

#[threaded]
impl Floods {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let nodes = eu.nodes();
        eu.incr(Self::done(), nodes as u32 * (SIGNALS + 1));
        for node in 0..nodes {
            eu.invoke(NodeId::new(node), Flood::call(eu.slot_ref(Self::done()), eu.reply(Self::met().hello)));
        }
        Floods { out }
    }

    #[slot(again)]
    fn met(&mut self, hello: SlotRef, eu: &mut Eu<Self>) {
        (0..SIGNALS).for_each(|_| eu.rsync(hello));
    }

    #[slot(syncs = 0)]
    fn done(self, eu: &mut Eu<Self>) {
        eu.put(self.out, 1);
    }
}

struct Flood {
    done: SlotRef,
}

#[threaded]
impl Flood {
    fn start(done: SlotRef, hello: Reply<SlotRef>, eu: &mut Eu<Self>) -> Self {
        eu.put(hello, eu.slot_ref(Self::heard()));
        (0..SIGNALS).for_each(|_| eu.rsync(done));
        Flood { done }
    }

    #[slot(syncs = 9)]
    fn heard(self, eu: &mut Eu<Self>) {
        eu.rsync(self.done);
    }
}

pub(crate) fn floods(case: Case) {
    let run = case.machine().queue_capacity(1).run(Floods::call);
    assert_eq!(run.map(|run| run.value), Ok(1));
}

#[test]
fn messages_without_room_leave_later() {
    explore(floods);
}

/// Runs three programs on one machine.
pub(crate) fn runs(case: Case) {
    let mut machine = case.machine();
    for n in [2, 0, 3] {
        let run = machine.run(|out| Fib::call(n, out));
        assert_eq!(run.map(|run| run.value), Ok([0, 1, 1, 2][n as usize]));
    }
}

#[test]
fn a_machine_runs_again() {
    explore(runs);
}

/// A main function that ends at once.
struct Nothing;

#[threaded]
impl Nothing {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, 7);
    }
}

struct Starts;

#[threaded]
impl Starts {
    fn start(hops: usize, eu: &mut Eu<Self>) {
        if hops > 0 {
            eu.invoke(NodeId::new(hops % eu.nodes()), Starts::call(hops - 1));
        }
    }
}

/// Starts functions from outside threads, through queues with room for one.
pub(crate) fn input(case: Case) {
    let input = case.machine().queue_capacity(1).open(Nothing::call);
    // Shuttle unblocks the thread of a scope when the last thread ends, so it must not wait for anything else
    // meanwhile.
    thread::scope(|scope| {
        let input = &input;
        for thread in 0..2 {
            scope.spawn(move || {
                for number in 0..2 {
                    let node = NodeId::new((thread + number) % case.nodes);
                    assert_eq!(input.invoke(node, Starts::call(2)), Ok(()));
                }
            });
        }
    });
    let (_, run) = input.close().wait();
    assert_eq!(run.map(|run| (run.value, run.counters.fibers)), Ok((7, 1 + 4 * 3)));
}

/// Doubles a number.
struct Twice;

#[threaded]
impl Twice {
    fn start(number: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, 2 * number);
    }
}

/// Has three outside threads wait for answers. One answer is never given.
pub(crate) fn answers(case: Case) {
    let input = case.machine().queue_capacity(1).open(Nothing::call);
    let forgotten = input.ask(NodeId::new(0), |_: Reply<u64>| Starts::call(0)).expect("the run is on");
    thread::scope(|scope| {
        let input = &input;
        for thread in 0..2 {
            scope.spawn(move || {
                for number in 0..2 {
                    let node = NodeId::new((thread + number) % case.nodes);
                    let answer = input.ask(node, |reply| Twice::call(number as u64, reply));
                    assert_eq!(answer.expect("the run is on").wait(), Ok(2 * number as u64));
                }
            });
        }
    });
    let waits = thread::spawn(move || forgotten.wait());
    let (_, run) = input.close().wait();
    assert_eq!(run.map(|run| (run.value, run.counters.fibers)), Ok((7, 1 + 1 + 4)));
    assert_eq!(waits.join().expect("it does not panic"), Err(Error::Unanswered));
}

#[test]
fn requests_from_outside_are_answered() {
    explore(answers);
}

#[test]
fn functions_start_from_outside() {
    explore(input);
}

/// Cancels a run that waits for its input, and a run that may already be over.
pub(crate) fn cancels(case: Case) {
    let cancels = |token: &CancelToken| {
        let token = token.clone();
        thread::spawn(move || token.cancel())
    };

    let token = CancelToken::new();
    let input = case.machine().cancel_token(token.clone()).open(Nothing::call);
    let cancelled = cancels(&token);
    assert!(matches!(input.invoke(NodeId::new(0), Starts::call(1)), Ok(()) | Err(Error::Cancelled)));
    cancelled.join().expect("it does not panic");
    let (_, run) = input.close().wait();
    assert!(matches!(run, Err(Error::Cancelled)), "{run:?}");

    let token = CancelToken::new();
    let mut machine = case.machine().cancel_token(token.clone());
    let cancelled = cancels(&token);
    let run = machine.run(|out| Fib::call(3, out));
    assert!(matches!(run, Ok(Run { value: 2, .. }) | Err(Error::Cancelled)), "{run:?}");
    cancelled.join().expect("it does not panic");
}

#[test]
fn a_run_is_cancelled() {
    explore(cancels);
}

/// Fails on a node while other nodes work.
struct Fails {
    out: Reply<u64>,
}

#[threaded]
impl Fails {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        for node in 0..eu.nodes() {
            eu.invoke(NodeId::new(node), Fail::call(eu.slot_ref(Self::done())));
        }
        eu.token(Fib::call(3, out));
        Fails { out }
    }

    #[slot(sync)]
    fn done(self, eu: &mut Eu<Self>) {
        eu.put(self.out, 0);
    }
}

struct Fail;

#[threaded]
impl Fail {
    fn start(_to: SlotRef) -> Result<Start<Self>, &'static str> {
        Err("there is no value")
    }
}

pub(crate) fn fails(case: Case) {
    let mut machine = case.machine();
    let run = machine.run(Fails::call);
    assert!(matches!(&run, Err(Error::Failed { .. })), "{run:?}");
    let run = machine.run(|out| Fib::call(3, out));
    assert_eq!(run.map(|run| run.value), Ok(2));
}

#[test]
fn an_error_ends_a_run() {
    explore(fails);
}

/// Waits for a signal that does not come.
struct Waits;

#[threaded]
impl Waits {
    fn start(hops: usize, eu: &mut Eu<Self>) -> Start<Self> {
        if hops == 0 {
            eu.incr(Self::never(), 1);
            return Start::Wait(Waits);
        }
        eu.invoke(NodeId::new(hops % eu.nodes()), Waits::call(hops - 1));
        Start::End
    }

    #[slot(syncs = 0)]
    fn never(self) {}
}

struct Deadlocks;

#[threaded]
impl Deadlocks {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        for hops in [2, 3] {
            eu.token(Waits::call(hops));
        }
        eu.put(out, 1);
    }
}

pub(crate) fn deadlocks(case: Case) {
    let mut machine = case.machine();
    for _ in 0..2 {
        let run = machine.run(Deadlocks::call);
        let Err(Error::Stuck(stuck)) = run else { panic!("{run:?}") };
        assert_eq!(stuck.frames, 2, "{stuck}");
    }
}

#[test]
fn frames_that_wait_are_reported() {
    explore(deadlocks);
}

/// Runs two machines at once, with enough cores for one. A calling thread steps all units until a core is
/// free.
pub(crate) fn two_machines(case: Case) {
    let running = [3, 2].map(|n| case.machine().start(move |out| Fib::call(n, out)));
    let values = running.map(|running| running.wait().1.map(|run| run.value));
    assert_eq!(values, [Ok(2), Ok(1)]);
}

#[test]
fn two_machines_run_at_once() {
    let case = |config, nodes| Case { config, nodes, cores: 2 };
    explore_of(&[case(Config::Spn, 2), case(Config::Spn, 3), case(Config::Dual, 1)], two_machines);
}

/// A schedule can be replayed only if it always leads to the same run.
#[test]
fn a_schedule_is_one_run() {
    for program in [fib, floods, input, fails] {
        repeat(program);
    }
}
