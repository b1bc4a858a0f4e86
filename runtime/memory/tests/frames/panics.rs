//! Borrowed states and remaining contents of frames, when fibers or drops panic.

use std::sync::Arc;

use earth_memory::frames::{ExtraContents, FrameLayout, Frames, Function, Left, with_state};

use crate::layouts::{Model, PLAIN, Tracked, no_extents};

/// A fiber that panics while it borrows the state leaves it in its frame.
#[test]
fn a_loan_ends_with_a_panic() {
    let mut frames = Frames::<Model>::new();
    let alive = Arc::new(());
    let id = frames.make(&PLAIN);
    frames.keep(&PLAIN, Tracked(1, alive.clone()));
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        with_state(&mut frames, |frames| frames, &PLAIN, |_: &mut Tracked, _| panic!("a fiber"))
    }));
    assert!(outcome.is_err());
    assert_eq!(with_state(&mut frames, |frames| frames, &PLAIN, |state: &mut Tracked, _| state.0), Some(1));
    let left = Err(Left::Rounds);
    assert_eq!((Arc::strong_count(&alive), frames.end_of(id), Arc::strong_count(&alive)), (2, left, 1));
}

/// While a state is borrowed its frame does not end, and a store that is dropped keeps its memory.
#[test]
fn a_frame_does_not_end_while_its_state_is_lent() {
    let mut frames = Frames::<Model>::new();
    let id = frames.make(&PLAIN);
    frames.keep(&PLAIN, Tracked(1, Arc::new(())));
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        with_state(&mut frames, |frames| frames, &PLAIN, |_: &mut Tracked, frames| frames.end_of(id))
    }));
    assert!(outcome.is_err());
    let seen = with_state(
        &mut frames,
        |frames| frames,
        &PLAIN,
        |state: &mut Tracked, frames| {
            *frames = Frames::new();
            state.0
        },
    );
    assert_eq!((seen, frames.live_frames().count()), (Some(1), 0));
}

/// The store drops the runtime's data of all frames even if drops panic: of live frames, of ended frames, and
/// of ended frames that gave their extra away.
#[test]
fn values_that_users_keep_are_dropped_although_drops_panic() {
    #[derive(Default, Debug)]
    struct Fuse(Option<Arc<()>>);
    impl Drop for Fuse {
        fn drop(&mut self) {
            assert!(self.0.is_none(), "a drop");
        }
    }
    #[derive(Debug)]
    struct Fuses;
    impl Function for Fuses {
        type Value = ();
        type Extra = Fuse;
    }
    static WITH: FrameLayout<Fuses> = FrameLayout::new::<u64>(&[], &[], ExtraContents::Extra, Fuses);
    static WITHOUT: FrameLayout<Fuses> = FrameLayout::new::<u64>(&[], &[], ExtraContents::Nothing, Fuses);
    let alive = Arc::new(());
    let mut frames = Frames::<Fuses>::new();
    let ids = [(); 9].map(|()| {
        let id = frames.make(&WITH);
        frames.lay_out(id, &[], no_extents);
        frames.user_mut(id).expect("it is laid out").0 = Some(alive.clone());
        id
    });
    for id in &ids[..3] {
        assert_eq!(frames.end_of(*id), Ok(()));
    }
    // An ended frame gives its extra away.
    let _ = frames.make(&WITHOUT);
    assert_eq!(Arc::strong_count(&alive), 10);
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(frames)));
    let payload = outcome.expect_err("nine drops panic");
    assert_eq!((payload.downcast_ref(), Arc::strong_count(&alive)), (Some(&"a drop"), 1));
}

/// If drops of values panic, the first panic propagates and all values are dropped.
#[test]
fn remaining_values_are_dropped_although_drops_panic() {
    struct Bomb(#[expect(dead_code, reason = "it is counted")] Arc<()>);
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("a drop");
        }
    }
    static BOMBS: FrameLayout<Model> = FrameLayout::new::<Bomb>(&[], &[], ExtraContents::Nothing, Model(9));
    let alive = Arc::new(());
    let mut frames = Frames::<Model>::new();
    for _ in 0..5 {
        let _ = frames.make(&BOMBS);
        frames.keep(&BOMBS, Bomb(alive.clone()));
    }
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(frames)));
    let payload = outcome.expect_err("five states panic");
    assert_eq!((payload.downcast_ref(), Arc::strong_count(&alive)), (Some(&"a drop"), 1));
}
