//! Cases that the model does not reach: slots whose inlets fill a mask, and types and layouts that do not
//! fit.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use earth_memory::frames::{
    Counted, Extent, Extents, ExtraContents, FrameLayout, Frames, InletLayout, Left, Refusal, SlotLayout,
    lay_out, with_state,
};

use crate::layouts::{
    ARRAYS, BARE, BIG, Big, HALF, MANY, Model, PLAIN, Puts, SPANS, TRACKED, Tracked, WORD, no_extents, slot,
    word,
};

/// Signals alone do not complete a slot, whatever masks its inlets are in. Values do, in any order.
#[test]
fn a_slot_that_has_its_signals_lacks_an_inlet_that_is_empty() {
    assert_eq!((PLAIN.bytes(), ARRAYS.bytes()), (BARE.bytes(), BARE.bytes()));
    for (slot, span) in (0u32..).zip(SPANS) {
        let first_or_last = |at| [(at, true), (at, false)];
        for (empty, ends) in span.clone().flat_map(first_or_last) {
            let mut frames = Frames::<Model>::new();
            let id = frames.make(&MANY);
            // Another mask is full.
            for inlet in (0..SPANS[1].end).filter(|_| slot > 1) {
                assert!(frames.put_any(id, inlet, 0, HALF).is_ok());
            }
            // Signals replace the missing value, so another value comes last.
            assert_eq!(frames.raise(id, slot, 1), Ok(()));
            assert_eq!(frames.try_signal(id, slot), Some(Counted::Waits(slot)));
            let mut others = span.clone().filter(|inlet| *inlet != empty);
            let last = if ends { others.next_back() } else { others.next() }.expect("another inlet");
            for inlet in span.clone().filter(|inlet| *inlet != empty && *inlet != last) {
                assert_eq!(frames.put_any(id, inlet, inlet, HALF), Ok(Counted::Waits(slot)));
            }
            assert_eq!(frames.try_signal(id, slot), Some(Counted::Waits(slot)));
            assert_eq!(frames.put_any(id, last, 0, HALF), Ok(Counted::Lacks(slot)));
            assert_eq!(frames.lacking(id, slot), Some(empty));
            // Another round, of signals alone.
            for _ in 1..span.len() {
                assert_eq!(frames.try_signal(id, slot), Some(Counted::Waits(slot)));
            }
            assert_eq!(frames.try_signal(id, slot), Some(Counted::Lacks(slot)));
            // Another round, in which the missing value comes first.
            assert_eq!(frames.put_any(id, empty, 0, HALF), Ok(Counted::Waits(slot)));
            for _ in 2..span.len() {
                assert_eq!(frames.try_signal(id, slot), Some(Counted::Waits(slot)));
            }
            assert_eq!(frames.try_signal(id, slot), Some(Counted::Enables(slot)));
        }
        let mut frames = Frames::<Model>::new();
        let id = frames.make(&MANY);
        for inlet in span.clone() {
            let expected = if inlet + 1 == span.end { Counted::Enables(slot) } else { Counted::Waits(slot) };
            assert_eq!(frames.put_any(id, inlet, inlet, HALF), Ok(expected));
        }
    }
}

/// Signals alone do not complete a slot that counts an array, whether its elements have bits in the frame's
/// first mask, beyond it, or both.
#[test]
fn a_slot_that_has_its_signals_lacks_an_element_that_is_empty() {
    for (len, empty) in
        [3, 14, 15, 27, 70].into_iter().flat_map(|len| [0, len / 2, len - 1].map(|empty| (len, empty)))
    {
        let mut frames = Frames::<Model>::new();
        let id = frames.make(&ARRAYS);
        frames.lay_out(id, &[len], || {
            let array = |first| Extent { first, len, array: true };
            let slots = [(array(3), 1, 0), (Extent::single(1), len + 1, 0), (Extent::single(2), 1, 0)];
            Extents {
                slots: slots.to_vec(),
                inlets: [array(4), array(4 + len), Extent::single(2), Extent::single(3)].to_vec(),
            }
        });
        let big = || Big([0; 9], Arc::new(()));
        assert_eq!(frames.put_found(id, 2, 7, WORD), Ok(Counted::Waits(1)));
        assert_eq!(frames.try_signal(id, 1), Some(Counted::Waits(1)));
        let others: Vec<u32> =
            (0..len).filter(|index| *index != empty).map(|index| 4 + len + index).collect();
        let (last, others) = others.split_last().expect("several elements");
        for &inlet in others {
            assert_eq!(frames.put_found(id, inlet, big(), BIG), Ok(Counted::Waits(1)));
            assert!(frames.put_found(id, inlet, big(), BIG).is_err(), "it is full");
        }
        assert_eq!(frames.put_found(id, *last, big(), BIG), Ok(Counted::Lacks(1)));
        assert_eq!((frames.lacking(id, 1), frames.take_all(1, BIG).is_none()), (Some(4 + len + empty), true));
        assert_eq!(frames.end(&ARRAYS), Err(Left::Values));
    }
}

/// The runtime's data in a frame exists once the frame is laid out, not before, and not in the frame of
/// another function.
#[test]
fn an_extra_is_there_once_it_is_laid_out() {
    let users = |frames: &mut Frames<Model>, id| [frames.user(id).copied(), frames.user_mut(id).copied()];
    let mut frames = Frames::<Model>::new();
    let id = frames.make(&ARRAYS);
    assert_eq!((users(&mut frames, id), frames.entered_numbers()), ([None; 2], None));
    let array = |first| Extent { first, len: 2, array: true };
    let single = |first| Extent { first, len: 1, array: false };
    let slots = [(array(3), 1, 0), (single(1), 1, 0), (single(2), 1, 0)];
    frames.park(id, true);
    let inlets = [array(4), array(6), single(2), single(3)];
    frames.lay_out(id, &[2, 2], || Extents { slots: slots.to_vec(), inlets: inlets.to_vec() });
    assert!(frames.has_parked(id));
    frames.park(id, false);
    assert_eq!((users(&mut frames, id), frames.entered_numbers()), ([Some(0); 2], Some(&[2, 2][..])));
    assert_eq!((frames.entered_slots(0), frames.entered_inlets(1)), (Some(array(3)), Some(array(6))));
    assert!(frames.slot_numbers(id).eq([1, 2, 3, 4]));
    assert_eq!(frames.end(&ARRAYS), Ok(()));
    assert_eq!((users(&mut frames, id), frames.entered_numbers()), ([None; 2], None));
    let next = frames.make(&BARE);
    assert!(next.number() == id.number() && frames.user(next).is_none());
    frames.lay_out(next, &[], no_extents);
    assert!(frames.user(next).is_some() && frames.slot_numbers(next).next().is_none());
}

/// A frame that holds a value, in any mask, cannot be laid out again: elements would move away from their
/// values.
#[test]
fn a_frame_that_holds_a_value_is_not_laid_out_again() {
    let alive = Arc::new(());
    let lay_out = |frames: &mut Frames<Model>, id, len| {
        let array = |first| Extent { first, len, array: true };
        let slots = [(array(3), 1, 0), (Extent::single(1), 2 * len, 0), (Extent::single(2), 1, 0)];
        let inlets = [array(4), array(4 + len), Extent::single(2), Extent::single(3)];
        frames.lay_out(id, &[len], || Extents { slots: slots.to_vec(), inlets: inlets.to_vec() });
    };
    // The first inlet has its bit in the frame's mask, the other one elsewhere.
    for (inlet, slot) in [(4, 3), (43, 1)] {
        let mut frames = Frames::<Model>::new();
        let id = frames.make(&ARRAYS);
        lay_out(&mut frames, id, 3);
        lay_out(&mut frames, id, 20);
        assert_eq!(frames.slot_numbers(id).count(), 22);
        let put = match inlet {
            4 => frames.put_found(id, inlet, Tracked(0, alive.clone()), TRACKED).is_ok(),
            _ => frames.put_found(id, inlet, Big([7; 9], alive.clone()), BIG).is_ok(),
        };
        assert!(put, "inlet {inlet} is there and empty");
        let again = AssertUnwindSafe(|| lay_out(&mut frames, id, 2000));
        let said = catch_unwind(again).expect_err("it holds a value");
        assert_eq!(said.downcast_ref(), Some(&"a frame that holds values cannot be laid out"));
        assert_eq!((frames.full_inlets(id), frames.slot_numbers(id).count()), (vec![inlet], 22));
        // The next frame of the number is laid out like any other.
        frames.hand_over(id, slot, |_, value| drop(value));
        assert_eq!((frames.end_of(id), Arc::strong_count(&alive)), (Ok(()), 1));
        let next = frames.make(&ARRAYS);
        lay_out(&mut frames, next, 1);
        assert_eq!((next.number(), frames.full_inlets(next)), (id.number(), vec![]));
    }
}

/// Sizes are computed once and are known by their key to all frames of the layout.
#[test]
fn sizes_are_worked_out_once() {
    let mut frames = Frames::<Model>::new();
    let mut asked = Vec::new();
    let (mut first, mut last) = (Vec::new(), 0);
    for (turn, len) in [3, 3, 5, 3, 70, 5].into_iter().enumerate() {
        let id = frames.make(&ARRAYS);
        let array = |first| Extent { first, len, array: true };
        let slots = [(array(3), 1, 0), (Extent::single(1), 1, 0), (Extent::single(2), 1, 0)];
        let inlets = [array(4), array(4 + len), Extent::single(2), Extent::single(3)];
        frames.lay_out(id, &[len], || {
            asked.push(turn);
            Extents { slots: slots.to_vec(), inlets: inlets.to_vec() }
        });
        assert_eq!((frames.numbers(id), frames.slot_numbers(id).count()), (&[len][..], 2 + len as usize));
        assert_eq!(frames.inlets_of(id, 1).count(), 1 + len as usize);
        first.push(id);
        last = id.number();
    }
    assert_eq!(asked, [0, 2, 4]);
    assert_eq!(frames.last(last).map(|last| last.numbers), Some(&[5][..]));
    assert!(first.iter().all(|&id| frames.function_of(id).is_some()));
}

/// Frames keep their sizes when the store's cache evicts the tables.
#[test]
fn frames_of_many_sizes_live_beside_each_other() {
    let mut frames = Frames::<Model>::new();
    let sizes = |len| {
        let array = |first| Extent { first, len, array: true };
        let slots = [(array(3), 1, 0), (Extent::single(1), 1 + len, 0), (Extent::single(2), 1, 0)];
        Extents {
            slots: slots.to_vec(),
            inlets: [array(4), array(4 + len), Extent::single(2), Extent::single(3)].to_vec(),
        }
    };
    let ids: Vec<_> = (0..2000)
        .map(|len| {
            let id = frames.make(&ARRAYS);
            frames.lay_out(id, &[len], || sizes(len));
            id
        })
        .collect();
    for (len, &id) in (0..).zip(&ids) {
        assert_eq!((frames.numbers(id), frames.counts(id, 1)), (&[len][..], Some((1 + len, 1 + len))));
        assert_eq!(frames.inlets_of(id, 1).count(), 1 + len as usize);
    }
}

/// The values of an array of inlets, stored in line, boxed, or zero-sized.
#[test]
fn the_values_of_an_array_are_given_out_from_either_end() {
    const LEN: u32 = 67;
    let alive = Arc::new(());
    let mut frames = Frames::<Model>::new();
    let mut turn = |drops: bool| {
        let id = frames.make(&ARRAYS);
        frames.lay_out(id, &[LEN], || {
            let array = |first| Extent { first, len: LEN, array: true };
            let slots = [(array(3), 1, 0), (Extent::single(1), LEN, LEN), (Extent::single(2), 1, 0)];
            Extents {
                slots: slots.to_vec(),
                inlets: [array(4), array(4 + LEN), Extent::single(2), Extent::single(3)].to_vec(),
            }
        });
        assert!(frames.take_all(1, BIG).is_none(), "no value has come");
        for i in 0..LEN {
            let value = Big([u64::from(i); 9], alive.clone());
            assert!(frames.put_any(id, 4 + LEN + i, value, BIG).is_ok());
            assert!(i + 1 == LEN || frames.take_all(1, BIG).is_none(), "one is missing");
        }
        assert!(frames.take_all(1, WORD).is_none() && frames.take_all(2, BIG).is_none());
        let mut taken = frames.take_all(1, BIG).expect("all values have come");
        assert!(frames.take_all(1, BIG).is_none() && frames.full_inlets(id).is_empty());
        let mut arrived = taken.arrived();
        assert_eq!((arrived.len(), arrived[3].0[0], arrived.iter().rev().count()), (67, 3, 67));
        assert_eq!(arrived.next().map(|value| value.0[8]), Some(0));
        assert_eq!(arrived.next_back().map(|value| value.0[8]), Some(66));
        assert_eq!(
            (arrived.len(), arrived[0].0[0], arrived.iter().map(|value| value.0[0]).sum()),
            (65, 1, 66 * 65 / 2)
        );
        assert_eq!(Arc::strong_count(&alive), 66);
        if drops {
            drop(arrived);
            assert_eq!(Arc::strong_count(&alive), 1);
        } else {
            assert!(arrived.map(|value| value.0[0]).eq(1..66));
        }
        frames.give_back(taken);
        assert_eq!(Arc::strong_count(&alive), 1);
        frames.mark_rounds_checked(id);
        assert_eq!(frames.end_of(id), Ok(()));
    };
    turn(true);
    // Only the boxes of the values are allocated.
    let boxes = allocation_counter::measure(|| [true, false].into_iter().for_each(&mut turn)).count_total;
    assert_eq!(boxes, 2 * u64::from(LEN));
    let mut others = frames.none_taken();
    (0..3).for_each(|i| others.push(Tracked(i, alive.clone())));
    assert!(others.arrived().map(|value| value.0).eq(0..3));
    frames.give_back(others);
    let mut none = frames.none_taken();
    (0..3).for_each(|_| none.push(()));
    assert_eq!(none.arrived().count(), 3);
}

/// Old contents of a frame's memory are not visible to the next frame there.
#[test]
fn a_new_frame_has_no_values() {
    static STATE: FrameLayout<Model> =
        FrameLayout::new::<[u64; 60]>(&[], &[], ExtraContents::Nothing, Model(9));
    let mut frames = Frames::<Model>::new();
    let before = frames.make(&STATE);
    frames.keep(&STATE, [u64::MAX; 60]);
    assert_eq!((STATE.bytes(), frames.end(&STATE)), (MANY.bytes(), Ok(())));
    let id = frames.make(&MANY);
    assert_eq!((id.number(), frames.full_inlets(id)), (before.number(), vec![]));
}

/// Frames with arrays and without, one after another under a number, reuse allocated memory.
#[test]
fn frames_that_come_and_go_allocate_nothing() {
    let array = |first| Extent { first, len: 70, array: true };
    let single = |first| Extent { first, len: 1, array: false };
    let mut frames = Frames::<Model>::new();
    let mut turn = || {
        for layout in [&ARRAYS, &PLAIN, &BARE] {
            let id = frames.make(layout);
            let slots = [(array(3), 1, 0), (single(1), 1, 0), (single(2), 1, 0)];
            if std::ptr::eq(layout, &raw const ARRAYS) {
                let inlets = [array(4), array(74), single(2), single(3)];
                frames.lay_out(id, &[70, 70], || Extents { slots: slots.to_vec(), inlets: inlets.to_vec() });
            } else {
                frames.lay_out(id, &[], no_extents);
            }
            frames.mark_rounds_checked(id);
            assert_eq!(frames.end(layout), Ok(()));
        }
    };
    turn();
    assert_eq!(allocation_counter::measure(|| (0..10).for_each(|_| turn())).count_total, 0);
}

/// The hash of sizes is linear, so numbers that differ by a multiple of 256 have one cache position.
#[test]
fn frames_of_two_sizes_that_share_a_place_allocate_nothing() {
    let mut frames = Frames::<Model>::new();
    let mut turn = || {
        for last in [70, 70 + 256] {
            let id = frames.make(&ARRAYS);
            let array = |first| Extent { first, len: 70, array: true };
            let single = |first| Extent { first, len: 1, array: false };
            let slots = [(array(3), 1, 0), (single(1), 1, 0), (single(2), 1, 0)];
            let inlets = [array(4), array(74), single(2), single(3)];
            frames.lay_out(id, &[70, last], || Extents { slots: slots.to_vec(), inlets: inlets.to_vec() });
            frames.mark_rounds_checked(id);
            assert_eq!(frames.end(&ARRAYS), Ok(()));
        }
    };
    turn();
    assert_eq!(allocation_counter::measure(|| (0..10).for_each(|_| turn())).count_total, 0);
}

/// A state can only be borrowed and taken as its own type, whatever layout is given.
#[test]
fn a_state_of_another_type_is_not_lent() {
    let mut frames = Frames::<Model>::new();
    let _ = frames.make(&PLAIN);
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| frames.keep(&PLAIN, [0u8; 1000])));
    assert!(outcome.is_err());
    frames.keep(&PLAIN, Tracked(1, Arc::new(())));
    let other = with_state(&mut frames, |frames| frames, &PLAIN, |state: &mut u64, _| *state);
    assert_eq!((other, frames.take_state::<[u64; 2]>(&PLAIN)), (None, None));
    assert_eq!(frames.take_state(&PLAIN).map(|state: Tracked| state.0), Some(1));
}

/// An inlet must be counted by the slot that it signals.
#[test]
#[should_panic(expected = "must count the inlets that signal it")]
fn an_inlet_does_not_signal_a_slot_that_does_not_count_it() {
    static SLOTS: [SlotLayout; 2] = [slot(1, 0, 0, 0), slot(1, 0, 0, 1)];
    static INLET: [InletLayout<()>; 1] = lay_out(2, ExtraContents::Nothing, [word(0, false)]);
    let _ = FrameLayout::<Model>::new::<u64>(&SLOTS, &INLET, ExtraContents::Nothing, Model(0));
}

/// A slot must not count an inlet that signals another slot.
#[test]
#[should_panic(expected = "must count only inlets that signal it")]
fn a_slot_does_not_count_an_inlet_that_signals_another_one() {
    static SLOTS: [SlotLayout; 2] = [slot(2, 0, 0, 2), slot(1, 0, 1, 1)];
    static INLETS: [InletLayout<()>; 2] =
        lay_out(2, ExtraContents::Nothing, [word(0, false), word(1, false)]);
    let _ = FrameLayout::<Model>::new::<u64>(&SLOTS, &INLETS, ExtraContents::Nothing, Model(0));
}

/// The largest count works like any other, and differs from the count of a slot that is over.
#[test]
fn a_slot_counts_as_many_signals_as_fit() {
    const fn signals(count: u32, reset: u32) -> SlotLayout {
        slot(count, reset, 0, 0)
    }
    static MOST: FrameLayout<Model> = FrameLayout::new::<u64>(
        const { &[signals(u32::MAX, 0), signals(1, u32::MAX), signals(0, 0), signals(1, 0)] },
        &[],
        ExtraContents::Nothing,
        Model(9),
    );
    let mut frames = Frames::<Model>::new();
    let id = frames.make(&MOST);
    assert_eq!(frames.raise(id, 2, u32::MAX), Ok(()));
    assert_eq!(
        [1, 3].map(|slot| frames.try_signal(id, slot)),
        [1, 3].map(|slot| Some(Counted::Enables(slot)))
    );
    for slot in [0, 1, 2] {
        assert_eq!(
            (frames.counts(id, slot), frames.raise(id, slot, 1)),
            (Some((u32::MAX, u32::MAX)), Err(Refusal::Overflow))
        );
        assert_eq!(frames.try_signal(id, slot), Some(Counted::Waits(slot)));
        assert_eq!(frames.counts(id, slot), Some((u32::MAX - 1, u32::MAX)));
    }
    assert_eq!((frames.raise(id, 3, 1), frames.try_signal(id, 3)), (Err(Refusal::TooLate), None));
}
