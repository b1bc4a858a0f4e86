//! Rounds that the end of a frame cuts short.
//!
//! A frame that ends while a slot with a reset has some signals of a round, and not all, leaves signals behind that
//! somebody sent in vain. Nothing needs the frame any more, so it may end; the run is not well all the same, and
//! its report names the slot.

use super::store::FrameStore;
use crate::vocabulary::address::FrameId;
use crate::vocabulary::error::{Stuck, UnfinishedRound};

impl FrameStore {
    /// Notes the slots of a frame that are amid a round.
    pub(super) fn note_unfinished(&mut self, id: FrameId) {
        let found = self.memory.unfinished(id);
        self.unfinished += found.len();
        let room = Stuck::SHOWN.saturating_sub(self.rounds.len());
        let names = self.names(id);
        let rounds = found.into_iter().take(room).map(|(slot, got, expected)| {
            // The node is that of the report.
            UnfinishedRound { slot: names.entry("slot", names.slot(slot), 0), got, expected }
        });
        let rounds: Vec<_> = rounds.collect();
        self.rounds.extend(rounds);
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
