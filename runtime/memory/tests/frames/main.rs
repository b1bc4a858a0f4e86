//! The store of frames compared with a model of plain collections. Any sequence of operations gives equal
//! results on both, and every value and state is dropped once.

mod arrive;
mod cases;
mod compare;
mod identities;
mod layouts;
mod leave;
mod life;
mod model;
mod panics;
mod steps;
mod take;

use std::collections::HashMap;
use std::sync::Arc;

use earth_memory::frames::{FrameId, Frames, Refusal};
use layouts::{BIG, LAYOUTS, Model, Tracked};
use model::FrameModel;
use proptest::prelude::*;
use steps::{Step, steps};

/// The store and the model.
struct Pair {
    frames: Frames<Model>,
    /// Frames that were made, each with the number of its layout, and the models of the live frames.
    made: Vec<(FrameId, usize)>,
    twins: HashMap<FrameId, FrameModel>,
    alive: Arc<()>,
}

/// Returns a number that identifies `id`.
fn word(id: FrameId) -> u64 {
    u64::from(id.generation()) << 32 | u64::from(id.number())
}

impl Pair {
    fn tracked(&self, value: u64) -> Tracked {
        Tracked(value, self.alive.clone())
    }

    /// Enters a frame by trying all layouts.
    fn enter_of(&mut self, id: FrameId) {
        self.frames.leave();
        for (layout, other) in LAYOUTS.iter().enumerate() {
            let is = self.twins.get(&id).is_some_and(|model| model.layout == layout);
            assert_eq!(self.frames.enter_of(id, other), is);
            assert_eq!(self.frames.entered(), is.then_some(id));
            if is {
                return;
            }
        }
    }

    fn apply(&mut self, step: &Step) {
        let id =
            |frame: usize| self.made.get(frame % self.made.len().max(1)).map_or(FrameId::ROOT, |made| made.0);
        match *step {
            Step::Make { layout, len, count } => self.make(layout, len, count),
            Step::Put { frame, inlet, value, fast_path, wrong } => {
                self.put(id(frame), inlet, value, fast_path, wrong);
            }
            Step::Signal { frame, slot, fast_path } => self.signal(id(frame), slot, fast_path),
            Step::Raise { frame, slot, by } => {
                let id = id(frame);
                let expected =
                    self.twins.get_mut(&id).map_or(Err(Refusal::Stale), |model| model.raise(slot, by));
                assert_eq!(self.frames.raise(id, slot, by), expected);
            }
            Step::Take { frame, slot } => self.take(id(frame), slot),
            Step::HandOver { frame, slot } => self.hand_over(id(frame), slot),
            Step::State { frame, how } => self.state(id(frame), how),
            Step::Park { frame, more } => {
                let id = id(frame);
                self.frames.park(id, more);
                if let Some(model) = self.twins.get_mut(&id) {
                    model.parked = if more { model.parked + 1 } else { model.parked.saturating_sub(1) };
                }
            }
            Step::End { frame, entered, rounds_checked } => {
                let id = id(frame);
                if rounds_checked {
                    self.frames.mark_rounds_checked(id);
                    self.twins.entry(id).and_modify(|model| model.rounds = false);
                }
                self.enter_of(id);
                self.end(id, entered);
            }
            Step::Forged { id } => {
                let id = FrameId::new(id as u32, (id >> 32) as u32);
                if let Some(id) = id.filter(|id| !self.twins.contains_key(id)) {
                    assert_eq!(self.frames.signal(id, 0), Err(Refusal::Stale));
                    assert_eq!(self.frames.find(id, 0, BIG.erased()).err(), Some(Refusal::Stale));
                    assert_eq!((self.frames.counts(id, 0), self.frames.enter(id).is_none()), (None, true));
                    assert_eq!(
                        (self.frames.raise(id, 0, 1), self.frames.user(id)),
                        (Err(Refusal::Stale), None)
                    );
                    assert!(self.frames.inlet_kind(id, 0).is_none() && self.frames.slot_of(id, 0).is_none());
                    assert!(self.frames.live_function(id).is_none() && self.frames.unfinished(id).is_empty());
                    assert_eq!(self.frames.inlets_of(id, 0).next(), None);
                    self.enter_of(id);
                    self.frames.mark_rounds_checked(id);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn the_store_does_what_plain_collections_do(steps in steps()) {
        let mut pair =
            Pair { frames: Frames::new(), made: Vec::new(), twins: HashMap::new(), alive: Arc::new(()) };
        for step in &steps {
            pair.apply(step);
            pair.compare();
        }
        let Pair { frames, alive, .. } = pair;
        drop(frames);
        prop_assert_eq!(Arc::strong_count(&alive), 1);
    }
}
