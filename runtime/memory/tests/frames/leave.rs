//! Taking values for a fiber, or handing them over to another unit, in all ways.

use earth_memory::frames::FrameId;

use crate::Pair;
use crate::layouts::{ARRAYS, BIG, HALF, MANY, PLAIN, SHIFTED, TRACKED, Type, WORD, take_near, take_round};
use crate::take::{taken, taken_all};

impl Pair {
    /// Takes all values of a slot, in the different ways.
    pub(super) fn take(&mut self, id: FrameId, slot: u32) {
        let entered = self.frames.enter(id).is_some();
        assert_eq!(entered, self.twins.contains_key(&id));
        let Some(model) = self.twins.get_mut(&id) else { return };
        let Some(Some(slot_twin)) = model.slots.get(slot as usize) else { return };
        let declared = self.frames.declared(slot).expect("a slot");
        assert_eq!(
            declared,
            if model.layout < 2 || slot < 3 { (slot as usize, 0) } else { (0, slot as usize - 3) }
        );
        let (mut inlets, mut expected) = (Vec::new(), Vec::new());
        for &inlet in &slot_twin.inlets {
            let (ty, _, value) = model.inlets[inlet].as_mut().expect("an inlet");
            inlets.push((inlet as u32, *ty));
            expected.push(value.take());
        }
        let (frames, one) = (&mut self.frames, Some(slot).filter(|slot| *slot < 3));
        let got = match model.layout {
            0 if slot == 0 => taken(&PLAIN, frames, one, &inlets),
            // The frame does not have this layout, which has such an inlet elsewhere.
            0 => taken(&SHIFTED, frames, Some(0), &inlets),
            1 => taken(&MANY, frames, Some(slot), &inlets),
            // An array and a single inlet.
            2 if slot == 1 => taken_all(frames, &inlets),
            _ if one.is_some() => taken(&ARRAYS, frames, one, &inlets),
            _ => {
                let mut take =
                    |&(inlet, _): &(u32, Type)| frames.take_element(0, inlet as usize - 4, TRACKED);
                inlets.iter().map(|inlet| take(inlet).map(|value| value.0)).collect()
            }
        };
        assert_eq!(got, expected);
    }

    /// Takes a slot's values out as words, if they are few, and puts them back.
    fn hand_over_words(&mut self, id: FrameId, slot: u32) {
        let Some(handed) = take_round::<8>(&mut self.frames, id, slot) else { return };
        assert_eq!(handed.slot(), slot);
        assert!(!self.frames.holds_any(id, slot));
        assert!(take_round::<8>(&mut self.frames, id, slot).is_none());
        assert!(self.frames.take_over(id, handed).is_ok());
        // The frame is the recent one now.
        let model = &self.twins[&id];
        let near = take_near::<8>(&mut self.frames, id, slot);
        assert_eq!(near.is_some(), model.parked == 0, "slot {slot} of layout {}", model.layout);
        if let Some(handed) = near {
            assert!(!self.frames.holds_any(id, slot) && take_near::<8>(&mut self.frames, id, slot).is_none());
            assert!(self.frames.take_over(id, handed).is_ok());
        }
        let counts = self.twins[&id].slots[slot as usize].as_ref().map_or(0, |slot| slot.inlets.len());
        assert_eq!(self.frames.holds_any(id, slot), counts > 0);
    }

    pub(super) fn hand_over(&mut self, id: FrameId, slot: u32) {
        self.hand_over_words(id, slot);
        let mut given = Vec::new();
        self.frames.hand_over(id, slot, |inlet, value| given.push((inlet as usize, value)));
        let Some(model) = self.twins.get_mut(&id) else {
            assert!(given.is_empty());
            return;
        };
        let Some(Some(slot)) = model.slots.get(slot as usize) else { return };
        let mut given = given.into_iter();
        for &inlet in &slot.inlets {
            let (ty, _, value) = model.inlets[inlet].as_mut().expect("an inlet");
            let Some(expected) = value.take() else { continue };
            let (number, mut value) = given.next().expect("a value");
            let got = match ty {
                Type::Word => value.take(WORD),
                Type::Half => value.take(HALF).map(u64::from),
                Type::Tracked => value.take(TRACKED).map(|value| value.0),
                Type::Big => value.take(BIG).map(|value| value.0[0]),
            };
            assert_eq!((number, got), (inlet, Some(expected)));
        }
        assert!(given.next().is_none());
    }
}
