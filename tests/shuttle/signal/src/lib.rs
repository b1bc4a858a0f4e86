//! `earth-signal`, file for file, beside Shuttle's primitives, and with weaknesses.
//!
//! The build script copies the files, with the changes of `changes.rs`: states that a process has once an execution of
//! Shuttle's has once, the receiver of a message ring says which cell it has, and where a protocol relies on something
//! stands a weakness that takes that away.

mod primitive;
mod weakness;

pub use weakness::{Weakness, is_weak, weakened};

include!(concat!(env!("OUT_DIR"), "/src/lib.rs"));
