//! Compares all results of the store's queries with the model.

use std::sync::Arc;

use earth_memory::frames::FrameId;

use crate::Pair;
use crate::layouts::{Model, Type};

impl Pair {
    /// Compares all queries about frames.
    pub(super) fn compare(&self) {
        let mut expected: Vec<FrameId> = self.twins.keys().copied().collect();
        expected.sort_unstable_by_key(|id| id.number());
        assert_eq!(self.frames.live_frames().collect::<Vec<_>>(), expected);
        let mut values = 0;
        for (&id, model) in &self.twins {
            let full: Vec<u32> = (0u32..)
                .zip(&model.inlets)
                .filter(|(_, inlet)| inlet.as_ref().is_some_and(|inlet| inlet.2.is_some()))
                .map(|(number, _)| number)
                .collect();
            assert_eq!(self.frames.full_inlets(id), full);
            let counted = |inlet: &&Option<(Type, usize, Option<u64>)>| {
                matches!(inlet, Some((Type::Tracked | Type::Big, _, Some(_))))
            };
            values += model.inlets.iter().filter(counted).count();
            values += if model.state.is_some() { [1, 100, 3, 5][model.layout] } else { 0 };
            let slots =
                || (0u32..).zip(&model.slots).filter_map(|(number, slot)| Some((number, slot.as_ref()?)));
            assert!(self.frames.slot_numbers(id).eq(slots().map(|(number, _)| number)));
            for (number, slot) in slots() {
                let counts = self.frames.counts(id, number).expect("a slot has a count");
                match slot.total {
                    Some(total) => assert_eq!(counts, (slot.awaited, total)),
                    None => assert!(counts.0 == 0 && counts.1 != 0, "{counts:?} of a slot that is over"),
                }
                let numbers: Vec<u32> = slot.inlets.iter().map(|&inlet| inlet as u32).collect();
                assert_eq!(self.frames.inlets_of(id, number).collect::<Vec<_>>(), numbers);
                let lacking = numbers.iter().copied().find(|inlet| !full.contains(inlet));
                assert_eq!(self.frames.lacking(id, number), lacking);
            }
            assert_eq!(self.frames.unfinished(id), model.unfinished());
            for (number, inlet) in (0..).zip(model.inlets.iter().chain([&None])) {
                let kind = self.frames.inlet_kind(id, number);
                let ty = |kind| {
                    [Type::Word, Type::Half, Type::Tracked, Type::Big]
                        .into_iter()
                        .find(|ty| ty.kind().is_same(kind))
                };
                assert_eq!(kind.and_then(ty), inlet.as_ref().map(|inlet| inlet.0));
                let slot = inlet.as_ref().map(|inlet| inlet.1 as u32);
                assert_eq!(self.frames.slot_of(id, number), slot);
            }
            assert_eq!(self.frames.has_parked(id), model.parked > 0);
            assert_eq!(self.frames.user(id).copied(), model.user);
            assert_eq!(self.frames.last(id.number()).map(|last| last.numbers), Some(self.frames.numbers(id)));
        }
        for &(id, layout) in &self.made {
            let lives = self.twins.contains_key(&id);
            let last = self.frames.last(id.number()).expect("a frame lived there");
            assert_eq!(self.frames.live_function(id).copied(), lives.then_some(Model(layout as u32)));
            assert_eq!(self.frames.function_of(id).copied(), Some(Model(layout as u32)));
            let newest = self.made.iter().rfind(|made| made.0.number() == id.number());
            assert_eq!(last.was(id), newest.is_some_and(|newest| newest.0 == id));
            for inlet in (0..5).filter(|_| !lives) {
                assert!(
                    self.frames.slot_of(id, inlet).is_none() && self.frames.inlet_kind(id, inlet).is_none()
                );
            }
        }
        assert_eq!(Arc::strong_count(&self.alive), 1 + values);
    }
}
