//! Whole programs on the workers that ship, in schedules of Shuttle's.
//!
//! A test that fails prints the schedule, in hexadecimal digits between two quotation marks, and the number of the machine,
//! `EARTH_CASE`. To replay the failure, put the digits of the last schedule into a file and name the test:
//!
//! ```text
//! EARTH_CASE=3 EARTH_SCHEDULE=file cargo test -p earth-shuttle --test shuttle blocks_move -- --nocapture
//! ```
//!
//! The variable `SHUTTLE_CAPTURE_BACKTRACE=1` adds where each thread waits in a deadlock.
#![forbid(unsafe_code)]

extern crate earth_shuttle as earth;

mod cases;
mod exhibits;
mod programs;

#[path = "../../../../runtime/examples/fib.rs"]
#[allow(dead_code, reason = "the example calls it")]
mod fib;
#[path = "../../../../runtime/examples/istructure.rs"]
#[allow(dead_code, reason = "the example calls it")]
mod istructure;
#[path = "../../../../runtime/examples/ring.rs"]
#[allow(dead_code, reason = "the example calls it")]
mod ring;
