//! Taking values out of a frame in different ways.

use earth_memory::frames::{FrameLayout, Frames};

use crate::layouts::{ARRAYS, BIG, HALF, Model, TRACKED, Type, WORD};

/// Takes the values of some inlets of the entered frame. The caller claims that the frame has this layout.
/// Takes all at once if `slot` is a declared slot that counts them and all are full; otherwise one by one.
pub(crate) fn taken(
    layout: &'static FrameLayout<Model>,
    frames: &mut Frames<Model>,
    slot: Option<u32>,
    inlets: &[(u32, Type)],
) -> Vec<Option<u64>> {
    if let Some(mut held) = slot.and_then(|slot| frames.all_of(layout, slot)) {
        let take = |&(inlet, ty): &(u32, Type)| {
            let other =
                if ty == Type::Word { held.take(inlet, HALF).map(u64::from) } else { held.take(inlet, WORD) };
            assert_eq!(other, None);
            let value = match ty {
                Type::Word => held.take(inlet, WORD),
                Type::Half => held.take(inlet, HALF).map(u64::from),
                Type::Tracked => held.take(inlet, TRACKED).map(|value| value.0),
                Type::Big => held.take(inlet, BIG).map(|value| value.0[8]),
            };
            assert!(value.is_some() && held.take(inlet, WORD).is_none());
            value
        };
        return inlets.iter().map(take).collect();
    }
    let take = |&(inlet, ty): &(u32, Type)| match ty {
        Type::Word => frames.take_any(inlet, WORD),
        Type::Half => frames.take_any(inlet, HALF).map(u64::from),
        Type::Tracked => frames.take_any(inlet, TRACKED).map(|value| value.0),
        Type::Big => frames.take_any(inlet, BIG).map(|value| value.0[8]),
    };
    inlets.iter().map(take).collect()
}

/// Takes the values of the entered frame of [`ARRAYS`]: its gathered array, and the single inlet that the
/// slot of that array counts. Takes the array all at once if it is full, otherwise one by one.
pub(crate) fn taken_all(frames: &mut Frames<Model>, inlets: &[(u32, Type)]) -> Vec<Option<u64>> {
    let (single, array) = inlets.split_last().expect("a slot that counts an array and a single one");
    let id = frames.entered().expect("a frame is entered");
    let all = array.iter().all(|&(inlet, _)| frames.is_full(id, inlet));
    assert!(frames.take_all(1, WORD).is_none() && frames.take_all(2, WORD).is_none());
    let values = frames.take_all(1, BIG);
    assert_eq!(values.is_some(), all, "an array is taken if it is full");
    let Some(mut values) = values else { return taken(&ARRAYS, frames, Some(1), inlets) };
    assert!(array.iter().all(|&(inlet, _)| !frames.is_full(id, inlet)));
    let mut got: Vec<_> = values.arrived().map(|value| Some(value.0[8])).collect();
    frames.give_back(values);
    got.extend(taken(&ARRAYS, frames, Some(1), std::slice::from_ref(single)));
    got
}
