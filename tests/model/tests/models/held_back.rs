//! Values that are held back for lack of room: none is lost, and every sender's order is kept, at whatever
//! time the receiver makes room.

use earth_model::explore;
use loom::thread::spawn;

/// Two threads send `$each` values by `$send` through a queue of one cell, and try once more at the end;
/// meanwhile the receiver polls once. Then all held-back values are sent. The values of every sender must
/// arrive in its order.
macro_rules! two_senders {
    ($primitives:ident, $each:expr, |$held:ident, $queue:ident, $value:ident| $send:expr) => {{
        use earth_model::$primitives::event_queue::{EventSender, event_queue};
        #[allow(unused_imports, reason = "only one of two ways to send uses it")]
        use earth_model::$primitives::full::Full;
        use earth_model::$primitives::held_back::{HeldBack, Sent};

        let send = |$held: &mut HeldBack<_>, $queue: &EventSender<_>, $value| $send;
        let (sender, mut receiver) = event_queue(1);
        let threads = [0, 1].map(|who| {
            let sender = sender.clone();
            spawn(move || {
                let mut held = HeldBack::new();
                let queued =
                    (0..$each).filter(|&n| send(&mut held, &sender, (who, n)) == Sent::Queued).count();
                (queued + held.flush(|value| sender.send(value)), held)
            })
        });
        let mut received: Vec<(usize, usize)> = receiver.receive().into_iter().collect();
        let joined = threads.map(|thread| thread.join().unwrap());
        for (queued, mut held) in joined {
            assert_eq!(queued + held.len(), $each, "a value is queued or held back");
            while !held.is_empty() {
                received.extend(std::iter::from_fn(|| receiver.receive()));
                held.flush(|value| sender.send(value));
            }
        }
        received.extend(std::iter::from_fn(|| receiver.receive()));
        for who in 0..2 {
            let numbers: Vec<_> =
                received.iter().filter(|value| value.0 == who).map(|value| value.1).collect();
            assert_eq!(numbers, (0..$each).collect::<Vec<_>>(), "sender {who}");
        }
    }};
}

#[test]
fn two_senders_through_one_cell_keep_their_orders() {
    explore(|| {
        two_senders!(checked, 2, |held, queue, value| held.send(value, |value| queue.send(value)));
    });
}

/// If a sender offers each value to the queue first, and holds it back only if there is no room, a value can
/// overtake a held-back one.
#[test]
#[should_panic(expected = "sender ")]
fn a_value_that_tries_the_queue_first_overtakes() {
    explore(|| {
        two_senders!(misused, 2, |held, queue, value| match queue.send(value) {
            Ok(()) => Sent::Queued,
            Err(full) => held.send(full.0, |value| Err(Full(value))),
        });
    });
}
