//! The poller: it accepts connections, reads requests, and gives them to the run.
//!
//! Edge-triggered events say that a socket *became* readable. The poller reads such a socket until a read
//! returns less than its buffer takes, or up to the end if the event announces the end. It stops earlier if
//! the connection has too many unanswered requests; the fiber whose answer makes room notes the connection,
//! which wakes the poller.

use std::fmt;
use std::io::{self, ErrorKind, Read as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use earth::{Machine, Shared};
use rustix::io::Errno;
use slab::Slab;

use crate::connection::{Connection, Notices};
use crate::frame::{Incoming, MOST_ANSWER, MOST_REQUEST, answer_length};
use crate::outgoing::cost;
use crate::poll::{Interest, Poll, Ready};
use crate::service::Service;

/// The poller stops reading a connection whose unanswered requests take this many bytes.
pub const UNANSWERED: u64 = 16 << 10;

/// Bytes of a read.
const READ: usize = 4 << 10;

/// The most bytes of memory of a connection. Unanswered requests exceed [`UNANSWERED`] by at most one, and
/// the buffer of received bytes doubles when it grows.
pub const MOST_MEMORY: u64 = UNANSWERED + cost(MOST_ANSWER) + 2 * (MOST_REQUEST as u64 + READ as u64);

// The guide names these figures.
const _: () = assert!(MOST_MEMORY <= 37 << 10 && 10_000 * MOST_MEMORY <= 360 << 20);

/// The most connections that are accepted between two waits, so that others are served meanwhile.
const ACCEPTS: usize = 64;

/// Time after which the poller accepts again when the system had no resources left.
const RETRY: Duration = Duration::from_millis(100);

/// Keys of sockets that are not connections.
const LISTENER: usize = usize::MAX;
const NOTICES: usize = usize::MAX - 1;
const STOP: usize = usize::MAX - 2;

/// Counts of a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Served {
    /// Accepted connections.
    pub accepted: u64,
    /// Requests given to the run.
    pub requests: u64,
    /// Waits for events.
    pub waits: u64,
    /// Connections that were closed because their peer was gone.
    pub resets: u64,
    /// Connections that were closed because of an invalid frame.
    pub invalid: u64,
    /// How often a connection was not read because of its unanswered requests.
    pub pauses: u64,
    /// How often the system had no resources for another connection.
    pub exhausted: u64,
}

impl fmt::Display for Served {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Served { accepted, requests, waits, resets, invalid, pauses, exhausted } = self;
        write!(
            f,
            "accepted {accepted}, requests {requests}, waits {waits}, resets {resets}, invalid {invalid}, \
             pauses {pauses}, exhausted {exhausted}"
        )
    }
}

/// The error that ended a server.
#[derive(Debug)]
pub enum ServeError {
    /// The run ended.
    Run(earth::Error),
    /// A call of the system failed. Names the call.
    System(&'static str, io::Error),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServeError::Run(error) => write!(f, "the run ended: {error}"),
            ServeError::System(call, error) => write!(f, "{call} failed: {error}"),
        }
    }
}

impl std::error::Error for ServeError {}

impl From<earth::Error> for ServeError {
    fn from(error: earth::Error) -> Self {
        ServeError::Run(error)
    }
}

/// Adds the name of the failed call to an error.
fn of(call: &'static str) -> impl FnOnce(io::Error) -> ServeError {
    move |error| ServeError::System(call, error)
}

/// Serves connections until `stop` is readable or at its end. Accepts at most `most` connections at a time;
/// others wait in the system's queue. Requests go to the machine's first `nodes` nodes. Returns the machine.
///
/// # Errors
///
/// The error that ended the run, or the error of a call of the system.
pub fn serve(
    listener: &TcpListener,
    (machine, nodes): (Machine, usize),
    most: usize,
    stop: impl AsFd,
) -> (Machine, Result<Served, ServeError>) {
    let mut service = Service::open(machine, nodes);
    let served = Poller::new(listener, most, stop.as_fd(), &mut service)
        .and_then(|mut poller| poller.serve().map(|()| poller.served));
    let (machine, run) = service.close();
    (machine, run.map_err(ServeError::Run).and(served))
}

/// An accepted connection.
struct Open {
    connection: Shared<Connection>,
    incoming: Incoming,
    /// Whether a read may return bytes.
    is_readable: bool,
    /// Whether the peer's end follows its last bytes.
    is_ending: bool,
    /// Whether the peer sends no more.
    has_ended: bool,
    /// Number of requests given to the run, and their cost.
    given: u64,
    cost: u64,
    /// Cost of the answers that were accepted by the socket, when the poller last looked.
    released: u64,
    interest: Interest,
}

/// Why a connection is closed.
enum Closing {
    Finished,
    Reset,
    Invalid,
}

struct Poller<'a> {
    poll: Poll,
    listener: &'a TcpListener,
    most: usize,
    /// Whether the listener is in the set.
    accepts: bool,
    /// When to accept again, if the system had no resources.
    retry: Option<Instant>,
    notices: Arc<Notices>,
    open: Slab<Open>,
    service: &'a mut Service,
    buffer: Box<[u8; READ]>,
    served: Served,
}

impl<'a> Poller<'a> {
    fn new(
        listener: &'a TcpListener,
        most: usize,
        stop: impl AsFd,
        service: &'a mut Service,
    ) -> Result<Self, ServeError> {
        let poll = Poll::new().map_err(of("epoll_create"))?;
        let notices = Notices::new().map_err(of("eventfd"))?;
        poll.add(&*notices, NOTICES, Interest::Level).map_err(of("epoll_ctl"))?;
        // A file is always readable, and cannot be waited for. Then only a signal ends the server.
        if let Err(error) = poll.add(stop, STOP, Interest::Level)
            && error.kind() != ErrorKind::PermissionDenied
        {
            return Err(of("epoll_ctl")(error));
        }
        listener.set_nonblocking(true).map_err(of("fcntl"))?;
        let (open, buffer, served) = (Slab::new(), Box::new([0; READ]), Served::default());
        let mut poller = Poller {
            poll,
            listener,
            most,
            accepts: false,
            retry: None,
            notices,
            open,
            service,
            buffer,
            served,
        };
        poller.accept_again()?;
        Ok(poller)
    }

    fn serve(&mut self) -> Result<(), ServeError> {
        loop {
            let pause = self.retry.map(|retry| retry.saturating_duration_since(Instant::now()));
            if pause.is_some_and(|pause| pause.is_zero()) {
                self.accept_again()?;
            }
            let ready = self.poll.wait(pause);
            self.served.waits += 1;
            let mut stops = false;
            for ready in ready.map_err(of("epoll_wait"))? {
                match ready.key {
                    LISTENER => self.accept()?,
                    NOTICES => {
                        for key in self.notices.take() {
                            self.look(key)?;
                        }
                    }
                    STOP => stops = true,
                    _ => self.handle(ready)?,
                }
            }
            if stops {
                return Ok(());
            }
        }
    }

    /// Accepts waiting connections.
    fn accept(&mut self) -> Result<(), ServeError> {
        for _ in 0..ACCEPTS {
            if self.open.len() >= self.most {
                return self.accept_no_more();
            }
            match self.listener.accept() {
                Ok((stream, _)) => self.begin(stream)?,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) if is_exhausted(&error) => {
                    self.served.exhausted += 1;
                    self.retry = Some(Instant::now() + RETRY);
                    return self.accept_no_more();
                }
                Err(error) => return Err(of("accept")(error)),
            }
        }
        Ok(())
    }

    /// Stops accepting, until a connection is closed or [`retry`](Self::retry) comes.
    fn accept_no_more(&mut self) -> Result<(), ServeError> {
        self.accepts = false;
        self.poll.remove(self.listener).map_err(of("epoll_ctl"))
    }

    fn accept_again(&mut self) -> Result<(), ServeError> {
        self.retry = None;
        if !std::mem::replace(&mut self.accepts, true) {
            self.poll.add(self.listener, LISTENER, Interest::Level).map_err(of("epoll_ctl"))?;
        }
        Ok(())
    }

    fn begin(&mut self, stream: TcpStream) -> Result<(), ServeError> {
        self.served.accepted += 1;
        stream.set_nonblocking(true).map_err(of("fcntl"))?;
        // It fails if the peer is already gone, which a read will show.
        let _ = stream.set_nodelay(true);
        let entry = self.open.vacant_entry();
        let key = entry.key();
        self.poll.add(&stream, key, Interest::Read).map_err(of("epoll_ctl"))?;
        entry.insert(Open {
            connection: Shared::new(Connection::new(stream, key, Arc::clone(&self.notices))),
            incoming: Incoming::of_requests(),
            is_readable: false,
            is_ending: false,
            has_ended: false,
            given: 0,
            cost: 0,
            released: 0,
            interest: Interest::Read,
        });
        Ok(())
    }

    /// Handles an event of a connection. The connection may be closed by an earlier event.
    fn handle(&mut self, ready: Ready) -> Result<(), ServeError> {
        let Some(open) = self.open.get_mut(ready.key) else { return Ok(()) };
        open.is_readable |= ready.is_readable;
        open.is_ending |= ready.is_ending;
        if ready.is_writable && open.interest == Interest::ReadAndWrite {
            open.connection.flush();
            return self.look(ready.key);
        }
        self.advance(ready.key)
    }

    /// Looks at a connection whose answers need the poller: for room in the socket, for the end of the
    /// connection, or to read on.
    fn look(&mut self, key: usize) -> Result<(), ServeError> {
        let Some(open) = self.open.get_mut(key) else { return Ok(()) };
        let (waits_for_room, is_broken) = {
            let outgoing = open.connection.outgoing();
            (outgoing.has_unsent(), outgoing.is_broken())
        };
        if is_broken {
            return self.close(key, &Closing::Reset);
        }
        let interest = if waits_for_room { Interest::ReadAndWrite } else { Interest::Read };
        if interest != open.interest {
            open.interest = interest;
            self.poll.change(open.connection.stream(), key, interest).map_err(of("epoll_ctl"))?;
        }
        self.advance(key)
    }

    /// Reads a connection and gives its requests to the run, until it is full or has no more.
    fn advance(&mut self, key: usize) -> Result<(), ServeError> {
        let Some(open) = self.open.get_mut(key) else { return Ok(()) };
        loop {
            loop {
                match open.incoming.is_complete() {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(_) => return self.close(key, &Closing::Invalid),
                }
                if open.is_full() {
                    self.served.pauses += 1;
                    return Ok(());
                }
                let Ok(Some(payload)) = open.incoming.take() else { break };
                open.cost += cost(answer_length(payload));
                self.service.give(&open.connection, open.given, payload)?;
                (open.given, self.served.requests) = (open.given + 1, self.served.requests + 1);
            }
            if open.has_ended {
                let mut outgoing = open.connection.outgoing();
                outgoing.end_after(open.given);
                let is_finished = outgoing.is_finished();
                drop(outgoing);
                return if is_finished { self.close(key, &Closing::Finished) } else { Ok(()) };
            }
            if !open.is_readable {
                return Ok(());
            }
            match open.connection.stream().read(&mut *self.buffer) {
                Ok(0) => (open.has_ended, open.is_readable) = (true, false),
                Ok(bytes) => {
                    open.is_readable = bytes == READ || open.is_ending;
                    open.incoming.push(&self.buffer[..bytes]);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => open.is_readable = false,
                Err(_) => return self.close(key, &Closing::Reset),
            }
        }
    }

    /// Closes a connection. Its functions may still run; their answers are dropped.
    fn close(&mut self, key: usize, why: &Closing) -> Result<(), ServeError> {
        let Some(open) = self.open.try_remove(key) else { return Ok(()) };
        match why {
            Closing::Finished => {}
            Closing::Reset => self.served.resets += 1,
            Closing::Invalid => self.served.invalid += 1,
        }
        self.poll.remove(open.connection.stream()).map_err(of("epoll_ctl"))?;
        open.connection.outgoing().abandon();
        // A function may still have a handle, so the socket is not closed by the drop below.
        let _ = open.connection.stream().shutdown(Shutdown::Both);
        drop(open);
        if self.accepts { Ok(()) } else { self.accept_again() }
    }
}

impl Open {
    /// Whether the connection has too many unanswered requests. If so, the poller will be woken at half of
    /// them.
    fn is_full(&mut self) -> bool {
        if self.cost - self.released < UNANSWERED {
            return false;
        }
        let mut outgoing = self.connection.outgoing();
        self.released = outgoing.released();
        self.cost - self.released >= UNANSWERED && !outgoing.resume_at(self.cost - UNANSWERED / 2)
    }
}

/// Whether an error of `accept` concerns only the accepted connection.
fn is_of_one_connection(error: &io::Error) -> bool {
    let kind = error.kind();
    matches!(kind, ErrorKind::ConnectionAborted | ErrorKind::Interrupted | ErrorKind::PermissionDenied)
        || Errno::from_io_error(error).is_some_and(|error| {
            [Errno::PROTO, Errno::NETDOWN, Errno::HOSTUNREACH, Errno::NETUNREACH].contains(&error)
        })
}

/// Whether an error of `accept` is a lack of files or memory, which others may free.
fn is_exhausted(error: &io::Error) -> bool {
    Errno::from_io_error(error)
        .is_some_and(|error| [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM].contains(&error))
}
