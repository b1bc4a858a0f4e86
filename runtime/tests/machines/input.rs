//! Functions that threads start during a run, which continues while its input is open.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use crate::common::channels::channels;
use crate::common::{Case, fails, on_every, on_every_of_one_process, still_works};
use earth::input::Input;
use earth::{CancelToken, Config, Error, Eu, Machine, NodeId, Reply, Shared, SharedValues, threaded};

/// A main function that ends at once.
pub(crate) struct Nothing;

#[threaded]
impl Nothing {
    pub(crate) fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, 7);
    }
}

/// Has a request doubled on a node, and sends the result to the requesting thread.
struct Echoes {
    answers: Shared<Sender<u64>>,
}

struct Doubles;

#[threaded]
impl Doubles {
    fn start(request: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, 2 * request);
    }
}

#[threaded]
impl Echoes {
    fn start(request: u64, at: NodeId, answers: Shared<Sender<u64>>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(at, Doubles::call(request, eu.reply(Self::answer().doubled)));
        Echoes { answers }
    }

    #[slot]
    fn answer(self, doubled: u64) {
        self.answers.send(doubled).expect("the thread waits for it");
    }
}

/// Runs a test on each machine that runs in real time.
pub(crate) fn on_every_of_real_time(mut test: impl FnMut(Case)) {
    on_every(|case| {
        if !case.is_stepped() {
            test(case);
        }
    });
}

/// Yields the processor so often that idle workers go to sleep meanwhile.
pub(crate) fn rest() {
    (0..40).for_each(|_| thread::yield_now());
}

#[test]
fn requests_are_answered_long_after_the_main_function_is_over() {
    on_every_of_real_time(|case| {
        let mut machine = case.machine();
        for _ in 0..2 {
            let input = machine.open(Nothing::call);
            let (answers, answered) = channel();
            let answers = Shared::new(answers);
            for request in 0..8 {
                let at = NodeId::new(request as usize % case.nodes);
                let sent = input.invoke(NodeId::new(0), Echoes::call(request, at, answers.clone()));
                assert_eq!((sent, answered.recv()), (Ok(()), Ok(2 * request)));
                rest();
            }
            assert!(!input.is_over());
            let (back, run) = input.close().wait();
            let run = run.expect("it runs");
            assert_eq!((run.value, run.counters.frames), (7, 8));
            machine = back;
        }
        still_works(&mut machine);
    });
}

/// Sum of the added values, used by one test at a time.
static SUM: AtomicU64 = AtomicU64::new(0);

struct Adds;

#[threaded]
impl Adds {
    fn start(value: u64) {
        SUM.fetch_add(value, Ordering::Relaxed);
    }
}

#[test]
fn no_item_of_many_senders_is_lost() {
    const COUNT: u64 = 600;
    // Calls are sent before and during a run, through small queues. The sum includes all of them.
    on_every_of_real_time(|case| {
        for begun in [false, true] {
            let mut machine = case.machine().queue_capacity(2);
            SUM.store(0, Ordering::Relaxed);
            let node = |number: u64| NodeId::new(number as usize % case.nodes);
            if !begun {
                (0..COUNT).for_each(|number| {
                    assert_eq!(machine.invoke(node(number), Adds::call(number)), Ok(()));
                });
            }
            let input = machine.open(Nothing::call);
            thread::scope(|scope| {
                for sender in (0..4).filter(|_| begun) {
                    let (input, mut numbers) = (&input, (0..COUNT).skip(sender).step_by(4));
                    scope.spawn(move || {
                        let sent =
                            numbers.try_for_each(|number| input.invoke(node(number), Adds::call(number)));
                        assert_eq!(sent, Ok(()));
                    });
                }
            });
            let (_, run) = input.close().wait();
            assert_eq!(run.map(|run| run.counters.fibers), Ok(1 + COUNT));
            assert_eq!(SUM.load(Ordering::Relaxed), (0..COUNT).sum::<u64>());
        }
    });
}

/// Sends a value to the test.
struct Tells;

#[threaded]
impl Tells {
    fn start(value: u64, out: Shared<Sender<u64>>) {
        out.send(value).expect("the test listens");
    }
}

#[test]
fn calls_sent_before_a_run_start_on_every_machine() {
    on_every_of_one_process(|case| {
        for registered in [true, false] {
            let mut machine = case.machine();
            let (told, tells) = channel();
            let told = Shared::new(told);
            for value in 0..10 {
                let at = NodeId::new(value as usize % case.nodes);
                assert_eq!(machine.invoke(at, Tells::call(value, told.clone())), Ok(()));
            }
            let values = SharedValues::default();
            let values = if registered { values.with(&told) } else { values };
            let run = machine.run_with(values, Nothing::call);
            if case.through_bytes && case.nodes > 1 && !registered {
                let error = run.map(drop).unwrap_err();
                assert!(matches!(error, Error::StaysInProcess { node: 1, .. }), "{error}");
            } else {
                drop(told);
                let mut all: Vec<_> = tells.iter().collect();
                all.sort_unstable();
                assert_eq!((all, run.map(|run| run.counters.fibers)), ((0..10).collect(), Ok(11)));
            }
            still_works(&mut machine);
        }
    });
}

#[test]
fn calls_from_outside_go_through_bytes_as_from_node_0() {
    on_every_of_real_time(|case| {
        for at in [NodeId::new(0), case.last()] {
            let (told, tells) = channel();
            let input = case.machine().open(Nothing::call);
            assert_eq!(input.invoke(at, Tells::call(3, Shared::new(told))), Ok(()));
            let answer = tells.recv();
            let (_, run) = input.close().wait();
            if case.through_bytes && at.index() > 0 {
                let error = run.map(drop).unwrap_err();
                assert!(matches!(error, Error::StaysInProcess { node, .. } if node == at.index()), "{error}");
            } else {
                assert_eq!((answer, run.map(|run| run.value)), (Ok(3), Ok(7)));
            }
        }
    });
}

#[test]
fn a_simulated_machine_refuses_a_run_with_an_input() {
    on_every(|case| {
        if !case.is_stepped() {
            return;
        }
        let input = case.machine().open(Nothing::call);
        while !input.is_over() {
            thread::yield_now();
        }
        let refused = input.invoke(NodeId::new(0), Adds::call(0));
        let (mut machine, run) = input.close().wait();
        let error = run.map(drop).unwrap_err();
        assert!(matches!(&error, Error::CannotBuild(why) if why.contains("cannot take input")), "{error}");
        assert_eq!(refused, Err(error));
        still_works(&mut machine);
    });
}

/// Panics when `taken` calls have been taken. None of them starts before, since this fiber does not return.
struct Panics;

static TAKEN: AtomicU64 = AtomicU64::new(0);

#[threaded]
impl Panics {
    fn start(taken: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
        while TAKEN.load(Ordering::Relaxed) < taken {
            thread::yield_now();
        }
        rest();
        eu.put(out, 1);
        panic!("that was all");
    }
}

#[test]
fn an_error_ends_the_run_and_stops_the_sending_thread() {
    for config in [Config::Spn, Config::Dual] {
        for nodes in [1, 2] {
            // More than one call finds no room, so the sender sleeps when the fiber panics, or is about to.
            let machine = Machine::threads(nodes).config(config).queue_capacity(2);
            TAKEN.store(0, Ordering::Relaxed);
            let input = machine.open(|out: Reply<u64>| Panics::call(2, out));
            let told = loop {
                match input.invoke(NodeId::new(0), Adds::call(0)) {
                    Ok(()) => TAKEN.fetch_add(1, Ordering::Relaxed),
                    Err(error) => break error,
                };
            };
            let (mut machine, run) = input.close().wait();
            let error = run.map(drop).unwrap_err();
            assert!(
                matches!(&error, Error::Panicked { message, .. } if message == "that was all"),
                "{error}"
            );
            assert_eq!(told, error);
            // The next run begins without the remaining calls of this one.
            let next = machine.open(Nothing::call);
            assert_eq!(next.invoke(NodeId::new(0), Adds::call(0)), Ok(()));
            let (back, run) = next.close().wait();
            assert_eq!(run.map(|run| run.counters.fibers), Ok(2));
            machine = back;
            fails(&mut machine, |out: Reply<u64>| Panics::call(0, out));
        }
    }
}

#[test]
fn a_cancelled_run_stops_the_sending_thread() {
    on_every_of_real_time(|case| {
        let token = CancelToken::new();
        let input = case.machine().cancel_token(token.clone()).open(Nothing::call);
        assert_eq!(input.invoke(NodeId::new(0), Adds::call(0)), Ok(()));
        rest();
        token.cancel();
        while !input.is_over() {
            thread::yield_now();
        }
        assert_eq!(input.invoke(NodeId::new(0), Adds::call(0)), Err(Error::Cancelled));
        assert_eq!(input.close().wait().1.map(|run| run.value), Err(Error::Cancelled));
    });
}

#[test]
fn an_input_that_is_dropped_lets_the_run_end() {
    let (told, tells) = channel();
    let input = Machine::threads(2).open(Nothing::call);
    assert_eq!(input.invoke(NodeId::new(1), Tells::call(5, Shared::new(told))), Ok(()));
    // Another thread drops it. The run drops the sender when it ends.
    thread::spawn(move || drop(input));
    assert_eq!(tells.iter().collect::<Vec<_>>(), [5]);
}

#[test]
fn a_machine_that_never_runs_takes_nothing() {
    let mut machine = Machine::threads(1);
    let held = Arc::new(1_u64);
    let (told, _tells) = channel();
    let call = |held: &Arc<u64>| Holds::call(Shared::from(Arc::clone(held)), Shared::new(told.clone()));
    assert_eq!(machine.invoke(NodeId::new(0), call(&held)), Ok(()));
    assert_eq!(Arc::strong_count(&held), 2);
    drop(machine);
    assert_eq!(Arc::strong_count(&held), 1);
    // If a run cannot begin, its handle reports why.
    let input = Machine::threads(0).open(Nothing::call);
    assert!(input.invoke(NodeId::new(0), Adds::call(0)).is_err());
    let error = input.close().wait().1.map(drop).unwrap_err();
    assert!(matches!(error, Error::CannotBuild(_)), "{error}");
}

/// Sends its value to the test.
struct Holds;

#[threaded]
impl Holds {
    fn start(held: Shared<u64>, out: Shared<Sender<u64>>) {
        out.send(*held).expect("the test listens");
    }
}

#[test]
fn a_node_that_there_is_not_is_named() {
    on_every_of_one_process(|case| {
        let mut machine = case.machine();
        let beyond = NodeId::new(case.nodes);
        let error = machine.invoke(beyond, Adds::call(0)).unwrap_err();
        assert!(matches!(&error, Error::NoSuchNode { node, .. } if *node == case.nodes), "{error}");
        assert_eq!(machine.run(Nothing::call).map(|run| run.value), Ok(7));
        // A machine that was then given fewer nodes does not have the node either.
        let mut machine = case.machine().nodes(case.nodes + 1);
        assert_eq!(machine.invoke(beyond, Adds::call(0)), Ok(()));
        let mut machine = machine.nodes(case.nodes);
        assert_eq!(machine.run(Nothing::call).map(drop), Err(error.clone()));
        assert_eq!(machine.run(Nothing::call).map(|run| run.value), Ok(7));
        let input = machine.open(Nothing::call);
        assert_eq!(input.invoke(beyond, Adds::call(0)), Err(error));
    });
}

/// Uses the input of its own run.
struct Misuses;

#[threaded]
impl Misuses {
    fn start(input: Shared<Input<u64>>, told: Shared<Sender<u64>>) {
        let refused = input.invoke(NodeId::new(0), Adds::call(0)) == Err(Error::InsideFiber);
        drop(input);
        told.send(u64::from(refused)).expect("the test listens");
    }
}

#[test]
fn a_fiber_starts_functions_otherwise() {
    for config in [Config::Spn, Config::Dual] {
        let input = Arc::new(Machine::threads(2).config(config).open(Nothing::call));
        let (told, tells) = channel();
        let call = Misuses::call(Shared::from(Arc::clone(&input)), Shared::new(told));
        assert_eq!((input.invoke(NodeId::new(1), call), tells.recv()), (Ok(()), Ok(1)));
        let input = Arc::into_inner(input).expect("the fiber has dropped its handle");
        assert_eq!(input.close().wait().1.map(|run| run.value), Ok(7));
    }
}

#[test]
fn each_rank_has_an_input_of_its_own_and_the_run_waits_for_all() {
    for config in [Config::Spn, Config::Dual] {
        let mut machines = channels(2, 16).into_iter().map(|link| Machine::ranks(link).config(config));
        let (rank_0, rank_1) = (machines.next().expect("rank 0"), machines.next().expect("rank 1"));
        let (input, other) = (rank_0.open(Nothing::call), rank_1.open_serving(SharedValues::default()));
        let (told, tells) = channel();
        // A call to its own rank does not leave the process.
        assert_eq!(other.invoke(NodeId::new(1), Tells::call(3, Shared::new(told))), Ok(()));
        assert_eq!((tells.recv(), other.invoke(NodeId::new(0), Adds::call(0))), (Ok(3), Ok(())));
        let running = input.close();
        rest();
        assert!(!running.is_over());
        assert_eq!(other.invoke(NodeId::new(0), Adds::call(0)), Ok(()));
        let (rank_1, served) = other.close().wait();
        assert_eq!(served.map(|run| run.counters.fibers), Ok(4));
        let (rank_0, run) = running.wait();
        assert_eq!(run.map(|run| run.value), Ok(7));
        drop(rank_0);
        let (_, served) = rank_1.open_serving(SharedValues::default()).close().wait();
        assert!(matches!(served.map(drop), Err(Error::LostRank { rank: 0, .. })));
    }
}
