//! The way on which the execution unit of a DUAL node passes its operations on.

use std::sync::Arc;

use earth_signal::Sent;

use super::event::Note;
use super::function::{Event, InboxSender, IssueMeter, Token};
use super::spill::Spill;
use crate::probe::costs::Costs;
use crate::transport::{Transport, Waker};

/// The queue to a synchronization unit in another thread.
pub(crate) struct ToSu {
    /// The number of the node.
    node: u32,
    queue: InboxSender,
    /// The events that found no room.
    spilled: Spill,
    waker: Waker,
    /// The meter of a machine that charges for operations, and what they cost there.
    meter: Option<Box<(IssueMeter, Arc<Costs>)>>,
}

impl ToSu {
    pub(crate) fn new(node: u32, queue: InboxSender, waker: Waker, costs: Option<&Arc<Costs>>) -> Self {
        let meter = costs.map(|costs| Box::new((IssueMeter::new(), Arc::clone(costs))));
        ToSu { node, queue, spilled: Spill::default(), waker, meter }
    }

    /// Sends an event on a machine that charges for operations. It is a function of its own, so that it costs other
    /// machines one branch.
    #[inline(never)]
    fn issue(&mut self, to: u32, event: Event, now: &mut u64) -> Sent {
        let Some((meter, costs)) = self.meter.as_deref_mut() else { return Sent::Queued };
        *now += event.issue_cost(costs);
        let bulk = if to == self.node { 0 } else { event.bulk_bytes() };
        match meter.issue(event, to, bulk, !self.spilled.is_empty(), *now) {
            Ok(()) => Sent::Queued,
            Err(event) => {
                self.spilled.push(event);
                Sent::HeldBack
            }
        }
    }

    /// Wakes the other unit, which was sent something, or keeps what found no room.
    #[inline]
    fn sent(&mut self, sent: Result<(), Event>) -> Sent {
        match sent {
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
}

impl Transport<Event, Token> for ToSu {
    fn send(&mut self, to: u32, event: Event, now: &mut u64) -> Sent {
        if self.meter.is_some() {
            return self.issue(to, event, now);
        }
        let sent =
            if self.spilled.is_empty() { self.queue.send(event).map_err(|full| full.0) } else { Err(event) };
        self.sent(sent)
    }

    fn signal(&mut self, note: Note, now: &mut u64) -> Sent {
        if self.meter.is_some() || !self.spilled.is_empty() {
            return self.send(note.to.node(), note.into(), now);
        }
        let sent = self.queue.note(note).map_err(|full| full.0.into());
        self.sent(sent)
    }

    fn held_back(&self) -> usize {
        self.spilled.len()
    }

    fn flush(&mut self) -> usize {
        while let Some(event) = self.spilled.pop() {
            let sent = match self.meter.as_deref_mut() {
                Some((meter, _)) => {
                    let bulk = event.bulk_bytes();
                    meter.issue_late(event, bulk)
                }
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
        self.meter.as_deref_mut().map(|(meter, _)| meter)
    }
}
