//! Wrong ways to count signals that look right, and the models that find their errors.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use earth_model::atomic::{AtomicBool, AtomicUsize};
use earth_model::{Leaked, explore};
use loom::thread::{spawn, yield_now};

/// Two threads send `each` signals to a shared slot whose count is `count`. Returns the number of times that
/// `signal` reported that the slot fired.
fn firings(count: usize, each: usize, signal: fn(&AtomicUsize, usize) -> bool) -> usize {
    let slot = Leaked::new(AtomicUsize::new(count));
    let other = slot.clone();
    let signals = move |slot: &AtomicUsize| (0..each).filter(|_| signal(slot, count)).count();
    let thread = spawn(move || signals(&other));
    signals(&slot) + thread.join().unwrap()
}

/// Signals between the decrement to zero and the addition count below zero. None of them sees the signal that
/// must fire.
#[test]
#[should_panic(expected = "a firing was lost")]
fn a_decrement_and_then_an_addition_loses_a_firing() {
    explore(|| {
        let fired = firings(1, 1, |slot, reset| {
            let fires = slot.fetch_sub(1, AcqRel) == 1;
            if fires {
                slot.fetch_add(reset, AcqRel);
            }
            fires
        });
        assert_eq!(fired, 2, "a firing was lost");
    });
}

/// A signal between the decrement to zero and the store is overwritten.
#[test]
#[should_panic(expected = "a firing was lost")]
fn a_decrement_and_then_a_store_loses_a_signal() {
    explore(|| {
        let fired = firings(2, 2, |slot, reset| {
            let fires = slot.fetch_sub(1, AcqRel) == 1;
            if fires {
                slot.store(reset, Release);
            }
            fires
        });
        assert_eq!(fired, 2, "a firing was lost");
    });
}

/// The one-bit synchronization flag of Thulasiraman et al. (erratum E2). A block of stage 1 can arrive while
/// the block of stage 0 is awaited, because the mate of stage 1 need not have waited for this thread.
#[test]
#[should_panic(expected = "a block of another stage was taken")]
fn a_flag_of_one_bit_confuses_two_stages() {
    struct Mailbox {
        flag: AtomicBool,
        stage_of_block: AtomicUsize,
    }

    fn exchange(me: usize, mailboxes: &[Mailbox; 4]) {
        for (stage, distance) in [2, 1].into_iter().enumerate() {
            let mate = &mailboxes[me ^ distance];
            mate.stage_of_block.store(stage, Relaxed);
            mate.flag.store(true, Release);
            while !mailboxes[me].flag.swap(false, Acquire) {
                yield_now();
            }
            let found = mailboxes[me].stage_of_block.load(Relaxed);
            assert_eq!(found, stage, "a block of another stage was taken");
        }
    }

    explore(|| {
        let mailboxes = Leaked::new(
            [0; 4].map(|_| Mailbox { flag: AtomicBool::new(false), stage_of_block: AtomicUsize::new(0) }),
        );
        let mates = [1, 2, 3].map(|me| {
            let mailboxes = mailboxes.clone();
            spawn(move || exchange(me, &mailboxes))
        });
        exchange(0, &mailboxes);
        for mate in mates {
            mate.join().unwrap();
        }
    });
}
