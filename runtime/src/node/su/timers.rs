//! Timers of a node: each lets a slot of the node have one signal after some time.
//!
//! A timer is on the node of its slot. When it is due and the slot's frame lives, the unit starts a function
//! on its node, which signals the slot. The execution unit ends frames, and runs that function. So it decides
//! whether the frame still lives, and no signal of a timer ever comes too late for its frame. A timer whose
//! frame has ended is dropped without a sign.
//!
//! A machine asks for the [next due time](Su::next_due), and lets due timers [fire](Su::fire). A pending
//! timer is work: the run does not end before it, while its frame lives.
//!
//! | machine | ticks | now |
//! |---|---|---|
//! | threads, ranks | nanoseconds | the system's monotonic clock |
//! | simulated | cycles of the profile's clock | the virtual time of the unit |
//! | stepper | nanoseconds | the due time of the last timer that has fired on any node |
//!
//! *Cost.* A timer takes 88 bytes in a heap, until it fires. Timers of ended frames are dropped when they are
//! due, and all of them when the number of timers has doubled since.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::time::{Duration, Instant};

use super::Su;
use crate::node::function::{ErasedCall, Event};
use crate::probe::order::Taken;
use crate::vocabulary::address::EntryRef;

/// The clock of a unit's timers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TimerClock {
    /// The time of the host since this instant, in nanoseconds.
    Host(Instant),
    /// Virtual time in cycles, with this number of cycles per microsecond.
    Cycles(f64),
    /// A time that the machine [sets](Su::set_time), in nanoseconds.
    Set(u64),
}

/// The time after which a timer beyond the range of the clock is looked at again.
const YEAR: Duration = Duration::from_hours(365 * 24);

/// The number of timers below which the timers of ended frames are not looked for.
const FEW: usize = 64;

/// The timers of a unit.
pub(crate) struct Timers {
    heap: BinaryHeap<Reverse<Timer>>,
    clock: TimerClock,
    /// The number of timers that were ever made.
    made: u64,
    /// The number of timers at which the timers of ended frames are dropped.
    sweep_at: usize,
}

struct Timer {
    due: u64,
    /// Timers that are due at the same time fire in the order in which they were made.
    number: u64,
    slot: EntryRef,
    call: ErasedCall,
}

impl Timer {
    fn key(&self) -> (u64, u64) {
        (self.due, self.number)
    }
}

impl PartialEq for Timer {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Timer {}

impl PartialOrd for Timer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Timer {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl Timers {
    pub(super) fn new(clock: TimerClock) -> Self {
        Timers { heap: BinaryHeap::new(), clock, made: 0, sweep_at: FEW }
    }

    /// Resets the timers for a run. The last run has left none, or its unit was dropped.
    pub(super) fn begin(&mut self) {
        self.heap.clear();
        self.sweep_at = FEW;
        if let TimerClock::Set(now) = &mut self.clock {
            *now = 0;
        }
    }
}

impl Su {
    /// Lets a slot have one signal after at least `nanos` nanoseconds, by the function of `call`.
    pub(crate) fn after(&mut self, slot: EntryRef, nanos: u64, call: ErasedCall) {
        if !self.owns(slot.node()) {
            self.forward(Event::After { slot, nanos, call });
            return;
        }
        let due = match self.timers.clock {
            TimerClock::Host(base) => {
                u64::try_from(base.elapsed().as_nanos()).unwrap_or(u64::MAX).saturating_add(nanos)
            }
            TimerClock::Cycles(mhz) => self.now.saturating_add((nanos as f64 * mhz / 1e3).ceil() as u64),
            TimerClock::Set(now) => now.saturating_add(nanos),
        };
        if self.timers.heap.len() >= self.timers.sweep_at {
            let frames = &self.frames.memory;
            self.timers.heap.retain(|Reverse(timer)| frames.live_function(timer.slot.id()).is_some());
            self.timers.sweep_at = FEW.max(2 * self.timers.heap.len());
        }
        self.timers.made += 1;
        let number = self.timers.made;
        self.timers.heap.push(Reverse(Timer { due, number, slot, call }));
    }

    /// Whether there are timers, including timers of ended frames.
    #[inline(always)]
    pub(crate) fn has_timers(&self) -> bool {
        !self.timers.heap.is_empty()
    }

    /// Returns the time at which the first timer of a live frame is due.
    #[inline]
    pub(crate) fn next_due(&mut self) -> Option<u64> {
        if self.has_timers() { self.first_due() } else { None }
    }

    fn first_due(&mut self) -> Option<u64> {
        while let Some(Reverse(first)) = self.timers.heap.peek() {
            if self.frames.memory.live_function(first.slot.id()).is_some() {
                return Some(first.due);
            }
            self.timers.heap.pop();
        }
        None
    }

    /// Returns the moment at which the first timer of a live frame is due, in the time of the host.
    pub(crate) fn deadline(&mut self) -> Option<Instant> {
        let due = self.next_due()?;
        let TimerClock::Host(base) = self.timers.clock else { return None };
        Some(base.checked_add(Duration::from_nanos(due)).unwrap_or_else(|| Instant::now() + YEAR))
    }

    /// Lets the timers fire that are due by now, in the time of the host.
    pub(crate) fn fire_due(&mut self) {
        if let TimerClock::Host(base) = self.timers.clock {
            self.fire(u64::try_from(base.elapsed().as_nanos()).unwrap_or(u64::MAX));
        }
    }

    /// Lets the timers fire that are due by the time `now`.
    pub(crate) fn fire(&mut self, now: u64) {
        while self.next_due().is_some_and(|due| due <= now)
            && let Some(Reverse(Timer { call, .. })) = self.timers.heap.pop()
        {
            self.note_order(Taken::Timer);
            self.invoke_here(call);
        }
    }

    /// Sets the time of timers, unless it is later.
    pub(crate) fn set_time(&mut self, time: u64) {
        if let TimerClock::Set(now) = &mut self.timers.clock {
            *now = time.max(*now);
        }
    }
}
