//! Functions of the model: their layouts, and the types of their values.

use std::iter::{Empty, empty};
use std::sync::Arc;

use earth_memory::frames::{
    Beside, Counted, Declared, Extent, Family, FrameId, FrameLayout, Frames, Handed, InletLayout, Laid, Left,
    Near, Refusal, SlotLayout, lay_out,
};
use earth_memory::{Kind, KindOf};

pub(crate) struct Model;

/// Of each inlet the type of its values is known.
impl Declared for Model {
    type Value = ();
    type Slot = ();
    type Inlet = Type;
}

impl Family for Model {
    type Declared = Model;
    type Function = u32;
    type Extra = u64;
}

/// The types of the values of inlets.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Type {
    Word,
    Half,
    Tracked,
    Big,
}

impl Type {
    pub(crate) fn kind(self) -> &'static Kind<()> {
        match self {
            Type::Word => WORD.erased(),
            Type::Half => HALF.erased(),
            Type::Tracked => TRACKED.erased(),
            Type::Big => BIG.erased(),
        }
    }
}

/// A value that is counted while it lives.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Tracked(pub(crate) u64, pub(crate) Arc<()>);

/// A value that lies in a box.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Big(pub(crate) [u64; 9], pub(crate) Arc<()>);

/// Of one address each, by which an inlet's kind is known at once.
pub(crate) static WORD: &KindOf<u64, ()> = KindOf::KIND;
pub(crate) static HALF: &KindOf<u32, ()> = KindOf::KIND;
pub(crate) static TRACKED: &KindOf<Tracked, ()> = KindOf::KIND;
pub(crate) static BIG: &KindOf<Big, ()> = KindOf::KIND;

const fn word(slot: u32, array: bool) -> InletLayout<Model> {
    InletLayout::new(WORD, Type::Word).signalling(slot, array)
}
const fn tracked(slot: u32, array: bool) -> InletLayout<Model> {
    InletLayout::new(TRACKED, Type::Tracked).signalling(slot, array)
}
const fn big(slot: u32, array: bool) -> InletLayout<Model> {
    InletLayout::new(BIG, Type::Big).signalling(slot, array)
}
const fn half(slot: u32) -> InletLayout<Model> {
    InletLayout::new(HALF, Type::Half).signalling(slot, false)
}

/// Two slots: three inlets, once; an inlet and a signal, round after round.
pub(crate) static PLAIN: FrameLayout<Model> = FrameLayout::new::<Tracked>(
    &[SlotLayout::new(3, 0, 0, 3, ()), SlotLayout::new(2, 2, 3, 1, ())],
    const {
        &lay_out::<Model, 4>(
            2,
            Beside::Nothing,
            [word(0, false), tracked(0, false), big(0, false), tracked(1, false)],
        )
    },
    Beside::Nothing,
    0,
);

/// The inlets of the slots of [`MANY`]: within a mask, on both sides of its end, up to the end of one, all of one, and of the
/// last.
pub(crate) const SPANS: [std::ops::Range<u32>; 5] = [0..28, 28..38, 38..64, 64..96, 96..98];

const fn span(slot: usize) -> SlotLayout<Model> {
    let (start, inlets) = (SPANS[slot].start, SPANS[slot].end - SPANS[slot].start);
    SlotLayout::new(inlets, inlets, start, inlets, ())
}

/// More inlets than three masks have bits; a state that lies in a box.
pub(crate) static MANY: FrameLayout<Model> = FrameLayout::new::<[Tracked; 100]>(
    const { &[span(0), span(1), span(2), span(3), span(4)] },
    const {
        &lay_out::<Model, 98>(5, Beside::Nothing, {
            let mut inlets = [const { half(0) }; 98];
            let mut slot = 0;
            while slot < 5 {
                let mut i = SPANS[slot].start;
                while i < SPANS[slot].end {
                    inlets[i as usize] = half(slot as u32);
                    i += 1;
                }
                slot += 1;
            }
            inlets
        })
    },
    Beside::Nothing,
    1,
);

/// An array of slots with an inlet each, a slot with an array of inlets and a single one, and a slot with a single one.
/// Frames of the class that the first ones have.
pub(crate) static ARRAYS: FrameLayout<Model> = FrameLayout::new::<[Tracked; 3]>(
    &[SlotLayout::new(0, 0, 0, 1, ()), SlotLayout::new(0, 0, 1, 2, ()), SlotLayout::new(0, 0, 3, 1, ())],
    const {
        &lay_out::<Model, 4>(
            3,
            Beside::Extra,
            [tracked(0, true), big(1, true), word(1, false), word(2, false)],
        )
    },
    Beside::Extra,
    2,
);

/// Nothing but an extra. Frames of the same class again.
pub(crate) static BARE: FrameLayout<Model> = FrameLayout::new::<[Tracked; 5]>(&[], &[], Beside::Extra, 3);

/// An inlet as one of [`PLAIN`], at another place.
static SHIFTED: FrameLayout<Model> = FrameLayout::new::<u64>(
    &[SlotLayout::new(4, 0, 0, 4, ())],
    const {
        &lay_out::<Model, 4>(
            1,
            Beside::Nothing,
            [word(0, false), tracked(0, false), big(0, false), tracked(0, false)],
        )
    },
    Beside::Nothing,
    9,
);

/// The layouts as types.
pub(crate) struct Plain;
pub(crate) struct Shifted;
pub(crate) struct Many;
pub(crate) struct Arrays;
pub(crate) struct Bare;

impl Laid<Model> for Plain {
    const FRAME: &'static FrameLayout<Model> = &PLAIN;
}
impl Laid<Model> for Shifted {
    const FRAME: &'static FrameLayout<Model> = &SHIFTED;
}
impl Laid<Model> for Many {
    const FRAME: &'static FrameLayout<Model> = &MANY;
}
impl Laid<Model> for Arrays {
    const FRAME: &'static FrameLayout<Model> = &ARRAYS;
}
impl Laid<Model> for Bare {
    const FRAME: &'static FrameLayout<Model> = &BARE;
}

pub(crate) const LAYOUTS: [&FrameLayout<Model>; 4] = [&PLAIN, &MANY, &ARRAYS, &BARE];

/// The bytes of a frame with a slot, inlets of such values, and a state of type `F`.
const fn bytes<F: Send + 'static, const N: usize>(
    slot: &'static [SlotLayout<Model>],
    inlets: &'static [InletLayout<Model>; N],
) -> u32 {
    FrameLayout::<Model>::new::<F>(slot, inlets, Beside::Nothing, 0).bytes()
}

#[test]
fn a_slot_and_two_words_of_values_and_of_state_take_one_line() {
    const NOTHING: &KindOf<(), ()> = KindOf::KIND;
    static TWO: [InletLayout<Model>; 2] = lay_out(1, Beside::Nothing, [const { word(0, false) }; 2]);
    static ONE: [InletLayout<Model>; 1] = lay_out(1, Beside::Nothing, [word(0, false)]);
    static FULL: [InletLayout<Model>; 32] =
        lay_out(1, Beside::Nothing, [const { InletLayout::new(NOTHING, Type::Word) }; 32]);
    static MORE: [InletLayout<Model>; 33] =
        lay_out(1, Beside::Nothing, [const { InletLayout::new(NOTHING, Type::Word) }; 33]);
    const fn slot(inlets: u32) -> SlotLayout<Model> {
        SlotLayout::new(inlets, 0, 0, inlets, ())
    }
    static SLOTS: [[SlotLayout<Model>; 1]; 4] = [[slot(1)], [slot(2)], [slot(32)], [slot(33)]];
    assert_eq!(
        [bytes::<[u64; 2], 2>(&SLOTS[1], &TWO), bytes::<[u64; 3], 2>(&SLOTS[1], &TWO)],
        [64, 96],
        "two words of values"
    );
    assert_eq!(
        [bytes::<[u64; 3], 1>(&SLOTS[0], &ONE), bytes::<[u64; 4], 1>(&SLOTS[0], &ONE)],
        [64, 96],
        "one word of values"
    );
    assert_eq!(
        [bytes::<[u64; 4], 32>(&SLOTS[2], &FULL), bytes::<[u64; 4], 33>(&SLOTS[3], &MORE)],
        [64, 96],
        "a mask of the head is full, and one is not enough"
    );
}

/// A frame asks for a look at its rounds if a slot takes several signals in one and has others after it.
#[test]
fn a_slot_has_rounds_if_it_has_a_reset_and_several_signals() {
    const fn slot(count: u32, reset: u32) -> [SlotLayout<Model>; 1] {
        [SlotLayout::new(count, reset, 0, 0, ())]
    }
    const fn layout(slots: &'static [SlotLayout<Model>]) -> FrameLayout<Model> {
        FrameLayout::new::<u64>(slots, &[], Beside::Nothing, 0)
    }
    static SLOTS: [[SlotLayout<Model>; 1]; 5] = [slot(7, 0), slot(1, 1), slot(0, 1), slot(2, 1), slot(0, 2)];
    static LAYOUTS: [FrameLayout<Model>; 5] =
        [layout(&SLOTS[0]), layout(&SLOTS[1]), layout(&SLOTS[2]), layout(&SLOTS[3]), layout(&SLOTS[4])];
    let mut frames = Frames::<Model>::new();
    let ends = LAYOUTS.each_ref().map(|layout| {
        let id = frames.make(layout);
        frames.end_of(id)
    });
    assert_eq!(ends, [Ok(()), Ok(()), Ok(()), Err(Left::Rounds), Err(Left::Rounds)]);
}

/// The sizes of a function that declares nothing.
pub(crate) fn no_sizes() -> (Empty<(Extent, u32, u32)>, Empty<Extent>) {
    (empty(), empty())
}

/// The values of a round, if they are taken at once.
pub(crate) fn take_near<const N: usize>(
    frames: &mut Frames<Model>,
    id: FrameId,
    slot: u32,
) -> Option<Handed<Model, N>> {
    match frames.near(id, slot) {
        Near::Values(round) => Some(round.take()),
        Near::Nothing | Near::Other => None,
    }
}

/// A value into a frame, by the two ways there are.
pub(crate) trait Puts {
    /// By the place that is found for it.
    fn put_found<T: Send + 'static>(
        &mut self,
        id: FrameId,
        inlet: u32,
        value: T,
        kind: &'static KindOf<T, ()>,
    ) -> Result<Counted, Refusal>;

    /// In the common way, and by the place that is found for it if that is not its case.
    fn put_any<T: Send + 'static>(
        &mut self,
        id: FrameId,
        inlet: u32,
        value: T,
        kind: &'static KindOf<T, ()>,
    ) -> Result<Counted, Refusal>;
}

impl Puts for Frames<Model> {
    fn put_found<T: Send + 'static>(
        &mut self,
        id: FrameId,
        inlet: u32,
        value: T,
        kind: &'static KindOf<T, ()>,
    ) -> Result<Counted, Refusal> {
        self.find(id, inlet, kind.erased()).map(|place| place.store(value, kind))
    }

    fn put_any<T: Send + 'static>(
        &mut self,
        id: FrameId,
        inlet: u32,
        value: T,
        kind: &'static KindOf<T, ()>,
    ) -> Result<Counted, Refusal> {
        let put = self.try_put(id, u64::from(inlet), value, kind);
        put.or_else(|value| self.put_found(id, inlet, value, kind))
    }
}
