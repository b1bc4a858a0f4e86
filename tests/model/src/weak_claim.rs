//! The weakness: a read-modify-write is a load and a store. Two threads may win the same claim, or one thread
//! may overwrite the value that the other has just written.

mod primitive;

#[path = "../../../runtime/signal/src/attention.rs"]
pub mod attention;
#[path = "../../../runtime/signal/src/drops.rs"]
mod drops;
#[path = "../../../runtime/signal/src/event_queue.rs"]
pub mod event_queue;
#[path = "../../../runtime/signal/src/full.rs"]
pub mod full;
#[allow(dead_code, reason = "other protocols use the rest")]
#[path = "../../../runtime/signal/src/prefetch.rs"]
mod prefetch;
#[path = "../../../runtime/signal/src/ring.rs"]
mod ring;
#[path = "../../../runtime/signal/src/shared_end.rs"]
pub mod shared_end;
#[path = "../../../runtime/signal/src/verdict.rs"]
pub mod verdict;
