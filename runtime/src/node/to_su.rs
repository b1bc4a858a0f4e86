//! The way on which the execution unit of a DUAL node passes its operations on.

use earth_signal::{Full, Sent};

use super::event::{Event, InboxSender, Note};
use super::function::Token;
use super::issue_meter::IssueMeter;
use super::spill::Spill;
use crate::transport::{Transport, Waker};

/// The queue to a synchronization unit in another thread.
pub(crate) struct ToSu {
    queue: InboxSender,
    /// The events that found no room.
    spilled: Spill,
    waker: Waker,
    /// The meter of a machine that charges for operations.
    meter: Option<Box<IssueMeter>>,
}

impl ToSu {
    pub(crate) fn new(queue: InboxSender, waker: Waker, meter: Option<IssueMeter>) -> Self {
        ToSu { queue, spilled: Spill::default(), waker, meter: meter.map(Box::new) }
    }

    /// Sends an event on a machine that charges for operations. It is a function of its own, so that it costs other
    /// machines one branch.
    #[inline(never)]
    fn issue(&mut self, event: Event, now: &mut u64) -> Sent {
        if let Some(meter) = &mut self.meter
            && let Err(event) = meter.issue(event, !self.spilled.is_empty(), now)
        {
            self.spilled.push(event);
            return Sent::HeldBack;
        }
        Sent::Queued
    }
}

impl Transport for ToSu {
    fn send(&mut self, _to: u32, event: Event, now: &mut u64) -> Sent {
        if self.meter.is_some() {
            return self.issue(event, now);
        }
        let unsent =
            if self.spilled.is_empty() { self.queue.send(event).map_err(|full| full.0) } else { Err(event) };
        match unsent {
            Ok(()) => {
                self.waker.wake();
                Sent::Queued
            }
            Err(event) => {
                self.spilled.push(event);
                Sent::HeldBack
            }
        }
    }

    fn signal(&mut self, note: Note, now: &mut u64) -> Sent {
        if self.meter.is_some() || !self.spilled.is_empty() {
            return self.send(note.to.node(), note.into(), now);
        }
        match self.queue.note(note) {
            Ok(()) => {
                self.waker.wake();
                Sent::Queued
            }
            Err(Full(note)) => {
                self.spilled.push(note.into());
                Sent::HeldBack
            }
        }
    }

    fn held_back(&self) -> usize {
        self.spilled.len()
    }

    fn flush(&mut self) -> usize {
        while let Some(event) = self.spilled.pop() {
            let sent = match &mut self.meter {
                Some(meter) => meter.issue_late(event),
                None => self.queue.send(event).map_err(|full| full.0),
            };
            if let Err(event) = sent {
                self.spilled.put_back(event);
                break;
            }
            self.waker.wake();
        }
        self.spilled.len()
    }

    fn steal(&mut self) -> Option<Token> {
        None
    }

    fn can_steal(&self) -> bool {
        false
    }

    fn shares(&mut self) {}

    fn meter(&mut self) -> Option<&mut IssueMeter> {
        self.meter.as_deref_mut()
    }
}
