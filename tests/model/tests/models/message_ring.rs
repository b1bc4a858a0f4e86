//! The message ring: messages arrive in order, none is lost or received twice. This holds for full and partly
//! filled cells, and while cell numbers overflow.

use std::sync::Arc;

use earth_model::checked::message_ring::{Message, MessageReceiver, Receiver};
use earth_model::checked::near_overflow::{message_ring, shared_end};
use earth_model::{explore, explore_all, weak_publish};
use loom::thread::{spawn, yield_now};

/// The numbers that the receiver has received.
#[derive(Default)]
struct Heard(Vec<u64>);

impl Receiver for Heard {
    type Outcome = ();
}

/// A message that takes two words of a cell.
struct Number(u64);

impl Message<Heard> for Number {
    fn arrive(self, at: &mut Heard) {
        at.0.push(self.0);
    }
}

/// A message of three words.
struct Sum(u64, u64);

impl Message<Heard> for Sum {
    fn arrive(self, at: &mut Heard) {
        at.0.push(self.0 + self.1);
    }
}

/// A message that owns a value.
struct Owns(#[expect(dead_code, reason = "it is counted")] Arc<()>);

impl Message<Heard> for Owns {
    fn arrive(self, at: &mut Heard) {
        at.0.push(0);
    }
}

fn hears<const N: usize>(receiver: &mut MessageReceiver<Heard, N>, count: usize) {
    let mut heard = Heard::default();
    while heard.0.len() < count {
        if receiver.receive(&mut heard).is_none() {
            yield_now();
        }
    }
    assert!(receiver.is_empty());
    assert!(heard.0.iter().copied().eq(0..count as u64));
}

/// Sends `count` numbers, waiting for room. Publishes each number if `publishes`.
fn sends<const N: usize>(count: usize, capacity: usize, before: usize, publishes: bool) {
    let (mut sender, mut receiver) = message_ring::<Heard, N>(capacity, before);
    let thread = spawn(move || {
        for number in 0..count as u64 {
            while sender.send(Number(number)).is_err() {
                yield_now();
            }
            if publishes {
                sender.publish();
                assert!(!sender.has_unpublished());
            }
        }
    });
    hears(&mut receiver, count);
    thread.join().unwrap();
}

#[test]
fn one_cell_across_the_overflow() {
    explore(|| sends::<3>(3, 1, 1, true));
}

#[test]
fn two_cells_across_the_overflow() {
    explore(|| sends::<3>(4, 2, 1, true));
}

/// When the sender is dropped, it publishes its partly filled cell.
#[test]
fn cells_of_two_messages_of_which_the_last_is_not_full() {
    explore(|| sends::<4>(5, 2, 1, false));
}

/// The words on the stamp's line are stored last, the other words only if they are used.
#[test]
fn cells_of_two_lines_whose_second_one_is_used_now_and_then() {
    explore(|| {
        let (mut sender, mut receiver) = message_ring::<Heard, 9>(2, 1);
        let thread = spawn(move || {
            for number in 0..6 {
                while sender.send(Number(number)).is_err() {
                    yield_now();
                }
                if number == 0 {
                    sender.publish();
                }
            }
        });
        hears(&mut receiver, 6);
        thread.join().unwrap();
    });
}

#[test]
fn the_requested_number_is_received_at_once() {
    explore_all(|| {
        let (mut sender, mut receiver) = message_ring::<Heard, 5>(4, 1);
        let thread = spawn(move || (0..5).for_each(|number| assert!(sender.send(Number(number)).is_ok())));
        thread.join().unwrap();
        let mut heard = Heard::default();
        assert_eq!(receiver.receive_some(&mut heard, 3, |()| true), 3);
        assert_eq!(receiver.receive_some(&mut heard, 3, |()| false), 1);
        assert_eq!(receiver.receive_some(&mut heard, 3, |()| true), 1);
        assert_eq!(heard.0, [0, 1, 2, 3, 4]);
    });
}

#[test]
fn messages_of_other_sizes_begin_a_cell_where_they_do_not_fit() {
    explore(|| {
        let (mut sender, mut receiver) = message_ring::<Heard, 5>(2, 0);
        let thread = spawn(move || {
            assert!(sender.send(Number(0)).is_ok());
            assert!(sender.send(Sum(1, 0)).is_ok());
            assert!(sender.send(Sum(1, 1)).is_ok());
            while sender.send(Sum(1, 2)).is_err() {
                yield_now();
            }
        });
        hears(&mut receiver, 4);
        thread.join().unwrap();
    });
}

#[test]
fn unpublished_messages_are_not_seen() {
    explore_all(|| {
        let (mut sender, mut receiver) = message_ring::<Heard, 5>(2, 0);
        assert!(sender.send(Number(0)).is_ok() && sender.has_unpublished());
        let thread = spawn(move || {
            assert!(receiver.is_empty());
            receiver
        });
        let mut receiver = thread.join().unwrap();
        sender.publish();
        hears(&mut receiver, 1);
    });
}

/// A third thread learns of the marked messages by its own queue, and signals the receiver by another queue.
#[test]
fn marked_messages_are_received_before_dependent_ones() {
    explore(|| {
        let (mut sender, mut receiver) = message_ring::<Heard, 3>(4, usize::MAX);
        let ((mut first, second), (mut third, fourth)) = (shared_end(1, 0), shared_end(1, 0));
        let sends = spawn(move || {
            assert!(sender.send(Number(0)).is_ok() && sender.send(Number(1)).is_ok());
            sender.mark();
            assert!(first.publish(()).is_ok());
            assert!(sender.send(Number(2)).is_ok());
        });
        let passes_on = spawn(move || {
            if second.steal().is_some() {
                assert!(third.publish(()).is_ok());
            }
        });
        let told = fourth.steal().is_some();
        let mut heard = Heard::default();
        while receiver.is_behind() {
            receiver.receive(&mut heard);
        }
        assert!(!told || heard.0.len() >= 2, "{:?}", heard.0);
        sends.join().unwrap();
        passes_on.join().unwrap();
    });
}

#[test]
fn messages_never_received_are_dropped_once() {
    explore_all(|| {
        let value = Arc::new(());
        let (mut sender, mut receiver) = message_ring::<Heard, 4>(2, 1);
        let copies: Vec<_> = (0..4).map(|_| Owns(Arc::clone(&value))).collect();
        let thread = spawn(move || {
            for copy in copies {
                drop(sender.send(copy));
            }
        });
        let _ = receiver.receive(&mut Heard::default());
        drop(receiver);
        thread.join().unwrap();
        assert_eq!(Arc::strong_count(&value), 1);
    });
}

mod weak {
    use super::weak_publish::message_ring::{Message, Receiver};

    pub(super) struct Heard;

    impl Receiver for Heard {
        type Outcome = ();
    }

    pub(super) struct Number(#[expect(dead_code, reason = "it takes a word")] pub(super) u64);

    impl Message<Heard> for Number {
        fn arrive(self, _: &mut Heard) {}
    }
}

#[test]
#[should_panic(expected = "Causality violation")]
fn a_stamp_that_does_not_release_is_a_race() {
    explore(|| {
        let (mut sender, mut receiver) = weak_publish::message_ring::message_ring(1);
        let thread = spawn(move || {
            assert!(sender.send(weak::Number(1)).is_ok());
            sender.publish();
        });
        let _ = receiver.receive(&mut weak::Heard);
        thread.join().unwrap();
    });
}
