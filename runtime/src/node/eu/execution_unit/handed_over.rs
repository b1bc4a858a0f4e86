//! Values that were handed over with their fibers (DUAL) and wait outside the inlets of their frames until
//! the fibers run.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::node::frame::{EntryList, Ready, Slab};
use crate::node::function::RunQueue;
use crate::vocabulary::address::FrameId;
use crate::vocabulary::unwinding::drop_ignoring_panics;
use crate::vocabulary::value::Value;

/// The values of the fibers in the run queue, of the fiber that comes next, and of the running fiber.
pub(crate) struct HandedOver {
    values: Slab<(u32, Value)>,
    coming: EntryList,
    running: EntryList,
    /// For each slot, by frame and number: how many of its fibers wait, if several of its rounds may wait at
    /// once.
    rounds: HashMap<(FrameId, u32), u32>,
}

/// Returns the frame and slot that enabled a fiber, if a slot did.
fn round_of(ready: &Ready) -> Option<(FrameId, u32)> {
    ready.by().slot().map(|slot| (ready.id, slot))
}

impl HandedOver {
    pub(in crate::node::eu) fn new() -> Self {
        HandedOver {
            values: Slab::new(),
            coming: EntryList::EMPTY,
            running: EntryList::EMPTY,
            rounds: HashMap::new(),
        }
    }

    /// Whether no values wait.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.values.len() == 0
    }

    /// Whether values are stored for the fiber that comes next.
    pub(crate) fn has_coming(&self) -> bool {
        !self.coming.is_empty()
    }

    /// Stores a value for the fiber that comes next, with the inlet at which it arrived, behind the values
    /// that the fiber takes earlier.
    pub(crate) fn keep(&mut self, inlet: u32, value: Value) {
        if seeded!(ValuesReversed) {
            let mut before = std::mem::replace(&mut self.coming, EntryList::EMPTY);
            self.values.push(&mut self.coming, (inlet, value));
            while let Some(value) = self.values.pop(&mut before) {
                self.values.push(&mut self.coming, value);
            }
            return;
        }
        self.values.push(&mut self.coming, (inlet, value));
    }

    /// Adds a fiber to the run queue, with the values that were stored for it. `again` is true if its slot
    /// may enable it once more before it has run. `behind` is true if a fiber of an earlier round may wait
    /// with its values in inlets. Values of one inlet are handed over in their order. So a fiber of a later
    /// round must stay behind a fiber of an earlier round; in SPN its values would be parked until then.
    pub(crate) fn enable(&mut self, ready: Ready, again: bool, behind: bool, run_queue: &mut RunQueue) {
        let ready = ready.with(std::mem::replace(&mut self.coming, EntryList::EMPTY));
        let round = round_of(&ready).filter(|_| (again || behind) && run_queue.reorders_fibers());
        let Some(round) = round else { return run_queue.push(ready) };
        let waiting = self.rounds.entry(round).or_insert(0);
        *waiting += 1;
        if (*waiting == 1 && !behind) || seeded!(RoundsOvertake) {
            run_queue.push(ready);
        } else {
            run_queue.push_behind(ready);
        }
    }

    /// Selects the values of a fiber that runs next.
    #[inline(never)]
    pub(in crate::node::eu) fn runs(&mut self, ready: &Ready) {
        self.running = ready.handed_over();
        if let Some(round) = round_of(ready)
            && let Entry::Occupied(mut waiting) = self.rounds.entry(round)
        {
            *waiting.get_mut() -= 1;
            if *waiting.get() == 0 {
                waiting.remove();
            }
        }
    }

    /// Drops the values that the running fiber did not take.
    pub(in crate::node::eu) fn drop_running(&mut self) {
        while let Some(value) = self.values.pop(&mut self.running) {
            drop_ignoring_panics(value);
        }
    }

    /// Takes the next value of the running fiber, if it arrived at this inlet.
    pub(in crate::node::eu) fn take(&mut self, inlet: u32) -> Option<Value> {
        self.values.iter(self.running).next().filter(|(at, _)| *at == inlet)?;
        self.values.pop(&mut self.running).map(|(_, value)| value)
    }
}
