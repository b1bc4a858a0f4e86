//! Making frames, and the arrival of values and signals in them.

use earth_memory::Parcel;
use earth_memory::frames::{Counted, Extent, Extents, FrameId, Refusal};

use crate::layouts::{
    ARRAYS, BARE, BIG, Big, HALF, LAYOUTS, MANY, PLAIN, Puts, SHIFTED, TRACKED, Tracked, Type, WORD,
    no_extents,
};
use crate::model::FrameModel;
use crate::{Pair, word};

/// Stores a value, either typed or as a parcel.
macro_rules! put {
    ($frames:expr, $id:expr, $inlet:expr, $plain:expr, $value:expr, $kind:expr) => {
        if $plain {
            $frames.put_any($id, $inlet, $value, $kind)
        } else {
            let place = $frames.find($id, $inlet, $kind.erased());
            place.map(|place| place.store_parcel(Parcel::new($value, $kind)))
        }
    };
}

impl Pair {
    pub(super) fn make(&mut self, layout: usize, len: usize, count: u32) {
        self.frames.leave();
        let next = self.frames.next_id(LAYOUTS[layout]);
        let mut model = FrameModel::new(layout, len, count);
        let single = |first| Extent { first, len: 1, array: false };
        let array = |first: usize| Extent { first: first as u32, len: len as u32, array: true };
        let slots = [(array(3), count, 1), (single(1), len as u32 + 1, count - 1), (single(2), count, 1)];
        let inlets = [array(4), array(4 + len), single(2), single(3)];
        let (numbers, sizes) =
            ([len as u32, count], || Extents { slots: slots.to_vec(), inlets: inlets.to_vec() });
        let state = || Tracked(word(next), self.alive.clone());
        let id = match (layout, count) {
            (0, 2) => self.frames.make_with(&PLAIN, state()),
            (2, 2) => {
                let state = std::array::from_fn(|_| state());
                self.frames.make_sized::<[Tracked; 3]>(&ARRAYS, state, &numbers, sizes)
            }
            _ => self.frames.make(LAYOUTS[layout]),
        };
        assert_eq!((next, self.frames.entered()), (id, Some(id)));
        assert!(self.made.iter().all(|made| made.0 != id), "an identity is given once");
        match (layout, count) {
            (0 | 2, 2) => model.state = Some(word(next)),
            (2, _) => self.frames.lay_out(id, &numbers, sizes),
            // Laying out has no effect on a frame without an extra.
            _ => self.frames.lay_out(id, &[], no_extents),
        }
        assert_eq!(self.frames.user(id).is_some(), layout >= 2);
        if let Some(user) = self.frames.user_mut(id) {
            *user = word(id);
            model.user = Some(word(id));
        }
        self.made.push((id, layout));
        self.twins.insert(id, model);
    }

    pub(super) fn put(&mut self, id: FrameId, inlet: u32, value: u64, plain: bool, wrong: bool) {
        let model = self.twins.get_mut(&id);
        let found = model.as_ref().and_then(|model| model.inlets.get(inlet as usize).copied().flatten());
        let ty = found.as_ref().map_or(Type::Word, |found| found.0);
        let ty = if wrong { if ty == Type::Word { Type::Tracked } else { Type::Word } } else { ty };
        let (big, tracked) = (Big([value; 9], self.alive.clone()), Tracked(value, self.alive.clone()));
        let got = match ty {
            Type::Word => put!(self.frames, id, inlet, plain, value, WORD),
            Type::Half => put!(self.frames, id, inlet, plain, value as u32, HALF),
            Type::Tracked => put!(self.frames, id, inlet, plain, tracked, TRACKED),
            Type::Big => put!(self.frames, id, inlet, plain, big, BIG),
        };
        let model = self.twins.get_mut(&id);
        match (got, model, found) {
            (Err(Refusal::Stale), None, _) | (Err(Refusal::NoSuchPart), Some(_), None) => {}
            (Err(Refusal::NoSuchPart), Some(_), Some(_)) => assert!(wrong),
            (Err(Refusal::Full), Some(_), Some((_, _, Some(_)))) => assert!(!wrong),
            (Err(Refusal::Unexpected), Some(model), Some((_, slot, None))) => {
                assert_eq!(model.slots[slot].as_ref().map(|slot| slot.awaited), Some(0));
            }
            (Ok(counted), Some(model), Some((_, slot, None))) => {
                assert!(!wrong);
                model.inlets[inlet as usize].as_mut().expect("an inlet").2 = Some(value);
                assert_eq!(counted, model.count(slot));
            }
            (got, model, found) => panic!("{got:?}, but {model:?} has {found:?}"),
        }
    }

    pub(super) fn signal(&mut self, id: FrameId, slot: u32, plain: bool) {
        let got = if plain {
            let counted = if slot.is_multiple_of(2) {
                self.frames.try_signal(id, slot)
            } else {
                self.signal_entered(id, slot)
            };
            let Some(counted) = counted else {
                let expected = self.twins.get(&id).and_then(|model| model.slots.get(slot as usize)?.as_ref());
                assert!(expected.is_none_or(|slot| slot.awaited == 0), "the common case was refused");
                return;
            };
            Ok(counted)
        } else {
            self.frames.signal(id, slot)
        };
        let model = self.twins.get_mut(&id);
        let left = model
            .as_ref()
            .and_then(|model| model.slots.get(slot as usize)?.as_ref().map(|slot| slot.awaited));
        match (got, left, model) {
            (Err(Refusal::Stale), _, None)
            | (Err(Refusal::NoSuchPart), None, Some(_))
            | (Err(Refusal::Unexpected), Some(0), Some(_)) => {}
            (Ok(counted), Some(1..), Some(model)) => assert_eq!(counted, model.count(slot as usize)),
            (got, ..) => panic!("{got:?} with {left:?} signals left"),
        }
    }

    /// Signals a slot of the entered frame.
    fn signal_entered(&mut self, id: FrameId, slot: u32) -> Option<Counted> {
        self.frames.leave();
        assert!(self.frames.signal_entered(&PLAIN, slot).is_none());
        let layout = self.twins.get(&id)?.layout;
        self.frames.enter(id).expect("a frame that has a twin lives");
        assert!(self.frames.signal_entered(&SHIFTED, 0).is_none());
        let (own, counted) = match layout {
            0 => self.frames.signal_entered(&PLAIN, slot),
            1 => self.frames.signal_entered(&MANY, slot),
            2 => self.frames.signal_entered(&ARRAYS, slot),
            _ => self.frames.signal_entered(&BARE, slot),
        }?;
        assert_eq!(own, id);
        Some(counted)
    }
}
