//! The weakness: a fence without effect.

mod primitive;

#[path = "../../../runtime/signal/src/offers.rs"]
pub mod offers;
#[path = "../../../runtime/signal/src/quiet.rs"]
pub mod quiet;
#[path = "../../../runtime/signal/src/sleepers.rs"]
pub mod sleepers;
