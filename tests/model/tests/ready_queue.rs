//! The ready queue: in order, nothing lost, nothing twice, also while its counters wrap.

use std::sync::Arc;

use earth_model::checked::near_overflow;
use earth_model::checked::ready_queue::ready_queue;
use earth_model::{explore, explore_all, weak_publish};
use loom::alloc::Track;
use loom::thread::{spawn, yield_now};

/// Sends `count` numbers, waiting for room, and checks that they arrive in order.
fn sends(count: usize, capacity: usize, before_overflow: usize) {
    let (mut sender, mut receiver) = near_overflow::ready_queue(capacity, before_overflow);
    let thread = spawn(move || {
        for number in 0..count {
            // Tracked, so that loom sees a value that is lost.
            let mut unsent = Track::new(number);
            while let Err(full) = sender.send(unsent) {
                unsent = full.0;
                yield_now();
            }
            assert!(sender.len() <= capacity);
        }
    });
    for number in 0..count {
        let received = loop {
            match receiver.receive() {
                Some(received) => break received,
                None => yield_now(),
            }
        };
        assert_eq!(received.into_inner(), number);
    }
    assert!(receiver.is_empty());
    thread.join().unwrap();
}

#[test]
fn one_cell_across_the_overflow() {
    explore(|| sends(3, 1, 1));
}

#[test]
fn two_cells_across_the_overflow() {
    explore(|| sends(3, 2, 1));
}

#[test]
fn the_length_is_never_too_small() {
    explore_all(|| {
        let (mut sender, mut receiver) = ready_queue(2);
        assert!(sender.send(1).is_ok());
        assert!(sender.send(2).is_ok());
        let thread = spawn(move || {
            assert_eq!(receiver.receive(), Some(1));
            receiver
        });
        assert!((1..=2).contains(&sender.len()));
        let mut receiver = thread.join().unwrap();
        assert_eq!(sender.len(), 1);
        assert_eq!(receiver.receive(), Some(2));
    });
}

#[test]
fn values_never_received_are_dropped_once() {
    explore_all(|| {
        let value = Arc::new(());
        let (mut sender, mut receiver) = ready_queue(2);
        let copies = (Arc::clone(&value), Arc::clone(&value));
        let thread = spawn(move || {
            assert!(sender.send(copies.0).is_ok());
            assert!(sender.send(copies.1).is_ok());
        });
        drop(receiver.receive());
        drop(receiver);
        thread.join().unwrap();
        assert_eq!(Arc::strong_count(&value), 1);
    });
}

#[test]
#[should_panic(expected = "Causality violation")]
fn a_counter_that_does_not_release_is_a_race() {
    explore(|| {
        let (mut sender, mut receiver) = weak_publish::ready_queue::ready_queue(1);
        let thread = spawn(move || assert!(sender.send(1).is_ok()));
        receiver.receive();
        thread.join().unwrap();
    });
}
