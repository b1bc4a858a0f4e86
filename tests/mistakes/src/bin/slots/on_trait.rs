//! The attribute on the implementation of a trait.

use earth::Reply;
use earth::threaded;

struct Sum {
    out: Reply<u64>,
}

#[threaded]
impl Clone for Sum {
    fn clone(&self) -> Self {
        Sum { out: self.out }
    }
}

fn main() {}

//~ ERROR 11:6 `#[threaded]` goes above the inherent `impl` block of the type that is the function's state: `struct Name { .. }` and `#[threaded] impl Name { .. }`
