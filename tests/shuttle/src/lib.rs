//! The runtime, file by file, with Shuttle's primitives. Whole programs run on the real workers, in schedules
//! that a seed chooses.
//!
//! The build script copies the files with the changes of `changes.rs`. A test declares
//! `extern crate earth_shuttle as earth` and uses it like a program, within an execution of Shuttle.
#![forbid(unsafe_code)]

mod primitive;

pub use primitive::thread::set_cores;

include!(concat!(env!("OUT_DIR"), "/src/lib.rs"));
