//! A link between processes of one computer: a Unix socket for each pair of ranks.
//!
//! A message is sent as a header, its bytes, and the rows of the blocks beside it. The header has the number
//! of bytes and of blocks, in four bytes each, and the length of each block, in eight bytes. Bytes that a
//! socket does not accept stay in a queue. Each rank's queue holds a limited number of messages; beyond it,
//! messages are refused. Sockets never block. An idle rank waits in `poll(2)` until a socket is ready or
//! another thread rings its bell.
//!
//! *Cost.* A system call for each message that leaves, and one for all messages that have arrived. A small
//! message is copied behind its header, which is faster than a gathering write of two pieces. Rows of blocks
//! are written from where they are stored, and read into the memory of the arriving block.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, IoSlice, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::task::{Wake, Waker};
use std::time::Duration;

use earth::ranks::{Arrival, Bulk, Landed, Link, Lost, Message, Pool};
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};

/// Longest message with its blocks, in bytes, that is accepted as plausible.
const MOST: u64 = 1 << 36;

/// Largest number of blocks beside a message that is accepted as plausible.
const MOST_BLOCKS: u32 = 1 << 16;

/// Smallest size, in bytes, of a block that travels beside its message.
const BULK_FROM: usize = 1 << 15;

/// Largest number of pieces of memory that are written at once.
const PIECES: usize = 64;

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
    /// Unsent messages.
    leaving: VecDeque<Leaving>,
    /// Bytes that were read; the first `taken` are consumed.
    came: Vec<u8>,
    taken: usize,
    /// Memory to read into. To fill new memory with zeros at each read would take longer than the read.
    chunk: Box<[u8]>,
    /// Message that is being read.
    message: Option<Coming>,
    /// Whether the last read did not fill its buffer, so that another read would probably find no data.
    drained: bool,
    lost: bool,
}

/// A message that has not left completely.
#[derive(Default)]
struct Leaving {
    /// The header and the bytes of the message.
    bytes: Vec<u8>,
    bulk: Vec<Bulk>,
    /// The next piece to write: the bytes, or this row of this block. And how much of it has been written.
    block: Option<usize>,
    row: usize,
    written: usize,
}

impl Leaving {
    /// Takes a message.
    fn of(message: &mut Message) -> Self {
        let mut bytes = Vec::with_capacity(8 + 8 * message.bulk.len() + message.head.len());
        header(message, &mut bytes);
        bytes.extend_from_slice(&message.head);
        Leaving { bytes, bulk: std::mem::take(&mut message.bulk), ..Leaving::default() }
    }

    /// Returns a piece of the message, which begins at a position.
    fn piece(&self, block: Option<usize>, row: usize) -> Option<&[u8]> {
        let Some(block) = block else { return Some(&self.bytes) };
        let bulk = self.bulk.get(block)?;
        Some(bulk.contiguous().unwrap_or_else(|| bulk.row(row)))
    }

    /// Returns the position after a piece.
    fn after(&self, block: Option<usize>, row: usize) -> (Option<usize>, usize) {
        let Some(at) = block else { return (Some(0), 0) };
        let is_last = self.bulk[at].contiguous().is_some() || row + 1 == self.bulk[at].rows();
        if is_last { (Some(at + 1), 0) } else { (block, row + 1) }
    }

    /// Returns the next pieces to write. None is left if the message has been written.
    fn pieces(&self) -> Vec<IoSlice<'_>> {
        let (mut block, mut row, mut from) = (self.block, self.row, self.written);
        let mut pieces = Vec::new();
        while pieces.len() < PIECES
            && let Some(piece) = self.piece(block, row)
        {
            pieces.push(IoSlice::new(&piece[from..]));
            ((block, row), from) = (self.after(block, row), 0);
        }
        pieces
    }

    /// Notes that `count` more bytes have been written.
    fn wrote(&mut self, mut count: usize) {
        while let Some(piece) = self.piece(self.block, self.row) {
            let left = piece.len() - self.written;
            if count < left {
                self.written += count;
                return;
            }
            count -= left;
            ((self.block, self.row), self.written) = (self.after(self.block, self.row), 0);
        }
    }
}

/// Appends the header of a message.
fn header(message: &Message, to: &mut Vec<u8>) {
    to.extend_from_slice(&(message.head.len() as u32).to_le_bytes());
    to.extend_from_slice(&(message.bulk.len() as u32).to_le_bytes());
    message.bulk.iter().for_each(|block| to.extend_from_slice(&(block.bytes() as u64).to_le_bytes()));
}

/// A message that has not arrived completely.
struct Coming {
    head: Vec<u8>,
    /// Number of bytes of the head.
    length: usize,
    bulk: Vec<Landed>,
    /// The block that is being filled, and how much of it is filled.
    block: usize,
    filled: usize,
}

impl Coming {
    /// Reads a header at the beginning of `bytes`. Returns the message and the length of the header, or
    /// `None` if the header is not complete.
    fn of(bytes: &[u8], pool: &Pool) -> Result<Option<(Self, usize)>, String> {
        let (Some(length), Some(count)) = (word(bytes), bytes.get(4..).and_then(word)) else {
            return Ok(None);
        };
        if count > MOST_BLOCKS {
            return Err(format!("it announced {count} blocks"));
        }
        let Some(lengths) = bytes[8..].get(..8 * count as usize) else { return Ok(None) };
        let lengths = lengths.chunks_exact(8).map(|length| {
            u64::from_le_bytes(length.try_into().unwrap_or_else(|_| unreachable!("the chunks have 8 bytes")))
        });
        let whole = lengths.clone().try_fold(u64::from(length), u64::checked_add);
        if whole.is_none_or(|whole| whole > MOST) {
            return Err(format!("it announced a message of {length} bytes and {count} blocks"));
        }
        let bulk = lengths.map(|length| pool.take(length as usize)).collect::<Result<_, _>>();
        let bulk = bulk.map_err(|error| error.to_string())?;
        let message = Coming { head: Vec::new(), length: length as usize, bulk, block: 0, filled: 0 };
        Ok(Some((message, 8 + 8 * count as usize)))
    }

    /// Returns the memory of the block that is being filled, from its first unfilled byte on.
    fn unfilled(&mut self) -> Option<&mut [u8]> {
        let block = self.bulk.get_mut(self.block)?;
        Some(&mut block.bytes_mut().unwrap_or_else(|| unreachable!("it is no block yet"))[self.filled..])
    }

    /// Notes that `count` more bytes of the block are filled.
    fn filled(&mut self, count: usize) {
        self.filled += count;
        if self.bulk.get(self.block).is_some_and(|block| block.len() == self.filled) {
            (self.block, self.filled) = (self.block + 1, 0);
        }
    }

    /// Takes bytes that have arrived. Returns how many it took.
    fn fill(&mut self, bytes: &[u8]) -> usize {
        let head = bytes.len().min(self.length - self.head.len());
        self.head.extend_from_slice(&bytes[..head]);
        let mut taken = head;
        while self.head.len() == self.length
            && let Some(unfilled) = self.unfilled()
        {
            let more = unfilled.len().min(bytes.len() - taken);
            if more == 0 && !unfilled.is_empty() {
                break;
            }
            unfilled[..more].copy_from_slice(&bytes[taken..taken + more]);
            self.filled(more);
            taken += more;
        }
        taken
    }

    fn is_complete(&self) -> bool {
        self.head.len() == self.length && self.block == self.bulk.len()
    }
}

/// Returns the number in the first four bytes.
fn word(bytes: &[u8]) -> Option<u32> {
    bytes.first_chunk().map(|word| u32::from_le_bytes(*word))
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
            came: Vec::new(),
            chunk: vec![0; 16 * CHUNK].into_boxed_slice(),
            taken: 0,
            message: None,
            drained: false,
            lost: false,
        })
    }

    /// Writes as much as the socket accepts.
    fn write(&mut self) {
        while let Some(message) = self.leaving.front_mut() {
            let pieces = message.pieces();
            if pieces.is_empty() {
                self.leaving.pop_front();
                continue;
            }
            match self.socket.write_vectored(&pieces) {
                Ok(written) => message.wrote(written),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                // The reading side reports the error.
                Err(_) => self.leaving.clear(),
            }
        }
    }

    /// Stores the next message of the bytes that were read. Returns whether it is complete.
    fn take(&mut self, arrival: &mut Arrival, pool: &Pool) -> Result<bool, String> {
        if self.message.is_none()
            && let Some((message, header)) = Coming::of(&self.came[self.taken..], pool)?
        {
            self.taken += header;
            self.message = Some(message);
        }
        let Some(message) = &mut self.message else { return Ok(false) };
        self.taken += message.fill(&self.came[self.taken..]);
        if !message.is_complete() {
            return Ok(false);
        }
        let Coming { head, bulk, .. } = self.message.take().unwrap_or_else(|| unreachable!("it is there"));
        (arrival.head, arrival.bulk) = (head, bulk);
        Ok(true)
    }

    /// Reads the bytes that have arrived. Returns whether there were any.
    fn read(&mut self) -> Result<bool, String> {
        if std::mem::take(&mut self.drained) {
            return Ok(false);
        }
        // The consumed bytes are already in the message, or were a length.
        self.came.drain(..self.taken);
        self.taken = 0;
        if let Some(message) = &mut self.message
            && message.head.len() == message.length
            && let Some(unfilled) = message.unfilled()
            && unfilled.len() > CHUNK
        {
            let most = unfilled.len();
            let read = read(&mut self.socket, unfilled)?;
            message.filled(read);
            self.drained = read < most;
            return Ok(read > 0);
        }
        let (buffer, most) = match &mut self.message {
            Some(message) if message.length - message.head.len() > CHUNK => {
                let missing = message.length - message.head.len();
                (&mut message.head, missing.min(self.chunk.len()))
            }
            _ => (&mut self.came, CHUNK),
        };
        let read = read(&mut self.socket, &mut self.chunk[..most])?;
        buffer.extend_from_slice(&self.chunk[..read]);
        self.drained = read < most;
        Ok(read > 0)
    }

    /// Stores the next message. Returns whether there was one.
    fn next(&mut self, arrival: &mut Arrival, pool: &Pool) -> Result<bool, String> {
        loop {
            if self.take(arrival, pool)? {
                return Ok(true);
            }
            if !self.read()? {
                return Ok(false);
            }
        }
    }
}

/// Reads bytes that have arrived. Returns how many there were.
fn read(socket: &mut UnixStream, buffer: &mut [u8]) -> Result<usize, String> {
    loop {
        match socket.read(buffer) {
            Ok(0) => return Err("its socket is closed".to_owned()),
            Ok(read) => return Ok(read),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(0),
            Err(error) => return Err(error.to_string()),
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

    fn bulk_from(&self) -> usize {
        BULK_FROM
    }

    fn send(&mut self, to: usize, message: &mut Message) -> bool {
        let Some(peer) = self.peers[to].as_mut().filter(|peer| !peer.lost) else { return true };
        if peer.leaving.len() >= self.room {
            return false;
        }
        let mut written = 0;
        if peer.leaving.is_empty() && message.bulk.is_empty() && message.head.len() <= SMALL {
            self.copy.clear();
            header(message, &mut self.copy);
            self.copy.extend_from_slice(&message.head);
            // If the write is incomplete, the rest is queued below. If it fails, a later call reports the
            // error.
            written = peer.socket.write(&self.copy).unwrap_or(0);
            if written == self.copy.len() {
                return true;
            }
        }
        peer.leaving.push_back(Leaving { written, ..Leaving::of(message) });
        peer.write();
        true
    }

    fn poll(&mut self, arrival: &mut Arrival, pool: &Pool) -> Result<Option<usize>, Lost> {
        let ranks = self.peers.len();
        for step in 0..ranks {
            let rank = (self.first + step) % ranks;
            let Some(peer) = self.peers[rank].as_mut().filter(|peer| !peer.lost) else { continue };
            match peer.next(arrival, pool) {
                Ok(false) => {}
                Ok(true) => {
                    self.first = rank;
                    return Ok(Some(rank));
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
