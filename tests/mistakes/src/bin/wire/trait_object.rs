//! A field that is a trait object.

use earth::Wire;

#[derive(Wire)]
struct Job {
    run: Box<dyn Fn(u64) -> u64 + Send>,
}

fn main() {}

//~ ERROR 7:10 a value of type `dyn Fn(u64) -> u64 + Send` cannot travel between nodes
