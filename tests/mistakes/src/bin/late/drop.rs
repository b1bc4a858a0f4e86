//! A type whose fields cannot be moved out.

use earth::Wire;

#[derive(Wire)]
struct Guard {
    name: String,
}

impl Drop for Guard {
    fn drop(&mut self) {}
}

fn main() {}

//~ ERROR 5:10 cannot move out of type `Guard`, which implements the `Drop` trait
