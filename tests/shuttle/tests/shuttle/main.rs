//! Whole programs on the workers that ship, under Shuttle's scheduler.
#![forbid(unsafe_code)]

extern crate earth_shuttle as earth;

mod cases;
mod exhibits;
mod programs;

#[path = "../../../../runtime/examples/fib.rs"]
#[allow(dead_code, reason = "what it is run by elsewhere")]
mod fib;
#[path = "../../../../runtime/examples/istructure.rs"]
#[allow(dead_code, reason = "what it is run by elsewhere")]
mod istructure;
#[path = "../../../../runtime/examples/ring.rs"]
#[allow(dead_code, reason = "what it is run by elsewhere")]
mod ring;
