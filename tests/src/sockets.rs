//! A link between processes of one computer: a Unix socket for each two of them.
//!
//! A message goes as its length, eight bytes, and its bytes. What a socket does not take stays here, up to so many
//! messages for each rank, then messages are refused. Sockets never block; a rank with nothing to do waits by
//! `poll(2)` until one of them is ready, or another thread rings its bell.
//!
//! *Cost.* A system call for each message that leaves, and one for as many as have come. A small message is copied
//! behind its length, which takes less than to have the system gather two pieces; a large one is read to where it
//! stays.

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

/// The longest message that is believed to come.
const MOST: u64 = 1 << 30;

/// The bytes that a message's length takes.
const LENGTH: usize = 8;

/// How many bytes are read at once.
const CHUNK: usize = 1 << 16;

/// How many bytes a message has at most that is copied before it is written.
const SMALL: usize = 1 << 10;

/// What is rung to end a wait.
struct Bell(OwnedFd);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        // Full, it has been rung more often than anybody can count, and ends the wait all the same.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }
}

/// The socket to another rank.
struct Peer {
    socket: UnixStream,
    /// The messages that have not left, each behind its length, and how much of the first has.
    leaving: VecDeque<([u8; LENGTH], Vec<u8>)>,
    left: usize,
    /// What was read and not taken out.
    came: Vec<u8>,
    taken: usize,
    /// The message that is being read, and its length.
    message: Option<(Vec<u8>, usize)>,
    /// Whether the last read found less than it had room for, so that the next one may find nothing.
    drained: bool,
    lost: bool,
}

/// One process's end of all sockets.
pub struct Sockets {
    rank: usize,
    room: usize,
    /// The socket to each rank; none to itself.
    peers: Vec<Option<Peer>>,
    /// The rank whose socket is read first.
    first: usize,
    bell: Arc<Bell>,
    /// Where a small message stands behind its length.
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

    /// Writes what the socket takes.
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
                // The reading side finds out why.
                Err(_) => self.leaving.clear(),
            }
        }
    }

    /// The next message of what was read.
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

    /// Reads what has come. Returns whether there was anything.
    fn read(&mut self) -> Result<bool, String> {
        if std::mem::take(&mut self.drained) {
            return Ok(false);
        }
        // What was read is part of the message by now, or a part of a length.
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

    /// The next message.
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
    /// The sockets between rank `rank` and all others of `ranks`, which find each other in a directory, with room for so many
    /// messages to each of them. Returns when all are there.
    ///
    /// # Errors
    ///
    /// Those of the sockets.
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
            let peer = peer.ok_or_else(|| io::Error::other("a rank has a number that there is not"))?;
            *peer = Some(Peer::new(socket)?);
        }
        let bell = Arc::new(Bell(eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?));
        Ok(Sockets { rank, room, peers, first: 0, bell, copy: Vec::new() })
    }

    /// Waits as [`wait`](Link::wait) does, and returns whether something ended the wait before its time was over.
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
        // An error, a signal for example, ends a wait as well.
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
            // What does not leave now is tried again, and what went wrong is seen, by what follows.
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
        // Whoever was woken for nothing looks and waits again.
        self.wait_until_woken(most);
    }

    fn waker(&self) -> Option<Waker> {
        Some(Waker::from(Arc::clone(&self.bell)))
    }
}
