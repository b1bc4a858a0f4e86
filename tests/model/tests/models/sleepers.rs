//! Parking and waking: no wake-up is lost, and consecutive wake-ups wake different workers.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Wake, Waker};

use earth_model::atomic::AtomicBool;
use earth_model::checked::event_queue::event_queue;
use earth_model::checked::sleepers::Sleepers;
use earth_model::{checked, explore, explore_all, weak_fence};
use loom::sync::{Condvar, Mutex};
use loom::thread::spawn;

/// One worker parks until a flag is set, by `park_unless` or by the given function. The main thread sets the
/// flag and wakes it.
macro_rules! park_and_wake {
    ($protocol:ident, $wake:expr) => {
        park_and_wake!($protocol, park_unless, $wake)
    };
    ($protocol:ident, $park:ident, $wake:expr) => {
        || {
            let shared = Arc::new(($protocol::new(1), AtomicBool::new(false)));
            let worker = Arc::clone(&shared);
            let thread = spawn(move || {
                let (sleepers, flag) = &*worker;
                while !flag.load(Relaxed) {
                    sleepers.$park(0, || flag.load(Relaxed));
                }
            });
            let (sleepers, flag) = &*shared;
            flag.store(true, Relaxed);
            $wake(sleepers);
            thread.join().unwrap();
            assert!(!sleepers.wake_any(), "an announcement is left");
        }
    };
}

#[test]
fn no_wake_is_lost() {
    explore_all(park_and_wake!(Sleepers, |sleepers: &Sleepers| {
        sleepers.wake(0);
    }));
}

#[test]
fn no_wake_for_anybody_is_lost() {
    explore_all(park_and_wake!(Sleepers, |sleepers: &Sleepers| {
        sleepers.wake_any();
    }));
}

#[test]
fn no_wake_for_everybody_is_lost() {
    explore_all(park_and_wake!(Sleepers, Sleepers::wake_all));
}

#[test]
fn no_wake_for_all_of_some_is_lost() {
    explore_all(park_and_wake!(Sleepers, |sleepers: &Sleepers| {
        sleepers.wake_all_of(|worker| worker == 0);
    }));
}

#[test]
fn no_ring_for_holders_is_lost() {
    explore_all(park_and_wake!(Sleepers, park_holding_unless, Sleepers::wake_holders));
}

/// A worker that nudges another goes on, and wakes the other before it rests itself.
#[test]
fn a_wake_after_a_nudge_is_not_lost() {
    explore_all(park_and_wake!(Sleepers, |sleepers: &Sleepers| {
        sleepers.nudge(0);
        sleepers.wake(0);
    }));
}

#[test]
#[should_panic(expected = "deadlock")]
fn a_nudge_alone_is_lost() {
    explore(park_and_wake!(Sleepers, |sleepers: &Sleepers| {
        sleepers.nudge(0);
    }));
}

/// An ordinary wake-up also wakes a worker that holds messages.
#[test]
fn no_wake_of_a_holder_is_lost() {
    explore_all(park_and_wake!(Sleepers, park_holding_unless, |sleepers: &Sleepers| {
        sleepers.wake(0);
    }));
}

/// An idle worker takes shared work; a worker that holds messages may be unable to.
#[test]
fn a_wake_for_anybody_is_for_the_idle_first() {
    explore_all(|| {
        let sleepers = Sleepers::new(2);
        sleepers.park_holding_unless(0, || {
            sleepers.park_unless(1, || {
                assert!(sleepers.wake_any() && !sleepers.wake(1), "worker 0 was woken, which holds messages");
                true
            });
            assert!(
                sleepers.wake_any() && !sleepers.wake(0),
                "a worker that holds messages may be woken, too"
            );
            true
        });
        assert!(!sleepers.wake_any(), "an announcement is left");
    });
}

use weak_fence::sleepers::Sleepers as Fenceless;

#[test]
#[should_panic(expected = "deadlock")]
fn without_the_fence_a_ring_is_lost() {
    explore(park_and_wake!(Fenceless, park_holding_unless, Fenceless::wake_holders));
}

#[test]
#[should_panic(expected = "deadlock")]
fn without_the_fence_a_wake_is_lost() {
    explore(park_and_wake!(Fenceless, |sleepers: &Fenceless| {
        sleepers.wake(0);
    }));
}

#[test]
#[should_panic(expected = "deadlock")]
fn without_the_fence_a_wake_for_anybody_is_lost() {
    explore(park_and_wake!(Fenceless, |sleepers: &Fenceless| {
        sleepers.wake_any();
    }));
}

/// A receiver parks until a message has come, unless its look at the queue says otherwise. Each sender sends
/// one and only nudges.
macro_rules! send_and_nudge {
    ($senders:literal, $module:ident, $rests:ident) => {
        || {
            use $module::event_queue::event_queue;
            let (sender, mut receiver) = event_queue(2);
            let sleepers = Arc::new($module::sleepers::Sleepers::new(1));
            let worker = Arc::clone(&sleepers);
            let threads = [(); $senders].map(|()| {
                let (sender, sleepers) = (sender.clone(), Arc::clone(&sleepers));
                spawn(move || {
                    assert!(sender.send(()).is_ok());
                    sleepers.nudge(0);
                })
            });
            let mut received = 0;
            while received < $senders {
                worker.park_unless(0, || !receiver.$rests());
                // A message may be under way; its sender must run before the receiver looks again.
                loom::thread::yield_now();
                received += std::iter::from_fn(|| receiver.receive()).count();
            }
            for thread in threads {
                thread.join().unwrap();
            }
        }
    };
}

#[test]
fn a_receiver_that_drains_its_queue_needs_no_fence_of_its_sender() {
    explore_all(send_and_nudge!(1, checked, is_drained));
    explore(send_and_nudge!(2, checked, is_drained));
}

#[test]
#[should_panic(expected = "deadlock")]
fn a_nudge_for_a_receiver_that_only_looks_is_lost() {
    explore(send_and_nudge!(1, checked, is_empty));
}

#[test]
fn two_senders_wake_one_receiver() {
    explore(|| {
        let (sender, mut receiver) = event_queue(2);
        let sleepers = Arc::new(Sleepers::new(1));
        let threads = [sender.clone(), sender].map(|sender| {
            let sleepers = Arc::clone(&sleepers);
            spawn(move || {
                assert!(sender.send(()).is_ok());
                sleepers.wake(0);
            })
        });
        sleepers.park_unless(0, || !receiver.is_empty());
        // The wake-up may come from the sender behind an unfilled cell; then no value is visible yet.
        let early = usize::from(receiver.receive().is_some());
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(early + std::iter::from_fn(|| receiver.receive()).count(), 2);
    });
}

#[test]
fn two_wakes_wake_two_sleepers() {
    explore(|| {
        let shared = Arc::new((Sleepers::new(2), AtomicBool::new(false)));
        let threads = [0, 1].map(|me| {
            let shared = Arc::clone(&shared);
            spawn(move || shared.0.park_unless(me, || shared.1.load(Relaxed)))
        });
        let (sleepers, flag) = &*shared;
        flag.store(true, Relaxed);
        sleepers.wake_any();
        sleepers.wake_any();
        for thread in threads {
            thread.join().unwrap();
        }
        assert!(!sleepers.wake_any(), "an announcement is left");
    });
}

#[test]
fn one_of_two_wakers_wakes_the_only_sleeper() {
    explore(|| {
        let shared = Arc::new((Sleepers::new(1), AtomicBool::new(false)));
        let worker = Arc::clone(&shared);
        let parked = spawn(move || worker.0.park_unless(0, || worker.1.load(Relaxed)));
        let waker = Arc::clone(&shared);
        let waking = spawn(move || {
            waker.1.store(true, Relaxed);
            waker.0.wake(0)
        });
        shared.1.store(true, Relaxed);
        let here = shared.0.wake_any();
        let there = waking.join().unwrap();
        assert!(!(here && there), "one sleep was ended twice");
        parked.join().unwrap();
    });
}

/// Ends the rest of a worker.
struct Bell {
    rung: Mutex<bool>,
    ringing: Condvar,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        *self.rung.lock().unwrap() = true;
        self.ringing.notify_one();
    }
}

/// One worker rests by a mechanism of its own, a bell, unless a flag is set. The main thread sets the flag
/// and wakes the worker, as one that is idle or as one that holds an item. This model cannot be run without
/// the fence: it would unwind through the rest, which then withdraws its announcement.
fn wakes_one_that_rests(holds: bool, wake: fn(&Sleepers)) {
    explore_all(move || {
        let bell = Arc::new(Bell { rung: Mutex::new(false), ringing: Condvar::new() });
        let sleepers = Sleepers::resting_by(1, Some(Waker::from(Arc::clone(&bell))));
        let shared = Arc::new((sleepers, AtomicBool::new(false)));
        let worker = Arc::clone(&shared);
        let thread = spawn(move || {
            let (sleepers, flag) = &*worker;
            while !flag.load(Relaxed) {
                sleepers.rest(0, holds, || {
                    if flag.load(Relaxed) {
                        return;
                    }
                    let mut rung = bell.rung.lock().unwrap();
                    while !std::mem::take(&mut *rung) {
                        rung = bell.ringing.wait(rung).unwrap();
                    }
                });
            }
        });
        let (sleepers, flag) = &*shared;
        flag.store(true, Relaxed);
        wake(sleepers);
        thread.join().unwrap();
        assert!(!sleepers.wake_any(), "an announcement is left");
    });
}

#[test]
fn no_wake_of_a_worker_that_rests_otherwise_is_lost() {
    wakes_one_that_rests(false, |sleepers| {
        sleepers.wake(0);
    });
}

#[test]
fn no_wake_of_a_worker_that_holds_and_rests_otherwise_is_lost() {
    wakes_one_that_rests(true, Sleepers::wake_holders);
}
