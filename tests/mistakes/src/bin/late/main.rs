//! Mistakes that the compiler finds after type checking.

mod drop;
mod large_arguments;
mod large_inlet;

fn main() {}
