//! Identities of frames: before a frame is made, after it has ended, and in two stores at once.

use std::sync::Arc;

use earth_memory::frames::{Counted, ExtraContents, FrameId, FrameLayout, Frames, Left, Refusal, lay_out};

use crate::layouts::{
    ARRAYS, BARE, BIG, Big, HALF, LAYOUTS, MANY, Model, PLAIN, Puts, SHIFTED, SPANS, TRACKED, Tracked, WORD,
    half, slot, take_near, take_round,
};

/// The identity of a frame is known before it is made. Checks a free number, a number that was never used,
/// and the first number of a new chunk.
#[test]
fn an_identity_is_known_before_its_frame_is_made() {
    let mut frames = Frames::<Model>::new();
    let mut made = Vec::new();
    for turn in 0..200 {
        // Chunks of different classes alternate, and every third frame takes the number of an ended frame.
        let layout = LAYOUTS[turn % 2];
        frames.leave();
        let own = LAYOUTS.map(|layout| frames.next_id(layout));
        let id = frames.make(layout);
        assert_eq!((own[turn % 2], frames.entered()), (id, Some(id)));
        assert!(!made.contains(&id) && own[turn % 2] == own[turn % 2 + 2 * (1 - turn % 2)]);
        made.push(id);
        if turn % 3 == 0 {
            let id = made[turn / 2];
            frames.mark_rounds_checked(id);
            assert_eq!(frames.end_of(id), Ok(()));
        }
    }
    let numbers: std::collections::HashSet<u32> = made.iter().map(|id| id.number()).collect();
    assert!(numbers.len() < made.len() && numbers.iter().any(|number| number >> 10 > 3), "{numbers:?}");
}

/// The functions of frames that have ended are known, in a store that gives numbers and in one that adopts.
#[test]
fn functions_of_frames_that_have_ended_are_known() {
    let (mut states, mut rest) = (Frames::<Model>::new(), Frames::<Model>::new());
    let mut ids = Vec::new();
    for turn in 0..12usize {
        // Each function is used twice.
        let layout = [&PLAIN, &ARRAYS, &BARE][turn / 2 % 3];
        let id = states.make(layout);
        rest.adopt(id, layout);
        ids.push((id, *layout.function()));
        for (before, (id, function)) in ids.iter().enumerate() {
            let found = [states.function_of(*id), rest.function_of(*id)];
            assert_eq!(found, [Some(function); 2], "{before} at {turn}");
        }
        for frames in [&mut states, &mut rest] {
            frames.mark_rounds_checked(id);
            assert_eq!(frames.end_of(id), Ok(()));
        }
    }
    assert!(ids.iter().all(|(id, _)| id.number() == ids[0].0.number()));
}

/// A store adopts frames under the numbers that another gives, and ends them on its own.
#[test]
fn two_stores_have_frames_under_one_identity() {
    let (mut states, mut rest) = (Frames::<Model>::new(), Frames::<Model>::new());
    let alive = Arc::new(());
    for round in 0..3u64 {
        let ids: Vec<FrameId> = (0..100).map(|i| states.make(LAYOUTS[i % 2])).collect();
        for (i, &id) in ids.iter().enumerate().rev() {
            rest.adopt(id, LAYOUTS[i % 2]);
            if i % 2 == 0 {
                let value = Tracked(round, alive.clone());
                assert_eq!(rest.put_any(id, 3, value, TRACKED), Ok(Counted::Waits(1)));
            }
        }
        for (i, &id) in ids.iter().enumerate() {
            assert_eq!((states.end_of(id), rest.end_of(id)), (Err(Left::Rounds), Err(Left::Rounds)));
            states.mark_rounds_checked(id);
            rest.mark_rounds_checked(id);
            let expected = if i % 2 == 0 { Err(Left::Values) } else { Ok(()) };
            assert_eq!((states.end_of(id), rest.end_of(id)), (Ok(()), expected));
            rest.hand_over(id, 1, |inlet, _| assert_eq!(inlet, 3));
            let _ = rest.end_of(id);
        }
        assert_eq!((states.live_frames().count(), rest.live_frames().count()), (0, 0));
    }
    assert_eq!(Arc::strong_count(&alive), 1);
}

/// A frame of a function with one-shot slots ends in one step if it is empty, and otherwise stays unchanged.
#[test]
fn a_frame_that_holds_nothing_ends_at_one_look() {
    let (mut states, mut rest) = (Frames::<Model>::new(), Frames::<Model>::new());
    for (layout, ends) in [(&SHIFTED, true), (LAYOUTS[0], false), (LAYOUTS[2], false)] {
        let id = states.make(layout);
        rest.adopt(id, layout);
        assert!(!states.end_plain(id), "it is entered");
        if ends {
            assert_eq!(rest.put_any(id, 0, 5, WORD), Ok(Counted::Waits(0)));
            assert!(!rest.end_plain(id), "it holds a value");
            rest.hand_over(id, 0, |_, _| {});
        }
        assert_eq!((rest.end_plain(id), rest.live_frames().count()), (ends, usize::from(!ends)));
        assert!(!rest.end_plain(FrameId::ROOT));
        rest = Frames::new();
    }
}

/// The values of a round arrive in the same inlets of another store. If these are full, the values are given
/// out one by one or dropped.
#[test]
fn values_come_in_their_words_to_the_frame_of_another_store() {
    let (mut states, mut rest) = (Frames::<Model>::new(), Frames::<Model>::new());
    let alive = Arc::new(());
    let id = states.make(&PLAIN);
    rest.adopt(id, &PLAIN);
    let fill = |rest: &mut Frames<Model>, number: u64| {
        assert_eq!(rest.put_found(id, 0, number, WORD), Ok(Counted::Waits(0)));
        assert_eq!(rest.put_found(id, 1, Tracked(number, alive.clone()), TRACKED), Ok(Counted::Waits(0)));
        let big = Big([number; 9], alive.clone());
        assert_eq!(rest.put_found(id, 2, big, BIG), Ok(Counted::Enables(0)));
        let handed = take_round::<4>(rest, id, 0).expect("four words");
        assert_eq!(rest.raise(id, 0, 3), Err(Refusal::TooLate));
        handed
    };
    assert!(take_round::<4>(&mut rest, id, 0).is_none(), "its inlets are empty");
    let first = fill(&mut rest, 1);
    assert!(states.take_over(id, first).is_ok());
    assert!(states.holds_any(id, 0) && !rest.holds_any(id, 0));
    // A round of a third store finds its inlets full of the first round's values.
    let mut rest = Frames::<Model>::new();
    rest.adopt(id, &PLAIN);
    assert!(rest.put_found(id, 0, 2, WORD).is_ok());
    assert!(take_round::<4>(&mut rest, id, 0).is_none(), "two of its inlets are empty");
    assert!(rest.put_found(id, 1, Tracked(2, alive.clone()), TRACKED).is_ok());
    assert!(rest.put_found(id, 2, Big([2; 9], alive.clone()), BIG).is_ok());
    assert!(take_round::<3>(&mut rest, id, 0).is_none(), "they take four words");
    assert!(take_near::<3>(&mut rest, id, 0).is_none(), "they do so there, too");
    let second = take_round::<4>(&mut rest, id, 0).expect("four words");
    let second = states.take_over(id, second).expect_err("its inlets are full");
    let other = states.make(LAYOUTS[1]);
    let second = states.take_over(other, second).expect_err("that frame is of another layout");
    let mut given = Vec::new();
    second.give(|inlet, mut value| {
        given.push((
            inlet,
            value.take(WORD),
            value.take(TRACKED).map(|value| value.0),
            value.take(BIG).map(|value| value.0[0]),
        ));
    });
    assert_eq!(given, [(0, Some(2), None, None), (1, None, Some(2), None), (2, None, None, Some(2))]);
    // The values that arrived equal the values that were sent.
    let mut held = Vec::new();
    states.hand_over(id, 0, |inlet, mut value| {
        held.push((inlet, value.take(WORD), value.take(TRACKED).is_some()));
    });
    assert_eq!(held, [(0, Some(1), false), (1, None, true), (2, None, false)]);
    assert_eq!(Arc::strong_count(&alive), 1);
    // These values are not taken.
    assert_eq!(rest.put_found(id, 3, Tracked(3, alive.clone()), TRACKED), Ok(Counted::Waits(1)));
    assert_eq!(rest.try_signal(id, 1), Some(Counted::Enables(1)));
    let third = take_round::<2>(&mut rest, id, 1).expect("two words");
    assert_eq!(Arc::strong_count(&alive), 2);
    drop(third);
    assert_eq!(Arc::strong_count(&alive), 1);
}

/// The values of a round are taken at once if their inlets are in the first mask. Otherwise the frame stays
/// unchanged.
#[test]
fn values_of_the_first_mask_are_taken_at_once() {
    // The second word is shared by the two slots.
    static HALVES: FrameLayout<Model> = FrameLayout::new::<u64>(
        const { &[slot(3, 3, 0, 3), slot(1, 1, 3, 1)] },
        const { &lay_out::<(), 4>(2, ExtraContents::Nothing, [half(0), half(0), half(0), half(1)]) },
        ExtraContents::Nothing,
        Model(9),
    );
    let mut frames = Frames::<Model>::new();
    let mut check = |layout, slot: usize, inlets: std::ops::Range<u32>, is_near: bool| {
        let id = frames.make(layout);
        for inlet in inlets.clone() {
            assert!(frames.put_any(id, inlet, 7 * inlet, HALF).is_ok());
        }
        let near = take_near::<16>(&mut frames, id, slot as u32);
        assert_eq!((near.is_some(), frames.holds_any(id, slot as u32)), (is_near, !is_near), "slot {slot}");
        let mut given = Vec::new();
        match near {
            Some(handed) => handed.give(|inlet, mut value| given.push((inlet, value.take(HALF)))),
            None => {
                frames.hand_over(id, slot as u32, |inlet, mut value| given.push((inlet, value.take(HALF))));
            }
        }
        assert!(given.into_iter().eq(inlets.map(|inlet| (inlet, Some(7 * inlet)))));
        assert!(take_near::<16>(&mut frames, id, slot as u32).is_none(), "its inlets are empty");
    };
    for (slot, span) in SPANS.into_iter().enumerate() {
        check(&MANY, slot, span, slot == 0);
    }
    check(&HALVES, 0, 0..3, true);
    let (mut states, mut rest) = (Frames::<Model>::new(), Frames::<Model>::new());
    let id = states.make(&HALVES);
    rest.adopt(id, &HALVES);
    for (inlets, slot) in [(3..4, 1), (0..3, 0)] {
        for inlet in inlets {
            assert!(rest.put_any(id, inlet, 7 * inlet, HALF).is_ok());
        }
        let handed = take_near::<2>(&mut rest, id, slot).expect("no more than two words");
        assert!(states.take_over(id, handed).is_ok());
    }
    assert_eq!([0, 1, 2, 3].map(|inlet| states.take_any(inlet, HALF)), [0, 7, 14, 21].map(Some));
}
