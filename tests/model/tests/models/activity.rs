//! The word that shows a stall monitor the running fiber.

use std::sync::atomic::Ordering::Relaxed;

use earth_model::atomic::AtomicU64;
use earth_model::checked::activity::Activity;
use earth_model::{Leaked, explore_all};
use loom::thread::spawn;

#[test]
fn a_look_sees_a_fiber_that_ran_and_later_looks_see_no_earlier_one() {
    explore_all(|| {
        let mut activity = Activity::new();
        let view = activity.view();
        let unit = spawn(move || {
            activity.begin(1, 2);
            activity.rest();
            activity.begin(1, 2);
            activity.begin(3, 4);
            activity.waits(5, 6);
        });
        let looks = [(); 2].map(|()| view.running());
        let begun = view.begun();
        unit.join().unwrap();
        assert_eq!((view.begun(), view.waiting()), (3, (5, 6)));
        assert!(begun <= 3, "no such number of fibers was begun");
        let last = view.running().expect("the last fiber has not returned");
        let name = |running: earth_model::checked::activity::Running| (running.function(), running.fiber());
        assert_eq!(name(last), (3, 4));
        for look in looks.into_iter().flatten() {
            assert!([(1, 2), (3, 4)].contains(&name(look)), "no such fiber ran");
        }
        if looks[0] == Some(last) {
            assert_eq!(looks[1], Some(last), "a look went back");
        }
    });
}

/// If the function is in one word and the fiber in another, a look between the two stores sees a fiber that
/// never ran.
#[test]
#[should_panic(expected = "no such fiber ran")]
fn two_words_name_a_fiber_that_never_ran() {
    explore_all(|| {
        let words = Leaked::new([AtomicU64::new(1), AtomicU64::new(2)]);
        let other = words.clone();
        let unit = spawn(move || {
            other[0].store(3, Relaxed);
            other[1].store(4, Relaxed);
        });
        let look = (words[0].load(Relaxed), words[1].load(Relaxed));
        assert!([(1, 2), (3, 4)].contains(&look), "no such fiber ran");
        unit.join().unwrap();
    });
}
