//! A link between processes of one computer: a Unix socket for each pair of ranks.
//!
//! A message is sent as its length, in eight bytes, and its bytes. Bytes that a socket does not accept stay
//! in a queue. Each rank's queue holds a limited number of messages; beyond it, messages are refused. Sockets
//! never block. An idle rank waits in `poll(2)` until a socket is ready or another thread rings its bell.
//!
//! *Cost.* A system call for each message that leaves, and one for all messages that have arrived. A small
//! message is copied behind its length, which is faster than a gathering write of two pieces. A large message
//! is read directly into its final buffer.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, IoSlice, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::task::{Wake, Waker};
use std::time::Duration;

use earth::ranks::{Link, Lost};
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};

/// Longest message, in bytes, that is accepted as plausible.
const MOST: u64 = 1 << 30;

/// Size of a message's length, in bytes.
const LENGTH: usize = 8;

/// Number of bytes that are read at once.
const CHUNK: usize = 1 << 16;

/// Size of the largest message, in bytes, that is copied before it is written.
const SMALL: usize = 1 << 10;

/// Event descriptor whose ring ends a wait.
struct Bell(OwnedFd);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        // The write fails only if the counter is full. A full counter ends the wait, too.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }
}

/// The socket to another rank.
struct Peer {
    socket: UnixStream,
    /// Unsent messages, each behind its length. `left` is the number of sent bytes of the first one.
    leaving: VecDeque<([u8; LENGTH], Vec<u8>)>,
    left: usize,
    /// Bytes that were read; the first `taken` are consumed.
    came: Vec<u8>,
    taken: usize,
    /// Message that is being read, and its length.
    message: Option<(Vec<u8>, usize)>,
    /// Whether the last read did not fill its buffer, so that another read would probably find no data.
    drained: bool,
    lost: bool,
}

/// One process's ends of all sockets.
pub struct Sockets {
    rank: usize,
    room: usize,
    /// Socket to each rank; `None` for this rank.
    peers: Vec<Option<Peer>>,
    /// Rank whose socket is read first.
    first: usize,
    bell: Arc<Bell>,
    /// Buffer in which a small message is put behind its length.
    copy: Vec<u8>,
}

impl Peer {
    fn new(socket: UnixStream) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        Ok(Peer {
            socket,
            leaving: VecDeque::new(),
            left: 0,
            came: Vec::new(),
            taken: 0,
            message: None,
            drained: false,
            lost: false,
        })
    }

    /// Writes as much as the socket accepts.
    fn write(&mut self) {
        while let Some((length, message)) = self.leaving.front() {
            let rest = [
                IoSlice::new(&length[self.left.min(LENGTH)..]),
                IoSlice::new(&message[self.left.saturating_sub(LENGTH)..]),
            ];
            match self.socket.write_vectored(&rest) {
                Ok(written) => {
                    self.left += written;
                    if self.left == LENGTH + message.len() {
                        self.left = 0;
                        self.leaving.pop_front();
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                // The reading side reports the error.
                Err(_) => self.leaving.clear(),
            }
        }
    }

    /// Returns the next message of the bytes that were read.
    fn take(&mut self) -> Result<Option<Vec<u8>>, String> {
        if self.message.is_none()
            && let Some((length, _)) = self.came[self.taken..].split_first_chunk()
        {
            let length = u64::from_le_bytes(*length);
            if length > MOST {
                return Err(format!("it announced a message of {length} bytes"));
            }
            self.taken += LENGTH;
            self.message = Some((Vec::new(), length as usize));
        }
        let Some((message, length)) = &mut self.message else { return Ok(None) };
        let came = &self.came[self.taken..];
        let more = came.len().min(*length - message.len());
        message.extend_from_slice(&came[..more]);
        self.taken += more;
        Ok(self.message.take_if(|(message, length)| message.len() == *length).map(|(message, _)| message))
    }

    /// Reads the bytes that have arrived. Returns whether there were any.
    fn read(&mut self) -> Result<bool, String> {
        if std::mem::take(&mut self.drained) {
            return Ok(false);
        }
        // The consumed bytes are already in the message, or were a length.
        self.came.drain(..self.taken);
        self.taken = 0;
        let missing = self.message.as_ref().map_or(0, |(message, length)| length - message.len());
        let (buffer, most) = match &mut self.message {
            Some((message, _)) if missing > CHUNK => (message, missing.min(16 * CHUNK)),
            _ => (&mut self.came, CHUNK),
        };
        let before = buffer.len();
        buffer.resize(before + most, 0);
        let read = loop {
            match self.socket.read(&mut buffer[before..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        buffer.truncate(before + read.as_ref().map_or(0, |&read| read));
        match read {
            Ok(0) => Err("its socket is closed".to_owned()),
            Ok(read) => {
                self.drained = read < most;
                Ok(true)
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Returns the next message.
    fn next(&mut self) -> Result<Option<Vec<u8>>, String> {
        loop {
            if let Some(message) = self.take()? {
                return Ok(Some(message));
            }
            if !self.read()? {
                return Ok(None);
            }
        }
    }
}

impl Sockets {
    /// Joins rank `rank` with all other ranks of `ranks`, which find each other in a directory. The queue of
    /// each rank has room for `room` messages. Returns when all ranks have joined.
    ///
    /// # Errors
    ///
    /// Returns the errors of the sockets.
    pub fn join(directory: &Path, rank: usize, ranks: usize, room: usize) -> io::Result<Self> {
        let path = |rank: usize| directory.join(rank.to_string());
        let listener = UnixListener::bind(path(rank))?;
        let mut peers: Vec<Option<Peer>> = (0..ranks).map(|_| None).collect();
        for (other, peer) in peers.iter_mut().enumerate().take(rank) {
            let mut socket = loop {
                match UnixStream::connect(path(other)) {
                    Ok(socket) => break socket,
                    Err(error)
                        if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) =>
                    {
                        std::thread::yield_now();
                    }
                    Err(error) => return Err(error),
                }
            };
            socket.write_all(&(rank as u64).to_le_bytes())?;
            *peer = Some(Peer::new(socket)?);
        }
        for _ in rank + 1..ranks {
            let (mut socket, _) = listener.accept()?;
            let mut number = [0; 8];
            socket.read_exact(&mut number)?;
            let peer = peers.get_mut(u64::from_le_bytes(number) as usize);
            let peer = peer.ok_or_else(|| io::Error::other("a rank has an invalid number"))?;
            *peer = Some(Peer::new(socket)?);
        }
        let bell = Arc::new(Bell(eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?));
        Ok(Sockets { rank, room, peers, first: 0, bell, copy: Vec::new() })
    }

    /// Waits as [`wait`](Link::wait) does. Returns whether an event ended the wait before its time limit.
    pub fn wait_until_woken(&mut self, most: Duration) -> bool {
        let there = self.peers.iter().flatten().filter(|peer| !peer.lost);
        let bell = PollFd::new(&self.bell.0, PollFlags::IN);
        let mut ready: Vec<_> = there
            .map(|peer| {
                let writes = if peer.leaving.is_empty() { PollFlags::empty() } else { PollFlags::OUT };
                PollFd::new(&peer.socket, PollFlags::IN | writes)
            })
            .chain([bell])
            .collect();
        let most = Timespec::try_from(most).ok();
        // An error, for example an interrupting signal, also ends a wait.
        let woken = poll(&mut ready, most.as_ref()) != Ok(0);
        if ready.last().is_some_and(|bell| !bell.revents().is_empty()) {
            let _ = rustix::io::read(&self.bell.0, &mut [0; 8]);
        }
        woken
    }
}

impl Link for Sockets {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.peers.len()
    }

    fn send(&mut self, to: usize, message: Vec<u8>) -> Result<(), Vec<u8>> {
        let Some(peer) = self.peers[to].as_mut().filter(|peer| !peer.lost) else { return Ok(()) };
        if peer.leaving.len() >= self.room {
            return Err(message);
        }
        let length = (message.len() as u64).to_le_bytes();
        if peer.leaving.is_empty() && message.len() <= SMALL {
            self.copy.clear();
            self.copy.extend_from_slice(&length);
            self.copy.extend_from_slice(&message);
            // If the write is incomplete, the rest is queued below. If it fails, a later call reports the
            // error.
            peer.left = peer.socket.write(&self.copy).unwrap_or(0);
            if peer.left == self.copy.len() {
                peer.left = 0;
                return Ok(());
            }
        }
        peer.leaving.push_back((length, message));
        peer.write();
        Ok(())
    }

    fn poll(&mut self) -> Result<Option<(usize, Vec<u8>)>, Lost> {
        let ranks = self.peers.len();
        for step in 0..ranks {
            let rank = (self.first + step) % ranks;
            let Some(peer) = self.peers[rank].as_mut().filter(|peer| !peer.lost) else { continue };
            match peer.next() {
                Ok(None) => {}
                Ok(Some(message)) => {
                    self.first = rank;
                    return Ok(Some((rank, message)));
                }
                Err(why) => {
                    peer.lost = true;
                    peer.leaving.clear();
                    return Err(Lost { rank, why });
                }
            }
        }
        self.first = (self.first + 1) % ranks;
        Ok(None)
    }

    fn flush(&mut self) -> bool {
        let peers = self.peers.iter_mut().flatten();
        peers.fold(true, |all, peer| {
            peer.write();
            all && peer.leaving.is_empty()
        })
    }

    fn wait(&mut self, most: Duration) {
        // After a spurious wake-up the caller polls and waits again.
        self.wait_until_woken(most);
    }

    fn waker(&self) -> Option<Waker> {
        Some(Waker::from(Arc::clone(&self.bell)))
    }
}
