//! The queue by which the execution unit of a DUAL node sends its operations.

use earth_signal::EventSender;

use super::event::Event;
use super::function::ErasedCall;
use super::meter::IssueMeter;
use super::spill::Spill;
use super::transport::Waker;

/// The queue to a synchronization unit in another thread.
pub(crate) struct ToSu {
    queue: EventSender<Event>,
    /// The events that found no room.
    spilled: Spill,
    waker: Waker,
    pub(crate) sent: u64,
    /// The call of the function that starts.
    pub(super) incoming: ErasedCall,
    /// The meter of a machine that charges for operations.
    pub(crate) meter: Option<Box<IssueMeter>>,
}

impl ToSu {
    pub(crate) fn new(queue: EventSender<Event>, waker: Waker) -> Self {
        ToSu { queue, spilled: Spill::default(), waker, sent: 0, incoming: ErasedCall::empty(), meter: None }
    }

    pub(super) fn send(&mut self, event: Event) {
        self.sent += 1;
        if self.meter.is_some() {
            self.issue(event);
            return;
        }
        if !self.spilled.is_empty() {
            self.spilled.push(event);
        } else if let Err(full) = self.queue.send(event) {
            self.spilled.push(full.0);
        } else {
            self.waker.wake();
        }
    }

    /// Sends an event on a machine that charges for operations. It is a function of its own, so that it costs other
    /// machines one branch.
    #[inline(never)]
    fn issue(&mut self, event: Event) {
        if let Some(meter) = &mut self.meter
            && let Err(event) = meter.issue(event, !self.spilled.is_empty())
        {
            self.spilled.push(event);
        }
    }

    /// Lets the clock run on.
    pub(super) fn spend(&mut self, cycles: u64) {
        if let Some(meter) = &mut self.meter {
            meter.now += cycles;
        }
    }

    /// Sets the clock, if there is one.
    pub(crate) fn set_clock(&mut self, now: u64) {
        if let Some(meter) = &mut self.meter {
            meter.now = now;
        }
    }

    pub(crate) fn now(&self) -> u64 {
        self.meter.as_ref().map_or(0, |meter| meter.now)
    }

    pub(crate) fn is_spilled(&self) -> bool {
        !self.spilled.is_empty()
    }

    /// Tries again to send what found no room. Returns whether any of it went.
    pub(crate) fn flush(&mut self) -> bool {
        let mut any = false;
        while let Some(event) = self.spilled.pop() {
            let sent = match &mut self.meter {
                Some(meter) => meter.issue_late(event),
                None => self.queue.send(event).map_err(|full| full.0),
            };
            if let Err(event) = sent {
                self.spilled.put_back(event);
                break;
            }
            any = true;
            self.waker.wake();
        }
        any
    }
}
