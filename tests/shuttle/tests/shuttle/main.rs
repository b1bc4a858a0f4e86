//! Whole programs on the workers that ship, under Shuttle's scheduler.
#![forbid(unsafe_code)]

extern crate earth_shuttle as earth;

mod cases;
mod exhibits;
mod programs;

#[path = "../../../../runtime/examples/fib.rs"]
mod fib;
#[path = "../../../../runtime/examples/istructure.rs"]
mod istructure;
#[path = "../../../../runtime/examples/ring.rs"]
mod ring;
