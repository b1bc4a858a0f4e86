//! What is held back for lack of room: nothing lost, and every sender's order kept, whenever the receiver makes
//! room.

use earth_model::checked::event_queue::EventSender;
use earth_model::checked::full::Full;
use earth_model::checked::held_back::{HeldBack, Sent};
use earth_model::checked::near_overflow;
use earth_model::{Leaked, explore};
use loom::thread::spawn;

/// A way to send: through the list of what is held back, or past it.
type Send = fn(&mut HeldBack<Value>, &EventSender<Value>, Value) -> Sent;

/// Which sender sent it, and how many it had sent before.
type Value = (usize, usize);

/// Two threads send `each` values through a queue of one cell and try once more at the end; meanwhile the receiver
/// polls twice. Then all that is held back is sent. Every sender's values must have come in its order.
fn two_senders(each: usize, send: Send) {
    let (sender, mut receiver) = near_overflow::event_queue(1, 1);
    let sender = Leaked::new(sender);
    let threads = [0, 1].map(|who| {
        let sender = sender.clone();
        spawn(move || {
            let mut held = HeldBack::new();
            let queued = (0..each).filter(|&n| send(&mut held, &sender, (who, n)) == Sent::Queued).count();
            (queued + held.flush(|value| sender.send(value)), held)
        })
    });
    let mut received: Vec<Value> = (0..2).filter_map(|_| receiver.receive()).collect();
    for thread in threads {
        let (queued, mut held) = thread.join().unwrap();
        assert_eq!(queued + held.len(), each, "a value is queued or held back");
        while !held.is_empty() {
            received.extend(std::iter::from_fn(|| receiver.receive()));
            held.flush(|value| sender.send(value));
        }
    }
    received.extend(std::iter::from_fn(|| receiver.receive()));
    for who in 0..2 {
        let numbers: Vec<_> = received.iter().filter(|value| value.0 == who).map(|value| value.1).collect();
        assert_eq!(numbers, (0..each).collect::<Vec<_>>(), "sender {who}");
    }
}

#[test]
fn two_senders_through_one_cell_keep_their_orders() {
    explore(|| two_senders(3, |held, queue, value| held.send(value, |value| queue.send(value))));
}

/// A sender that offers each value to the queue first, and holds back what finds no room, lets a value pass the one
/// that is held back.
#[test]
#[should_panic(expected = "sender ")]
fn a_value_that_tries_the_queue_first_overtakes() {
    explore(|| {
        two_senders(2, |held, queue, value| match queue.send(value) {
            Ok(()) => Sent::Queued,
            Err(Full(value)) => held.send(value, |value| Err(Full(value))),
        });
    });
}
