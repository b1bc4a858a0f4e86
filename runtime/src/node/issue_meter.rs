//! What events cost on a machine that charges for operations, and where a DUAL node's execution unit hands its own over on
//! such a machine.

use std::collections::VecDeque;
use std::sync::Arc;

use super::event::Event;
use crate::node::frame::Described;
use crate::probe::costs::Costs;
use crate::vocabulary::layout::Sizes;

impl Event {
    /// The cost of handing it to the other unit (DUAL).
    fn issue_cost(&self, costs: &Costs) -> u64 {
        match self {
            Event::Open { frame, numbers, .. } => {
                costs.issue_frame + costs.slots(Sizes::new(frame.hooks().layout(), numbers))
            }
            Event::Close { .. } => 0,
            _ => costs.issue,
        }
    }

    /// The cost of applying it on node `node`, whose execution unit asked for it (DUAL). One for another node is only passed
    /// on.
    pub(crate) fn cost(&self, costs: &Costs, node: u32) -> u64 {
        if self.node(node) != node {
            return 0;
        }
        match self {
            Event::Signed { event, .. } => event.cost(costs, node),
            Event::Signal { .. } => costs.sync,
            Event::Put { .. } | Event::Write { .. } => costs.value(self.bulk_bytes()),
            Event::Get { .. } => costs.word,
            Event::Invoke { .. } | Event::Raise { .. } | Event::Spawn { .. } => costs.spawn,
            Event::Token { .. } => costs.token,
            Event::Open { .. } => costs.frame,
            Event::Close { .. } | Event::Bytes { .. } => 0,
        }
    }
}

/// What a DUAL node's execution unit hands over on a machine that charges for it: the machine that steps both units takes
/// it from here, so that it goes through no queue between threads.
#[derive(Debug)]
pub(crate) struct IssueMeter {
    costs: Arc<Costs>,
    /// The events that were handed over since the machine last looked, and when.
    pub(crate) issued: VecDeque<(u64, Event)>,
    /// How many events may be handed over before the machine looks.
    pub(crate) room: usize,
    /// The time at which each event that found no room was to be handed over.
    late: VecDeque<u64>,
}

impl IssueMeter {
    pub(crate) fn new(costs: Arc<Costs>) -> Self {
        IssueMeter { costs, issued: VecDeque::new(), room: usize::MAX, late: VecDeque::new() }
    }

    /// Hands an event over, if there is room and nothing `waits` for some; else it is handed over
    /// [later](Self::issue_late). The clock of the unit, `now`, runs on by what that costs.
    pub(super) fn issue(&mut self, event: Event, waits: bool, now: &mut u64) -> Result<(), Event> {
        *now += event.issue_cost(&self.costs);
        if waits || self.issued.len() >= self.room {
            self.late.push_back(*now);
            return Err(event);
        }
        self.issued.push_back((*now, event));
        Ok(())
    }

    /// Hands over the oldest event that found no room, with the time at which it was to be, if there is room now.
    pub(super) fn issue_late(&mut self, event: Event) -> Result<(), Event> {
        if self.issued.len() >= self.room {
            return Err(event);
        }
        let Some(at) = self.late.pop_front() else { unreachable!("it was to be handed over before") };
        self.issued.push_back((at, event));
        Ok(())
    }
}
