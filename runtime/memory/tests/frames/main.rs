//! The store of frames beside a model of plain collections: any sequence of operations gives the same on both, and every
//! value and state is dropped once.

mod cases;
mod identities;
mod layouts;
mod panics;
mod steps;
mod take;
mod twin;

use std::collections::HashMap;
use std::sync::Arc;

use earth_memory::Parcel;
use earth_memory::frames::{Counted, Extent, FrameId, Frames, Put, Raised, with_state};
use layouts::{
    Arrays, BIG, Bare, Big, HALF, LAYOUTS, Many, Model, PLAIN, Plain, Shifted, TRACKED, Tracked, Type, WORD,
    no_sizes, take_near,
};
use proptest::prelude::*;
use steps::{Step, steps};
use take::{taken, taken_all};
use twin::Twin;

/// Both sides.
struct Pair {
    frames: Frames<Model>,
    /// The frames that were made, each with the number of its layout, and the twins of those that live.
    made: Vec<(FrameId, usize)>,
    twins: HashMap<FrameId, Twin>,
    alive: Arc<()>,
}

/// A store that takes any value by its type, typed or set aside; what it did not take comes back as its number.
macro_rules! put {
    ($frames:expr, $id:expr, $inlet:expr, $plain:expr, $value:expr, $kind:expr) => {
        if $plain {
            $frames.put_typed($id, $inlet, $value, $kind).ok().map(Put::Counted)
        } else {
            Some($frames.put($id, $inlet, Parcel::new($value, $kind)))
        }
    };
}

/// A number for an identity.
fn word(id: FrameId) -> u64 {
    u64::from(id.generation()) << 32 | u64::from(id.number())
}

impl Pair {
    fn big(&self, value: u64) -> Big {
        Big([value; 9], self.alive.clone())
    }

    fn tracked(&self, value: u64) -> Tracked {
        Tracked(value, self.alive.clone())
    }

    fn make(&mut self, layout: usize, len: usize, count: u32) {
        self.frames.leave();
        let next = self.frames.next_id(LAYOUTS[layout]);
        let mut twin = Twin::new(layout, len, count);
        let single = |first| Extent { first, len: 1, array: false };
        let array = |first: usize| Extent { first: first as u32, len: len as u32, array: true };
        let slots = [(array(3), count, 1), (single(1), len as u32 + 1, count - 1), (single(2), count, 1)];
        let inlets = [array(4), array(4 + len), single(2), single(3)];
        let (numbers, sizes) = ([len as u32, count], || (slots.into_iter(), inlets.into_iter()));
        let state = || Tracked(word(next), self.alive.clone());
        let id = match (layout, count) {
            (0, 2) => self.frames.make_with::<Plain, _>(state()),
            (2, 2) => {
                let state = std::array::from_fn(|_| state());
                self.frames.make_sized::<Arrays, [Tracked; 3], _, _>(state, &numbers, sizes)
            }
            _ => self.frames.make(LAYOUTS[layout]),
        };
        assert_eq!((next, self.frames.entered()), (id, Some(id)));
        assert!(self.made.iter().all(|made| made.0 != id), "an identity is given once");
        match (layout, count) {
            (0 | 2, 2) => twin.state = Some(word(next)),
            (2, _) => self.frames.lay_out(id, &numbers, sizes),
            // Nothing is laid out of a frame that has no extra.
            _ => self.frames.lay_out(id, &[], no_sizes),
        }
        assert_eq!(self.frames.user(id).is_some(), layout >= 2);
        if let Some(user) = self.frames.user_mut(id) {
            *user = word(id);
            twin.user = Some(word(id));
        }
        self.made.push((id, layout));
        self.twins.insert(id, twin);
    }

    fn put(&mut self, id: FrameId, inlet: u32, value: u64, plain: bool, wrong: bool) {
        let twin = self.twins.get_mut(&id);
        let found = twin.as_ref().and_then(|twin| twin.inlets.get(inlet as usize).copied().flatten());
        let ty = found.as_ref().map_or(Type::Word, |found| found.0);
        let ty = if wrong { if ty == Type::Word { Type::Tracked } else { Type::Word } } else { ty };
        let (big, tracked) = (Big([value; 9], self.alive.clone()), Tracked(value, self.alive.clone()));
        let got = match ty {
            Type::Word => put!(self.frames, id, inlet, plain, value, WORD),
            Type::Half => put!(self.frames, id, inlet, plain, value as u32, HALF),
            Type::Tracked => put!(self.frames, id, inlet, plain, tracked, TRACKED),
            Type::Big => put!(self.frames, id, inlet, plain, big, BIG),
        };
        let twin = self.twins.get_mut(&id);
        let Some(got) = got else {
            // The common case alone is plain: a live frame, an inlet that is empty, a signal that is expected.
            let common = !wrong
                && twin.is_some_and(|twin| {
                    matches!(&found, Some((_, slot, None)) if twin.slots[*slot].as_ref().unwrap().awaited > 0)
                });
            assert!(!common, "the common case was refused");
            return;
        };
        match (got, twin, found) {
            (Put::Stale(_), None, _) | (Put::Nowhere(_), Some(_), None) => {}
            (Put::Nowhere(_), Some(_), Some(_)) => assert!(wrong),
            (Put::Full(_), Some(_), Some((_, _, Some(_)))) => assert!(!wrong),
            (Put::Unexpected(_), Some(twin), Some((_, slot, None))) => {
                assert_eq!(twin.slots[slot].as_ref().map(|slot| slot.awaited), Some(0));
            }
            (Put::Counted(counted), Some(twin), Some((_, slot, None))) => {
                assert!(!wrong);
                twin.inlets[inlet as usize].as_mut().expect("an inlet").2 = Some(value);
                assert_eq!(counted, twin.count(slot));
            }
            (got, twin, found) => panic!("{got:?}, but {twin:?} has {found:?}"),
        }
    }

    fn signal(&mut self, id: FrameId, slot: u32, plain: bool) {
        let got = if plain {
            let counted = if slot.is_multiple_of(2) {
                self.frames.signal_plain(id, slot)
            } else {
                self.signal_entered(id, slot)
            };
            let Some(counted) = counted else {
                let expected = self.twins.get(&id).and_then(|twin| twin.slots.get(slot as usize)?.as_ref());
                assert!(expected.is_none_or(|slot| slot.awaited == 0), "the common case was refused");
                return;
            };
            Put::Counted(counted)
        } else {
            self.frames.signal(id, slot)
        };
        let twin = self.twins.get_mut(&id);
        let left =
            twin.as_ref().and_then(|twin| twin.slots.get(slot as usize)?.as_ref().map(|slot| slot.awaited));
        match (got, left, twin) {
            (Put::Stale(()), _, None)
            | (Put::Nowhere(()), None, Some(_))
            | (Put::Unexpected(()), Some(0), Some(_)) => {}
            (Put::Counted(counted), Some(1..), Some(twin)) => assert_eq!(counted, twin.count(slot as usize)),
            (got, ..) => panic!("{got:?} with {left:?} signals left"),
        }
    }

    /// Signals a slot of the frame that is entered.
    fn signal_entered(&mut self, id: FrameId, slot: u32) -> Option<Counted> {
        self.frames.leave();
        assert!(self.frames.signal_entered::<Plain>(slot).is_none());
        let layout = self.twins.get(&id)?.layout;
        self.frames.enter(id).expect("a frame that has a twin lives");
        assert!(self.frames.signal_entered::<Shifted>(0).is_none());
        let (own, counted) = match layout {
            0 => self.frames.signal_entered::<Plain>(slot),
            1 => self.frames.signal_entered::<Many>(slot),
            2 => self.frames.signal_entered::<Arrays>(slot),
            _ => self.frames.signal_entered::<Bare>(slot),
        }?;
        assert_eq!(own, id);
        Some(counted)
    }

    /// Takes all values of a slot, by the ways there are.
    fn take(&mut self, id: FrameId, slot: u32) {
        let entered = self.frames.enter(id).is_some();
        assert_eq!(entered, self.twins.contains_key(&id));
        let Some(twin) = self.twins.get_mut(&id) else { return };
        let Some(Some(slot_twin)) = twin.slots.get(slot as usize) else { return };
        let declared = self.frames.declared(slot).expect("a slot");
        assert_eq!(
            declared,
            if twin.layout < 2 || slot < 3 { (slot as usize, 0) } else { (0, slot as usize - 3) }
        );
        let (mut inlets, mut expected) = (Vec::new(), Vec::new());
        for &inlet in &slot_twin.inlets {
            let (ty, _, value) = twin.inlets[inlet].as_mut().expect("an inlet");
            inlets.push((inlet as u32, *ty));
            expected.push(value.take());
        }
        let (frames, one) = (&mut self.frames, Some(slot).filter(|slot| *slot < 3));
        let got = match twin.layout {
            0 if slot == 0 => taken::<Plain>(frames, one, &inlets),
            // Not of this layout, which has such an inlet elsewhere.
            0 => taken::<Shifted>(frames, Some(0), &inlets),
            1 => taken::<Many>(frames, Some(slot), &inlets),
            // An array, and a single one.
            2 if slot == 1 => taken_all(frames, &inlets),
            _ if one.is_some() => taken::<Arrays>(frames, one, &inlets),
            _ => {
                let mut take =
                    |&(inlet, _): &(u32, Type)| frames.take_element(0, inlet as usize - 4, TRACKED);
                inlets.iter().map(|inlet| take(inlet).map(|value| value.0)).collect()
            }
        };
        assert_eq!(got, expected);
    }

    /// Takes a slot's values out in their words, if they are few, and lets them come back where they were.
    fn hand_over_words(&mut self, id: FrameId, slot: u32) {
        let Some(mut round) = self.frames.round(id, slot) else { return };
        let words = round.words();
        let Some(handed) = round.take::<8>() else { return };
        assert!(words.is_some_and(|words| words <= 8) && handed.slot() == slot);
        assert!(!self.frames.holds_any(id, slot));
        assert!(self.frames.round(id, slot).and_then(|mut round| round.take::<8>()).is_none());
        assert!(self.frames.take_over(id, handed).is_ok());
        // It is the recent frame now. The inlets of the others have halves of words, or bits elsewhere.
        let twin = &self.twins[&id];
        let is_near = matches!((twin.layout, slot), (0, _) | (2, 2)) && twin.parked == 0;
        let near = take_near::<8>(&mut self.frames, id, slot);
        assert_eq!(near.is_some(), is_near, "slot {slot} of layout {}", twin.layout);
        if let Some(handed) = near {
            assert!(!self.frames.holds_any(id, slot) && take_near::<8>(&mut self.frames, id, slot).is_none());
            assert!(self.frames.take_over(id, handed).is_ok());
        }
        let counts = self.twins[&id].slots[slot as usize].as_ref().map_or(0, |slot| slot.inlets.len());
        assert_eq!(self.frames.holds_any(id, slot), counts > 0);
    }

    fn hand_over(&mut self, id: FrameId, slot: u32) {
        self.hand_over_words(id, slot);
        let mut given = Vec::new();
        self.frames.hand_over(id, slot, |inlet, value| given.push((inlet as usize, value)));
        let Some(twin) = self.twins.get_mut(&id) else {
            assert!(given.is_empty());
            return;
        };
        let Some(Some(slot)) = twin.slots.get(slot as usize) else { return };
        let mut given = given.into_iter();
        for &inlet in &slot.inlets {
            let (ty, _, value) = twin.inlets[inlet].as_mut().expect("an inlet");
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

    fn state(&mut self, id: FrameId, how: u8) {
        if self.frames.enter(id).is_none() {
            return;
        }
        let twin = self.twins.get_mut(&id).expect("a live frame has a twin");
        let layout = LAYOUTS[twin.layout];
        let value = word(id) >> 3;
        let parked =
            [self.frames.entered_as::<Plain>().has_parked(), self.frames.entered_as::<Many>().has_parked()];
        assert_eq!(parked, [twin.parked > 0; 2]);
        assert_eq!(self.frames.entered_numbers().is_some(), twin.user.is_some());
        if let (Some(user), Some(expected)) = (self.frames.user_mut(id), &mut twin.user) {
            (*user, *expected) = (*user + 1, *expected + 1);
        }
        match (how, twin.state) {
            (0, None) => {
                twin.state = Some(value);
                match twin.layout {
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
                assert!(frames.entered_as::<Plain>().take_state::<String>().is_none());
                let taken = match twin.layout {
                    0 => frames.entered_as::<Plain>().take_state::<Tracked>().map(|state| state.0),
                    1 => frames.entered_as::<Many>().take_state::<[Tracked; 100]>().map(|state| state[99].0),
                    2 => frames.entered_as::<Bare>().take_state::<[Tracked; 3]>().map(|state| state[2].0),
                    _ => frames.entered_as::<Bare>().take_state::<[Tracked; 5]>().map(|state| state[4].0),
                };
                assert_eq!((taken, frames.take_state::<String>(layout)), (state, None));
                twin.state = None;
            }
            (_, state) if twin.layout == 0 => {
                let next = self.tracked(7);
                let seen = with_state(
                    self,
                    |pair| &mut pair.frames,
                    layout,
                    |state: &mut Tracked, pair: &mut Pair| {
                        // The store serves on, and lends no state twice.
                        let before = pair.frames.live_frames().count();
                        let other: Option<()> =
                            with_state(pair, |pair| &mut pair.frames, &PLAIN, |_: &mut Tracked, _| ());
                        let moved = pair.frames.entered_as::<Plain>().take_state::<Tracked>();
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

    fn end(&mut self, id: FrameId, entered: bool) {
        let outcome = if entered {
            if self.frames.enter(id).is_none() {
                return;
            }
            match self.twins[&id].layout {
                1 => self.frames.end_as::<Many>(),
                2 if id.number().is_multiple_of(2) => self.frames.end_as::<Arrays>(),
                3 => self.frames.end_as::<Bare>(),
                // The frame may be one of another layout.
                _ => self.frames.end_as::<Plain>(),
            }
        } else if self.frames.end_plain(id) {
            Ok(())
        } else {
            self.frames.end_of(id)
        };
        let Some(twin) = self.twins.get_mut(&id) else {
            assert_eq!(outcome, Ok(()));
            return;
        };
        twin.state = None;
        assert_eq!(outcome, twin.left());
        if outcome.is_ok() {
            self.twins.remove(&id);
            assert!(self.frames.enter(id).is_none());
            let last = self.frames.last(id.number()).expect("a frame lived there");
            assert!(last.was(id));
        }
    }

    /// Enters a frame by its layout, which is one of these.
    fn enter_of(&mut self, id: FrameId) {
        self.frames.leave();
        for (layout, other) in LAYOUTS.iter().enumerate() {
            let is = self.twins.get(&id).is_some_and(|twin| twin.layout == layout);
            assert_eq!(self.frames.enter_of(id, other), is);
            assert_eq!(self.frames.entered(), is.then_some(id));
            if is {
                return;
            }
        }
    }

    /// The function of a frame that was made, if its number has had fewer than four others since.
    fn function(&self, id: FrameId) -> Option<u32> {
        let lives: Vec<_> =
            self.made.iter().filter(|made| made.0.number() == id.number() && made.0 >= id).collect();
        let changes = lives.windows(2).filter(|pair| pair[0].1 != pair[1].1).count();
        (changes < 4).then_some(lives[0].1 as u32)
    }

    fn apply(&mut self, step: &Step) {
        let id =
            |frame: usize| self.made.get(frame % self.made.len().max(1)).map_or(FrameId::ROOT, |made| made.0);
        match *step {
            Step::Make { layout, len, count } => self.make(layout, len, count),
            Step::Put { frame, inlet, value, plain, wrong } => {
                self.put(id(frame), inlet, value, plain, wrong);
            }
            Step::Signal { frame, slot, plain } => self.signal(id(frame), slot, plain),
            Step::Raise { frame, slot, by } => {
                let id = id(frame);
                let expected = self.twins.get_mut(&id).map_or(Raised::Stale, |twin| twin.raise(slot, by));
                assert_eq!(self.frames.raise(id, slot, by), expected);
            }
            Step::Take { frame, slot } => self.take(id(frame), slot),
            Step::HandOver { frame, slot } => self.hand_over(id(frame), slot),
            Step::State { frame, how } => self.state(id(frame), how),
            Step::Park { frame, more } => {
                let id = id(frame);
                self.frames.park(id, more);
                if let Some(twin) = self.twins.get_mut(&id) {
                    twin.parked = if more { twin.parked + 1 } else { twin.parked.saturating_sub(1) };
                }
            }
            Step::End { frame, entered, noted } => {
                let id = id(frame);
                if noted {
                    self.frames.rounds_noted(id);
                    self.twins.entry(id).and_modify(|twin| twin.rounds = false);
                }
                self.enter_of(id);
                self.end(id, entered);
            }
            Step::Forged { id } => {
                let id = FrameId::new(id as u32, (id >> 32) as u32);
                if let Some(id) = id.filter(|id| !self.twins.contains_key(id)) {
                    assert!(matches!(self.frames.signal(id, 0), Put::Stale(())));
                    assert!(matches!(self.frames.put(id, 0, Parcel::new(self.big(1), BIG)), Put::Stale(_)));
                    assert_eq!((self.frames.counts(id, 0), self.frames.enter(id).is_none()), (None, true));
                    assert_eq!((self.frames.raise(id, 0, 1), self.frames.user(id)), (Raised::Stale, None));
                    assert!(self.frames.inlet_kind(id, 0).is_none() && self.frames.slot_of(id, 0).is_none());
                    assert!(self.frames.live_function(id).is_none() && self.frames.unfinished(id).is_empty());
                    assert_eq!(self.frames.inlets_of(id, 0).next(), None);
                    self.enter_of(id);
                    self.frames.rounds_noted(id);
                }
            }
        }
    }

    /// Compares all that can be asked of live frames.
    fn compare(&self) {
        let mut expected: Vec<FrameId> = self.twins.keys().copied().collect();
        expected.sort_unstable_by_key(|id| id.number());
        assert_eq!(self.frames.live_frames().collect::<Vec<_>>(), expected);
        let mut values = 0;
        for (&id, twin) in &self.twins {
            let full: Vec<u32> = (0u32..)
                .zip(&twin.inlets)
                .filter(|(_, inlet)| inlet.as_ref().is_some_and(|inlet| inlet.2.is_some()))
                .map(|(number, _)| number)
                .collect();
            assert_eq!(self.frames.full_inlets(id), full);
            let counted = |inlet: &&Option<(Type, usize, Option<u64>)>| {
                matches!(inlet, Some((Type::Tracked | Type::Big, _, Some(_))))
            };
            values += twin.inlets.iter().filter(counted).count();
            values += if twin.state.is_some() { [1, 100, 3, 5][twin.layout] } else { 0 };
            let slots =
                || (0u32..).zip(&twin.slots).filter_map(|(number, slot)| Some((number, slot.as_ref()?)));
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
            assert_eq!(self.frames.unfinished(id), twin.unfinished());
            for (number, inlet) in (0..).zip(twin.inlets.iter().chain([&None])) {
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
            assert_eq!(self.frames.has_parked(id), twin.parked > 0);
            assert_eq!(self.frames.user(id).copied(), twin.user);
            assert_eq!(self.frames.last(id.number()).map(|last| last.numbers), Some(self.frames.numbers(id)));
        }
        for &(id, layout) in &self.made {
            let lives = self.twins.contains_key(&id);
            let last = self.frames.last(id.number()).expect("a frame lived there");
            assert_eq!(self.frames.live_function(id).copied(), lives.then_some(layout as u32));
            assert_eq!(self.frames.function_of(id).copied(), self.function(id));
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
