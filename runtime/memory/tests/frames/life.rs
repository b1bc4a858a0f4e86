//! States of frames, stored and taken, and the ends of frames.

use earth_memory::frames::{FrameId, with_state};

use crate::layouts::{ARRAYS, BARE, LAYOUTS, MANY, PLAIN, Tracked};
use crate::{Pair, word};

impl Pair {
    pub(super) fn state(&mut self, id: FrameId, how: u8) {
        if self.frames.enter(id).is_none() {
            return;
        }
        let model = self.twins.get_mut(&id).expect("a live frame has a twin");
        let layout = LAYOUTS[model.layout];
        let value = word(id) >> 3;
        assert_eq!(self.frames.entered_has_parked(), model.parked > 0);
        assert_eq!(self.frames.entered_numbers().is_some(), model.user.is_some());
        if let (Some(user), Some(expected)) = (self.frames.user_mut(id), &mut model.user) {
            (*user, *expected) = (*user + 1, *expected + 1);
        }
        match (how, model.state) {
            (0, None) => {
                model.state = Some(value);
                match model.layout {
                    0 => self.frames.keep(layout, Tracked(value, self.alive.clone())),
                    1 => self.frames.keep::<[Tracked; 100]>(
                        layout,
                        std::array::from_fn(|_| Tracked(value, self.alive.clone())),
                    ),
                    2 => self.frames.keep::<[Tracked; 3]>(
                        layout,
                        std::array::from_fn(|_| Tracked(value, self.alive.clone())),
                    ),
                    _ => self.frames.keep::<[Tracked; 5]>(
                        layout,
                        std::array::from_fn(|_| Tracked(value, self.alive.clone())),
                    ),
                }
            }
            (1, state) => {
                let frames = &mut self.frames;
                assert!(frames.take_state::<String>(&PLAIN).is_none());
                let taken = match model.layout {
                    0 => frames.take_state::<Tracked>(&PLAIN).map(|state| state.0),
                    1 => frames.take_state::<[Tracked; 100]>(&MANY).map(|state| state[99].0),
                    2 => frames.take_state::<[Tracked; 3]>(&BARE).map(|state| state[2].0),
                    _ => frames.take_state::<[Tracked; 5]>(&BARE).map(|state| state[4].0),
                };
                assert_eq!((taken, frames.take_state::<String>(layout)), (state, None));
                model.state = None;
            }
            (_, state) if model.layout == 0 => {
                let next = self.tracked(7);
                let seen = with_state(
                    self,
                    |pair| &mut pair.frames,
                    layout,
                    |state: &mut Tracked, pair: &mut Pair| {
                        // The store stays usable, and lends no state twice.
                        let before = pair.frames.live_frames().count();
                        let other: Option<()> =
                            with_state(pair, |pair| &mut pair.frames, &PLAIN, |_: &mut Tracked, _| ());
                        let moved = pair.frames.take_state::<Tracked>(&PLAIN);
                        assert!(before > 0 && other.is_none() && moved.is_none());
                        std::mem::replace(state, next).0
                    },
                );
                assert_eq!(seen, state);
                self.twins.get_mut(&id).expect("as before").state = state.map(|_| 7);
            }
            _ => {}
        }
    }

    pub(super) fn end(&mut self, id: FrameId, entered: bool) {
        let outcome = if entered {
            if self.frames.enter(id).is_none() {
                return;
            }
            match self.twins[&id].layout {
                1 => self.frames.end(&MANY),
                2 if id.number().is_multiple_of(2) => self.frames.end(&ARRAYS),
                3 => self.frames.end(&BARE),
                // The frame may have another layout.
                _ => self.frames.end(&PLAIN),
            }
        } else if self.frames.end_plain(id) {
            Ok(())
        } else {
            self.frames.end_of(id)
        };
        let Some(model) = self.twins.get_mut(&id) else {
            assert_eq!(outcome, Ok(()));
            return;
        };
        model.state = None;
        assert_eq!(outcome, model.left());
        if outcome.is_ok() {
            self.twins.remove(&id);
            assert!(self.frames.enter(id).is_none());
            let last = self.frames.last(id.number()).expect("a frame lived there");
            assert!(last.was(id));
        }
    }
}
