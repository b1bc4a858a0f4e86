//! How far slots have come in their rounds, for reports, and rounds that the end of a frame cuts short.
//!
//! A frame that ends while a slot with a reset has some signals of a round, and not all, leaves signals behind that
//! somebody sent in vain. Nothing needs the frame any more, so it may end; the run is not well all the same, and
//! its report names the slot.

use super::entry::SlotEntry;
use super::one::{BETWEEN, Frame, RAISED};
use super::store::FrameStore;
use crate::error::{Stuck, UnfinishedRound};
use crate::vocabulary::address::FrameId;

impl SlotEntry {
    /// Whether a round can be under way: a slot with a reset that takes one signal a round is never amid one.
    pub(super) fn has_long_rounds(&self) -> bool {
        self.reset != 0 && (self.count > 1 || self.reset > 1)
    }

    /// How many signals of the present round have come, and how many it takes; `first` is what the first round
    /// takes.
    pub(super) fn progress(&self, first: u32) -> (u32, u32) {
        let count = if self.round == 0 { first } else { self.reset };
        let expected = count.wrapping_add(self.raised);
        (expected.wrapping_sub(self.count), expected)
    }
}

impl FrameStore {
    /// Ends a frame whose entries need a look. If the frame was still needed, the error says for what.
    #[cold]
    pub(super) fn close_looking(&mut self, number: u32) -> Result<(), &'static str> {
        self.note_unfinished(number);
        let frame = &mut self.frames[number as usize];
        if frame.looks & RAISED != 0 {
            frame.looks &= !RAISED;
            frame.slots.iter_mut().for_each(|slot| slot.raised = 0);
        }
        frame.empty()
    }

    /// Notes the slots with a reset that are amid a round.
    fn note_unfinished(&mut self, number: u32) {
        let Frame { slots, sizes, .. } = &self.frames[number as usize];
        let generation = sizes.as_ref().map_or(BETWEEN, |sizes| sizes.generation);
        let names = self.names(FrameId::new(number, generation));
        let mut found = Vec::new();
        for (slot, entry) in (0..).zip(slots).filter(|(_, entry)| entry.reset != 0 && entry.count != 0) {
            let (got, expected) = entry.progress(names.first_count(slot));
            if got != 0 {
                // The node is that of the report.
                found.push(UnfinishedRound { slot: names.entry("slot", names.slot(slot), 0), got, expected });
            }
        }
        self.unfinished += found.len();
        let room = Stuck::SHOWN.saturating_sub(self.rounds.len());
        self.rounds.extend(found.into_iter().take(room));
    }

    /// Adds the rounds that were cut short on this node to a report.
    pub(super) fn report_rounds(&self, node: usize, stuck: &mut Stuck) {
        stuck.unfinished += self.unfinished;
        for round in self.rounds.iter().take(Stuck::SHOWN.saturating_sub(stuck.rounds.len())) {
            let mut round = round.clone();
            round.slot.node = node;
            stuck.rounds.push(round);
        }
    }
}
