//! Arguments that are too large to travel in line.

use earth::{Eu, Machine, Reply, threaded};

struct Wide;

#[threaded(in_line)]
impl Wide {
    fn start(words: [u64; 6], out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, words[0]);
    }
}

fn main() {
    let _ = Machine::threads(1).run(|out| Wide::call([0; 6], out));
}

//~ ERROR 9:8 evaluation panicked: the arguments of this function take more than 48 bytes, so they do not travel in line
