//! A field that is a pointer.

use earth::Wire;

#[derive(Wire)]
struct Table(u32, *const f64);

fn main() {}

//~ ERROR 6:19 a pointer cannot travel: own the value, or share it within one process as `Shared`
