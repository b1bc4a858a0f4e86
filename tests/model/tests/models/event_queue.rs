//! The event queue: no value is lost or received twice, every sender's order is kept, and the data behind a
//! value is visible with it.

use std::sync::Arc;

use earth_model::checked::event_queue::{EventReceiver, event_and_note_queue, event_queue};
use earth_model::checked::near_overflow;
use earth_model::{explore, explore_all, weak_claim, weak_publish};
use loom::alloc::Track;
use loom::thread::spawn;

/// Several threads send `each` values (sender, number) and stop at the first value that does not fit;
/// meanwhile the receiver tries `polls` times. Returns the number of sent values, after checking that exactly
/// these arrived, in each sender's order.
fn sends(senders: usize, each: usize, capacity: usize, polls: usize) -> usize {
    let (sender, mut receiver) = near_overflow::event_queue(capacity, 1);
    let threads: Vec<_> = (0..senders)
        .map(|who| {
            let sender = sender.clone();
            spawn(move || {
                // Tracked, so that loom detects a lost value.
                let unsent = (0..each).find(|&number| sender.send(Track::new((who, number))).is_err());
                unsent.unwrap_or(each)
            })
        })
        .collect();
    let mut received: Vec<_> = (0..polls).filter_map(|_| receiver.receive()).collect();
    let sent: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    received.extend(std::iter::from_fn(|| receiver.receive()));
    for (who, &sent) in sent.iter().enumerate() {
        let numbers =
            received.iter().map(|value| *value.get_ref()).filter(|value| value.0 == who).map(|value| value.1);
        assert_eq!(numbers.collect::<Vec<_>>(), (0..sent).collect::<Vec<_>>(), "sender {who}");
    }
    for _ in 0..capacity {
        assert!(sender.send(Track::new((0, 0))).is_ok(), "an empty queue has room");
    }
    assert!(sender.send(Track::new((0, 0))).is_err(), "a full queue has none");
    sent.iter().sum()
}

#[test]
fn one_sender_through_one_cell_across_the_overflow() {
    explore_all(|| {
        sends(1, 3, 1, 2);
    });
}

#[test]
fn two_senders_through_one_cell_across_the_overflow() {
    explore(|| {
        sends(2, 2, 1, 2);
    });
}

#[test]
fn two_senders_across_the_overflow() {
    explore(|| {
        sends(2, 2, 2, 1);
    });
}

#[test]
fn three_senders() {
    explore(|| {
        let (sender, mut receiver) = near_overflow::event_queue(4, 1);
        let threads = [1, 2].map(|value| {
            let sender = sender.clone();
            spawn(move || assert!(sender.send(value).is_ok()))
        });
        assert!(sender.send(3).is_ok());
        for thread in threads {
            thread.join().unwrap();
        }
        let mut received: Vec<_> = std::iter::from_fn(|| receiver.receive()).collect();
        received.sort_unstable();
        assert_eq!(received, [1, 2, 3]);
    });
}

#[test]
fn two_senders_and_room_for_one_with_no_retry() {
    explore_all(|| {
        let (sender, mut receiver) = event_queue(1);
        let other = sender.clone();
        let thread = spawn(move || other.send(1).is_ok());
        let here = sender.send(2).is_ok();
        let there = thread.join().unwrap();
        assert!(here != there, "one cell holds one value");
        assert_eq!(receiver.receive(), Some(if here { 2 } else { 1 }));
    });
}

#[test]
fn values_never_received_are_dropped_once() {
    explore_all(|| {
        let value = Arc::new(());
        let (sender, mut receiver) = event_queue(2);
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
fn a_sequence_word_that_does_not_release_is_a_race() {
    explore(|| {
        let (sender, mut receiver) = weak_publish::event_queue::event_queue(1);
        let thread = spawn(move || assert!(sender.send(1).is_ok()));
        receiver.receive();
        thread.join().unwrap();
    });
}

#[test]
#[should_panic(expected = "Causality violation")]
fn two_senders_that_win_one_claim_are_a_race() {
    explore(|| {
        let (sender, _receiver) = weak_claim::event_queue::event_queue(2);
        let other = sender.clone();
        let thread = spawn(move || other.send(1).is_ok());
        assert!(sender.send(2).is_ok());
        thread.join().unwrap();
    });
}

/// A sender, and whether it sent a value or a note.
type Output = (usize, char);

/// Two senders send a value and a note each, in opposite orders, through a queue of one or two cells, and
/// stop at the first item that does not fit. Every sent item arrives with its kind, in its sender's order.
fn values_and_notes(capacity: usize) {
    let (sender, mut receiver) = near_overflow::event_and_note_queue(capacity, 1);
    let other = sender.clone();
    let note = |who| Track::new((who, 'n'));
    let value = |who| Track::new([(who, 'v'); 2]);
    let thread = spawn(move || {
        let first = other.note(note(1)).is_ok();
        (first, first && other.send(value(1)).is_ok())
    });
    let mut received = Vec::new();
    let mut receive = |receiver: &mut EventReceiver<Track<[Output; 2]>, Track<Output>>| {
        if let Some(note) = receiver.receive_note() {
            received.push(*Track::get_ref(&note));
        } else if let Some(value) = receiver.receive() {
            received.push(Track::get_ref(&value)[1]);
        } else {
            return false;
        }
        true
    };
    let first = sender.send(value(0)).is_ok();
    receive(&mut receiver);
    let second = first && sender.note(note(0)).is_ok();
    let there = thread.join().unwrap();
    while receive(&mut receiver) {}
    let of = |who: usize| received.iter().filter(|one| one.0 == who).map(|one| one.1).collect::<String>();
    let expected = |first, second, both: &str| both[..usize::from(first) + usize::from(second)].to_owned();
    assert_eq!(of(0), expected(first, second, "vn"));
    assert_eq!(of(1), expected(there.0, there.1, "nv"));
}

#[test]
fn values_and_notes_through_one_cell_across_the_overflow() {
    explore(|| values_and_notes(1));
}

#[test]
fn values_and_notes_keep_the_order_of_their_senders() {
    explore(|| values_and_notes(2));
}

#[test]
fn notes_never_received_are_dropped_once() {
    explore_all(|| {
        let value = Arc::new(());
        let (sender, mut receiver) = event_and_note_queue::<Arc<()>, Arc<()>>(2);
        let copies = (Arc::clone(&value), Arc::clone(&value));
        let thread = spawn(move || {
            assert!(sender.note(copies.0).is_ok());
            assert!(sender.send(copies.1).is_ok());
        });
        assert!(receiver.receive().is_none(), "a note comes first");
        drop(receiver.receive_note());
        drop(receiver);
        thread.join().unwrap();
        assert_eq!(Arc::strong_count(&value), 1);
    });
}

#[test]
#[should_panic(expected = "Causality violation")]
fn a_sequence_word_that_does_not_release_a_note_is_a_race() {
    explore(|| {
        let (sender, mut receiver) = weak_publish::event_queue::event_and_note_queue::<u8, u8>(1);
        let thread = spawn(move || assert!(sender.note(1).is_ok()));
        receiver.receive_note();
        thread.join().unwrap();
    });
}
