//! The link of a rank, which belongs to one process.
//!
//! A forked child has a copy of the link. If the child sent by it, the other ranks would take the child for
//! its parent. So in a child, a link that the parent has used sends and receives no message, and is leaked.

use std::task::Waker;
use std::time::Duration;

use earth_memory::Pool;
use earth_signal::Process;

use super::link::{Arrival, Link, Lost, Message};

/// A link, and the process that uses it: the process that began the first run, or until then the one that
/// created it.
pub(super) struct OwnLink {
    /// `None` once it has been leaked.
    link: Option<Box<dyn Link>>,
    process: Process,
    is_used: bool,
}

impl OwnLink {
    pub(super) fn new(link: Box<dyn Link>) -> Self {
        OwnLink { link: Some(link), process: Process::current(), is_used: false }
    }

    /// Whether another process uses it.
    pub(super) fn is_forked_child(&self) -> bool {
        self.is_used && !self.process.is_current()
    }

    /// Records that a run begins in this process.
    pub(super) fn begin(&mut self) {
        if !self.is_used {
            (self.is_used, self.process) = (true, Process::current());
        }
    }

    /// Returns the link, in the process that uses it.
    fn here(&mut self) -> Option<&mut Box<dyn Link>> {
        self.link.as_mut().filter(|_| self.process.is_current())
    }

    pub(super) fn send(&mut self, to: usize, message: &mut Message) -> bool {
        self.here().is_none_or(|link| link.send(to, message))
    }

    pub(super) fn poll(&mut self, arrival: &mut Arrival, pool: &Pool) -> Result<Option<usize>, Lost> {
        self.here().map_or(Ok(None), |link| link.poll(arrival, pool))
    }

    pub(super) fn flush(&mut self) -> bool {
        self.here().is_none_or(|link| link.flush())
    }

    pub(super) fn attend(&mut self) {
        if let Some(link) = self.here() {
            link.attend();
        }
    }

    pub(super) fn wait(&mut self, most: Duration) {
        if let Some(link) = self.here() {
            link.wait(most);
        }
    }

    pub(super) fn lose(&mut self, lost: Lost) {
        if let Some(link) = self.here() {
            link.lose(lost);
        }
    }

    pub(super) fn close(&mut self, limit: Duration) -> Result<(), String> {
        self.here().map_or(Ok(()), |link| link.close(limit))
    }

    pub(super) fn waker(&self) -> Option<Waker> {
        self.link.as_ref().filter(|_| self.process.is_current())?.waker()
    }
}

impl Drop for OwnLink {
    fn drop(&mut self) {
        if !self.process.is_current() {
            std::mem::forget(self.link.take());
        }
    }
}
