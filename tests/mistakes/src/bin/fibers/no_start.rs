//! A function without a first fiber.

use earth::{Eu, Reply, threaded};

struct Sum {
    out: Reply<u64>,
}

#[threaded]
impl Sum {
    #[slot]
    fn add(self, left: u64, right: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, left + right);
    }
}

fn main() {}

//~ ERROR 10:6 no first fiber: write a function without `self`, whose parameters are the arguments of the threaded function, as in `fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self`
