//! A service: a client's thread sends requests to a server, which doubles a number, and receives the answers.
//!
//! On earth the client asks the open run of a machine of one node. One peer is a server thread with a bounded
//! crossbeam channel in each direction: all answers come back in order through one channel, so that only one
//! client can use it. The other peer answers as earth does, each request to a place of its own: a request has
//! the sender of a channel for its answer alone. A number of requests may be under way at a time; with one,
//! the client waits for each answer before the next request.

use std::collections::VecDeque;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};
use earth::input::Answer;
use earth::{Config, Eu, Machine, NodeId, Reply, threaded};

use crate::paired::timed;

/// The main function. All work arrives from the client.
struct Serves;

#[threaded]
impl Serves {
    fn start(out: Reply<()>, eu: &mut Eu<Self>) {
        eu.put(out, ());
    }
}

/// Answers a request.
struct Doubles;

#[threaded]
impl Doubles {
    fn start(number: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, 2 * number);
    }
}

/// Measures requests to a machine of one node, with at most `under_way` requests at a time.
///
/// # Panics
///
/// If an answer is wrong or missing.
pub fn on_earth(config: Config, requests: u64, under_way: usize) -> Duration {
    let input = Machine::threads(1).config(config).open(Serves::call);
    let value = |answer: Answer<u64>| answer.wait().expect("the function answers");
    let taken = timed(|| {
        let (mut sum, mut answers) = (0, VecDeque::with_capacity(under_way));
        for request in 0..requests {
            if answers.len() == under_way {
                sum += answers.pop_front().map_or(0, value);
            }
            let answer = input.ask(NodeId::new(0), |reply| Doubles::call(request, reply));
            answers.push_back(answer.expect("the run is on"));
        }
        sum += answers.into_iter().map(value).sum::<u64>();
        assert_eq!(sum, requests * (requests - 1));
    });
    let (_, run) = input.close().wait();
    assert_eq!(run.expect("it ends").counters.fibers, 1 + requests);
    taken
}

/// Measures requests to a server's thread by two channels, with at most `under_way` requests at a time.
///
/// # Panics
///
/// If an answer is wrong or missing.
pub fn on_channels(requests: u64, under_way: usize) -> Duration {
    let (requests_to, requests_from): (Sender<u64>, Receiver<u64>) = bounded(under_way.max(1));
    let (answers_to, answers_from): (Sender<u64>, Receiver<u64>) = bounded(under_way.max(1));
    let server = std::thread::spawn(move || {
        for number in requests_from {
            answers_to.send(2 * number).expect("the client waits for it");
        }
    });
    let taken = timed(|| {
        let mut sum = 0;
        for request in 0..requests {
            if request >= under_way as u64 {
                sum += answers_from.recv().expect("the server answers");
            }
            requests_to.send(request).expect("the server listens");
        }
        for _ in 0..requests.min(under_way as u64) {
            sum += answers_from.recv().expect("the server answers");
        }
        assert_eq!(sum, requests * (requests - 1));
    });
    drop(requests_to);
    server.join().expect("the server ends");
    taken
}

/// Measures requests to a server's thread, each with a channel of its own for the answer.
///
/// # Panics
///
/// If an answer is wrong or missing.
pub fn on_channel_per_answer(requests: u64, under_way: usize) -> Duration {
    let (requests_to, requests_from) = bounded::<(u64, Sender<u64>)>(under_way.max(1));
    let server = std::thread::spawn(move || {
        for (number, answer) in requests_from {
            answer.send(2 * number).expect("the client waits for it");
        }
    });
    let value = |answer: Receiver<u64>| answer.recv().expect("the server answers");
    let taken = timed(|| {
        let (mut sum, mut answers) = (0, VecDeque::with_capacity(under_way));
        for request in 0..requests {
            if answers.len() == under_way {
                sum += answers.pop_front().map_or(0, value);
            }
            let (answer_to, answer_from) = bounded(1);
            requests_to.send((request, answer_to)).expect("the server listens");
            answers.push_back(answer_from);
        }
        sum += answers.into_iter().map(value).sum::<u64>();
        assert_eq!(sum, requests * (requests - 1));
    });
    drop(requests_to);
    server.join().expect("the server ends");
    taken
}
