//! A connection as the fibers see it: its socket, and the answers on their way.

use std::io;
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use rustix::event::{EventfdFlags, eventfd};

use crate::outgoing::Outgoing;

/// Connections that the poller must look at, noted by other threads.
#[derive(Debug)]
pub struct Notices {
    list: Mutex<Vec<usize>>,
    /// Readable while the list is not empty.
    event: OwnedFd,
}

impl Notices {
    /// Makes an empty list.
    ///
    /// # Errors
    ///
    /// If the system has no event descriptor left.
    pub fn new() -> io::Result<Arc<Self>> {
        let event = eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?;
        Ok(Arc::new(Notices { list: Mutex::default(), event }))
    }

    /// Notes a connection, and wakes the poller with the first one.
    fn note(&self, key: usize) {
        let is_first = {
            let mut list = self.list.lock();
            list.push(key);
            list.len() == 1
        };
        if is_first {
            // It fails only if the counter is full. Then the poller will still read it.
            let _ = rustix::io::write(&self.event, &1_u64.to_ne_bytes());
        }
    }

    /// Takes all noted connections.
    pub fn take(&self) -> Vec<usize> {
        // A notice after this read wakes the poller again, unless the list below has it.
        let _ = rustix::io::read(&self.event, &mut [0; 8]);
        std::mem::take(&mut *self.list.lock())
    }
}

impl AsFd for Notices {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.event.as_fd()
    }
}

/// A peer's connection, which the poller and fibers share. The last handle closes the socket.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    /// Key among the poller's connections.
    key: usize,
    outgoing: Mutex<Outgoing>,
    notices: Arc<Notices>,
}

impl Connection {
    /// Makes the connection of a socket that does not block.
    pub fn new(stream: TcpStream, key: usize, notices: Arc<Notices>) -> Self {
        Connection { stream, key, outgoing: Mutex::default(), notices }
    }

    /// Accepts the answer to request `number`, and writes it in its turn. Never blocks: bytes that a
    /// full socket refuses wait for the poller.
    pub fn answer(&self, number: u64, answer: Vec<u8>) {
        if self.outgoing.lock().answer(number, answer, &mut &self.stream) {
            self.notices.note(self.key);
        }
    }

    /// Writes bytes that waited for room in the socket. Called by the poller, which needs no notice.
    pub fn flush(&self) {
        self.outgoing.lock().flush(&mut &self.stream);
    }

    /// Returns the answers on their way.
    pub fn outgoing(&self) -> MutexGuard<'_, Outgoing> {
        self.outgoing.lock()
    }

    /// Returns the socket.
    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }
}
