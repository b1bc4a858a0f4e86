//! Mistakes that the compiler finds after it has checked types.

mod drop;
mod large_arguments;
mod large_inlet;

fn main() {}
