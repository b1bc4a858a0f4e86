//! The order of answers, and sockets that accept a part.

use std::io::{self, ErrorKind, Write};

use earth_tcp_echo::outgoing::{Outgoing, cost};

/// A socket that accepts a number of bytes in each of its calls, and then has no room.
struct Socket {
    /// Results of the next calls: a number of accepted bytes, or an error.
    calls: Vec<Result<usize, ErrorKind>>,
    written: Vec<u8>,
}

impl Socket {
    fn new(calls: &[Result<usize, ErrorKind>]) -> Self {
        Socket { calls: calls.iter().rev().copied().collect(), written: Vec::new() }
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let accepted = self.calls.pop().unwrap_or(Err(ErrorKind::WouldBlock))?.min(bytes.len());
        self.written.extend_from_slice(&bytes[..accepted]);
        Ok(accepted)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const ALL: Result<usize, ErrorKind> = Ok(usize::MAX);

#[test]
fn answers_are_written_in_the_order_of_requests() {
    // All orders of four answers.
    let mut orders = vec![vec![]];
    for number in 0..4_u64 {
        let insert = |order: &Vec<u64>, at: usize| {
            let mut order = order.clone();
            order.insert(at, number);
            order
        };
        orders = orders.iter().flat_map(|order| (0..=order.len()).map(|at| insert(order, at))).collect();
    }
    assert_eq!(orders.len(), 24);
    for order in orders {
        let (mut outgoing, mut socket) = (Outgoing::default(), Socket::new(&[ALL; 4]));
        for &number in &order {
            let answer = vec![number as u8; 3];
            assert!(!outgoing.answer(number, answer, &mut socket), "{order:?}: nothing is unsent");
        }
        assert_eq!(socket.written, [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3], "{order:?}");
        assert_eq!(outgoing.released(), 4 * cost(3));
    }
}

#[test]
fn bytes_without_room_wait_for_it() {
    let calls = [Ok(2), Err(ErrorKind::Interrupted), Ok(1), Err(ErrorKind::WouldBlock), Ok(4), Ok(1), ALL];
    let (mut outgoing, mut socket) = (Outgoing::default(), Socket::new(&calls));
    assert!(outgoing.answer(0, b"abcdefgh".to_vec(), &mut socket), "the poller must wait for room");
    assert_eq!((&*socket.written, outgoing.released()), (&b"abc"[..], 0));
    assert!(outgoing.has_unsent());
    // A later answer queues behind the rest, and the poller already waits.
    assert!(!outgoing.answer(1, b"ij".to_vec(), &mut socket));
    assert_eq!(socket.written, b"abc");
    assert!(!outgoing.flush(&mut socket));
    assert_eq!((&*socket.written, outgoing.released()), (&b"abcdefghij"[..], cost(8) + cost(2)));
    assert!(!outgoing.has_unsent());
}

#[test]
fn the_reader_resumes_when_enough_is_released() {
    let (mut outgoing, mut socket) = (Outgoing::default(), Socket::new(&[ALL; 4]));
    assert!(!outgoing.answer(0, vec![0; 3], &mut socket));
    assert!(outgoing.resume_at(cost(3)), "this is so already");
    assert!(!outgoing.resume_at(3 * cost(3)));
    assert!(!outgoing.answer(1, vec![1; 3], &mut socket));
    assert!(outgoing.answer(2, vec![2; 3], &mut socket));
    assert!(!outgoing.answer(3, vec![3; 3], &mut socket), "it reports once");
}

#[test]
fn the_last_answer_is_reported_when_it_is_written() {
    let (mut outgoing, mut socket) =
        (Outgoing::default(), Socket::new(&[ALL, Err(ErrorKind::WouldBlock), ALL]));
    outgoing.end_after(2);
    assert!(!outgoing.answer(0, vec![0; 3], &mut socket));
    assert!(!outgoing.is_finished());
    assert!(outgoing.answer(1, vec![1; 3], &mut socket), "the poller must wait for room");
    assert!(!outgoing.is_finished(), "it is not written");
    assert!(outgoing.flush(&mut socket));
    assert!(outgoing.is_finished());
}

#[test]
fn answers_to_a_peer_that_is_gone_are_dropped() {
    for gone in [Err(ErrorKind::BrokenPipe), Err(ErrorKind::ConnectionReset), Ok(0)] {
        let (mut outgoing, mut socket) = (Outgoing::default(), Socket::new(&[gone, ALL]));
        assert!(!outgoing.answer(1, vec![1], &mut socket));
        assert!(outgoing.answer(0, vec![0], &mut socket), "the poller must close the connection");
        assert!(outgoing.is_broken() && !outgoing.has_unsent());
        assert!(!outgoing.answer(2, vec![2], &mut socket));
        assert!(!outgoing.flush(&mut socket));
        assert_eq!(socket.written, [0_u8; 0]);
    }
}
