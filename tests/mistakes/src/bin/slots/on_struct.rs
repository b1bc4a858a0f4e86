//! The attribute on the state.

use earth::Reply;
use earth::threaded;

#[threaded]
struct Sum {
    out: Reply<u64>,
}

fn main() {}

//~ ERROR 7:1 `#[threaded]` goes above the inherent `impl` block of the type that is the function's state: `struct Name { .. }` and `#[threaded] impl Name { .. }`
