//! Answers to threads outside: each is given once, none is lost, and its asker wakes up.

use std::mem::ManuallyDrop;
use std::sync::Arc as StdArc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Wake, Waker};

use earth_model::checked::answers::{Answers, Asked};
use earth_model::{Leaked, explore, explore_all, weak_publish};
use loom::sync::Arc;
use loom::thread::spawn;

/// A value whose drops are counted.
struct Counted(StdArc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Relaxed);
    }
}

#[test]
fn a_sleeping_asker_wakes_with_its_answer() {
    explore_all(|| {
        let answers = Arc::new(Answers::<_, ()>::new());
        let asked = Answers::ask(&answers, None);
        let (place, giver) = (asked.place(), Arc::clone(&answers));
        let thread = spawn(move || giver.give(place, Box::new(7)).is_ok());
        while !asked.sleep(None) {}
        assert_eq!(asked.take().ok(), Some(Box::new(7)));
        assert!(thread.join().unwrap());
    });
}

#[test]
fn one_of_two_givers_gives() {
    explore(|| {
        let answers = Arc::new(Answers::<_, ()>::new());
        let asked = Answers::ask(&answers, None);
        let (place, giver) = (asked.place(), Arc::clone(&answers));
        let thread = spawn(move || giver.give(place, Box::new(1)).is_ok());
        let own = answers.give(place, Box::new(2)).is_ok();
        while !asked.sleep(None) {}
        let value = asked.take().map(|value| *value).ok();
        let other = thread.join().unwrap();
        assert!(own != other);
        assert_eq!(value, Some(if own { 2 } else { 1 }));
        // The next asker of this place gets neither of the two values.
        let next = Answers::ask(&answers, None);
        assert_eq!(next.place().number, place.number);
        assert!(answers.give(place, Box::new(3)).is_err() && !next.is_given());
    });
}

#[test]
fn an_answer_whose_asker_leaves_is_dropped_once() {
    explore_all(|| {
        let drops = StdArc::new(AtomicUsize::new(0));
        let answers = Arc::new(Answers::<_, ()>::new());
        let asked = Answers::ask(&answers, None);
        let (place, giver) = (asked.place(), Arc::clone(&answers));
        let value = Counted(StdArc::clone(&drops));
        let thread = spawn(move || giver.give(place, value).is_ok());
        drop(asked);
        assert!(thread.join().unwrap());
        assert_eq!(drops.load(Relaxed), 1);
        // The place is free again, whichever of the two came last.
        let next: Asked<_, ()> = Answers::ask(&answers, None);
        assert_eq!(next.place().number, place.number);
        drop(next);
    });
}

/// Of two free places one thread takes both and frees the upper one, while another takes one. Without its tag
/// the head would look unchanged to the other thread, whose link leads to a place in use.
#[test]
fn no_two_askers_have_the_same_place() {
    explore(|| {
        let answers = Arc::new(Answers::<Box<u32>, ()>::new());
        let first = Answers::ask(&answers, None);
        Answers::ask(&answers, None).withdraw();
        first.withdraw();
        let there = Arc::clone(&answers);
        let thread = spawn(move || {
            let upper = Answers::ask(&there, None);
            let lower = Answers::ask(&there, None);
            upper.withdraw();
            lower
        });
        let own = Answers::ask(&answers, None);
        let own_next = Answers::ask(&answers, None);
        let other = thread.join().unwrap();
        let mut numbers = [&own, &own_next, &other].map(|asked| asked.place().number);
        numbers.sort_unstable();
        assert!(numbers.is_sorted_by(|one, next| one < next), "two askers have place {numbers:?}");
        [own, own_next, other].into_iter().for_each(Asked::withdraw);
    });
}

/// Counts its wake-ups.
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: StdArc<Self>) {
        self.0.fetch_add(1, Relaxed);
    }
}

#[test]
fn an_asker_that_finds_no_answer_is_woken() {
    explore_all(|| {
        let answers = Arc::new(Answers::<_, ()>::new());
        let asked = Answers::ask(&answers, None);
        let (place, giver) = (asked.place(), Arc::clone(&answers));
        let thread = spawn(move || giver.give(place, Box::new(7)).is_ok());
        let wakes = StdArc::new(Wakes(AtomicUsize::new(0)));
        let given = asked.wake_by(&Waker::from(StdArc::clone(&wakes)));
        assert!(thread.join().unwrap());
        assert!(given || wakes.0.load(Relaxed) == 1);
        assert_eq!(asked.take().ok(), Some(Box::new(7)));
    });
}

/// A giver that does not release its value: the asker's access is a data race.
#[test]
#[should_panic(expected = "Causality violation")]
fn a_value_that_is_not_released_is_a_race() {
    explore(|| {
        let answers = Leaked::new(weak_publish::answers::Answers::<u64, ()>::new());
        let mut asked = ManuallyDrop::new(weak_publish::answers::Answers::ask(&answers, None));
        let (place, giver) = (asked.place(), answers.clone());
        let thread = spawn(move || giver.give(place, 7).is_ok());
        while !asked.is_given() {
            loom::thread::yield_now();
        }
        assert_eq!(asked.take_out(), Some(7));
        thread.join().unwrap();
    });
}
