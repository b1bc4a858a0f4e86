//! A fiber without an attribute that enables it.

use earth::{Eu, Machine, Reply, Start, threaded};

struct Sum {
    out: Reply<u64>,
}

#[threaded]
impl Sum {
    fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        if n < 2 {
            eu.put(out, n);
            return Start::End;
        }
        eu.token(Sum::call(n - 1, eu.reply(Self::add().left)));
        eu.token(Sum::call(n - 2, eu.reply(Self::add().right)));
        Start::Wait(Sum { out })
    }

    fn add(self, left: u64, right: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, left + right);
    }
}

fn main() {
    let _ = Machine::threads(1).run(|out| Sum::call(3, out));
}

//~ ERROR 21:8 no attribute says what enables `add`: write `#[slot]` (a slot that counts its inlets), `#[slot(sync)]` (and one more signal), `#[slots(len = ..)]` (an array of slots) or `#[spawned]` above it; a method that is no fiber goes into another `impl` block
