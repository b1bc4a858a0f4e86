//! Answers on their way to one peer: their order, and the bytes that its full socket refused.

use std::collections::{BTreeMap, VecDeque};
use std::io::{ErrorKind, Write};

/// Bytes that a request takes in memory, in addition to its frame: its call, its buffer's header, and the
/// allocator's share. An estimate.
const OVERHEAD: usize = 128;

/// Returns the bytes of memory that a request with an answer of `length` bytes is counted as.
pub const fn cost(length: usize) -> u64 {
    (OVERHEAD + length) as u64
}

/// Answers to one peer.
///
/// The reader of requests numbers them from 0. Functions finish in any order, on several nodes. An answer
/// that comes early waits for the earlier ones, so answers are written in the order of the requests.
#[derive(Debug, Default)]
pub struct Outgoing {
    /// Number of the next answer.
    next: u64,
    early: BTreeMap<u64, Vec<u8>>,
    /// Answers in order that a full socket refused.
    unsent: VecDeque<Vec<u8>>,
    /// Number of bytes of the first unsent answer that the socket has accepted.
    accepted: usize,
    /// Sum of the [`cost`]s of all answers that the socket has accepted.
    released: u64,
    /// The reader stopped, and continues when `released` has this value.
    resume_at: Option<u64>,
    /// Number of requests, if no further request comes.
    requests: Option<u64>,
    /// Whether the peer is gone, so that answers are dropped.
    is_broken: bool,
}

impl Outgoing {
    /// Accepts the answer to request `number`. Writes it to `peer` if it is next, with the answers that
    /// waited for it. Returns whether the reader must [look](Self::state).
    pub fn answer(&mut self, number: u64, answer: Vec<u8>, peer: &mut impl Write) -> bool {
        if self.is_broken {
            return false;
        }
        if number != self.next {
            self.early.insert(number, answer);
            return false;
        }
        let had_unsent = self.has_unsent();
        self.unsent.push_back(answer);
        self.next += 1;
        while let Some(answer) = self.early.remove(&self.next) {
            self.unsent.push_back(answer);
            self.next += 1;
        }
        // With bytes unsent before, the reader waits for room in the socket.
        !had_unsent && self.flush(peer)
    }

    /// Writes unsent bytes until the peer's socket is full. Returns whether the reader must
    /// [look](Self::state).
    pub fn flush(&mut self, peer: &mut impl Write) -> bool {
        while let Some(answer) = self.unsent.front() {
            match peer.write(&answer[self.accepted..]) {
                Ok(bytes) if bytes > 0 => self.accepted += bytes,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Ok(_) | Err(_) => {
                    self.abandon();
                    return true;
                }
            }
            if self.accepted == answer.len() {
                self.released += cost(answer.len());
                self.accepted = 0;
                self.unsent.pop_front();
            }
        }
        let resumes = self.resume_at.is_some_and(|at| self.released >= at);
        if resumes {
            self.resume_at = None;
        }
        resumes || self.has_unsent() || self.is_finished()
    }

    /// Drops all answers, and those that follow, because the peer is gone.
    pub fn abandon(&mut self) {
        *self = Outgoing { is_broken: true, ..Outgoing::default() };
    }

    /// Announces that there are `requests` requests and no more.
    pub fn end_after(&mut self, requests: u64) {
        self.requests = Some(requests);
    }

    /// Has a later [`answer`](Self::answer) or [`flush`](Self::flush) report when answers of this
    /// [`cost`](cost) in total have been accepted by the socket. Returns whether this is so already.
    pub fn resume_at(&mut self, released: u64) -> bool {
        self.resume_at = (self.released < released).then_some(released);
        self.resume_at.is_none()
    }

    /// Returns the sum of the [`cost`]s of all answers that the socket has accepted.
    pub fn released(&self) -> u64 {
        self.released
    }

    /// Whether the socket is full and bytes wait.
    pub fn has_unsent(&self) -> bool {
        !self.unsent.is_empty()
    }

    /// Whether the peer is gone.
    pub fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Whether the last answer was accepted by the socket.
    pub fn is_finished(&self) -> bool {
        self.requests == Some(self.next) && !self.has_unsent()
    }
}
