//! A field of a type that belongs to a thread.

use std::rc::Rc;

use earth::Wire;

#[derive(Wire)]
struct Counted {
    rows: u32,
    count: Rc<u64>,
}

fn main() {}

//~ ERROR 8:8 `Rc<u64>` cannot be sent between threads safely
//~ ERROR 10:12 a value of type `Rc<u64>` cannot travel between nodes
//~ NOTE a value that is only read travels within its process as `Shared`
