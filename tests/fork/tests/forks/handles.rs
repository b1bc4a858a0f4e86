//! Handles that a fork copies: runs in threads of their own, inputs, cancel tokens.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel, sync_channel};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use earth::input::{Answer, Input};
use earth::{CancelToken, Error, Eu, Machine, NodeId, Reply, Shared, threaded};

use super::{alone, assert_runs, in_child, machines};

/// Waits in its only fiber until it receives a message, or all senders are gone.
struct Waits;

type Hears = Shared<std::sync::Mutex<Receiver<()>>>;

#[threaded]
impl Waits {
    fn start(until: Hears, out: Reply<u64>, eu: &mut Eu<Self>) {
        let _ = until.lock().expect("the lock is not poisoned").recv();
        eu.put(out, 42);
    }
}

#[test]
fn a_run_that_is_on_is_over_in_a_child_with_a_machine_that_runs() {
    let _alone = alone();
    for machine in machines() {
        let (tell, until) = channel();
        let until = Shared::new(std::sync::Mutex::new(until));
        let mut running = Some(machine.start(move |out| Waits::call(until, out)));
        let mut taken = || running.take().expect("each child has a copy");
        for wait in [0, 1, 2] {
            in_child(|| {
                let mut running = taken();
                assert!(running.is_over());
                let ended = match wait {
                    0 => running.wait(),
                    1 => running.wait_for(Duration::ZERO).expect("it is over"),
                    _ => match Future::poll(
                        std::pin::Pin::new(&mut running),
                        &mut Context::from_waker(Waker::noop()),
                    ) {
                        Poll::Ready(ended) => ended,
                        Poll::Pending => panic!("it is over"),
                    },
                };
                let (mut machine, result) = ended;
                assert_eq!(result.map(|run| run.value), Err(Error::Forked { what: "the run".into() }));
                assert_runs(&mut machine);
            });
        }
        in_child(|| drop(taken()));
        tell.send(()).expect("it waits");
        let (mut machine, result) = running.expect("the parent has its own").wait();
        assert_eq!(result.map(|run| run.value), Ok(42));
        assert_runs(&mut machine);
    }
}

#[test]
fn a_run_that_was_over_gives_its_result_in_a_child() {
    let _alone = alone();
    for machine in machines() {
        let mut running = Some(machine.start(super::Sum::call));
        while !running.as_ref().is_some_and(earth::running::Running::is_over) {
            std::thread::yield_now();
        }
        in_child(|| {
            let (mut machine, result) = running.take().expect("a child has a copy").wait();
            assert_eq!(result.map(|run| run.value), Ok(1));
            assert_runs(&mut machine);
        });
    }
}

/// Sends its number through the channel.
struct Sends;

#[threaded]
impl Sends {
    fn start(number: u64, numbers: Shared<std::sync::mpsc::Sender<u64>>) {
        let _ = numbers.send(number);
    }
}

#[test]
fn calls_for_the_next_run_start_in_the_child_and_in_the_parent() {
    let _alone = alone();
    for mut machine in machines() {
        let (numbers, sent) = channel();
        let numbers = Shared::new(numbers);
        for number in 1..4 {
            machine.invoke(NodeId::new(1), Sends::call(number, numbers.clone())).expect("there is a node 1");
        }
        in_child(|| {
            assert_runs(&mut machine);
            assert_eq!(sent.try_iter().sum::<u64>(), 6);
        });
        assert_runs(&mut machine);
        assert_eq!(sent.try_iter().sum::<u64>(), 6);
    }
}

#[test]
fn an_input_is_refused_in_a_child_and_may_be_closed_or_dropped_there() {
    let _alone = alone();
    for machine in machines() {
        let (numbers, sent) = channel();
        let numbers = Shared::new(numbers);
        let mut input = Some(machine.open(super::Sum::call));
        let send = |input: &Option<Input<usize>>, number| {
            let input = input.as_ref().expect("each process has a copy");
            input.invoke(NodeId::new(1), Sends::call(number, numbers.clone()))
        };
        // The run has begun when this function has run.
        assert_eq!(send(&input, 1), Ok(()));
        assert_eq!(sent.recv(), Ok(1));
        for closes in [true, false] {
            in_child(|| {
                assert_eq!(send(&input, 2), Err(Error::Forked { what: "the input".into() }));
                let input = input.take().expect("a child has a copy");
                assert!(input.is_over());
                if closes {
                    let (mut machine, result) = input.close().wait();
                    assert_eq!(result.map(|run| run.value), Err(Error::Forked { what: "the run".into() }));
                    assert_runs(&mut machine);
                }
            });
        }
        assert_eq!(send(&input, 3), Ok(()));
        let (mut machine, result) = input.take().expect("the parent has its own").close().wait();
        assert_eq!(result.map(|run| run.value), Ok(1));
        assert_eq!(sent.try_iter().sum::<u64>(), 3);
        assert_runs(&mut machine);
    }
}

/// Doubles a number.
struct Doubles;

#[threaded]
impl Doubles {
    fn start(number: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, 2 * number);
    }
}

/// Does not answer.
struct Forgets;

#[threaded]
impl Forgets {
    fn start() {}
}

#[test]
fn an_answer_belongs_to_the_process_that_asked() {
    let _alone = alone();
    for machine in machines() {
        let input = machine.open(super::Sum::call);
        let asked = input.ask(NodeId::new(1), |_: Reply<u64>| Forgets::call());
        let mut pending = Some(asked.expect("the run is on"));
        let mut given = Some(input.ask(NodeId::new(1), |out| Doubles::call(21, out)).expect("the run is on"));
        while given.as_ref().is_some_and(|given| !given.is_given()) {
            std::thread::yield_now();
        }
        in_child(|| {
            let forked = |what: &str| Error::Forked { what: what.into() };
            for answer in [pending.take(), given.take()].into_iter().flatten() {
                assert_eq!(answer.wait(), Err(forked("the answer")));
            }
            let refused = input.ask(NodeId::new(1), |out| Doubles::call(21, out));
            assert_eq!(refused.map(drop), Err(forked("the input")));
        });
        in_child(|| drop((pending.take(), given.take())));
        assert_eq!(given.take().map(Answer::wait), Some(Ok(42)));
        let (mut machine, result) = input.close().wait();
        assert_eq!(result.map(|run| run.value), Ok(1));
        assert_eq!(pending.take().map(Answer::wait), Some(Err(Error::Unanswered)));
        assert_runs(&mut machine);
    }
}

#[test]
fn a_token_cancels_the_runs_of_its_own_process() {
    let _alone = alone();
    for machine in machines() {
        let token = CancelToken::new();
        let mut machine = machine.cancel_token(token.clone());
        assert_runs(&mut machine);
        let mut machine = Some(machine);
        in_child(|| {
            let mut machine = machine.take().expect("a child has a copy");
            assert_runs(&mut machine);
            // A cancellation reaches a run that is under way.
            let input = machine.open(super::Sum::call);
            let (begun, on) = sync_channel(1);
            input.invoke(NodeId::new(1), Begun::call(Shared::new(begun))).expect("there is a node 1");
            on.recv().expect("the run is on");
            token.cancel();
            while !input.is_over() {
                std::thread::yield_now();
            }
            let (mut machine, result) = input.close().wait();
            assert_eq!(result.map(|run| run.value), Err(Error::Cancelled));
            assert_eq!(machine.run(super::Sum::call).map(|run| run.value), Err(Error::Cancelled));
        });
        assert!(!token.is_cancelled());
        assert_runs(machine.as_mut().expect("the parent has its own"));
    }
}

/// Reports that the run has begun.
struct Begun;

#[threaded]
impl Begun {
    fn start(tell: Shared<std::sync::mpsc::SyncSender<()>>) {
        let _ = tell.try_send(());
    }
}

#[test]
fn machines_and_handles_travel_to_threads_of_a_child() {
    let _alone = alone();
    for mut machine in machines() {
        assert_runs(&mut machine);
        let mut machine = Some(machine);
        in_child(|| {
            let machine = machine.take().expect("a child has a copy");
            let shared = Arc::new(std::sync::Mutex::new(machine));
            let threads: Vec<_> = (0..3)
                .map(|_| {
                    let shared = Arc::clone(&shared);
                    std::thread::spawn(move || {
                        assert_runs(&mut shared.lock().expect("the lock is not poisoned"));
                    })
                })
                .collect();
            for thread in threads {
                thread.join().expect("it runs");
            }
            let machine = Arc::into_inner(shared).and_then(|machine| machine.into_inner().ok());
            let (mut machine, result): (Machine, _) =
                machine.expect("no other process uses it").start(super::Sum::call).wait();
            assert_eq!(result.map(|run| run.value), Ok(1));
            assert_runs(&mut machine);
        });
    }
}
