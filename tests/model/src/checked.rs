//! The protocol with loom's primitives.

mod primitive;

#[path = "../../../runtime/signal/src/activity.rs"]
pub mod activity;
#[path = "../../../runtime/signal/src/answers.rs"]
pub mod answers;
#[path = "../../../runtime/signal/src/attention.rs"]
pub mod attention;
#[path = "../../../runtime/signal/src/drops.rs"]
mod drops;
#[path = "../../../runtime/signal/src/event_queue.rs"]
pub mod event_queue;
#[path = "../../../runtime/signal/src/flag.rs"]
pub mod flag;
#[path = "../../../runtime/signal/src/full.rs"]
pub mod full;
#[path = "../../../runtime/signal/src/gate.rs"]
pub mod gate;
#[path = "../../../runtime/signal/src/held_back.rs"]
pub mod held_back;
#[path = "../../../runtime/signal/src/message_ring.rs"]
pub mod message_ring;
#[path = "../../../runtime/signal/src/offers.rs"]
pub mod offers;
#[path = "../../../runtime/signal/src/prefetch.rs"]
mod prefetch;
#[path = "../../../runtime/signal/src/quiet.rs"]
pub mod quiet;
#[path = "../../../runtime/signal/src/ring.rs"]
mod ring;
#[path = "../../../runtime/signal/src/shared_end.rs"]
pub mod shared_end;
#[path = "../../../runtime/signal/src/sleepers.rs"]
pub mod sleepers;
#[path = "../../../runtime/signal/src/tally.rs"]
pub mod tally;
#[path = "../../../runtime/signal/src/verdict.rs"]
pub mod verdict;

/// Queues whose counters are a few steps before their overflow.
pub mod near_overflow {
    use super::{event_queue, message_ring, shared_end};

    /// Creates an event queue whose first position is `before` positions before the last.
    pub fn event_queue<T: Send>(
        capacity: usize,
        before: usize,
    ) -> (event_queue::EventSender<T>, event_queue::EventReceiver<T>) {
        event_and_note_queue(capacity, before)
    }

    /// Creates a queue of values and notes whose first position is `before` positions before the last.
    pub fn event_and_note_queue<T: Send, N: Send>(
        capacity: usize,
        before: usize,
    ) -> (event_queue::EventSender<T, N>, event_queue::EventReceiver<T, N>) {
        // Tickets are doubled positions, so they overflow at half of the positions.
        event_queue::starting_at(capacity, (usize::MAX >> 1) - before)
    }

    /// Creates a message ring with cells of `N` words. Its first cell has the number `usize::MAX - before`.
    pub fn message_ring<R: message_ring::Receiver, const N: usize>(
        capacity: usize,
        before: usize,
    ) -> (message_ring::MessageSender<R, N>, message_ring::MessageReceiver<R, N>) {
        message_ring::starting_at(capacity, usize::MAX - before)
    }

    /// Creates a shared end whose first position is `before` positions before the last.
    pub fn shared_end<T: Send>(
        capacity: usize,
        before: usize,
    ) -> (shared_end::Publisher<T>, shared_end::Stealer<T>) {
        shared_end::starting_at(capacity, (usize::MAX >> 1) - before)
    }
}
