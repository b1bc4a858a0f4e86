//! Values that arrived at full inlets: FIFO for each inlet, with a limit for each node.

use earth_memory::frames::Refusal;

use super::entry::Parked;
use super::list::EntryList;
use super::store::FrameStore;
use crate::vocabulary::address::FrameId;

impl FrameStore {
    #[cold]
    pub(crate) fn park(&mut self, id: FrameId, inlet: u32, parked: Parked) -> Result<(), Refusal> {
        if seeded!(ParkedLost) {
            return Ok(());
        }
        if self.parked.len() >= self.parking_limit {
            return Err(Refusal::Full);
        }
        self.parked.push(self.queues.entry((id, inlet)).or_insert(EntryList::EMPTY), parked);
        self.memory.park(id, true);
        self.counters.parked += 1;
        self.counters.parked_high = self.counters.parked_high.max(self.parked.len() as u64);
        Ok(())
    }

    /// Takes the oldest value parked at an inlet.
    #[cold]
    pub(crate) fn unpark(&mut self, id: FrameId, inlet: u32) -> Option<Parked> {
        let queue = self.queues.get_mut(&(id, inlet))?;
        let parked = self.parked.pop(queue)?;
        if queue.is_empty() {
            self.queues.remove(&(id, inlet));
        }
        self.memory.park(id, false);
        Some(parked)
    }

    pub(super) fn parked_at(&self, id: FrameId, inlet: u32) -> usize {
        self.queues.get(&(id, inlet)).map_or(0, |queue| self.parked.count(*queue))
    }

    /// Whether a slot whose round is over waits for signals of another round.
    #[inline(always)]
    pub(crate) fn counts_again(&self, id: FrameId, slot: u32) -> bool {
        self.memory.counts(id, slot).is_some_and(|(awaited, _)| awaited > 0)
    }

    /// Appends to `of` the inlets of a slot at which values are parked.
    #[cold]
    pub(crate) fn parked_inlets(&self, id: FrameId, slot: u32, of: &mut Vec<(FrameId, u32)>) {
        let inlets = self.memory.inlets_of(id, slot).map(|inlet| (id, inlet));
        of.extend(inlets.filter(|at| self.queues.contains_key(at)));
    }
}
