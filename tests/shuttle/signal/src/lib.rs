//! `earth-signal`, file by file, with Shuttle's primitives and with weaknesses.
//!
//! The build script copies the files with the changes of `changes.rs`. State that exists once per process
//! exists once per execution of Shuttle. The receiver of a message ring marks the cell that it holds. A
//! weakness removes a step that a protocol relies on.

mod primitive;
mod weakness;

pub use weakness::{Weakness, is_weak, weakened};

include!(concat!(env!("OUT_DIR"), "/src/lib.rs"));
