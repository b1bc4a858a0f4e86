//! Whole programs on the real workers, in schedules of Shuttle.
//!
//! A failing test prints the schedule, in hexadecimal digits between two quotation marks, and the number of
//! the machine, `EARTH_CASE`. To replay the failure, put the digits of the last schedule into a file and name
//! the test:
//!
//! ```text
//! EARTH_CASE=3 EARTH_SCHEDULE=file cargo test -p earth-shuttle --test shuttle blocks_move -- --nocapture
//! ```
//!
//! With the variable `SHUTTLE_CAPTURE_BACKTRACE=1`, a deadlock report contains the place where each thread
//! waits.
#![forbid(unsafe_code)]

extern crate earth_shuttle as earth;

mod cases;
mod exhibits;
mod programs;

// The sources of the programs, compiled against the copy of the runtime.
#[path = "../../../../runtime/programs/src/fib.rs"]
#[allow(dead_code, unreachable_pub, reason = "it is public in its library")]
mod fib;
#[path = "../../../../runtime/programs/src/istructure.rs"]
#[allow(dead_code, unreachable_pub, reason = "it is public in its library")]
mod istructure;
#[path = "../../../../runtime/programs/src/program.rs"]
#[allow(dead_code, unreachable_pub, reason = "it is public in its library")]
mod program;
#[path = "../../../../runtime/programs/src/ring.rs"]
#[allow(dead_code, unreachable_pub, reason = "it is public in its library")]
mod ring;
