//! The runtime, file for file, beside Shuttle's primitives: whole programs on the workers that ship, in schedules that a seed
//! chooses.
//!
//! The build script copies the files, with the changes of `changes.rs`. A test says `extern crate earth_shuttle as earth`
//! and uses it as a program would, within an execution of Shuttle's.
#![forbid(unsafe_code)]

mod primitive;

pub use primitive::thread::set_cores;

include!(concat!(env!("OUT_DIR"), "/src/lib.rs"));
