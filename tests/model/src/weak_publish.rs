//! The weakness: every store is relaxed, so a queue publishes its cells without publishing their values.

mod primitive;

#[path = "../../../runtime/signal/src/answers.rs"]
pub mod answers;
#[path = "../../../runtime/signal/src/drops.rs"]
mod drops;
#[path = "../../../runtime/signal/src/event_queue.rs"]
pub mod event_queue;
#[path = "../../../runtime/signal/src/full.rs"]
pub mod full;
#[path = "../../../runtime/signal/src/message_ring.rs"]
pub mod message_ring;
#[path = "../../../runtime/signal/src/prefetch.rs"]
mod prefetch;
#[path = "../../../runtime/signal/src/ring.rs"]
mod ring;
#[path = "../../../runtime/signal/src/shared_end.rs"]
pub mod shared_end;
