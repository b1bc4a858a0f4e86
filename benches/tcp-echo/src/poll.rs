//! Waiting for sockets: epoll without its details.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::event::{PollFd, PollFlags, Timespec};

/// The most events of a call of [`Poll::wait`].
const EVENTS: usize = 256;

/// Changes of a socket that are waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interest {
    /// Readable, as long as it is.
    Level,
    /// Readable: once for new bytes, and once for the end.
    Read,
    /// As [`Read`](Self::Read), and writable: once for new room. Setting it reports present room.
    ReadAndWrite,
}

impl Interest {
    fn flags(self) -> EventFlags {
        match self {
            Interest::Level => EventFlags::IN,
            Interest::Read => EventFlags::IN | EventFlags::RDHUP | EventFlags::ET,
            Interest::ReadAndWrite => Interest::Read.flags() | EventFlags::OUT,
        }
    }
}

/// Event of a socket.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ready {
    /// Key of the socket.
    pub key: usize,
    /// Whether there are bytes, or their end.
    pub is_readable: bool,
    /// Whether the peer sends no more. The end may come with the last bytes, in one event: read up to it.
    pub is_ending: bool,
    /// Whether there is room.
    pub is_writable: bool,
}

/// A set of sockets.
pub struct Poll {
    epoll: OwnedFd,
    events: Vec<Event>,
}

impl std::fmt::Debug for Poll {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Poll").finish_non_exhaustive()
    }
}

impl Poll {
    /// Makes an empty set.
    ///
    /// # Errors
    ///
    /// If the system has no descriptor left.
    pub fn new() -> io::Result<Self> {
        Ok(Poll { epoll: epoll::create(CreateFlags::CLOEXEC)?, events: Vec::with_capacity(EVENTS) })
    }

    /// Adds a socket under a key.
    ///
    /// # Errors
    ///
    /// If the descriptor cannot be waited for, or there is no memory.
    pub fn add(&self, socket: impl AsFd, key: usize, interest: Interest) -> io::Result<()> {
        Ok(epoll::add(&self.epoll, socket, EventData::new_u64(key as u64), interest.flags())?)
    }

    /// Changes the interest in a socket.
    ///
    /// # Errors
    ///
    /// If the set does not have the socket.
    pub fn change(&self, socket: impl AsFd, key: usize, interest: Interest) -> io::Result<()> {
        Ok(epoll::modify(&self.epoll, socket, EventData::new_u64(key as u64), interest.flags())?)
    }

    /// Removes a socket.
    ///
    /// # Errors
    ///
    /// If the set does not have the socket.
    pub fn remove(&self, socket: impl AsFd) -> io::Result<()> {
        Ok(epoll::delete(&self.epoll, socket)?)
    }

    /// Waits until something happens, or for a time. An interrupted wait returns no events.
    ///
    /// # Errors
    ///
    /// If the system reports an error other than an interruption.
    pub fn wait(&mut self, limit: Option<Duration>) -> io::Result<Vec<Ready>> {
        let Some(limit) = limit else { return self.look(None) };
        let ready = self.look(Some(&Timespec::default()))?;
        if !ready.is_empty() || limit.is_zero() {
            return Ok(ready);
        }
        // Without a recent kernel `epoll_wait` counts milliseconds, which are too long for a schedule.
        let limit = Timespec::try_from(limit).ok();
        match rustix::event::poll(&mut [PollFd::new(&self.epoll, PollFlags::IN)], limit.as_ref()) {
            Ok(0) | Err(rustix::io::Errno::INTR) => Ok(Vec::new()),
            Ok(_) => self.look(Some(&Timespec::default())),
            Err(error) => Err(error.into()),
        }
    }

    fn look(&mut self, limit: Option<&Timespec>) -> io::Result<Vec<Ready>> {
        self.events.clear();
        match epoll::wait(&self.epoll, rustix::buffer::spare_capacity(&mut self.events), limit) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let ready = |event: &Event| {
            let Event { flags, data } = *event;
            // A reset is found by reading.
            let is_ending = flags.intersects(EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR);
            let is_readable = is_ending || flags.intersects(EventFlags::IN);
            let is_writable = flags.intersects(EventFlags::OUT);
            Ready { key: data.u64() as usize, is_readable, is_ending, is_writable }
        };
        Ok(self.events.iter().map(ready).collect())
    }
}
