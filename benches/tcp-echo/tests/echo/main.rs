//! The echo server: its frames, the order of its answers, the server in this process on every machine that
//! takes input, and the program.
#![cfg(target_os = "linux")]

mod frames;
mod order;
mod program;
mod serving;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use earth_tcp_echo::frame;

/// Time after which a read or a wait that should have ended fails its test.
const LIMIT: Duration = Duration::from_mins(1);

/// Connects to a server. Reads fail after [`LIMIT`].
fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("the server listens");
    stream.set_read_timeout(Some(LIMIT)).expect("a limit above 0");
    stream.set_nodelay(true).expect("it is connected");
    stream
}

/// Returns a payload of `length` bytes.
fn payload(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i * i + length) as u8).collect()
}

/// Returns the request with a payload.
fn request(payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame::request(payload, &mut bytes);
    bytes
}

/// Reads the answer to a payload, and checks it.
fn expect_answer(stream: &mut TcpStream, payload: &[u8]) {
    let mut head = [0; 4];
    stream.read_exact(&mut head).expect("an answer comes");
    let mut content = vec![0; u32::from_le_bytes(head) as usize];
    stream.read_exact(&mut content).expect("a whole answer comes");
    assert_eq!(content.len(), payload.len() + 8);
    assert!(frame::is_answer_to(payload, &content));
}

/// Sends a request, and checks its answer.
fn round_trip(stream: &mut TcpStream, payload: &[u8]) {
    stream.write_all(&request(payload)).expect("the server reads");
    expect_answer(stream, payload);
}
