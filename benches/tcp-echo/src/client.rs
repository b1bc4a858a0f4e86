//! The load generator: one thread with many connections, which checks each answer.
//!
//! Two loads:
//!
//! * *Closed loop*: a number of requests is under way at a time. An answer allows the next request, which
//!   goes to the connection that has been idle for the longest time. A slow server slows its load down.
//! * *Open loop*: requests are due at a fixed rate, on the connections in turn, whether or not earlier
//!   answers have come. The time of a request counts from when it was *due*. So a stall of the server or of
//!   the client counts in every request that it delayed (no coordinated omission).

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use crate::frame::{self, Incoming};
use crate::latencies::Latencies;
use crate::poll::{Interest, Poll, Ready};

/// Connections that are made at a time. Each sends a request, and the next ones are made when all are
/// answered, so that the server's queue of connections does not overflow.
const WAVE: usize = 64;

/// Requests that are sent between two looks for answers.
const BURST: usize = 16;

/// Bytes of a read.
const READ: usize = 16 << 10;

/// How requests follow each other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Load {
    /// A new request for each answer.
    Closed {
        /// Number of requests under way.
        active: usize,
    },
    /// Requests at fixed times.
    Open {
        /// Requests per second.
        rate: f64,
    },
}

/// Bounds of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The most requests.
    pub requests: u64,
    /// The most time in which requests are sent.
    pub time: Duration,
}

/// Result of a measurement.
#[derive(Debug)]
pub struct Measured {
    /// Times of all requests.
    pub latencies: Latencies,
    /// Number of requests, which were all answered.
    pub answered: u64,
    /// Time from the first request to the last answer.
    pub time: Duration,
}

/// The error that ended a client: a sentence.
pub type ClientError = String;

/// Connections to a server.
#[derive(Debug)]
pub struct Client {
    poll: Poll,
    peers: Vec<Peer>,
    payload: usize,
    under_way: u64,
    /// The longest time without any answer while answers are missing.
    patience: Duration,
    /// When the last answer came, or when the first missing one was requested.
    heard: Instant,
    buffer: Box<[u8; READ]>,
    /// A payload that is sent or expected.
    bytes: Vec<u8>,
}

/// A connection.
#[derive(Debug)]
struct Peer {
    stream: TcpStream,
    incoming: Incoming,
    /// When each request that is under way was due.
    due: VecDeque<Instant>,
    /// Number of the next request.
    sent: u64,
    /// Number of the next answer.
    answered: u64,
    /// Bytes that the socket did not accept.
    unsent: Vec<u8>,
    interest: Interest,
}

impl Client {
    /// Makes `connections` connections, and sends a request with `payload` bytes on each.
    ///
    /// # Errors
    ///
    /// If a connection cannot be made, or if an answer is wrong or does not come within `patience`.
    pub fn connect(
        address: SocketAddr,
        connections: usize,
        payload: usize,
        patience: Duration,
    ) -> Result<Self, ClientError> {
        let poll = Poll::new().map_err(|error| format!("epoll_create failed: {error}"))?;
        let mut client = Client {
            poll,
            peers: Vec::with_capacity(connections),
            payload,
            under_way: 0,
            patience,
            heard: Instant::now(),
            buffer: Box::new([0; READ]),
            bytes: Vec::with_capacity(payload),
        };
        while client.peers.len() < connections {
            for key in client.peers.len()..connections.min(client.peers.len() + WAVE) {
                let failed = |error| format!("connection {key} to {address} failed: {error}");
                let peer = Peer::connect(address, patience).map_err(failed)?;
                client.poll.add(&peer.stream, key, Interest::Read).map_err(failed)?;
                client.peers.push(peer);
                client.send(key, Instant::now())?;
            }
            client.finish(&mut |_, _| {})?;
        }
        Ok(client)
    }

    /// Sends requests, and waits for all answers.
    ///
    /// # Errors
    ///
    /// If a connection is closed, or if an answer is wrong or does not come.
    pub fn measure(&mut self, load: Load, bounds: Bounds) -> Result<Measured, ClientError> {
        match load {
            Load::Closed { active } => self.closed(active, bounds),
            Load::Open { rate } => self.open(rate, bounds),
        }
    }

    fn closed(&mut self, active: usize, bounds: Bounds) -> Result<Measured, ClientError> {
        let mut idle: VecDeque<usize> = (0..self.peers.len()).collect();
        let mut latencies = Latencies::default();
        let (start, mut sent) = (Instant::now(), 0);
        let (mut last, mut idle_before) = (start, idle.len());
        loop {
            let has_time = last.duration_since(start) < bounds.time;
            // A new request for each answer, and more as long as too few are under way.
            let mut may_send = BURST + idle.len().saturating_sub(idle_before);
            while has_time && may_send > 0 && sent < bounds.requests && (self.under_way as usize) < active {
                let Some(key) = idle.pop_front() else { break };
                self.send(key, Instant::now())?;
                (sent, may_send) = (sent + 1, may_send - 1);
            }
            if self.under_way == 0 {
                return Ok(Measured { latencies, answered: sent, time: last.duration_since(start) });
            }
            idle_before = idle.len();
            // After a whole burst there may be more to send.
            let limit = if may_send == 0 { Duration::ZERO } else { self.patience };
            self.turn(limit, &mut |key, latency| {
                idle.push_back(key);
                latencies.add(latency);
            })?;
            last = Instant::now();
        }
    }

    fn open(&mut self, rate: f64, bounds: Bounds) -> Result<Measured, ClientError> {
        let requests = bounds.requests.min((rate * bounds.time.as_secs_f64()) as u64).max(1);
        let mut latencies = Latencies::with_capacity(requests as usize);
        let (start, mut sent) = (Instant::now(), 0);
        let due = |request: u64| start + Duration::from_secs_f64(request as f64 / rate);
        while sent < requests {
            let now = Instant::now();
            let mut may_send = BURST;
            while may_send > 0 && sent < requests && due(sent) <= now {
                self.send((sent % self.peers.len() as u64) as usize, due(sent))?;
                (sent, may_send) = (sent + 1, may_send - 1);
            }
            let limit = due(sent).saturating_duration_since(Instant::now());
            self.turn(limit, &mut |_, latency| latencies.add(latency))?;
        }
        self.finish(&mut |_, latency| latencies.add(latency))?;
        Ok(Measured { latencies, answered: sent, time: start.elapsed() })
    }

    /// Waits for all answers. Calls `answered` with the connection and the time of each.
    fn finish(&mut self, answered: &mut dyn FnMut(usize, Duration)) -> Result<(), ClientError> {
        while self.under_way > 0 {
            self.turn(self.patience, answered)?;
        }
        Ok(())
    }

    /// Sends the next request of a connection.
    fn send(&mut self, key: usize, due: Instant) -> Result<(), ClientError> {
        let Client { poll, peers, payload, under_way, heard, bytes, .. } = self;
        if *under_way == 0 {
            *heard = Instant::now();
        }
        *under_way += 1;
        let peer = &mut peers[key];
        fill(bytes, *payload, key, peer.sent);
        peer.sent += 1;
        peer.due.push_back(due);
        let is_first = peer.unsent.is_empty();
        frame::request(bytes, &mut peer.unsent);
        // Otherwise the socket is full, and an event comes when it has room.
        if is_first { peer.flush(poll, key).map_err(|error| lost(key, peer, &error)) } else { Ok(()) }
    }

    /// Waits for events, at most for `limit`, and handles them.
    fn turn(
        &mut self,
        limit: Duration,
        answered: &mut dyn FnMut(usize, Duration),
    ) -> Result<(), ClientError> {
        let ready = self.poll.wait(Some(limit)).map_err(|error| format!("epoll_wait failed: {error}"))?;
        for ready in ready {
            self.handle(ready, answered)?;
        }
        if self.under_way > 0 && self.heard.elapsed() > self.patience {
            let seconds = self.patience.as_secs_f64();
            return Err(format!("{} answers are missing, and none came for {seconds} s", self.under_way));
        }
        Ok(())
    }

    fn handle(&mut self, ready: Ready, answered: &mut dyn FnMut(usize, Duration)) -> Result<(), ClientError> {
        let Client { poll, peers, payload, under_way, heard, buffer, bytes, .. } = self;
        let (key, peer) = (ready.key, &mut peers[ready.key]);
        if ready.is_writable && peer.interest == Interest::ReadAndWrite {
            peer.flush(poll, key).map_err(|error| lost(key, peer, &error))?;
        }
        let mut is_readable = ready.is_readable;
        while is_readable {
            match peer.stream.read(&mut **buffer) {
                Ok(0) => return Err(lost(key, peer, &"the server closed it")),
                Ok(bytes) => {
                    is_readable = bytes == READ || ready.is_ending;
                    peer.incoming.push(&buffer[..bytes]);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => is_readable = false,
                Err(error) => return Err(lost(key, peer, &error)),
            }
            let now = Instant::now();
            while let Some(content) =
                peer.incoming.take().map_err(|error| wrong(key, peer.answered, &error))?
            {
                fill(bytes, *payload, key, peer.answered);
                if !frame::is_answer_to(bytes, content) {
                    return Err(wrong(key, peer.answered, &"it differs from its request"));
                }
                let Some(due) = peer.due.pop_front() else {
                    return Err(wrong(key, peer.answered, &"there was no request"));
                };
                (peer.answered, *under_way, *heard) = (peer.answered + 1, *under_way - 1, now);
                answered(key, now.saturating_duration_since(due));
            }
        }
        Ok(())
    }
}

impl Peer {
    fn connect(address: SocketAddr, patience: Duration) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, patience)?;
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        Ok(Peer {
            stream,
            incoming: Incoming::of_answers(),
            due: VecDeque::new(),
            sent: 0,
            answered: 0,
            unsent: Vec::new(),
            interest: Interest::Read,
        })
    }

    /// Writes unsent bytes, and has the rest wait for room.
    fn flush(&mut self, poll: &Poll, key: usize) -> io::Result<()> {
        let mut accepted = 0;
        while accepted < self.unsent.len() {
            match (&self.stream).write(&self.unsent[accepted..]) {
                Ok(bytes) => accepted += bytes,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        self.unsent.drain(..accepted);
        let interest = if self.unsent.is_empty() { Interest::Read } else { Interest::ReadAndWrite };
        if interest != self.interest {
            self.interest = interest;
            poll.change(&self.stream, key, interest)?;
        }
        Ok(())
    }
}

fn lost(key: usize, peer: &Peer, why: &dyn std::fmt::Display) -> ClientError {
    format!("connection {key} was lost after {} answers: {why}", peer.answered)
}

fn wrong(key: usize, number: u64, why: &dyn std::fmt::Display) -> ClientError {
    format!("answer {number} of connection {key} is wrong: {why}")
}

/// Makes the payload of a request, which differs from the payloads of all other requests if it has 16 bytes.
fn fill(bytes: &mut Vec<u8>, payload: usize, key: usize, number: u64) {
    bytes.clear();
    bytes.extend((key as u64).to_le_bytes());
    bytes.extend(number.to_le_bytes());
    // The steps of the generator SplitMix64.
    let mut state = (key as u64) << 32 ^ number;
    while bytes.len() < payload {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bytes.extend((mixed ^ mixed >> 27).to_le_bytes());
    }
    bytes.truncate(payload);
}
