//! A union.

use earth::Wire;

#[derive(Wire)]
union Bits {
    number: u32,
    bytes: [u8; 4],
}

fn main() {}

//~ ERROR 6:1 a union does not say which of its fields it holds, so it cannot travel: write an enum
