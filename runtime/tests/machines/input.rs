//! Functions that other threads start while a run is on, which keep it alive.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use crate::common::{Case, fails, on_every, on_every_of_one_process, still_works};
use earth::input::Input;
use earth::{CancelToken, Config, Error, Eu, Machine, NodeId, Reply, Shared, threaded};

/// A main function that is over at once.
struct Nothing;

#[threaded]
impl Nothing {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, 7);
    }
}

/// Has a request doubled on a node, and tells the thread that sent it.
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

/// Runs a test on each machine whose time is that of other threads.
fn on_every_of_real_time(mut test: impl FnMut(Case)) {
    on_every(|case| {
        if !case.is_stepped() {
            test(case);
        }
    });
}

/// Gives the processor away so often that workers which find nothing meanwhile go to sleep.
fn rest() {
    (0..40).for_each(|_| thread::yield_now());
}

#[test]
fn requests_are_answered_long_after_the_main_function_is_over() {
    on_every_of_real_time(|case| {
        let mut machine = case.machine();
        for _ in 0..2 {
            let input = machine.input();
            let client = thread::spawn(move || {
                let (answers, answered) = channel();
                let answers = Shared::new(answers);
                for request in 0..8 {
                    let at = NodeId::new(request as usize % case.nodes);
                    input.invoke(NodeId::new(0), Echoes::call(request, at, answers.clone()))?;
                    assert_eq!(answered.recv(), Ok(2 * request));
                    rest();
                }
                Ok::<(), Error>(())
            });
            let run = machine.run(Nothing::call).expect("it runs");
            assert_eq!(client.join().expect("it does not panic"), Ok(()));
            assert_eq!((run.value, run.counters.frames), (7, 8));
        }
        still_works(&mut machine);
    });
}

/// What was added up, one test at a time.
static SUM: AtomicU64 = AtomicU64::new(0);

struct Adds;

#[threaded]
impl Adds {
    fn start(value: u64) {
        SUM.fetch_add(value, Ordering::Relaxed);
    }
}

/// Sends the numbers below `count` to all nodes, by so many threads each with a handle of its own.
fn storm(
    input: &Input,
    senders: u64,
    count: u64,
    nodes: usize,
) -> Vec<thread::JoinHandle<Result<(), Error>>> {
    let send = |sender: u64, input: Input| {
        let numbers = (0..count).filter(move |number| number % senders == sender);
        move || {
            let mut numbers = numbers;
            numbers
                .try_for_each(|number| input.invoke(NodeId::new(number as usize % nodes), Adds::call(number)))
        }
    };
    (0..senders).map(|sender| thread::spawn(send(sender, input.clone()))).collect()
}

#[test]
fn nothing_that_many_threads_send_is_lost() {
    const COUNT: u64 = 600;
    // Before a run, beside one, and through queues with room for little: the sum is of everything that was sent.
    on_every_of_real_time(|case| {
        for begun in [false, true] {
            let mut machine = case.machine().queue_capacity(2);
            SUM.store(0, Ordering::Relaxed);
            let input = machine.input();
            let mut senders = storm(&input, 4, COUNT, case.nodes);
            if !begun {
                let all = senders.drain(..).map(|sender| sender.join().expect("it does not panic"));
                assert_eq!(all.collect::<Result<Vec<_>, _>>(), Ok(vec![(); 4]));
            }
            drop(input);
            let run = machine.run(Nothing::call).expect("it runs");
            for sender in senders {
                assert_eq!(sender.join().expect("it does not panic"), Ok(()));
            }
            assert_eq!(SUM.load(Ordering::Relaxed), (0..COUNT).sum::<u64>());
            assert_eq!(run.counters.fibers, 1 + COUNT);
        }
    });
}

/// Adds a value up in the order in which it is told.
struct Tells;

#[threaded]
impl Tells {
    fn start(value: u64, out: Shared<Sender<u64>>) {
        out.send(value).expect("the test listens");
    }
}

#[test]
fn what_was_sent_before_a_run_runs_on_every_machine() {
    on_every_of_one_process(|case| {
        let mut machine = case.machine();
        let (told, tells) = channel();
        let told = Shared::new(told);
        let input = machine.input();
        for value in 0..10 {
            let at = NodeId::new(value as usize % case.nodes);
            assert_eq!(input.invoke(at, Tells::call(value, told.clone())), Ok(()));
        }
        drop(input);
        let run = machine.run(Nothing::call).expect("it runs");
        drop(told);
        let mut all: Vec<_> = tells.iter().collect();
        all.sort_unstable();
        assert_eq!((all, run.counters.fibers), ((0..10).collect(), 11));
    });
}

#[test]
fn a_simulated_machine_refuses_to_run_while_an_input_is_left() {
    on_every(|case| {
        if !case.is_stepped() {
            return;
        }
        let mut machine = case.machine();
        let input = machine.input();
        let error = machine.run(Nothing::call).map(|run| run.value).unwrap_err();
        assert!(matches!(&error, Error::CannotBuild(why) if why.contains("an input is left")), "{error}");
        assert_eq!(input.invoke(NodeId::new(0), Adds::call(0)), Err(error));
        still_works(&mut machine);
    });
}

/// Panics when so many calls have been taken, of which none is started since its own fiber does not return before.
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
fn an_error_ends_the_run_and_tells_whoever_sends() {
    for config in [Config::Spn, Config::Dual] {
        for nodes in [1, 2] {
            // More than one call finds no room, so that the sender sleeps when the fiber panics, or is about to.
            let mut machine = Machine::threads(nodes).config(config).queue_capacity(2);
            TAKEN.store(0, Ordering::Relaxed);
            let input = machine.input();
            let other = input.clone();
            let sender = thread::spawn(move || {
                loop {
                    match input.invoke(NodeId::new(0), Adds::call(0)) {
                        Ok(()) => TAKEN.fetch_add(1, Ordering::Relaxed),
                        Err(error) => return error,
                    };
                }
            });
            let error = machine.run(|out| Panics::call(2, out)).map(|run| run.value).unwrap_err();
            assert!(
                matches!(&error, Error::Panicked { message, .. } if message == "that was all"),
                "{error}"
            );
            assert_eq!(sender.join().expect("it does not panic"), error);
            // The next run has nothing to do with what is left of this one.
            let next = machine.input();
            assert_eq!(other.invoke(NodeId::new(0), Adds::call(0)), Err(error.clone()));
            let closes = thread::spawn(move || {
                rest();
                drop(other);
                next.invoke(NodeId::new(0), Adds::call(0))
            });
            assert_eq!(machine.run(Nothing::call).map(|run| run.counters.fibers), Ok(2));
            assert_eq!(closes.join().expect("it does not panic"), Ok(()));
        }
    }
}

#[test]
fn a_cancelled_run_tells_whoever_sends() {
    on_every_of_real_time(|case| {
        let token = CancelToken::new();
        let mut machine = case.machine().cancel_token(token.clone());
        let input = machine.input();
        let cancels = thread::spawn(move || {
            assert_eq!(input.invoke(NodeId::new(0), Adds::call(0)), Ok(()));
            rest();
            token.cancel();
            input
        });
        assert_eq!(machine.run(Nothing::call).map(|run| run.value), Err(Error::Cancelled));
        let input = cancels.join().expect("it does not panic");
        assert_eq!(input.invoke(NodeId::new(0), Adds::call(0)), Err(Error::Cancelled));
    });
}

#[test]
fn a_machine_that_never_runs_takes_nothing() {
    let mut machine = Machine::threads(1);
    let input = machine.input();
    assert_eq!(input.invoke(NodeId::new(0), Adds::call(0)), Ok(()));
    drop(machine);
    assert_eq!(input.invoke(NodeId::new(0), Adds::call(0)), Err(Error::Cancelled));
    // A run that is no run at all tells why.
    let mut machine = Machine::threads(0);
    let input = machine.input();
    let error = machine.run(Nothing::call).map(|run| run.value).unwrap_err();
    assert!(matches!(error, Error::CannotBuild(_)), "{error}");
    assert!(input.invoke(NodeId::new(0), Adds::call(0)).is_err());
}

#[test]
fn a_node_that_there_is_not_is_named() {
    on_every_of_one_process(|case| {
        let mut machine = case.machine();
        let input = machine.input();
        let error = input.invoke(NodeId::new(case.nodes), Adds::call(0)).unwrap_err();
        assert!(matches!(&error, Error::NoSuchNode { node, .. } if *node == case.nodes), "{error}");
        drop(input);
        assert_eq!(machine.run(Nothing::call).map(|run| run.value), Ok(7));
    });
}

/// Uses an input of its own run.
struct Misuses;

#[threaded]
impl Misuses {
    fn start(input: Shared<Input>, out: Reply<u64>, eu: &mut Eu<Self>) {
        let refused = input.invoke(NodeId::new(0), Adds::call(0)) == Err(Error::InsideFiber);
        eu.put(out, u64::from(refused));
    }
}

#[test]
fn a_fiber_starts_functions_otherwise() {
    for config in [Config::Spn, Config::Dual] {
        let mut machine = Machine::threads(2).config(config);
        let input = Shared::new(machine.input());
        assert_eq!(machine.run(|out| Misuses::call(input, out)).map(|run| run.value), Ok(1));
        fails(&mut machine, |out: Reply<u64>| Panics::call(0, out));
    }
}
