//! The protocol with loom's primitives, for models that misuse it. Shared values are never dropped.

mod primitive;

#[path = "../../../runtime/signal/src/drops.rs"]
mod drops;
#[path = "../../../runtime/signal/src/event_queue.rs"]
pub mod event_queue;
#[path = "../../../runtime/signal/src/full.rs"]
pub mod full;
#[path = "../../../runtime/signal/src/held_back.rs"]
pub mod held_back;
#[path = "../../../runtime/signal/src/offers.rs"]
pub mod offers;
#[allow(dead_code, reason = "other protocols use the rest")]
#[path = "../../../runtime/signal/src/prefetch.rs"]
mod prefetch;
#[path = "../../../runtime/signal/src/quiet.rs"]
pub mod quiet;
#[path = "../../../runtime/signal/src/ring.rs"]
mod ring;
#[path = "../../../runtime/signal/src/shared_end.rs"]
pub mod shared_end;
