//! Functions of the model: their layouts, and the types of their values.

use std::sync::Arc;

use earth_memory::KindOf;
use earth_memory::frames::{Family, FrameLayout, InletLayout, SlotLayout, lay_out};

pub(crate) struct Model;

impl Family for Model {
    type Value = ();
    type Function = u32;
    type Slot = ();
    type Inlet = ();
    type Extra = u64;
}

/// A value that is counted while it lives.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Tracked(pub(crate) u64, pub(crate) Arc<()>);

/// A value that lies in a box.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Big(pub(crate) [u64; 9], pub(crate) Arc<()>);

pub(crate) const WORD: &KindOf<u64, ()> = KindOf::KIND;
pub(crate) const HALF: &KindOf<u32, ()> = KindOf::KIND;
pub(crate) const TRACKED: &KindOf<Tracked, ()> = KindOf::KIND;
pub(crate) const BIG: &KindOf<Big, ()> = KindOf::KIND;

const fn word(slot: u32, array: bool) -> InletLayout<Model> {
    InletLayout::new(WORD, ()).signalling(slot, array)
}
const fn tracked(slot: u32, array: bool) -> InletLayout<Model> {
    InletLayout::new(TRACKED, ()).signalling(slot, array)
}
const fn big(slot: u32, array: bool) -> InletLayout<Model> {
    InletLayout::new(BIG, ()).signalling(slot, array)
}
const fn half(slot: u32) -> InletLayout<Model> {
    InletLayout::new(HALF, ()).signalling(slot, false)
}

/// Two slots: three inlets, once; an inlet and a signal, round after round.
pub(crate) static PLAIN: FrameLayout<Model> = FrameLayout::new::<Tracked>(
    &[SlotLayout::new(3, 0, 0, 3, ()), SlotLayout::new(2, 2, 3, 1, ())],
    const { &lay_out::<Model, 4>(2, false, [word(0, false), tracked(0, false), big(0, false), tracked(1, false)]) },
    false,
    0,
);

/// More inlets than a mask has bits, those of one slot on both sides of its end; a state that lies in a box.
pub(crate) static MANY: FrameLayout<Model> = FrameLayout::new::<[Tracked; 100]>(
    &[SlotLayout::new(60, 60, 0, 60, ()), SlotLayout::new(10, 10, 60, 10, ())],
    const {
        &lay_out::<Model, 70>(2, false, {
            let mut inlets = [const { half(0) }; 70];
            let mut i = 60;
            while i < 70 {
                inlets[i] = half(1);
                i += 1;
            }
            inlets
        })
    },
    false,
    1,
);

/// An array of slots with an inlet each, a slot with an array of inlets and a single one, and a slot of signals. Frames of
/// the class that the first ones have.
pub(crate) static ARRAYS: FrameLayout<Model> = FrameLayout::new::<[Tracked; 4]>(
    &[SlotLayout::new(0, 0, 0, 1, ()), SlotLayout::new(0, 0, 1, 2, ()), SlotLayout::new(0, 0, 3, 0, ())],
    const { &lay_out::<Model, 3>(3, true, [tracked(0, true), big(1, true), word(1, false)]) },
    true,
    2,
);

pub(crate) const LAYOUTS: [&FrameLayout<Model>; 3] = [&PLAIN, &MANY, &ARRAYS];
