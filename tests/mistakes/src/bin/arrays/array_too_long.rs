//! An array of more inlets than a frame may store.

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
        eu.token(Sum::call(n - 1, eu.reply(Self::add().parts.at(0))));
        eu.token(Sum::call(n - 2, eu.reply(Self::add().parts.at(1))));
        Start::Wait(Sum { out })
    }

    #[slot]
    fn add(self, #[inlets] parts: [u64; 257], eu: &mut Eu<Self>) {
        eu.put(self.out, parts.iter().sum());
    }
}

fn main() {
    let _ = Machine::threads(1).run(|out| Sum::call(3, out));
}

//~ ERROR 22:41 an array of inlets in the frame has at most 256 elements: use `#[inlets(len)]` and an `Arrived` for more
