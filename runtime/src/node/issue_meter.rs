//! Where a DUAL node's execution unit hands its events over, on a machine that charges for operations.

use std::collections::VecDeque;

/// What a DUAL node's execution unit hands over on a machine that charges for it: the machine that steps both units takes
/// it from here, so that it goes through no queue between threads.
#[derive(Debug)]
pub(crate) struct IssueMeter<E> {
    /// The events that were handed over since the machine last looked, and when.
    pub(crate) issued: VecDeque<(u64, E)>,
    /// How many events may be handed over before the machine looks.
    pub(crate) room: usize,
    /// The time at which each event that found no room was to be handed over.
    late: VecDeque<u64>,
}

impl<E> IssueMeter<E> {
    pub(crate) fn new() -> Self {
        IssueMeter { issued: VecDeque::new(), room: usize::MAX, late: VecDeque::new() }
    }

    /// Hands an event over, if there is room and nothing `waits` for some; else it is handed over
    /// [later](Self::issue_late). `now` is the time at which the unit has paid for it.
    pub(super) fn issue(&mut self, event: E, waits: bool, now: u64) -> Result<(), E> {
        if waits || self.issued.len() >= self.room {
            self.late.push_back(now);
            return Err(event);
        }
        self.issued.push_back((now, event));
        Ok(())
    }

    /// Hands over the oldest event that found no room, with the time at which it was to be, if there is room now.
    pub(super) fn issue_late(&mut self, event: E) -> Result<(), E> {
        if self.issued.len() >= self.room {
            return Err(event);
        }
        let Some(at) = self.late.pop_front() else { unreachable!("it was to be handed over before") };
        self.issued.push_back((at, event));
        Ok(())
    }
}
