//! A field that is a function.

use earth::Wire;

#[derive(Wire)]
struct Job<T> {
    of: Vec<T>,
    run: fn(u64) -> u64,
}

fn main() {}

//~ ERROR 8:10 a value of type `fn(u64) -> u64` cannot travel between nodes
