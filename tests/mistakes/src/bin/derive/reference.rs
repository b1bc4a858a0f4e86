//! A field that borrows.

use earth::Wire;

#[derive(Wire)]
struct Order {
    rows: u32,
    name: &'static str,
}

fn main() {}

//~ ERROR 8:11 a reference cannot travel: own the value, or share it within one process as `Shared`
