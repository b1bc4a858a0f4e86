//! Requests from threads outside of a run, and their answers.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use super::input::{Nothing, on_every_of_real_time, rest};
use crate::common::channels::channels;
use crate::common::counted::{Counted, Tally};
use crate::common::{on_every, still_works};
use earth::input::{Answer, TryError};
use earth::{CancelToken, Config, Error, Eu, Machine, NodeId, Reply, Shared, threaded};

/// Longer than any test takes.
const LONG: Duration = Duration::from_mins(10);

/// Doubles a number.
struct Doubles;

#[threaded]
impl Doubles {
    fn start(number: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, 2 * number);
    }
}

/// Hands its reply to a function on another node, and collects that function's answer as well.
struct Relays {
    out: Reply<(String, u64)>,
    text: String,
}

#[threaded]
impl Relays {
    fn start(text: String, at: NodeId, out: Reply<(String, u64)>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(at, Doubles::call(text.len() as u64, eu.reply(Self::give().double)));
        Relays { out, text }
    }

    #[slot]
    fn give(self, double: u64, eu: &mut Eu<Self>) {
        let last = NodeId::new(eu.nodes() - 1);
        eu.invoke(last, Puts::call(self.text, double, self.out));
    }
}

struct Puts;

#[threaded]
impl Puts {
    fn start(text: String, number: u64, out: Reply<(String, u64)>, eu: &mut Eu<Self>) {
        eu.put(out, (text, number));
    }
}

/// Wakes a thread that awaits a future.
struct Unparks(Thread);

impl Wake for Unparks {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Awaits a future in this thread.
fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unparks(thread::current())));
    let (mut future, mut context) = (pin!(future), Context::from_waker(&waker));
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}

#[test]
fn a_request_is_answered_from_any_node_in_every_way_to_wait() {
    on_every_of_real_time(|case| {
        let mut machine = case.machine();
        for _ in 0..2 {
            let input = machine.open(Nothing::call);
            for number in 0..8_u64 {
                let at = NodeId::new(number as usize % case.nodes);
                let text = "word ".repeat(number as usize);
                let ask = || input.ask(NodeId::new(0), |reply| Relays::call(text.clone(), at, reply));
                let expected = Ok((text.clone(), 10 * number));
                assert_eq!(ask().expect("the run is on").wait(), expected);
                assert_eq!(block_on(ask().expect("the run is on")), expected);
                assert_eq!(ask().expect("the run is on").wait_for(LONG).expect("it takes less"), expected);
                let deadline = Instant::now() + LONG;
                assert_eq!(
                    ask().expect("the run is on").wait_until(deadline).expect("it takes less"),
                    expected
                );
                let mut answer = ask().expect("the run is on");
                let taken = loop {
                    match answer.try_take() {
                        Ok(taken) => break taken,
                        Err(back) => answer = back,
                    }
                };
                assert_eq!(taken, expected);
                let token = input.ask_token(|reply| Relays::call(text.clone(), at, reply));
                assert_eq!(token.expect("the run is on").wait(), expected);
                // The next request finds sleeping nodes.
                rest();
            }
            let (back, run) = input.close().wait();
            let run = run.expect("it runs");
            assert_eq!((run.value, run.counters.fibers), (7, 1 + 8 * 6 * 4));
            machine = back;
        }
        still_works(&mut machine);
    });
}

#[test]
fn each_of_many_requests_of_several_threads_gets_its_own_answer() {
    const THREADS: u64 = 4;
    const EACH: u64 = 25_000;
    for config in [Config::Spn, Config::Dual] {
        let input = Machine::threads(2).config(config).open(Nothing::call);
        thread::scope(|scope| {
            for first in 0..THREADS {
                let input = &input;
                scope.spawn(move || {
                    let mut answers = VecDeque::new();
                    let check =
                        |(number, answer): (u64, Answer<u64>)| assert_eq!(answer.wait(), Ok(2 * number));
                    for number in (first * EACH)..((first + 1) * EACH) {
                        let asked = match number % 4 {
                            0 => input.ask_token(|reply| Doubles::call(number, reply)),
                            _ => input
                                .ask(NodeId::new(number as usize % 2), |reply| Doubles::call(number, reply)),
                        };
                        answers.push_back((number, asked.expect("the run is on")));
                        if answers.len() == 1 + number as usize % 100 {
                            answers.drain(..).for_each(check);
                        }
                    }
                    answers.into_iter().for_each(check);
                });
            }
        });
        let (_, run) = input.close().wait();
        assert_eq!(run.map(|run| run.counters.fibers), Ok(1 + THREADS * EACH));
    }
}

/// Waits, with its reply, for a value that never comes.
struct Keeps {
    _out: Reply<u64>,
}

#[threaded]
impl Keeps {
    fn start(out: Reply<u64>, address: Reply<Reply<u64>>, eu: &mut Eu<Self>) -> Self {
        eu.put(address, eu.reply(Self::end().value));
        Keeps { _out: out }
    }

    #[slot]
    fn end(self, value: u64) {
        let _ = value;
    }
}

struct Panics;

#[threaded]
impl Panics {
    fn start(_out: Reply<u64>) {
        panic!("no answer");
    }
}

#[test]
fn the_error_that_ends_the_run_is_the_answer_to_every_request() {
    on_every_of_real_time(|case| {
        let input = case.machine().open(Nothing::call);
        let kept = Mutex::new(None);
        let address = input.ask(case.last(), |address| {
            let answer = input.ask(case.last(), |reply| Keeps::call(reply, address));
            *kept.lock().expect("no panic") = Some(answer);
            Idles::call()
        });
        assert!(address.expect("the run is on").wait().is_ok());
        let kept = kept.into_inner().expect("no panic").expect("it was made").expect("the run is on");
        let Err(kept) = kept.wait_for(Duration::ZERO) else { panic!("no fiber gives this answer") };
        // A thread sleeps on this answer.
        let waits = thread::spawn(move || kept.wait());
        rest();
        let panics = input.ask(case.last(), Panics::call).expect("the run is on");
        let error = panics.wait().unwrap_err();
        assert!(matches!(&error, Error::Panicked { message, .. } if message == "no answer"), "{error}");
        assert_eq!(waits.join().expect("it does not panic"), Err(error.clone()));
        assert_eq!(input.ask(NodeId::new(0), |reply| Doubles::call(1, reply)).map(drop), Err(error.clone()));
        let (mut machine, run) = input.close().wait();
        assert_eq!(run.map(drop), Err(error));
        still_works(&mut machine);
    });
}

/// Does nothing: another request uses the reply.
struct Idles;

#[threaded]
impl Idles {
    fn start() {}
}

#[test]
fn a_cancelled_run_ends_the_wait_for_an_answer() {
    on_every_of_real_time(|case| {
        let token = CancelToken::new();
        let input = case.machine().cancel_token(token.clone()).open(Nothing::call);
        let answer = input.ask(case.last(), |_: Reply<u64>| Idles::call()).expect("the run begins");
        let waits = thread::spawn(move || block_on(answer));
        rest();
        token.cancel();
        assert_eq!(waits.join().expect("it does not panic"), Err(Error::Cancelled));
    });
}

#[test]
fn a_reply_that_is_forgotten_is_an_error_when_the_run_has_ended() {
    on_every_of_real_time(|case| {
        let input = case.machine().open(Nothing::call);
        let answer = input.ask(case.last(), |_: Reply<u64>| Idles::call()).expect("the run begins");
        let answer = answer.wait_for(Duration::from_millis(1)).expect_err("no fiber has the address");
        let (_, run) = input.close().wait();
        assert_eq!(run.map(|run| run.value), Ok(7));
        assert_eq!(answer.wait(), Err(Error::Unanswered));
    });
}

/// Answers twice.
struct Repeats;

#[threaded]
impl Repeats {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, 1);
        eu.put(out, 2);
    }
}

#[test]
fn a_second_answer_ends_the_run() {
    on_every_of_real_time(|case| {
        let input = case.machine().open(Nothing::call);
        let answer = input.ask(case.last(), Repeats::call).expect("the run begins");
        assert_eq!(answer.wait(), Ok(1));
        while !input.is_over() {
            thread::yield_now();
        }
        let (mut machine, run) = input.close().wait();
        let error = run.map(drop).unwrap_err().to_string();
        // The place of an answer is in the process of its asker.
        let (last, home) = (case.nodes - 1, if case.is_of_ranks() { 0 } else { case.nodes - 1 });
        let expected = format!(
            "fiber `start` of Repeats on node {last} sent a value to inlet `answer` of a thread outside of the run \
             on node {home}, which had its value already"
        );
        assert_eq!(error, expected);
        still_works(&mut machine);
    });
}

/// Puts a value whose life is counted.
struct PutsCounted;

#[threaded]
impl PutsCounted {
    fn start(value: Counted, out: Reply<Counted>, eu: &mut Eu<Self>) {
        eu.put(out, value);
    }
}

#[test]
fn an_answer_that_nobody_waits_for_is_discarded() {
    on_every_of_real_time(|case| {
        let tally = Tally::new();
        let input = case.machine().open(Nothing::call);
        let ask = |carries| {
            let value = tally.value(carries);
            input.ask(case.last(), |reply| PutsCounted::call(value, reply)).expect("the run is on")
        };
        // More than one chunk of places is in use, and each place is used again.
        let mut kept: Vec<_> = (0..100).map(ask).collect();
        for round in 0..10 {
            drop(ask(0));
            // This answer comes after the one that was dropped, so it finds that place free or not.
            assert_eq!(ask(round).wait().map(|value| value.carries), Ok(round));
        }
        let odd: Vec<_> = (1..100).step_by(2).rev().map(|at| kept.remove(at)).collect();
        drop(odd);
        for (at, answer) in kept.into_iter().enumerate() {
            assert_eq!(answer.wait().map(|value| value.carries), Ok(2 * at as u64));
        }
        let (_, run) = input.close().wait();
        assert_eq!(run.map(|run| run.counters.fibers), Ok(1 + 100 + 20));
        assert_eq!(tally.left(), 0);
    });
}

/// Holds its node until the test lets it go.
struct Blocks;

static RELEASED: AtomicBool = AtomicBool::new(false);

#[threaded]
impl Blocks {
    fn start(told: Shared<Sender<()>>) {
        told.send(()).expect("the test listens");
        while !RELEASED.load(Ordering::Relaxed) {
            thread::yield_now();
        }
    }
}

/// Adds the carried number.
struct Adds;

static SUM: AtomicU64 = AtomicU64::new(0);

#[threaded]
impl Adds {
    fn start(value: Counted) {
        SUM.fetch_add(value.carries, Ordering::Relaxed);
    }
}

#[test]
fn a_call_that_finds_no_room_comes_back() {
    let here = NodeId::new(0);
    let little = Duration::from_millis(1);
    let of_ranks = || Machine::ranks(channels(1, 16).remove(0));
    // In DUAL the synchronization unit takes calls while a fiber runs, so no queue stays full.
    for machine in [Machine::threads(1), of_ranks()] {
        RELEASED.store(false, Ordering::Relaxed);
        SUM.store(0, Ordering::Relaxed);
        let tally = Tally::new();
        let input = machine.queue_capacity(2).open(Nothing::call);
        let (told, blocks) = channel();
        assert_eq!(input.invoke(here, Blocks::call(Shared::new(told))), Ok(()));
        assert_eq!(blocks.recv(), Ok(()));
        assert!(input.try_invoke(here, Adds::call(tally.value(1))).is_ok());
        assert!(input.try_token(Adds::call(tally.value(2))).is_ok());
        // The queue is full now.
        let Err(TryError::Full(call)) = input.try_invoke(here, Adds::call(tally.value(4))) else { panic!() };
        let Err(TryError::Full(call)) = input.try_token(call) else { panic!("the token has a place") };
        let Err(TryError::Full(call)) = input.token_timeout(call, little) else {
            panic!("the token has a place")
        };
        let full = input.invoke_timeout(here, call, little);
        assert_eq!(full.as_ref().unwrap_err().to_string(), "the queue for calls from outside is full");
        let call = full.unwrap_err().call().expect("the call comes back");
        let ask = |value| input.try_ask(here, move |reply| PutsCounted::call(value, reply));
        let Err(TryError::Full(request)) = ask(tally.value(8)) else { panic!("the request has a place") };
        let Err(TryError::Full(request)) = request.try_send() else { panic!("the request has a place") };
        let Err(TryError::Full(request)) = request.send_timeout(little) else {
            panic!("the request has a place")
        };
        let other = input.ask_timeout(here, |reply| PutsCounted::call(tally.value(16), reply), little);
        let Err(TryError::Full(dropped)) = other else { panic!("the request has a place") };
        assert_eq!(tally.left(), 5);
        drop(dropped);
        assert_eq!(tally.left(), 4);
        // One sender sleeps until there is room.
        let sent = thread::scope(|scope| {
            scope.spawn(|| {
                rest();
                RELEASED.store(true, Ordering::Relaxed);
            });
            input.invoke_timeout(here, call, LONG)
        });
        assert!(sent.is_ok());
        let answer = request.send().expect("there is room");
        assert_eq!(answer.wait().map(|value| value.carries), Ok(8));
        let (_, run) = input.close().wait();
        assert_eq!(run.map(|run| run.counters.fibers), Ok(1 + 1 + 3 + 1));
        assert_eq!((SUM.load(Ordering::Relaxed), tally.left()), (1 + 2 + 4, 0));
    }
    // A token goes to the node that has room.
    RELEASED.store(false, Ordering::Relaxed);
    let input = Machine::threads(2).queue_capacity(1).open(Nothing::call);
    let (told, blocks) = channel();
    assert_eq!(input.invoke(here, Blocks::call(Shared::new(told))), Ok(()));
    assert_eq!(blocks.recv(), Ok(()));
    let tally = Tally::new();
    assert!(input.try_invoke(here, Adds::call(tally.value(1))).is_ok());
    assert!(matches!(input.try_invoke(here, Adds::call(tally.value(1))), Err(TryError::Full(_))));
    for number in 0..10 {
        let answer = input.try_ask_token(|reply| Doubles::call(number, reply)).expect("node 1 has room");
        assert_eq!(answer.wait(), Ok(2 * number));
    }
    RELEASED.store(true, Ordering::Relaxed);
    assert!(input.close().wait().1.is_ok());
}

#[test]
fn a_request_that_cannot_be_sent_says_why() {
    let input = Machine::threads(2).open(Nothing::call);
    let beyond = input.ask(NodeId::new(2), |reply| Doubles::call(1, reply)).map(drop);
    assert!(matches!(beyond, Err(Error::NoSuchNode { node: 2, nodes: 2, .. })), "{beyond:?}");
    drop(input);
    on_every(|case| {
        if !case.is_stepped() {
            return;
        }
        let input = case.machine().open(Nothing::call);
        let refused = input.ask(NodeId::new(0), |reply| Doubles::call(1, reply)).and_then(Answer::wait);
        assert!(
            matches!(&refused, Err(Error::CannotBuild(why)) if why.contains("cannot take input")),
            "{refused:?}"
        );
    });
}

/// Asks, and waits for an answer, inside of a fiber.
struct Misuses;

#[threaded]
impl Misuses {
    fn start(
        input: Shared<earth::input::Input<u64>>,
        answer: Shared<Mutex<Option<Answer<u64>>>>,
        out: Reply<bool>,
        eu: &mut Eu<Self>,
    ) {
        let asked = input.ask(NodeId::new(0), |reply| Doubles::call(1, reply)).map(drop);
        drop(input);
        let waited = answer.lock().expect("no panic").take().map(Answer::wait);
        eu.put(out, asked == Err(Error::InsideFiber) && waited == Some(Err(Error::InsideFiber)));
    }
}

#[test]
fn a_fiber_neither_asks_nor_waits_for_an_answer() {
    for config in [Config::Spn, Config::Dual] {
        let input = Arc::new(Machine::threads(2).config(config).open(Nothing::call));
        let never = input.ask(NodeId::new(1), |_: Reply<u64>| Idles::call()).expect("the run is on");
        let never = Shared::new(Mutex::new(Some(never)));
        let misuses =
            input.ask(NodeId::new(1), |reply| Misuses::call(Shared::from(Arc::clone(&input)), never, reply));
        assert_eq!(misuses.expect("the run is on").wait(), Ok(true));
        let input = Arc::into_inner(input).expect("the fiber has dropped its handle");
        assert_eq!(input.close().wait().1.map(|run| run.value), Ok(7));
    }
}
