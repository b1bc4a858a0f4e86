//! Functions of the model: their layouts, and the types of their values.

use std::sync::Arc;

use earth_memory::frames::{
    Counted, Extents, ExtraContents, FastRound, FrameId, FrameLayout, Frames, Function, Handed, InletLayout,
    Left, Refusal, SlotLayout, lay_out,
};
use earth_memory::{Kind, KindOf};

/// The number of a layout.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Model(pub(crate) u32);

impl Function for Model {
    type Value = ();
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

/// A value that is stored in a box.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Big(pub(crate) [u64; 9], pub(crate) Arc<()>);

/// Statics, so that each kind has one address and the fast path recognizes it.
pub(crate) static WORD: &KindOf<u64, ()> = KindOf::KIND;
pub(crate) static HALF: &KindOf<u32, ()> = KindOf::KIND;
pub(crate) static TRACKED: &KindOf<Tracked, ()> = KindOf::KIND;
pub(crate) static BIG: &KindOf<Big, ()> = KindOf::KIND;

/// A slot with these counts, without a name.
pub(crate) const fn slot(count: u32, reset: u32, first_inlet: u32, inlets: u32) -> SlotLayout {
    SlotLayout::new("", 0, Some((count, reset)), reset > 0, false, first_inlet, inlets)
}
pub(crate) const fn word(slot: u32, array: bool) -> InletLayout<()> {
    InletLayout::new("word", WORD.erased(), slot, array)
}
const fn tracked(slot: u32, array: bool) -> InletLayout<()> {
    InletLayout::new("tracked", TRACKED.erased(), slot, array)
}
const fn big(slot: u32, array: bool) -> InletLayout<()> {
    InletLayout::new("big", BIG.erased(), slot, array)
}
pub(crate) const fn half(slot: u32) -> InletLayout<()> {
    InletLayout::new("half", HALF.erased(), slot, false)
}

/// Two slots: one with three inlets and a single round; one with an inlet and a signal, which resets.
pub(crate) static PLAIN: FrameLayout<Model> = FrameLayout::new::<Tracked>(
    &[slot(3, 0, 0, 3), slot(2, 2, 3, 1)],
    const {
        &lay_out::<(), 4>(
            2,
            ExtraContents::Nothing,
            [word(0, false), tracked(0, false), big(0, false), tracked(1, false)],
        )
    },
    ExtraContents::Nothing,
    Model(0),
);

/// Inlets of the slots of [`MANY`]: within a mask, across the end of a mask, up to the end of a mask, a whole
/// mask, and the last mask.
pub(crate) const SPANS: [std::ops::Range<u32>; 5] = [0..28, 28..38, 38..64, 64..96, 96..98];

const fn span(number: usize) -> SlotLayout {
    let (start, inlets) = (SPANS[number].start, SPANS[number].end - SPANS[number].start);
    slot(inlets, inlets, start, inlets)
}

/// More inlets than three masks have bits, and a state in a box.
pub(crate) static MANY: FrameLayout<Model> = FrameLayout::new::<[Tracked; 100]>(
    const { &[span(0), span(1), span(2), span(3), span(4)] },
    const {
        &lay_out::<(), 98>(5, ExtraContents::Nothing, {
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
    ExtraContents::Nothing,
    Model(1),
);

/// An array of slots with an inlet each, a slot with an array of inlets and a single inlet, and a slot with a
/// single inlet. Its frames have the same class as the frames of [`PLAIN`].
pub(crate) static ARRAYS: FrameLayout<Model> = FrameLayout::new::<[Tracked; 3]>(
    &[slot(0, 0, 0, 1), slot(0, 0, 1, 2), slot(0, 0, 3, 1)],
    const {
        &lay_out::<(), 4>(
            3,
            ExtraContents::Extra,
            [tracked(0, true), big(1, true), word(1, false), word(2, false)],
        )
    },
    ExtraContents::Extra,
    Model(2),
);

/// Only an extra. Its frames have the same class again.
pub(crate) static BARE: FrameLayout<Model> =
    FrameLayout::new::<[Tracked; 5]>(&[], &[], ExtraContents::Extra, Model(3));

/// An inlet like one of [`PLAIN`], at another offset.
pub(crate) static SHIFTED: FrameLayout<Model> = FrameLayout::new::<u64>(
    &[slot(4, 0, 0, 4)],
    const {
        &lay_out::<(), 4>(
            1,
            ExtraContents::Nothing,
            [word(0, false), tracked(0, false), big(0, false), tracked(0, false)],
        )
    },
    ExtraContents::Nothing,
    Model(9),
);

pub(crate) const LAYOUTS: [&FrameLayout<Model>; 4] = [&PLAIN, &MANY, &ARRAYS, &BARE];

/// Returns the size of a frame with a slot, these inlets, and a state of type `F`, in bytes.
const fn bytes<F: Send + 'static, const N: usize>(
    slot: &'static [SlotLayout],
    inlets: &'static [InletLayout<()>; N],
) -> u32 {
    FrameLayout::<Model>::new::<F>(slot, inlets, ExtraContents::Nothing, Model(0)).bytes()
}

#[test]
fn a_slot_and_two_words_of_values_and_of_state_take_one_line() {
    const NOTHING: &KindOf<(), ()> = KindOf::KIND;
    static TWO: [InletLayout<()>; 2] = lay_out(1, ExtraContents::Nothing, [const { word(0, false) }; 2]);
    static ONE: [InletLayout<()>; 1] = lay_out(1, ExtraContents::Nothing, [word(0, false)]);
    static FULL: [InletLayout<()>; 32] =
        lay_out(1, ExtraContents::Nothing, [const { InletLayout::new("", NOTHING.erased(), 0, false) }; 32]);
    static MORE: [InletLayout<()>; 33] =
        lay_out(1, ExtraContents::Nothing, [const { InletLayout::new("", NOTHING.erased(), 0, false) }; 33]);
    static SLOTS: [[SlotLayout; 1]; 4] =
        [[slot(1, 0, 0, 1)], [slot(2, 0, 0, 2)], [slot(32, 0, 0, 32)], [slot(33, 0, 0, 33)]];
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

/// A frame must have its rounds examined if a slot takes several signals in a round and has further rounds.
#[test]
fn a_slot_has_rounds_if_it_has_a_reset_and_several_signals() {
    const fn signals(count: u32, reset: u32) -> [SlotLayout; 1] {
        [slot(count, reset, 0, 0)]
    }
    const fn layout(slots: &'static [SlotLayout]) -> FrameLayout<Model> {
        FrameLayout::new::<u64>(slots, &[], ExtraContents::Nothing, Model(0))
    }
    static SLOTS: [[SlotLayout; 1]; 5] =
        [signals(7, 0), signals(1, 1), signals(0, 1), signals(2, 1), signals(0, 2)];
    static LAYOUTS: [FrameLayout<Model>; 5] =
        [layout(&SLOTS[0]), layout(&SLOTS[1]), layout(&SLOTS[2]), layout(&SLOTS[3]), layout(&SLOTS[4])];
    let mut frames = Frames::<Model>::new();
    let ends = LAYOUTS.each_ref().map(|layout| {
        let id = frames.make(layout);
        frames.end_of(id)
    });
    assert_eq!(ends, [Ok(()), Ok(()), Ok(()), Err(Left::Rounds), Err(Left::Rounds)]);
}

/// Returns the extents of a function without declarations.
pub(crate) fn no_extents() -> Extents {
    Extents { slots: Vec::new(), inlets: Vec::new() }
}

/// Takes the values of a round at once, if possible.
pub(crate) fn take_near<const N: usize>(
    frames: &mut Frames<Model>,
    id: FrameId,
    slot: u32,
) -> Option<Handed<Model, N>> {
    values(frames.fast_round(id, slot))
}

/// Takes the values of a round as [`take_near`] does, from any frame.
pub(crate) fn take_round<const N: usize>(
    frames: &mut Frames<Model>,
    id: FrameId,
    slot: u32,
) -> Option<Handed<Model, N>> {
    values(frames.round(id, slot))
}

fn values<const N: usize>(round: FastRound<'_, Model, N>) -> Option<Handed<Model, N>> {
    match round {
        FastRound::Values(round) => Some(round.take()),
        FastRound::Nothing | FastRound::Other => None,
    }
}

/// Stores a value in a frame in two ways.
pub(crate) trait Puts {
    /// Finds the place for the value and stores it there.
    fn put_found<T: Send + 'static>(
        &mut self,
        id: FrameId,
        inlet: u32,
        value: T,
        kind: &'static KindOf<T, ()>,
    ) -> Result<Counted, Refusal>;

    /// Uses the common case, and `put_found` in any other case.
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
        let put = self.try_put(id, inlet, value, kind);
        put.or_else(|value| self.put_found(id, inlet, value, kind))
    }
}
