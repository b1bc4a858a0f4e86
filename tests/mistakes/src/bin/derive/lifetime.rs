//! A type that may borrow.

use std::borrow::Cow;

use earth::Wire;

#[derive(Wire)]
enum Name<'a> {
    Number(u32),
    Text(Cow<'a, str>),
}

fn main() {}

//~ ERROR 8:11 a type that borrows cannot travel: own the value, or share it within one process as `Shared`
