//! The server in this process.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener};
use std::os::unix::net::UnixStream;
use std::thread::JoinHandle;
use std::time::Duration;

use earth::{CancelToken, Config, Error, Machine};
use earth_tcp_echo::client::{Bounds, Client, Load};
use earth_tcp_echo::frame::MOST_PAYLOAD;
use earth_tcp_echo::server::{ServeError, Served, serve};
use earth_tcp_echo::service::machine;

use crate::{LIMIT, connect, expect_answer, payload, request, round_trip};

/// A server in a thread. It stops when this is dropped.
struct Running {
    address: SocketAddr,
    stop: UnixStream,
    thread: JoinHandle<(Machine, Result<Served, ServeError>)>,
}

impl Running {
    fn start(machine: Machine, nodes: usize, most: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it listens");
        let (stop, stops) = UnixStream::pair().expect("there are sockets");
        let thread = std::thread::spawn(move || serve(&listener, (machine, nodes), most, stops));
        Running { address, stop, thread }
    }

    fn wait(self) -> (Machine, Result<Served, ServeError>) {
        drop(self.stop);
        self.thread.join().expect("a server does not panic")
    }

    fn stop(self) -> (Machine, Served) {
        let (machine, served) = self.wait();
        (machine, served.expect("it serves to its end"))
    }
}

fn of_two_nodes(most: usize) -> Running {
    Running::start(machine(2, Config::Spn), 2, most)
}

#[test]
fn ten_connections_on_every_machine() {
    for (config, nodes) in [Config::Spn, Config::Dual].into_iter().flat_map(|c| [1, 2, 3].map(|n| (c, n))) {
        let mut machine = machine(nodes, config);
        // A machine serves again.
        for length in [64, 1] {
            let server = Running::start(machine, nodes, 10);
            let mut client = Client::connect(server.address, 10, length, LIMIT).expect("it serves");
            let mut measure = |load, requests| {
                let bounds = Bounds { requests, time: LIMIT };
                let mut measured = client.measure(load, bounds).expect("all answers are right");
                assert_eq!(measured.answered, requests);
                let [half, all] = measured.latencies.per_mille([500, 1000]);
                assert!(0.0 < half && half <= all && all <= LIMIT.as_secs_f64() * 1e6, "{half}, {all}");
            };
            measure(Load::Closed { active: 10 }, 200);
            measure(Load::Closed { active: 3 }, 50);
            measure(Load::Open { rate: 1e5 }, 100);
            let (back, served) = server.stop();
            machine = back;
            assert_eq!((served.accepted, served.requests), (10, 360), "{nodes} nodes, {config}");
            assert_eq!((served.invalid, served.exhausted), (0, 0));
        }
    }
}

#[test]
fn requests_in_pieces_and_in_heaps_are_answered_in_order() {
    let server = of_two_nodes(10);
    let mut peer = connect(server.address);
    for byte in [1, 3].into_iter().flat_map(|length| request(&payload(length))) {
        peer.write_all(&[byte]).expect("the server reads");
    }
    for length in [1, 3] {
        expect_answer(&mut peer, &payload(length));
    }
    let lengths: Vec<usize> = (0..300).map(|i| 1 + i * 101 % MOST_PAYLOAD).collect();
    let heap: Vec<u8> = lengths.iter().flat_map(|&length| request(&payload(length))).collect();
    let mut writes = peer.try_clone().expect("it is open");
    std::thread::scope(|scope| {
        scope.spawn(move || writes.write_all(&heap).expect("the server reads"));
        for &length in &lengths {
            expect_answer(&mut peer, &payload(length));
        }
    });
    assert_eq!(server.stop().1.requests, 302);
}

#[test]
fn a_peer_that_does_not_read_is_not_read_from_and_delays_no_other() {
    let server = of_two_nodes(10);
    let (mut lazy, mut other) = (connect(server.address), connect(server.address));
    lazy.set_nonblocking(true).expect("it is open");
    let question = request(&payload(MOST_PAYLOAD));
    // Sends until the socket was full in several turns of the poller.
    let (mut sent, mut refused) = (0, 0);
    while refused < 16 {
        assert!(sent < 64 << 20, "sockets do not have so much room, so the server reads on");
        match lazy.write(&question[sent % question.len()..]) {
            Ok(bytes) => (sent, refused) = (sent + bytes, 0),
            Err(error) if error.kind() == ErrorKind::WouldBlock => refused += 1,
            Err(error) => panic!("{error}"),
        }
        round_trip(&mut other, b"served meanwhile");
    }
    lazy.set_nonblocking(false).expect("it is open");
    let mut writes = lazy.try_clone().expect("it is open");
    let requests = sent.div_ceil(question.len()) + 100;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let rest = question.iter().cycle().skip(sent % question.len());
            let rest: Vec<u8> = rest.take(requests * question.len() - sent).copied().collect();
            writes.write_all(&rest).expect("the server reads again");
        });
        (0..requests).for_each(|_| expect_answer(&mut lazy, &payload(MOST_PAYLOAD)));
    });
    assert!(server.stop().1.pauses > 0);
}

#[test]
fn a_reset_frees_the_place_of_the_connection() {
    let server = of_two_nodes(1);
    for _ in 0..3 {
        // The second connection waits for the place of the first.
        let (mut first, mut second) = (connect(server.address), connect(server.address));
        first.write_all(&request(b"dropped")).expect("the server reads");
        first.peek(&mut [0]).expect("the answer comes");
        // A socket that is closed with unread bytes resets its connection.
        first.write_all(&request(&payload(99))[..50]).expect("the server reads");
        drop(first);
        round_trip(&mut second, b"answered");
    }
    let (_, served) = server.stop();
    assert_eq!((served.accepted, served.resets), (6, 3));
}

#[test]
fn a_peer_that_stops_sending_gets_all_answers() {
    let server = of_two_nodes(1);
    for cut in [0, 1, 30] {
        let mut peer = connect(server.address);
        let (lengths, next) = ([1, 64, 9, MOST_PAYLOAD, 2], request(&payload(64)));
        let mut bytes: Vec<u8> = lengths.iter().flat_map(|&length| request(&payload(length))).collect();
        bytes.extend(&next[..cut]);
        peer.write_all(&bytes).expect("the server reads");
        peer.shutdown(Shutdown::Write).expect("it is open");
        for &length in &lengths {
            expect_answer(&mut peer, &payload(length));
        }
        assert_eq!(peer.read(&mut [0]).expect("the server closes it"), 0);
    }
    let (_, served) = server.stop();
    assert_eq!((served.accepted, served.requests, served.invalid), (3, 15, 0));
}

#[test]
fn an_invalid_frame_closes_its_connection_alone() {
    let server = of_two_nodes(10);
    let mut other = connect(server.address);
    for length in [0, MOST_PAYLOAD as u32 + 1] {
        let mut peer = connect(server.address);
        peer.write_all(&length.to_le_bytes()).expect("the server reads");
        assert!(matches!(peer.read(&mut [0]), Ok(0)), "the server closes it");
        round_trip(&mut other, b"answered");
    }
    assert_eq!(server.stop().1.invalid, 2);
}

#[test]
fn the_end_of_the_run_ends_the_server() {
    let token = CancelToken::new();
    let server = Running::start(machine(2, Config::Spn).cancel_token(token.clone()), 2, 10);
    let mut peer = connect(server.address);
    round_trip(&mut peer, b"answered");
    token.cancel();
    peer.write_all(&request(b"refused")).expect("the server reads");
    assert!(matches!(peer.read(&mut [0]), Ok(0) | Err(_)), "no answer comes");
    let Running { thread, stop, .. } = server;
    let (_, served) = thread.join().expect("a server does not panic");
    assert!(matches!(served, Err(ServeError::Run(Error::Cancelled))), "{served:?}");
    drop(stop);
}

#[test]
fn a_client_reports_a_server_that_stops() {
    let server = of_two_nodes(10);
    let mut client = Client::connect(server.address, 3, 64, LIMIT).expect("it serves");
    server.stop();
    let bounds = Bounds { requests: 10, time: Duration::from_secs(1) };
    let lost = client.measure(Load::Closed { active: 3 }, bounds).expect_err("no server is there");
    assert!(lost.contains("was lost after 1 answers"), "{lost}");
}
