//! A field without a size.

use earth::Wire;

#[derive(Wire)]
struct Rows {
    first: u32,
    rest: [u64],
}

fn main() {}

//~ ERROR 8:11 a slice cannot travel: own the value, or share it within one process as `Shared`
