//! The runtime with [bugs](Bug) in it, each asleep until a thread [switches](with) it on.
//!
//! A test that no bug can fail is worth nothing. `build.rs` copies the runtime's source and plants the bugs
//! listed in `seeds.rs`; the runtime itself has none of them. The simulated machine runs all its units in the
//! calling thread, so a switch of that thread is seen by all of them, and tests run side by side.
//!
//! What is here beside the switch is the crate `earth`, item for item: a test says
//! `extern crate earth_bugs as earth` and uses it as a program would.
#![forbid(unsafe_code)]
#![allow(clippy::all, clippy::pedantic, rustdoc::all, reason = "the copy is checked where it stands")]

mod seeds;
mod switch;

pub use seeds::{BUGS, Bug, Patch, Seed};
pub use switch::with;

include!(concat!(env!("OUT_DIR"), "/runtime/src/lib.rs"));
