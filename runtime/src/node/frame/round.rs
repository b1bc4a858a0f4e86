//! Rounds that the end of a frame cuts short.
//!
//! A frame may end while a slot with a reset has received some, but not all, signals of a round. No unit
//! needs the frame any more, so it ends. But those signals were sent in vain, so the run ends with an error
//! that names the slot.

use super::store::FrameStore;
use crate::vocabulary::address::FrameId;
use crate::vocabulary::error::{Stuck, UnfinishedRound};

impl FrameStore {
    /// Records the slots of a frame that are in the middle of a round.
    pub(super) fn note_unfinished(&mut self, id: FrameId) {
        let found = self.memory.unfinished(id);
        self.unfinished += found.len();
        let room = Stuck::SHOWN.saturating_sub(self.rounds.len());
        let names = self.names(id);
        let rounds = found.into_iter().take(room).map(|(slot, got, expected)| {
            // `report_rounds` sets the node.
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
