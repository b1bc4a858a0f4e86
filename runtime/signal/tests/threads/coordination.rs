//! Sleeping, waking, ending and starting on real threads.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use earth_signal::{
    Active, Declared, Ending, Flag, Gate, Round, Signal, Sleepers, Verdict, event_queue, quiet,
};

#[test]
fn no_worker_sleeps_while_there_is_work() {
    let sleepers = Sleepers::new(1);
    let mut looks = 0;
    sleepers.park_unless(0, || {
        looks += 1;
        true
    });
    assert_eq!(looks, 1);
    assert!(!sleepers.wake(0) && !sleepers.wake_any());
}

/// A worker can be woken from its last look on, because it is announced by then.
#[test]
fn a_worker_that_is_about_to_sleep_is_woken() {
    let sleepers = Sleepers::new(2);
    // The announcement is taken during the look, so the sleep ends before it begins.
    sleepers.park_unless(1, || {
        assert!(!sleepers.wake(0));
        assert!(sleepers.wake_any());
        assert!(!sleepers.wake(1), "one announcement is taken once");
        false
    });
    assert!(!sleepers.wake_any());
}

/// A thread that steps all workers makes their announcements without sleeping.
#[test]
fn an_announcement_is_there_until_somebody_wakes_the_worker() {
    let sleepers = Sleepers::new(3);
    sleepers.announce(0, false);
    sleepers.announce(2, true);
    let announced = || [0, 1, 2].map(|worker| sleepers.is_announced(worker));
    assert_eq!((announced(), sleepers.announced()), ([true, false, true], 2));
    sleepers.wake_holders();
    assert_eq!(announced(), [true, false, false]);
    assert!(!sleepers.wake(1) && sleepers.wake_any());
    assert_eq!((announced(), sleepers.announced()), ([false; 3], 0));
}

/// Of ten workers three sleep, and two of these may be woken. Without sleepers no worker is looked at.
#[test]
fn all_of_some_workers_are_woken_at_once() {
    let (sleepers, looks) = (Sleepers::new(10), Cell::new(0));
    let even = |worker: usize| {
        looks.set(looks.get() + 1);
        worker.is_multiple_of(2)
    };
    assert_eq!((sleepers.wake_all_of(even), looks.get()), (0, 0));
    sleepers.announce(1, false);
    sleepers.announce(4, true);
    sleepers.announce(8, false);
    assert_eq!((sleepers.wake_all_of(even), looks.get()), (2, 10));
    assert!(sleepers.is_announced(1) && sleepers.announced() == 1);
    assert!(sleepers.wake(1) && sleepers.wake_all_of(even) == 0);
}

#[test]
fn a_look_that_panics_leaves_no_announcement() {
    let sleepers = Sleepers::new(1);
    let looked = catch_unwind(AssertUnwindSafe(|| sleepers.park_unless(0, || panic!("as a test"))));
    assert!(looked.is_err());
    assert!(!sleepers.wake_any(), "a wake was swallowed");
    sleepers.park_unless(0, || true);
}

#[test]
#[should_panic(expected = "two threads sleep as one worker")]
fn only_one_thread_sleeps_as_a_worker() {
    let sleepers = Sleepers::new(1);
    sleepers.park_unless(0, || {
        sleepers.park_unless(0, || true);
        true
    });
}

/// Three workers take work and sleep in between; every piece is done without polling.
#[test]
fn work_is_never_slept_on() {
    const PIECES: usize = 3_000;
    let sleepers = Sleepers::new(3);
    let (available, done, over) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
    let take = || available.fetch_update(Ordering::AcqRel, Ordering::Relaxed, |n| n.checked_sub(1)).is_ok();
    thread::scope(|scope| {
        for me in 0..3 {
            let (sleepers, available, done, over) = (&sleepers, &available, &done, &over);
            scope.spawn(move || {
                while !over.load(Ordering::Acquire) {
                    if take() {
                        if done.fetch_add(1, Ordering::AcqRel) + 1 == PIECES {
                            over.store(true, Ordering::Release);
                            sleepers.wake_all();
                        }
                    } else {
                        let ready = || available.load(Ordering::Relaxed) > 0 || over.load(Ordering::Relaxed);
                        sleepers.park_unless(me, ready);
                    }
                }
            });
        }
        for _ in 0..PIECES {
            available.fetch_add(1, Ordering::Release);
            sleepers.wake_any();
        }
    });
    assert_eq!((done.into_inner(), available.into_inner()), (PIECES, 0));
}

#[test]
fn a_ring_of_messages_ends_exactly_when_it_is_through() {
    const UNITS: usize = 3;
    const HOPS: usize = 600;
    for messages in 0..4 {
        let (view, ledgers) = quiet(UNITS);
        let verdict = Verdict::new();
        let (handled, first) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let (senders, receivers): (Vec<_>, Vec<_>) = (0..UNITS).map(|_| event_queue(8)).unzip();
        thread::scope(|scope| {
            for (unit, (mut ledger, mut receiver)) in ledgers.into_iter().zip(receivers).enumerate() {
                let (next, view) = (senders[(unit + 1) % UNITS].clone(), view.clone());
                let (verdict, handled, first) = (&verdict, &handled, &first);
                scope.spawn(move || {
                    let (mut sent, mut received) = (0, 0);
                    if unit == 0 {
                        for _ in 0..messages {
                            next.send(HOPS - 1).unwrap();
                            sent += 1;
                        }
                    }
                    while !verdict.is_over() {
                        while let Some(hops) = receiver.receive() {
                            ledger.busy();
                            received += 1;
                            handled.fetch_add(1, Ordering::Relaxed);
                            if hops > 0 {
                                next.send(hops - 1).unwrap();
                                sent += 1;
                            }
                        }
                        ledger.idle(sent, received);
                        if view.is_quiet() && verdict.declare(Ending::Quiet) == Declared::First {
                            first.fetch_add(1, Ordering::Relaxed);
                            assert_eq!(
                                handled.load(Ordering::Relaxed),
                                messages * HOPS,
                                "declared too early"
                            );
                        }
                        thread::yield_now();
                    }
                });
            }
        });
        assert_eq!(handled.into_inner(), messages * HOPS);
        assert_eq!(first.into_inner(), 1);
        assert_eq!(verdict.ending(), Some(Ending::Quiet));
    }
}

#[test]
fn quiet_needs_every_unit_idle_and_every_message_received() {
    let (view, mut ledgers) = quiet(2);
    assert!(!view.is_quiet());
    ledgers[0].idle(u64::MAX, 0);
    assert!(!view.is_quiet(), "the other unit is busy");
    ledgers[1].idle(1, 0);
    assert!(view.is_quiet(), "totals wrap");
    ledgers[1].busy();
    ledgers[1].busy();
    assert!(!view.is_quiet());
    ledgers[1].idle(2, 0);
    assert!(!view.is_quiet(), "one message is under way");
    view.reset();
    ledgers[0].idle(0, 0);
    assert!(!view.is_quiet(), "a reset makes all busy");
    ledgers[1].idle(0, 0);
    assert!(view.is_quiet());
}

#[test]
fn the_first_verdict_stands() {
    let verdict = Verdict::default();
    assert_eq!((verdict.is_over(), verdict.ending()), (false, None));
    assert_eq!(verdict.declare(Ending::Failed), Declared::First);
    assert_eq!(verdict.declare(Ending::Quiet), Declared::TooLate);
    assert_eq!((verdict.is_over(), verdict.ending()), (true, Some(Ending::Failed)));
    verdict.reset();
    assert_eq!((verdict.is_over(), verdict.ending()), (false, None));
    assert_eq!(verdict.declare(Ending::Quiet), Declared::First);
}

#[test]
fn clones_of_a_flag_are_one_flag() {
    let flag = Flag::default();
    let other = flag.clone();
    other.raise();
    assert!(flag.is_raised());
    flag.clear();
    assert!(!other.is_raised());
}

/// Runs `rounds` rounds; returns how often each worker ran.
fn run_rounds(workers: usize, rounds: usize, spin: usize) -> Vec<usize> {
    let (gate, at_work) = (Gate::new(workers), AtomicUsize::new(0));
    thread::scope(|scope| {
        let threads: Vec<_> = (0..workers)
            .map(|_| {
                scope.spawn(|| {
                    let (mut seen, mut ran) = (Round::default(), 0);
                    while let Signal::Start(round) = gate.wait(seen, spin) {
                        seen = round;
                        ran += 1;
                        at_work.fetch_add(1, Ordering::Relaxed);
                        gate.done();
                    }
                    ran
                })
            })
            .collect();
        for round in 1..=rounds {
            gate.open();
            gate.wait_done(spin);
            assert_eq!(at_work.load(Ordering::Relaxed), round * workers);
        }
        gate.shut();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn every_worker_runs_every_round() {
    for spin in [0, 3, 1_000] {
        assert_eq!(run_rounds(3, 200, spin), [200; 3], "{spin} polls");
    }
    assert_eq!(run_rounds(2, 0, 0), [0; 2]);
    assert_eq!(run_rounds(0, 2, 0), [0; 0]);
}

#[test]
#[should_panic(expected = "1 workers are still at work on the last round")]
fn a_gate_opens_only_when_all_are_done() {
    let gate = Gate::new(1);
    gate.open();
    gate.open();
}

#[test]
fn threads_are_counted_while_they_are_awake() {
    assert_eq!(Active::threads(), 0);
    let mut one = Active::new();
    let other = thread::spawn(Active::new).join().expect("it counts");
    assert_eq!(Active::threads(), 2);
    assert_eq!(one.asleep(Active::threads), 1);
    let slept = catch_unwind(AssertUnwindSafe(|| one.asleep(|| panic!("as a test"))));
    assert!(slept.is_err());
    assert_eq!(Active::threads(), 2);
    drop((one, other));
    assert_eq!(Active::threads(), 0);
}
